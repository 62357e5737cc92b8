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
} r_host;
osvm_progress r_progress(r_host *host, SEXP progress); /* progress: NULL or a function of the fraction done */

/* ---- reading; a function that returns const char * returns a sentence, or NULL if all is well ---- */

SEXP r_field(SEXP list, const char *name);        /* R_NilValue if missing */
int r_is(SEXP x, SEXPTYPE type, R_xlen_t length); /* length < 0: any */
double r_number(SEXP list, const char *name, double fallback);
const char *r_data(SEXP list, osvm_data *data);       /* list(x, center, scale, map) */
const char *r_map(SEXP pointer, osvm_data *data);     /* NULL, or a map made by ffi_map_open */
const char *r_kernel(SEXP spec, osvm_kernel *kernel); /* list(name, params) */

/* Named parameter values of list(name, params), in R's memory until the call returns */
typedef struct {
  const osvm_solver *solver;
  const osvm_argument *params;
  int n_params;
  double *values;
} r_solver;
const char *r_read_solver(SEXP solver, r_solver *out);

int r_are_indices(SEXP values, R_xlen_t below); /* whole numbers from 0 to below - 1 */

/* What a run is given: every field checked for type and length */
const char *r_task(SEXP data, SEXP labels, SEXP kernel, SEXP solver, SEXP control, osvm_task *task, osvm_data *view,
                   r_solver *spec);

/* What an entry point that runs a solver is given, as the core wants it */
typedef struct {
  osvm_task task;
  osvm_data view;
  r_host host;
  r_solver spec;
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

SEXP ffi_live_open(SEXP request, SEXP header, SEXP model);
SEXP ffi_live_update(SEXP live, SEXP request, SEXP forget, SEXP header);
SEXP ffi_live_leave_out(SEXP live, SEXP request);
SEXP ffi_live_decide(SEXP live, SEXP data, SEXP control);
SEXP ffi_live_state(SEXP live);
SEXP ffi_live_set(SEXP live, SEXP header);
SEXP ffi_live_read(SEXP live);
SEXP ffi_live_numbers(SEXP live);
SEXP ffi_live_close(SEXP live);
SEXP ffi_tune(SEXP grids, SEXP control);
SEXP ffi_cells_split(SEXP data, SEXP control);
SEXP ffi_cells_assign(SEXP centres, SEXP data, SEXP control);
SEXP ffi_live_update_all(SEXP pointers, SEXP requests, SEXP control);
SEXP ffi_decide(SEXP model, SEXP data, SEXP kernel, SEXP control);
SEXP ffi_describe(SEXP data, SEXP moments);
SEXP ffi_shape(SEXP data);
SEXP ffi_fold(SEXP data, SEXP labels);
SEXP ffi_solvers(void);
SEXP ffi_traits(SEXP solver);
SEXP ffi_kernels(void);
SEXP ffi_kernel_values(SEXP kernel, SEXP base, SEXP slopes);
SEXP ffi_map_open(SEXP map);
SEXP ffi_map_rows(SEXP data, SEXP control);
SEXP ffi_median_distance(SEXP kernel, SEXP data);
SEXP ffi_processor(void);
SEXP ffi_deadline(SEXP seconds);
SEXP ffi_text_cut(SEXP block, SEXP rule);
SEXP ffi_text_read(SEXP block, SEXP rule, SEXP kinds, SEXP na);
SEXP ffi_crc32(SEXP crc, SEXP bytes);
SEXP ffi_svmlight(SEXP block, SEXP first, SEXP features);
SEXP ffi_adwin(SEXP state, SEXP delta, SEXP values);
