/* Live models: an external pointer to a model that stays in the core. R's garbage collector closes it. */
#include <stdlib.h>
#include <string.h>

#include "r-glue.h"

static SEXP live_tag(void) { return Rf_install("osvm_live"); }

/* NULL: closed, or read from a file, or not a live model. */
static osvm_live *live_of(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != live_tag()) return NULL;
  return R_ExternalPtrAddr(pointer);
}

static void finalize(SEXP pointer) {
  osvm_live *live = live_of(pointer);
  if (live == NULL) return;
  R_ClearExternalPtr(pointer);
  osvm_live_close(live);
  free(live);
}

static const char *const closed = "it is closed";

/* carried: as for ffi_fit, or NULL, with coef or weights, intercept, number, seen and n_sv. */
static const char *read_start(SEXP carried, r_request *q, osvm_live_start *start) {
  const R_xlen_t machines = q->task.machines;
  SEXP coef = r_field(carried, "coef"), weights = r_field(carried, "weights");
  SEXP intercept = r_field(carried, "intercept"), number = r_field(carried, "number");
  memset(start, 0, sizeof *start);
  if (Rf_isNull(carried)) return NULL;
  if (!r_is(intercept, REALSXP, machines)) return "the model's intercepts are missing";
  if (!Rf_isNull(coef) && !r_is(coef, REALSXP, q->carried.size * machines))
    return "the model's coefficients do not fit";
  if (!Rf_isNull(weights) && !r_is(weights, REALSXP, q->view.d * machines)) return "the model's weights do not fit";
  if (!Rf_isNull(number) && !r_is(number, REALSXP, q->carried.size)) return "the model's examples are not numbered";
  if (Rf_isNull(coef) && Rf_isNull(weights)) return "the model's coefficients are missing";
  q->carried.coef = Rf_isNull(coef) ? NULL : (double *)REAL_RO(coef);
  q->carried.intercept = (double *)REAL_RO(intercept);
  start->weights = Rf_isNull(weights) ? NULL : REAL_RO(weights);
  start->number = Rf_isNull(number) ? NULL : REAL_RO(number);
  start->seen = r_number(carried, "seen", 0);
  start->n_sv = (int)r_number(carried, "n_sv", 0);
  return NULL;
}

SEXP ffi_live_open(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  r_request q;
  osvm_live_start start;
  osvm_error error = {r_read_request(data, carried, labels, kernel, solver, control, &q)};
  if (error.text == NULL) error.text = read_start(carried, &q, &start);
  if (error.text != NULL) return r_sentence(&error);
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, live_tag(), R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  osvm_live *live = calloc(1, sizeof *live);
  osvm_status status = live != NULL ? osvm_live_open(live, &q.task, &start, &error) : osvm_no_memory(&error);
  if (status == OSVM_OK) {
    R_SetExternalPtrAddr(pointer, live);
  } else if (live != NULL) {
    osvm_live_close(live);
    free(live);
  }
  UNPROTECT(1);
  return status == OSVM_OK ? pointer : r_failure(status, &error);
}

/* ---- updates ---- */

typedef struct {
  SEXP *report;
} report_target;

static void ended(void *user, const osvm_run *run, int interrupted) {
  r_fill_report(run, interrupted, 0, ((report_target *)user)->report);
}

/* forget: NULL, or numbers of examples the model keeps. list(n_sv, trace, convergence, counts) */
SEXP ffi_live_update(SEXP pointer, SEXP data, SEXP forget, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  static const char *const names[] = {"n_sv", "trace", "convergence", "counts"};
  enum { N_SV, REPORT, RESULTS = REPORT + R_REPORTS };
  osvm_live *live = live_of(pointer);
  r_request q;
  osvm_error error = {live == NULL ? closed : r_read_request(data, R_NilValue, labels, kernel, solver, control, &q)};
  if (error.text == NULL && !Rf_isNull(forget)) {
    if (!r_is(forget, INTSXP, -1)) error.text = "the examples to forget are damaged";
    q.task.forget = INTEGER_RO(forget);
    q.task.n_forget = (int)Rf_xlength(forget);
  }
  if (error.text != NULL) return r_sentence(&error);
  SEXP parts[RESULTS] = {PROTECT(Rf_allocVector(REALSXP, 1))};
  r_new_report(&parts[REPORT], osvm_solver_epochs(q.spec.solver, q.spec.values), q.task.machines);
  SEXP result = PROTECT(r_list(names, parts, RESULTS));
  report_target target = {&parts[REPORT]};
  const osvm_status status = osvm_live_update(live, &q.task, ended, &target, &error);
  if (status == OSVM_OK) REAL(parts[N_SV])[0] = live->n_sv;
  UNPROTECT(RESULTS + 1);
  return status == OSVM_OK ? result : r_failure(status, &error);
}

