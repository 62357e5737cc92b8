/* IDSVM: the soft-margin machine with bias, exact after every example, learned or unlearned.
 *
 * Problem   solver-smo.c's: signed coefficients b_i between 0 and y_i C_i, sum b_i = 0, errors e_i = y_i - f(x_i)
 * Rule      every example is in one of three sets: margin (e = 0), error (at C, y e >= 0), reserve (b = 0, y e <= 0). A new
 *           one, or one to be forgotten, is the candidate c: its b moves, and bias and margin coefficients move along so
 *           that the margin's errors stay 0,
 *             d(bias, b_S) = beta db_c,  beta = -M (1, k_Sc),  M the inverse of A = (0 1'; 1 K_SS),
 *             de_i = -gamma_i db_c,  gamma_i = k_ic + sum_j beta_j k_ij + beta_0,
 *           as far as the first event: a margin coefficient meets a bound, an error meets 0, or c is where it belongs.
 *           Then the sets change, M follows by a rank-one step, and it goes on. With an empty margin the bias moves alone.
 * State     sets, coefficients and errors by slot; A and M. All examples are kept
 * Cost      per event: the kernel rows of the margin, each as long as there are examples, and |S|^2 for M
 * Paper     Cauwenberghs & Poggio (2001)
 * Departs   An example that meets e = 0 but depends linearly on the margin (a duplicate) cannot join it: it becomes the
 *           candidate itself, which moves coefficients and hardly an output, until it is at its other bound or one of the
 *           margin has made room. beta is refined against A, M built anew where that does not help, and errors on the
 *           margin, which rounding moves away from 0, are put right now and then. With all coefficients at bounds the bias
 *           is the middle of what the conditions allow, as SMO's. */
#include <math.h>
#include <stdlib.h>

#include "incremental.h"

typedef struct {
  double C, bias;
} rule;
static const char *const params[] = {"C", "bias", NULL};

static const osvm_column_kind columns[OSVM_INCREMENTAL_COLUMNS] = {{0, 0}};
enum { KEPT_SET = OSVM_STATE_COLUMNS, DEPTH };
enum { STEPS, BIAS, TALLIES };

static double *column(const osvm_incremental *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }

static osvm_status start(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    osvm_incremental *s = run->machine[m].memory = calloc(1, sizeof *s);
    if (s == NULL) return osvm_no_memory(run->error);
    osvm_status status = osvm_incremental_open(s, run, m, ((const rule *)run->rule)->bias != 0);
    if (status != OSVM_OK) return status;
  }
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_incremental *s = machine->memory;
  const void *row;
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  osvm_status status = osvm_incremental_finish_transit(s);
  if (status == OSVM_OK) status = osvm_sv_set_candidate_row(s->sv_set, run->next, run->n_upcoming, &row, run->error);
  if (status != OSVM_OK) return status;
  const double f = run->store.simd->weigh(row, s->sv_set->n, column(s, OSVM_SV_COEF)) + s->bias;
  status = osvm_sv_set_insert(s->sv_set, x->i, &slot, run->error);
  if (status != OSVM_OK) return status;
  osvm_machine_count(machine, x->y * f, x->y * f < 1, 0);
  machine->expansion.steps += 1;
  osvm_dual_sv_init(s->sv_set, slot, x->y, ((const rule *)run->rule)->C * x->weight, x->y - f);
  return osvm_incremental_learn(s, slot);
}

static osvm_status forget(osvm_run *run, osvm_machine *machine, int i) {
  osvm_incremental *s = machine->memory;
  const int slot = osvm_sv_set_slot(s->sv_set, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  osvm_status status = osvm_incremental_finish_transit(s);
  if (status == OSVM_OK) status = osvm_incremental_unlearn(s, slot);
  if (status == OSVM_OK) osvm_sv_set_remove(s->sv_set, slot);
  return status;
}

/* Unlearned, looked at, and learned again: the optimum is where it was. */
static osvm_status leave_out(osvm_run *run, osvm_machine *machine, int i, double *output) {
  osvm_incremental *s = machine->memory;
  const int slot = osvm_sv_set_slot(s->sv_set, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  osvm_status status = osvm_incremental_finish_transit(s);
  const int moves = column(s, OSVM_SV_COEF)[slot] != 0;
  if (status == OSVM_OK && moves) status = osvm_incremental_unlearn(s, slot);
  if (status != OSVM_OK) return status;
  *output = column(s, OSVM_SV_LABEL)[slot] - column(s, OSVM_SV_GRADIENT)[slot];
  if (s->margin.biased) *output += osvm_incremental_middle_bias(s, slot) - s->bias;
  return moves ? osvm_incremental_learn(s, slot) : OSVM_OK;
}

static osvm_status import(osvm_run *run, const osvm_model *model) {
  osvm_status status = OSVM_OK;
  for (int m = 0; m < model->machines; m++) {
    osvm_incremental *s = run->machine[m].memory;
    for (int j = 0; j < model->size && status == OSVM_OK; j++) {
      int slot;
      status = osvm_dual_sv_import(s->sv_set, model, m, j, &slot, run->error);
      if (status != OSVM_OK || slot < 0) continue;
      status = osvm_incremental_place(s, slot, *osvm_model_going(model, m, KEPT_SET, j));
    }
    s->machine->expansion.steps = model->tally[m * TALLIES + STEPS];
    s->bias = model->tally[m * TALLIES + BIAS];
    if (status == OSVM_OK) status = osvm_incremental_rebuild(s);
  }
  return status;
}

static osvm_status export(osvm_run *run, osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    const osvm_incremental *s = run->machine[m].memory;
    const double *b = column(s, OSVM_SV_COEF), *e = column(s, OSVM_SV_GRADIENT), *y = column(s, OSVM_SV_LABEL);
    double objective = 0, worst = 0;
    for (int k = 0; k < s->sv_set->n; k++) {
      if (s->sv_set->member[k] < 0) continue;
      const double set = column(s, OSVM_INCREMENTAL_SET)[k], ye = y[k] * e[k];
      osvm_dual_sv_export(s->sv_set, k, model, m);
      *osvm_model_going(model, m, KEPT_SET, osvm_dual_sv_example(s->sv_set, k)) = set;
      objective -= b[k] * (e[k] + s->bias + y[k]) / 2;
      worst = fmax(worst, set == OSVM_IN_RESERVE ? ye : set == OSVM_IN_ERROR ? -ye : fabs(ye));
    }
    model->intercept[m] = s->margin.biased ? osvm_incremental_middle_bias(s, -1) : 0;
    model->tally[m * TALLIES + STEPS] = s->machine->expansion.steps;
    model->tally[m * TALLIES + BIAS] = s->bias;
    s->machine->convergence = (osvm_convergence){s->machine->expansion.steps, worst, objective, !s->troubled};
  }
  osvm_run_export_support(run, model);
  return OSVM_OK;
}

static void close(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    osvm_incremental *s = run->machine[m].memory;
    if (s != NULL) osvm_incremental_close(s);
  }
}

const osvm_solver osvm_solver_idsvm = {.params = params,
                                       .dual = 1,
                                       .exact = 1,
                                       .columns = columns,
                                       .n_columns = OSVM_INCREMENTAL_COLUMNS,
                                       .depth = DEPTH,
                                       .tallies = TALLIES,
                                       .start = start,
                                       .learn = learn,
                                       .forget = forget,
                                       .leave_out = leave_out,
                                       .import = import,
                                       .export = export,
                                       .close = close};
