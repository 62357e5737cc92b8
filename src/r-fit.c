/* ffi_fit: one run of a solver, from scratch or from a model that goes on learning. */
#include <string.h>

#include "r-glue.h"

/* Every field checked for type and length before the core may touch it. Returns a sentence, or NULL. */
static const char *read_task(SEXP data, SEXP labels, SEXP kernel, SEXP solver, SEXP control, osvm_task *task,
                             osvm_data *view) {
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

static int r_dual(const char *name) {
  int count;
  const osvm_door_plate *plate = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    if (strcmp(plate[s].name, name) == 0) return plate[s].solver->dual;
  return 0;
}

static const osvm_param *read_params(SEXP solver) {
  SEXP values = r_field(solver, "params"), names = PROTECT(Rf_getAttrib(values, R_NamesSymbol));
  const R_xlen_t count = Rf_xlength(names);
  osvm_param *params = (osvm_param *)R_alloc(count + 1, sizeof *params);
  for (R_xlen_t k = 0; k < count; k++) params[k] = (osvm_param){CHAR(STRING_ELT(names, k)), REAL_RO(values)[k]};
  UNPROTECT(1);
  return params;
}

/* The model that goes on: list(x, center, scale, size, going, tally); x is NULL for weights. */
static const char *read_carried(SEXP carried, int primal, osvm_task *task, osvm_data *view, osvm_model *model) {
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
  if (!r_is(going, REALSXP, (R_xlen_t)model->size * model->machines * 2) ||
      !r_is(tally, REALSXP, (R_xlen_t)OSVM_TALLY * model->machines))
    return "the model's state is damaged";
  model->going = (double *)REAL_RO(going);
  model->tally = (double *)REAL_RO(tally);
  task->model = model;
  return NULL;
}

static SEXP named_list(const char *const *names, SEXP *values, int count) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count)), labels = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_VECTOR_ELT(list, k, values[k]);
    SET_STRING_ELT(labels, k, Rf_mkChar(names[k]));
  }
  Rf_setAttrib(list, R_NamesSymbol, labels);
  UNPROTECT(2);
  return list;
}

static const char *const result_names[] = {"coef",  "intercept", "going",       "tally",
                                           "trace", "counts",    "convergence", "status"};
enum { RESULTS = sizeof result_names / sizeof result_names[0] };

/* status, epochs and counts are known last; all memory for them is there before the run. */
static void fill_result(osvm_run *run, osvm_status status, SEXP result) {
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
  counts[2] = run->engine.evaluations;
  counts[3] = run->epochs_done;
  counts[4] = run->visited;
  double *convergence = REAL(VECTOR_ELT(result, 6));
  for (int m = 0; m < run->task->machines; m++)
    memcpy(convergence + 4 * m, &run->machine[m].convergence, 4 * sizeof(double));
  INTEGER(VECTOR_ELT(result, 7))[0] = status == OSVM_INTERRUPTED;
}

SEXP ffi_fit(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control) {
  osvm_task task = {0};
  osvm_data view, old_view;
  osvm_model old = {0}, fresh = {0};
  r_watcher watcher;
  osvm_error error = {read_task(data, labels, kernel, solver, control, &task, &view)};
  const int primal = error.text == NULL && task.kernel.type == OSVM_LINEAR && !r_dual(task.solver);
  if (error.text == NULL) error.text = read_carried(carried, primal, &task, &old_view, &old);
  if (error.text != NULL) return r_sentence(&error);
  task.params = read_params(solver);
  task.watch = r_watch(&watcher, r_field(control, "progress"));

  fresh.size = primal ? view.d : task.count + old.size;
  fresh.machines = task.machines;
  const R_xlen_t size = fresh.size, machines = task.machines;
  SEXP parts[RESULTS] = {
      PROTECT(Rf_allocVector(REALSXP, size * machines)),     PROTECT(Rf_allocVector(REALSXP, machines)),
      PROTECT(Rf_allocVector(REALSXP, size * machines * 2)), PROTECT(Rf_allocVector(REALSXP, OSVM_TALLY * machines)),
      PROTECT(Rf_allocMatrix(REALSXP, task.epochs, 4)),      PROTECT(Rf_allocVector(REALSXP, 5)),
      PROTECT(Rf_allocMatrix(REALSXP, 4, (int)machines)),    PROTECT(Rf_allocVector(INTSXP, 1))};
  memset(REAL(parts[5]), 0, 5 * sizeof(double));
  SEXP result = PROTECT(named_list(result_names, parts, RESULTS));
  fresh.coef = REAL(parts[0]);
  fresh.intercept = REAL(parts[1]);
  fresh.going = REAL(parts[2]);
  fresh.tally = REAL(parts[3]);

  osvm_run run;
  osvm_status status = osvm_run_open(&run, &task, &error);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) {
    fill_result(&run, status, result);
    status = osvm_run_export(&run, &fresh);
  }
  osvm_run_close(&run);
  UNPROTECT(RESULTS + 1);
  return status == OSVM_OK ? result : r_sentence(&error);
}
