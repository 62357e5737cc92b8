/* Rows of the store against itself: the one asked for last stays at hand for the next machine, the cache holds others. */
#include <stdlib.h>
#include <string.h>

#include "kernel-engine.h"

/* Up to here computing a dense row is as quick as reading it back from memory. */
enum { CHEAP_FEATURES = 8 };

osvm_status osvm_engine_open(osvm_engine *engine, const osvm_kernel *kernel, osvm_store *store, int base,
                             osvm_cache_policy policy, size_t cache_bytes, osvm_error *error) {
  memset(engine, 0, sizeof *engine);
  engine->kernel = *kernel;
  engine->store = store;
  engine->base = base;
  engine->latest_of = -1;
  const size_t size = store->simd->size, padded = (size_t)store->n + store->width;
  engine->stride = padded;
  engine->query = calloc((size_t)store->d * OSVM_QUERIES + 1, size);
  engine->row = calloc(padded, size);
  engine->block = calloc(padded * OSVM_QUERIES, size);
  if (store->sparse) engine->work = calloc(padded, sizeof(double));
  if (!engine->query || !engine->row || !engine->block || (store->sparse && !engine->work)) {
    osvm_engine_close(engine);
    return osvm_no_memory(error);
  }
  engine->caching = store->sparse || store->d > CHEAP_FEATURES;
  osvm_status status = OSVM_OK;
  if (engine->caching) status = osvm_cache_open(&engine->cache, policy, store->n, padded * size, cache_bytes, error);
  if (status == OSVM_OK) status = osvm_store_index(store, error);
  if (status != OSVM_OK) osvm_engine_close(engine);
  return status;
}

const void *osvm_engine_row(osvm_engine *engine, int i, int from) {
  if (engine->latest_of == i && engine->latest_from <= from) return engine->latest;
  const void *shared = osvm_window_row(engine->window, i);
  if (shared != NULL) return shared;
  const int n = engine->store->n;
  void *row = engine->caching ? osvm_cache_find(&engine->cache, i) : NULL;
  int begin = engine->base;
  if (row == NULL) {
    /* Only a complete row of an example that will be visited is worth keeping. */
    row = engine->caching && i >= begin && from <= begin ? osvm_cache_place(&engine->cache, i) : NULL;
    if (row == NULL) {
      row = engine->row;
      begin = from;
    }
    const osvm_query query = osvm_store_query(engine->store, i, engine->query);
    osvm_kernel_row(&engine->kernel, engine->store, &query, begin, n, engine->work, row);
    engine->evaluations += n - begin;
  }
  engine->latest = row;
  engine->latest_of = i;
  engine->latest_from = begin;
  return row;
}

/* Rows of examples who[0 .. count - 1] into the block, from .. to - 1. */
static void compute_block(osvm_engine *engine, const int *who, int count, int from, int to) {
  const osvm_store *store = engine->store;
  const size_t size = store->simd->size, row_bytes = engine->stride * size;
  char *block = engine->block, *queries = engine->query;
  engine->evaluations += (double)count * (to - from);
  if (store->sparse || count == 1) {
    for (int q = 0; q < count; q++) {
      const osvm_query query = osvm_store_query(store, who[q], queries);
      osvm_kernel_row(&engine->kernel, store, &query, from, to, engine->work, block + q * row_bytes);
    }
    return;
  }
  double norms[OSVM_QUERIES] = {0};
  for (int q = 0; q < count; q++)
    norms[q] = osvm_store_query(store, who[q], queries + (size_t)q * store->d * size).norm;
  const int first = from / store->width, end = (to + store->width - 1) / store->width;
  osvm_kernel_block(&engine->kernel, store, queries, norms, first, end - first,
                    block + (size_t)first * store->width * size, engine->stride);
}

void osvm_engine_rows(osvm_engine *engine, const int *who, int count, int from, int to, const void **rows) {
  const size_t size = engine->store->simd->size;
  int missing[OSVM_QUERIES], place[OSVM_QUERIES], lacking = 0;
  for (int q = 0; q < count; q++) {
    rows[q] = osvm_window_row(engine->window, who[q]);
    if (rows[q] == NULL && engine->caching) rows[q] = osvm_cache_find(&engine->cache, who[q]);
    if (rows[q] != NULL) continue;
    place[lacking] = q;
    missing[lacking++] = who[q];
  }
  if (lacking == 0) return;
  compute_block(engine, missing, lacking, from, to);
  /* A row found above must not lose its slot to one placed now. */
  const int complete = from <= engine->base && to >= engine->store->n;
  const int keep = engine->caching && complete && engine->cache.slots >= 2 * OSVM_QUERIES;
  for (int k = 0; k < lacking; k++) {
    const char *computed = (const char *)engine->block + k * engine->stride * size;
    void *kept = keep && missing[k] >= engine->base ? osvm_cache_place(&engine->cache, missing[k]) : NULL;
    if (kept != NULL && kept == engine->latest) engine->latest_of = -1;
    if (kept != NULL) memcpy((char *)kept + from * size, computed + from * size, (to - from) * size);
    rows[place[k]] = kept != NULL ? kept : computed;
  }
}

/* One example against chosen others. A panel is the smallest piece a dense row can be computed in. */
void osvm_engine_subset(osvm_engine *engine, int i, const int *which, int count, double *out) {
  const osvm_store *store = engine->store;
  const void *shared = osvm_window_row(engine->window, i);
  if (shared != NULL) {
    for (int k = 0; k < count; k++) out[k] = osvm_real(store->simd, shared, which[k]);
    return;
  }
  const osvm_query query = osvm_store_query(store, i, engine->query);
  if (engine->latest == engine->row) engine->latest_of = -1; /* its buffer is about to be written over */
  for (int k = 0; k < count; k++) {
    const int j = which[k];
    osvm_kernel_row(&engine->kernel, store, &query, j, j + 1, engine->work, engine->row);
    out[k] = osvm_real(store->simd, engine->row, j);
  }
  engine->evaluations += count;
}

void osvm_engine_close(osvm_engine *engine) {
  if (engine->caching) osvm_cache_close(&engine->cache);
  free(engine->query);
  free(engine->row);
  free(engine->block);
  free(engine->work);
  memset(engine, 0, sizeof *engine);
}
