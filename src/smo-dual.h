/* The dual of a machine, with bias or without, solved by pairs of coefficients (sequential minimal optimisation).
 *
 * Signed coefficients (a_i = y_i alpha_i for classes) make one problem of all losses (loss.h):
 *   min 1/2 sum_ij a_i a_j k_ij + sum_i (d_i a_i^2 / 2 - p_i a_i + eps |a_i|),   lower_i <= a_i <= upper_i,   sum_i a_i = s.
 * d is 0, or as if k(x_i, x_i) were larger; it may be another one below 0 than above.
 * The gradient of the smooth part is kept with its sign changed, g_i = p_i - sum_j a_j k_ij - d_i a_i, which for classes
 * is LIBSVM's -y_i G_i. The slope of a_i upwards is g_i - eps, where a_i < 0 g_i + eps; downwards g_i + eps, where a_i > 0
 * g_i - eps; a step ends at the bounds and, where eps > 0 or d changes, at 0. I_up: a_i may increase; I_low: a_i may decrease
 * (Keerthi et al. 2001). The KKT conditions hold to a tolerance when gmax - gmin < tolerance, gmax the largest slope
 * upwards in I_up and gmin the smallest downwards in I_low.
 *
 * Without a bias there is no sum to keep. That is the same problem with one example more, OSVM_NO_EXAMPLE, which has no
 * label, no bounds and k = 0 with all examples: it takes up what the others' sum lacks. A pair with it is a step of a
 * single coefficient. As its slopes are 0, gmax >= 0 >= gmin, which makes the same stopping rule that of the bias 0.
 *
 * Shrinking removes examples at a bound from the active set. Each keeps the gradient of the moment it was removed at,
 * and coef_then the coefficients of that moment, so that reconstructing it costs the coefficients changed since. */
#pragma once

#include <math.h>

#include "smo-active-set.h"
#include "solver.h"

enum { OSVM_MAX_SHRINKS = 16, OSVM_NO_EXAMPLE = -1 };

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  const osvm_store *store;
  int n; /* examples in the store, of this subproblem or not */
  double C, tolerance, epsilon;
  int unbiased, has_diagonal; /* has_diagonal: some d_i is not 0 */
  double *arrays;             /* all of doubles and of the store's values, but own_coef */
  void *zeros;                /* kernel row of OSVM_NO_EXAMPLE */
  unsigned char *is_member;   /* n: of this subproblem */
  osvm_dual_term *term;       /* n */
  double *gradient;           /* n: as last stored */
  double *coef, *own_coef;    /* coefficients: the expansion's, or own_coef */
  osvm_active_set active, reconstructed;
  unsigned char *is_active;
  int n_shrinks, *shrunk_at; /* shrinkings so far; at which of them an example was removed, or -1 */
  double *coef_then[OSVM_MAX_SHRINKS];
  osvm_pair_selection selection; /* of the active examples */
  int padded;                    /* length of its arrays: whole panels */
  double *change;                /* n, and indices: coefficients that changed */
  int *changed;
  double iterations, largest_gap;
  osvm_stall stall;
  double *coef_at_look, *gradient_at_look; /* n: at the last look at the objective, or when the active set was filled */
  double middle_at_look;                   /* (gmax + gmin) / 2 then */
  int looks_without_gain;
  double objective; /* the largest at a check of all examples, to be maximised */
  int no_poll;
} osvm_dual;

/* All examples of the run, from its carried coefficients; all are active. OSVM_INTERRUPTED: the gradient is incomplete. */
osvm_status osvm_dual_open(osvm_dual *dual, osvm_run *run, osvm_machine *machine, double C, double tolerance,
                           int unbiased);
/* Examples of another store; the caller calls osvm_dual_set for its members, then osvm_dual_begin */
osvm_status osvm_dual_open_on(osvm_dual *dual, osvm_run *run, osvm_machine *machine, const osvm_store *store,
                              size_t bytes, double tolerance);
