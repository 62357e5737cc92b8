/* A model in training: an external pointer to all of it that is the core's. What it protects is the header, the rest of
 * the model, so that both change together. R's garbage collector closes it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "r-glue.h"
#include <R_ext/Random.h>

static SEXP live_tag(void) { return Rf_install("osvm_live"); }

osvm_live *r_live_of(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != live_tag()) return NULL;
  return R_ExternalPtrAddr(pointer);
}

static void finalize(SEXP pointer) {
  osvm_live *live = r_live_of(pointer);
  if (live == NULL) return;
  R_ClearExternalPtr(pointer);
  osvm_live_close(live);
  free(live);
}

static const char *const closed = "it is closed";
/* Structs of doubles: their members by name, as R has them. */
static const char *const count_names[] = {"seen",    "n_sv", "forgotten", "steps", "updates", "kernel_evaluations",
                                          "seconds", "epoch"};
static const char *const convergence_names[] = {"iterations", "gap", "objective", "finished", "stalled"};
static const char *const epoch_names[] = {"loss", "violations", "sv", "seconds"};
enum {
  COUNTS = sizeof count_names / sizeof count_names[0],
  CONVERGENCE_FIELDS = sizeof convergence_names / sizeof convergence_names[0],
  EPOCH_FIELDS = sizeof epoch_names / sizeof epoch_names[0]
};
_Static_assert(COUNTS * sizeof(double) == sizeof(osvm_live_counts), "a name for each count");
_Static_assert(CONVERGENCE_FIELDS * sizeof(double) == sizeof(osvm_convergence), "a name for each member");
_Static_assert(EPOCH_FIELDS * sizeof(double) == sizeof(osvm_epoch), "a name for each member");

static SEXP counts_of(const osvm_live *live) {
  SEXP out = r_named_reals(count_names, COUNTS);
  memcpy(REAL(out), &live->counts, sizeof live->counts);
  return out;
}

/* A column for each of `count` structs, a row for each member */
static SEXP columns_of(const void *structs, const char *const *names, int members, int count) {
  SEXP out = r_named_matrix(names, members, count, 0);
  if (count > 0) memcpy(REAL(out), structs, (size_t)members * count * sizeof(double));
  return out;
}

/* ---- requests ---- */

/* sample.int(.Machine$integer.max, 1). R may raise an error here, about .Random.seed: nothing is allocated yet. */
static double draw_seed(void) {
  GetRNGstate();
  const double seed = R_unif_index(INT_MAX) + 1;
  PutRNGstate();
  return seed;
}

const char *r_read_request(SEXP request, r_request *q) {
  SEXP control = r_field(request, "control");
  memset(q, 0, sizeof *q);
  const char *trouble = r_task(r_field(request, "data"), r_field(request, "labels"), r_field(request, "kernel"),
                               r_field(request, "solver"), control, &q->task, &q->view);
  if (trouble != NULL) return trouble;
  q->task.trace = r_number(control, "trace", 0) != 0;
  q->task.progress = r_progress(&q->host, r_field(control, "progress"));
  q->view.progress = &q->task.progress;
  return NULL;
}

/* The seed of a run is drawn from R's random numbers, unless its model, `live`, only loses examples. */
static const char *read_update(SEXP request, const osvm_live *live, r_request *q) {
  const char *trouble = r_read_request(request, q);
  if (trouble == NULL && (q->task.count > 0 || live->start.model == NULL)) q->task.seed = draw_seed();
  return trouble;
}

/* ---- opening ---- */

/* list(x, center, scale, target, state, scalars, coef or weights, intercept, number, counts, trace); x and target are
 * NULL for a weight vector. The struct's fields point into the list. */
