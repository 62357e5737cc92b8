/* LASVM's finish: steps within S until gmax - gmin <= tolerance (Bordes et al. 2005, section 3.3), by second-order
 * pairs. A few steps use the kernel rows at hand; if they do not suffice, SMO with shrinking takes over. */
#include "solver-lasvm.h"

#include <math.h>

#include "smo-dual.h"

static const double MAX_STEPS = 1e7; /* as solver_smo()'s max_iter */

static osvm_status finish_with_rows(osvm_lasvm *s, double tolerance) {
  const osvm_run *run = s->run;
  const double *g = osvm_lasvm_column(s, OSVM_SV_GRADIENT);
  for (int t = s->sv_set->count / 4 + 100; t > 0 && osvm_lasvm_gap(s) > tolerance; t--) {
    const int up = s->selection.first;
    const void *row;
    if (osvm_run_stopped(s->run, 0)) return OSVM_INTERRUPTED;
    OSVM_TRY(osvm_sv_set_row(s->sv_set, up, &row, run->error));
    int low = run->store.simd->pair_partner(&s->selection, row, osvm_sv_set_padded(s->sv_set));
    /* The gain is computed in the store's precision, in which a small difference of large gradients may vanish. */
    if (low < 0 || !(g[up] > g[low])) low = osvm_lasvm_first_order_partner(s);
    OSVM_TRY(osvm_lasvm_step(s, up, low));
  }
  return OSVM_OK;
}

static void copy_to_dual(const osvm_lasvm *s, osvm_dual *dual) {
  for (int k = 0; k < s->sv_set->n; k++) {
    const int p = s->sv_set->shared_slot[k];
    if (p < 0) continue;
    dual->y[p] = osvm_dual_sv_label(s->sv_set->column, k);
    dual->bound[p] = fabs(osvm_lasvm_column(s, OSVM_SV_BOUND)[k]);
    dual->coef[p] = osvm_lasvm_column(s, OSVM_SV_COEF)[k];
    dual->gradient[p] = osvm_lasvm_column(s, OSVM_SV_GRADIENT)[k];
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
    osvm_lasvm_mark_bounds(s, k);
  }
  s->stalled = dual->stall.stalled;
  osvm_lasvm_refresh_selection(s);
}

/* After an interrupt the gradients of the shrunk examples are reconstructed all the same: the model is usable. */
static osvm_status solve_dual(osvm_dual *dual) {
  OSVM_TRY(osvm_dual_begin(dual));
  osvm_status status = osvm_dual_solve(dual, 1, MAX_STEPS);
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
    dual.progress_by = 1.0 / ((run->epochs + 1) * run->machines);
    dual.progress_from = (double)run->epochs / (run->epochs + 1) + s->machine->index * dual.progress_by;
    status = solve_dual(&dual);
  }
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) copy_from_dual(s, &dual);
  osvm_dual_close(&dual);
  return status;
}

osvm_status osvm_lasvm_finish(osvm_run *run, osvm_machine *machine) {
  const osvm_lasvm_rule *r = (const osvm_lasvm_rule *)run->rule;
  osvm_lasvm *s = machine->state;
  if (r->finish == 0) return OSVM_OK;
  OSVM_TRY(finish_with_rows(s, r->tolerance));
  if (osvm_lasvm_gap(s) > r->tolerance) OSVM_TRY(finish_with_smo(s, r->tolerance));
  osvm_lasvm_evict(s, 1);
  return OSVM_OK;
}
