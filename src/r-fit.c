/* ffi_fit: one run of a solver, from scratch or from a model; ffi_leave_out: leave-one-out outputs. */
#include <string.h>

#include "r-glue.h"

/* ---- models after every epoch ---- */

typedef struct {
  double *coef, *intercept; /* epochs, one after the other */
  size_t size, machines;
  int epochs; /* recorded so far */
} epoch_path;

static void record_epoch(epoch_path *path, osvm_run *run) {
  osvm_run_result(run, path->coef + path->epochs * path->size * path->machines,
                  path->intercept + path->epochs * path->machines);
  path->epochs++;
}

/* Values that are not finite show in the next epoch, too, and fail there. */
static void epoch_ended(void *user, osvm_run *run) { record_epoch(user, run); }

static SEXP new_path(R_xlen_t size, R_xlen_t machines, int epochs, epoch_path *path) {
  static const char *const names[] = {"coef", "intercept"};
  SEXP parts[] = {PROTECT(Rf_allocVector(REALSXP, size * machines * epochs)),
                  PROTECT(Rf_allocVector(REALSXP, machines * epochs))};
  SEXP list = r_list(names, parts, 2);
  memset(REAL(parts[0]), 0, size * machines * epochs * sizeof(double));
  *path = (epoch_path){REAL(parts[0]), REAL(parts[1]), size, machines, 0};
  UNPROTECT(2);
  return list;
}

/* ---- results ---- */

static const char *const result_names[] = {"coef", "intercept", "target", "state", "columns",     "scalars",
                                           "kept", "merged",    "path",   "trace", "convergence", "counts"};
enum {
  COEF,
  INTERCEPT,
  TARGET,
  STATE,
  COLUMN_NAMES,
  SCALARS,
  KEPT,
  MERGED,
  PATH,
  REPORT,
  RESULTS = REPORT + R_REPORTS
};

/* All R memory is allocated before the run, so that nothing can fail after it. */
SEXP ffi_fit(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  r_request q;
  osvm_error error = {r_read_request(data, carried, labels, kernel, solver, control, &q)};
  if (error.text != NULL) return r_sentence(&error);
  const int epochs = osvm_solver_epochs(q.spec.solver, q.spec.values), keep_path = r_number(solver, "path", 0) != 0;
  osvm_model model = {.size = q.primal ? q.view.d : q.task.count + q.carried.size + q.n_merged,
                      .machines = q.task.machines};
  const R_xlen_t size = model.size, machines = model.machines;
  epoch_path path;
  SEXP parts[RESULTS] = {[COEF] = PROTECT(Rf_allocVector(REALSXP, size * machines)),
                         [INTERCEPT] = PROTECT(Rf_allocVector(REALSXP, machines)),
                         [TARGET] = PROTECT(Rf_allocVector(REALSXP, q.primal ? 0 : size)),
                         [STATE] = PROTECT(Rf_allocVector(REALSXP, size * machines * q.names.n_columns)),
                         [COLUMN_NAMES] = PROTECT(r_strings(q.names.column, q.names.n_columns)),
                         [SCALARS] = PROTECT(r_named_matrix(q.names.scalar, q.names.n_scalars, (int)machines, 0)),
                         [KEPT] = PROTECT(Rf_allocVector(INTSXP, q.primal ? 0 : size)),
                         [MERGED] =
                             PROTECT(q.n_merged > 0 ? Rf_allocMatrix(REALSXP, q.n_merged, q.view.d) : R_NilValue),
                         [PATH] = PROTECT(keep_path ? new_path(size, machines, epochs, &path) : R_NilValue)};
  r_new_report(&parts[REPORT], epochs, (int)machines);
  SEXP result = PROTECT(r_list(result_names, parts, RESULTS));
  model.coef = REAL(parts[COEF]);
  model.intercept = REAL(parts[INTERCEPT]);
  model.target = REAL(parts[TARGET]);
  model.columns = REAL(parts[STATE]);
  model.scalars = REAL(parts[SCALARS]);
  model.kept = INTEGER(parts[KEPT]);
  model.merged = q.n_merged > 0 ? REAL(parts[MERGED]) : NULL;
  if (keep_path) {
    q.task.epoch_ended = epoch_ended;
    q.task.user = &path;
  }
  osvm_run run;
  osvm_status status = osvm_run_open(&run, &q.task, &error);
  const int opened = status == OSVM_OK; /* interrupted before that, there is no model */
  if (opened) status = osvm_run_learn(&run);
  if (opened && (status == OSVM_OK || status == OSVM_INTERRUPTED)) {
    const int interrupted = status == OSVM_INTERRUPTED;
    status = osvm_run_export(&run, &model);
    if (keep_path) record_epoch(&path, &run);
    r_fill_report(&run, interrupted, model.n_kept, &parts[REPORT]);
  }
  osvm_run_close(&run);
  UNPROTECT(RESULTS + 1);
  return status == OSVM_OK ? result : r_failure(status, &error);
}

/* Outputs for the carried examples, each by the machines without it: list(outputs, interrupted). NA: the example is not
 * part of the machine, or its turn has not come before an interrupt. */
SEXP ffi_leave_out(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  static const char *const names[] = {"outputs", "interrupted"};
  r_request q;
  osvm_error error = {r_read_request(data, carried, labels, kernel, solver, control, &q)};
  if (error.text == NULL && (q.spec.solver->leave_out == NULL || q.task.model == NULL))
    error.text = "this model cannot leave examples out";
  if (error.text != NULL) return r_sentence(&error);
  const R_xlen_t size = (R_xlen_t)q.carried.size * q.carried.machines;
  SEXP parts[] = {PROTECT(Rf_allocVector(REALSXP, size)), PROTECT(Rf_allocVector(LGLSXP, 1))};
  SEXP out = PROTECT(r_list(names, parts, 2));
  for (R_xlen_t k = 0; k < size; k++) REAL(parts[0])[k] = NA_REAL;
  osvm_run run;
  osvm_status status = osvm_run_open(&run, &q.task, &error);
  if (status == OSVM_OK) status = osvm_run_leave_out(&run, REAL(parts[0]));
  LOGICAL(parts[1])[0] = status == OSVM_INTERRUPTED;
  osvm_run_close(&run);
  UNPROTECT(3);
  return status == OSVM_OK || status == OSVM_INTERRUPTED ? out : r_sentence(&error);
}
