/* Support vectors of a dual, for its on-line solvers: a signed coefficient a between 0 and y C, and the gradient
 * g = y - sum_j a_j k_j - bias. Solvers on it have these columns first; their own follow. */
#ifndef OSVM_SV_DUAL_H
#define OSVM_SV_DUAL_H

#include "sv-set.h"

enum { OSVM_SV_COEF, OSVM_SV_GRADIENT, OSVM_SV_BOUND, OSVM_SV_COLUMNS };
/* bound: y C, whose sign is the label; 0 in a free slot */
#define OSVM_SV_DUAL_COLUMNS                                                                                           \
  {.name = "coef", .role = OSVM_COLUMN_COEF}, {.name = "gradient", .role = OSVM_COLUMN_SIGNED}, {                      \
    .name = "bound", .role = OSVM_COLUMN_BOUND                                                                         \
  }

/* column: of a support-vector set, or arrays in the same order */
static inline double osvm_dual_sv_label(void *const *column, int k) {
  const double bound = ((const double *)column[OSVM_SV_BOUND])[k];
  return (bound > 0) - (bound < 0);
}
static inline double osvm_dual_sv_lower(void *const *column, int k) {
  const double bound = ((const double *)column[OSVM_SV_BOUND])[k];
  return bound < 0 ? bound : 0;
}
static inline double osvm_dual_sv_upper(void *const *column, int k) {
  const double bound = ((const double *)column[OSVM_SV_BOUND])[k];
  return bound > 0 ? bound : 0;
}
/* The bound in the given direction */
static inline double osvm_dual_sv_limit(void *const *column, int k, double direction) {
  return direction > 0 ? osvm_dual_sv_upper(column, k) : osvm_dual_sv_lower(column, k);
}

/* Columns of a new support vector with coefficient 0 */
static inline void osvm_dual_sv_init(const osvm_sv_set *set, int slot, double y, double C, double gradient) {
  osvm_sv_set_doubles(set, OSVM_SV_BOUND)[slot] = y * C;
  osvm_sv_set_doubles(set, OSVM_SV_GRADIENT)[slot] = gradient;
}

/* Coefficients by example, for osvm_solver.result */
static inline void osvm_dual_sv_result(const osvm_sv_set *set, double *coef) {
  for (int slot = 0; slot < set->n; slot++)
    if (set->shared_slot[slot] >= 0)
      coef[osvm_sv_set_example(set, slot)] = osvm_sv_set_doubles(set, OSVM_SV_COEF)[slot];
}

#endif
