/* OnlineSVM^R: the ramp-loss machine, settled again after every example.
 *
 * Problem   ramp.h
 * Rule      a new example with g = 1 - y f(x) below 0 or above 2 leaves the model as it is; between, it gets its coefficient
 *           (14) and rounds follow until all conditions hold again. keep = m: then at most m examples without coefficient
 *           stay, those with the smallest |1 - g|.
 *           forgetting: the coefficient is taken away, the example leaves, rounds follow
 * State     ramp.h: all examples kept, support vectors or not
 * Cost      an example: kernel values with the support vectors; where it changes the model, the rows of those whose
 *           coefficients move, computed once, and per step a pass over those that may move, or over all while steps are few
 * Paper     Wang & Vucetic (2009), Algorithms 1 and 2
 * Departs   line 10's "or" reads "and"; an example's weight multiplies its C */
#include <math.h>

#include "ramp.h"

typedef struct {
  double C, tolerance, min_gain, keep;
} rule;
static const char *const params[] = {"C", "tolerance", "min_gain", "keep", NULL};

static osvm_status start(osvm_run *run) {
  const rule *r = (const rule *)run->rule;
  return osvm_ramp_open(run, r->C, r->tolerance, r->min_gain);
}

/* Algorithm 2 */
static void discard(osvm_ramp *s, double keep) {
  const double *b = osvm_ramp_column(s, OSVM_SV_COEF);
  for (double spare = s->sv_set->count - s->nonzero.count - keep; spare > 0; spare--) {
    int farthest = -1;
    double far = -1;
    for (int k = 0; k < s->sv_set->n; k++) {
      const double here = fabs(1 - osvm_ramp_g(s, k));
      if (s->sv_set->member[k] < 0 || b[k] != 0 || !(here > far)) continue;
      far = here;
      farthest = k;
    }
    osvm_sv_set_remove(s->sv_set, farthest);
  }
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_ramp *s = osvm_ramp_of(machine);
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  osvm_status status = osvm_ramp_add(s, run->next, run->n_upcoming, x->y, x->weight, &slot);
  if (status != OSVM_OK) return status;
  machine->expansion.steps += 1;
  const double g = osvm_ramp_g(s, slot);
  if (g >= 0 && g <= 2) {
    status = osvm_ramp_optimise(s, slot);
    if (status == OSVM_OK) status = osvm_ramp_cccp(s);
  }
  if (status == OSVM_OK) discard(s, ((const rule *)run->rule)->keep);
  return status;
}

static osvm_status forget(osvm_run *run, osvm_machine *machine, int i) {
  osvm_ramp *s = osvm_ramp_of(machine);
  const int slot = osvm_sv_set_slot(s->sv_set, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  osvm_status status = osvm_ramp_remove(s, slot);
  return status == OSVM_OK ? osvm_ramp_cccp(s) : status;
}

const osvm_solver osvm_solver_ramp = {.params = params,
                                      .dual = 1,
                                      .columns = osvm_ramp_columns,
                                      .n_columns = OSVM_RAMP_COLUMNS,
                                      .depth = OSVM_STATE_COLUMNS,
                                      .tallies = OSVM_RAMP_TALLIES,
                                      .start = start,
                                      .learn = learn,
                                      .forget = forget,
                                      .import = osvm_ramp_import,
                                      .export = osvm_ramp_export,
                                      .close = osvm_ramp_close};
