/* LASVM's finish: the optimum of all examples.
 *
 * Steps within S, by second-order pairs, until gmax - gmin <= tolerance (Bordes et al. 2005, section 3.3); a few use the
 * kernel rows at hand, and if they do not suffice, SMO with shrinking takes over. Then all examples outside S, whose
 * coefficients are 0, are checked: those in a violating pair enter S, and S is optimised again, until there are none.
 * A round begins with a violating pair in S, whose step decreases the objective, so that no S occurs twice; MAX_ROUNDS
 * is for rounding. A check costs a kernel row over S per example. */
#include "solver-lasvm.h"

#include <math.h>

/* Steps: of all rounds, as solver_smo()'s max_iter */
static const double MAX_STEPS = 1e7, WORK_PER_CHECK = 1e3;
enum { MAX_ROUNDS = 100 };

static osvm_status finish_with_rows(osvm_lasvm *s, double tolerance) {
  const osvm_run *run = s->run;
  for (int t = s->sv_set->count / 4 + 100; t > 0 && osvm_lasvm_gap(s) > tolerance; t--) {
    const int up = s->selection.first;
    const void *row;
    if (osvm_context_stopped(&s->machine->context, 0)) return OSVM_INTERRUPTED;
    OSVM_TRY(osvm_sv_set_row(s->sv_set, up, &row, s->machine->context.error));
    int low =
        osvm_pair_partner(run->store.simd, &s->selection, row, osvm_sv_set_padded(s->sv_set), s->machine->context.team);
    /* The gain is computed in the store's precision, in which a small difference of large gradients may vanish. */
    if (low < 0 || !(s->selection.gmax > osvm_lasvm_slope_low(s, low))) low = osvm_lasvm_first_order_partner(s);
    OSVM_TRY(osvm_lasvm_step(s, up, low));
  }
  return OSVM_OK;
}

static void copy_to_dual(const osvm_lasvm *s, osvm_dual *dual) {
  for (int k = 0; k < s->sv_set->n; k++) {
    const int p = s->sv_set->shared_slot[k];
    if (p < 0) continue;
    osvm_dual_set(dual, p, osvm_dual_sv_term(s->sv_set, k), osvm_lasvm_column(s, OSVM_SV_COEF)[k],
                  osvm_lasvm_column(s, OSVM_SV_GRADIENT)[k]);
  }
}

static void copy_from_dual(osvm_lasvm *s, const osvm_dual *dual) {
  s->zeros = 0;
  for (int k = 0; k < s->sv_set->n; k++) {
    const int p = s->sv_set->shared_slot[k];
    if (p < 0) continue;
    osvm_lasvm_column(s, OSVM_SV_COEF)[k] = dual->coef[p];
    osvm_lasvm_column(s, OSVM_SV_GRADIENT)[k] = dual->gradient[p];
    s->zeros += dual->coef[p] == 0;
    osvm_lasvm_mark(s, k);
  }
  s->stalled = dual->stall.stalled;
  osvm_lasvm_refresh_selection(s);
}

/* After an interrupt the gradients of the shrunk examples are reconstructed all the same: the model is usable. */
static osvm_status solve_dual(osvm_dual *dual, double most_steps) {
  OSVM_TRY(osvm_dual_begin(dual));
  osvm_status status = osvm_dual_solve(dual, 1, most_steps);
  if (status != OSVM_INTERRUPTED) return status;
  dual->no_poll = 1;
  return osvm_dual_reconstruct_gradient(dual) == OSVM_OK ? status : OSVM_NO_MEMORY;
}

/* The set's kernel rows are freed first: SMO's own take their place within the bound. */
static osvm_status finish_with_smo(osvm_lasvm *s, double tolerance) {
  osvm_run *run = s->run;
  osvm_sv_set *set = s->sv_set;
  osvm_dual dual;
  osvm_sv_set_drop_rows(set);
  osvm_status status = osvm_dual_open_on(&dual, run, s->machine, &set->shared->store, set->bytes, tolerance);
  if (status == OSVM_OK) {
    copy_to_dual(s, &dual);
    status = solve_dual(&dual, MAX_STEPS - s->finish_steps);
    s->finish_steps += dual.iterations;
  }
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) copy_from_dual(s, &dual);
  s->ended = osvm_lasvm_gap(s) > tolerance && !s->stalled;
  osvm_dual_close(&dual);
  return status;
}

static int is_open(const osvm_lasvm *s) { return s->entered > 0 && !s->ended; }

/* Changes the machine's own state alone */
static osvm_status optimise(osvm_run *run, osvm_machine *machine) {
  const double tolerance = ((const osvm_lasvm_params *)run->params)->tolerance;
  osvm_lasvm *s = machine->state;
  if (!is_open(s)) return OSVM_OK;
  if (osvm_lasvm_gap(s) > tolerance) OSVM_TRY(finish_with_smo(s, tolerance));
  s->entered = 0;
  return OSVM_OK;
}

