/* LASVM's selection of the next example (Bordes et al. 2005, section 4): of some candidates drawn at random, the one
 * with the smallest y f(x) (gradient) or |f(x)| (margin, active selection). For numbers, that with the largest deviation,
 * or the nearest to where their loss begins. */
#include "solver-lasvm.h"

#include <math.h>
#include <stdlib.h>

/* The best of 50 random candidates is among the best 5 % with probability 1 - 0.95^50 = 0.92. */
enum { CANDIDATES = 50 };
/* After so many visits in a row that were outside the margin and left S unchanged, selection costs more than it gains.
 * A model of few examples may be wrong about that, so not after the first. */
enum { PATIENCE = 20 };
static const double WORK_PER_SELECTION = 1e5;

static osvm_status score(osvm_run *run, const osvm_lasvm *s, const int *candidates, int count, double *value) {
  const void *row;
  OSVM_TRY(osvm_sv_set_candidate_row(s->sv_set, candidates, count, &row, s->machine->context.error));
  const double y = osvm_run_target(run, s->machine->index, candidates[0]);
  const double f = run->store.simd->weigh(row, s->sv_set->n, osvm_lasvm_column(s, OSVM_SV_COEF)) + osvm_lasvm_bias(s);
  const int margin = ((const osvm_lasvm_params *)run->params)->selection == OSVM_SELECT_MARGIN;
  const double excess = fabs(y - f) - osvm_loss_tube(&run->loss);
  if (run->loss.info->target == OSVM_CLASSES) *value = margin ? fabs(f) : y * f;
  else *value = margin ? fabs(excess) : 1 - excess;
  return OSVM_OK;
}

/* The smallest score of all machines; *inside: it is within the margin. */
static osvm_status select_candidate(osvm_run *run, const int *candidates, int count, int *chosen, int *inside) {
  double least = INFINITY;
  *chosen = 0;
  for (int k = 0; k < count; k++) {
    for (int m = 0; m < run->machines; m++) {
      const osvm_lasvm *s = run->machine[m].state;
      double value;
      if (isnan(osvm_run_target(run, m, candidates[k])) || osvm_sv_set_slot(s->sv_set, candidates[k]) >= 0) continue;
      OSVM_TRY(score(run, s, candidates + k, count - k, &value));
      if (!(value < least)) continue;
      least = value;
      *chosen = k;
    }
  }
  *inside = least < 1;
  return OSVM_OK;
}

static osvm_status visit(osvm_run *run, int i) {
  run->upcoming[0] = i;
  run->n_upcoming = 1;
  return osvm_run_visit(run, i);
}

static int in_any_set(const osvm_run *run, int i) {
  for (int m = 0; m < run->machines; m++)
    if (osvm_sv_set_slot(run->machine[m].sv_set, i) >= 0) return 1;
  return 0;
}

/* left: examples not yet visited; the last `some` of them become a random sample. */
static void draw_candidates(osvm_run *run, int *left, int lefts, int some) {
  for (int k = 0; k < some; k++) {
    const int at = osvm_random_below(&run->context.random, lefts - k), other = lefts - 1 - k, i = left[at];
    left[at] = left[other];
    left[other] = i;
  }
}

static osvm_status visit_selected(osvm_run *run, int *left) {
  int lefts = run->count, in_vain = 0;
  for (int k = 0; k < lefts; k++) left[k] = osvm_run_visit_order(run, k);
  while (lefts > 0) {
    const int some = lefts < CANDIDATES ? lefts : CANDIDATES;
    int *candidates = left + lefts - some, chosen, inside;
    run->context.work += WORK_PER_SELECTION;
    if (osvm_context_stopped(&run->context, 1 - (double)lefts / run->count)) return OSVM_INTERRUPTED;
    draw_candidates(run, left, lefts, some);
    OSVM_TRY(select_candidate(run, candidates, some, &chosen, &inside));
    const int i = candidates[chosen];
    candidates[chosen] = left[--lefts];
    OSVM_TRY(visit(run, i));
    in_vain = inside || in_any_set(run, i) ? 0 : in_vain + 1;
    for (int k = 1; k < some && in_vain > PATIENCE; k++) OSVM_TRY(visit(run, left[--lefts]));
  }
  return OSVM_OK;
}

osvm_status osvm_lasvm_epoch(osvm_run *run) {
  if (((const osvm_lasvm_params *)run->params)->selection == OSVM_SELECT_RANDOM) return osvm_run_visit_all(run);
  int *left = malloc(((size_t)run->count + 1) * sizeof(int));
  const osvm_status status = left != NULL ? visit_selected(run, left) : osvm_no_memory(run->context.error);
  free(left);
  return status;
}
