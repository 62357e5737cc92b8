/* From R's lists to the core's structs, and R's patience to the core's watch. */
#include <string.h>
#include <time.h>

#include "r-glue.h"

SEXP r_sentence(const osvm_error *error) { return Rf_mkString(error->text ? error->text : "something went wrong"); }

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
    if (!R_has_slot(x, Rf_install(names[k]))) return "it is a damaged dgCMatrix: a slot is missing";
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

const char *r_data(SEXP list, osvm_data *data) {
  SEXP x = r_field(list, "x"), centre = r_field(list, "center"), scale = r_field(list, "scale");
  memset(data, 0, sizeof *data);
  const char *trouble = IS_S4_OBJECT(x) ? sparse_slots(x, data) : dense_values(x, data);
  if (trouble != NULL) return trouble;
  if (!Rf_isNull(centre) && !r_is(centre, REALSXP, data->d)) return "the model's centring does not fit its columns";
  if (!Rf_isNull(scale) && !r_is(scale, REALSXP, data->d)) return "the model's scaling does not fit its columns";
  data->centre = Rf_isNull(centre) ? NULL : REAL_RO(centre);
  data->scale = Rf_isNull(scale) ? NULL : REAL_RO(scale);
  return NULL;
}

const char *r_kernel(SEXP numbers, osvm_kernel *kernel) {
  if (!r_is(numbers, REALSXP, 4)) return "the model's kernel is damaged";
  const double *k = REAL_RO(numbers);
  if (!(k[0] >= OSVM_LINEAR && k[0] <= OSVM_SIGMOID && k[3] >= 0 && k[3] <= 1e6))
    return "the model's kernel is damaged";
  *kernel = (osvm_kernel){.type = (osvm_kernel_type)k[0], .gamma = k[1], .coef0 = k[2], .degree = (int)k[3]};
  return NULL;
}

/* Asking R costs a microsecond and drawing a bar more: by the clock, not by the step. */
static const double CHECK_EVERY = 0.05, SHOW_EVERY = 0.1;

typedef struct {
  r_progress *watcher;
  double done, time;
} moment;

static void look(void *argument) {
  moment *m = argument;
  R_CheckUserInterrupt();
  if (Rf_isNull(m->watcher->progress) || m->time - m->watcher->shown < SHOW_EVERY) return;
  m->watcher->shown = m->time;
  SEXP done = PROTECT(Rf_ScalarReal(m->done));
  SEXP call = PROTECT(Rf_lang2(m->watcher->progress, done));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
}

static int poll(void *user, double done) {
  r_progress *watcher = user;
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  moment m = {watcher, done, (double)t.tv_sec + 1e-9 * (double)t.tv_nsec};
  if (m.time - watcher->checked < CHECK_EVERY) return 0;
  watcher->checked = m.time;
  return R_ToplevelExec(look, &m) == FALSE;
}

osvm_progress r_progress_callback(r_progress *watcher, SEXP progress) {
  *watcher = (r_progress){0, 0, progress};
  return (osvm_progress){poll, watcher};
}
