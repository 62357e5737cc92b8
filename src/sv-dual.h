/* Support vectors of a dual, for its online solvers: a signed coefficient a between its bounds, and the gradient
 * g = p - sum_j a_j k_j - d a - bias. Cost, C times weight, is kept in the model; linear term p, bounds and diagonal d
 * follow from it and from the target (loss.h). Solvers on it have these columns first; their own follow. All are 0 in a free slot. */
#pragma once

#include "loss.h"
#include "sv-set.h"

enum {
  OSVM_SV_COEF,
  OSVM_SV_GRADIENT,
  OSVM_SV_COST,
  OSVM_SV_LINEAR,
  OSVM_SV_LOWER,
  OSVM_SV_UPPER,
  OSVM_SV_DIAGONAL_BELOW, /* d where a < 0 */
  OSVM_SV_DIAGONAL_ABOVE,
  OSVM_SV_COLUMNS
};
#define OSVM_SV_DUAL_COLUMNS                                                                                           \
  {.name = "coef", .role = OSVM_COLUMN_COEF}, {.name = "gradient", .role = OSVM_COLUMN_SIGNED},                        \
      {.name = "cost", .role = OSVM_COLUMN_COST}, {0}, {0}, {0}, {0}, {                                                \
    0                                                                                                                  \
  }

static inline osvm_dual_term osvm_dual_sv_term(const osvm_sv_set *set, int slot) {
  return (osvm_dual_term){
      osvm_sv_set_doubles(set, OSVM_SV_LINEAR)[slot],
      osvm_sv_set_doubles(set, OSVM_SV_LOWER)[slot],
      osvm_sv_set_doubles(set, OSVM_SV_UPPER)[slot],
      {osvm_sv_set_doubles(set, OSVM_SV_DIAGONAL_BELOW)[slot], osvm_sv_set_doubles(set, OSVM_SV_DIAGONAL_ABOVE)[slot]}};
}

/* The term of a support vector whose cost is set */
static inline void osvm_dual_sv_derive(const osvm_sv_set *set, int slot, const osvm_loss *loss, double y) {
  const osvm_dual_term term = osvm_loss_term(loss, y, osvm_sv_set_doubles(set, OSVM_SV_COST)[slot]);
  osvm_sv_set_doubles(set, OSVM_SV_LINEAR)[slot] = term.linear;
  osvm_sv_set_doubles(set, OSVM_SV_LOWER)[slot] = term.lower;
  osvm_sv_set_doubles(set, OSVM_SV_UPPER)[slot] = term.upper;
  osvm_sv_set_doubles(set, OSVM_SV_DIAGONAL_BELOW)[slot] = term.diagonal[0];
  osvm_sv_set_doubles(set, OSVM_SV_DIAGONAL_ABOVE)[slot] = term.diagonal[1];
}

/* Columns of a new support vector with coefficient 0 */
static inline void osvm_dual_sv_init(const osvm_sv_set *set, int slot, const osvm_loss *loss, double y, double cost,
                                     double gradient) {
  osvm_sv_set_doubles(set, OSVM_SV_COST)[slot] = cost;
  osvm_sv_set_doubles(set, OSVM_SV_GRADIENT)[slot] = gradient;
  osvm_dual_sv_derive(set, slot, loss, y);
}

/* sum_j a_j k(x_j, .) of next[0]; see osvm_sv_set_candidate_row */
static inline osvm_status osvm_dual_sv_output(osvm_sv_set *set, const int *next, int count, double *output,
                                              osvm_error *error) {
  const void *row;
  OSVM_TRY(osvm_sv_set_candidate_row(set, next, count, &row, error));
  *output = set->shared->store.simd->weigh(row, set->n, osvm_sv_set_doubles(set, OSVM_SV_COEF));
  return OSVM_OK;
}

/* Coefficients by example, for osvm_solver.result */
static inline void osvm_dual_sv_result(const osvm_sv_set *set, double *coef) {
  for (int slot = 0; slot < set->n; slot++)
    if (set->shared_slot[slot] >= 0)
      coef[osvm_sv_set_example(set, slot)] = osvm_sv_set_doubles(set, OSVM_SV_COEF)[slot];
}
