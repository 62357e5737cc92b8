/* Members with a signed coefficient in a dual, b between 0 and y C, and an error e = y - f(x): what their solvers have
 * in common. Each has these columns first in its circles and these layers first in its model; its own follow. */
#ifndef OSVM_CORE_MEMBER_H
#define OSVM_CORE_MEMBER_H

#include "solver.h"

enum { OSVM_SV_COEF, OSVM_SV_GRADIENT, OSVM_SV_LABEL, OSVM_SV_UPPER, OSVM_SV_COLUMNS };
enum { OSVM_STATE_COEF, OSVM_STATE_GRADIENT, OSVM_STATE_BOUND, OSVM_STATE_COLUMNS }; /* the cap has y's sign; 0: not a member */

/* Bounds of b, and the one that lies in a direction. column: a circle's, or others that begin like them */
static inline double osvm_dual_sv_low(void *const *column, int k) {
  const double *y = column[OSVM_SV_LABEL], *cap = column[OSVM_SV_UPPER];
  return y[k] < 0 ? -cap[k] : 0;
}

static inline double osvm_dual_sv_high(void *const *column, int k) {
  const double *y = column[OSVM_SV_LABEL], *cap = column[OSVM_SV_UPPER];
  return y[k] > 0 ? cap[k] : 0;
}

static inline double osvm_dual_sv_bound(void *const *column, int k, double direction) {
  return direction > 0 ? osvm_dual_sv_high(column, k) : osvm_dual_sv_low(column, k);
}

/* Of the member in this slot, its place in the whole store */
static inline int osvm_dual_sv_example(const osvm_sv_set *circle, int slot) {
  return circle->shared->who[circle->member[slot]];
}

/* Columns of somebody new, whose coefficient is 0 */
void osvm_dual_sv_init(const osvm_sv_set *circle, int slot, double y, double cap, double error);
/* Example j of a carried model takes its seat again, with the columns it had; slot -1: this machine does not know it */
osvm_status osvm_dual_sv_import(osvm_sv_set *circle, const osvm_model *model, int machine, int j, int *slot,
                               osvm_error *error);
/* The member in this slot to its place in the model, and in model->coef */
void osvm_dual_sv_export(const osvm_sv_set *circle, int slot, osvm_model *model, int machine);

#endif
