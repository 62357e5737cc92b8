/* ffi_fit: one run of a solver, from scratch or from a model; ffi_leave_out: leave-one-out outputs. */
#include <string.h>

#include "r-glue.h"

/* All that an entry point is given, as the core wants it. */
typedef struct {
  osvm_task task;
  osvm_data view, carried_view;
  osvm_model carried;
  r_host host;
  r_solver spec;
  osvm_state_names names;
  int primal, n_made; /* n_made: places for vectors of the solver's own making */
} request;

/* The model to go on from: list(x, center, scale, state, scalars, forget); x is NULL for weights. */
static const char *read_carried(SEXP carried, request *q) {
  osvm_task *task = &q->task;
  osvm_model *model = &q->carried;
  if (Rf_isNull(carried)) return NULL;
  if (!q->primal) {
    const osvm_data *view = &q->carried_view;
    const char *trouble = r_data(carried, &q->carried_view);
    if (trouble != NULL) return trouble;
    if (view->d != task->data->d || (view->kind == OSVM_SPARSE) != (task->data->kind == OSVM_SPARSE))
      return "the model's support vectors do not fit its columns";
    q->carried_view.progress = &task->progress;
    task->carried = view;
  }
  SEXP state = r_field(carried, "state"), scalars = r_field(carried, "scalars"), forget = r_field(carried, "forget");
  model->size = q->primal ? task->data->d : q->carried_view.n;
  model->machines = task->machines;
  if (!r_is(state, REALSXP, (R_xlen_t)model->size * model->machines * q->names.n_columns) ||
      !r_is(scalars, REALSXP, (R_xlen_t)q->names.n_scalars * model->machines))
    return "the model's state is damaged";
  model->columns = (double *)REAL_RO(state);
  model->scalars = (double *)REAL_RO(scalars);
  task->model = model;
  if (Rf_isNull(forget)) return NULL;
  if (!r_is(forget, INTSXP, -1)) return "the examples to forget are damaged";
  task->forget = INTEGER_RO(forget);
  task->n_forget = (int)Rf_xlength(forget);
  return NULL;
}

static const char *read_request(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control,
                                request *q) {
  memset(q, 0, sizeof *q);
  const char *trouble = r_task(data, labels, kernel, solver, control, &q->task, &q->view, &q->spec);
  if (trouble != NULL) return trouble;
  q->primal = osvm_solver_primal(q->spec.solver, &q->task.kernel);
  q->n_made = osvm_solver_reserve(q->spec.solver, q->spec.rule, &q->task.kernel, q->task.machines);
  q->names = osvm_solver_state(q->spec.solver, q->spec.rule);
  if (osvm_solver_epochs(q->spec.solver, q->spec.rule) < 1) return "there must be at least one epoch";
  q->task.progress = r_progress(&q->host, r_field(control, "progress"));
  q->view.progress = &q->task.progress;
  return read_carried(carried, q);
}

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

static const char *const result_names[] = {"coef", "intercept", "state",       "columns", "scalars", "kept",
                                           "made", "trace",     "convergence", "counts",  "path"};
enum { COEF, INTERCEPT, STATE, COLUMN_NAMES, SCALARS, KEPT, MADE, TRACE, CONVERGENCE, COUNTS, PATH, RESULTS };
static const char *const trace_names[] = {"loss", "violations", "sv", "seconds"};
static const char *const convergence_names[] = {"iterations", "gap", "objective", "finished", "stalled"};
enum { CONVERGENCE_FIELDS = 5 };
static const char *const count_names[] = {"steps",   "updates", "kernel_evaluations", "epochs",
                                          "visited", "kept",    "interrupted"};
enum { STEPS, UPDATES, EVALUATIONS, EPOCHS, VISITED, N_KEPT, INTERRUPTED, N_COUNTS };

