/* Dual coordinate descent: the linear machine at its optimum, one coefficient at a time.
 *
 * Problem   min over w of |w|^2 / 2 + sum of C_i loss(y_i, w.x_i); its dual in signed coefficients (loss.h), without
 *           a sum, since the bias is the weight of a constant 1:
 *             min over a of |w|^2 / 2 + sum of h_i(a_i),  w = sum a_i x_i,
 *           h_i(a) = d_i a^2 / 2 - p_i a + eps |a| for lower_i <= a <= upper_i, or the loss's own
 * Rule      with g_i = p_i - w.x_i and c_i = |x_i|^2, the minimum along coordinate i:
 *             a_i := a_i + (g_i - d_i a_i) / (c_i + d_i), moved by eps / (c_i + d_i) towards 0 but not beyond, then
 *             clipped to its bounds; other h: loss-logistic.c
 *           A pass visits the active examples in random order. The duality gap is a sum of terms that are not
 *           negative, one per example,
 *             max over a of (-a w.x_i - h_i(a))  -  (-a_i w.x_i - h_i(a_i))
 *           of which a pass adds up those of the active examples, while the weights change. An example that satisfies
 *           the optimality conditions by more than the mean violation of the pass before is shrunk; all are active
 *           again when the gap is down to a tenth of that of all. It ends when the gap of all examples, with the
 *           weights fixed, is at most `tolerance` times the primal objective. Of many examples C is approached from
 *           the cost at which steps reach their bounds, in factors of eight, each solved roughly.
 * State     the weights; coefficients are given up when a run ends. An update minimises |w - v|^2 / 2 + loss of the new
 *           examples, with v the weights before: the coefficients of earlier examples stay as they are
 * Cost      the example's non-zeros per visit; memory for nine numbers per example
 * Paper     Hsieh et al. (2008), Algorithm 3; Ho & Lin (2012), Algorithm 4; logistic loss: Yu, Huang & Lin (2011)
 * Departs   the duality gap ends it, not the range of projected gradients; shrinking by the mean violation, not by the
 *           largest, with all examples active again earlier; warm starts from lower C: a few times fewer visits where
 *           examples are many and noisy. An example's weight multiplies its C */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solver.h"

typedef struct {
  double C, bias, tolerance, max_iter;
} params;
static const osvm_param declared[] = {
    {"C", OSVM_WARM_START}, {"bias", OSVM_RULE}, {"tolerance", OSVM_TOLERANCE}, {"max_iter", OSVM_RULE}, {0}};

/* AHEAD: visits before which an example is asked of memory; SWEEPS: over examples that are packed as needed; MANY:
 * examples from which on C is approached from below */
enum { VISITS_PER_POLL = 256, AHEAD = 8, SWEEPS = 3, MANY = 10000 };
static const double GAP_OF_ALL = 0.1;      /* share of it at which all examples are active again */
static const double GAP_OF_LOWER_C = 0.05; /* to which the problem of a lower C is solved */

typedef struct {
  double coef, curvature;
  osvm_dual_term term;
  int i; /* in the store */
} coordinate;

typedef struct {
  coordinate *all;
  int *order, n, active; /* order: of visits, the active ones first */
  int *examples;         /* NULL, or room for those of a store that packs some at a time */
  double *before;        /* the weights and the bias before the run */
  double C, epsilon;
  double gap, loss, violation, violators; /* sums over the latest pass or measurement */
  double threshold;                       /* of shrinking */
  double primal, whole_gap;               /* objective and gap when all examples were active last */
  double largest, visits;                 /* largest: gap so far, for the progress */
} descent;

/* ---- opening ---- */

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  descent *s = machine->state;
  s->all = calloc((size_t)run->store.n + 1, sizeof *s->all);
  s->order = calloc((size_t)run->store.n + 1, sizeof *s->order);
  s->before = calloc((size_t)run->store.d + 1, sizeof *s->before);
  osvm_large_pages(s->all, (size_t)run->store.n * sizeof *s->all);
  if (run->store.window > 0) s->examples = malloc((size_t)run->store.window * sizeof(int));
  const int opened =
      s->all != NULL && s->order != NULL && s->before != NULL && (run->store.window == 0 || s->examples != NULL);
  return opened ? OSVM_OK : osvm_no_memory(machine->context.error);
}

