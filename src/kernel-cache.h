/* Kernel rows kept within a hard byte bound: a slab of equally long rows, each under the key of its example or slot.
 *
 * The slab is zeroed and as large as the bound allows; pages that no row has used cost nothing. CLOCK eviction; pinned
 * rows, those found or placed last, are skipped, so that `together` rows can be used together. A cache that does not
 * evict keeps the earliest rows: the most hits when rows are used in the same order again and again. */
#pragma once

#include "base.h"

enum { OSVM_TOGETHER = 4 }; /* the most rows used together: OSVM_QUERIES of simd.h */

typedef struct {
  int together;            /* 0: does not evict */
  size_t bytes, row_bytes; /* of the slab, of a row */
  int keys, slots, filled; /* filled: slots used so far, first to last */
  int free_slot;           /* head of the list of slots dropped; their key_of is -2 - the next one, -1 ends the list */
  int hand;                /* a slot */
  int pinned[OSVM_TOGETHER]; /* the slots used last, latest first, or -1; the first together - 1 are not evicted */
  int *slot_of, *key_of;     /* key -> slot, or -1; slot -> key */
  uint64_t *stamp;           /* slot -> what the user knows of the row: its length, or its generation; 0 when placed */
  unsigned char *recent;     /* slot -> used since the hand last passed */
  char *slab, *memory;       /* slab: at a cache line's beginning in memory */
} osvm_cache;

/* Room for `bytes` of rows, none of them longer than `longest` bytes, and for no more than most_rows of these; but for
 * `together` of the longest in any case. Rows have no length until osvm_cache_reshape. */
osvm_status osvm_cache_open(osvm_cache *cache, int together, size_t bytes, size_t longest, int most_rows,
                            osvm_error *error);
/* Keys 0 .. keys - 1, not fewer than before; rows of row_bytes. Rows keep what fits of them, and are 0 beyond what they
 * had; if there is no longer room for all of them, some are evicted. On failure nothing has changed. */
osvm_status osvm_cache_reshape(osvm_cache *cache, int keys, size_t row_bytes, osvm_error *error);
static inline int osvm_cache_has(const osvm_cache *cache, int key) { return cache->slot_of[key] >= 0; }
static inline char *osvm_cache_row(const osvm_cache *cache, int slot) { return cache->slab + slot * cache->row_bytes; }
/* Of a key that has a row */
static inline uint64_t *osvm_cache_stamp(const osvm_cache *cache, int key) {
  return &cache->stamp[cache->slot_of[key]];
}
char *osvm_cache_find(osvm_cache *cache, int key); /* the row, pinned; or NULL */
char *osvm_cache_place(osvm_cache *cache,
                       int key);                  /* where to write the row of a key without one, pinned; NULL: full */
void osvm_cache_drop(osvm_cache *cache, int key); /* its row, if it has one */
/* The row of key former[k] gets key k, k < count; all keys that have rows are among these. */
void osvm_cache_rename(osvm_cache *cache, const int *former, int count);
void osvm_cache_close(osvm_cache *cache);
