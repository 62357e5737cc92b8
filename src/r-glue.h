/* What the entry points share. Only files named r-*.c and init.c include R headers.
 *
 * An entry point raises no error: it returns its result, or one sentence as a string, which R turns into a classed
 * condition, or NULL after an interrupt, which R signals anew. R checks arguments first; whatever memory safety depends
 * on is checked again here. */
#pragma once

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "osvm.h"

/* ---- interrupts and progress ---- */

typedef struct {
  double checked, shown;
  SEXP progress;
  osvm_caller caller;
} r_host;
osvm_progress r_progress(r_host *host, SEXP progress); /* progress: NULL or a function of the fraction done */

/* ---- reading; a function that returns const char * returns a sentence, or NULL if all is well ---- */

#define R_TRY(reading)                                                                                                 \
  do {                                                                                                                 \
    const char *trouble_ = (reading);                                                                                  \
    if (trouble_ != NULL) return trouble_;                                                                             \
  } while (0)

void *r_zeros(size_t count, size_t size);         /* in R's memory until the call returns */
SEXP r_field(SEXP list, const char *name);        /* R_NilValue if missing */
int r_is(SEXP x, SEXPTYPE type, R_xlen_t length); /* length < 0: any */
double r_number(SEXP list, const char *name, double fallback);
const char *r_data(SEXP list, osvm_data *data);   /* list(x, center, scale, warp, unit_norm, map) */
const char *r_map(SEXP pointer, osvm_data *data); /* NULL, or a map made by ffi_map_open */
/* list(name, values, approximated): the parameters' values as they are declared; given kernels: `values` is the matrix */
const char *r_kernel(SEXP spec, osvm_kernel *kernel);
/* list(name, values): the solver, and the values of its parameters as it declares them */
const char *r_solver(SEXP spec, const osvm_solver **solver, const double **params);
const char *r_loss(SEXP spec, osvm_loss *loss); /* list(name, values) */

int r_are_indices(SEXP values, R_xlen_t below); /* whole numbers from 0 to below - 1 */

/* list(class | value, positive, negative, loss): numbers of classes from 0, or numbers, a column per machine, or neither;
 * an element of positive and negative per machine */
const char *r_target(SEXP labels, R_xlen_t count, osvm_task *task);
/* What a run is given: every field checked for type and length */
const char *r_task(SEXP data, SEXP labels, SEXP kernel, SEXP solver, SEXP control, osvm_task *task, osvm_data *view);
/* What decides the precision of a task's runs: `extent` of control, and `approximated` of the kernel */
const char *r_precision(SEXP kernel, SEXP control, osvm_task *task);
/* Of a prediction, see ffi_decide */
const char *r_decision(SEXP data, SEXP kernel, SEXP control, osvm_task *task, osvm_data *view, r_host *host);

/* What an entry point that runs a solver is given, as the core wants it */
typedef struct {
  osvm_task task;
  osvm_data view;
  r_host host;
} r_request;
/* list(data, labels, kernel, solver, control), of which the progress and, in `solver`, the seed are part */
const char *r_read_request(SEXP request, r_request *out);
osvm_live *r_live_of(SEXP pointer); /* NULL: closed, or read from a file, or not a live model */

/* ---- writing ---- */

SEXP r_sentence(const osvm_error *error);
SEXP r_failure(osvm_status status, const osvm_error *error); /* NULL: interrupted, and there is no result */
SEXP r_list(const char *const *names, SEXP *values, int count);
SEXP r_strings(const char *const *strings, int count);
SEXP r_named_reals(const char *const *names, int count); /* zeros */
/* Row names and no column names, or the other way round if by_column */
SEXP r_named_matrix(const char *const *names, int count, int other, int by_column);

SEXP r_new_outputs(int n, int machines); /* zeros */
void r_add_intercepts(SEXP outputs, const double *intercept);

/* ---- threads ---- */

void r_note_forks(void);
int r_processors(void);      /* 1 in a forked child */
int r_threads(SEXP control); /* from 1 to the number of processors */

/* ---- entry points ---- */

#define R_ENTRY(name, arguments, ...) SEXP name(__VA_ARGS__);
#include "r-entries.h"
#undef R_ENTRY
