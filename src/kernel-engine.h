/* Kernel rows of a store's own examples: computed once for all machines, cached within a byte bound. */
#ifndef OSVM_KERNEL_ENGINE_H
#define OSVM_KERNEL_ENGINE_H

#include "kernel-gram.h"

/* ---- cache: rows of kernel values within a hard byte bound ---- */

/* LATEST: a new row takes the place of the one unused longest. EARLIEST: rows stay and later ones find no place, which is
 * what helps when the same rows come round in the same order. */
typedef enum { OSVM_KEEP_LATEST, OSVM_KEEP_EARLIEST } osvm_cache_policy;

typedef struct {
  osvm_cache_policy policy;
  size_t row_bytes;
  int keys, slots, filled;
  int *slot_of;       /* key -> slot, or -1 */
  int *key_of;        /* slot -> key */
  int *newer, *older; /* slots by last use, a ring through slot `slots` */
  void **rows;        /* slot -> row; allocated when first used */
} osvm_cache;

osvm_status osvm_cache_open(osvm_cache *cache, osvm_cache_policy policy, int keys, size_t row_bytes, size_t bytes,
                            osvm_error *error);
void *osvm_cache_find(osvm_cache *cache, int key);  /* the row, or NULL */
void *osvm_cache_place(osvm_cache *cache, int key); /* where to write the row; NULL: no place for it */
void osvm_cache_forget(osvm_cache *cache, int key);
void osvm_cache_close(osvm_cache *cache);

/* ---- engine: kernel rows of the store's own examples, each computed once for all machines that ask ---- */


typedef struct {
  osvm_kernel kernel;
  osvm_store *store;
  const osvm_window *window; /* NULL, or where rows may be found that several runs share */
  osvm_cache cache;
  int caching, base; /* base: no row is ever asked for before this place */
  void *query, *row; /* buffers: OSVM_QUERIES examples, one row ... */
  void *block;       /* ... and OSVM_QUERIES rows, each `stride` values long */
  size_t stride;
  double *work;
  const void *latest; /* the row last asked for, its example, and where it begins */
  int latest_of, latest_from;
  double evaluations; /* kernel values computed so far */
} osvm_engine;

osvm_status osvm_engine_open(osvm_engine *engine, const osvm_kernel *kernel, osvm_store *store, int base,
                             osvm_cache_policy policy, size_t cache_bytes, osvm_error *error);
const void *osvm_engine_row(osvm_engine *engine, int i,
                            int from); /* values of the store's precision, valid from `from` */
/* Rows of up to OSVM_QUERIES examples at once, valid in from .. to - 1; computed together, they cost little more than one */
void osvm_engine_rows(osvm_engine *engine, const int *who, int count, int from, int to, const void **rows);
void osvm_engine_subset(osvm_engine *engine, int i, const int *which, int count, double *out);
void osvm_engine_close(osvm_engine *engine);

#endif
