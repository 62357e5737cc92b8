/* Coefficients c of a compressed expansion g, by conjugate gradients; f is the expansion as it was, x its vectors, z those
 * that are left.
 *
 * The nearest g solves K_zz c = f(z): every step decreases |f - g|, the energy norm of the error. Then a few steps on
 * K_zx K_xz c = K_zx f(x) (CGLS without its residual) decrease the sum of (f(x) - g(x))^2 over f's own vectors, which are
 * where the decision is made. Further ones would fit these values better than others. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

enum { STEPS = 100 };
static const double LITTLE = 1e-6; /* gain of a step, of that of all */

typedef struct {
  osvm_shared_sv *shared;
  osvm_run *run;
  const double *given; /* coefficients of f, run->first x machines */
  int n, machines;
  char *kernel; /* K_zz: n rows, `stride` values apart; NULL: computed for each product */
  size_t stride;
  osvm_rows of_f, of_g;                          /* columns: x, and z */
  void *values, *row;                            /* of these */
  double *coef, *residual, *direction, *product; /* n x machines each */
  double *squares, *gained;                      /* per machine: |residual|^2; gain of the steps so far */
  double *block;                                 /* all of these */
} fitting;

/* As far as `bytes` go */
static void keep_kernel(fitting *f, size_t bytes) {
  osvm_shared_sv *shared = f->shared;
  const size_t size = shared->store.simd->size;
  if (f->n > 0 && f->stride * size > bytes / f->n) return;
  if ((f->kernel = malloc(f->stride * f->n * size + 1)) == NULL) return;
  for (int s = 0; s < f->n; s++) {
    osvm_shared_sv_own_row(shared, s);
    memcpy(f->kernel + s * f->stride * size, shared->row, f->n * size);
  }
}

static osvm_status open_rows(fitting *f) {
  osvm_run *run = f->run;
  osvm_store *of_g = &f->shared->store;
  osvm_error *error = run->context.error;
  OSVM_TRY(osvm_store_index(of_g, error));
  OSVM_TRY(osvm_store_index(&run->store, error));
  OSVM_TRY(osvm_rows_open(&f->of_f, &run->kernel, &run->store, OSVM_ROW_ROUNDING, error));
  OSVM_TRY(osvm_rows_open(&f->of_g, &run->kernel, of_g, OSVM_ROW_ROUNDING, error));
  f->of_f.evaluations = f->of_g.evaluations = &run->context.evaluations;
  f->values = calloc((size_t)run->store.n + run->store.width, run->store.simd->size);
  f->row = calloc((size_t)of_g->n + of_g->width, of_g->simd->size);
  return f->values != NULL && f->row != NULL ? OSVM_OK : osvm_no_memory(error);
}

static osvm_status open_fitting(fitting *f, const osvm_budget *budget, osvm_run *run, const double *coef) {
  osvm_shared_sv *shared = budget->bounded.shared;
  const size_t all = (size_t)shared->count * budget->machines;
  *f = (fitting){.shared = shared, .run = run, .given = coef, .n = shared->count, .machines = budget->machines};
  f->stride = ((size_t)f->n / shared->store.width + 1) * shared->store.width;
  f->block = calloc(4 * all + 2 * (size_t)f->machines + 1, sizeof(double));
  if (f->block == NULL) return osvm_no_memory(budget->bounded.error);
  f->coef = f->block;
  f->residual = f->coef + all;
  f->direction = f->residual + all;
  f->product = f->direction + all;
  f->squares = f->product + all;
  f->gained = f->squares + f->machines;
  for (int m = 0; m < f->machines; m++)
    for (int s = 0; s < f->n; s++) f->coef[s + (size_t)m * f->n] = osvm_budget_coef(budget, m, s);
  return open_rows(f);
}

static void close_fitting(fitting *f) {
  osvm_rows_close(&f->of_f);
  osvm_rows_close(&f->of_g);
  free(f->values);
  free(f->row);
  free(f->kernel);
  free(f->block);
}

static const void *kernel_row(const fitting *f, int s) {
  if (f->kernel != NULL) return f->kernel + s * f->stride * f->shared->store.simd->size;
  osvm_shared_sv_own_row(f->shared, s);
  return f->shared->row;
}

