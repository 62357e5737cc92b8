/* Hold-out outputs: the machines of a run on the examples that its fold holds out. Runs that visit the examples together
 * find kernel rows of all examples in their window (tune-batch.c); a path computes those of the support vectors of any
 * of its grid points, once for all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sv-predict.h"
#include "tune-internal.h"

osvm_status osvm_holdout_open(osvm_holdout *h, osvm_run *run, osvm_error *error) {
  const size_t values = (size_t)osvm_run_size(run) * run->machines;
  osvm_model *model = &h->model;
  *model = (osvm_model){.size = osvm_run_size(run), .machines = run->machines};
  model->coef = calloc((size_t)model->size + 1, run->machines * sizeof(double));
  model->intercept = malloc(((size_t)run->machines + 1) * sizeof(double));
  if (model->coef == NULL || model->intercept == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_run_result(run, model->coef, model->intercept));
  const double least = run->driver->primal ? -1 : osvm_negligible(model->coef, values);
  for (size_t k = 0; k < values; k++)
    if (fabs(model->coef[k]) <= least) model->coef[k] = 0;
  return OSVM_OK;
}

void osvm_holdout_close(osvm_holdout *h) {
  free(h->model.coef);
  free(h->model.intercept);
  memset(h, 0, sizeof *h);
}

int osvm_holdout_support(const osvm_holdout *h, unsigned char *marked) {
  int found = 0;
  for (int m = 0; m < h->model.machines; m++)
    found += osvm_mark_support(h->model.coef + (size_t)m * h->model.size, h->model.size, 0, marked);
  return found;
}

/* Machine by machine: its coefficients stay in the first-level cache. */
void osvm_holdout_add(const osvm_tuning *t, const osvm_holdout *h, const int *examples, const void *const *rows,
                      int count, int from, int columns) {
  for (int m = 0; m < h->model.machines; m++) {
    const double *coef = h->model.coef + (size_t)m * h->model.size + from;
    double *outputs = osvm_grid_outputs(t->grid, h->point, h->fold, h->first + m);
    for (int q = 0; q < count; q++) {
      const double before = from > 0 ? outputs[examples[q]] : h->model.intercept[m];
      const double sum =
          t->primal ? osvm_store_weigh(&t->store, examples[q], coef) : t->store.simd->weigh(rows[q], columns, coef);
      outputs[examples[q]] = before + sum;
    }
  }
}

/* ---- a path's ---- */

/* The support vectors of any grid point, with their coefficients, and kernel rows of OSVM_QUERIES examples */
typedef struct {
  osvm_store sv;
  osvm_holdout *packed; /* coefficients in coef, the rest borrowed */
  double *coef;
  unsigned char *marked;
  int *examples, count, slice; /* whose outputs are wanted; support vectors of a row at a time */
  osvm_rows rows;
  char *values;
} evaluation;

static osvm_status pack(evaluation *e, const osvm_run *run, const osvm_holdout *holdouts, int count,
                        osvm_error *error) {
  const osvm_store *whole = &run->store;
  const osvm_model *model = &holdouts->model;
  e->marked = calloc((size_t)model->size + 1, 1);
  e->packed = malloc(count * sizeof *e->packed);
  if (e->marked == NULL || e->packed == NULL) return osvm_no_memory(error);
  int found = 0;
  for (int h = 0; h < count; h++) found += osvm_holdout_support(&holdouts[h], e->marked);
  e->coef = calloc((size_t)found + 1, (size_t)count * model->machines * sizeof(double));
  if (e->coef == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_store_open(&e->sv, whole->simd, OSVM_PANELS, whole->sparse, whole->d, found, error));
  for (int h = 0; h < count; h++) {
    e->packed[h] = holdouts[h];
    e->packed[h].model.size = found;
    e->packed[h].model.coef = e->coef + (size_t)h * model->machines * found;
  }
  for (int i = 0, k = 0; i < model->size; i++) {
    if (!e->marked[i]) continue;
    for (int h = 0; h < count; h++)
      for (int m = 0; m < model->machines; m++)
        e->packed[h].model.coef[(size_t)m * found + k] = holdouts[h].model.coef[(size_t)m * model->size + i];
    OSVM_TRY(osvm_store_put(&e->sv, k++, whole, i, error));
  }
  return osvm_store_index(&e->sv, error);
}

/* Slice by slice of the support vectors, as predictions are computed; some examples at a time share a slice. */
static void add_rows(evaluation *e, const osvm_tuning *t, int holdouts, const int *examples, int count) {
  const int queries = e->sv.sparse ? 1 : OSVM_QUERIES;
  const void *rows[OSVM_QUERIES];
  for (int q = 0; q < queries; q++) rows[q] = e->values + (size_t)q * e->slice * e->sv.simd->size;
  int from = 0;
  do { /* without support vectors, too: the outputs are the intercepts */
    const int columns = e->sv.n - from < e->slice ? e->sv.n - from : e->slice;
    for (int k = 0; k < count; k += queries) {
      const int some = count - k < queries ? count - k : queries;
      osvm_rows_load(&e->rows, &t->store, examples + k, some);
      if (columns > 0) osvm_rows_compute(&e->rows, from, from + columns, e->values, e->slice);
      for (int h = 0; h < holdouts; h++) osvm_holdout_add(t, &e->packed[h], examples + k, rows, some, from, columns);
    }
  } while ((from += e->slice) < e->sv.n);
}

static osvm_status evaluate(evaluation *e, const osvm_tuning *t, const osvm_run *run, const osvm_holdout *holdouts,
                            int count, osvm_error *error) {
  enum { TOGETHER = 64 };
  e->examples = malloc(((size_t)t->n + 1) * sizeof(int));
  if (e->examples == NULL) return osvm_no_memory(error);
  for (int i = 0; i < t->n; i++)
    if (osvm_grid_wants(t->grid, i, holdouts->fold)) e->examples[e->count++] = i;
  for (int h = 0; h < count && t->primal; h++) osvm_holdout_add(t, &holdouts[h], e->examples, NULL, e->count, 0, 0);
  if (t->primal) return OSVM_OK;
  OSVM_TRY(pack(e, run, holdouts, count, error));
  e->slice = osvm_decision_slice(&e->sv);
  e->values = calloc((size_t)e->slice * OSVM_QUERIES + 1, e->sv.simd->size);
  if (e->values == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_rows_open(&e->rows, &run->kernel, &e->sv, OSVM_BLOCK_ROUNDING, error));
  for (int k = 0; k < e->count; k += TOGETHER)
    add_rows(e, t, count, e->examples + k, e->count - k < TOGETHER ? e->count - k : TOGETHER);
  return OSVM_OK;
}

osvm_status osvm_holdout_outputs(const osvm_tuning *t, const osvm_run *run, const osvm_holdout *holdouts, int count,
                                 osvm_error *error) {
  evaluation e = {0};
  const osvm_status status = count > 0 ? evaluate(&e, t, run, holdouts, count, error) : OSVM_OK;
  osvm_store_close(&e.sv);
  osvm_rows_close(&e.rows);
  free(e.packed);
  free(e.coef);
  free(e.marked);
  free(e.examples);
  free(e.values);
  return status;
}
