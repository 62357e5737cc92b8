/* Hold-out outputs: the machines of a run on the examples that its fold holds out, as decision values of their support
 * vectors. Runs that visit the examples together find the kernel rows in their window instead (tune-batch.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sv-predict.h"
#include "tune-internal.h"

osvm_status osvm_holdout_open(osvm_model *model, osvm_run *run, osvm_error *error) {
  const size_t values = (size_t)osvm_run_size(run) * run->machines;
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

/* ---- by the support vectors ---- */

/* The support vectors of any machine, with their coefficients, and the examples whose outputs are wanted */
typedef struct {
  osvm_store sv;
  double *coef;
  unsigned char *marked;
  int *examples, count;
} evaluation;

static osvm_status pack(evaluation *e, const osvm_run *run, const osvm_model *model, osvm_error *error) {
  const osvm_store *whole = &run->store;
  e->marked = calloc((size_t)model->size + 1, 1);
  if (e->marked == NULL) return osvm_no_memory(error);
  const int found = osvm_holdout_support(model, e->marked);
  e->coef = calloc((size_t)found + 1, model->machines * sizeof(double));
  if (e->coef == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_store_open(&e->sv, whole->simd, OSVM_PANELS, whole->sparse, whole->d, found, error));
  for (int i = 0, k = 0; i < model->size; i++) {
    if (!e->marked[i]) continue;
    for (int m = 0; m < model->machines; m++) e->coef[(size_t)m * found + k] = model->coef[(size_t)m * model->size + i];
    OSVM_TRY(osvm_store_put(&e->sv, k++, whole, i, error));
  }
  return osvm_store_index(&e->sv, error);
}

static osvm_status evaluate(evaluation *e, const osvm_tuning *t, const osvm_run *run, const osvm_model *model, int fold,
                            double *outputs, osvm_error *error) {
  e->examples = malloc(((size_t)t->n + 1) * sizeof(int));
  if (e->examples == NULL) return osvm_no_memory(error);
  for (int i = 0; i < t->n; i++)
    if (osvm_grid_wants(t->grid, i, fold)) e->examples[e->count++] = i;
  if (t->primal) {
    osvm_holdout_put(t, model, e->examples, NULL, e->count, outputs);
    return OSVM_OK;
  }
  OSVM_TRY(pack(e, run, model, error));
  for (int m = 0; m < model->machines; m++)
    for (int q = 0; q < e->count; q++) outputs[(size_t)m * t->n + e->examples[q]] = model->intercept[m];
  return osvm_store_decision_values(&run->kernel, &e->sv, e->coef, model->machines, &t->store, e->examples, e->count,
                                    outputs, error);
}

osvm_status osvm_holdout_outputs(const osvm_tuning *t, const osvm_run *run, const osvm_model *model, int fold,
                                 double *outputs, osvm_error *error) {
  evaluation e = {0};
  const osvm_status status = evaluate(&e, t, run, model, fold, outputs, error);
  osvm_store_close(&e.sv);
  free(e.coef);
  free(e.marked);
  free(e.examples);
  return status;
}