void osvm_dual_set(osvm_dual *dual, int i, osvm_dual_term term, double coef, double gradient);
osvm_status osvm_dual_begin(osvm_dual *dual);
/* From the solution for one C to the start for another */
osvm_status osvm_dual_warm_start(osvm_dual *dual, double C, double tolerance);
void osvm_dual_finish(osvm_dual *dual); /* bias and convergence, from the stored gradient */
void osvm_dual_close(osvm_dual *dual);

void osvm_dual_store_gradient(osvm_dual *dual); /* of the active examples, by index in the store */
/* Ends shrinking: all gradients are stored and current, gmax and gmin are of all examples. osvm_dual_shrink(, 1) is
 * needed before the next step. */
osvm_status osvm_dual_reconstruct_gradient(osvm_dual *dual);
/* Removes examples from the active set, if enough can be removed; the gradient must be stored. refill: fill the active
 * set in any case. */
osvm_status osvm_dual_shrink(osvm_dual *dual, int refill);
double osvm_dual_middle(const osvm_dual *dual);    /* of gmax and gmin, or 0: an estimate of the bias */
void osvm_dual_begin_look(osvm_dual *dual);        /* gains count from here; the gradient must be stored */
void osvm_dual_look(osvm_dual *dual);              /* sets dual->stall, by the gain since the last look */
void osvm_dual_refresh_selection(osvm_dual *dual); /* gmax, gmin and the first of the pair */
int osvm_dual_stopped(osvm_dual *dual);            /* polls the host every few milliseconds of work */

/* As the offsets of the selection are rounded */
static inline double osvm_dual_epsilon(const osvm_run *run) {
  const double epsilon = osvm_loss_tube(&run->loss);
  return run->store.simd->size == sizeof(float) ? (float)epsilon : epsilon;
}
/* gmax and gmin, where OSVM_NO_EXAMPLE counts */
static inline double osvm_dual_gmax(const osvm_dual *dual) {
  return dual->unbiased ? fmax(dual->selection.gmax, 0) : dual->selection.gmax;
}
static inline double osvm_dual_gmin(const osvm_dual *dual) {
  return dual->unbiased ? fmin(dual->selection.gmin, 0) : dual->selection.gmin;
}
/* Slope minus gradient; infinite outside I_up, I_low */
static inline double osvm_dual_up(const osvm_dual *dual, int i) {
  return osvm_slope_up(dual->coef[i], dual->term[i].upper, dual->epsilon);
}
static inline double osvm_dual_low(const osvm_dual *dual, int i) {
  return osvm_slope_low(dual->coef[i], dual->term[i].lower, dual->epsilon);
}
void osvm_dual_mark(osvm_dual *dual, int k);          /* these of the k-th active example, for the selection, ... */
void osvm_dual_mark_diagonal(osvm_dual *dual, int k); /* ... and k_ii + d_i */

/* Slopes of the k-th active example */
static inline double osvm_dual_slope_up(const osvm_dual *dual, int k) {
  return k < 0 ? 0 : dual->selection.gradient[k] + osvm_dual_up(dual, dual->active.example[k]);
}
static inline double osvm_dual_slope_low(const osvm_dual *dual, int k) {
  return k < 0 ? 0 : dual->selection.gradient[k] + osvm_dual_low(dual, dual->active.example[k]);
}

/* ---- smo-solve.c ---- */

/* Here k or l may be OSVM_NO_EXAMPLE.
 * k_ii + d_i + k_jj + d_j - 2 k_ij of the k-th and l-th active example, for a step of the one upwards and of the other
 * downwards; row: the k-th's kernel row */
double osvm_dual_curvature(const osvm_dual *dual, int k, int l, const void *row);
const void *osvm_dual_row(osvm_dual *dual, int k);
/* a_i += t, a_j -= t for the k-th and l-th active example as far as the bounds allow; gradient and selection follow.
 * Returns the step made: 0 if t is below the rounding of the coefficients */
double osvm_dual_step(osvm_dual *dual, int k, int l, double t, const void *row_k, const void *row_l);
/* Second-order pairs until gmax - gmin < tolerance or max_iter steps; the whole gradient is stored then */
osvm_status osvm_dual_solve(osvm_dual *dual, int shrinking, double max_iter);
