/* Pegasos: the online linear SVM with steps 1/(lambda t), projection and averaging.
 *
 * Problem   min over w of lambda |w|^2 / 2 + mean of max(0, 1 - y_i w.x_i)                                          (1)
 * Rule      step t, on the next `batch` examples B, all evaluated with the w before the step:
 *             w := (1 - 1/t) w + 1/(lambda t |B|) sum of y_i x_i over the i in B with y_i w.x_i < 1
 *             project, if wanted: |w|^2 > 1/lambda:  w := w / (sqrt(lambda) |w|)
 * State     the weights as scale times vector with the vector's norm, and the terms of the current batch.
 *           The bias is the weight of a constant 1: it shrinks and is projected with the others
 * Cost      the example's non-zeros: shrinking and projecting change the scale alone, and the average is updated
 *           lazily (sv-expansion.c)
 * Paper     Bagnell (2010), Algorithm 1; after Shalev-Shwartz, Singer & Srebro (2007) and Ratliff et al. (2007)
 * Departs   an example's weight multiplies its y_i x_i; a batch left incomplete at the end is a step of its own.
 *           The average counts step t t times (Lacoste-Julien, Schmidt & Bach 2012), not once: with a small lambda the
 *           first steps are very large. Line 11's comment has a ball of radius sqrt(lambda), a misprint for its formula's
 *           1 / sqrt(lambda). There a bias is not part of it. Other losses have their slope (loss.h) in place of y_i. For
 *           novelty the bias, -rho, is not part of |w|: the share of examples below rho would not be nu. It does
 *           not shrink, its steps are 1/(lambda sqrt(t)), and there is no projection, whose radius is that of the hinge
 *           loss */
#include <math.h>
#include <stdlib.h>

#include "solver.h"

typedef struct {
  double lambda, epochs, project, average, batch, unit_norm, bias, shuffle;
} params;
static const osvm_param declared[] = {
    {"lambda", OSVM_PENALTY},  {"epochs", OSVM_EPOCHS},   {"project", OSVM_RULE},
    {"average", OSVM_AVERAGE}, {"batch", OSVM_RULE},      {"unit_norm", OSVM_UNIT_NORM},
    {"bias", OSVM_RULE},       {"shuffle", OSVM_SHUFFLE}, {0}};

typedef struct {
  int i;
  double push, bias;
} step_term;
typedef struct {
  int seen, count;
  step_term list[];
} batch;

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  const params *p = (const params *)run->params;
  const double visits = (double)run->count * run->epochs; /* a batch may extend into the next epoch */
  const double most = p->batch < visits ? p->batch : visits;
  machine->state = calloc(1, sizeof(batch) + ((size_t)most + 1) * sizeof(step_term));
  return machine->state != NULL ? OSVM_OK : osvm_no_memory(machine->context.error);
}

static void shrink(osvm_expansion *f, double factor, int free_bias) {
  osvm_expansion_shrink(f, factor);
  if (!free_bias) f->bias *= factor;
}

static void step(const osvm_run *run, osvm_expansion *f, batch *b) {
  const params *p = (const params *)run->params;
  const int novelty = osvm_loss_is_of_share(&run->loss);
  const double t = f->steps + 1;
  shrink(f, 1 - 1 / t, novelty);
  for (int k = 0; k < b->count; k++) {
    osvm_expansion_add(f, b->list[k].i, b->list[k].push / (p->lambda * t * b->seen));
    f->bias += b->list[k].bias / (p->lambda * (novelty ? sqrt(t) : t) * b->seen);
  }
  if (p->project && !novelty) {
    const double norm = f->scale * f->scale * f->norm + f->bias * f->bias;
    if (norm * p->lambda > 1) shrink(f, 1 / sqrt(norm * p->lambda), 0);
  }
  osvm_expansion_step(f);
  b->seen = b->count = 0;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  batch *b = machine->state;
  const double output = osvm_expansion_output(f, x->i);
  const double rate = x->weight / (p->lambda * (f->steps + 1));
  const osvm_loss_point loss = osvm_run_loss(run, machine, x, output, 0, rate, p->bias != 0);
  osvm_machine_count(machine, loss.value, loss.slope != 0, loss.slope != 0);
  const double bias = osvm_loss_bias_slope(&machine->objective, loss.slope, p->bias != 0);
  b->seen++;
  if (loss.slope != 0 || bias != 0) b->list[b->count++] = (step_term){x->i, x->weight * loss.slope, x->weight * bias};
  if (b->seen >= p->batch) step(run, f, b);
  return OSVM_OK;
}

static osvm_status finish(osvm_run *run) {
  for (int m = 0; m < run->machines; m++) {
    batch *b = run->machine[m].state;
    if (b->seen > 0) step(run, &run->machine[m].expansion, b);
  }
  return OSVM_OK;
}

/* A batch that is incomplete at the end is a step of its own, which a longer run does not take. */
static int nested(const double *values) { return ((const params *)values)->batch <= 1; }

const osvm_solver osvm_solver_pegasos = {.title = "Pegasos",
                                         .summary = "steps 1/(lambda t), projection, averaging, mini-batches",
                                         .paper = "Bagnell (2010), Algorithm 1",
                                         .space = "linear",
                                         .params = declared,
                                         .averages_late = 1,
                                         .losses = OSVM_BY_SLOPE | OSVM_WITHOUT_TARGET,
                                         .open = open,
                                         .learn = learn,
                                         .finish = finish,
                                         .nested = nested};