static const char *read_model(SEXP from, const r_request *q, osvm_data *carried, osvm_model *model,
                              osvm_live_start *start) {
  const osvm_state_names names = osvm_solver_state(q->task.solver, q->task.params);
  const int primal = osvm_solver_primal(q->task.solver, &q->task.kernel), d = osvm_data_width(&q->view);
  const R_xlen_t machines = q->task.machines;
  *model = (osvm_model){0};
  *start = (osvm_live_start){.counts.epoch = 1};
  if (Rf_isNull(from)) return NULL;
  if (!primal) {
    const char *trouble = r_data(from, carried);
    if (trouble != NULL) return trouble;
    if (carried->d != q->view.d || (carried->kind == OSVM_SPARSE) != (q->view.kind == OSVM_SPARSE))
      return "the model's support vectors do not fit its columns";
    carried->progress = &q->task.progress;
    carried->threads = q->task.threads;
    start->carried = carried;
  }
  const R_xlen_t size = primal ? d : carried->n;
  const R_xlen_t targets = size * osvm_target_columns(&q->task.target, q->task.machines);
  SEXP trace = r_field(from, "trace");
  SEXP counts = r_field(from, "counts");
  double *number, *weights;
  const struct {
    const char *name;
    R_xlen_t length;
    double **to; /* NULL there if it is missing */
    int needed;
  } fields[] = {{"state", size * machines * names.n_columns, &model->columns, 1},
                {"scalars", machines * names.n_scalars, &model->scalars, 1},
                {"target", targets, &model->target, !primal},
                {"intercept", machines, &model->intercept, 1},
                {"coef", size * machines, &model->coef, 0},
                {"weights", d * machines, &weights, 0},
                {"number", size, &number, 0}};
  for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
    SEXP values = r_field(from, fields[k].name);
    const int given = !Rf_isNull(values);
    if (given ? !r_is(values, REALSXP, fields[k].length) : fields[k].needed) return "the model's state is damaged";
    *fields[k].to = given ? (double *)REAL_RO(values) : NULL;
  }
  if (model->coef == NULL && weights == NULL) return "the model's coefficients are missing";
  if (!r_is(trace, REALSXP, -1) || Rf_xlength(trace) % EPOCH_FIELDS != 0) return "the model's trace is damaged";
  model->size = (int)size;
  model->machines = (int)machines;
  start->model = model;
  start->weights = weights;
  start->number = number;
  for (int k = 0; k < COUNTS; k++) {
    const double value = r_number(counts, count_names[k], NAN);
    if (isnan(value)) return "the model's counts are damaged";
    memcpy((double *)&start->counts + k, &value, sizeof value);
  }
  start->trace = (const osvm_epoch *)REAL_RO(trace);
  start->n_trace = (int)(Rf_xlength(trace) / EPOCH_FIELDS);
  return NULL;
}

/* header: what R keeps of the model, see ffi_live_update; model: NULL, or list as above */
SEXP ffi_live_open(SEXP request, SEXP header, SEXP model) {
  r_request q;
  osvm_data carried;
  osvm_model from;
  osvm_live_start start;
  osvm_error error = {r_read_request(request, &q)};
  if (error.text == NULL) error.text = read_model(model, &q, &carried, &from, &start);
  if (error.text != NULL) return r_sentence(&error);
  MARK_NOT_MUTABLE(header);
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, live_tag(), header));
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

/* Models after every epoch, of a model without carried examples */
typedef struct {
  double *coef, *intercept; /* epochs, one after the other */
  size_t size, machines;
  int epochs; /* recorded so far */
} epoch_path;

/* Values that are not finite show in the next epoch, too, and fail there. */
static void record_epoch(void *user, osvm_run *run) {
  epoch_path *path = user;
  osvm_run_result(run, path->coef + path->epochs * path->size * path->machines,
                  path->intercept + path->epochs * path->machines);
  path->epochs++;
}

static SEXP new_path(const osvm_live *live, r_request *q, epoch_path *path) {
  static const char *const names[] = {"coef", "intercept"};
  const R_xlen_t size = live->primal ? live->d : q->task.count, machines = q->task.machines;
  const int epochs = osvm_solver_epochs(q->task.solver, q->task.params);
  SEXP parts[] = {PROTECT(Rf_allocVector(REALSXP, size * machines * epochs)),
                  PROTECT(Rf_allocVector(REALSXP, machines * epochs))};
  SEXP list = r_list(names, parts, 2);
  memset(REAL(parts[0]), 0, size * machines * epochs * sizeof(double));
  *path = (epoch_path){REAL(parts[0]), REAL(parts[1]), size, machines, 0};
  q->task.epoch_ended = record_epoch;
  q->task.user = path;
  UNPROTECT(2);
  return list;
}

static int has_path(const osvm_live *live, const r_request *q, SEXP request) {
  return r_number(r_field(request, "control"), "path", 0) != 0 && live->start.model == NULL &&
         osvm_solver_reserve(q->task.solver, q->task.params, &q->task.kernel, 0, q->task.count) == 0;
}

