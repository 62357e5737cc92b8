/* OnlineSVM^R: the ramp-loss machine, brought to a stationary point after every example.
 *
 * Problem   ramp.h
 * Rule      a new example with g = 1 - y f(x) below 0 or above 2 leaves the model unchanged; otherwise it gets its
 *           coefficient (14), and CCCP rounds follow until all conditions hold again. keep = m: then at most m examples
 *           with coefficient 0 stay, those with the smallest |1 - g| (Algorithm 2).
 *           forgetting: the coefficient is set to 0, the example is removed, CCCP rounds follow
 * State     ramp.h: all examples kept, support vectors or not
 * Cost      an example: kernel values with the support vectors; where it changes the model, the kernel rows of the
 *           coefficients that move, computed once, and per step a pass over the working set, or over all examples while
 *           steps are few
 * Paper     Wang & Vucetic (2009), Algorithms 1 and 2
 * Departs   (15) has a plus for a minus, and line 10's "or" reads "and"; steps are taken in a working set where many are
 *           needed. What the paper calls optimal is a stationary point, as the problem is not convex. An example's
 *           weight multiplies its C */
#include <math.h>

#include "ramp.h"

typedef struct {
  double C, tolerance, min_gain, keep;
} params;
static const osvm_param declared[] = {
    {"C", OSVM_BOUND}, {"tolerance", OSVM_TOLERANCE}, {"min_gain", OSVM_RULE}, {"keep", OSVM_RULE}, {0}};

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  const params *p = (const params *)run->params;
  return osvm_ramp_open(run, machine, p->C, p->tolerance, p->min_gain);
}

/* Algorithm 2: of the examples with coefficient 0, those farthest from the margin are removed. */
static osvm_status discard(osvm_ramp *s, double keep) {
  const double *coef = osvm_ramp_column(s, OSVM_SV_COEF);
  for (double excess = s->sv_set->count - s->nonzero.count - keep; excess > 0; excess--) {
    int farthest = -1;
    double most = -1;
    for (int k = 0; k < s->sv_set->n; k++) {
      const double here = fabs(1 - osvm_ramp_g(s, k));
      if (s->sv_set->shared_slot[k] < 0 || coef[k] != 0 || !(here > most)) continue;
      most = here;
      farthest = k;
    }
    if (farthest < 0) return osvm_kernel_overflow(s->machine->context.error); /* g is not a number */
    osvm_sv_set_remove(s->sv_set, farthest);
  }
  return OSVM_OK;
}

static osvm_status output(osvm_run *run, osvm_machine *machine, double *f) {
  return osvm_ramp_output(machine->state, run->upcoming, run->n_upcoming, f);
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_ramp *s = machine->state;
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  OSVM_TRY(osvm_ramp_add(s, run->upcoming, run->n_upcoming, x->y, x->weight, &slot));
  machine->expansion.steps += 1;
  const double g = osvm_ramp_g(s, slot);
  if (g >= 0 && g <= 2) {
    osvm_ramp_settle(s);
    OSVM_TRY(osvm_ramp_optimise(s, slot));
    OSVM_TRY(osvm_ramp_cccp(s));
  }
  return discard(s, ((const params *)run->params)->keep);
}

static osvm_status forget(osvm_run *run, osvm_machine *machine, int i) {
  osvm_ramp *s = machine->state;
  const int slot = osvm_sv_set_slot(s->sv_set, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  OSVM_TRY(osvm_ramp_remove(s, slot));
  return osvm_ramp_cccp(s);
}

const osvm_solver osvm_solver_ramp = {.title = "OnlineSVM^R",
                                      .summary =
                                          "ramp loss, robust to label noise; a stationary point after every example",
                                      .paper = "Wang & Vucetic (2009), Algorithms 1 and 2",
                                      .space = "both",
                                      .params = declared,
                                      .dual = 1,
                                      .state_size = sizeof(osvm_ramp),
                                      .columns = osvm_ramp_columns,
                                      .n_columns = OSVM_RAMP_COLUMNS,
                                      .open = open,
                                      .restore = osvm_ramp_restore,
                                      .learn = learn,
                                      .output = output,
                                      .forget = forget,
                                      .result = osvm_ramp_result,
                                      .close = osvm_ramp_close};
