/* Compression: an expansion with more vectors than the budget, of a model that was trained without one.
 *
 * In rounds: the best partners of every vector are found, and the pairs whose merging costs least are merged, a quarter
 * of the vectors at most, each vector once. (One partner would not do: often a few vectors are the best one of many.)
 * Under a kernel that is not RBF vectors are removed, the smallest first. The coefficients of the vectors that are left
 * are fitted to the expansion as it was, budget-refit.c, and merged vectors moved towards it, budget-move.c. */
#include <math.h>
#include <stdlib.h>

#include "budget.h"

enum { SHARE = 4, PARTNERS = 4, MOVES = 20, FITS = 10 };

typedef struct {
  double cost;
  int s, t; /* t below 0: none */
} pair;

typedef struct {
  osvm_budget *budget;
  pair *best;    /* PARTNERS of each vector, in ascending order of cost; then of all */
  int *paired;   /* by slot: in a pair of this round */
  char *values;  /* OSVM_QUERIES kernel rows, `stride` values apart */
  size_t stride; /* whole panels */
} rounds;

static pair *worst(const rounds *r, int s) { return &r->best[s * PARTNERS + PARTNERS - 1]; }

static void consider(rounds *r, int s, int t, double cost) {
  pair *place = worst(r, s);
  if (!(cost < place->cost)) return;
  for (; place > &r->best[s * PARTNERS] && cost < place[-1].cost; place--) *place = place[-1];
  *place = (pair){cost, s, t};
}

/* Pairs of which one is in s .. s + count - 1 and the other behind it */
static void consider_rows(rounds *r, int s, int count) {
  const osvm_budget *budget = r->budget;
  const osvm_shared_sv *shared = budget->bounded.shared;
  const osvm_simd *simd = shared->store.simd;
  const int first = s / simd->width * simd->width; /* out[0] is the first column of the panel */
  for (int q = 0; q < count; q++) {
    const char *row = r->values + q * r->stride * simd->size;
    for (int t = s + q + 1; t < shared->count; t++) {
      const double kernel = osvm_real(simd, row, t - first),
                   least = osvm_budget_merging_bound(budget, s + q, t, kernel);
      if (least >= worst(r, s + q)->cost && least >= worst(r, t)->cost) continue;
      const double cost = osvm_budget_merging_cost(budget, s + q, t, kernel);
      consider(r, s + q, t, cost);
      consider(r, t, s + q, cost);
    }
  }
}

static osvm_status find_partners(rounds *r, osvm_run *run) {
  osvm_shared_sv *shared = r->budget->bounded.shared;
  osvm_budget_measure(r->budget);
  OSVM_TRY(osvm_store_index(&shared->store, run->context.error));
  for (int k = 0; k < shared->count * PARTNERS; k++) r->best[k] = (pair){INFINITY, k / PARTNERS, -1};
  for (int s = 0; s < shared->count; s += OSVM_QUERIES) {
    int slots[OSVM_QUERIES], count = 0;
    while (count < OSVM_QUERIES && s + count < shared->count) {
      slots[count] = s + count;
      count++;
    }
    run->context.work += (double)count * (shared->count - s) * r->budget->machines;
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    osvm_rows_load(&shared->rows, &shared->store, slots, count);
    osvm_rows_compute(&shared->rows, s, shared->count, r->values, r->stride);
    consider_rows(r, s, count);
  }
  return OSVM_OK;
}

static int by_cost(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->s != y->s ? x->s - y->s : x->t - y->t;
}

/* The merged vectors are in the slots t; those in the slots s are dropped from the last on, so that none is moved that is
 * to be dropped. */
static osvm_status merge_pairs(rounds *r, int most) {
  osvm_budget *budget = r->budget;
  const int count = budget->bounded.shared->count;
  int merged = 0;
  for (int k = 0; k < count; k++) r->paired[k] = 0;
  qsort(r->best, (size_t)count * PARTNERS, sizeof *r->best, by_cost);
  for (int k = 0; k < count * PARTNERS && merged < most; k++) {
    int s = r->best[k].s, t = r->best[k].t;
    if (t < 0 || r->paired[s] || r->paired[t]) continue;
    if (budget->norm[s] > budget->norm[t]) {
      s = r->best[k].t;
      t = r->best[k].s;
    }
    OSVM_TRY(osvm_budget_merge_into(budget, s, t));
    r->paired[s] = 1;
    r->paired[t] = -1;
    merged++;
  }
  for (int s = count - 1; s >= 0; s--)
    if (r->paired[s] == 1) osvm_budget_drop(budget, s);
  return OSVM_OK;
}

static osvm_status run_rounds(rounds *r, osvm_run *run) {
  const osvm_shared_sv *shared = r->budget->bounded.shared;
  while (shared->count > r->budget->limit) {
    const int share = shared->count / SHARE + 1, above = shared->count - r->budget->limit;
    OSVM_TRY(find_partners(r, run));
    OSVM_TRY(merge_pairs(r, share < above ? share : above));
  }
  return OSVM_OK;
}

static osvm_status merge_all(osvm_budget *budget, osvm_run *run) {
  const osvm_shared_sv *shared = budget->bounded.shared;
  const size_t n = shared->count, width = shared->store.simd->width;
  rounds r = {.budget = budget, .stride = (n / width + 2) * width};
  r.best = malloc((n * PARTNERS + 1) * sizeof *r.best);
  r.paired = malloc((n + 1) * sizeof *r.paired);
  r.values = calloc(r.stride * OSVM_QUERIES, shared->store.simd->size);
  const int complete = r.best != NULL && r.paired != NULL && r.values != NULL;
  const osvm_status status = complete ? run_rounds(&r, run) : osvm_no_memory(run->context.error);
  free(r.best);
  free(r.paired);
  free(r.values);
  return status;
}

static osvm_status remove_all(osvm_budget *budget, osvm_run *run) {
  while (budget->bounded.shared->count > budget->limit) {
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    OSVM_TRY(osvm_budget_give_up(budget));
  }
  return OSVM_OK;
}

osvm_status osvm_budget_compress(osvm_budget *budget, osvm_run *run, const double *coef) {
  OSVM_TRY(budget->maintenance == OSVM_MERGE ? merge_all(budget, run) : remove_all(budget, run));
  if (coef == NULL) return OSVM_OK;
  OSVM_TRY(osvm_budget_refit(budget, run, coef));
  if (budget->maintenance == OSVM_MERGE) {
    OSVM_TRY(osvm_budget_move(budget, run, coef, MOVES));
    OSVM_TRY(osvm_budget_refit(budget, run, coef));
  }
  return osvm_budget_fit_values(budget, run, coef, FITS);
}
