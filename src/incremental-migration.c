/* See incremental-migration.h. */
#include "incremental-migration.h"

#include <math.h>

/* gamma_i relative to the terms of its sum, (12): 45 eps, as in incremental-inverse.c. g_i does not move. */
static const double GAMMA_ZERO = 1e-14;
/* How far the ratio test lets g_i beyond 0: as far as rounding may have moved it (ROUNDING_MAX in
 * incremental-correct.c). */
static const double SLACK = 1e-10;
/* Of vectors that reach 0 together, one whose rate is smaller by this factor is passed over: by then its g is beyond 0
 * by no more than the slack. The factor only has to separate rates of different orders of magnitude. */
static const double RATE_RATIO = 1e-6;

static double *column(const osvm_incremental *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
static double bound(const osvm_incremental *s, int k, double d) {
  return column(s, d > 0 ? OSVM_SV_UPPER : OSVM_SV_LOWER)[k];
}

osvm_status osvm_migration_sensitivities(osvm_incremental *s, int c) {
  double *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const int n = s->sv_set->n;
  const void *row;
  OSVM_TRY(osvm_sv_set_row(s->sv_set, c, &row, s->machine->context.error));
  osvm_inverse_solve_candidate(&s->margin, row, c);
  if (osvm_inverse_is_empty(&s->margin)) {
    for (int i = 0; i < n; i++) gamma[i] = 1;
    s->margin.magnitude = 1;
    return OSVM_OK;
  }
  for (int i = 0; i < n; i++) gamma[i] = s->margin.beta[0] + ((const double *)row)[i];
  OSVM_TRY(osvm_sv_set_add_rows(s->sv_set, s->margin.slot, s->margin.size, s->margin.beta + 1, gamma,
                                s->machine->context.error));
  gamma[c] = s->margin.gamma_c;
  s->machine->context.work += 2.0 * n * (s->margin.size + 1);
  return OSVM_OK;
}

int osvm_migration_slot(const osvm_incremental *s, const osvm_migration *migration) {
  return migration->kind == OSVM_LEAVES_MARGIN ? s->margin.slot[migration->index] : migration->index;
}

/* Ties go to the lower slot, as in Bland's rule, against cycles of steps of length 0. */
static void keep_first(const osvm_incremental *s, osvm_migration *first, osvm_migration_kind kind, int index,
                       double step) {
  const osvm_migration other = {kind, index, step > 0 ? step : 0};
  const int ties = other.step == first->step;
  if (other.step < first->step || (ties && osvm_migration_slot(s, &other) < osvm_migration_slot(s, first)))
    *first = other;
}

/* g of an error or reserve vector reaches 0 after a step of distance / rate; the rate of others is 0. By the Kuhn-Tucker
 * conditions side g_i <= 0. No branches: sets and labels alternate, and would be mispredicted. */
typedef struct {
  double rate, distance;
} approach;

static inline approach approach_of(const osvm_incremental *s, int i, double d) {
  const double set = column(s, OSVM_INCREMENTAL_SET)[i];
  const double reserve = (set == OSVM_IN_RESERVE) - (set == OSVM_IN_ERROR);
  const double side = column(s, OSVM_SV_LINEAR)[i] > 0 ? reserve : -reserve;
  return (approach){-side * column(s, OSVM_INCREMENTAL_GAMMA)[i] * d, -side * column(s, OSVM_SV_GRADIENT)[i]};
}

/* Error and reserve vectors whose g reaches 0: a two-pass ratio test after Harris (1973). Many may reach 0 together, or
 * seem to by rounding. The first pass finds the largest step that takes no g beyond 0 by more than the slack; if that is
 * shorter than the step to `first`, the second chooses the first among the vectors that reach 0 within it, without those
 * of negligible rate. The slack includes what a candidate does to its own g that counts as linearly dependent on S:
 * |gamma_c| is then at most tolerance x magnitude, alpha_c moves by at most C; 10 is a safety factor. */
static void keep_first_crossing(const osvm_incremental *s, double d, osvm_migration *first) {
  const double slack = SLACK + 10 * osvm_inverse_dependence_tolerance * s->margin.magnitude * s->upper_max;
  const double zero = GAMMA_ZERO * s->margin.magnitude;
  const int n = s->sv_set->n;
  double longest = first->step, fastest = 0;
  for (int i = 0; i < n; i++) {
    const approach g = approach_of(s, i, d);
    if ((g.rate > zero) & (g.distance + slack < longest * g.rate)) longest = fmax(g.distance + slack, 0) / g.rate;
  }
  if (!(longest < first->step)) return;
  for (int i = 0; i < n; i++) {
    const approach g = approach_of(s, i, d);
    if (!((g.rate > zero) & (g.distance <= longest * g.rate)) || g.rate <= RATE_RATIO * fastest) continue;
    if (RATE_RATIO * g.rate > fastest) /* what `first` holds is later than this, or negligible */
      *first = (osvm_migration){OSVM_NO_MIGRATION, -1, INFINITY};
    keep_first(s, first, OSVM_JOINS_MARGIN, i, g.distance / g.rate);
    fastest = fmax(fastest, g.rate);
  }
}

osvm_migration osvm_migration_next(const osvm_incremental *s, int c, double d, int to_margin) {
  const double *alpha = column(s, OSVM_SV_COEF), *g = column(s, OSVM_SV_GRADIENT),
               *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  osvm_migration first = {OSVM_NO_MIGRATION, -1, INFINITY};
  if (!osvm_inverse_is_empty(&s->margin))
    keep_first(s, &first, OSVM_CANDIDATE_AT_BOUND, c, d * (bound(s, c, d) - alpha[c]));
  if (to_margin && !s->margin.dependent) keep_first(s, &first, OSVM_CANDIDATE_TO_MARGIN, c, d * g[c] / gamma[c]);
  for (int j = 0; j < s->margin.size; j++) {
    const int i = s->margin.slot[j];
    const double rate = s->margin.beta[j + 1] * d;
    if (rate != 0) keep_first(s, &first, OSVM_LEAVES_MARGIN, j, (bound(s, i, rate) - alpha[i]) / rate);
  }
  keep_first_crossing(s, d, &first);
  return first;
}
