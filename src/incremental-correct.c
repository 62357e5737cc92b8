/* Corrections of accumulated rounding errors; see incremental.h. */
#include <math.h>

#include "incremental.h"

/* With a larger estimate of their rounding errors, all g are computed anew: a hundredth of 1e-8, to which the tests
 * hold the Kuhn-Tucker conditions, and the slack of the ratio test in incremental-migration.c. */
static const double ROUNDING_MAX = 1e-10;
/* Steps between two corrections. A correction passes over the |S| kernel rows of a step twice: 3 % of 64 steps. */
enum { STEPS_PER_CORRECTION = 64 };

static double *column(const osvm_incremental *s, int k) { return osvm_incremental_column(s, k); }
static const osvm_simd *simd(const osvm_incremental *s) { return s->run->store.simd; }

/* No g follows the change of alpha: kernel_max times it bounds the error. */
void osvm_incremental_set_coef(osvm_incremental *s, int slot, double alpha) {
  s->rounding += s->margin.kernel_max * fabs(alpha - column(s, OSVM_SV_COEF)[slot]);
  column(s, OSVM_SV_COEF)[slot] = alpha;
}

void osvm_incremental_set_at_breakpoint(osvm_incremental *s, int slot, double alpha) {
  osvm_incremental_set_coef(s, slot, alpha);
  column(s, OSVM_INCREMENTAL_SET)[slot] = alpha == 0 ? OSVM_IN_RESERVE : OSVM_IN_ERROR;
  column(s, OSVM_INCREMENTAL_ABOVE)[slot] = -osvm_slope_up(alpha, column(s, OSVM_SV_UPPER)[slot], s->epsilon);
  column(s, OSVM_INCREMENTAL_BELOW)[slot] = -osvm_slope_low(alpha, column(s, OSVM_SV_LOWER)[slot], s->epsilon);
}

void osvm_incremental_release(osvm_incremental *s, int slot, double set) {
  column(s, OSVM_INCREMENTAL_SET)[slot] = set;
  column(s, OSVM_INCREMENTAL_ABOVE)[slot] = INFINITY;
  column(s, OSVM_INCREMENTAL_BELOW)[slot] = -INFINITY;
}

/* What d takes from the gradient of a vector */
static double pull(const osvm_incremental *s, int slot) {
  const osvm_dual_term term = osvm_dual_sv_term(s->sv_set, slot);
  return osvm_dual_pull(&term, column(s, OSVM_SV_COEF)[slot]);
}

/* g_i = p_i - bias - sum_j alpha_j k_ij - d_i alpha_i for all i */
osvm_status osvm_incremental_recompute_gradient(osvm_incremental *s) {
  double *alpha = column(s, OSVM_SV_COEF), *g = column(s, OSVM_SV_GRADIENT);
  const int n = s->sv_set->n;
  for (int i = 0; i < n; i++) g[i] = column(s, OSVM_SV_LINEAR)[i] - s->bias - pull(s, i);
  for (int i = 0; i < n; i++) {
    const void *row;
    if (alpha[i] == 0) continue;
    OSVM_TRY(osvm_sv_set_row(s->sv_set, i, &row, s->machine->context.error));
    simd(s)->add(row, n, -alpha[i], g);
  }
  return OSVM_OK;
}

/* beta: the change of (bias, alpha_S) that makes sum alpha and g_S, computed from the coefficients alone, right again */
static osvm_status solve_correction(osvm_incremental *s) {
  const double *alpha = column(s, OSVM_SV_COEF);
  const int n = s->sv_set->n;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += alpha[i];
  s->margin.rhs[0] = s->margin.biased ? sum - s->sum : 0;
  for (int j = 0; j < s->margin.size; j++) {
    const int slot = s->margin.slot[j];
    const void *row;
    OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
    const double f = simd(s)->weigh(row, n, alpha) + s->bias;
    s->margin.rhs[j + 1] = f + pull(s, slot) - column(s, OSVM_SV_LINEAR)[slot] + column(s, OSVM_INCREMENTAL_EDGE)[slot];
  }
  osvm_inverse_solve(&s->margin);
  s->machine->context.work += 2.0 * n * s->margin.size;
  return OSVM_OK;
}

/* Index in S of the vector that the correction would take farthest beyond a breakpoint; -1: it takes none */
static int farthest_beyond(const osvm_incremental *s) {
  int farthest = -1;
  double most = 0;
  for (int j = 0; j < s->margin.size; j++) {
    const int i = s->margin.slot[j];
    const double alpha = column(s, OSVM_SV_COEF)[i] + s->margin.beta[j + 1];
    const double beyond = fmax(alpha - osvm_incremental_end(s, i, 1), osvm_incremental_end(s, i, -1) - alpha);
    if (!(beyond > most)) continue;
    most = beyond;
    farthest = j;
  }
  return farthest;
}

/* One alpha, and all g with it */
static osvm_status change_coef(osvm_incremental *s, int slot, double change) {
  const void *row;
  OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
  simd(s)->add(row, s->sv_set->n, -change, column(s, OSVM_SV_GRADIENT));
  column(s, OSVM_SV_GRADIENT)[slot] -= osvm_incremental_diagonal(s, slot) * change;
  column(s, OSVM_SV_COEF)[slot] += change;
  return OSVM_OK;
}

/* A vector that the correction would take beyond a breakpoint leaves S there, and the correction of the rest is
 * solved again. This ends: S shrinks. */
osvm_status osvm_incremental_correct(osvm_incremental *s) {
  osvm_inverse *margin = &s->margin;
  double *g = column(s, OSVM_SV_GRADIENT);
  if (s->rounding > ROUNDING_MAX) OSVM_TRY(osvm_incremental_recompute_gradient(s));
  while (margin->size > 0) {
    OSVM_TRY(solve_correction(s));
    const int k = farthest_beyond(s);
    if (k < 0) break;
    const int slot = margin->slot[k];
    const double end = osvm_incremental_end(s, slot, margin->beta[k + 1]);
    OSVM_TRY(change_coef(s, slot, end - column(s, OSVM_SV_COEF)[slot]));
    osvm_incremental_set_at_breakpoint(s, slot, end);
    osvm_inverse_contract(margin, k);
  }
  for (int j = 0; j < margin->size; j++) OSVM_TRY(change_coef(s, margin->slot[j], margin->beta[j + 1]));
  if (margin->size > 0) {
    for (int i = 0; i < s->sv_set->n; i++) g[i] -= margin->beta[0];
    s->bias += margin->beta[0];
  }
  for (int j = 0; j < margin->size; j++) g[margin->slot[j]] = column(s, OSVM_INCREMENTAL_EDGE)[margin->slot[j]];
  s->steps = 0;
  s->rounding = 0;
  return OSVM_OK;
}

osvm_status osvm_incremental_correct_if_due(osvm_incremental *s) {
  return s->steps >= STEPS_PER_CORRECTION || s->rounding > ROUNDING_MAX ? osvm_incremental_correct(s) : OSVM_OK;
}
