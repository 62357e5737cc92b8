/* ffi_fit: one run of a solver, from scratch or from a model that goes on learning. */
#include <string.h>

#include "r-glue.h"

/* Every field checked for type and length before the core may touch it. Returns a sentence, or NULL. */
const char *r_task(SEXP data, SEXP labels, SEXP kernel, SEXP solver, SEXP control, osvm_task *task, osvm_data *view) {
  const char *trouble = r_data(data, view);
  if (trouble == NULL) trouble = r_kernel(kernel, &task->kernel);
  if (trouble != NULL) return trouble;
  SEXP rows = r_field(data, "rows"), class = r_field(labels, "class"), weight = r_field(labels, "weight");
  SEXP positive = r_field(labels, "positive"), negative = r_field(labels, "negative");
  SEXP name = r_field(solver, "name"), params = r_field(solver, "params");
  if (!r_is(rows, INTSXP, -1) || Rf_xlength(rows) > view->n) return "the order of visits is damaged";
  const R_xlen_t count = Rf_xlength(rows), machines = Rf_xlength(positive);
  if (!r_is(class, INTSXP, count) || !r_is(weight, REALSXP, count)) return "labels and weights do not fit the examples";
  if (!r_is(positive, INTSXP, -1) || !r_is(negative, INTSXP, machines)) return "the machines are damaged";
  if (!r_is(name, STRSXP, 1) || !r_is(params, REALSXP, -1)) return "the solver is damaged";
  for (R_xlen_t k = 0; k < count; k++)
    if (INTEGER_RO(rows)[k] < 0 || INTEGER_RO(rows)[k] >= view->n) return "the order of visits is damaged";
  task->solver = CHAR(STRING_ELT(name, 0));
  task->n_params = (int)Rf_xlength(params);
  task->data = view;
  task->rows = INTEGER_RO(rows);
  task->count = (int)count;
  task->class_of = INTEGER_RO(class);
  task->weight = REAL_RO(weight);
  task->machines = (int)machines;
  task->positive = INTEGER_RO(positive);
  task->negative = INTEGER_RO(negative);
  task->doubles = r_number(control, "doubles", 0) != 0;
  task->level = (osvm_simd_level)r_number(control, "level", OSVM_BEST);
  task->cache_bytes = (size_t)(r_number(control, "cache_mb", 0) * 1024 * 1024);
  task->threads = (int)r_number(control, "threads", 1);
  task->epochs = (int)r_number(solver, "epochs", 1);
  task->shuffle = r_number(solver, "shuffle", 0) != 0;
  task->seed = r_number(solver, "seed", 0);
  return NULL;
}

const osvm_param *r_params(SEXP solver) {
  SEXP values = r_field(solver, "params"), names = PROTECT(Rf_getAttrib(values, R_NamesSymbol));
  const R_xlen_t count = Rf_xlength(names);
  osvm_param *params = (osvm_param *)R_alloc(count + 1, sizeof *params);
  for (R_xlen_t k = 0; k < count; k++) params[k] = (osvm_param){CHAR(STRING_ELT(names, k)), REAL_RO(values)[k]};
  UNPROTECT(1);
  return params;
}

/* The model that goes on: list(x, center, scale, size, going, tally); x is NULL for weights. */
static const char *read_carried(SEXP carried, const osvm_solver *rule, int primal, osvm_task *task, osvm_data *view,
                                osvm_model *model) {
  if (Rf_isNull(carried)) return NULL;
  if (!primal) {
    const char *trouble = r_data(carried, view);
    if (trouble != NULL) return trouble;
    if (view->d != task->data->d || (view->kind == OSVM_SPARSE) != (task->data->kind == OSVM_SPARSE))
      return "the model's support vectors do not fit its columns";
    task->carried = view;
  }
  SEXP going = r_field(carried, "going"), tally = r_field(carried, "tally");
  model->size = primal ? task->data->d : view->n;
  model->machines = task->machines;
  if (!r_is(going, REALSXP, (R_xlen_t)model->size * model->machines * osvm_solver_depth(rule)) ||
      !r_is(tally, REALSXP, (R_xlen_t)osvm_solver_tallies(rule) * model->machines))
    return "the model's state is damaged";
  model->going = (double *)REAL_RO(going);
  model->tally = (double *)REAL_RO(tally);
  task->model = model;
  SEXP forget = r_field(carried, "forget");
  if (!Rf_isNull(forget)) {
    if (!r_is(forget, INTSXP, -1)) return "the examples to forget are damaged";
    task->forget = INTEGER_RO(forget);
    task->n_forget = (int)Rf_xlength(forget);
  }
  return NULL;
}

