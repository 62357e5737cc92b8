/* The merged vectors of a budget are not examples: they have places behind these in the run's store. */
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
  const int count = osvm_solver_reserve(run->solver, run->params, &run->kernel, run->first, run->store.n - run->first);
  run->end = run->store.n;
  if (count == 0) return OSVM_OK;
  if (run->driver->task->store != NULL)
    return osvm_fail(run->context.error, OSVM_INVALID, "a run that merges vectors needs a store of its own");
  return append_zeros(&run->store, count, run->context.error);
}

osvm_status osvm_run_place_merged(osvm_run *run) {
  const osvm_shared_sv *shared = &run->driver->shared;
  for (int s = 0; run->driver->budget.limit > 0 && s < shared->count; s++)
    if (shared->example[s] >= run->end)
      OSVM_TRY(osvm_store_put(&run->store, shared->example[s], &shared->store, s, run->context.error));
  return OSVM_OK;
}

/* x of which z = (w(x) - centre) / scale, in columns */
void osvm_run_export_merged(const osvm_run *run, double *merged) {
  const osvm_data *data = run->driver->task->data;
  const osvm_store *store = &run->store;
  const size_t count = store->n - run->end;
  memset(merged, 0, count * store->d * sizeof(double));
  for (size_t k = 0; k < count; k++) {
    const osvm_query z = osvm_store_query(store, run->end + (int)k, NULL);
    for (int j = 0; j < z.length; j++) {
      const int f = store->sparse ? z.column[j] : j;
      const double value = store->sparse ? osvm_real(store->simd, z.value, j)
                                         : osvm_real(store->simd, z.dense, (size_t)j * store->width);
      merged[f * count + k] = value * (data->scale ? data->scale[f] : 1) + (data->centre ? data->centre[f] : 0);
    }
  }
  for (int f = 0; f < store->d && count > 0; f++) osvm_warp_invert(&data->warp, f, merged + f * count, (int)count);
}