static void close(osvm_machine *machine) {
  descent *s = machine->state;
  free(s->all);
  free(s->order);
  free(s->before);
  free(s->examples);
}

/* Along an example of zeros alone there is no minimum: its coefficient goes to a bound. */
static double curvature_of(const osvm_run *run, int i) {
  return fmax(run->store.norm[i] + (((const params *)run->params)->bias != 0), 1e-100);
}

static void begin(const osvm_run *run, const osvm_machine *machine, descent *s) {
  const params *p = (const params *)run->params;
  memcpy(s->before, machine->expansion.weights, run->store.d * sizeof(double));
  s->before[run->store.d] = machine->expansion.bias;
  s->epsilon = osvm_loss_tube(&machine->objective);
  for (int i = run->first; i < run->store.n; i++) {
    const double y = osvm_run_target(run, machine->index, i), weight = osvm_run_weight(run, i);
    if (isnan(y) || !(weight > 0)) continue;
    const osvm_dual_term term =
        osvm_loss_term(&machine->objective, y, osvm_loss_cost(&machine->objective, p->C, weight));
    const double curvature = s->examples == NULL ? curvature_of(run, i) : 0; /* known when it is packed */
    s->order[s->n] = s->n;
    s->all[s->n++] = (coordinate){0, curvature, term, i};
  }
}

/* |w - v|^2 */
static double squared_norm(const osvm_run *run, const osvm_expansion *f, const descent *s) {
  const double shift = f->bias - s->before[run->store.d];
  double sum = shift * shift;
  for (int k = 0; k < run->store.d; k++) sum += (f->weights[k] - s->before[k]) * (f->weights[k] - s->before[k]);
  return sum;
}

static void set_cost(descent *s, double C) {
  for (int k = 0; k < s->n; k++) osvm_dual_scale_cost(&s->all[k].term, C / s->C);
  s->C = C;
}

/* The multiple of the coefficients with the least quadratic objective for another C */
static double best_multiple(const osvm_run *run, const osvm_expansion *f, const descent *s, double C) {
  double square = squared_norm(run, f, s), linear = 0;
  for (int k = 0; k < s->n; k++) {
    const coordinate *x = &s->all[k];
    linear += x->coef * x->term.linear - s->epsilon * fabs(x->coef);
    square += x->coef * osvm_dual_pull(&x->term, x->coef) * (s->C / C);
  }
  return square > 0 ? fmax(linear / square, 0) : 0;
}

/* From the solution for one C to a start for the next: the coefficients as they are or, of a quadratic dual, times what
 * makes the objective least, as far as the bounds for that C allow */
static void warm_start(const osvm_run *run, osvm_expansion *f, descent *s, double C) {
  const double factor = fmin(run->loss.info->along != NULL ? 1 : best_multiple(run, f, s, C), C / s->C);
  for (int k = 0; k < s->n; k++) s->all[k].coef *= factor;
  for (int k = 0; k < run->store.d; k++) f->weights[k] = s->before[k] + factor * (f->weights[k] - s->before[k]);
  f->bias = s->before[run->store.d] + factor * (f->bias - s->before[run->store.d]);
  set_cost(s, C);
}

/* ---- descent ---- */

static double gradient(const osvm_run *run, const osvm_expansion *f, const coordinate *x) {
  return x->term.linear - osvm_store_weigh(&run->store, x->i, f->weights) - f->bias;
}

/* The largest a (excess - d a / 2) of a between 0 and the bound; 0 or less if that is 0 */
static double conjugate(double bound, double d, double excess) {
  const double a = d > 0 ? fmin(fmax(excess / d, 0), bound) : bound;
  return a * (excess - d * a / 2);
}

