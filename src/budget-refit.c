/* The nearest hypothesis of a compressed expansion: with f the expansion as it was and z the vectors that are left, the
 * coefficients c solve K_zz c = f(z). Conjugate gradients decrease |f - g| in every step: it is the energy norm of the
 * error. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

enum { STEPS = 100 };
static const double LITTLE = 1e-6; /* gain of a step, of that of all */

typedef struct {
  osvm_shared_sv *shared;
  int n, machines;
  char *kernel; /* n rows, `stride` values apart; NULL: computed for each product */
  size_t stride;
  double *coef, *residual, *direction, *product; /* n x machines each */
  double *squares, *gained;                      /* per machine: |residual|^2; of |f - g|^2 so far */
  double *block;                                 /* all of these */
} fitting;

static osvm_status open_fitting(fitting *f, const osvm_budget *budget, size_t bytes) {
  osvm_shared_sv *shared = budget->bounded.shared;
  const size_t size = shared->store.simd->size, all = (size_t)shared->count * budget->machines;
  *f = (fitting){.shared = shared, .n = shared->count, .machines = budget->machines};
  f->block = calloc(4 * all + 2 * (size_t)f->machines + 1, sizeof(double));
  if (f->block == NULL) return osvm_no_memory(budget->bounded.error);
  f->coef = f->block;
  f->residual = f->coef + all;
  f->direction = f->residual + all;
  f->product = f->direction + all;
  f->squares = f->product + all;
  f->gained = f->squares + f->machines;
  OSVM_TRY(osvm_store_index(&shared->store, budget->bounded.error));
  f->stride = ((size_t)f->n / shared->store.width + 1) * shared->store.width;
  if (f->n > 0 && f->stride * size > bytes / f->n) return OSVM_OK;
  if ((f->kernel = malloc(f->stride * f->n * size + 1)) == NULL) return OSVM_OK;
  for (int s = 0; s < f->n; s++) {
    osvm_shared_sv_own_row(shared, s);
    memcpy(f->kernel + s * f->stride * size, shared->row, f->n * size);
  }
  return OSVM_OK;
}

static void close_fitting(fitting *f) {
  free(f->kernel);
  free(f->block);
}

static const void *kernel_row(const fitting *f, int s) {
  if (f->kernel != NULL) return f->kernel + s * f->stride * f->shared->store.simd->size;
  osvm_shared_sv_own_row(f->shared, s);
  return f->shared->row;
}

/* out = K x, all machines at once */
static void multiply(const fitting *f, const double *x, double *out) {
  const osvm_simd *simd = f->shared->store.simd;
  for (int s = 0; s < f->n; s++) {
    const void *row = kernel_row(f, s);
    for (int m = 0; m < f->machines; m++) out[s + (size_t)m * f->n] = simd->weigh(row, f->n, x + (size_t)m * f->n);
  }
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

/* One machine's share of a step; returns its gain in |f - g|^2 */
static double descend(const fitting *f, int m) {
  double *coef = f->coef + (size_t)m * f->n, *residual = f->residual + (size_t)m * f->n;
  double *direction = f->direction + (size_t)m * f->n, *product = f->product + (size_t)m * f->n;
  const double curvature = dot(direction, product, f->n), before = f->squares[m];
  if (!(curvature > DBL_MIN) || !(before > DBL_MIN)) return 0;
  const double length = before / curvature;
  for (int k = 0; k < f->n; k++) {
    coef[k] += length * direction[k];
    residual[k] -= length * product[k];
  }
  f->squares[m] = dot(residual, residual, f->n);
  for (int k = 0; k < f->n; k++) direction[k] = residual[k] + f->squares[m] / before * direction[k];
  return length * before;
}

/* residual = f(z), by the vectors carried and their coefficients, run->first x machines */
static osvm_status evaluate(fitting *f, osvm_run *run, const double *coef, osvm_rows *rows, void *values) {
  const osvm_simd *simd = run->store.simd;
  OSVM_TRY(osvm_store_index(&run->store, run->context.error));
  rows->evaluations = &run->context.evaluations;
  for (int s = 0; s < f->n; s++) {
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    osvm_rows_load(rows, &f->shared->store, &s, 1);
    osvm_rows_compute(rows, 0, run->first, values, 0);
    for (int m = 0; m < f->machines; m++)
      f->residual[s + (size_t)m * f->n] = simd->weigh(values, run->first, coef + (size_t)m * run->first);
  }
  return OSVM_OK;
}

static osvm_status start_from(fitting *f, osvm_run *run, const double *coef) {
  osvm_rows rows;
  void *values = calloc((size_t)run->store.n + run->store.width, run->store.simd->size);
  osvm_status status = osvm_rows_open(&rows, &run->kernel, &run->store, OSVM_ROW_ROUNDING, run->context.error);
  if (status == OSVM_OK)
    status = values != NULL ? evaluate(f, run, coef, &rows, values) : osvm_no_memory(run->context.error);
  osvm_rows_close(&rows);
  free(values);
  return status;
}

static osvm_status descend_all(fitting *f, osvm_run *run) {
  const size_t all = (size_t)f->n * f->machines;
  multiply(f, f->coef, f->product);
  for (size_t k = 0; k < all; k++) f->direction[k] = f->residual[k] -= f->product[k];
  for (int m = 0; m < f->machines; m++) {
    const double *residual = f->residual + (size_t)m * f->n;
    f->squares[m] = dot(residual, residual, f->n);
  }
  for (int step = 0, goes_on = 1; step < STEPS && goes_on; step++) {
    run->context.work += (double)all * f->n;
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    multiply(f, f->direction, f->product);
    goes_on = 0;
    for (int m = 0; m < f->machines; m++) {
      const double gain = descend(f, m);
      f->gained[m] += gain;
      goes_on |= gain > LITTLE * f->gained[m];
    }
  }
  return OSVM_OK;
}

static osvm_status refit(fitting *f, osvm_budget *budget, osvm_run *run, const double *coef) {
  for (int m = 0; m < f->machines; m++)
    for (int s = 0; s < f->n; s++) f->coef[s + (size_t)m * f->n] = osvm_budget_coef(budget, m, s);
  OSVM_TRY(start_from(f, run, coef));
  OSVM_TRY(descend_all(f, run));
  for (int m = 0; m < f->machines; m++)
    for (int s = 0; s < f->n; s++)
      budget->expansion[m]->coef[s] = f->coef[s + (size_t)m * f->n] / budget->expansion[m]->scale;
  return OSVM_OK;
}

osvm_status osvm_budget_refit(osvm_budget *budget, osvm_run *run, const double *coef) {
  fitting f;
  osvm_status status = open_fitting(&f, budget, run->cache_bytes);
  if (status == OSVM_OK) status = refit(&f, budget, run, coef);
  close_fitting(&f);
  return status;
}
