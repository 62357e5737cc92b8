/* Examples and CCCP rounds of the ramp-loss SVM; see ramp.h. Wang & Vucetic (2009), Algorithm 1; Collobert, Sinz,
 * Weston & Bottou (2006). */
#include "ramp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const osvm_column osvm_ramp_columns[OSVM_RAMP_COLUMNS] = {
    OSVM_SV_DUAL_COLUMNS, {.real = 1}, {.real = 1}, {.real = 1}, {.real = 1}};

/* Rounds of CCCP before the objective is tested, which costs a pass over all examples. One to six are usual. */
enum { UNTESTED_ROUNDS = 16 };

/* ---- examples with alpha other than 0 ---- */

static osvm_status update_nonzero(osvm_ramp *s, int i, double alpha) {
  int slot = s->nonzero.slot[i];
  if (alpha == 0) {
    if (slot < 0) return OSVM_OK;
    s->nonzero_coef[slot] = 0;
    osvm_shared_sv_release(&s->nonzero, slot);
    return OSVM_OK;
  }
  if (slot < 0) OSVM_TRY(osvm_shared_sv_acquire(&s->nonzero, i, &slot, s->machine->context.error));
  if (s->nonzero.capacity > s->nonzero_capacity) {
    OSVM_TRY(osvm_resize(&s->nonzero_coef, s->nonzero.capacity, sizeof(double), s->machine->context.error));
    for (int k = s->nonzero_capacity; k < s->nonzero.capacity; k++) s->nonzero_coef[k] = 0;
    s->nonzero_capacity = s->nonzero.capacity;
  }
  s->nonzero_coef[slot] = alpha;
  return OSVM_OK;
}

osvm_status osvm_ramp_update_nonzero(osvm_ramp *s, int slot, double alpha) {
  return update_nonzero(s, osvm_sv_set_example(s->sv_set, slot), alpha);
}

/* ---- CCCP ---- */

/* V by (10), from the same f for all; then alpha = 0 where an example has left it (Algorithm 1, lines 16 to 26). */
static osvm_status update_active_set(osvm_ramp *s, int *changed) {
  const double *gradient = osvm_ramp_column(s, OSVM_SV_GRADIENT), *y = osvm_ramp_column(s, OSVM_SV_LINEAR);
  *changed = 0;
  for (int k = 0; k < s->sv_set->n; k++) {
    const int in_v = y[k] * gradient[k] <= 2;
    if (in_v == osvm_ramp_in_v(s, k) || s->sv_set->shared_slot[k] < 0) continue;
    *changed = 1;
    osvm_ramp_set_membership(s, k, in_v);
  }
  for (int k = 0; k < s->sv_set->n && *changed; k++)
    if (!osvm_ramp_in_v(s, k) && osvm_ramp_column(s, OSVM_SV_COEF)[k] != 0) OSVM_TRY(osvm_ramp_set_coef(s, k, 0));
  return OSVM_OK;
}

/* (7), with |f|^2 = sum_i alpha_i f(x_i) */
static double objective(const osvm_ramp *s) {
  const double *alpha = osvm_ramp_column(s, OSVM_SV_COEF), *gradient = osvm_ramp_column(s, OSVM_SV_GRADIENT),
               *cost = osvm_ramp_column(s, OSVM_SV_COST);
  double sum = s->removed_loss;
  for (int k = 0; k < s->sv_set->n; k++) {
    const double y = osvm_ramp_column(s, OSVM_SV_LINEAR)[k];
    sum += alpha[k] * (y - gradient[k]) / 2 + cost[k] * fmin(fmax(y * gradient[k], 0), 2);
  }
  return sum;
}

/* Rounds end: the dual of V is that of a convex upper bound of (7), tight at the last f. Solving it lowers (7) whenever
 * V has changed, and there are finitely many V. That does not hold below the tolerance of the descent, nor for an
 * indefinite kernel: V may then cycle. So a round beyond UNTESTED_ROUNDS has to lower (7), which is bounded, by more
 * than the least gain of a step; if it does not, the solution for the current V is kept. */
osvm_status osvm_ramp_cccp(osvm_ramp *s) {
  int changed = 1;
  double previous = INFINITY;
  for (int round = 0; changed; round++) {
    OSVM_TRY(osvm_ramp_descend(s));
    if (round >= UNTESTED_ROUNDS) {
      const double now = objective(s);
      if (!(now < previous - s->least_gain)) break;
      previous = now;
    }
    OSVM_TRY(update_active_set(s, &changed));
  }
  s->unsettled = changed;
  return OSVM_OK;
}

