/* Averaged perceptron: every mistake adds the example; the mean of all hypotheses is returned.
 *
 * Problem   find f with y_i f(x_i) > 0 for all i
 * Rule      y_i f(x_i) <= 0:  a_i += y_i;   bias, if wanted: b += y_i
 *           returned: the mean of f over all steps, so that a hypothesis is weighted by the number of steps it survived
 * State     the expansion, and its sums if it is averaged
 * Cost      one kernel row per mistake
 * Paper     Freund & Schapire (1999), Fig. 1, with the average for the vote; Bordes & Bottou (2005) compare with it
 * Departs   an example's weight w adds w y_i instead of y_i; the paper has no bias */
#include "solver.h"

typedef struct {
  double epochs, average, bias, shuffle, budget, maintenance;
} params;
static const osvm_param declared[] = {{"epochs", OSVM_EPOCHS},
                                      {"average", OSVM_AVERAGE},
                                      {"bias", OSVM_RULE},
                                      {"shuffle", OSVM_SHUFFLE},
                                      {"budget", OSVM_BUDGET},
                                      {"maintenance", OSVM_MAINTENANCE},
                                      {0}};

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  const double output = osvm_expansion_output(f, x->i);
  const int mistake = x->y * output <= 0;
  osvm_machine_count(machine, osvm_loss_value(&machine->objective, x->y, output), mistake, mistake && x->weight > 0);
  if (mistake) osvm_expansion_push(f, x->i, x->weight * x->y, p->bias != 0);
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_perceptron = {.title = "Averaged perceptron",
                                            .summary = "adds each misclassified example; returns the mean hypothesis",
                                            .paper = "Freund & Schapire (1999); Bordes & Bottou (2005)",
                                            .space = "both",
                                            .params = declared,
                                            .repeats = osvm_repeats_visited,
                                            .learn = learn};
