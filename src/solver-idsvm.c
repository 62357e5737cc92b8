/* IDSVM: the dual with bias of any loss, at its optimum after every example learned or removed.
 *
 * Problem   smo-dual.h: signed coefficients a_i between bounds, their sum fixed, gradients g_i = p_i - f(x_i) - d_i a_i. The
 *           dual is quadratic, so that the optimum moves along straight pieces; that of the logistic loss does not
 * Rule      every example is in one of three sets; for classes margin (g = 0), error (at C, y g >= 0), reserve (a = 0,
 *           y g <= 0), with a tube margin (|g| = eps), error (|a| = C, |g| >= eps), reserve (a = 0, |g| <= eps). A new one,
 *           or one to be removed, is the candidate c: its coefficient moves, and bias and margin coefficients with it so
 *           that the margin's gradients stay,
 *             d(bias, a_S) = beta da_c,  beta = -R (1, k_Sc),  R the inverse of Q = (0 1'; 1 K_SS),
 *             dg_i = -gamma_i da_c,  gamma_i = k_ic + sum_j beta_j k_ij + beta_0,
 *           until the first migration: a margin coefficient reaches a bound or 0, a gradient the margin, or c is in its set.
 *           Then the sets change, R by a rank-one update, and so on. With an empty margin the bias moves alone.
 * State     incremental.h: sets, coefficients and gradients by slot; Q and R. All examples are kept.
 * Cost      per migration: the kernel rows of the margin, each as long as there are examples, and |S|^2 for R
 * Paper     Cauwenberghs & Poggio (2001); numbers: Ma, Theiler & Perkins (2003); novelty: Laskov et al. (2006). Equation
 *           numbers are in incremental*.c
 * Departs   An example that reaches g = 0 but depends linearly on the margin (a duplicate) cannot join it: it becomes the
 *           candidate, which moves coefficients and hardly an output, until it is at its other bound or a margin vector
 *           leaves. beta is refined against Q, R rebuilt where that does not suffice, and the margin's gradients, which
 *           rounding moves away from 0, are corrected at intervals. With all coefficients at bounds the bias is the middle
 *           of the interval the conditions allow, as in SMO. */
#include <float.h>
#include <math.h>

#include "incremental.h"

typedef struct {
  double C, bias;
} params;
static const osvm_param declared[] = {{"C", OSVM_COST}, {"bias", OSVM_RULE}, {0}};

static const osvm_column columns[OSVM_INCREMENTAL_COLUMNS] = {
    OSVM_SV_DUAL_COLUMNS, [OSVM_INCREMENTAL_SET] = {.name = "set"}, [OSVM_INCREMENTAL_BELOW] = {.idle = -INFINITY},
    [OSVM_INCREMENTAL_ABOVE] = {.idle = INFINITY}};

/* A violation of the KKT conditions that counts as solved; without trouble it is below 1e-8. */
static const double GAP_MAX = 1e-6;

static double *column(const osvm_incremental *s, int k) { return osvm_incremental_column(s, k); }

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  const int biased = ((const params *)run->params)->bias != 0 || osvm_loss_is_of_share(&machine->objective);
  return osvm_incremental_open(machine->state, run, machine, biased);
}

/* With the bias of result() */
static osvm_status output(osvm_run *run, osvm_machine *machine, double *f) {
  osvm_incremental *s = machine->state;
  OSVM_TRY(osvm_incremental_finish_transit(s));
  OSVM_TRY(osvm_dual_sv_output(s->sv_set, run->upcoming, run->n_upcoming, f, machine->context.error));
  *f += s->margin.biased ? osvm_incremental_middle_bias(s, -1) : 0;
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_incremental *s = machine->state;
  const void *row;
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  OSVM_TRY(osvm_incremental_finish_transit(s));
  OSVM_TRY(osvm_sv_set_candidate_row(s->sv_set, run->upcoming, run->n_upcoming, &row, machine->context.error));
  const double f = run->store.simd->weigh(row, s->sv_set->n, column(s, OSVM_SV_COEF)) + s->bias;
  OSVM_TRY(osvm_sv_set_insert(s->sv_set, x->i, &slot, machine->context.error));
  const osvm_loss_point loss = osvm_loss_at(&machine->objective, x->y, f, 0);
  osvm_machine_count(machine, loss.value, loss.slope != 0, 0);
  machine->expansion.steps += 1;
  osvm_dual_sv_init(s->sv_set, slot, &machine->objective, x->y,
                    osvm_loss_cost(&machine->objective, ((const params *)run->params)->C, x->weight), x->y - f);
  return osvm_incremental_learn(s, slot);
}

