/* The row cache: its bound, CLOCK with pinned rows, dropped rows, and rows that become longer or shorter. */
#include "test.h"

enum { ROW = 64, KEYS = 10 };

static osvm_cache opened(int together, size_t bytes) {
  osvm_cache cache;
  CHECK(osvm_cache_open(&cache, together, bytes, ROW, KEYS, NULL) == OSVM_OK);
  CHECK(osvm_cache_reshape(&cache, KEYS, ROW, NULL) == OSVM_OK);
  return cache;
}

/* Places a row, if there is room, and fills it. */
static int put(osvm_cache *cache, int key) {
  char *row = osvm_cache_place(cache, key);
  if (row == NULL) return 0;
  CHECK(*osvm_cache_stamp(cache, key) == 0);
  memset(row, key + 1, cache->row_bytes);
  *osvm_cache_stamp(cache, key) = 100 + key;
  return 1;
}

/* Without using the row: neither pinned nor recent. The first `filled` bytes are the key's, those from there on 0. */
static int intact(const osvm_cache *cache, int key, size_t filled) {
  if (!osvm_cache_has(cache, key) || *osvm_cache_stamp(cache, key) != 100 + (uint64_t)key) return 0;
  const char *row = osvm_cache_row(cache, cache->slot_of[key]);
  for (size_t k = 0; k < cache->row_bytes; k++)
    if (row[k] != (k < filled ? key + 1 : 0)) return 0;
  return 1;
}

static int rows_in(const osvm_cache *cache) {
  int rows = 0;
  for (int key = 0; key < cache->keys; key++) {
    if (!osvm_cache_has(cache, key)) continue;
    rows++;
    CHECK(cache->key_of[cache->slot_of[key]] == key && cache->slot_of[key] < cache->filled);
  }
  return rows;
}

static void the_bound_is_hard(void) {
  for (int together = 0; together <= OSVM_TOGETHER; together += 2)
    for (size_t bytes = 0; bytes < (KEYS + 3) * ROW; bytes += 37) {
      test_about("%d rows together, bytes %d", together, (int)bytes);
      const size_t before = memory.bytes;
      osvm_cache cache;
      CHECK(osvm_cache_open(&cache, together, bytes, ROW, KEYS, NULL) == OSVM_OK);
      const size_t slab = memory.bytes - before - 64;
      CHECK(slab <= KEYS * ROW && slab <= (bytes < (size_t)together * ROW ? (size_t)together * ROW : bytes));
      CHECK(osvm_cache_reshape(&cache, KEYS, ROW, NULL) == OSVM_OK);
      const int slots = (int)(slab / ROW);
      CHECK(cache.slots == slots);
      for (int k = 0; k < 500; k++) {
        const int key = random_below(KEYS);
        if (random_below(5) == 0) osvm_cache_drop(&cache, key);
        else if (osvm_cache_has(&cache, key)) CHECK(osvm_cache_find(&cache, key) != NULL && intact(&cache, key, ROW));
        else CHECK(put(&cache, key) || (together == 0 && rows_in(&cache) == slots));
        CHECK(rows_in(&cache) <= slots);
      }
      CHECK(cache.filled == slots && memory.bytes - before - 64 - slab < KEYS * 32);
      osvm_cache_close(&cache);
    }
}

static void clock_skips_recent_and_pinned_rows(void) {
  osvm_cache cache = opened(2, 3 * ROW + 5);
  CHECK(osvm_cache_find(&cache, 0) == NULL);
  for (int key = 0; key < 3; key++) CHECK(put(&cache, key));
  CHECK(put(&cache, 3)); /* all were recent: slot 0, once the hand has passed all but the pinned row 2 */
  CHECK(!osvm_cache_has(&cache, 0) && intact(&cache, 1, ROW) && intact(&cache, 2, ROW));
  CHECK(osvm_cache_find(&cache, 1) != NULL);
  CHECK(put(&cache, 4)); /* 1 is pinned and recent, 2 is neither */
  CHECK(intact(&cache, 1, ROW) && !osvm_cache_has(&cache, 2) && intact(&cache, 3, ROW));
  osvm_cache_close(&cache);
}

/* The rows used last are never evicted, so that `together` rows are valid together, with as few slots as these. */
static void rows_are_valid_together(void) {
  for (int together = 2; together <= OSVM_TOGETHER; together += 2)
    for (int slots = together; slots < together + 4; slots++) {
      test_about("%d rows together, %d slots", together, slots);
      osvm_cache cache = opened(together, slots * ROW);
      int last[2000];
      const char *row[2000];
      for (int step = 0; step < 2000; step++) {
        const int key = last[step] = random_below(KEYS);
        if (osvm_cache_find(&cache, key) == NULL) put(&cache, key);
        row[step] = osvm_cache_row(&cache, cache.slot_of[key]);
        for (int k = step; k >= 0 && k > step - together; k--)
          CHECK(intact(&cache, last[k], ROW) && row[k] == osvm_cache_row(&cache, cache.slot_of[last[k]]));
      }
      osvm_cache_close(&cache);
    }
}

