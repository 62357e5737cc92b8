/* The dual of any loss (loss.h), kept optimal while examples are learned and unlearned one at a time.
 * Cauwenberghs & Poggio (2001), Incremental and decremental support vector machine learning, NIPS 13. Equation numbers
 * are theirs. Numbers: Ma, Theiler & Perkins (2003), Accurate on-line support vector regression; novelty: Laskov, Gehl,
 * Krueger & Mueller (2006), Incremental support vector learning. Double precision only.
 *
 * Signs     The paper has 0 <= alpha_i <= C, Q_ij = y_i y_j k_ij and g_i = y_i f(x_i) - 1. Here alpha_i is the paper's
 *           y_i alpha_i, between 0 and y_i C_i, and g_i the gradient of the dual in it, -y_i times the paper's:
 *             f(x_i) = sum_j alpha_j k_ij + bias,  g_i = p_i - f(x_i) - d_i alpha_i,  sum_i alpha_i = 0.
 *           The diagonal d of loss.h makes k_ii into k_ii + d_i in what follows
 *           Row i and column j of Q are multiplied by y_i and y_j: Q_ij becomes k_ij, and the border y of (7) becomes
 *           1. beta_j, beta_0 and gamma_i are y_j y_c, y_c and y_i y_c times the paper's
 * Sets      A vector on the margin S has a coefficient between two breakpoints, its bounds and, where there is a tube or d
 *           changes, 0; its g is its edge: 0, or eps above 0 and -eps below. Others are at a breakpoint, the error vectors E at a
 *           bound, the reserve vectors at 0: g is between the edges of the pieces below and above (for classes
 *           y g >= 0 in E, y g <= 0 in reserve). A vector whose conditions do not hold yet is in transit
 * Step      of the candidate c, a vector in transit (sections on adiabatic increments and on bookkeeping): alpha_c
 *           changes by d, and the bias and alpha_S with it so that sum alpha = 0 and g = 0 on S remain true,
 *             (bias, alpha_S) += beta d,  beta = -R (1, k_Sc)                                  (8), (9), (10)
 *             g_i -= gamma_i d,           gamma_i = k_ic + sum_{j in S} k_ij beta_j + beta_0   (11), (12)
 *           up to the first migration of a vector from one set to another, where R is updated by (13) or (14).
 *           With an empty S there is no R, and the bias changes alone, by d: gamma_i = 1
 * Novelty   sum alpha = nu n is another one with each example. It follows while the candidate goes from 0 to nu (unlearned,
 *           back from there to 0) and the sum of the others stays: the right side of (10) is (0, k_Sc) then
 * Cost      per step |S| kernel rows of all vectors, and |S|^2 for R */
#pragma once

#include "incremental-inverse.h"
#include "solver.h"
#include "sv-dual.h"

/* Columns, all doubles, and the values of column SET. PIECE: of a vector on the margin or on its way 1, -1, or 0 where 0 is
 * no breakpoint; EDGE: its g there; ABOVE, BELOW: what g of a vector at a breakpoint must not exceed, or fall below;
 * infinite for others */
enum {
  OSVM_INCREMENTAL_SET = OSVM_SV_COLUMNS,
  OSVM_INCREMENTAL_PIECE,
  OSVM_INCREMENTAL_GAMMA,
  OSVM_INCREMENTAL_EDGE,
  OSVM_INCREMENTAL_BELOW,
  OSVM_INCREMENTAL_ABOVE, /* next to BELOW: incremental-migration.c */
  OSVM_INCREMENTAL_COLUMNS
};
enum { OSVM_IN_TRANSIT, OSVM_IN_MARGIN, OSVM_IN_ERROR, OSVM_IN_RESERVE };

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_inverse margin; /* S and R */
  double bias, epsilon;
  double sum, cost; /* what sum alpha is to be, of vectors whose costs are `cost` in all */
  double rounding;  /* estimate of the error that rounding has made in any g since the last correction */
  double upper_max; /* the largest C_i so far */
  int steps;        /* since the last correction */
  int unfinished;   /* some vector was left in transit */
  int imported;     /* S is that of an imported model, and has no R yet */
} osvm_incremental;

osvm_status osvm_incremental_open(osvm_incremental *s, osvm_run *run, osvm_machine *machine, int biased);
static inline double *osvm_incremental_column(const osvm_incremental *s, int k) {
  return osvm_sv_set_doubles(s->sv_set, k);
}
/* The breakpoint at which the piece of a vector on the margin, or on its way, ends in direction d */
static inline double osvm_incremental_end(const osvm_incremental *s, int slot, double d) {
  const double piece = osvm_incremental_column(s, OSVM_INCREMENTAL_PIECE)[slot];
  if (d > 0) return piece < 0 ? 0 : osvm_incremental_column(s, OSVM_SV_UPPER)[slot];
  return piece > 0 ? 0 : osvm_incremental_column(s, OSVM_SV_LOWER)[slot];
}
/* d of that piece */
static inline double osvm_incremental_diagonal(const osvm_incremental *s, int slot) {
  const double piece = osvm_incremental_column(s, OSVM_INCREMENTAL_PIECE)[slot];
  return osvm_incremental_column(s, piece < 0 ? OSVM_SV_DIAGONAL_BELOW : OSVM_SV_DIAGONAL_ABOVE)[slot];
}
/* The piece of a vector whose g begins to rise, or to fall */
void osvm_incremental_set_piece(osvm_incremental *s, int slot, int rises);
/* All vectors of an imported model go back to their sets. R is computed before the first step, when the bias is set */
osvm_status osvm_incremental_restore(osvm_incremental *s);
/* Incremental step: the vector in this slot, in transit, with alpha = 0 and the columns of a dual set */
osvm_status osvm_incremental_learn(osvm_incremental *s, int slot);
/* Decremental step (section 3.1): alpha moves to 0; the vector stays, in transit, to be removed or learned again */
osvm_status osvm_incremental_unlearn(osvm_incremental *s, int slot);
osvm_status osvm_incremental_finish_transit(osvm_incremental *s); /* moves every vector that was left in transit */
/* The bias if any alpha is strictly between its bounds; else, as in SMO, the middle of the interval that the
 * Kuhn-Tucker conditions allow. The vector in slot `except` is left out; -1: none is */
double osvm_incremental_middle_bias(const osvm_incremental *s, int except);
void osvm_incremental_close(osvm_incremental *s);

/* ---- incremental-correct.c: against accumulated rounding errors ---- */

/* alpha of a vector becomes one of its breakpoints, from which only rounding separates it; its set is E or reserve */
void osvm_incremental_set_at_breakpoint(osvm_incremental *s, int slot, double alpha);
void osvm_incremental_set_coef(osvm_incremental *s, int slot, double alpha); /* alpha alone, likewise */
void osvm_incremental_release(osvm_incremental *s, int slot, double set);    /* to S, or in transit */
osvm_status osvm_incremental_recompute_gradient(osvm_incremental *s);        /* all g, from the coefficients */
/* Makes g = edge on S and the sum of alpha hold again to full precision */
osvm_status osvm_incremental_correct(osvm_incremental *s);
osvm_status osvm_incremental_correct_if_due(osvm_incremental *s);
