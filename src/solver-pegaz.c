/* Pegaz: Pegasos without projection, over a kernel expansion.
 *
 * Problem   min over f of C sum_i max(0, 1 - y_i f(x_i)) + |f|^2 / 2                                               (1)
 * Rule      step t, eta = C sqrt(2/t), a = eta beta:
 *             y_i f(x_i) <= 1:  beta_i += y_i;   bias, if wanted: beta_0 += y_i, b = eta beta_0
 * State     the expansion. It holds a, not beta: the next eta multiplies a and b by sqrt((t-1)/t), and
 *           adding y_i to beta_i adds eta y_i to a_i, so a stays eta beta
 * Cost      lazy outputs: one kernel row per violation; listed: one row every step
 * Paper     Kecman & Melki (2016), List 2; after Shalev-Shwartz & Ben-David (2014)
 * Departs   the lists begin anew with "if i > l, i = 0", a misprint for the first example. An example's weight w
 *           adds w y_i instead of y_i. Other losses have their slope (loss.h) in place of y_i */
#include <math.h>

#include "solver.h"

typedef struct {
  double C, epochs, bias, shuffle, outputs, average, budget, maintenance;
} params;
static const osvm_param declared[] = {
    {"C", OSVM_COST},          {"epochs", OSVM_EPOCHS},           {"bias", OSVM_RULE},
    {"shuffle", OSVM_SHUFFLE}, {"outputs", OSVM_OUTPUTS},         {"average", OSVM_AVERAGE},
    {"budget", OSVM_BUDGET},   {"maintenance", OSVM_MAINTENANCE}, {0}};

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  const double t = f->steps + 1, rate = x->weight * p->C * sqrt(2 / t);
  if (t > 1) {
    const double shrunk = sqrt((t - 1) / t);
    osvm_expansion_shrink(f, shrunk);
    f->bias *= shrunk;
  }
  const double output = osvm_expansion_output(f, x->i);
  const osvm_loss_point loss = osvm_run_loss(run, machine, x, output, 1, rate, p->bias != 0);
  osvm_machine_count(machine, loss.value, loss.slope != 0, loss.slope != 0);
  if (loss.slope != 0) osvm_expansion_push(f, x->i, rate * loss.slope, p->bias != 0);
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_pegaz = {.title = "Pegaz",
                                       .summary =
                                           "Pegasos over a kernel; counts violations, one step size for all of them",
                                       .paper = "Kecman & Melki (2016), List 2",
                                       .space = "both",
                                       .params = declared,
                                       .losses = OSVM_BY_SLOPE,
                                       .repeats = osvm_repeats_visited,
                                       .learn = learn};
