/* What machines say of the examples they have not learned: kernel values with their support vectors, four examples at a
 * time. Whoever walks in lockstep has the rows at hand anyway (tune-batch.c). */
#include <stdlib.h>
#include <string.h>

#include "tune-internal.h"

/* The support vectors of a finished machine, packed, with their coefficients. */
typedef struct {
  osvm_store store;
  double *coef, *work;
  char *queries, *values; /* OSVM_QUERIES of each */
  size_t stride;
} jury;

static osvm_status swear_in(jury *j, const osvm_store *whole, const double *coef, osvm_error *error) {
  memset(j, 0, sizeof *j);
  int count = 0;
  for (int i = 0; i < whole->n; i++) count += coef[i] != 0;
  j->stride = (size_t)count + whole->width;
  j->coef = malloc(((size_t)count + 1) * sizeof(double));
  j->work = calloc(j->stride, sizeof(double));
  j->queries = calloc((size_t)whole->d * OSVM_QUERIES + 1, whole->simd->size);
  j->values = calloc(j->stride * OSVM_QUERIES, whole->simd->size);
  if (!j->coef || !j->work || !j->queries || !j->values) return osvm_no_memory(error);
  osvm_status status = osvm_store_open(&j->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, count, error);
  for (int i = 0, k = 0; i < whole->n && status == OSVM_OK; i++) {
    if (coef[i] == 0) continue;
    j->coef[k] = coef[i];
    status = osvm_store_put(&j->store, k++, whole, i, error);
  }
  return status == OSVM_OK ? osvm_store_index(&j->store, error) : status;
}

static void dismiss(jury *j) {
  osvm_store_close(&j->store);
  free(j->coef);
  free(j->work);
  free(j->queries);
  free(j->values);
}

/* Kernel values of up to OSVM_QUERIES examples of `whole` with the support vectors, `stride` apart. */
static void summon(jury *j, const osvm_kernel *kernel, const osvm_store *whole, const int *who, int count) {
  const osvm_store *sv = &j->store;
  const size_t size = sv->simd->size;
  if (sv->sparse) {
    for (int q = 0; q < count; q++) {
      const osvm_query query = osvm_store_query(whole, who[q], NULL);
      osvm_kernel_row(kernel, sv, &query, 0, sv->n, j->work, j->values + q * j->stride * size);
    }
    return;
  }
  const int panels = (sv->n + sv->width - 1) / sv->width;
  double norms[OSVM_QUERIES] = {0};
  for (int q = 0; q < count; q++)
    norms[q] = osvm_store_query(whole, who[q], j->queries + (size_t)q * whole->d * size).norm;
  osvm_kernel_block(kernel, sv, j->queries, norms, 0, panels, j->values, j->stride);
}

osvm_status osvm_holdout_outputs(const osvm_tuning *w, const osvm_kernel *kernel, int fold, const double *coef,
                                 double intercept, double *outputs, osvm_error *error) {
  const int *held = w->grid->fold;
  if (w->primal) {
    for (int i = 0; i < w->n; i++)
      if (held[i] == fold) outputs[i] = osvm_store_weigh(&w->store, i, coef) + intercept;
    return OSVM_OK;
  }
  jury j;
  osvm_status status = swear_in(&j, &w->store, coef, error);
  int who[OSVM_QUERIES], count = 0;
  for (int i = 0; i <= w->n && status == OSVM_OK; i++) {
    if (i < w->n && held[i] == fold) who[count++] = i;
    if (count < OSVM_QUERIES && (i < w->n || count == 0)) continue;
    summon(&j, kernel, &w->store, who, count);
    for (int q = 0; q < count; q++)
      outputs[who[q]] =
          intercept + w->store.simd->weigh(j.values + q * j.stride * w->store.simd->size, j.store.n, j.coef);
    count = 0;
  }
  dismiss(&j);
  return status;
}