/* The loss times its cost, and the example's term of the duality gap */
static void count(descent *s, const osvm_run *run, const coordinate *x, double g) {
  const osvm_dual_term *term = &x->term;
  if (run->loss.info->along != NULL) {
    const osvm_dual_point here = run->loss.info->along(term, x->coef, g, x->curvature);
    s->loss += here.loss;
    s->gap += here.gap;
    return;
  }
  const double above = conjugate(term->upper, term->diagonal[1], g - s->epsilon);
  const double below = conjugate(-term->lower, term->diagonal[0], -(g + s->epsilon));
  const double loss = fmax(fmax(above, below), 0);
  s->loss += loss;
  s->gap += loss - (x->coef * (g - osvm_dual_pull(term, x->coef) / 2) - s->epsilon * fabs(x->coef));
}

/* The minimum along a coordinate of the quadratic dual */
static double minimum(const descent *s, const coordinate *x, double g) {
  const int above = x->curvature * x->coef + g > 0;
  const double d = x->term.diagonal[above], curvature = x->curvature + d;
  const double target = x->coef + (g - d * x->coef) / curvature, towards = s->epsilon / curvature;
  const double best = target > 0 ? fmax(target - towards, 0) : fmin(target + towards, 0);
  return fmin(fmax(best, x->term.lower), x->term.upper);
}

/* 1: it is to be shrunk */
static int visit(const osvm_run *run, osvm_machine *machine, descent *s, coordinate *x) {
  osvm_expansion *f = &machine->expansion;
  const double g = gradient(run, f, x);
  double best;
  if (run->loss.info->along != NULL) {
    const osvm_dual_point here = run->loss.info->along(&x->term, x->coef, g, x->curvature);
    s->loss += here.loss;
    s->gap += here.gap;
    best = here.best;
  } else {
    const double slope = g - osvm_dual_pull(&x->term, x->coef);
    const double up = slope + osvm_slope_up(x->coef, x->term.upper, s->epsilon);
    const double low = slope + osvm_slope_low(x->coef, x->term.lower, s->epsilon);
    count(s, run, x, g);
    if (up < -s->threshold && low > s->threshold) return 1;
    if (!(up > 0 || low < 0)) return 0;
    s->violation += fmax(up, -low);
    s->violators++;
    best = minimum(s, x, g);
  }
  const double change = best - x->coef;
  if (change == 0) return 0;
  x->coef += change;
  osvm_store_add(&run->store, x->i, change, f->weights);
  if (((const params *)run->params)->bias != 0) f->bias += change;
  machine->updates++;
  return 0;
}

/* The gap closes about exponentially, so progress is its logarithm. */
static int stopped(const osvm_run *run, osvm_machine *machine, const descent *s) {
  osvm_context *context = &machine->context;
  const double aim = ((const params *)run->params)->tolerance * s->primal;
  context->work += VISITS_PER_POLL * (2.0 * (run->store.sparse ? 32 : run->store.d) + 64);
  if (!osvm_context_due(context)) return 0;
  const double done = s->largest > aim && aim > 0 ? log(s->largest / s->whole_gap) / log(s->largest / aim) : 0;
  return osvm_context_poll(context, fmin(fmax(done, 0), 1));
}

/* In random order every visit would wait for memory. */
static void fetch_ahead(const osvm_run *run, const descent *s, int k, int end) {
  if (k + 2 * AHEAD >= end) return;
  osvm_prefetch(&s->all[s->order[k + 2 * AHEAD]], sizeof *s->all);
  osvm_store_prefetch(&run->store, s->all[s->order[k + AHEAD]].i);
}

/* Visits from .. *end - 1 of the order; those to be shrunk come last, behind the new *end. */
static osvm_status sweep(osvm_run *run, osvm_machine *machine, descent *s, int from, int *end) {
  for (int k = from, visits = 0; k < *end; visits++) {
    if (visits % VISITS_PER_POLL == 0 && stopped(run, machine, s)) return OSVM_INTERRUPTED;
    fetch_ahead(run, s, k, *end);
    const int here = s->order[k];
    if (visit(run, machine, s, &s->all[here])) {
      s->order[k] = s->order[--*end];
      s->order[*end] = here;
    } else {
      k++;
    }
  }
  return OSVM_OK;
}

