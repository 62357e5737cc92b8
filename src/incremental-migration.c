/* See incremental-migration.h. */
#include "incremental-migration.h"

#include <math.h>

static const double STILL = 1e-14; /* of gamma_i, relative to the terms of its sum: e_i does not move */
static const double SLACK = 1e-10, SLOW = 1e-6;

static double *column(const osvm_incremental *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
static double bound(const osvm_incremental *s, int k, double d) { return osvm_dual_sv_limit(s->sv_set->column, k, d); }

osvm_status osvm_sensitivities(osvm_incremental *s, int c) {
  double *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const void *row;
  osvm_status status = osvm_sv_set_row(s->sv_set, c, &row, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_inverse_solve_for(&s->margin, row, c);
  if (osvm_inverse_is_empty(&s->margin)) {
    for (int i = 0; i < s->sv_set->n; i++) gamma[i] = 1;
    s->margin.noise = 1;
    return OSVM_OK;
  }
  for (int i = 0; i < s->sv_set->n; i++) gamma[i] = s->margin.beta[0] + ((const double *)row)[i];
  for (int j = 0; j < s->margin.size && status == OSVM_OK; j++) {
    status = osvm_sv_set_row(s->sv_set, s->margin.who[j], &row, s->run->error);
    if (status == OSVM_OK) s->run->store.simd->add(row, s->sv_set->n, s->margin.beta[j + 1], gamma);
  }
  gamma[c] = s->margin.own;
  s->run->work += 2.0 * s->sv_set->n * (s->margin.size + 1);
  return status;
}

int osvm_migration_slot(const osvm_incremental *s, const osvm_migration *event) {
  return event->kind == OSVM_LEAVES_MARGIN ? s->margin.who[event->who] : event->who;
}

/* Ties go to the lower slot, so that no circle of events without a step closes. */
static void earlier(const osvm_incremental *s, osvm_migration *first, osvm_migration_kind kind, int who, double t) {
  const osvm_migration now = {kind, who, t > 0 ? t : 0};
  if (now.t < first->t || (now.t == first->t && osvm_migration_slot(s, &now) < osvm_migration_slot(s, first))) *first = now;
}

/* Errors that meet 0. Many may at once, or seem to by rounding: nobody joins the margin unless somebody would otherwise be
 * beyond by more than a slack, and of those who meet 0 until then the far slower ones can wait. The slack covers what a
 * candidate that counts as dependent may do to its own error. */
static void first_crossing(const osvm_incremental *s, double d, osvm_migration *first) {
  const double *e = column(s, OSVM_SV_GRADIENT), *set = column(s, OSVM_INCREMENTAL_SET),
               *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const double slack = SLACK + 10 * osvm_inverse_dependent * s->margin.noise * s->upper, still = STILL * s->margin.noise;
  double until = first->t, fast = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < s->sv_set->n; i++) {
      if (set[i] != OSVM_IN_ERROR && set[i] != OSVM_IN_RESERVE) continue;
      const double y = osvm_dual_sv_label(s->sv_set->column, i);
      const double to = set[i] == OSVM_IN_ERROR ? -y : y, rate = -to * gamma[i] * d, left = -to * e[i];
      if (rate <= still) continue;
      if (pass == 0) {
        if (left + slack < until * rate) until = left + slack > 0 ? (left + slack) / rate : 0;
      } else if (left <= until * rate && rate > SLOW * fast) {
        if (SLOW * rate > fast) *first = (osvm_migration){OSVM_NO_MIGRATION, -1, INFINITY}; /* those before were slow */
        earlier(s, first, OSVM_JOINS_MARGIN, i, left / rate);
        fast = rate > fast ? rate : fast;
      }
    }
    if (!(until < first->t)) return;
  }
}

osvm_migration osvm_next_migration(const osvm_incremental *s, int c, double d, int settles) {
  const double *b = column(s, OSVM_SV_COEF);
  osvm_migration first = {OSVM_NO_MIGRATION, -1, INFINITY};
  if (!osvm_inverse_is_empty(&s->margin)) earlier(s, &first, OSVM_CANDIDATE_AT_BOUND, c, d * (bound(s, c, d) - b[c]));
  if (settles && !s->margin.dependent)
    earlier(s, &first, OSVM_CANDIDATE_TO_MARGIN, c, d * column(s, OSVM_SV_GRADIENT)[c] / column(s, OSVM_INCREMENTAL_GAMMA)[c]);
  for (int j = 0; j < s->margin.size; j++) {
    const int i = s->margin.who[j];
    const double rate = s->margin.beta[j + 1] * d;
    if (rate != 0) earlier(s, &first, OSVM_LEAVES_MARGIN, j, (bound(s, i, rate) - b[i]) / rate);
  }
  first_crossing(s, d, &first);
  return first;
}
