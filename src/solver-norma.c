/* NORMA: stochastic gradient descent on the regularised hinge loss; a violator's coefficient is replaced, not increased.
 *
 * Problem   min over f of C sum_i max(0, 1 - y_i f(x_i)) + |f|^2 / 2                                               (1)
 * Rule      step t, eta = C sqrt(2/t), r = 1 - eta/C = 1 - sqrt(2/t):
 *             a_j := r a_j for all j != i;   y_i f(x_i) <= 1:  a_i := eta y_i,  else a_i stays as it is
 *             bias, if wanted: on a violation b += eta y_i; it does not shrink
 * State     the expansion; r multiplies its common scale (negative at t = 1, zero at t = 2, as the list has it)
 * Cost      lazy outputs: one kernel row where a_i changes relative to the others, computed only for visits before the
 *           change is negligible; listed: one row every step
 * Paper     Kecman & Melki (2016), List 1; after Kivinen, Smola & Williamson (2002)
 * Departs   the lists begin anew with "if i > l, i = 0", a misprint for the first example. An example's weight w
 *           makes its eta y_i into w eta y_i. Other losses have their slope (loss.h) in place of y_i; novelty adds
 *           eta (1 - nu) or -eta nu to the bias, as in Kivinen et al. (2004) */
#include <limits.h>
#include <math.h>

#include "solver.h"

typedef struct {
  double C, epochs, bias, shuffle, outputs, average, budget, maintenance;
} params;
static const osvm_param declared[] = {
    {"C", OSVM_COST},          {"epochs", OSVM_EPOCHS},           {"bias", OSVM_RULE},
    {"shuffle", OSVM_SHUFFLE}, {"outputs", OSVM_OUTPUTS},         {"average", OSVM_AVERAGE},
    {"budget", OSVM_BUDGET},   {"maintenance", OSVM_MAINTENANCE}, {0}};

/* After W more steps a coefficient is prod (1 - sqrt(2/k)) < exp(-2 sqrt(2) (sqrt(t + W) - sqrt(t))) of its value now.
 * Below 1e-10, a thousandth of the rounding of single precision, it is negligible. */
static int horizon(double t) {
  const double root = sqrt(t) + 10 * log(10) / (2 * sqrt(2));
  const double steps = root * root - t + 1;
  return steps < INT_MAX ? (int)steps : INT_MAX;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  const double output = osvm_expansion_output(f, x->i);
  const double rate = sqrt(2 / (f->steps + 1)), eta = x->weight * p->C * rate;
  const osvm_loss_point loss = osvm_run_loss(run, machine, x, output, 1, eta, p->bias != 0);
  const double before = osvm_expansion_coef(f, x->i);
  const int violates = loss.slope != 0;
  osvm_machine_count(machine, loss.value, violates, violates || before != 0);
  if (!machine->partial) f->horizon = horizon(f->steps + 1);
  osvm_expansion_shrink(f, 1 - rate);
  osvm_expansion_add(f, x->i, (violates ? eta * loss.slope : before) - (1 - rate) * before);
  f->bias += eta * osvm_loss_bias_slope(&machine->objective, loss.slope, p->bias != 0);
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_norma = {.title = "NORMA",
                                       .summary = "all coefficients shrink at each step, violators are replaced",
                                       .paper = "Kecman & Melki (2016), List 1",
                                       .space = "both",
                                       .params = declared,
                                       .losses = OSVM_BY_SLOPE | OSVM_WITHOUT_TARGET,
                                       .learn = learn};