/* Coordinates `which`, or from .. end - 1 themselves (NULL), are packed, as many as there is room for, up to *end. */
static osvm_status load(osvm_run *run, osvm_machine *machine, descent *s, const int *which, int from, int *end) {
  if (s->examples == NULL) return OSVM_OK;
  if (*end - from > run->store.window) *end = from + run->store.window;
  for (int k = from; k < *end; k++) s->examples[k - from] = s->all[which != NULL ? which[k] : k].i;
  OSVM_TRY(osvm_store_load(&run->store, s->examples, *end - from, machine->context.team, machine->context.error));
  for (int k = from; k < *end; k++) {
    coordinate *x = &s->all[which != NULL ? which[k] : k];
    x->curvature = curvature_of(run, x->i);
  }
  return OSVM_OK;
}

/* Examples packed for it are visited several times, as packing takes longer; the sums are those of the first visits. */
static osvm_status visit_part(osvm_run *run, osvm_machine *machine, descent *s, int from, int *end) {
  const int whole = *end - from == s->active;
  OSVM_TRY(sweep(run, machine, s, from, end));
  const descent sums = *s;
  if (!whole && s->violators > 0) s->threshold = s->violation / s->violators;
  for (int k = 1; k < SWEEPS && !whole; k++) {
    osvm_random_shuffle(&machine->context.random, s->order + from, *end - from);
    OSVM_TRY(sweep(run, machine, s, from, end));
  }
  s->gap = sums.gap;
  s->loss = sums.loss;
  s->violation = sums.violation;
  s->violators = sums.violators;
  return OSVM_OK;
}

static osvm_status pass(osvm_run *run, osvm_machine *machine, descent *s) {
  osvm_random_shuffle(&machine->context.random, s->order, s->active);
  s->gap = s->loss = s->violation = s->violators = 0;
  for (int from = 0; from < s->active;) {
    int end = s->active;
    OSVM_TRY(load(run, machine, s, s->order, from, &end));
    const int before = end;
    const osvm_status status = visit_part(run, machine, s, from, &end);
    const int shrunk = before - end, after = s->active - before;
    for (int k = 0; k < shrunk && k < after; k++) { /* exchanged with the last ones not visited yet */
      const int here = s->order[end + k];
      s->order[end + k] = s->order[s->active - 1 - k];
      s->order[s->active - 1 - k] = here;
    }
    s->active -= shrunk;
    from = end;
    OSVM_TRY(status);
  }
  return OSVM_OK;
}

/* Of all examples, with the weights as they are */
static osvm_status measure(osvm_run *run, osvm_machine *machine, descent *s) {
  s->gap = s->loss = 0;
  for (int from = 0, end = s->n; from < s->n; from = end, end = s->n) {
    OSVM_TRY(load(run, machine, s, NULL, from, &end));
    for (int k = from; k < end; k++) count(s, run, &s->all[k], gradient(run, &machine->expansion, &s->all[k]));
  }
  s->primal = squared_norm(run, &machine->expansion, s) / 2 + s->loss;
  return OSVM_OK;
}

/* After a pass: 1 if the gap may be down to the tolerance. Chooses what is active in the next. */
static int look(const osvm_run *run, const osvm_machine *machine, descent *s, int whole, double tolerance) {
  if (whole) {
    s->primal = squared_norm(run, &machine->expansion, s) / 2 + s->loss;
    s->whole_gap = s->gap;
    s->largest = fmax(s->largest, s->gap);
  }
  s->threshold = s->violators > 0 ? s->violation / s->violators : INFINITY;
  if (s->active > 0 && s->gap > fmax(tolerance * s->primal, GAP_OF_ALL * s->whole_gap)) return 0;
  s->active = s->n;
  if (s->examples == NULL) s->threshold = INFINITY;
  return s->gap <= tolerance * s->primal;
}

