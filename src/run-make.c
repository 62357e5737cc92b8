/* Support vectors that are not examples (merged by a budget, or made by a solver): places behind the examples of the
 * store. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

static osvm_status append_zeros(osvm_store *store, int count, osvm_error *error) {
  const size_t values = store->sparse ? 1 : (size_t)count * store->d;
  double *x = calloc(values + 1, sizeof(double));
  int *start = calloc((size_t)store->d + 1, sizeof(int));
  const osvm_data zeros = {.kind = store->sparse ? OSVM_SPARSE : OSVM_DOUBLES,
                           .n = count,
                           .d = store->d,
                           .x = x,
                           .start = start,
                           .row = start};
  const osvm_status status =
      x != NULL && start != NULL ? osvm_store_append(store, &zeros, NULL, count, error) : osvm_no_memory(error);
  free(x);
  free(start);
  return status;
}

osvm_status osvm_run_reserve(osvm_run *run) {
  struct osvm_driver *d = run->driver;
  const int count =
      osvm_solver_reserve(run->solver, run->params, &run->kernel, run->machines, run->first, run->store.n - run->first);
  run->made = run->store.n;
  if (count == 0) return OSVM_OK;
  if (d->borrowed)
    return osvm_fail(run->context.error, OSVM_INVALID, "a solver that makes vectors needs a store of its own");
  d->vector = malloc((size_t)run->store.d * run->store.simd->size + 1);
  if (d->vector == NULL) return osvm_no_memory(run->context.error);
  return append_zeros(&run->store, count, run->context.error);
}

/* A matrix of one example. Of a sparse one: start, d + 1 values, and nonzero, d values, are written; row is all 0 */
static osvm_data view_of(const osvm_store *store, const double *x, int *start, const int *row, double *nonzero) {
  if (!store->sparse) return (osvm_data){.kind = OSVM_DOUBLES, .n = 1, .d = store->d, .x = x};
  int count = 0;
  for (int f = 0; f < store->d; f++) {
    start[f] = count;
    if (x[f] != 0) nonzero[count++] = x[f];
  }
  start[store->d] = count;
  return (osvm_data){.kind = OSVM_SPARSE, .n = 1, .d = store->d, .x = nonzero, .start = start, .row = row};
}

static osvm_status put(osvm_store *store, int i, const osvm_data *view, osvm_store *one, osvm_error *error) {
  OSVM_TRY(osvm_store_open(one, store->simd, OSVM_ROWS, store->sparse, store->d, 1, error));
  OSVM_TRY(osvm_store_append(one, view, NULL, 1, error));
  return osvm_store_put(store, i, one, 0, error);
}

static osvm_status replace(osvm_store *store, int i, const double *x, osvm_error *error) {
  osvm_store one = {0};
  const size_t d = store->d;
  int *start = calloc(2 * d + 1, sizeof(int));
  double *nonzero = malloc((d + 1) * sizeof(double));
  osvm_status status;
  if (start == NULL || nonzero == NULL) {
    status = osvm_no_memory(error);
  } else {
    const osvm_data view = view_of(store, x, start, start + d + 1, nonzero);
    status = put(store, i, &view, &one, error);
  }
  osvm_store_close(&one);
  free(start);
  free(nonzero);
  return status;
}

/* Pending changes refer to the old vector and cached rows hold its kernel values: flushed, and dropped. */
osvm_status osvm_run_make(osvm_run *run, int i, const double *x) {
  struct osvm_driver *d = run->driver;
  if (d->lazy.output != NULL) osvm_lazy_outputs_flush(&d->lazy);
  OSVM_TRY(replace(&run->store, i, x, run->context.error));
  osvm_engine_drop_rows(&d->engine);
  return OSVM_OK;
}

void osvm_run_values(osvm_run *run, int i, double *x) {
  const osvm_store *store = &run->store;
  const osvm_query query = osvm_store_query(store, i, run->driver->vector);
  if (store->sparse) {
    memset(x, 0, store->d * sizeof(double));
    for (int k = 0; k < query.length; k++) x[query.column[k]] = osvm_real(store->simd, query.value, k);
  } else {
    for (int f = 0; f < store->d; f++) x[f] = osvm_real(store->simd, query.dense, f);
  }
}

osvm_status osvm_run_place_merged(osvm_run *run) {
  const osvm_shared_sv *shared = &run->driver->shared;
  for (int s = 0; run->driver->budget.limit > 0 && s < shared->count; s++)
    if (shared->example[s] >= run->made)
      OSVM_TRY(osvm_store_put(&run->store, shared->example[s], &shared->store, s, run->context.error));
  return OSVM_OK;
}

void osvm_run_export_made(osvm_run *run, double *made) {
  const osvm_data *data = run->driver->task->data;
  const int count = run->store.n - run->made, d = run->store.d;
  double *x = made + (size_t)count * d;
  for (int k = 0; k < count; k++) {
    osvm_run_values(run, run->made + k, x);
    for (int f = 0; f < d; f++)
      made[(size_t)f * count + k] = x[f] * (data->scale ? data->scale[f] : 1) + (data->centre ? data->centre[f] : 0);
  }
}
