/* What the entry points share. Only files named r-*.c and init.c see an R header. */
#ifndef OSVM_R_GLUE_H
#define OSVM_R_GLUE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "osvm.h"

/* Entry points never raise an error themselves: they return their result, or one sentence as a string, which R turns into
 * a classed condition. Arguments come checked from R; what would be memory-unsafe is checked again here. */
SEXP r_sentence(const osvm_error *error);

SEXP r_field(SEXP list, const char *name);        /* R_NilValue when missing */
int r_is(SEXP x, SEXPTYPE type, R_xlen_t length); /* length < 0: any */
double r_number(SEXP list, const char *name, double fallback);
const char *r_data(SEXP list, osvm_data *data);          /* list(x, center, scale); a sentence when it is damaged */
const char *r_kernel(SEXP numbers, osvm_kernel *kernel); /* c(type, gamma, coef0, degree) */

SEXP r_list(const char *const *names, SEXP *values, int count);

/* What a run is given but for its parameters, every field checked for type and length; a sentence, or NULL */
const char *r_task(SEXP data, SEXP labels, SEXP kernel, SEXP solver, SEXP control, osvm_task *task, osvm_data *view);
const osvm_param *r_params(SEXP solver); /* in R's memory, gone when the call returns */

typedef struct {
  double checked, shown;
  SEXP progress;
} r_progress;
osvm_progress r_progress_callback(r_progress *watcher, SEXP progress); /* progress: NULL or a function of the fraction done */

SEXP ffi_fit(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control);
SEXP ffi_leave_out(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control);
SEXP ffi_tune(SEXP data, SEXP labels, SEXP kernels, SEXP solvers, SEXP cells, SEXP control);
SEXP ffi_decide(SEXP model, SEXP data, SEXP kernel, SEXP control);
SEXP ffi_describe(SEXP data, SEXP moments);
SEXP ffi_solvers(void);
SEXP ffi_machine(void);

#endif