/* Until the gap is down to the tolerance: as it is measured or, for a lower C, in the latest pass. There a single pass
 * over examples that are packed as needed will do. */
static osvm_status descend(osvm_run *run, osvm_machine *machine, descent *s, double tolerance, int *finished) {
  const params *p = (const params *)run->params;
  *finished = s->n == 0;
  s->active = s->n;
  s->threshold = INFINITY;
  s->primal = s->largest = 0;
  while (!*finished && s->visits < p->max_iter * s->n) {
    const int before = s->active;
    const osvm_status status = pass(run, machine, s);
    s->visits += before;
    OSVM_TRY(status);
    if (s->C < p->C && s->examples != NULL) break;
    if (!look(run, machine, s, before == s->n, tolerance)) continue;
    if (s->C == p->C) {
      OSVM_TRY(measure(run, machine, s));
      s->visits += s->n;
    }
    *finished = s->gap <= tolerance * s->primal;
  }
  return OSVM_OK;
}

/* The cost at which a step along an example reaches its bound, on average */
static osvm_status low_cost(osvm_run *run, osvm_machine *machine, descent *s, double *C) {
  int end = s->n;
  double sum = 0;
  OSVM_TRY(load(run, machine, s, NULL, 0, &end));
  for (int k = 0; k < end; k++) sum += s->all[k].curvature;
  *C = end >= MANY && sum > 0 ? fmin(end / sum, s->C) : s->C;
  return OSVM_OK;
}

/* With a high C the first passes go astray: of many examples it is approached in factors of eight. */
static osvm_status climb(osvm_run *run, osvm_machine *machine, descent *s, int *finished) {
  const params *p = (const params *)run->params;
  double C = p->C;
  OSVM_TRY(low_cost(run, machine, s, &C));
  if (C < p->C / 2) set_cost(s, C);
  while (s->C < p->C) {
    OSVM_TRY(descend(run, machine, s, fmax(p->tolerance, GAP_OF_LOWER_C), finished));
    warm_start(run, &machine->expansion, s, 8 * s->C < p->C / 2 ? 8 * s->C : p->C);
  }
  return descend(run, machine, s, p->tolerance, finished);
}

/* Called again for the next C, the coefficients are still there. */
static osvm_status solve(osvm_run *run, osvm_machine *machine, int again) {
  const params *p = (const params *)run->params;
  descent *s = machine->state;
  osvm_status status;
  int finished = 0;
  s->visits = 0;
  if (again && s->C > 0) {
    warm_start(run, &machine->expansion, s, p->C);
    status = descend(run, machine, s, p->tolerance, &finished);
  } else {
    begin(run, machine, s);
    s->C = p->C;
    status = climb(run, machine, s, &finished);
    set_cost(s, p->C);
  }
  finished = finished && status == OSVM_OK;
  if (!finished && (status == OSVM_OK || s->examples == NULL)) {
    const osvm_status measured = measure(run, machine, s);
    if (status == OSVM_OK) status = measured;
  }
  const double passes = s->n > 0 ? ceil(s->visits / s->n) : 0, relative = s->primal > 0 ? s->gap / s->primal : 0;
  machine->convergence = (osvm_convergence){passes, relative, s->gap - s->primal, finished, 0};
  machine->expansion.steps += s->visits;
  machine->visits += s->visits;
  return status;
}

const osvm_solver osvm_solver_dcd = {.title = "Dual coordinate descent",
                                     .summary = "the optimum of the linear SVM, for many examples; warm starts",
                                     .paper = "Hsieh, Chang, Lin, Keerthi & Sundararajan (2008); Ho & Lin (2012)",
                                     .space = "linear",
                                     .params = declared,
                                     .batch = 1,
                                     .dual = 1,
                                     .losses = OSVM_BY_COORDINATE,
                                     .state_size = sizeof(descent),
                                     .repeats = osvm_repeats_weighed,
                                     .open = open,
                                     .solve = solve,
                                     .close = close};
