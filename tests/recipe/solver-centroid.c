/* Nearest class mean in feature space: a machine of two support vectors that are no examples.
 *
 * Problem   f(x) = k(m_P, x) - k(m_N, x), m_P and m_N the means of the positive and the negative examples
 * Rule      m := m + (x - m) / n for the n-th example of the class
 * State     the two means, as support vectors of the solver's own making; the numbers of examples
 * Cost      the features of an example, and the two kernel rows
 * Paper     none: it tests that solvers can make support vectors
 * Departs   - */
#include <stdlib.h>
#include <string.h>

#include "solver.h"

typedef struct {
  double shuffle;
} params;
static const osvm_param declared[] = {{"shuffle", OSVM_SHUFFLE}, {0}};

typedef struct {
  double count[2];
} state;
static const char *const scalars[] = {"positive", "negative", NULL};

typedef struct {
  double *mean[2], *x;
} means;

enum { COUNT, COLUMNS };
static const osvm_column columns[COLUMNS] = {[COUNT] = {.name = "count"}}; /* examples in a mean */

static int reserve(const double *values, int machines) {
  (void)values;
  return 2 * machines;
}

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  means *s = machine->state;
  for (int side = 0; side < 2; side++) s->mean[side] = calloc((size_t)run->store.d + 1, sizeof(double));
  s->x = calloc((size_t)run->store.d + 1, sizeof(double));
  return s->mean[0] && s->mean[1] && s->x ? OSVM_OK : osvm_no_memory(machine->context.error);
}

static osvm_status set_mean(osvm_run *run, osvm_machine *machine, int side) {
  const means *s = machine->state;
  const int i = run->made + 2 * machine->index + side;
  osvm_expansion *f = &machine->expansion;
  osvm_expansion_add(f, i, -osvm_expansion_coef(f, i));
  OSVM_TRY(osvm_run_make(run, i, s->mean[side]));
  osvm_expansion_add(f, i, side == 0 ? 1 : -1);
  machine->column[COUNT][i] = ((state *)machine->scalars)->count[side];
  return OSVM_OK;
}

/* The means of the model are carried examples: they are copied, and their coefficients set to 0. */
static osvm_status restore(osvm_run *run, osvm_machine *machine) {
  means *s = machine->state;
  osvm_expansion *f = &machine->expansion;
  for (int i = 0; i < run->first; i++) {
    const double coef = osvm_expansion_coef(f, i);
    if (coef == 0) continue;
    const int side = coef < 0;
    osvm_run_values(run, i, s->mean[side]);
    osvm_expansion_add(f, i, -coef);
    machine->column[COUNT][i] = 0;
    OSVM_TRY(set_mean(run, machine, side));
  }
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  means *s = machine->state;
  state *n = (state *)machine->scalars;
  const int side = x->y < 0;
  const double margin = x->y * osvm_expansion_output(&machine->expansion, x->i);
  osvm_machine_count(machine, margin, margin<1, x->weight> 0);
  machine->expansion.steps += 1;
  if (!(x->weight > 0)) return OSVM_OK;
  n->count[side] += x->weight;
  osvm_run_values(run, x->i, s->x);
  for (int k = 0; k < run->store.d; k++) s->mean[side][k] += (s->x[k] - s->mean[side][k]) * x->weight / n->count[side];
  return set_mean(run, machine, side);
}

static void result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept) {
  *intercept = osvm_expansion_result(&machine->expansion, coef);
  machine->convergence = (osvm_convergence){machine->expansion.steps, 0, 0, 1};
  (void)run;
}

static void close(osvm_machine *machine) {
  means *s = machine->state;
  free(s->mean[0]);
  free(s->mean[1]);
  free(s->x);
}

const osvm_solver osvm_solver_centroid = {.title = "Centroid",
                                          .summary = "nearest class mean in feature space",
                                          .paper = "none",
                                          .space = "both",
                                          .params = declared,
                                          .dual = 1,
                                          .state_size = sizeof(means),
                                          .columns = columns,
                                          .n_columns = COLUMNS,
                                          .on_expansion = 1,
                                          .scalars = scalars,
                                          .reserve = reserve,
                                          .open = open,
                                          .restore = restore,
                                          .learn = learn,
                                          .result = result,
                                          .close = close};
