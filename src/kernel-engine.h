/* Kernel rows of a store's own examples, each computed once for all machines: the latest row is kept, others are cached
 * within a byte bound or shared between runs. */
#pragma once

#include "kernel-cache.h"
#include "kernel-gram.h"

typedef struct {
  osvm_rows rows;
  const osvm_window *window; /* NULL, or rows that several runs share */
  osvm_cache cache;          /* does not evict: visits come round in the same order */
  int caching, base;         /* base: columns before this one are never used */
  char *block;               /* OSVM_QUERIES rows, `stride` values each */
  size_t stride;
  const void *latest; /* the row of the latest osvm_engine_row, and its example, or -1 */
  int latest_of;
} osvm_engine;

/* store is not copied, and gets its index if it is sparse. evaluations: see kernel-rows.h */
osvm_status osvm_engine_open(osvm_engine *engine, const osvm_kernel *kernel, osvm_store *store, int base,
                             size_t cache_bytes, double *evaluations, osvm_error *error);
/* Values of the store's precision, valid from column `base` on, until the next call of any of these */
const void *osvm_engine_row(osvm_engine *engine, int i);
/* Rows of up to OSVM_QUERIES examples, valid in from .. to - 1; computed together, they cost little more than one */
void osvm_engine_rows(osvm_engine *engine, const int *examples, int count, int from, int to, const void **rows);
/* Kernel values of example i with `count` others */
void osvm_engine_values(osvm_engine *engine, int i, const int *examples, int count, double *out);
void osvm_engine_close(osvm_engine *engine);
