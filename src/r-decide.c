/* ffi_decide: decision values, examples by machines. */
#include <string.h>

#include "r-glue.h"

static osvm_status pack_support(osvm_store *store, const osvm_simd *simd, const osvm_data *support, osvm_error *error) {
  const int dense = osvm_data_prefers_dense(support, NULL, OSVM_PANELS, simd);
  OSVM_TRY(osvm_store_open(store, simd, OSVM_PANELS, !dense, support->d, support->n, error));
  OSVM_TRY(osvm_store_append(store, support, NULL, support->n, error));
  return osvm_store_index(store, error);
}

static osvm_status decide_kernel(const osvm_task *task, const osvm_data *support, const double *coef, double *out,
                                 osvm_error *error) {
  osvm_store store;
  osvm_status status = pack_support(&store, osvm_task_simd(task), support, error);
  if (status == OSVM_OK)
    status = osvm_decision_values(&task->kernel, &store, coef, task->machines, task->data, task->threads,
                                  &task->progress, out, error);
  osvm_store_close(&store);
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

/* model: list(x, center, scale, coef, machines, intercept); x is NULL when coef holds weights. control: list(solver,
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
  const osvm_status status = primal ? osvm_linear_decision_values(&view, osvm_task_simd(&task), REAL_RO(coef), machines,
                                                                  osvm_task_unit_norm(&task), REAL(out), &error)
                                    : decide_kernel(&task, &support, REAL_RO(coef), REAL(out), &error);
  r_add_intercepts(out, REAL_RO(intercept));
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}