static void without_eviction_the_earliest_stay(void) {
  osvm_cache cache = opened(0, 3 * ROW);
  for (int round = 0; round < 3; round++)
    for (int key = 0; key < KEYS; key++) {
      if (round > 0) CHECK(osvm_cache_has(&cache, key) == (key < 3));
      if (osvm_cache_find(&cache, key) == NULL) CHECK(put(&cache, key) == (key < 3));
      else CHECK(intact(&cache, key, ROW));
    }
  osvm_cache_close(&cache);
}

static void dropped_rows_make_room(void) {
  osvm_cache cache = opened(0, 3 * ROW);
  for (int key = 0; key < 3; key++) CHECK(put(&cache, key));
  osvm_cache_drop(&cache, 7); /* it has none */
  CHECK(!put(&cache, 7));
  osvm_cache_drop(&cache, 1);
  osvm_cache_drop(&cache, 1);
  osvm_cache_drop(&cache, 2);
  CHECK(!osvm_cache_has(&cache, 1) && osvm_cache_find(&cache, 1) == NULL);
  CHECK(put(&cache, 7) && put(&cache, 8) && !put(&cache, 9));
  CHECK(intact(&cache, 0, ROW) && intact(&cache, 7, ROW) && intact(&cache, 8, ROW));
  osvm_cache_close(&cache);
}

static void no_room(void) {
  osvm_cache cache = opened(0, ROW - 1);
  CHECK(cache.slots == 0);
  CHECK(osvm_cache_find(&cache, 0) == NULL);
  CHECK(osvm_cache_place(&cache, 0) == NULL);
  osvm_cache_drop(&cache, 0);
  osvm_cache_close(&cache);
  CHECK(osvm_cache_open(&cache, 0, 100, 0, 0, NULL) == OSVM_OK);
  CHECK(osvm_cache_reshape(&cache, 0, 0, NULL) == OSVM_OK);
  osvm_cache_close(&cache);
}

/* Rows of changing length, more keys: what a row holds of its old length stays, the rest is 0; evicted if they must. */
static void reshaped_rows_keep_their_values(void) {
  enum { LONGEST = 40, MOST = 30 };
  for (int round = 0; round < 200; round++) {
    osvm_cache cache;
    size_t length[MOST] = {0}; /* of a key's row when placed, or the shortest it has been since */
    int keys = 4, row = 8;
    const size_t bytes = random_below(LONGEST * MOST);
    test_about("round %d", round);
    CHECK(osvm_cache_open(&cache, 2, bytes, LONGEST, MOST, NULL) == OSVM_OK);
    CHECK(osvm_cache_reshape(&cache, keys, row, NULL) == OSVM_OK);
    for (int step = 0; step < 20; step++) {
      for (int k = 0; k < 6; k++) {
        const int key = random_below(keys);
        if (random_below(4) == 0) osvm_cache_drop(&cache, key);
        else if (!osvm_cache_has(&cache, key)) length[key] = put(&cache, key) * cache.row_bytes;
      }
      const int rows = rows_in(&cache);
      keys += random_below(MOST - keys + 1) / 4;
      row = 1 + random_below(LONGEST);
      CHECK(osvm_cache_reshape(&cache, keys, row, NULL) == OSVM_OK);
      CHECK(cache.row_bytes == (size_t)row && cache.slots * (size_t)row <= cache.bytes);
      CHECK(rows_in(&cache) == (rows < cache.slots ? rows : cache.slots));
      for (int key = 0; key < keys; key++) {
        if (length[key] > (size_t)row) length[key] = row;
        if (osvm_cache_has(&cache, key)) CHECK(intact(&cache, key, length[key]));
      }
    }
    osvm_cache_close(&cache);
  }
}

/* A cache that cannot grow stays as it was. */
static void reshaping_may_fail(void) {
  osvm_cache cache;
  CHECK(osvm_cache_open(&cache, 2, 1000, 100, KEYS, NULL) == OSVM_OK);
  CHECK(osvm_cache_reshape(&cache, 4, 20, NULL) == OSVM_OK);
  for (int key = 0; key < 4; key++) CHECK(put(&cache, key));
  for (int k = 0; k < 4; k++) {
    memory_fail(k, k + 1);
    CHECK(osvm_cache_reshape(&cache, KEYS, 40, NULL) == OSVM_NO_MEMORY);
    memory_fail(-1, -1);
    for (int key = 0; key < 4; key++) CHECK(intact(&cache, key, 20));
  }
  CHECK(osvm_cache_reshape(&cache, KEYS, 40, NULL) == OSVM_OK);
  for (int key = 0; key < 4; key++) CHECK(intact(&cache, key, 20));
  CHECK(put(&cache, KEYS - 1));
  osvm_cache_close(&cache);
}

void test_cache(void) {
  RUN(the_bound_is_hard);
  RUN(clock_skips_recent_and_pinned_rows);
  RUN(rows_are_valid_together);
  RUN(without_eviction_the_earliest_stay);
  RUN(dropped_rows_make_room);
  RUN(no_room);
  RUN(reshaped_rows_keep_their_values);
  RUN(reshaping_may_fail);
}