/* What S has reached: the tolerance, or more where rounding or the limit of steps ended its optimisation. */
static double reached(const osvm_lasvm *s, double tolerance) { return fmax(tolerance, osvm_lasvm_gap(s)); }

/* gmax and gmin of the examples checked so far and S. An example in a violating pair with one of them enters S. */
static osvm_status check_example(osvm_lasvm *s, const osvm_example *x, double tolerance) {
  double g, up, low;
  int slot;
  OSVM_TRY(osvm_lasvm_slopes(s, x, &g, &up, &low));
  const int enters = fmax(up - s->low.slope, s->up.slope - low) > reached(s, tolerance), outside = enters ? -1 : x->i;
  if (up > s->up.slope) s->up = (osvm_lasvm_extreme){up, outside, g};
  if (low < s->low.slope) s->low = (osvm_lasvm_extreme){low, outside, g};
  if (!enters) return OSVM_OK;
  s->entered++;
  return osvm_lasvm_enter(s, x, g, &slot);
}

/* The partner in a violating pair may have been checked before there was a violation: it enters now. So do the extremes
 * of numbers in any case, from which the bias follows. */
static osvm_status enter_partners(osvm_lasvm *s, double tolerance) {
  const int violates = s->up.slope - s->low.slope > reached(s, tolerance);
  int slot;
  if (!violates && s->run->loss.info->target == OSVM_CLASSES) return OSVM_OK;
  for (int side = 0; side < 2; side++) {
    const osvm_lasvm_extreme *at = side ? &s->up : &s->low;
    const int i = at->example;
    if (i < 0 || osvm_sv_set_slot(s->sv_set, i) >= 0) continue;
    const osvm_example x = {i, osvm_run_target(s->run, s->machine->index, i), osvm_run_weight(s->run, i)};
    s->entered += violates;
    OSVM_TRY(osvm_lasvm_enter(s, &x, at->gradient, &slot));
    if (!violates) osvm_lasvm_refresh_selection(s);
  }
  return OSVM_OK;
}

/* All examples, for all machines, which share their kernel rows. */
static osvm_status check_all(osvm_run *run, double tolerance) {
  for (int k = 0; k < run->count; k++) {
    const int left = run->count - k;
    run->context.work += WORK_PER_CHECK;
    if (osvm_context_stopped(&run->context, (double)k / run->count)) return OSVM_INTERRUPTED;
    run->n_upcoming = left < OSVM_QUERIES ? left : OSVM_QUERIES;
    for (int q = 0; q < run->n_upcoming; q++) run->upcoming[q] = osvm_run_visit_order(run, k + q);
    osvm_example x = {.i = run->upcoming[0], .weight = osvm_run_weight(run, run->upcoming[0])};
    for (int m = 0; m < run->machines && x.weight > 0; m++) {
      osvm_lasvm *s = run->machine[m].state;
      x.y = osvm_run_target(run, m, x.i);
      if (!isnan(x.y) && osvm_sv_set_slot(s->sv_set, x.i) < 0) OSVM_TRY(check_example(s, &x, tolerance));
    }
  }
  return OSVM_OK;
}

/* All machines are optimal on their S, then on all examples but for those that entered. */
static osvm_status finish_round(osvm_run *run, double tolerance) {
  for (int m = 0; m < run->machines; m++) {
    osvm_lasvm *s = run->machine[m].state;
    if (!is_open(s)) continue;
    osvm_lasvm_refresh_selection(s);
    OSVM_TRY(finish_with_rows(s, tolerance));
  }
  OSVM_TRY(osvm_run_machines(run, optimise, 0));
  for (int m = 0; m < run->machines; m++) {
    osvm_lasvm *s = run->machine[m].state;
    if (s->entered == 0) osvm_lasvm_evict(s, 1);
    s->up = (osvm_lasvm_extreme){.slope = s->selection.gmax, .example = -1};
    s->low = (osvm_lasvm_extreme){.slope = s->selection.gmin, .example = -1};
  }
  OSVM_TRY(check_all(run, tolerance));
  for (int m = 0; m < run->machines; m++) OSVM_TRY(enter_partners(run->machine[m].state, tolerance));
  return OSVM_OK;
}

osvm_status osvm_lasvm_finish(osvm_run *run) {
  const osvm_lasvm_params *p = (const osvm_lasvm_params *)run->params;
  int again = p->finish != 0;
  for (int m = 0; m < run->machines; m++) ((osvm_lasvm *)run->machine[m].state)->entered = again;
  osvm_status status = OSVM_OK;
  for (int round = 0; again && round < MAX_ROUNDS && status == OSVM_OK; round++) {
    status = finish_round(run, p->tolerance);
    again = 0;
    for (int m = 0; m < run->machines; m++) {
      osvm_lasvm *s = run->machine[m].state;
      again |= is_open(s);
      s->stalled |= s->entered > 0 && round == MAX_ROUNDS - 1;
      if (status != OSVM_OK) s->up.slope = s->low.slope = NAN; /* not all were checked */
    }
  }
  return status;
}