static void fill_results(const osvm_run *run, int interrupted, int n_kept, SEXP *result) {
  const struct osvm_driver *d = run->driver;
  double *trace = REAL(result[TRACE]), *counts = REAL(result[COUNTS]);
  for (int e = 0; e < d->epochs_done; e++) {
    const double row[] = {d->trace[e].loss, d->trace[e].violations, d->trace[e].support, d->trace[e].seconds};
    for (int k = 0; k < 4; k++) trace[e + k * run->epochs] = row[k];
  }
  for (int m = 0; m < run->machines; m++) {
    const osvm_convergence *end = &run->machine[m].convergence;
    const double column[CONVERGENCE_FIELDS] = {end->iterations, end->gap, end->objective, end->finished, end->stalled};
    memcpy(REAL(result[CONVERGENCE]) + CONVERGENCE_FIELDS * m, column, sizeof column);
    counts[STEPS] += run->machine[m].visits;
  }
  counts[UPDATES] = osvm_run_updates(run);
  counts[EVALUATIONS] = run->evaluations;
  counts[EPOCHS] = d->epochs_done;
  counts[VISITED] = d->visited;
  counts[N_KEPT] = n_kept;
  counts[INTERRUPTED] = interrupted;
}

/* All R memory is allocated before the run, so that nothing can fail after it. */
SEXP ffi_fit(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  request q;
  osvm_error error = {read_request(data, carried, labels, kernel, solver, control, &q)};
  if (error.text != NULL) return r_sentence(&error);
  const int epochs = osvm_solver_epochs(q.spec.solver, q.spec.rule), keep_path = r_number(solver, "path", 0) != 0;
  osvm_model model = {.size = q.primal ? q.view.d : q.task.count + q.carried.size + q.n_made,
                      .machines = q.task.machines};
  const R_xlen_t size = model.size, machines = model.machines;
  epoch_path path;
  SEXP parts[RESULTS] = {[COEF] = PROTECT(Rf_allocVector(REALSXP, size * machines)),
                         [INTERCEPT] = PROTECT(Rf_allocVector(REALSXP, machines)),
                         [STATE] = PROTECT(Rf_allocVector(REALSXP, size * machines * q.names.n_columns)),
                         [COLUMN_NAMES] = PROTECT(r_strings(q.names.column, q.names.n_columns)),
                         [SCALARS] = PROTECT(r_named_matrix(q.names.scalar, q.names.n_scalars, (int)machines, 0)),
                         [KEPT] = PROTECT(Rf_allocVector(INTSXP, q.primal ? 0 : size)),
                         [MADE] = PROTECT(q.n_made > 0 ? Rf_allocMatrix(REALSXP, q.n_made, q.view.d) : R_NilValue),
                         [TRACE] = PROTECT(r_named_matrix(trace_names, 4, epochs, 1)),
                         [CONVERGENCE] =
                             PROTECT(r_named_matrix(convergence_names, CONVERGENCE_FIELDS, (int)machines, 0)),
                         [COUNTS] = PROTECT(r_named_reals(count_names, N_COUNTS)),
                         [PATH] = PROTECT(keep_path ? new_path(size, machines, epochs, &path) : R_NilValue)};
  SEXP result = PROTECT(r_list(result_names, parts, RESULTS));
  model.coef = REAL(parts[COEF]);
  model.intercept = REAL(parts[INTERCEPT]);
  model.columns = REAL(parts[STATE]);
  model.scalars = REAL(parts[SCALARS]);
  model.kept = INTEGER(parts[KEPT]);
  double *made = q.n_made > 0 ? (double *)R_alloc((size_t)(q.n_made + 1) * q.view.d, sizeof(double)) : NULL;
  model.made = made;
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
    if (made != NULL) memcpy(REAL(parts[MADE]), made, (size_t)q.n_made * q.view.d * sizeof(double));
    fill_results(&run, interrupted, model.n_kept, parts);
  }
  osvm_run_close(&run);
  UNPROTECT(RESULTS + 1);
  return status == OSVM_OK ? result : r_failure(status, &error);
}

/* Outputs for the carried examples, each by the machines without it: list(outputs, interrupted). NA: the example is not
 * part of the machine, or its turn has not come before an interrupt. */
SEXP ffi_leave_out(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  static const char *const names[] = {"outputs", "interrupted"};
  request q;
  osvm_error error = {read_request(data, carried, labels, kernel, solver, control, &q)};
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
