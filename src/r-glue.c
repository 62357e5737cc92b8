/* R's lists as the core's structs, results as R objects, and the host's interrupts and progress bar. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "r-glue.h"

SEXP r_sentence(const osvm_error *error) { return Rf_mkString(error->text ? error->text : "something went wrong"); }

SEXP r_failure(osvm_status status, const osvm_error *error) {
  return status == OSVM_INTERRUPTED ? R_NilValue : r_sentence(error);
}

void *r_zeros(size_t count, size_t size) {
  void *all = R_alloc(count + 1, (int)size);
  memset(all, 0, (count + 1) * size);
  return all;
}

SEXP r_field(SEXP list, const char *name) {
  if (TYPEOF(list) != VECSXP) return R_NilValue;
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t k = 0; k < Rf_xlength(names); k++)
    if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0) return VECTOR_ELT(list, k);
  return R_NilValue;
}

int r_is(SEXP x, SEXPTYPE type, R_xlen_t length) {
  return TYPEOF(x) == (int)type && (length < 0 || Rf_xlength(x) == length);
}

double r_number(SEXP list, const char *name, double fallback) {
  SEXP value = r_field(list, name);
  return Rf_isNull(value) ? fallback : Rf_asReal(value);
}

static const char *sparse_slots(SEXP x, osvm_data *data) {
  static const char *const names[] = {"Dim", "p", "i", "x"};
  SEXP slot[4];
  for (int k = 0; k < 4; k++) {
    if (!R_has_slot(x, Rf_install(names[k]))) return "it is a damaged dgCMatrix: it lacks a slot";
    slot[k] = R_do_slot(x, Rf_install(names[k]));
  }
  if (!r_is(slot[0], INTSXP, 2) || INTEGER_RO(slot[0])[0] < 0 || INTEGER_RO(slot[0])[1] < 0)
    return "it is a damaged dgCMatrix: slot Dim must hold two counts";
  data->n = INTEGER_RO(slot[0])[0];
  data->d = INTEGER_RO(slot[0])[1];
  if (!r_is(slot[1], INTSXP, (R_xlen_t)data->d + 1))
    return "it is a damaged dgCMatrix: slot p must have ncol + 1 elements";
  if (!r_is(slot[2], INTSXP, -1) || !r_is(slot[3], REALSXP, Rf_xlength(slot[2])))
    return "it is a damaged dgCMatrix: slots i and x must have one element per non-zero";
  data->kind = OSVM_SPARSE;
  data->start = INTEGER_RO(slot[1]);
  data->row = INTEGER_RO(slot[2]);
  data->x = REAL_RO(slot[3]);
  osvm_error error = {NULL};
  return osvm_data_check(data, (size_t)Rf_xlength(slot[3]), &error) == OSVM_OK ? NULL : error.text;
}

static const char *dense_values(SEXP x, osvm_data *data) {
  SEXP dim = Rf_getAttrib(x, R_DimSymbol);
  if (!r_is(dim, INTSXP, 2)) return "it is not a matrix";
  data->n = INTEGER_RO(dim)[0];
  data->d = INTEGER_RO(dim)[1];
  switch (TYPEOF(x)) {
  case REALSXP:
    data->kind = OSVM_DOUBLES;
    data->x = REAL_RO(x);
    return NULL;
  case INTSXP:
    data->kind = OSVM_INTEGERS;
    data->integers = INTEGER_RO(x);
    return NULL;
  case LGLSXP:
    data->kind = OSVM_INTEGERS;
    data->integers = LOGICAL_RO(x);
    return NULL;
  default: return "it is not a numeric matrix";
  }
}

/* list(kind, start, from, to) */
static const char *r_warp(SEXP list, osvm_data *data) {
  static const char damaged[] = "the model's quantiles do not fit its columns";
  if (Rf_isNull(list)) return NULL;
  SEXP kind = r_field(list, "kind"), start = r_field(list, "start"), from = r_field(list, "from");
  SEXP to = r_field(list, "to");
  const R_xlen_t length = Rf_xlength(from);
  if (data->kind == OSVM_SPARSE) return "the model's scaling is for dense data";
  if (!r_is(kind, STRSXP, 1) || !r_is(start, INTSXP, (R_xlen_t)data->d + 1) || !r_is(from, REALSXP, -1) ||
      !r_is(to, REALSXP, length))
    return damaged;
  const int clip = strcmp(CHAR(STRING_ELT(kind, 0)), "clip") == 0;
  data->warp = (osvm_warp){clip ? OSVM_SOFT_CLIP : OSVM_QUANTILES, INTEGER_RO(start), REAL_RO(from), REAL_RO(to)};
  osvm_error error = {NULL};
  osvm_warp_check(&data->warp, data->d, (size_t)length, &error);
  return error.text;
}

