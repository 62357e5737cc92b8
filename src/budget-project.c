/* Projection: the vector given up is expressed by the others, as nearly as their span allows.
 *
 * With R the inverse of the kernel matrix, vector i is at squared distance 1 / R_ii from the span of the others, and its
 * projection on it has the coefficients -R_ij / R_ii. Giving up i costs |a_i|^2 / R_ii: the least is taken. R follows the
 * set (incremental-inverse.h). A new vector that depends linearly on the others has no row in R: it is given up at once. */
#include "budget.h"

#include <math.h>
#include <string.h>

static const double *inverse_row(const osvm_inverse *inverse, int i) {
  return inverse->inverse + (size_t)(i + 1) * (inverse->capacity + 1) + 1;
}

/* Coefficients of vector `slot` go to the others, each with factor share[j]; the sums of averages along with them. */
static void spread(osvm_budget *budget, int slot, const double *share, double factor) {
  for (int m = 0; m < budget->machines; m++)
    for (int s = 0; s < budget->inverse.size; s++)
      if (s != slot) osvm_expansion_fold(budget->expansion[m], slot, share[s] * factor, s, 1);
}

/* Vector `slot`, the first that R does not have */
static void enter(osvm_budget *budget, int slot) {
  osvm_inverse *inverse = &budget->inverse;
  if (inverse->dependent) {
    spread(budget, slot, inverse->beta + 1, -1);
    osvm_budget_drop(budget, slot);
  } else {
    const double *row = budget->bounded.shared->row;
    osvm_inverse_expand(inverse, slot, row[slot]);
  }
}

/* An R that rounding errors have made inaccurate is built anew, once. */
osvm_status osvm_budget_follow(osvm_budget *budget) {
  osvm_shared_sv *shared = budget->bounded.shared;
  osvm_inverse *inverse = &budget->inverse;
  for (int rebuilt = 0; inverse->size < shared->count;) {
    const int slot = inverse->size;
    OSVM_TRY(osvm_inverse_reserve(inverse, budget->bounded.error));
    OSVM_TRY(osvm_budget_own_row(budget, slot));
    const double *row = shared->row;
    inverse->kernel_max = fmax(inverse->kernel_max, fabs(row[slot]));
    osvm_inverse_solve_candidate(inverse, row, row[slot], 1);
    if (inverse->accurate || rebuilt) {
      enter(budget, slot);
    } else {
      osvm_inverse_clear(inverse);
      rebuilt = 1;
    }
  }
  return OSVM_OK;
}

/* 1 / R_ii is not positive only by rounding or under an indefinite kernel: such a vector costs nothing. */
osvm_status osvm_budget_project(osvm_budget *budget) {
  osvm_inverse *inverse = &budget->inverse;
  const int count = budget->bounded.shared->count;
  OSVM_TRY(osvm_budget_follow(budget));
  if (budget->bounded.shared->count < count) return OSVM_OK; /* one that depends on the others */
  int best = 0;
  double least = INFINITY;
  osvm_budget_measure(budget);
  for (int s = 0; s < inverse->size; s++) {
    const double cost = budget->norm[s] * budget->norm[s] / fmax(inverse_row(inverse, s)[s], 0);
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  const double *row = inverse_row(inverse, best);
  if (row[best] != 0) spread(budget, best, row, -1 / row[best]);
  osvm_inverse_contract(inverse, best);
  inverse->slot[best] = best;
  osvm_budget_drop(budget, best);
  return OSVM_OK;
}
