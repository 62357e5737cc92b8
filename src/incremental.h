/* The soft-margin SVM with bias, kept optimal while examples are learned and unlearned one at a time.
 * Cauwenberghs & Poggio (2001), Incremental and decremental support vector machine learning, NIPS 13. Equation numbers
 * are theirs. Double precision only.
 *
 * Signs     The paper has 0 <= alpha_i <= C, Q_ij = y_i y_j k_ij and g_i = y_i f(x_i) - 1. Here alpha_i is the paper's
 *           y_i alpha_i, between 0 and y_i C_i, and g_i the gradient of the dual in it, -y_i times the paper's:
 *             f(x_i) = sum_j alpha_j k_ij + bias,  g_i = y_i - f(x_i),  sum_i alpha_i = 0.
 *           Row i and column j of Q are multiplied by y_i and y_j: Q_ij becomes k_ij, and the border y of (7) becomes
 *           1. beta_j, beta_0 and gamma_i are y_j y_c, y_c and y_i y_c times the paper's
 * Sets      by the Kuhn-Tucker conditions: margin vectors S (g = 0), error vectors E (alpha = y C, y g >= 0), reserve
 *           vectors (alpha = 0, y g <= 0). A vector whose conditions do not hold yet is in transit
 * Step      of the candidate c, a vector in transit (sections on adiabatic increments and on bookkeeping): alpha_c
 *           changes by d, and the bias and alpha_S with it so that sum alpha = 0 and g = 0 on S remain true,
 *             (bias, alpha_S) += beta d,  beta = -R (1, k_Sc)                                  (8), (9), (10)
 *             g_i -= gamma_i d,           gamma_i = k_ic + sum_{j in S} k_ij beta_j + beta_0   (11), (12)
 *           up to the first migration of a vector from one set to another, where R is updated by (13) or (14).
 *           With an empty S there is no R, and the bias changes alone, by d: gamma_i = 1
 * Cost      per step |S| kernel rows of all vectors, and |S|^2 for R */
#ifndef OSVM_INCREMENTAL_H
#define OSVM_INCREMENTAL_H

#include "incremental-inverse.h"
#include "solver.h"
#include "sv-dual.h"

/* Columns, all doubles with idle value 0; and the values of column SET */
enum { OSVM_INCREMENTAL_SET = OSVM_SV_COLUMNS, OSVM_INCREMENTAL_GAMMA, OSVM_INCREMENTAL_COLUMNS };
enum { OSVM_IN_TRANSIT, OSVM_IN_MARGIN, OSVM_IN_ERROR, OSVM_IN_RESERVE };

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_inverse margin; /* S and R */
  double bias;
  double rounding;  /* estimate of the error that rounding has made in any g since the last correction */
  double upper_max; /* the largest C_i so far */
  int steps;        /* since the last correction */
  int unfinished;   /* some vector was left in transit */
  int imported;     /* S is that of an imported model, and has no R yet */
} osvm_incremental;

osvm_status osvm_incremental_open(osvm_incremental *s, osvm_run *run, osvm_machine *machine, int biased);
/* A vector of an imported model goes back to its set. R is computed before the first step, when all have and the bias
 * is set */
osvm_status osvm_incremental_place(osvm_incremental *s, int slot, double set);
/* Incremental step: the vector in this slot, with alpha = 0 and columns LABEL, UPPER and GRADIENT set */
osvm_status osvm_incremental_learn(osvm_incremental *s, int slot);
/* Decremental step (section 3.1): alpha moves to 0; the vector stays, in transit, to be removed or learned again */
osvm_status osvm_incremental_unlearn(osvm_incremental *s, int slot);
osvm_status osvm_incremental_finish_transit(osvm_incremental *s); /* moves every vector that was left in transit */
/* The bias if any alpha is strictly between its bounds; else, as in SMO, the middle of the interval that the
 * Kuhn-Tucker conditions allow. The vector in slot `except` is left out; -1: none is */
double osvm_incremental_middle_bias(const osvm_incremental *s, int except);
void osvm_incremental_close(osvm_incremental *s);

/* ---- incremental-correct.c: against accumulated rounding errors ---- */

/* alpha of a vector becomes one of its bounds, from which only rounding separates it; its set is E or reserve */
void osvm_incremental_set_at_bound(osvm_incremental *s, int slot, double alpha);
osvm_status osvm_incremental_recompute_gradient(osvm_incremental *s); /* all g, from the coefficients */
/* Makes g = 0 on S and sum alpha = 0 hold again to full precision */
osvm_status osvm_incremental_correct(osvm_incremental *s);
osvm_status osvm_incremental_correct_if_due(osvm_incremental *s);

#endif
