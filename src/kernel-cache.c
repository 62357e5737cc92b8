/* Rows in a ring ordered by last use. Slot `slots` is the ring's anchor: older[anchor] is the row used last,
 * newer[anchor] the one unused longest. */
#include <stdlib.h>
#include <string.h>

#include "kernel-engine.h"

osvm_status osvm_cache_open(osvm_cache *cache, osvm_cache_policy policy, int keys, size_t row_bytes, size_t bytes,
                            osvm_error *error) {
  memset(cache, 0, sizeof *cache);
  const size_t fit = row_bytes > 0 ? bytes / row_bytes : 0;
  cache->policy = policy;
  cache->row_bytes = row_bytes;
  cache->keys = keys;
  cache->slots = fit < (size_t)keys ? (int)fit : keys;
  const size_t ring = (size_t)cache->slots + 1;
  cache->slot_of = malloc(sizeof(int) * (keys > 0 ? (size_t)keys : 1));
  cache->key_of = malloc(sizeof(int) * ring);
  cache->newer = malloc(sizeof(int) * ring);
  cache->older = malloc(sizeof(int) * ring);
  cache->rows = calloc(ring, sizeof(void *));
  if (!cache->slot_of || !cache->key_of || !cache->newer || !cache->older || !cache->rows) {
    osvm_cache_close(cache);
    return osvm_no_memory(error);
  }
  for (int k = 0; k < keys; k++) cache->slot_of[k] = -1;
  cache->newer[cache->slots] = cache->older[cache->slots] = cache->slots;
  return OSVM_OK;
}

static void unlink_slot(osvm_cache *cache, int slot) {
  cache->newer[cache->older[slot]] = cache->newer[slot];
  cache->older[cache->newer[slot]] = cache->older[slot];
}

static void link_newest(osvm_cache *cache, int slot) {
  const int anchor = cache->slots, newest = cache->older[anchor];
  cache->older[slot] = newest;
  cache->newer[newest] = slot;
  cache->newer[slot] = anchor;
  cache->older[anchor] = slot;
}

static void link_oldest(osvm_cache *cache, int slot) {
  const int anchor = cache->slots, oldest = cache->newer[anchor];
  cache->newer[slot] = oldest;
  cache->older[oldest] = slot;
  cache->older[slot] = anchor;
  cache->newer[anchor] = slot;
}

void *osvm_cache_find(osvm_cache *cache, int key) {
  const int slot = cache->slot_of[key];
  if (slot < 0) return NULL;
  unlink_slot(cache, slot);
  link_newest(cache, slot);
  return cache->rows[slot];
}

void *osvm_cache_place(osvm_cache *cache, int key) {
  if (cache->slots == 0) return NULL;
  int slot;
  if (cache->filled < cache->slots) {
    slot = cache->filled;
    cache->rows[slot] = malloc(cache->row_bytes);
    if (cache->rows[slot] == NULL) return NULL; /* a cache that cannot grow is still a cache */
    cache->filled++;
  } else {
    slot = cache->newer[cache->slots];
    const int owner = cache->key_of[slot];
    if (cache->policy == OSVM_KEEP_EARLIEST && owner >= 0) return NULL;
    unlink_slot(cache, slot);
    if (owner >= 0) cache->slot_of[owner] = -1;
  }
  cache->key_of[slot] = key;
  cache->slot_of[key] = slot;
  link_newest(cache, slot);
  return cache->rows[slot];
}

void osvm_cache_forget(osvm_cache *cache, int key) {
  const int slot = cache->slot_of[key];
  if (slot < 0) return;
  cache->slot_of[key] = -1;
  cache->key_of[slot] = -1;
  unlink_slot(cache, slot);
  link_oldest(cache, slot);
}

void osvm_cache_close(osvm_cache *cache) {
  for (int s = 0; s < cache->filled; s++) free(cache->rows[s]);
  free(cache->rows);
  free(cache->slot_of);
  free(cache->key_of);
  free(cache->newer);
  free(cache->older);
  memset(cache, 0, sizeof *cache);
}
