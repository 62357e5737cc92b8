/* Pegasos: the on-line linear SVM with steps 1/(lambda t), projection and averaging.
 *
 * Problem   min over w of lambda |w|^2 / 2 + mean of max(0, 1 - y_i w.x_i)                                          (1)
 * Rule      step t, on the next `batch` examples B, all evaluated with the w before the step:
 *             w := (1 - 1/t) w + 1/(lambda t |B|) sum of y_i x_i over the i in B with y_i w.x_i < 1
 *             project, if wanted: |w|^2 > 1/lambda:  w := w / (sqrt(lambda) |w|)
 * State     the weights as scale times vector with the vector's norm, and the violators of the current batch.
 *           The bias is the weight of a constant 1: it shrinks and is projected with the others
 * Cost      the example's non-zeros: shrinking and projecting change the scale alone, and the average is updated
 *           lazily (sv-expansion.c)
 * Paper     Bagnell (2010), Algorithm 1; after Shalev-Shwartz, Singer & Srebro (2007) and Ratliff et al. (2007)
 * Departs   an example's weight multiplies its y_i x_i; a batch left incomplete at the end is a step of its own.
 *           Other losses have their slope (loss.h) in place of y_i */
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
  double push;
} violator;
typedef struct {
  int seen, violators;
  violator list[];
} batch;

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  const params *p = (const params *)run->params;
  const double visits = (double)run->count * run->epochs; /* a batch may extend into the next epoch */
  const double most = p->batch < visits ? p->batch : visits;
  machine->state = calloc(1, sizeof(batch) + ((size_t)most + 1) * sizeof(violator));
  return machine->state != NULL ? OSVM_OK : osvm_no_memory(machine->context.error);
}

static void shrink(osvm_expansion *f, double factor) {
  osvm_expansion_shrink(f, factor);
  f->bias *= factor;
}

static void step(const params *p, osvm_expansion *f, batch *b) {
  const double t = f->steps + 1;
  shrink(f, 1 - 1 / t);
  for (int k = 0; k < b->violators; k++)
    osvm_expansion_push(f, b->list[k].i, b->list[k].push / (p->lambda * t * b->seen), p->bias != 0);
  if (p->project) {
    const double norm = f->scale * f->scale * f->norm + f->bias * f->bias;
    if (norm * p->lambda > 1) shrink(f, 1 / sqrt(norm * p->lambda));
  }
  osvm_expansion_step(f);
  b->seen = b->violators = 0;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const params *p = (const params *)run->params;
  osvm_expansion *f = &machine->expansion;
  batch *b = machine->state;
  const double output = osvm_expansion_output(f, x->i), slope = osvm_loss_slope(&run->loss, x->y, output, 0);
  osvm_machine_count(machine, osvm_loss_value(&run->loss, x->y, output), slope != 0, slope != 0);
  b->seen++;
  if (slope != 0) b->list[b->violators++] = (violator){x->i, x->weight * slope};
  if (b->seen >= p->batch) step(p, f, b);
  return OSVM_OK;
}

static osvm_status finish(osvm_run *run) {
  for (int m = 0; m < run->machines; m++) {
    batch *b = run->machine[m].state;
    if (b->seen > 0) step((const params *)run->params, &run->machine[m].expansion, b);
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
                                         .losses = OSVM_LEARNS_BY_SLOPE,
                                         .open = open,
                                         .learn = learn,
                                         .finish = finish,
                                         .nested = nested};