const char *r_data(SEXP list, osvm_data *data) {
  SEXP x = r_field(list, "x"), centre = r_field(list, "center"), scale = r_field(list, "scale");
  memset(data, 0, sizeof *data);
  R_TRY(Rf_isS4(x) ? sparse_slots(x, data) : dense_values(x, data));
  if (!Rf_isNull(centre) && !r_is(centre, REALSXP, data->d)) return "the model's centring does not fit its columns";
  if (!Rf_isNull(scale) && !r_is(scale, REALSXP, data->d)) return "the model's scaling does not fit its columns";
  data->centre = Rf_isNull(centre) ? NULL : REAL_RO(centre);
  data->scale = Rf_isNull(scale) ? NULL : REAL_RO(scale);
  data->unit_norm = r_number(list, "normed", 0) != 0;
  R_TRY(r_warp(r_field(list, "warp"), data));
  return r_map(r_field(list, "map"), data);
}

/* list(name, values). NULL: it is damaged */
static const double *read_spec(SEXP spec, const char **name, int *count) {
  SEXP title = r_field(spec, "name"), values = r_field(spec, "values");
  if (!r_is(title, STRSXP, 1) || !r_is(values, REALSXP, -1)) return NULL;
  *name = CHAR(STRING_ELT(title, 0));
  *count = (int)Rf_xlength(values);
  return REAL_RO(values);
}

const char *r_kernel(SEXP spec, osvm_kernel *kernel) {
  const char *name;
  int count;
  const double *values = read_spec(spec, &name, &count);
  if (values == NULL) return "the model's kernel is damaged";
  const int given = strcmp(name, osvm_kernel_given.name) == 0;
  osvm_error error = {NULL};
  osvm_kernel_read(name, values, given ? 0 : count, kernel, &error);
  if (!given) return error.text;
  SEXP dim = Rf_getAttrib(r_field(spec, "values"), R_DimSymbol);
  if (!r_is(dim, INTSXP, 2) || INTEGER_RO(dim)[0] != INTEGER_RO(dim)[1]) return "the kernel matrix is damaged";
  kernel->given = values;
  kernel->n_given = INTEGER_RO(dim)[0];
  return NULL;
}

const char *r_solver(SEXP spec, const osvm_solver **solver, const double **params) {
  const char *name;
  int count;
  *params = read_spec(spec, &name, &count);
  if (*params == NULL) return "the solver is damaged";
  *solver = osvm_solver_named(name);
  if (*solver == NULL) return "there is no solver of this name";
  if (count != osvm_solver_params(*solver)) return "a parameter of the solver is missing";
  return osvm_solver_epochs(*solver, *params) < 1 ? "there must be at least one epoch" : NULL;
}

int r_are_indices(SEXP values, R_xlen_t below) {
  if (!r_is(values, INTSXP, -1)) return 0;
  for (R_xlen_t k = 0; k < Rf_xlength(values); k++)
    if (INTEGER_RO(values)[k] < 0 || INTEGER_RO(values)[k] >= below) return 0;
  return 1;
}

const char *r_loss(SEXP spec, osvm_loss *loss) {
  const char *name;
  int count;
  const double *params = read_spec(spec, &name, &count);
  osvm_error error = {NULL};
  if (params == NULL) return "the model's loss is damaged";
  osvm_loss_read(name, params, count, loss, &error);
  return error.text;
}

