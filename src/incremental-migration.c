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

static double *column(const osvm_incremental *s, int k) { return osvm_incremental_column(s, k); }

osvm_status osvm_migration_sensitivities(osvm_incremental *s, const osvm_move *move) {
  double *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const int n = s->sv_set->n, c = move->c;
  const void *row;
  OSVM_TRY(osvm_sv_set_row(s->sv_set, c, &row, s->machine->context.error));
  const double diagonal = osvm_incremental_diagonal(s, c);
  osvm_inverse_solve_candidate(&s->margin, row, ((const double *)row)[c] + diagonal, move->keeps_sum);
  if (osvm_move_is_of_bias(s, move)) {
    for (int i = 0; i < n; i++) gamma[i] = 1;
    s->margin.magnitude = 1;
    return OSVM_OK;
  }
  for (int i = 0; i < n; i++) gamma[i] = s->margin.beta[0] + ((const double *)row)[i];
  gamma[c] += diagonal;
  OSVM_TRY(osvm_sv_set_add_rows(s->sv_set, s->margin.slot, s->margin.size, s->margin.beta + 1, gamma,
                                s->machine->context.error));
  if (move->keeps_sum) gamma[c] = s->margin.gamma_c;
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

/* g of an error or reserve vector reaches an edge after a step of distance / rate, which is infinite for others. No
 * branches: signs alternate, and would be mispredicted; a rising g reaches the edge in the column after BELOW. */
typedef struct {
  double rate, distance;
} approach;

static inline approach approach_of(const osvm_incremental *s, int i, double d) {
  const double rise = -column(s, OSVM_INCREMENTAL_GAMMA)[i] * d;
  const double left = column(s, OSVM_INCREMENTAL_BELOW + (rise > 0))[i] - column(s, OSVM_SV_GRADIENT)[i];
  return (approach){fabs(rise), left * copysign(1, rise)};
}

/* Error and reserve vectors whose g reaches an edge: a two-pass ratio test after Harris (1973). Many may do so together,
 * or seem to by rounding. The first pass finds the largest step that takes no g beyond by more than the slack; if that is
 * shorter than the step to `first`, the second chooses the first among the vectors that get there within it, without those
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

osvm_migration osvm_migration_next(const osvm_incremental *s, const osvm_move *move) {
  const double *alpha = column(s, OSVM_SV_COEF), *edge = column(s, OSVM_INCREMENTAL_EDGE), d = move->d;
  const int c = move->c;
  osvm_migration first = {OSVM_NO_MIGRATION, -1, INFINITY};
  if (!osvm_move_is_of_bias(s, move)) keep_first(s, &first, OSVM_CANDIDATE_AT_GOAL, c, d * (move->goal - alpha[c]));
  if (move->to_margin && !s->margin.dependent) {
    const double left = column(s, OSVM_SV_GRADIENT)[c] - edge[c];
    keep_first(s, &first, OSVM_CANDIDATE_TO_MARGIN, c, d * left / column(s, OSVM_INCREMENTAL_GAMMA)[c]);
  }
  for (int j = 0; j < s->margin.size; j++) {
    const int i = s->margin.slot[j];
    const double rate = s->margin.beta[j + 1] * d;
    if (rate != 0) keep_first(s, &first, OSVM_LEAVES_MARGIN, j, (osvm_incremental_end(s, i, rate) - alpha[i]) / rate);
  }
  keep_first_crossing(s, d, &first);
  return first;
}
