/* SVM^R: the ramp-loss machine of all examples at once.
 *
 * Problem   ramp.h
 * Rule      the hinge-loss machine of the first `start` share of the examples is the starting point; then all others are
 *           added, and CCCP rounds follow until V is stable
 * State     ramp.h; the model keeps its support vectors only
 * Cost      as solver-ramp.c, but rounds begin when all examples are added
 * Paper     Collobert, Sinz, Weston & Bottou (2006); Wang & Vucetic (2009), section II C
 * Departs   an example's weight multiplies its C; an update starts from the support vectors and adds the new examples */
#include <math.h>

#include "ramp.h"

typedef struct {
  double C, start, tolerance, min_gain, shuffle;
} params;
static const osvm_param declared[] = {{"C", OSVM_BOUND},       {"start", OSVM_RULE},      {"tolerance", OSVM_TOLERANCE},
                                      {"min_gain", OSVM_RULE}, {"shuffle", OSVM_SHUFFLE}, {0}};

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  const params *p = (const params *)run->params;
  return osvm_ramp_open(run, machine, p->C, p->tolerance, p->min_gain);
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_ramp *s = machine->state;
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  const osvm_status status = osvm_ramp_add(s, run->upcoming, run->n_upcoming, x->y, x->weight, &slot);
  machine->expansion.steps += 1;
  OSVM_TRY(status);
  const double start = ceil(((const params *)run->params)->start * run->count);
  const int starting_point = run->first == 0 && s->nonzero.count == 0 && s->sv_set->count >= start;
  return starting_point ? osvm_ramp_descend(s) : OSVM_OK;
}

/* Examples with coefficient 0 are removed; their loss stays part of the reported objective. */
static void remove_zeros(osvm_ramp *s) {
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0 || osvm_ramp_column(s, OSVM_SV_COEF)[k] != 0) continue;
    s->removed_loss += osvm_ramp_column(s, OSVM_SV_COST)[k] * fmin(fmax(osvm_ramp_g(s, k), 0), 2);
    osvm_sv_set_remove(s->sv_set, k);
  }
}

static osvm_status optimise(osvm_run *run, osvm_machine *machine) {
  (void)run;
  return osvm_ramp_cccp(machine->state);
}

static osvm_status finish(osvm_run *run) {
  OSVM_TRY(osvm_run_machines(run, optimise, 0));
  for (int m = 0; m < run->machines; m++) remove_zeros(run->machine[m].state);
  return OSVM_OK;
}

const osvm_solver osvm_solver_cccp = {.title = "SVM^R",
                                      .summary = "ramp loss with the whole training set at once (CCCP)",
                                      .paper = "Collobert, Sinz, Weston & Bottou (2006); Wang & Vucetic (2009)",
                                      .space = "both",
                                      .params = declared,
                                      .batch = 1,
                                      .dual = 1,
                                      .state_size = sizeof(osvm_ramp),
                                      .columns = osvm_ramp_columns,
                                      .n_columns = OSVM_RAMP_COLUMNS,
                                      .repeats = osvm_repeats_weighed,
                                      .open = open,
                                      .restore = osvm_ramp_restore,
                                      .learn = learn,
                                      .finish = finish,
                                      .result = osvm_ramp_result,
                                      .close = osvm_ramp_close};
