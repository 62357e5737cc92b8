/* See core-ramp.h. */
#include "core-ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const osvm_column_kind osvm_ramp_columns[OSVM_RAMP_COLUMNS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0},
                                                               {1, 0}, {1, 0}, {1, 0}, {1, 0}};

enum { PATIENCE = 16 }; /* rounds that need not pay */

static void set_real(const osvm_ramp *s, int k, int slot, double x) {
  osvm_set_real(s->run->store.simd, s->circle->column[k], slot, x);
}

static double get_real(const osvm_ramp *s, int k, int slot) {
  return osvm_real(s->run->store.simd, s->circle->column[k], slot);
}

static double low(const osvm_ramp *s, int k) {
  return osvm_ramp_column(s, OSVM_RAMP_LABEL)[k] < 0 ? -osvm_ramp_column(s, OSVM_RAMP_CAP)[k] : 0;
}

static double high(const osvm_ramp *s, int k) {
  return osvm_ramp_column(s, OSVM_RAMP_LABEL)[k] > 0 ? osvm_ramp_column(s, OSVM_RAMP_CAP)[k] : 0;
}

/* Without curvature a move goes as far as it may. */
static void mark(const osvm_ramp *s, int k, int in_v) {
  const double b = osvm_ramp_column(s, OSVM_RAMP_COEF)[k], self = get_real(s, OSVM_RAMP_SELF, k);
  set_real(s, OSVM_RAMP_DOWN, k, low(s, k) - b);
  set_real(s, OSVM_RAMP_UP, k, high(s, k) - b);
  set_real(s, OSVM_RAMP_INVERSE, k, !in_v ? 0 : self > 1e-30 ? 1 / self : 1e30);
}

/* The circle's columns move when it grows. */
static void follow_circle(osvm_ramp *s) {
  void **columns = s->circle->column;
  s->singles.error = columns[OSVM_RAMP_ERROR];
  s->singles.down = columns[OSVM_RAMP_DOWN];
  s->singles.up = columns[OSVM_RAMP_UP];
  s->singles.inverse = columns[OSVM_RAMP_INVERSE];
  s->singles.self = columns[OSVM_RAMP_SELF];
}

/* A step of nothing, for which any numbers will do as a kernel row. */
static void look(osvm_ramp *s) {
  s->run->store.simd->single_step(&s->singles, s->singles.self, osvm_circle_padded(s->circle), 0);
}

/* ---- the front: whoever has a coefficient ---- */

static osvm_status to_front(osvm_ramp *s, int i, double b) {
  osvm_status status = OSVM_OK;
  int slot = s->front.slot[i];
  if (b == 0) {
    if (slot < 0) return OSVM_OK;
    s->front_coef[slot] = 0;
    osvm_pool_release(&s->front, slot);
    return OSVM_OK;
  }
  if (slot < 0) status = osvm_pool_admit(&s->front, i, &slot, s->run->error);
  if (status == OSVM_OK && s->front.capacity > s->front_room) {
    status = osvm_resize(&s->front_coef, s->front.capacity, sizeof(double), s->run->error);
    for (int k = s->front_room; k < s->front.capacity && status == OSVM_OK; k++) s->front_coef[k] = 0;
    if (status == OSVM_OK) s->front_room = s->front.capacity;
  }
  if (status == OSVM_OK) s->front_coef[slot] = b;
  return status;
}

/* ---- steps ---- */

static int place_of(const osvm_ramp *s, int slot) { return s->circle->pool->who[s->circle->member[slot]]; }

/* b_slot to a new value, and all errors with it. */
static osvm_status set_coef(osvm_ramp *s, int slot, double b) {
  double *coef = osvm_ramp_column(s, OSVM_RAMP_COEF);
  const double change = b - coef[slot];
  if (change == 0) return OSVM_OK;
  const void *row;
  osvm_status status = osvm_circle_row(s->circle, slot, &row, s->run->error);
  if (status == OSVM_OK) status = to_front(s, place_of(s, slot), b);
  if (status != OSVM_OK) return status;
  coef[slot] = b;
  mark(s, slot, get_real(s, OSVM_RAMP_INVERSE, slot) != 0);
  s->run->store.simd->single_step(&s->singles, row, osvm_circle_padded(s->circle), change);
  s->machine->updates += 1;
  s->run->worked += 4.0 * s->circle->n;
  return OSVM_OK;
}

/* (14), in signed coefficients; without curvature the bound that the error points to. */
static double best_coef(const osvm_ramp *s, int k) {
  const double self = get_real(s, OSVM_RAMP_SELF, k), error = osvm_ramp_column(s, OSVM_RAMP_ERROR)[k];
  if (!(self > 0)) return error > 0 ? high(s, k) : low(s, k);
  return fmin(fmax(osvm_ramp_column(s, OSVM_RAMP_COEF)[k] + error / self, low(s, k)), high(s, k));
}