SEXP r_list(const char *const *names, SEXP *values, int count) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count)), labels = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_VECTOR_ELT(list, k, values[k]);
    SET_STRING_ELT(labels, k, Rf_mkChar(names[k]));
  }
  Rf_setAttrib(list, R_NamesSymbol, labels);
  UNPROTECT(2);
  return list;
}

static const char *const result_names[] = {"coef",   "intercept",   "going",  "tally", "trace",
                                           "counts", "convergence", "status", "kept",  "path"};
enum { RESULTS = sizeof result_names / sizeof result_names[0] };

/* status, epochs and counts are known last; all memory for them is there before the run. */
static void fill_result(const osvm_run *run, int interrupted, int kept, SEXP result) {
  double *trace = REAL(VECTOR_ELT(result, 4)), *counts = REAL(VECTOR_ELT(result, 5));
  const int epochs = run->task->epochs;
  for (int e = 0; e < run->epochs_done; e++) {
    trace[e] = run->trace[e].loss;
    trace[e + epochs] = run->trace[e].violations;
    trace[e + 2 * epochs] = run->trace[e].support;
    trace[e + 3 * epochs] = run->trace[e].seconds;
  }
  for (int m = 0; m < run->task->machines; m++) {
    counts[0] += run->machine[m].taken;
    counts[1] += run->machine[m].updates;
  }
  counts[2] = osvm_run_evaluations(run);
  counts[3] = run->epochs_done;
  counts[4] = run->visited;
  counts[5] = kept;
  double *convergence = REAL(VECTOR_ELT(result, 6));
  for (int m = 0; m < run->task->machines; m++)
    memcpy(convergence + 4 * m, &run->machine[m].convergence, 4 * sizeof(double));
  INTEGER(VECTOR_ELT(result, 7))[0] = interrupted;
}

/* The models on the way: coefficients and intercepts at the end of every epoch. What else a model holds goes into scratch
 * memory, the same for all of them. */
typedef struct {
  osvm_model model;
  double *coef, *intercept;
  int noted;
} r_path;

static void place_epoch(r_path *path) {
  osvm_model *model = &path->model;
  model->coef = path->coef + (size_t)path->noted * model->size * model->machines;
  model->intercept = path->intercept + (size_t)path->noted * model->machines;
  path->noted++;
}

/* Numbers too large to export will show in the next epoch, too, and fail there. */
static void note_epoch(void *user, osvm_run *run) {
  r_path *path = user;
  place_epoch(path);
  osvm_run_export(run, &path->model);
}

static void note_last(r_path *path, const osvm_model *last) {
  place_epoch(path);
  memcpy(path->model.coef, last->coef, (size_t)last->size * last->machines * sizeof(double));
  memcpy(path->model.intercept, last->intercept, last->machines * sizeof(double));
}

static SEXP new_path(const osvm_model *last, const osvm_solver *rule, int epochs, r_path *path) {
  static const char *const names[] = {"coef", "intercept"};
  const R_xlen_t size = last->size, machines = last->machines, all = size * machines;
  SEXP parts[] = {PROTECT(Rf_allocVector(REALSXP, all * epochs)), PROTECT(Rf_allocVector(REALSXP, machines * epochs))};
  SEXP list = PROTECT(r_list(names, parts, 2));
  memset(REAL(parts[0]), 0, all * epochs * sizeof(double));
  *path = (r_path){.model = *last, .coef = REAL(parts[0]), .intercept = REAL(parts[1])};
  path->model.going = (double *)R_alloc(all * osvm_solver_depth(rule) + 1, sizeof(double));
  path->model.tally = (double *)R_alloc(machines * osvm_solver_tallies(rule) + 1, sizeof(double));
  path->model.kept = (int *)R_alloc(size + 1, sizeof(int));
  UNPROTECT(3);
  return list;
}

/* All that an entry point is given, as the core wants it. */
typedef struct {
  osvm_task task;
  osvm_data view, old_view;
  osvm_model old;
  r_progress watcher;
  const osvm_solver *rule;
  int primal;
} r_request;

