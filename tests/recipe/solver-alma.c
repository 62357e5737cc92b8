/* ALMA_2: approximate maximal margin by normalised perceptron corrections.
 *
 * Problem   find f, |f| <= 1, with y_i f(x_i) / |x_i| at least (1 - alpha) times the largest possible margin
 * Rule      k counts corrections from 1; gamma_k = 1 / (alpha sqrt(k)), eta_k = C / sqrt(k), |x| = sqrt(k(x, x)):
 *             y_i f(x_i) / |x_i| <= (1 - alpha) gamma_k:  f += eta_k y_i x_i / |x_i|,  f := f / max(1, |f|),  k += 1
 * State     the expansion; corrections made and |f|^2 per machine
 * Cost      one kernel row per correction
 * Paper     Gentile (2001), A New Approximate Maximal Margin Classification Algorithm, ALMA_p with p = 2, B = 1 / alpha
 * Departs   an example's weight multiplies its eta; an example with k(x, x) = 0 is skipped */
#include <math.h>

#include "solver.h"

typedef struct {
  double alpha, C, epochs, shuffle, average;
} params;
static const osvm_param declared[] = {{"alpha", OSVM_RULE},      {"C", OSVM_COST},          {"epochs", OSVM_EPOCHS},
                                      {"shuffle", OSVM_SHUFFLE}, {"average", OSVM_AVERAGE}, {0}};

typedef struct {
  double corrections, square; /* square: |f|^2 */
} state;
static const char *const scalars[] = {"corrections", "square", NULL};

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  state *s = (state *)machine->scalars;
  osvm_expansion *f = &machine->expansion;
  const double length = sqrt(osvm_kernel_self(&run->kernel, &run->store, x->i)), k = s->corrections + 1;
  const double output = x->y * osvm_expansion_output(f, x->i);
  const int violates = length > 0 && x->weight > 0 && output / length <= (1 - p->alpha) / (p->alpha * sqrt(k));
  osvm_machine_count(machine, osvm_loss_value(&run->loss, x->y, x->y * output), violates, violates);
  if (violates) {
    const double eta = x->weight * p->C / sqrt(k);
    osvm_expansion_add(f, x->i, eta * x->y / length);
    s->square += eta * (2 * output / length + eta);
    s->corrections = k;
    if (s->square > 1) {
      osvm_expansion_shrink(f, 1 / sqrt(s->square));
      s->square = 1;
    }
  }
  osvm_expansion_step(f);
  return OSVM_OK;
}

const osvm_solver osvm_solver_alma = {.title = "ALMA",
                                      .summary = "approximate maximal margin by normalised corrections",
                                      .paper = "Gentile (2001)",
                                      .space = "both",
                                      .params = declared,
                                      .scalars = scalars,
                                      .learn = learn};
