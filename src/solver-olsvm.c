/* OL SVM: stochastic gradient descent on the hinge loss, plain or regularised, in the coefficients.
 *
 * Problem   min over a of sum_i max(0, 1 - y_i f(x_i))                        (2)   plain, the default
 *           min over a of C sum_i max(0, 1 - y_i f(x_i)) + |f|^2 / 2          (1)   regularised
 * Rule      step t, eta = C sqrt(2/t), v = y_i f(x_i):
 *             plain        v < 1:  a_i += eta y_i
 *             regularised  v < 1:  a_i := (1 - eta/C) a_i + eta y_i;   v > 1:  a_i := (1 - eta/C) a_i
 *             bias, if wanted: on a violation b += eta y_i                                                          (6)
 * State     the expansion
 * Cost      lazy outputs: one kernel row where a_i changes, at most four values otherwise; listed: one row every step
 * Paper     Kecman & Melki (2016), Lists 3b (plain) and 3a (regularised)
 * Departs   the lists begin anew with "if i > l, i = 0", a misprint for the first example. An example's weight w
 *           makes its eta y_i into w eta y_i. Other losses have their slope (loss.h) in place of y_i; v = 1 is where it
 *           jumps */
#include <math.h>

#include "solver.h"

typedef struct {
  double C, epochs, bias, shuffle, regularized, outputs, average, budget, maintenance;
} params;
static const osvm_param declared[] = {{"C", OSVM_COST},
                                      {"epochs", OSVM_EPOCHS},
                                      {"bias", OSVM_RULE},
                                      {"shuffle", OSVM_SHUFFLE},
                                      {"regularized", OSVM_RULE},
                                      {"outputs", OSVM_OUTPUTS},
                                      {"average", OSVM_AVERAGE},
                                      {"budget", OSVM_BUDGET},
                                      {"maintenance", OSVM_MAINTENANCE},
                                      {0}};

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  const double output = osvm_expansion_output(f, x->i);
  const double rate = sqrt(2 / (f->steps + 1)), eta = x->weight * p->C * rate;
  const osvm_loss_point loss = osvm_run_loss(run, machine, x, output, 0, eta, p->bias != 0);
  const double push = eta * loss.slope;
  double change = push;
  if (p->regularized && loss.slope == osvm_run_loss(run, machine, x, output, 1, eta, p->bias != 0).slope)
    change -= rate * osvm_expansion_coef(f, x->i);
  osvm_machine_count(machine, loss.value, loss.slope != 0, change != 0);
  osvm_expansion_add(f, x->i, change);
  if (loss.slope != 0 && p->bias) f->bias += push;
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_olsvm = {
    .title = "OL SVM",
    .summary = "a step on each margin violation; `regularized = TRUE` adds the shrinking term",
    .paper = "Kecman & Melki (2016), Lists 3a and 3b",
    .space = "both",
    .params = declared,
    .losses = OSVM_BY_SLOPE,
    .repeats = osvm_repeats_visited,
    .learn = learn};