static osvm_status forget(osvm_run *run, osvm_machine *machine, int i) {
  osvm_incremental *s = machine->state;
  const int slot = osvm_sv_set_slot(s->sv_set, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  OSVM_TRY(osvm_incremental_finish_transit(s));
  OSVM_TRY(osvm_incremental_unlearn(s, slot));
  osvm_sv_set_remove(s->sv_set, slot);
  return OSVM_OK;
}

/* Removed, evaluated, and learned again: the optimum is the same. */
static osvm_status leave_out(osvm_run *run, osvm_machine *machine, int i, double *output) {
  osvm_incremental *s = machine->state;
  const int slot = osvm_sv_set_slot(s->sv_set, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  OSVM_TRY(osvm_incremental_finish_transit(s));
  const int moves = column(s, OSVM_SV_COEF)[slot] != 0 || s->sum != 0;
  if (moves) OSVM_TRY(osvm_incremental_unlearn(s, slot));
  *output = column(s, OSVM_SV_LINEAR)[slot] - column(s, OSVM_SV_GRADIENT)[slot];
  if (s->margin.biased) *output += osvm_incremental_middle_bias(s, slot) - s->bias;
  return moves ? osvm_incremental_learn(s, slot) : OSVM_OK;
}

static osvm_status restore(osvm_run *run, osvm_machine *machine) {
  osvm_incremental *s = machine->state;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0) continue;
    osvm_dual_sv_derive(s->sv_set, k, &machine->objective,
                        osvm_run_target(run, machine->index, osvm_sv_set_example(s->sv_set, k)));
  }
  s->bias = machine->expansion.bias;
  return osvm_incremental_restore(s);
}

/* Rounding of any g, by its terms; far above 0 only where k or C are large */
static double rounding(const osvm_incremental *s) {
  double sum = 0, linear = 1;
  for (int k = 0; k < s->sv_set->n; k++) {
    sum += fabs(column(s, OSVM_SV_COEF)[k]) * s->margin.kernel_max;
    linear = fmax(linear, fabs(column(s, OSVM_SV_LINEAR)[k]));
  }
  return DBL_EPSILON * (sum + linear);
}

/* The KKT violation of the coefficients. Where rounding may count, g is computed anew: steps by an inaccurate inverse
 * take the g they keep away from it. */
static double violation(osvm_incremental *s) {
  const double *g = column(s, OSVM_SV_GRADIENT);
  double gap = 0;
  if (rounding(s) > GAP_MAX / 100 && osvm_incremental_recompute_gradient(s) != OSVM_OK) return INFINITY;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0) continue;
    const double set = column(s, OSVM_INCREMENTAL_SET)[k], above = column(s, OSVM_INCREMENTAL_ABOVE)[k],
                 below = column(s, OSVM_INCREMENTAL_BELOW)[k], edge = column(s, OSVM_INCREMENTAL_EDGE)[k];
    const int fixed = set == OSVM_IN_RESERVE || set == OSVM_IN_ERROR;
    gap = fmax(gap, fixed ? fmax(g[k] - above, below - g[k]) : fabs(g[k] - edge));
  }
  return gap;
}

static void result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept) {
  osvm_incremental *s = machine->state;
  const double *a = column(s, OSVM_SV_COEF), *g = column(s, OSVM_SV_GRADIENT), gap = violation(s);
  double objective = 0;
  (void)run;
  for (int k = 0; k < s->sv_set->n; k++)
    if (s->sv_set->shared_slot[k] >= 0)
      objective -= a[k] * (g[k] + s->bias + column(s, OSVM_SV_LINEAR)[k]) / 2 - s->epsilon * fabs(a[k]);
  osvm_dual_sv_result(s->sv_set, coef);
  *intercept = s->margin.biased ? osvm_incremental_middle_bias(s, -1) : 0;
  machine->expansion.bias = s->bias;
  const int finished = !s->unfinished && gap <= GAP_MAX;
  machine->convergence = (osvm_convergence){machine->expansion.steps, gap, objective, finished, !finished};
}

static void close(osvm_machine *machine) { osvm_incremental_close(machine->state); }

const osvm_solver osvm_solver_idsvm = {.title = "IDSVM",
                                       .summary = "the exact soft-margin SVM after each example added or removed",
                                       .paper = "Cauwenberghs & Poggio (2001); Wang & Vucetic (2009)",
                                       .space = "both",
                                       .params = declared,
                                       .dual = 1,
                                       .losses = OSVM_BY_DUAL | OSVM_WITHOUT_TARGET,
                                       .doubles = 1,
                                       .state_size = sizeof(osvm_incremental),
                                       .columns = columns,
                                       .n_columns = OSVM_INCREMENTAL_COLUMNS,
                                       .open = open,
                                       .restore = restore,
                                       .learn = learn,
                                       .output = output,
                                       .forget = forget,
                                       .leave_out = leave_out,
                                       .result = result,
                                       .close = close};