const char *r_target(SEXP labels, R_xlen_t count, osvm_task *task) {
  osvm_target *target = &task->target;
  R_TRY(r_loss(r_field(labels, "loss"), &task->loss));
  SEXP class = r_field(labels, "class"), value = r_field(labels, "value");
  SEXP positive = r_field(labels, "positive"), negative = r_field(labels, "negative");
  target->kind = task->loss.info->target;
  if (!r_is(positive, INTSXP, -1) || !r_is(negative, INTSXP, Rf_xlength(positive))) return "the machines are damaged";
  if (!(target->kind == OSVM_CLASSES
            ? r_is(class, INTSXP, count)
            : target->kind == OSVM_NO_TARGET || r_is(value, REALSXP, count * Rf_xlength(positive))))
    return "the targets do not fit the examples";
  if (target->kind == OSVM_CLASSES) target->class_of = INTEGER_RO(class);
  if (target->kind == OSVM_NUMBERS) target->value = REAL_RO(value);
  target->each = target->kind == OSVM_NUMBERS;
  target->n = (int)count;
  target->positive = INTEGER_RO(positive);
  target->negative = INTEGER_RO(negative);
  task->machines = (int)Rf_xlength(positive);
  if (task->loss.each != NULL && task->loss.machines != task->machines) return "the loss does not fit the machines";
  return NULL;
}

static osvm_simd_level level_of(SEXP control) { return (osvm_simd_level)r_number(control, "level", OSVM_BEST); }

const char *r_precision(SEXP kernel, SEXP control, osvm_task *task) {
  SEXP approximated = r_field(kernel, "approximated"), of = r_field(control, "extent");
  osvm_extent *extent = r_zeros(1, sizeof *extent);
  *extent = (osvm_extent){.largest = r_number(of, "largest", 0),
                          .norm = r_number(of, "norm", 0),
                          .square = r_number(of, "square", 0),
                          .spread = r_number(of, "spread", 0),
                          .far = r_number(of, "far", 0) != 0};
  task->extent = extent;
  task->level = level_of(control);
  if (Rf_isNull(approximated)) return NULL;
  osvm_kernel *exact = r_zeros(1, sizeof *exact);
  task->approximated = exact;
  return r_kernel(approximated, exact);
}

/* Of a field in megabytes; 0 if it is missing */
static size_t r_bytes(SEXP control, const char *name) {
  const double bytes = r_number(control, name, 0) * 1024 * 1024;
  return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2;
}

const char *r_task(SEXP data, SEXP labels, SEXP kernel, SEXP solver, SEXP control, osvm_task *task, osvm_data *view) {
  R_TRY(r_data(data, view));
  R_TRY(r_kernel(kernel, &task->kernel));
  R_TRY(r_solver(solver, &task->solver, &task->params));
  R_TRY(r_precision(kernel, control, task));
  SEXP rows = r_field(data, "rows"), weight = r_field(labels, "weight"), visits = r_field(data, "visits");
  SEXP times = r_field(data, "times");
  if (Rf_xlength(rows) > view->n || !r_are_indices(rows, view->n)) return "the order of visits is damaged";
  const R_xlen_t count = Rf_xlength(rows);
  if (!r_is(weight, REALSXP, count)) return "the weights do not fit the examples";
  R_TRY(r_target(labels, count, task));
  if (!Rf_isNull(visits) && !r_are_indices(visits, count)) return "the order of visits is damaged";
  if (!Rf_isNull(times) && !r_is(times, INTSXP, count)) return "the order of visits is damaged";
  task->times = Rf_isNull(times) ? NULL : INTEGER_RO(times);
  task->visits = Rf_isNull(visits) ? NULL : INTEGER_RO(visits);
  task->n_visits = (int)Rf_xlength(visits);
  task->data = view;
  task->rows = INTEGER_RO(rows);
  task->count = (int)count;
  task->weight = REAL_RO(weight);
  task->cache_bytes = r_bytes(control, "cache_mb");
  task->spare_bytes = r_bytes(control, "spare_mb");
  task->threads = view->threads = r_threads(control);
  task->seed = r_number(solver, "seed", 0);
  return NULL;
}

