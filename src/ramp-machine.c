/* See ramp.h. */
#include "ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const osvm_column osvm_ramp_columns[OSVM_RAMP_COLUMNS] = {
    OSVM_SV_DUAL_COLUMNS, {.real = 1}, {.real = 1}, {.real = 1}, {.real = 1}};

enum { PATIENCE = 16 }; /* rounds that need not pay */

/* ---- the front: whoever has a coefficient ---- */

static osvm_status to_front(osvm_ramp *s, int i, double b) {
  osvm_status status = OSVM_OK;
  int slot = s->nonzero.slot[i];
  if (b == 0) {
    if (slot < 0) return OSVM_OK;
    s->nonzero_coef[slot] = 0;
    osvm_shared_sv_release(&s->nonzero, slot);
    return OSVM_OK;
  }
  if (slot < 0) status = osvm_shared_sv_acquire(&s->nonzero, i, &slot, s->run->error);
  if (status == OSVM_OK && s->nonzero.capacity > s->nonzero_room) {
    status = osvm_resize(&s->nonzero_coef, s->nonzero.capacity, sizeof(double), s->run->error);
    for (int k = s->nonzero_room; k < s->nonzero.capacity && status == OSVM_OK; k++) s->nonzero_coef[k] = 0;
    if (status == OSVM_OK) s->nonzero_room = s->nonzero.capacity;
  }
  if (status == OSVM_OK) s->nonzero_coef[slot] = b;
  return status;
}

osvm_status osvm_ramp_update_nonzero(osvm_ramp *s, int slot, double b) {
  return to_front(s, osvm_sv_set_example(s->sv_set, slot), b);
}

/* ---- rounds ---- */

/* V as it should be by (10); whoever leaves it leaves its coefficient. */
static osvm_status renew(osvm_ramp *s, int *changed) {
  osvm_status status = OSVM_OK;
  *changed = 0;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->member[k] < 0) continue;
    const int belongs = osvm_ramp_g(s, k) <= 2;
    if (belongs == osvm_ramp_in_v(s, k)) continue;
    *changed = 1;
    osvm_ramp_set_membership(s, k, belongs);
  }
  for (int k = 0; k < s->sv_set->n && *changed && status == OSVM_OK; k++)
    if (!osvm_ramp_in_v(s, k) && osvm_ramp_column(s, OSVM_SV_COEF)[k] != 0) status = osvm_ramp_set_coef(s, k, 0);
  return status;
}

static double objective(const osvm_ramp *s) {
  const double *b = osvm_ramp_column(s, OSVM_SV_COEF), *e = osvm_ramp_column(s, OSVM_SV_GRADIENT),
               *bound = osvm_ramp_column(s, OSVM_SV_BOUND);
  double sum = s->removed_loss;
  for (int k = 0; k < s->sv_set->n; k++) {
    const double y = osvm_dual_sv_label(s->sv_set->column, k);
    sum += b[k] * (y - e[k]) / 2 + fabs(bound[k]) * fmin(fmax(y * e[k], 0), 2);
  }
  return sum;
}

/* A round lowers (7), but for the tolerance, if the kernel is positive definite. If it is not, V may swing for ever: the
 * coefficients are left as they are settled. */
osvm_status osvm_ramp_cccp(osvm_ramp *s) {
  int changed = 1;
  double before = INFINITY;
  osvm_status status = OSVM_OK;
  for (int round = 0; changed && status == OSVM_OK; round++) {
    status = osvm_ramp_descend(s);
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
  const double norm = s->run->store.norm[osvm_sv_set_example(s->sv_set, slot)];
  osvm_ramp_update_pointers(s);
  osvm_set_real(s->run->store.simd, s->sv_set->column[OSVM_RAMP_SELF], slot,
                osvm_kernel_self(&s->run->kernel, norm));
  osvm_ramp_set_membership(s, slot, osvm_ramp_g(s, slot) <= 2 || osvm_ramp_column(s, OSVM_SV_COEF)[slot] != 0);
}

osvm_status osvm_ramp_add(osvm_ramp *s, const int *next, int count, double y, double weight, int *slot) {
  const void *row;
  osvm_status status = osvm_shared_sv_row(&s->nonzero, next, count, &row, s->run->error);
  if (status != OSVM_OK) return status;
  const double f = s->nonzero.store.n > 0 ? s->run->store.simd->weigh(row, s->nonzero.store.n, s->nonzero_coef) : 0;
  osvm_machine_count(s->machine, y * f, y * f < 1, 0);
  s->run->work += 2.0 * s->nonzero.store.n;
  status = osvm_sv_set_add(s->sv_set, next[0], slot, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_dual_sv_init(s->sv_set, *slot, y, s->C * weight, y - f);
  introduce(s, *slot);
  return OSVM_OK;
}

osvm_status osvm_ramp_remove(osvm_ramp *s, int slot) {
  osvm_status status = osvm_ramp_set_coef(s, slot, 0);
  if (status == OSVM_OK) osvm_sv_set_remove(s->sv_set, slot);
  return status;
}

osvm_status osvm_ramp_open(osvm_run *run, osvm_machine *machine, double C, double tolerance, double min_gain) {
  osvm_ramp *s = machine->state;
  *s = (osvm_ramp){
      .run = run, .machine = machine, .sv_set = machine->sv_set, .C = C, .tolerance = tolerance, .min_gain = min_gain};
  s->working_most = s->sv_set->bytes / 8;
  s->sv_set->bytes -= s->working_most;
  osvm_ramp_update_pointers(s);
  OSVM_TRY(osvm_shared_sv_open(&s->nonzero, &run->kernel, &run->store, 1, run->error));
  s->nonzero.rows.evaluations = &run->evaluations;
  return OSVM_OK;
}

osvm_status osvm_ramp_restore(osvm_run *run, osvm_machine *machine) {
  osvm_ramp *s = machine->state;
  (void)run;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->member[k] < 0) continue;
    introduce(s, k);
    OSVM_TRY(osvm_ramp_update_nonzero(s, k, osvm_ramp_column(s, OSVM_SV_COEF)[k]));
  }
  return OSVM_OK;
}

void osvm_ramp_result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept) {
  osvm_ramp *s = machine->state;
  (void)run;
  osvm_dual_sv_result(s->sv_set, coef);
  *intercept = 0;
  const int stationary = osvm_ramp_is_stationary(s);
  machine->convergence =
      (osvm_convergence){machine->expansion.steps, s->all.selection.gain, objective(s), stationary};
}

void osvm_ramp_close(osvm_machine *machine) {
  osvm_ramp *s = machine->state;
  osvm_shared_sv_close(&s->nonzero);
  free(s->nonzero_coef);
  osvm_ramp_free_working_set(s);
}
