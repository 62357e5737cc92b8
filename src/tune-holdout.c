/* Hold-out outputs: the machines of a run on the examples that its fold holds out. Kernel values with all their support
 * vectors are computed for OSVM_QUERIES examples at a time. Runs that visit the examples together find these rows in
 * their window instead (tune-batch.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune-internal.h"

osvm_status osvm_holdout_open(osvm_model *model, osvm_run *run, osvm_error *error) {
  const size_t values = (size_t)osvm_run_size(run) * run->machines;
  *model = (osvm_model){.size = osvm_run_size(run), .machines = run->machines};
  model->coef = malloc((values + 1) * sizeof(double));
  model->intercept = malloc(((size_t)run->machines + 1) * sizeof(double));
  if (model->coef == NULL || model->intercept == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_run_result(run, model->coef, model->intercept));
  const double least = run->driver->primal ? -1 : osvm_negligible(model->coef, values);
  for (size_t k = 0; k < values; k++)
    if (fabs(model->coef[k]) <= least) model->coef[k] = 0;
  return OSVM_OK;
}

void osvm_holdout_close(osvm_model *model) {
  free(model->coef);
  free(model->intercept);
  memset(model, 0, sizeof *model);
}

int osvm_holdout_support(const osvm_model *model, unsigned char *marked) {
  int found = 0;
  for (int m = 0; m < model->machines; m++)
    found += osvm_mark_support(model->coef + (size_t)m * model->size, model->size, 0, marked);
  return found;
}

/* Machine by machine: its coefficients stay in the first-level cache. */
void osvm_holdout_put(const osvm_tuning *t, const osvm_model *model, const int *examples, const void *const *rows,
                      int count, double *outputs) {
  for (int m = 0; m < model->machines; m++) {
    const double *coef = model->coef + (size_t)m * model->size;
    for (int q = 0; q < count; q++) {
      const double sum =
          t->primal ? osvm_store_weigh(&t->store, examples[q], coef) : t->store.simd->weigh(rows[q], model->size, coef);
      outputs[(size_t)m * t->n + examples[q]] = sum + model->intercept[m];
    }
  }
}

/* ---- kernel rows of support vectors ---- */

/* The support vectors of any machine, packed, with their coefficients */
typedef struct {
  osvm_model model;
  osvm_store store;
  osvm_rows rows;
  char *values; /* OSVM_QUERIES rows of `stride` */
  size_t stride;
} packed;

static osvm_status pack_marked(packed *p, const osvm_run *run, const osvm_model *model, const unsigned char *marked,
                               osvm_error *error) {
  const osvm_store *whole = &run->store;
  const int count = p->model.size;
  p->stride = (size_t)count + whole->width;
  p->model.coef = malloc(((size_t)count * model->machines + 1) * sizeof(double));
  p->values = calloc(p->stride * OSVM_QUERIES, whole->simd->size);
  if (p->model.coef == NULL || p->values == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_store_open(&p->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, count, error));
  for (int i = 0, k = 0; i < model->size; i++) {
    if (!marked[i]) continue;
    for (int m = 0; m < model->machines; m++)
      p->model.coef[(size_t)m * count + k] = model->coef[(size_t)m * model->size + i];
    OSVM_TRY(osvm_store_put(&p->store, k++, whole, i, error));
  }
  OSVM_TRY(osvm_store_index(&p->store, error));
  return osvm_rows_open(&p->rows, &run->kernel, &p->store, OSVM_BLOCK_ROUNDING, error);
}

static osvm_status pack(packed *p, const osvm_run *run, const osvm_model *model, osvm_error *error) {
  unsigned char *marked = calloc((size_t)model->size + 1, 1);
  if (marked == NULL) return osvm_no_memory(error);
  p->model = (osvm_model){.size = osvm_holdout_support(model, marked), .machines = model->machines};
  p->model.intercept = model->intercept;
  const osvm_status status = pack_marked(p, run, model, marked, error);
  free(marked);
  return status;
}

static void release(packed *p) {
  osvm_store_close(&p->store);
  osvm_rows_close(&p->rows);
  free(p->model.coef);
  free(p->values);
}

static void put_group(const osvm_tuning *t, packed *p, const int *examples, int count, double *outputs) {
  const void *rows[OSVM_QUERIES];
  for (int q = 0; q < count; q++) rows[q] = p->values + q * p->stride * t->store.simd->size;
  osvm_rows_load(&p->rows, &t->store, examples, count);
  osvm_rows_compute(&p->rows, 0, p->store.n, p->values, p->stride);
  osvm_holdout_put(t, &p->model, examples, rows, count, outputs);
}

osvm_status osvm_holdout_outputs(const osvm_tuning *t, const osvm_run *run, const osvm_model *model, int fold,
                                 double *outputs, osvm_error *error) {
  packed p = {0};
  const osvm_status status = t->primal ? OSVM_OK : pack(&p, run, model, error);
  int examples[OSVM_QUERIES] = {0}, count = 0;
  for (int i = 0; i < t->n && status == OSVM_OK; i++) {
    if (osvm_grid_wants(t->grid, i, fold)) examples[count++] = i;
    if (count < OSVM_QUERIES && i + 1 < t->n) continue;
    if (t->primal) osvm_holdout_put(t, model, examples, NULL, count, outputs);
    else if (count > 0) put_group(t, &p, examples, count, outputs);
    count = 0;
  }
  release(&p);
  return status;
}