static SEXP new_outputs(r_request *q, SEXP request) {
  if (r_number(r_field(request, "control"), "outputs", 0) == 0) return R_NilValue;
  SEXP out = Rf_allocMatrix(REALSXP, q->task.visits != NULL ? q->task.n_visits : q->task.count, q->task.machines);
  for (R_xlen_t k = 0; k < Rf_xlength(out); k++) REAL(out)[k] = NA_REAL;
  q->task.outputs = REAL(out);
  return out;
}

/* Examples `forget` (NULL, or places among those that the model keeps) are removed, then the new ones are learned. With
 * that the model has the header, which R keeps in the pointer. list(interrupted, counts,
 * convergence, path, outputs); outputs, if control asks for them: of the visits, before each was learned; NA if it was not
 * made */
SEXP ffi_live_update(SEXP pointer, SEXP request, SEXP forget, SEXP header) {
  static const char *const names[] = {"interrupted", "counts", "convergence", "path", "outputs"};
  osvm_live *live = r_live_of(pointer);
  r_request q;
  epoch_path path;
  osvm_error error = {live == NULL ? closed : read_update(request, live, &q)};
  if (error.text == NULL && !Rf_isNull(forget)) {
    if (!r_is(forget, INTSXP, -1)) error.text = "the examples to forget are damaged";
    q.task.forget = INTEGER_RO(forget);
    q.task.n_forget = (int)Rf_xlength(forget);
  }
  if (error.text != NULL) return r_sentence(&error);
  SEXP parts[] = {PROTECT(Rf_allocVector(LGLSXP, 1)), PROTECT(r_named_reals(count_names, COUNTS)),
                  PROTECT(r_named_matrix(convergence_names, CONVERGENCE_FIELDS, q.task.machines, 0)),
                  PROTECT(has_path(live, &q, request) ? new_path(live, &q, &path) : R_NilValue),
                  PROTECT(new_outputs(&q, request))};
  SEXP result = PROTECT(r_list(names, parts, 5));
  MARK_NOT_MUTABLE(header);
  const osvm_status status = osvm_live_update(live, &q.task, &error);
  if (status == OSVM_OK) {
    R_SetExternalPtrProtected(pointer, header);
    LOGICAL(parts[0])[0] = live->interrupted;
    memcpy(REAL(parts[1]), &live->counts, sizeof live->counts);
    memcpy(REAL(parts[2]), live->convergence, live->model.machines * sizeof *live->convergence);
  }
  UNPROTECT(6);
  return status == OSVM_OK ? result : r_failure(status, &error);
}

/* Outputs for the examples that the model keeps, each by the machines without it: list(outputs, interrupted). NA: the
 * example is not part of the machine, or its turn has not come before an interrupt. */
SEXP ffi_live_leave_out(SEXP pointer, SEXP request) {
  static const char *const names[] = {"outputs", "interrupted"};
  osvm_live *live = r_live_of(pointer);
  r_request q;
  osvm_error error = {live == NULL ? closed : read_update(request, live, &q)};
  if (error.text == NULL && (live->solver->leave_out == NULL || live->start.model == NULL || q.task.count > 0))
    error.text = "this model cannot leave examples out";
  if (error.text != NULL) return r_sentence(&error);
  SEXP parts[] = {PROTECT(Rf_allocMatrix(REALSXP, live->model.size, live->model.machines)),
                  PROTECT(Rf_allocVector(LGLSXP, 1))};
  SEXP out = PROTECT(r_list(names, parts, 2));
  for (R_xlen_t k = 0; k < Rf_xlength(parts[0]); k++) REAL(parts[0])[k] = NA_REAL;
  const osvm_status status = osvm_live_leave_out(live, &q.task, REAL(parts[0]), &error);
  LOGICAL(parts[1])[0] = status == OSVM_INTERRUPTED;
  UNPROTECT(3);
  return status == OSVM_OK || status == OSVM_INTERRUPTED ? out : r_sentence(&error);
}