static const char *read_request(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control,
                                r_request *request) {
  memset(request, 0, sizeof *request);
  osvm_task *task = &request->task;
  const char *trouble = r_task(data, labels, kernel, solver, control, task, &request->view);
  if (trouble != NULL) return trouble;
  request->rule = osvm_solver_named(task->solver);
  if (request->rule == NULL) return "there is no solver of this name";
  request->primal = task->kernel.type == OSVM_LINEAR && !request->rule->dual;
  trouble = read_carried(carried, request->rule, request->primal, task, &request->old_view, &request->old);
  if (trouble != NULL) return trouble;
  task->params = r_params(solver);
  task->progress = r_progress_callback(&request->watcher, r_field(control, "progress"));
  return NULL;
}

SEXP ffi_fit(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  r_request request;
  osvm_error error = {read_request(data, carried, labels, kernel, solver, control, &request)};
  if (error.text != NULL) return r_sentence(&error);
  const osvm_task *task = &request.task;
  const int primal = request.primal;

  osvm_model fresh = {.size = primal ? task->data->d : task->count + request.old.size, .machines = task->machines};
  const R_xlen_t size = fresh.size, machines = fresh.machines;
  const R_xlen_t depth = osvm_solver_depth(request.rule), tallies = osvm_solver_tallies(request.rule);
  const int on_the_way = r_number(solver, "path", 0) != 0;
  r_path path;
  SEXP parts[RESULTS] = {PROTECT(Rf_allocVector(REALSXP, size * machines)),
                         PROTECT(Rf_allocVector(REALSXP, machines)),
                         PROTECT(Rf_allocVector(REALSXP, size * machines * depth)),
                         PROTECT(Rf_allocVector(REALSXP, tallies * machines)),
                         PROTECT(Rf_allocMatrix(REALSXP, task->epochs, 4)),
                         PROTECT(Rf_allocVector(REALSXP, 6)),
                         PROTECT(Rf_allocMatrix(REALSXP, 4, (int)machines)),
                         PROTECT(Rf_allocVector(INTSXP, 1)),
                         PROTECT(Rf_allocVector(INTSXP, primal ? 0 : size)),
                         PROTECT(on_the_way ? new_path(&fresh, request.rule, task->epochs, &path) : R_NilValue)};
  memset(REAL(parts[5]), 0, 6 * sizeof(double));
  SEXP result = PROTECT(r_list(result_names, parts, RESULTS));
  fresh.coef = REAL(parts[0]);
  fresh.intercept = REAL(parts[1]);
  fresh.going = REAL(parts[2]);
  fresh.tally = REAL(parts[3]);
  fresh.kept = INTEGER(parts[8]);
  memset(fresh.coef, 0, size * machines * sizeof(double));
  memset(fresh.going, 0, size * machines * depth * sizeof(double));

  if (on_the_way) {
    request.task.epoch_ended = note_epoch;
    request.task.user = &path;
  }

  osvm_run run;
  osvm_status status = osvm_run_open(&run, task, &error);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) {
    const int interrupted = status == OSVM_INTERRUPTED;
    status = osvm_run_export(&run, &fresh);
    if (on_the_way) note_last(&path, &fresh);
    fill_result(&run, interrupted, fresh.n_kept, result);
  }
  osvm_run_close(&run);
  UNPROTECT(RESULTS + 1);
  return status == OSVM_OK ? result : r_sentence(&error);
}

/* Outputs for the carried examples, each by the machines without it. */
SEXP ffi_leave_out(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  r_request request;
  osvm_error error = {read_request(data, carried, labels, kernel, solver, control, &request)};
  if (error.text == NULL && (request.rule->leave_out == NULL || request.task.model == NULL))
    error.text = "this model cannot leave examples out";
  if (error.text != NULL) return r_sentence(&error);
  const R_xlen_t size = (R_xlen_t)request.old.size * request.old.machines;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, size));
  memset(REAL(out), 0, size * sizeof(double));
  osvm_run run;
  osvm_status status = osvm_run_open(&run, &request.task, &error);
  if (status == OSVM_OK) status = osvm_run_leave_out(&run, REAL(out));
  if (status == OSVM_INTERRUPTED) osvm_fail(&error, status, "interrupted");
  osvm_run_close(&run);
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_sentence(&error);
}