/* ---- writing ---- */

SEXP r_strings(const char *const *strings, int count) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) SET_STRING_ELT(out, k, Rf_mkChar(strings[k]));
  UNPROTECT(1);
  return out;
}

SEXP r_list(const char *const *names, SEXP *values, int count) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  for (int k = 0; k < count; k++) SET_VECTOR_ELT(list, k, values[k]);
  Rf_setAttrib(list, R_NamesSymbol, r_strings(names, count));
  UNPROTECT(1);
  return list;
}

SEXP r_named_reals(const char *const *names, int count) {
  SEXP out = PROTECT(Rf_allocVector(REALSXP, count));
  memset(REAL(out), 0, count * sizeof(double));
  Rf_setAttrib(out, R_NamesSymbol, r_strings(names, count));
  UNPROTECT(1);
  return out;
}

SEXP r_named_matrix(const char *const *names, int count, int other, int by_column) {
  SEXP out = PROTECT(by_column ? Rf_allocMatrix(REALSXP, other, count) : Rf_allocMatrix(REALSXP, count, other));
  SEXP dimnames = PROTECT(Rf_allocVector(VECSXP, 2));
  memset(REAL(out), 0, (size_t)count * other * sizeof(double));
  SET_VECTOR_ELT(dimnames, by_column, r_strings(names, count));
  Rf_setAttrib(out, R_DimNamesSymbol, dimnames);
  UNPROTECT(2);
  return out;
}

/* ---- interrupts and progress ---- */

/* Seconds: a check costs R a microsecond, drawing a bar far more. */
static const double CHECK_EVERY = 0.05, SHOW_EVERY = 0.1;

/* When all work is to stop as after Ctrl-C; INFINITY: never. R runs one entry point at a time. */
static double deadline = INFINITY;

SEXP ffi_deadline(SEXP seconds) {
  deadline = osvm_wall_seconds() + Rf_asReal(seconds);
  return R_NilValue;
}

typedef struct {
  r_host *host;
  double done, time;
} poll_arguments;

static void check_interrupt(void *data) {
  const poll_arguments *p = data;
  R_CheckUserInterrupt();
  if (Rf_isNull(p->host->progress) || p->time - p->host->shown < SHOW_EVERY) return;
  p->host->shown = p->time;
  SEXP done = PROTECT(Rf_ScalarReal(p->done));
  SEXP call = PROTECT(Rf_lang2(p->host->progress, done));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
}

/* So that tests stop a call at each of its polls: those from `first` to `last` answer 1, counted from the last
 * ffi_stop_at(). The polls made until then */
static double polls = 0, first_stop = INFINITY, last_stop = INFINITY;

SEXP ffi_stop_at(SEXP first, SEXP last) {
  SEXP made = Rf_ScalarReal(polls);
  polls = 0;
  first_stop = Rf_asReal(first);
  last_stop = Rf_asReal(last);
  return made;
}

/* R runs on one thread, which alone may come here. Builds for tests end where another does. */
static void check_thread(const r_host *host) {
#ifdef OSVM_CHECK_THREADS
  if (host->caller.thread != osvm_thread()) abort();
#else
  (void)host;
#endif
}

/* R_ToplevelExec: an interrupt or an error in R's code does not jump over the core's frames. */
static int poll(void *user, double done) {
  r_host *host = user;
  check_thread(host);
  poll_arguments p = {host, done, osvm_wall_seconds()};
  polls++;
  if ((polls >= first_stop && polls <= last_stop) || p.time > deadline) return 1;
  if (p.time - host->checked < CHECK_EVERY) return 0;
  host->checked = p.time;
  return R_ToplevelExec(check_interrupt, &p) == FALSE;
}

osvm_progress r_progress(r_host *host, SEXP progress) {
  *host = (r_host){.progress = progress};
  osvm_caller_here(&host->caller);
  return (osvm_progress){poll, host, &host->caller};
}
