/* SGD: stochastic gradient descent on the hinge loss of a linear model, at a constant rate.
 *
 * Problem   min over w of sum_i max(0, 1 - y_i w.x_i), a column of ones in front of x
 * Rule      y_i w.x_i < 1:  w += rate y_i x_i
 * State     the weights; the column of ones is the bias
 * Cost      the example's non-zeros
 * Paper     Huang (2018), Algorithm 1, whose test "y_i * x_i . x_i" is a misprint for y_i w.x_i
 * Departs   an example's weight w_i makes its rate into w_i rate; the bias can be left out. Other losses have
 *           their slope (loss.h) in place of y_i; that of novelty has |w|^2 / 2 beside it, without which w would grow for
 *           ever: w := (1 - rate) w at every step */
#include "solver.h"

typedef struct {
  double rate, epochs, bias, shuffle;
} params;
static const osvm_param declared[] = {
    {"rate", OSVM_RATE}, {"epochs", OSVM_EPOCHS}, {"bias", OSVM_RULE}, {"shuffle", OSVM_SHUFFLE}, {0}};

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  const double output = osvm_expansion_output(f, x->i);
  const double rate = x->weight * p->rate;
  const osvm_loss_point loss = osvm_run_loss(run, machine, x, output, 0, rate, p->bias != 0);
  osvm_machine_count(machine, loss.value, loss.slope != 0, loss.slope != 0);
  if (osvm_loss_is_of_share(&run->loss)) osvm_expansion_shrink(f, 1 - p->rate);
  osvm_expansion_add(f, x->i, rate * loss.slope);
  f->bias += rate * osvm_loss_bias_slope(&run->loss, loss.slope, p->bias != 0);
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_sgd = {.title = "SGD",
                                     .summary = "hinge-loss steps at a constant rate",
                                     .paper = "Huang (2018), Algorithm 1",
                                     .space = "linear",
                                     .params = declared,
                                     .losses = OSVM_BY_SLOPE | OSVM_WITHOUT_TARGET,
                                     .reshuffles = 1,
                                     .learn = learn};