SEXP ffi_live_decide(SEXP pointer, SEXP data, SEXP control) {
  osvm_live *live = live_of(pointer);
  osvm_data view;
  osvm_error error = {live == NULL ? closed : r_data(data, &view)};
  if (error.text == NULL && !live->trained) error.text = "it has not learned anything";
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = PROTECT(r_new_outputs(view.n, live->model.machines));
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  const osvm_status status =
      osvm_live_decide(live, &view, r_threads(control), r_number(control, "unit_norm", 0) != 0, REAL(out), &error);
  r_add_intercepts(out, live->model.intercept);
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}

/* ---- reading ---- */

static SEXP reals(const double *values, R_xlen_t count) {
  SEXP out = Rf_allocVector(REALSXP, count);
  if (count > 0) memcpy(REAL(out), values, (size_t)count * sizeof(double));
  return out;
}

/* The examples: a matrix, or list(row lengths, columns, values) of the non-zeros, row by row */
static SEXP dense_rows(const osvm_store *rows) {
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, rows->n, rows->d));
  for (int i = 0; i < rows->n; i++) {
    const double *x = osvm_store_query(rows, i, NULL).dense;
    for (int f = 0; f < rows->d; f++) REAL(out)[i + (size_t)f * rows->n] = x[f];
  }
  UNPROTECT(1);
  return out;
}

static SEXP sparse_rows(const osvm_store *rows) {
  static const char *const names[] = {"length", "column", "value"};
  R_xlen_t total = 0, at = 0;
  for (int i = 0; i < rows->n; i++) total += osvm_store_query(rows, i, NULL).length;
  SEXP parts[] = {PROTECT(Rf_allocVector(INTSXP, rows->n)), PROTECT(Rf_allocVector(INTSXP, total)),
                  PROTECT(Rf_allocVector(REALSXP, total))};
  SEXP out = PROTECT(r_list(names, parts, 3));
  for (int i = 0; i < rows->n; i++) {
    const osvm_query x = osvm_store_query(rows, i, NULL);
    INTEGER(parts[0])[i] = x.length;
    for (int k = 0; k < x.length; k++, at++) {
      INTEGER(parts[1])[at] = x.column[k];
      REAL(parts[2])[at] = ((const double *)x.value)[k];
    }
  }
  UNPROTECT(4);
  return out;
}

/* Everything an ordinary model has of the core's: list(rows, number, coef, intercept, target, state, columns, scalars) */
SEXP ffi_live_read(SEXP pointer) {
  static const char *const names[] = {"rows", "number", "coef", "intercept", "target", "state", "columns", "scalars"};
  enum { ROWS, NUMBER, COEF, INTERCEPT, TARGET, STATE, COLUMN_NAMES, SCALARS, RESULTS };
  const osvm_live *live = live_of(pointer);
  osvm_error error = {live == NULL ? closed : live->trained ? NULL : "it has not learned anything"};
  if (error.text != NULL) return r_sentence(&error);
  const osvm_model *model = &live->model;
  const R_xlen_t values = (R_xlen_t)model->size * model->machines;
  SEXP parts[RESULTS] = {PROTECT(live->primal        ? R_NilValue
                                 : live->rows.sparse ? sparse_rows(&live->rows)
                                                     : dense_rows(&live->rows)),
                         PROTECT(reals(live->number, live->primal ? 0 : model->size)),
                         PROTECT(reals(model->coef, values)),
                         PROTECT(reals(model->intercept, model->machines)),
                         PROTECT(reals(model->target, live->primal ? 0 : model->size)),
                         PROTECT(reals(model->columns, values * live->names.n_columns)),
                         PROTECT(r_strings(live->names.column, live->names.n_columns)),
                         PROTECT(r_named_matrix(live->names.scalar, live->names.n_scalars, model->machines, 0))};
  memcpy(REAL(parts[SCALARS]), model->scalars, (size_t)live->names.n_scalars * model->machines * sizeof(double));
  SEXP out = r_list(names, parts, RESULTS);
  UNPROTECT(RESULTS);
  return out;
}

/* Of the examples that the model keeps, in their order */
SEXP ffi_live_numbers(SEXP pointer) {
  const osvm_live *live = live_of(pointer);
  osvm_error error = {live == NULL ? closed : NULL};
  return live != NULL ? reals(live->number, live->rows.n) : r_sentence(&error);
}

SEXP ffi_live_is_open(SEXP pointer) { return Rf_ScalarLogical(live_of(pointer) != NULL); }

SEXP ffi_live_close(SEXP pointer) {
  finalize(pointer);
  return R_NilValue;
}