/* ---- examples join and leave ---- */

/* V by alpha and gradient, as a model has them. An interrupted run, or a V that cycled, may have left alpha other than 0
 * where g > 2: such an example is in V until the next round. */
static void init_membership(osvm_ramp *s, int slot) {
  osvm_ramp_set_membership(s, slot, osvm_ramp_g(s, slot) <= 2 || osvm_ramp_column(s, OSVM_SV_COEF)[slot] != 0);
}

void osvm_ramp_settle(osvm_ramp *s) {
  for (int k = 0; k < s->sv_set->n && s->unsettled; k++)
    if (s->sv_set->shared_slot[k] >= 0) init_membership(s, k);
  s->unsettled = 0;
}

/* Columns that follow from label, cost, alpha and gradient */
static void init_selection(osvm_ramp *s, int slot) {
  osvm_set_real(s->run->store.simd, s->sv_set->column[OSVM_RAMP_DIAGONAL], slot,
                osvm_kernel_self(&s->run->kernel, &s->run->store, osvm_sv_set_example(s->sv_set, slot)));
  osvm_ramp_set_membership(s, slot, 1);
  s->least_gain = fmin(s->least_gain, osvm_ramp_least_gain(s, slot));
  init_membership(s, slot);
}

osvm_status osvm_ramp_output(osvm_ramp *s, const int *next, int count, double *output) {
  const void *row;
  OSVM_TRY(osvm_shared_sv_row(&s->nonzero, next, count, &row, s->machine->context.error));
  const int n = s->nonzero.store.n;
  *output = n > 0 ? s->run->store.simd->weigh(row, n, s->nonzero_coef) : 0;
  s->machine->context.work += 2.0 * n;
  return OSVM_OK;
}

osvm_status osvm_ramp_add(osvm_ramp *s, const int *next, int count, double y, double weight, int *slot) {
  double f;
  OSVM_TRY(osvm_ramp_output(s, next, count, &f));
  osvm_machine_count(s->machine, osvm_loss_value(&s->run->loss, y, f), y * f < 1, 0);
  OSVM_TRY(osvm_sv_set_add(s->sv_set, next[0], slot, s->machine->context.error));
  osvm_dual_sv_init(s->sv_set, *slot, &s->run->loss, y, s->C * weight, y - f);
  osvm_ramp_update_pointers(s);
  init_selection(s, *slot);
  return OSVM_OK;
}

osvm_status osvm_ramp_remove(osvm_ramp *s, int slot) {
  osvm_ramp_settle(s);
  OSVM_TRY(osvm_ramp_set_coef(s, slot, 0));
  osvm_sv_set_remove(s->sv_set, slot);
  return OSVM_OK;
}

/* An eighth of the memory for kernel rows is for those of the working set. */
osvm_status osvm_ramp_open(osvm_run *run, osvm_machine *machine, double C, double tolerance, double min_gain) {
  osvm_ramp *s = machine->state;
  *s = (osvm_ramp){.run = run,
                   .machine = machine,
                   .sv_set = machine->sv_set,
                   .C = C,
                   .tolerance = tolerance,
                   .min_gain = min_gain,
                   .least_gain = min_gain};
  s->working_bytes_max = s->sv_set->bytes / 8;
  s->sv_set->bytes -= s->working_bytes_max;
  osvm_ramp_update_pointers(s);
  OSVM_TRY(osvm_shared_sv_open(&s->nonzero, &run->kernel, &run->store, 1, machine->context.error));
  s->nonzero.rows.evaluations = &machine->context.evaluations;
  s->nonzero.rows.team = machine->context.team;
  return OSVM_OK;
}

osvm_status osvm_ramp_restore(osvm_run *run, osvm_machine *machine) {
  osvm_ramp *s = machine->state;
  osvm_ramp_update_pointers(s);
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0) continue;
    osvm_dual_sv_derive(s->sv_set, k, &run->loss,
                        osvm_run_target(run, machine->index, osvm_sv_set_example(s->sv_set, k)));
    init_selection(s, k);
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
  machine->convergence = (osvm_convergence){machine->expansion.steps, s->all.selection.gain, objective(s), stationary,
                                            !stationary && s->stall.stalled};
}

void osvm_ramp_close(osvm_machine *machine) {
  osvm_ramp *s = machine->state;
  osvm_shared_sv_close(&s->nonzero);
  free(s->nonzero_coef);
  osvm_ramp_free_working_set(s);
}
