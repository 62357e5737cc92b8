/* SVM^R: the ramp-loss machine of all examples at once.
 *
 * Problem   ramp.h
 * Rule      the hinge-loss machine of the first `start` of the examples is the first guess; then all others join, and
 *           rounds follow until V stays
 * State     ramp.h; the model keeps its support vectors only
 * Cost      as ramp's, but the passes begin when all examples are there
 * Paper     Collobert, Sinz, Weston & Bottou (2006); Wang & Vucetic (2009), section II C
 * Departs   an example's weight multiplies its C; learning goes on with the support vectors and the new examples */
#include <math.h>

#include "ramp.h"

typedef struct {
  double C, start, tolerance, min_gain;
} rule;
static const char *const params[] = {"C", "start", "tolerance", "min_gain", NULL};

static osvm_status start(osvm_run *run) {
  const rule *r = (const rule *)run->rule;
  return osvm_ramp_open(run, r->C, r->tolerance, r->min_gain);
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_ramp *s = osvm_ramp_of(machine);
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  osvm_status status = osvm_ramp_add(s, run->next, run->n_upcoming, x->y, x->weight, &slot);
  machine->expansion.steps += 1;
  const double first = ceil(((const rule *)run->rule)->start * run->count);
  if (status == OSVM_OK && run->first == 0 && s->nonzero.count == 0 && s->sv_set->count >= first)
    status = osvm_ramp_descend(s);
  return status;
}

static osvm_status finish(osvm_run *run) {
  osvm_status status = OSVM_OK;
  for (int m = 0; m < run->task->machines && status == OSVM_OK; m++) {
    osvm_ramp *s = osvm_ramp_of(&run->machine[m]);
    status = osvm_ramp_cccp(s);
    for (int k = 0; k < s->sv_set->n && status == OSVM_OK; k++) {
      if (s->sv_set->member[k] < 0 || osvm_ramp_column(s, OSVM_SV_COEF)[k] != 0) continue;
      s->lost += osvm_ramp_column(s, OSVM_SV_UPPER)[k] * fmin(fmax(osvm_ramp_g(s, k), 0), 2);
      osvm_sv_set_remove(s->sv_set, k);
    }
  }
  return status;
}

const osvm_solver osvm_solver_cccp = {.params = params,
                                      .dual = 1,
                                      .columns = osvm_ramp_columns,
                                      .n_columns = OSVM_RAMP_COLUMNS,
                                      .depth = OSVM_STATE_COLUMNS,
                                      .tallies = OSVM_RAMP_TALLIES,
                                      .start = start,
                                      .learn = learn,
                                      .finish = finish,
                                      .import = osvm_ramp_import,
                                      .export = osvm_ramp_export,
                                      .close = osvm_ramp_close};
