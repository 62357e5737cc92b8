/* ffi_decide: decision values, examples by machines. */
#include <stdlib.h>
#include <string.h>

#include "r-glue.h"

static osvm_status pack_support(osvm_store *store, const osvm_simd *simd, const osvm_data *support, osvm_error *error) {
  const int dense = osvm_data_prefers_dense(support, NULL, OSVM_PANELS, simd);
  OSVM_TRY(osvm_store_open(store, simd, OSVM_PANELS, !dense, support->d, support->n, error));
  OSVM_TRY(osvm_store_append(store, support, NULL, support->n, error));
  return osvm_store_index(store, error);
}

/* Support vectors as they were packed for a prediction: an external pointer, which R keeps from one call to the next. */

static SEXP packed_tag(void) { return Rf_install("osvm_packed"); }

static osvm_store *packed_of(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != packed_tag()) return NULL;
  return R_ExternalPtrAddr(pointer);
}

static void finalize(SEXP pointer) {
  osvm_store *store = packed_of(pointer);
  if (store == NULL) return;
  R_ClearExternalPtr(pointer);
  osvm_store_close(store);
  free(store);
}

/* A pointer to nothing yet. Where there is no memory it stays so, and predictions do without. */
SEXP ffi_packed(void) {
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, packed_tag(), R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  R_SetExternalPtrAddr(pointer, calloc(1, sizeof(osvm_store)));
  UNPROTECT(1);
  return pointer;
}

/* Of support vectors packed before in the same precision nothing is packed again. While they are in use, the pointer is
 * empty: no other call replaces them. */
static osvm_status decide_kernel(const osvm_task *task, const osvm_data *support, const double *coef, SEXP pointer,
                                 double *out, osvm_error *error) {
  osvm_store own = {0}, *packed = packed_of(pointer), *store = packed != NULL ? packed : &own;
  const osvm_simd *simd = osvm_task_simd(task);
  osvm_status status = OSVM_OK;
  if (packed != NULL) R_ClearExternalPtr(pointer);
  if (store->simd != simd || store->n != support->n || store->d != support->d) {
    osvm_store_close(store);
    status = pack_support(store, simd, support, error);
    if (status != OSVM_OK) osvm_store_close(store);
  }
  if (status == OSVM_OK)
    status = osvm_decision_values(&task->kernel, store, coef, task->machines, task->data, task->threads,
                                  &task->progress, out, error);
  if (packed != NULL) R_SetExternalPtrAddr(pointer, packed);
  osvm_store_close(&own);
  return status;
}

SEXP r_new_outputs(int n, int machines) {
  SEXP out = Rf_allocMatrix(REALSXP, n, machines);
  if (Rf_xlength(out) > 0) memset(REAL(out), 0, (size_t)Rf_xlength(out) * sizeof(double));
  return out;
}

void r_add_intercepts(SEXP outputs, const double *intercept) {
  const int n = Rf_nrows(outputs), machines = Rf_ncols(outputs);
  for (int m = 0; m < machines; m++)
    for (int i = 0; i < n; i++) REAL(outputs)[i + (size_t)m * n] += intercept[m];
}

const char *r_decision(SEXP data, SEXP kernel, SEXP control, osvm_task *task, osvm_data *view, r_host *host) {
  *task = (osvm_task){.data = view, .threads = r_threads(control), .progress = r_progress(host, R_NilValue)};
  R_TRY(r_data(data, view));
  R_TRY(r_kernel(kernel, &task->kernel));
  R_TRY(r_solver(r_field(control, "solver"), &task->solver, &task->params));
  view->progress = &task->progress;
  view->threads = task->threads;
  return r_precision(kernel, control, task);
}

/* model: list(x, center, scale, coef, machines, intercept, packed); x is NULL when coef holds weights; packed: NULL, or
 * made by ffi_packed for the same x, center, scale and warp. control: list(solver,
 * extent, threads, level). NULL after an interrupt. */
SEXP ffi_decide(SEXP model, SEXP data, SEXP kernel, SEXP control) {
  osvm_data view, support;
  osvm_task task;
  r_host host;
  osvm_error error = {r_decision(data, kernel, control, &task, &view, &host)};
  const int primal = error.text == NULL && osvm_kernel_is_linear(&task.kernel);
  if (error.text == NULL && !primal) error.text = r_data(model, &support);
  if (error.text != NULL) return r_sentence(&error);
  SEXP coef = r_field(model, "coef"), intercept = r_field(model, "intercept");
  const int machines = task.machines = (int)r_number(model, "machines", 0);
  if (!primal && support.d != view.d) return Rf_mkString("the model's support vectors do not fit its columns");
  if (machines < 1 || !r_is(coef, REALSXP, (R_xlen_t)(primal ? osvm_data_width(&view) : support.n) * machines))
    return Rf_mkString("the model's coefficients do not fit its support vectors");
  if (!r_is(intercept, REALSXP, machines)) return Rf_mkString("the model's intercepts are missing");

  SEXP out = PROTECT(r_new_outputs(view.n, machines));
  support.progress = &task.progress;
  const osvm_status status =
      primal ? osvm_linear_decision_values(&view, osvm_task_simd(&task), REAL_RO(coef), machines,
                                           osvm_task_unit_norm(&task), REAL(out), &error)
             : decide_kernel(&task, &support, REAL_RO(coef), r_field(model, "packed"), REAL(out), &error);
  r_add_intercepts(out, REAL_RO(intercept));
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}
