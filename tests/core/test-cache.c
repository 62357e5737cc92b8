/* The cache keeps its bound, whatever is asked of it, and gives up the right row. */
#include "test.h"

enum { ROW = 64, KEYS = 10 };

static osvm_cache opened(osvm_cache_policy policy, size_t bytes) {
  osvm_cache cache;
  CHECK(osvm_cache_open(&cache, policy, KEYS, ROW, bytes, NULL) == OSVM_OK);
  return cache;
}

/* Puts a row in, if there is a place, and marks it. */
static int put(osvm_cache *cache, int key) {
  unsigned char *row = osvm_cache_place(cache, key);
  if (row != NULL) memset(row, key + 1, ROW);
  return row != NULL;
}

static int holds(const osvm_cache *cache, int key) { return cache->slot_of[key] >= 0; }

static int intact(osvm_cache *cache, int key) {
  const unsigned char *row = osvm_cache_find(cache, key);
  for (int k = 0; k < ROW; k++)
    if (row == NULL || row[k] != key + 1) return 0;
  return 1;
}

static void the_bound_is_hard(void) {
  for (int policy = OSVM_KEEP_LATEST; policy <= OSVM_KEEP_EARLIEST; policy++) {
    for (size_t bytes = 0; bytes < (KEYS + 3) * ROW; bytes += 37) {
      test_about("policy %d, bytes %d", policy, (int)bytes);
      osvm_cache cache = opened(policy, bytes);
      const size_t before = memory.bytes;
      const int fit = (int)(bytes / ROW), want = fit < KEYS ? fit : KEYS;
      CHECK(cache.slots == want);
      for (int k = 0; k < 500; k++) {
        const int key = random_below(KEYS);
        if (random_below(5) == 0) osvm_cache_forget(&cache, key);
        else if (holds(&cache, key)) CHECK(intact(&cache, key));
        else put(&cache, key);
        int held = 0;
        for (int other = 0; other < KEYS; other++) held += holds(&cache, other);
        CHECK(held <= want);
      }
      CHECK(cache.filled == want);
      CHECK(memory.bytes - before == (size_t)want * ROW);
      osvm_cache_close(&cache);
    }
  }
}

static void the_row_unused_longest_goes(void) {
  osvm_cache cache = opened(OSVM_KEEP_LATEST, 3 * ROW + 5);
  CHECK(osvm_cache_find(&cache, 0) == NULL);
  for (int key = 0; key < 3; key++) CHECK(put(&cache, key));
  CHECK(intact(&cache, 0)); /* used last: 1, 2, 0 */
  CHECK(put(&cache, 3));    /* 2, 0, 3 */
  CHECK(!holds(&cache, 1) && holds(&cache, 2) && holds(&cache, 0));
  CHECK(intact(&cache, 2)); /* 0, 3, 2 */
  CHECK(put(&cache, 4));    /* 3, 2, 4 */
  CHECK(put(&cache, 5));    /* 2, 4, 5 */
  CHECK(!holds(&cache, 0) && !holds(&cache, 3));
  CHECK(intact(&cache, 2) && intact(&cache, 4) && intact(&cache, 5));
  osvm_cache_close(&cache);
}

/* Against a list kept in order by hand. */
static void any_use_keeps_the_order(void) {
  enum { SLOTS = 4 };
  osvm_cache cache = opened(OSVM_KEEP_LATEST, SLOTS * ROW);
  int order[SLOTS + 1], held = 0; /* oldest first */
  for (int step = 0; step < 2000; step++) {
    const int key = random_below(KEYS), forget = random_below(6) == 0;
    int at = 0;
    while (at < held && order[at] != key) at++;
    CHECK((at < held) == holds(&cache, key));
    if (at < held) {
      CHECK(intact(&cache, key));
      memmove(order + at, order + at + 1, (held - at - 1) * sizeof(int));
      held--;
    } else if (!forget) {
      CHECK(put(&cache, key));
      if (held == SLOTS) memmove(order, order + 1, --held * sizeof(int));
    }
    if (forget) osvm_cache_forget(&cache, key);
    else order[held++] = key;
    for (int k = 0; k < held; k++) CHECK(holds(&cache, order[k]));
  }
  osvm_cache_close(&cache);
}

static void the_earliest_stay(void) {
  osvm_cache cache = opened(OSVM_KEEP_EARLIEST, 3 * ROW);
  for (int round = 0; round < 3; round++)
    for (int key = 0; key < KEYS; key++) {
      if (round > 0) CHECK(holds(&cache, key) == (key < 3));
      if (!holds(&cache, key)) CHECK(put(&cache, key) == (key < 3));
      else CHECK(intact(&cache, key));
    }
  osvm_cache_close(&cache);
}

static void forgetting_makes_room(void) {
  osvm_cache cache = opened(OSVM_KEEP_EARLIEST, 3 * ROW);
  for (int key = 0; key < 3; key++) CHECK(put(&cache, key));
  osvm_cache_forget(&cache, 7); /* never there */
  CHECK(!put(&cache, 7));
  osvm_cache_forget(&cache, 1);
  osvm_cache_forget(&cache, 1);
  osvm_cache_forget(&cache, 2);
  CHECK(!holds(&cache, 1) && osvm_cache_find(&cache, 1) == NULL);
  CHECK(put(&cache, 7) && put(&cache, 8) && !put(&cache, 9));
  CHECK(intact(&cache, 0) && intact(&cache, 7) && intact(&cache, 8));
  osvm_cache_close(&cache);
}

static void no_slots(void) {
  osvm_cache cache = opened(OSVM_KEEP_LATEST, ROW - 1);
  CHECK(cache.slots == 0);
  CHECK(osvm_cache_find(&cache, 0) == NULL);
  CHECK(osvm_cache_place(&cache, 0) == NULL);
  osvm_cache_forget(&cache, 0);
  osvm_cache_close(&cache);
  CHECK(osvm_cache_open(&cache, OSVM_KEEP_LATEST, 0, 0, 100, NULL) == OSVM_OK);
  osvm_cache_close(&cache);
}

void test_cache(void) {
  RUN(the_bound_is_hard);
  RUN(the_row_unused_longest_goes);
  RUN(any_use_keeps_the_order);
  RUN(the_earliest_stay);
  RUN(forgetting_makes_room);
  RUN(no_slots);
}