/* out = K_zz x, all machines at once */
static osvm_status multiply(fitting *f, const double *x, double *out) {
  const osvm_simd *simd = f->shared->store.simd;
  f->run->context.work += (double)f->n * f->n * f->machines;
  if (osvm_context_stopped(&f->run->context, 0)) return OSVM_INTERRUPTED;
  for (int s = 0; s < f->n; s++) {
    const void *row = kernel_row(f, s);
    for (int m = 0; m < f->machines; m++) out[s + (size_t)m * f->n] = simd->weigh(row, f->n, x + (size_t)m * f->n);
  }
  return OSVM_OK;
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

/* residual = f(z) */
static osvm_status evaluate(fitting *f) {
  osvm_run *run = f->run;
  const osvm_simd *simd = run->store.simd;
  for (int s = 0; s < f->n; s++) {
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    osvm_rows_load(&f->of_f, &f->shared->store, &s, 1);
    osvm_rows_compute(&f->of_f, 0, run->first, f->values, 0);
    for (int m = 0; m < f->machines; m++)
      f->residual[s + (size_t)m * f->n] = simd->weigh(f->values, run->first, f->given + (size_t)m * run->first);
  }
  return OSVM_OK;
}

/* out = K_zx K_xz x, or (residual) K_zx (f(x) - K_xz x) */
static osvm_status multiply_normal(fitting *f, const double *x, double *out, int residual) {
  osvm_run *run = f->run;
  const osvm_simd *simd = run->store.simd;
  memset(out, 0, (size_t)f->n * f->machines * sizeof(double));
  for (int i = 0; i < run->first; i++) {
    run->context.work += 2.0 * f->n * f->machines;
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    osvm_rows_load(&f->of_g, &run->store, &i, 1);
    osvm_rows_compute(&f->of_g, 0, f->n, f->row, 0);
    if (residual) {
      osvm_rows_load(&f->of_f, &run->store, &i, 1);
      osvm_rows_compute(&f->of_f, 0, run->first, f->values, 0);
    }
    for (int m = 0; m < f->machines; m++) {
      double factor = simd->weigh(f->row, f->n, x + (size_t)m * f->n);
      if (residual) factor = simd->weigh(f->values, run->first, f->given + (size_t)m * run->first) - factor;
      simd->add(f->row, f->n, factor, out + (size_t)m * f->n);
    }
  }
  return OSVM_OK;
}

static osvm_status multiply_least_squares(fitting *f, const double *x, double *out) {
  return multiply_normal(f, x, out, 0);
}

/* From the residual of the coefficients */
static osvm_status descend_all(fitting *f, osvm_status (*product)(fitting *, const double *, double *), int steps) {
  memcpy(f->direction, f->residual, (size_t)f->n * f->machines * sizeof(double));
  for (int m = 0; m < f->machines; m++) {
    const double *residual = f->residual + (size_t)m * f->n;
    f->squares[m] = dot(residual, residual, f->n);
    f->gained[m] = 0;
  }
  for (int step = 0, goes_on = 1; step < steps && goes_on; step++) {
    OSVM_TRY(product(f, f->direction, f->product));
    goes_on = 0;
    for (int m = 0; m < f->machines; m++) {
      const double gain = descend(f, m);
      f->gained[m] += gain;
      goes_on |= gain > LITTLE * f->gained[m];
    }
  }
  return OSVM_OK;
}

static osvm_status fit_nearest(fitting *f, int steps) {
  const size_t all = (size_t)f->n * f->machines;
  keep_kernel(f, f->run->cache_bytes);
  OSVM_TRY(evaluate(f));
  OSVM_TRY(multiply(f, f->coef, f->product));
  for (size_t k = 0; k < all; k++) f->residual[k] -= f->product[k];
  return descend_all(f, multiply, steps);
}

static osvm_status fit_values(fitting *f, int steps) {
  OSVM_TRY(multiply_normal(f, f->coef, f->residual, 1));
  return descend_all(f, multiply_least_squares, steps);
}

static osvm_status refit(osvm_budget *budget, osvm_run *run, const double *coef, osvm_status (*fit)(fitting *, int),
                         int steps) {
  fitting f;
  osvm_status status = open_fitting(&f, budget, run, coef);
  if (status == OSVM_OK) status = fit(&f, steps);
  for (int m = 0; m < f.machines && status == OSVM_OK; m++)
    for (int s = 0; s < f.n; s++)
      budget->expansion[m]->coef[s] = f.coef[s + (size_t)m * f.n] / budget->expansion[m]->scale;
  close_fitting(&f);
  return status;
}

osvm_status osvm_budget_refit(osvm_budget *budget, osvm_run *run, const double *coef) {
  return refit(budget, run, coef, fit_nearest, STEPS);
}

osvm_status osvm_budget_fit_values(osvm_budget *budget, osvm_run *run, const double *coef, int steps) {
  return refit(budget, run, coef, fit_values, steps);
}
