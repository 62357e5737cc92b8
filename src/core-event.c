/* See core-event.h. */
#include "core-event.h"

#include <math.h>

static const double STILL = 1e-14; /* of gamma_i, relative to the terms of its sum: e_i does not move */
static const double SLACK = 1e-10, SLOW = 1e-6;

static double *column(const osvm_exact *s, int k) { return osvm_circle_doubles(s->circle, k); }
static double bound(const osvm_exact *s, int k, double d) { return osvm_member_bound(s->circle->column, k, d); }

osvm_status osvm_event_rates(osvm_exact *s, int c) {
  double *gamma = column(s, OSVM_EXACT_GAMMA);
  const void *row;
  osvm_status status = osvm_circle_row(s->circle, c, &row, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_margin_solve_for(&s->margin, row, c);
  if (osvm_margin_alone(&s->margin)) {
    for (int i = 0; i < s->circle->n; i++) gamma[i] = 1;
    s->margin.noise = 1;
    return OSVM_OK;
  }
  for (int i = 0; i < s->circle->n; i++) gamma[i] = s->margin.beta[0] + ((const double *)row)[i];
  for (int j = 0; j < s->margin.size && status == OSVM_OK; j++) {
    status = osvm_circle_row(s->circle, s->margin.who[j], &row, s->run->error);
    if (status == OSVM_OK) s->run->store.simd->add(row, s->circle->n, s->margin.beta[j + 1], gamma);
  }
  gamma[c] = s->margin.own;
  s->run->worked += 2.0 * s->circle->n * (s->margin.size + 1);
  return status;
}

int osvm_event_slot(const osvm_exact *s, const osvm_event *event) {
  return event->kind == OSVM_EVENT_LEAVES ? s->margin.who[event->who] : event->who;
}

/* Ties go to the lower slot, so that no circle of events without a step closes. */
static void earlier(const osvm_exact *s, osvm_event *first, osvm_event_kind kind, int who, double t) {
  const osvm_event now = {kind, who, t > 0 ? t : 0};
  if (now.t < first->t || (now.t == first->t && osvm_event_slot(s, &now) < osvm_event_slot(s, first))) *first = now;
}

/* Errors that meet 0. Many may at once, or seem to by rounding: nobody joins the margin unless somebody would otherwise be
 * beyond by more than a slack, and of those who meet 0 until then the far slower ones can wait. The slack covers what a
 * candidate that counts as dependent may do to its own error. */
static void first_crossing(const osvm_exact *s, double d, osvm_event *first) {
  const double *e = column(s, OSVM_MEMBER_ERROR), *y = column(s, OSVM_MEMBER_LABEL), *set = column(s, OSVM_EXACT_SET),
               *gamma = column(s, OSVM_EXACT_GAMMA);
  const double slack = SLACK + 10 * osvm_margin_dependent * s->margin.noise * s->cap, still = STILL * s->margin.noise;
  double until = first->t, fast = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < s->circle->n; i++) {
      if (set[i] != OSVM_EXACT_ERRING && set[i] != OSVM_EXACT_RESERVE) continue;
      const double to = set[i] == OSVM_EXACT_ERRING ? -y[i] : y[i], rate = -to * gamma[i] * d, left = -to * e[i];
      if (rate <= still) continue;
      if (pass == 0) {
        if (left + slack < until * rate) until = left + slack > 0 ? (left + slack) / rate : 0;
      } else if (left <= until * rate && rate > SLOW * fast) {
        if (SLOW * rate > fast) *first = (osvm_event){OSVM_EVENT_NONE, -1, INFINITY}; /* those before were slow */
        earlier(s, first, OSVM_EVENT_JOINS, i, left / rate);
        fast = rate > fast ? rate : fast;
      }
    }
    if (!(until < first->t)) return;
  }
}

osvm_event osvm_event_first(const osvm_exact *s, int c, double d, int settles) {
  const double *b = column(s, OSVM_MEMBER_COEF);
  osvm_event first = {OSVM_EVENT_NONE, -1, INFINITY};
  if (!osvm_margin_alone(&s->margin)) earlier(s, &first, OSVM_EVENT_ARRIVED, c, d * (bound(s, c, d) - b[c]));
  if (settles && !s->margin.dependent)
    earlier(s, &first, OSVM_EVENT_SETTLES, c, d * column(s, OSVM_MEMBER_ERROR)[c] / column(s, OSVM_EXACT_GAMMA)[c]);
  for (int j = 0; j < s->margin.size; j++) {
    const int i = s->margin.who[j];
    const double rate = s->margin.beta[j + 1] * d;
    if (rate != 0) earlier(s, &first, OSVM_EVENT_LEAVES, j, (bound(s, i, rate) - b[i]) / rate);
  }
  first_crossing(s, d, &first);
  return first;
}
