/* Members with a signed coefficient in a dual, b between 0 and y C, and an error e = y - f(x): what their solvers have
 * in common. Each has these columns first in its circles and these layers first in its model; its own follow. */
#ifndef OSVM_CORE_MEMBER_H
#define OSVM_CORE_MEMBER_H

#include "core-circle.h"

enum { OSVM_MEMBER_COEF, OSVM_MEMBER_ERROR, OSVM_MEMBER_LABEL, OSVM_MEMBER_CAP, OSVM_MEMBER_COLUMNS };
enum { OSVM_KEPT_COEF, OSVM_KEPT_ERROR, OSVM_KEPT_CAP, OSVM_KEPT }; /* the cap has y's sign; 0: not a member */

/* Bounds of b, and the one that lies in a direction. column: a circle's, or others that begin like them */
static inline double osvm_member_low(void *const *column, int k) {
  const double *y = column[OSVM_MEMBER_LABEL], *cap = column[OSVM_MEMBER_CAP];
  return y[k] < 0 ? -cap[k] : 0;
}

static inline double osvm_member_high(void *const *column, int k) {
  const double *y = column[OSVM_MEMBER_LABEL], *cap = column[OSVM_MEMBER_CAP];
  return y[k] > 0 ? cap[k] : 0;
}

static inline double osvm_member_bound(void *const *column, int k, double direction) {
  return direction > 0 ? osvm_member_high(column, k) : osvm_member_low(column, k);
}

/* Of the member in this slot, its place in the whole store */
static inline int osvm_member_place(const osvm_circle *circle, int slot) {
  return circle->pool->who[circle->member[slot]];
}

/* Columns of somebody new, whose coefficient is 0 */
void osvm_member_describe(const osvm_circle *circle, int slot, double y, double cap, double error);
/* Example j of a carried model takes its seat again, with the columns it had; slot -1: this machine does not know it */
osvm_status osvm_member_import(osvm_circle *circle, const osvm_model *model, int machine, int j, int *slot,
                               osvm_error *error);
/* The member in this slot to its place in the model, and in model->coef */
void osvm_member_export(const osvm_circle *circle, int slot, osvm_model *model, int machine);

#endif
