/* See kernel-engine.h. */
#include "kernel-engine.h"

#include <stdlib.h>
#include <string.h>

/* Up to here computing a dense row is as quick as reading it back from memory. */
enum { CHEAP_FEATURES = 8 };

static size_t value_size(const osvm_engine *engine) { return engine->rows.store->simd->size; }

static osvm_status open_parts(osvm_engine *engine, const osvm_kernel *kernel, osvm_store *store, size_t cache_bytes,
                              osvm_error *error) {
  const size_t size = store->simd->size;
  OSVM_TRY(osvm_rows_open(&engine->rows, kernel, store, OSVM_MIXED_ROUNDING, error));
  engine->block = calloc(engine->stride * OSVM_QUERIES, size);
  if (engine->block == NULL) return osvm_no_memory(error);
  engine->caching = store->sparse || store->d > CHEAP_FEATURES;
  if (engine->caching) {
    OSVM_TRY(osvm_cache_open(&engine->cache, 0, cache_bytes, engine->stride * size, store->n - engine->base, error));
    OSVM_TRY(osvm_cache_reshape(&engine->cache, store->n, engine->stride * size, error));
  }
  return osvm_store_index(store, error);
}

osvm_status osvm_engine_open(osvm_engine *engine, const osvm_kernel *kernel, osvm_store *store, int base,
                             size_t cache_bytes, double *evaluations, osvm_error *error) {
  memset(engine, 0, sizeof *engine);
  engine->base = base;
  engine->stride = (size_t)store->n + store->width;
  engine->latest_of = -1;
  const osvm_status status = open_parts(engine, kernel, store, cache_bytes, error);
  if (status != OSVM_OK) osvm_engine_close(engine);
  engine->rows.evaluations = evaluations;
  return status;
}

/* A row is cached if it is complete and its example will be visited again. */
void osvm_engine_rows(osvm_engine *engine, const int *examples, int count, int from, int to, const void **rows) {
  const size_t size = value_size(engine);
  const int n = engine->rows.store->n, width = engine->rows.store->width;
  int missing[OSVM_QUERIES] = {0}, place[OSVM_QUERIES], lacking = 0;
  for (int q = 0; q < count; q++) {
    rows[q] = osvm_window_row(engine->window, examples[q]);
    if (rows[q] == NULL && engine->caching) rows[q] = osvm_cache_find(&engine->cache, examples[q]);
    if (rows[q] != NULL) continue;
    place[lacking] = q;
    missing[lacking++] = examples[q];
  }
  if (lacking == 0) return;
  if (engine->latest == engine->block) engine->latest_of = -1;
  osvm_rows_load(&engine->rows, engine->rows.store, missing, lacking);
  osvm_rows_compute(&engine->rows, from, to, engine->block + (size_t)(from / width * width) * size, engine->stride);
  const int complete = engine->caching && from <= engine->base && to >= n;
  for (int k = 0; k < lacking; k++) {
    char *computed = engine->block + k * engine->stride * size, *kept = NULL;
    if (complete && missing[k] >= engine->base) kept = osvm_cache_place(&engine->cache, missing[k]);
    if (kept != NULL) memcpy(kept + from * size, computed + from * size, (to - from) * size);
    rows[place[k]] = kept != NULL ? kept : computed;
  }
}

const void *osvm_engine_row(osvm_engine *engine, int i) {
  const void *row = osvm_window_row(engine->window, i);
  if (row != NULL) return row;
  if (engine->latest_of == i) return engine->latest;
  osvm_engine_rows(engine, &i, 1, engine->base, engine->rows.store->n, &row);
  engine->latest = row;
  engine->latest_of = i;
  return row;
}

void osvm_engine_values(osvm_engine *engine, int i, const int *examples, int count, double *out) {
  const osvm_store *store = engine->rows.store;
  const void *row = osvm_window_row(engine->window, i);
  if (row == NULL) {
    if (engine->latest == engine->block) engine->latest_of = -1;
    osvm_rows_values(&engine->rows, store, i, examples, count, engine->block);
    row = engine->block;
  }
  for (int k = 0; k < count; k++) out[k] = osvm_real(store->simd, row, examples[k]);
}

void osvm_engine_close(osvm_engine *engine) {
  osvm_cache_close(&engine->cache);
  osvm_rows_close(&engine->rows);
  free(engine->block);
  memset(engine, 0, sizeof *engine);
}