osvm_status osvm_ramp_improve(osvm_ramp *s, int slot) {
  const double best = best_coef(s, slot);
  if (!isfinite(best))
    return osvm_fail(s->run->error, OSVM_DIVERGED, "the kernel values grew beyond all numbers; scale the data");
  return set_coef(s, slot, best);
}

/* The largest gain, (13), among those who violate (3) by more than the tolerance, where the largest of all does not. */
static void look_closer(osvm_ramp *s) {
  const double *b = osvm_ramp_column(s, OSVM_RAMP_COEF), *e = osvm_ramp_column(s, OSVM_RAMP_ERROR);
  s->singles.gain = 0;
  s->singles.best = -1;
  for (int k = 0; k < s->circle->n; k++) {
    if (get_real(s, OSVM_RAMP_INVERSE, k) == 0 || fabs(e[k]) <= s->tolerance) continue;
    const double move = best_coef(s, k) - b[k], gain = move * (e[k] - get_real(s, OSVM_RAMP_SELF, k) * move / 2);
    if (!(gain > s->singles.gain)) continue;
    s->singles.gain = gain;
    s->singles.best = k;
  }
}

/* Is there a step worth taking? It is s->singles.best's. */
static int unsettled(osvm_ramp *s) {
  const int best = s->singles.best;
  if (best >= 0 && s->singles.gain > s->min_gain && fabs(osvm_ramp_column(s, OSVM_RAMP_ERROR)[best]) <= s->tolerance)
    look_closer(s);
  return s->singles.best >= 0 && s->singles.gain > s->min_gain;
}

osvm_status osvm_ramp_settle(osvm_ramp *s) {
  osvm_status status = OSVM_OK;
  look(s);
  while (status == OSVM_OK && unsettled(s))
    status = osvm_run_stopped(s->run, 0) ? OSVM_INTERRUPTED : osvm_ramp_improve(s, s->singles.best);
  return status;
}

/* V as it should be by (10); whoever leaves it leaves its coefficient. */
static osvm_status renew(osvm_ramp *s, int *changed) {
  osvm_status status = OSVM_OK;
  *changed = 0;
  for (int k = 0; k < s->circle->n; k++) {
    if (s->circle->member[k] < 0) continue;
    const int belongs = osvm_ramp_g(s, k) <= 2;
    if (belongs == (get_real(s, OSVM_RAMP_INVERSE, k) != 0)) continue;
    *changed = 1;
    mark(s, k, belongs);
  }
  for (int k = 0; k < s->circle->n && *changed && status == OSVM_OK; k++)
    if (get_real(s, OSVM_RAMP_INVERSE, k) == 0 && osvm_ramp_column(s, OSVM_RAMP_COEF)[k] != 0)
      status = set_coef(s, k, 0);
  return status;
}

static double objective(const osvm_ramp *s) {
  const double *b = osvm_ramp_column(s, OSVM_RAMP_COEF), *e = osvm_ramp_column(s, OSVM_RAMP_ERROR),
               *y = osvm_ramp_column(s, OSVM_RAMP_LABEL), *cap = osvm_ramp_column(s, OSVM_RAMP_CAP);
  double sum = s->lost;
  for (int k = 0; k < s->circle->n; k++) sum += b[k] * (y[k] - e[k]) / 2 + cap[k] * fmin(fmax(y[k] * e[k], 0), 2);
  return sum;
}

/* A round lowers (7), but for the tolerance, if the kernel is positive definite. If it is not, V may swing for ever: the
 * coefficients are left as they are settled. */
osvm_status osvm_ramp_rounds(osvm_ramp *s) {
  int changed = 1;
  double before = INFINITY;
  osvm_status status = OSVM_OK;
  for (int round = 0; changed && status == OSVM_OK; round++) {
    status = osvm_ramp_settle(s);
    if (status != OSVM_OK) break;
    if (round >= PATIENCE) {
      const double now = objective(s);
      if (!(now < before - s->min_gain)) break;
      before = now;
    }
    status = renew(s, &changed);
  }
  return status;
}

/* ---- coming and going ---- */

