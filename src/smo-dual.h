/* The dual of a soft-margin machine with bias, for solvers that change its coefficients in pairs until none is worth it.
 *
 * Signed coefficients b_i, each between 0 and y_i C_i, sum b_i = 0, live in the machine's expansion; errors are
 * e_i = y_i - sum_j b_j k_ij. Both bounds and errors are kept for the active examples, packed together in `pairs` for the
 * passes over them. Examples at a bound which no pair would pick can be set aside: each keeps the error it had then, and
 * `then` the coefficients of that moment, so that bringing it up to date costs the coefficients changed since. */
#ifndef OSVM_CORE_DUAL_H
#define OSVM_CORE_DUAL_H

#include "smo-active-set.h"
#include "solver.h"

enum { OSVM_MAX_SHRINKS = 16 };

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  const osvm_store *store;
  int m, n;           /* the machine's number; examples in the store, its own or not */
  double from, share; /* of the whole run's progress */
  double C, tolerance;
  double *y, *upper, *gradient;  /* n each: label (0: not its business), C_i, error when last kept */
  double *b, *coef;         /* coefficients: the expansion's, or (coef) its own */
  osvm_active_set active, rest; /* rest: examples set aside, while they are brought up to date */
  unsigned char *is_active;    /* is it active? */
  int n_shrinks, *shrunk_at;       /* moments when examples were set aside; an example's, or -1 */
  double *coef_then[OSVM_MAX_SHRINKS];
  osvm_pair_selection selection; /* of the active */
  int padded;       /* length of its arrays */
  double *factor;   /* n, and places: changes to bring in */
  int *changed;
  double iterations, work, largest_gap;
  double evaluations; /* of the run, when the dual was opened */
  int no_poll; /* does not ask whether to stop */
} osvm_dual;

/* Labels, bounds, carried coefficients and the errors that go with them; all examples are active. OSVM_INTERRUPTED: before
 * the errors were complete */
osvm_status osvm_dual_open(osvm_dual *dual, osvm_run *run, int machine, double C, double tolerance);
/* The same for examples of another store, whose labels, bounds, coefficients and errors the caller fills in before it begins */
osvm_status osvm_dual_open_on(osvm_dual *dual, osvm_run *run, int machine, const osvm_store *store, size_t bytes,
                              double tolerance);
osvm_status osvm_dual_begin(osvm_dual *dual);
/* After a solution has been reached, on to that for another C: its coefficients, as large as pays, are the start */
osvm_status osvm_dual_warm_start(osvm_dual *dual, double C, double tolerance);
/* Pairs of second order until the gap is below the tolerance, or max_iter; all errors are kept then */
osvm_status osvm_dual_solve(osvm_dual *dual, int shrinking, double max_iter);
osvm_status osvm_dual_overflow(const osvm_dual *dual);
int osvm_dual_stopped(osvm_dual *dual); /* the caller, asked every few milliseconds, wants to stop */

static inline double osvm_dual_lower(const osvm_dual *dual, int i) { return dual->y[i] < 0 ? -dual->upper[i] : 0; }
static inline double osvm_dual_upper(const osvm_dual *dual, int i) { return dual->y[i] > 0 ? dual->upper[i] : 0; }
static inline int osvm_dual_in_up(const osvm_dual *dual, int i) { return dual->b[i] < osvm_dual_upper(dual, i); }
static inline int osvm_dual_in_low(const osvm_dual *dual, int i) { return dual->b[i] > osvm_dual_lower(dual, i); }

/* k_ii + k_jj - 2 k_ij of the k-th and l-th active example, of which row is the k-th's kernel row */
double osvm_dual_curvature(const osvm_dual *dual, int k, int l, const void *row);
/* b_i += t, b_j -= t for the k-th and l-th active example as far as the bounds allow; errors and all that follows */
void osvm_dual_step(osvm_dual *dual, int k, int l, double t, const void *row_k, const void *row_l);
/* pairs' highest, lowest and first, of the active */
void osvm_dual_refresh_selection(osvm_dual *dual);
/* Active errors into `error`, by place in the store */
void osvm_dual_store_gradient(osvm_dual *dual);
/* All errors up to date and kept, nobody aside; pairs' highest and lowest are of all. It takes osvm_dual_shrink(, 1) to
 * go on. */
osvm_status osvm_dual_reconstruct_gradient(osvm_dual *dual);
/* Sets aside whom no pair would pick, if that makes enough of a difference; errors must have been kept. refill: `pairs` is
 * to be filled anyhow. */
osvm_status osvm_dual_shrink(osvm_dual *dual, int refill);
/* Bias, gap, objective and counts, from the errors kept */
void osvm_dual_finish(osvm_dual *dual);
void osvm_dual_close(osvm_dual *dual);

/* An example's weight, new or carried */
double osvm_dual_weight(const osvm_run *run, int machine, int i);
/* What the model needs to go on: coefficients, and beside them the weights */
osvm_status osvm_dual_export(osvm_run *run, osvm_model *model);

#endif
