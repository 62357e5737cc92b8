/* Rows of the store against itself: the one asked for last stays at hand for the next machine, the cache holds others. */
#include <stdlib.h>
#include <string.h>

#include "osvm.h"

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
  engine->query = calloc((size_t)store->d + 1, size);
  engine->row = calloc(padded, size);
  if (store->sparse) engine->work = calloc(padded, sizeof(double));
  if (!engine->query || !engine->row || (store->sparse && !engine->work)) {
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
  const int n = engine->store->n;
  void *row = engine->caching ? osvm_cache_find(&engine->cache, i) : NULL;
  int begin = engine->base;
  if (row == NULL) {
    /* Only a row that is complete is worth keeping. */
    row = engine->caching && from <= begin ? osvm_cache_place(&engine->cache, i) : NULL;
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

double osvm_engine_value(osvm_engine *engine, int i, int j) {
  double value;
  osvm_engine_subset(engine, i, &j, 1, &value);
  return value;
}

/* One example against chosen others. A panel is the smallest piece a dense row can be computed in. */
void osvm_engine_subset(osvm_engine *engine, int i, const int *which, int count, double *out) {
  const osvm_store *store = engine->store;
  const int single = store->simd->size == sizeof(float);
  const osvm_query query = osvm_store_query(store, i, engine->query);
  if (engine->latest == engine->row) engine->latest_of = -1; /* its buffer is about to be written over */
  for (int k = 0; k < count; k++) {
    const int j = which[k];
    osvm_kernel_row(&engine->kernel, store, &query, j, j + 1, engine->work, engine->row);
    out[k] = single ? ((const float *)engine->row)[j] : ((const double *)engine->row)[j];
  }
  engine->evaluations += count;
}

void osvm_engine_close(osvm_engine *engine) {
  if (engine->caching) osvm_cache_close(&engine->cache);
  free(engine->query);
  free(engine->row);
  free(engine->work);
  memset(engine, 0, sizeof *engine);
}