/* kernel, control: see ffi_decide */
SEXP ffi_live_decide(SEXP pointer, SEXP data, SEXP kernel, SEXP control) {
  osvm_live *live = r_live_of(pointer);
  osvm_data view;
  osvm_task task;
  r_host host;
  osvm_error error = {live == NULL ? closed : r_decision(data, kernel, control, &task, &view, &host)};
  if (error.text == NULL && live->start.model == NULL) error.text = "it has not learned anything";
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = PROTECT(r_new_outputs(view.n, live->model.machines));
  const osvm_status status = osvm_live_decide(live, &task, REAL(out), &error);
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

static SEXP matrix_of(const double *values, int rows, int columns) {
  if (values == NULL) return R_NilValue;
  SEXP out = Rf_allocMatrix(REALSXP, rows, columns);
  if (Rf_xlength(out) > 0) memcpy(REAL(out), values, (size_t)Rf_xlength(out) * sizeof(double));
  return out;
}

/* What a model that has learned consists of, besides its header. weights and no coef: as they were given, and there was
 * no update since; convergence: of each machine, NULL if there was no update. kept: places among the examples of the
 * last update, carried, new and merged. */
SEXP ffi_live_read(SEXP pointer) {
  static const char *const names[] = {"scalars", "kept",    "rows",  "number", "coef",        "weights", "intercept",
                                      "target",  "columns", "state", "trace",  "convergence", "counts"};
  enum { RESULTS = sizeof names / sizeof names[0] };
  const osvm_live *live = r_live_of(pointer);
  osvm_error error = {live == NULL ? closed : live->start.model == NULL ? "it has not learned anything" : NULL};
  if (error.text != NULL) return r_sentence(&error);
  const osvm_model *model = &live->model;
  const osvm_state_names *state = &live->names;
  const int machines = model->machines;
  SEXP parts[RESULTS] = {PROTECT(r_named_matrix(state->scalar, state->n_scalars, machines, 0)),
                         PROTECT(Rf_allocVector(INTSXP, model->n_kept)),
                         PROTECT(live->primal        ? R_NilValue
                                 : live->rows.sparse ? sparse_rows(&live->rows)
                                                     : dense_rows(&live->rows)),
                         PROTECT(reals(live->number, live->rows.n)),
                         PROTECT(matrix_of(model->coef, model->size, machines)),
                         PROTECT(matrix_of(live->given ? live->weights : NULL, live->d, machines)),
                         PROTECT(reals(model->intercept, machines)),
                         PROTECT(reals(model->target, (R_xlen_t)live->rows.n * live->targets)),
                         PROTECT(r_strings(state->column, state->n_columns)),
                         PROTECT(reals(model->columns, (R_xlen_t)model->size * machines * state->n_columns)),
                         PROTECT(columns_of(live->trace, epoch_names, EPOCH_FIELDS, live->n_trace)),
                         PROTECT(live->convergence == NULL
                                     ? R_NilValue
                                     : columns_of(live->convergence, convergence_names, CONVERGENCE_FIELDS, machines)),
                         PROTECT(counts_of(live))};
  memcpy(REAL(parts[0]), model->scalars, (size_t)state->n_scalars * machines * sizeof(double));
  for (int k = 0; k < model->n_kept; k++) INTEGER(parts[1])[k] = model->kept[k] + 1;
  SEXP out = r_list(names, parts, RESULTS);
  UNPROTECT(RESULTS);
  return out;
}

/* list(header, counts); no counts: it has not learned anything. NULL: it is closed. */
SEXP ffi_live_state(SEXP pointer) {
  static const char *const names[] = {"header", "counts"};
  const osvm_live *live = r_live_of(pointer);
  if (live == NULL) return R_NilValue;
  SEXP parts[] = {R_ExternalPtrProtected(pointer), PROTECT(counts_of(live))};
  SEXP out = r_list(names, parts, live->start.model != NULL ? 2 : 1);
  UNPROTECT(1);
  return out;
}

/* Replaces the header. */
SEXP ffi_live_set(SEXP pointer, SEXP header) {
  if (r_live_of(pointer) == NULL) return R_NilValue;
  MARK_NOT_MUTABLE(header);
  R_SetExternalPtrProtected(pointer, header);
  return pointer;
}

/* Of the examples that the model keeps, in their order */
SEXP ffi_live_numbers(SEXP pointer) {
  const osvm_live *live = r_live_of(pointer);
  osvm_error error = {live == NULL ? closed : NULL};
  return live != NULL ? reals(live->number, live->rows.n) : r_sentence(&error);
}

SEXP ffi_live_close(SEXP pointer) {
  finalize(pointer);
  return R_NilValue;
}