static osvm_status seat(osvm_ramp *s, int i, double y, double cap, double b, double error, int *slot) {
  osvm_status status = osvm_circle_seat(s->circle, i, slot, s->run->error);
  if (status != OSVM_OK) return status;
  follow_circle(s);
  osvm_ramp_column(s, OSVM_RAMP_LABEL)[*slot] = y;
  osvm_ramp_column(s, OSVM_RAMP_CAP)[*slot] = cap;
  osvm_ramp_column(s, OSVM_RAMP_COEF)[*slot] = b;
  osvm_ramp_column(s, OSVM_RAMP_ERROR)[*slot] = error;
  set_real(s, OSVM_RAMP_SELF, *slot, osvm_kernel_self(&s->run->task->kernel, s->run->store.norm[i]));
  mark(s, *slot, y * error <= 2 || b != 0); /* an interrupted run may leave some with b who do not belong */
  return OSVM_OK;
}

osvm_status osvm_ramp_join(osvm_ramp *s, const int *next, int count, double y, double weight, int *slot) {
  const void *row;
  osvm_status status = osvm_pool_row(&s->front, next, count, &row, s->run->error);
  if (status != OSVM_OK) return status;
  const double f = s->front.store.n > 0 ? s->run->store.simd->weigh(row, s->front.store.n, s->front_coef) : 0;
  osvm_machine_count(s->machine, y * f, y * f < 1, 0);
  s->run->worked += 2.0 * s->front.store.n;
  return seat(s, next[0], y, s->C * weight, 0, y - f, slot);
}

osvm_status osvm_ramp_leave(osvm_ramp *s, int slot) {
  osvm_status status = set_coef(s, slot, 0);
  if (status == OSVM_OK) osvm_circle_remove(s->circle, slot);
  return status;
}

osvm_status osvm_ramp_open(osvm_run *run, double C, double tolerance, double min_gain) {
  for (int m = 0; m < run->task->machines; m++) {
    osvm_ramp *s = run->machine[m].memory = calloc(1, sizeof *s);
    if (s == NULL) return osvm_no_memory(run->error);
    *s = (osvm_ramp){.run = run,
                     .machine = &run->machine[m],
                     .circle = &run->circle[m],
                     .C = C,
                     .tolerance = tolerance,
                     .min_gain = min_gain};
    follow_circle(s);
    osvm_status status = osvm_pool_open(&s->front, &run->task->kernel, &run->store, 1, run->error);
    if (status != OSVM_OK) return status;
  }
  return OSVM_OK;
}

osvm_status osvm_ramp_import(osvm_run *run, const osvm_model *model) {
  osvm_status status = OSVM_OK;
  for (int m = 0; m < model->machines; m++) {
    osvm_ramp *s = osvm_ramp_of(&run->machine[m]);
    for (int j = 0; j < model->size && status == OSVM_OK; j++) {
      const double cap = *osvm_model_going(model, m, OSVM_RAMP_GOING_CAP, j);
      const double b = *osvm_model_going(model, m, OSVM_RAMP_GOING_COEF, j);
      if (cap == 0) continue;
      int slot;
      const double error = *osvm_model_going(model, m, OSVM_RAMP_GOING_ERROR, j);
      status = seat(s, j, cap > 0 ? 1 : -1, fabs(cap), b, error, &slot);
      if (status == OSVM_OK) status = to_front(s, j, b);
    }
    s->machine->expansion.steps = model->tally[m * OSVM_RAMP_TALLIES];
  }
  return status;
}

osvm_status osvm_ramp_export(osvm_run *run, osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    osvm_ramp *s = osvm_ramp_of(&run->machine[m]);
    for (int k = 0; k < s->circle->n; k++) {
      if (s->circle->member[k] < 0) continue;
      const int i = place_of(s, k);
      const double b = osvm_ramp_column(s, OSVM_RAMP_COEF)[k], y = osvm_ramp_column(s, OSVM_RAMP_LABEL)[k];
      *osvm_model_going(model, m, OSVM_RAMP_GOING_COEF, i) = model->coef[(size_t)m * model->size + i] = b;
      *osvm_model_going(model, m, OSVM_RAMP_GOING_ERROR, i) = osvm_ramp_column(s, OSVM_RAMP_ERROR)[k];
      *osvm_model_going(model, m, OSVM_RAMP_GOING_CAP, i) = y * osvm_ramp_column(s, OSVM_RAMP_CAP)[k];
    }
    model->intercept[m] = 0;
    model->tally[m * OSVM_RAMP_TALLIES] = s->machine->expansion.steps;
    look(s);
    const int settled = !unsettled(s);
    s->machine->convergence = (osvm_convergence){s->machine->expansion.steps, s->singles.gain, objective(s), settled};
    run->pool->evaluations += s->front.evaluations;
  }
  osvm_run_export_members(run, model);
  return OSVM_OK;
}

void osvm_ramp_close(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    osvm_ramp *s = osvm_ramp_of(&run->machine[m]);
    if (s == NULL) continue;
    osvm_pool_close(&s->front);
    free(s->front_coef);
    s->front_coef = NULL;
  }
}
