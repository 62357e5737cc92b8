/* A budget of support vectors, and what keeps the shared vectors of bounded expansions within it.
 *
 * After a step that has brought one vector too many, one is given up so that the hypothesis changes little (Wang, Crammer
 * & Vucetic 2012). a_s: the coefficients of vector s, one per machine; |f - f'|^2 is summed over machines.
 *   remove   the vector of the least |a_s|^2 k(x_s, x_s)
 *   merge    the vector s of the least |a_s| and another, t, become one between them: budget-merge.c
 *   project  the vector of the least distance from the span of the others is expressed by them: budget-project.c
 * Each is a linear map of coefficients, and applies to their sums over steps as well. */
#pragma once

#include "incremental-inverse.h"
#include "solver.h"

typedef enum { OSVM_MERGE, OSVM_PROJECT, OSVM_REMOVE } osvm_maintenance; /* in the order of R's choices */

typedef struct {
  int limit; /* vectors after a step; 0: there is no budget */
  osvm_maintenance maintenance;
  osvm_bounded bounded;
  int machines;
  osvm_expansion **expansion; /* of each machine; set by the run */
  double *norm;               /* by slot: |a_s|, as osvm_budget_measure left it */
  int first_place;            /* merged vectors are examples of the whole store from here on ... */
  int *free_places, n_free;   /* ... of which these are not in use; NULL: nothing is merged */
  int keeps_zeros;            /* of sparse data: a zero of a moved vector stays one; set by the run */
  osvm_inverse inverse;       /* project: of the kernel matrix; its index is the slot */
} osvm_budget;

/* vectors: the most there will be before maintenance, at least limit + 1. Merged vectors are examples of the shared set's
 * whole store from first_place on: limit + 1 of them, or 5/8 of the vectors at the beginning, if these are more. Merging
 * takes an RBF kernel, projection a store in double precision. */
osvm_status osvm_budget_open(osvm_budget *budget, osvm_shared_sv *shared, int limit, int vectors,
                             osvm_maintenance maintenance, int machines, int first_place, osvm_error *error);
osvm_status osvm_budget_maintain(osvm_budget *budget); /* after a step: at most `limit` vectors are left */
osvm_status osvm_budget_give_up(osvm_budget *budget);  /* one vector */
/* Of a model with more vectors than the budget, run->first of them: merged (or removed) until it is kept. coef: their
 * coefficients, to which those of the vectors left are fitted, or NULL */
osvm_status osvm_budget_compress(osvm_budget *budget, osvm_run *run, const double *coef);
void osvm_budget_close(osvm_budget *budget);

/* ---- for the files of this part ---- */

void osvm_budget_measure(osvm_budget *budget);                  /* norm */
int osvm_budget_smallest(const osvm_budget *budget);            /* slot of the least norm */
osvm_status osvm_budget_own_row(osvm_budget *budget, int slot); /* kernel row of a vector, in shared->row */
void osvm_budget_drop(osvm_budget *budget, int slot);           /* the vector and its coefficients */
static inline double osvm_budget_coef(const osvm_budget *budget, int machine, int slot) {
  return budget->expansion[machine]->scale * budget->expansion[machine]->coef[slot];
}
osvm_status osvm_budget_merge(osvm_budget *budget);
/* Of vectors s and t, by their norms and kernel value; and of s into t, norm[s] <= norm[t]: s is then to be dropped */
double osvm_budget_merging_cost(const osvm_budget *budget, int s, int t, double kernel);
/* Not above that: (2) of budget-merge.c with F >= 1 */
static inline double osvm_budget_merging_bound(const osvm_budget *budget, int s, int t, double kernel) {
  const double a = budget->norm[s], b = budget->norm[t], root = a * b * (1 - kernel);
  return root > 0 ? root * root / ((a + b) * (a + b)) : 0;
}
osvm_status osvm_budget_merge_into(osvm_budget *budget, int s, int t);
/* Of the expansion of run->first vectors with these coefficients: those of the nearest one; the latter's least squares at
 * these vectors, as far as `steps` of conjugate gradients go; and vectors and coefficients moved, under an RBF kernel */
osvm_status osvm_budget_refit(osvm_budget *budget, osvm_run *run, const double *coef);
osvm_status osvm_budget_fit_values(osvm_budget *budget, osvm_run *run, const double *coef, int steps);
osvm_status osvm_budget_move(osvm_budget *budget, osvm_run *run, const double *coef, int steps);
osvm_status osvm_budget_follow(osvm_budget *budget); /* project: the inverse gets vectors that are new */
osvm_status osvm_budget_project(osvm_budget *budget);
/* Of the vector with coefficients of norm a merged into one of norm b >= a: |f - f'|^2 from the table, where product is
 * the dot product of the coefficients and kernel that of the vectors; and the best place of the merged vector between
 * them, as the share of the first, by golden section */
double osvm_merge_loss(double a, double b, double product, double kernel);
double osvm_merge_share(double a, double b, double product, double kernel);
