/* Outputs of machines on held-out examples: kernel values with their support vectors, OSVM_QUERIES examples at a time.
 * Runs that visit the examples together find these rows in their window instead (tune-batch.c). */
#include <stdlib.h>
#include <string.h>

#include "tune-internal.h"

/* The support vectors of a finished machine, packed, with their coefficients */
typedef struct {
  osvm_store store;
  osvm_rows rows;
  double *coef;
  char *values; /* OSVM_QUERIES rows of `stride` */
  size_t stride;
} holdout;

static osvm_status pack(holdout *h, const osvm_kernel *kernel, const osvm_store *whole, const double *coef,
                        osvm_error *error) {
  memset(h, 0, sizeof *h);
  int count = 0;
  for (int i = 0; i < whole->n; i++) count += coef[i] != 0;
  h->stride = (size_t)count + whole->width;
  h->coef = malloc(((size_t)count + 1) * sizeof(double));
  h->values = calloc(h->stride * OSVM_QUERIES, whole->simd->size);
  if (h->coef == NULL || h->values == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_store_open(&h->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, count, error));
  for (int i = 0, k = 0; i < whole->n; i++) {
    if (coef[i] == 0) continue;
    h->coef[k] = coef[i];
    OSVM_TRY(osvm_store_put(&h->store, k++, whole, i, error));
  }
  OSVM_TRY(osvm_store_index(&h->store, error));
  return osvm_rows_open(&h->rows, kernel, &h->store, OSVM_BLOCK_ROUNDING, error);
}

static void release(holdout *h) {
  osvm_store_close(&h->store);
  osvm_rows_close(&h->rows);
  free(h->coef);
  free(h->values);
}

static void evaluate(holdout *h, const osvm_store *whole, const int *examples, int count, double intercept,
                     double *outputs) {
  const osvm_simd *simd = whole->simd;
  osvm_rows_load(&h->rows, whole, examples, count);
  osvm_rows_compute(&h->rows, 0, h->store.n, h->values, h->stride);
  for (int q = 0; q < count; q++)
    outputs[examples[q]] = intercept + simd->weigh(h->values + q * h->stride * simd->size, h->store.n, h->coef);
}

osvm_status osvm_holdout_outputs(const osvm_tuning *t, const osvm_run *run, int fold, const double *coef,
                                 double intercept, double *outputs, osvm_error *error) {
  const int *held = t->grid->fold;
  if (t->primal) {
    for (int i = 0; i < t->n; i++)
      if (held[i] == fold) outputs[i] = osvm_store_weigh(&t->store, i, coef) + intercept;
    return OSVM_OK;
  }
  holdout h;
  const osvm_status status = pack(&h, &run->kernel, &run->store, coef, error);
  int examples[OSVM_QUERIES] = {0}, count = 0;
  for (int i = 0; i < t->n && status == OSVM_OK; i++) {
    if (held[i] == fold) examples[count++] = i;
    if (count < OSVM_QUERIES) continue;
    evaluate(&h, &t->store, examples, count, intercept, outputs);
    count = 0;
  }
  if (status == OSVM_OK) evaluate(&h, &t->store, examples, count, intercept, outputs);
  release(&h);
  return status;
}
