/* See budget.h. */
#include "budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static osvm_status open_merging(osvm_budget *budget, int first_place, osvm_error *error) {
  if (!budget->bounded.shared->rows.kernel.info->mergeable)
    return osvm_fail(error, OSVM_INVALID, "support vectors cannot be merged under this kernel");
  const int end = budget->bounded.shared->whole->n;
  budget->free_places = malloc(((size_t)(end - first_place) + 1) * sizeof(int));
  if (budget->free_places == NULL) return osvm_no_memory(error);
  budget->first_place = first_place;
  for (int place = end; place > first_place; place--) budget->free_places[budget->n_free++] = place - 1;
  return OSVM_OK;
}

osvm_status osvm_budget_open(osvm_budget *budget, osvm_shared_sv *shared, int limit, int vectors,
                             osvm_maintenance maintenance, int machines, int first_place, osvm_error *error) {
  memset(budget, 0, sizeof *budget);
  budget->limit = limit;
  budget->maintenance = maintenance;
  budget->machines = machines;
  budget->bounded = (osvm_bounded){.shared = shared, .error = error};
  budget->expansion = calloc((size_t)machines + 1, sizeof *budget->expansion);
  budget->norm = malloc((size_t)vectors * sizeof(double));
  if (budget->expansion == NULL || budget->norm == NULL) return osvm_no_memory(error);
  switch (maintenance) {
  case OSVM_MERGE: return open_merging(budget, first_place, error);
  case OSVM_PROJECT: return osvm_inverse_open(&budget->inverse, shared->whole->simd, 0, error);
  case OSVM_REMOVE: break;
  }
  return OSVM_OK;
}

void osvm_budget_close(osvm_budget *budget) {
  free(budget->expansion);
  free(budget->norm);
  free(budget->free_places);
  osvm_inverse_close(&budget->inverse);
  memset(budget, 0, sizeof *budget);
}

/* Of one machine without roots, which would cost as much as the rest of a step. */
void osvm_budget_measure(osvm_budget *budget) {
  const int count = budget->bounded.shared->count, alone = budget->machines == 1;
  double *norm = budget->norm;
  for (int m = 0; m < budget->machines; m++) {
    const double *coef = budget->expansion[m]->coef, scale = fabs(budget->expansion[m]->scale);
    if (alone)
      for (int s = 0; s < count; s++) norm[s] = scale * fabs(coef[s]);
    else
      for (int s = 0; s < count; s++) norm[s] = (m == 0 ? 0 : norm[s]) + scale * scale * coef[s] * coef[s];
  }
  for (int s = 0; s < count && !alone; s++) norm[s] = sqrt(norm[s]);
}

int osvm_budget_smallest(const osvm_budget *budget) {
  int smallest = 0;
  double least = INFINITY;
  for (int s = 0; s < budget->bounded.shared->count; s++) {
    const double norm = budget->norm[s];
    if (norm < least) {
      least = norm;
      smallest = s;
    }
  }
  return smallest;
}

/* Rows of sparse vectors go through an index, which changes of the set may have dropped. */
osvm_status osvm_budget_own_row(osvm_budget *budget, int slot) {
  osvm_shared_sv *shared = budget->bounded.shared;
  OSVM_TRY(osvm_store_index(&shared->store, budget->bounded.error));
  osvm_shared_sv_own_row(shared, slot);
  return OSVM_OK;
}

void osvm_budget_drop(osvm_budget *budget, int slot) {
  osvm_shared_sv *shared = budget->bounded.shared;
  const int last = shared->count - 1, example = shared->example[slot];
  if (budget->free_places != NULL && example >= budget->first_place) budget->free_places[budget->n_free++] = example;
  for (int m = 0; m < budget->machines; m++) osvm_expansion_drop(budget->expansion[m], slot, last);
  osvm_shared_sv_remove(shared, slot);
}

static void remove_smallest(osvm_budget *budget) {
  const osvm_shared_sv *shared = budget->bounded.shared;
  osvm_budget_measure(budget);
  for (int s = 0; s < shared->count; s++)
    budget->norm[s] *= sqrt(fabs(osvm_kernel_self(&shared->rows.kernel, &shared->store, s)));
  osvm_budget_drop(budget, osvm_budget_smallest(budget));
}

osvm_status osvm_budget_give_up(osvm_budget *budget) {
  switch (budget->maintenance) {
  case OSVM_MERGE: return osvm_budget_merge(budget);
  case OSVM_PROJECT: return osvm_budget_project(budget);
  case OSVM_REMOVE: remove_smallest(budget); break;
  }
  return OSVM_OK;
}

osvm_status osvm_budget_maintain(osvm_budget *budget) {
  OSVM_TRY(budget->bounded.status);
  if (budget->maintenance == OSVM_PROJECT) OSVM_TRY(osvm_budget_follow(budget));
  while (budget->bounded.shared->count > budget->limit) OSVM_TRY(osvm_budget_give_up(budget));
  return OSVM_OK;
}
