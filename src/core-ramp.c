/* See core-ramp.h. */
#include "core-ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const osvm_column_kind osvm_ramp_columns[OSVM_RAMP_COLUMNS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0},
                                                               {1, 0}, {1, 0}, {1, 0}, {1, 0}};

enum { PATIENCE = 16 }; /* rounds that need not pay */

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

osvm_status osvm_ramp_to_front(osvm_ramp *s, int slot, double b) {
  return to_front(s, osvm_member_place(s->circle, slot), b);
}

/* ---- rounds ---- */

/* V as it should be by (10); whoever leaves it leaves its coefficient. */
static osvm_status renew(osvm_ramp *s, int *changed) {
  osvm_status status = OSVM_OK;
  *changed = 0;
  for (int k = 0; k < s->circle->n; k++) {
    if (s->circle->member[k] < 0) continue;
    const int belongs = osvm_ramp_g(s, k) <= 2;
    if (belongs == osvm_ramp_in_v(s, k)) continue;
    *changed = 1;
    osvm_ramp_mark(s, k, belongs);
  }
  for (int k = 0; k < s->circle->n && *changed && status == OSVM_OK; k++)
    if (!osvm_ramp_in_v(s, k) && osvm_ramp_column(s, OSVM_MEMBER_COEF)[k] != 0) status = osvm_ramp_set_coef(s, k, 0);
  return status;
}

static double objective(const osvm_ramp *s) {
  const double *b = osvm_ramp_column(s, OSVM_MEMBER_COEF), *e = osvm_ramp_column(s, OSVM_MEMBER_ERROR),
               *y = osvm_ramp_column(s, OSVM_MEMBER_LABEL), *cap = osvm_ramp_column(s, OSVM_MEMBER_CAP);
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

/* What follows from a member's common columns. An interrupted run may leave some with b who do not belong to V. */
static void introduce(osvm_ramp *s, int slot) {
  const double norm = s->run->store.norm[osvm_member_place(s->circle, slot)];
  osvm_ramp_follow(s);
  osvm_set_real(s->run->store.simd, s->circle->column[OSVM_RAMP_SELF], slot,
                osvm_kernel_self(&s->run->task->kernel, norm));
  osvm_ramp_mark(s, slot, osvm_ramp_g(s, slot) <= 2 || osvm_ramp_column(s, OSVM_MEMBER_COEF)[slot] != 0);
}

osvm_status osvm_ramp_join(osvm_ramp *s, const int *next, int count, double y, double weight, int *slot) {
  const void *row;
  osvm_status status = osvm_pool_row(&s->front, next, count, &row, s->run->error);
  if (status != OSVM_OK) return status;
  const double f = s->front.store.n > 0 ? s->run->store.simd->weigh(row, s->front.store.n, s->front_coef) : 0;
  osvm_machine_count(s->machine, y * f, y * f < 1, 0);
  s->run->worked += 2.0 * s->front.store.n;
  status = osvm_circle_seat(s->circle, next[0], slot, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_member_describe(s->circle, *slot, y, s->C * weight, y - f);
  introduce(s, *slot);
  return OSVM_OK;
}

osvm_status osvm_ramp_leave(osvm_ramp *s, int slot) {
  osvm_status status = osvm_ramp_set_coef(s, slot, 0);
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
    s->few_most = s->circle->bytes / 8;
    s->circle->bytes -= s->few_most;
    osvm_ramp_follow(s);
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
      int slot;
      status = osvm_member_import(s->circle, model, m, j, &slot, run->error);
      if (status != OSVM_OK || slot < 0) continue;
      introduce(s, slot);
      status = to_front(s, j, osvm_ramp_column(s, OSVM_MEMBER_COEF)[slot]);
    }
    s->machine->expansion.steps = model->tally[m * OSVM_RAMP_TALLIES];
  }
  return status;
}

osvm_status osvm_ramp_export(osvm_run *run, osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    osvm_ramp *s = osvm_ramp_of(&run->machine[m]);
    for (int k = 0; k < s->circle->n; k++)
      if (s->circle->member[k] >= 0) osvm_member_export(s->circle, k, model, m);
    model->intercept[m] = 0;
    model->tally[m * OSVM_RAMP_TALLIES] = s->machine->expansion.steps;
    const int settled = osvm_ramp_settled(s);
    s->machine->convergence =
        (osvm_convergence){s->machine->expansion.steps, s->all.singles.gain, objective(s), settled};
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
    osvm_ramp_close_steps(s);
  }
}
