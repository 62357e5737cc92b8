/* Passive-Aggressive: the nearest hypothesis without hinge loss on the example at hand.
 *
 * Problem   at every step min over g of |g - f|^2 / 2, and for g on this example
 *             PA: no hinge loss l;   PA-I: C l on top;   PA-II: C l^2 on top
 * Rule      l = max(0, 1 - y_i f(x_i)), K = k(x_i, x_i) (+ 1 with a bias, which is the weight of a constant 1):
 *             a_i += tau y_i, b += tau y_i;   PA: tau = l / K;  PA-I: min(C, l / K);  PA-II: l / (K + 1 / (2C))
 * State     the expansion
 * Cost      one kernel row per violation
 * Paper     Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), Fig. 1; Wang & Vucetic (2009) compare with it
 * Departs   an example's weight w makes its C into w C, and one of weight 0 is left out; so is one whose denominator is
 *           not above 0 (an empty example, or a kernel that is not positive definite): no step would help it. For the
 *           epsilon-insensitive loss (section 5) the sign of y_i - f(x_i) takes the place of y_i */
#include <math.h>

#include "solver.h"

enum { PA_I, PA, PA_II }; /* in the order of R's choices */

typedef struct {
  double C, variant, epochs, bias, shuffle, budget, maintenance;
} params;
static const osvm_param declared[] = {
    {"C", OSVM_COST},          {"variant", OSVM_RULE},  {"epochs", OSVM_EPOCHS},           {"bias", OSVM_RULE},
    {"shuffle", OSVM_SHUFFLE}, {"budget", OSVM_BUDGET}, {"maintenance", OSVM_MAINTENANCE}, {0}};

static double step_size(const params *p, double loss, double self, double weight) {
  if (!(weight > 0)) return 0;
  const double C = weight * p->C, length = p->variant == PA_II ? self + 1 / (2 * C) : self;
  if (!(length > 0)) return 0;
  return p->variant == PA_I ? fmin(C, loss / length) : loss / length;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  const double output = osvm_expansion_output(f, x->i);
  const osvm_loss_point loss = osvm_loss_at(&machine->objective, x->y, output, 0);
  const double self = osvm_kernel_self(&run->kernel, &run->store, x->i) + (p->bias != 0);
  const double tau = loss.slope != 0 ? step_size(p, loss.value, self, x->weight) : 0;
  osvm_machine_count(machine, loss.value, loss.slope != 0, tau > 0);
  if (tau > 0) osvm_expansion_push(f, x->i, tau * loss.slope, p->bias != 0);
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_pa = {.title = "Passive-Aggressive",
                                    .summary = "the smallest change of the hypothesis that corrects an example",
                                    .paper = "Crammer et al. (2006); Wang & Vucetic (2009)",
                                    .space = "both",
                                    .params = declared,
                                    .losses = OSVM_BY_UNIT_SLOPE,
                                    .repeats = osvm_repeats_visited,
                                    .learn = learn};
