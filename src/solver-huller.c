/* The Huller: two points, one in the convex hull of each class, that approach each other one example at a time.
 *
 * Problem   min over alpha of |X_P - X_N|^2,  X_P = sum over the positive of alpha_i x_i, alpha >= 0, summing to 1, and X_N
 *           likewise: the hard-margin machine with bias. C < Inf: quadratic slack, k(x_i, x_i) is larger by 1/C
 * Rule      UPDATE(k), for k of class P (N likewise): X_P moves along the line to x_k,
 *             lambda = (PP - NP - X_P x_k + X_N x_k) / (PP + k_kk - 2 X_P x_k), clipped to [-alpha_k/(1 - alpha_k), 1],
 *             alpha_i *= 1 - lambda for all i of P, alpha_k += lambda, and PP, NP follow by (7)
 *           A visit updates by the example and then by a support vector drawn at random; if the example is a support
 *           vector already, by that one alone.
 *           f(x) = ((X_P - X_N) x + (NN - PP)/2) / (D/2), D = PP - 2 NP + NN, which puts the margin at +-1
 * State     alpha by class, each in units of its scale; PP, NP, NN, recomputed at the end of every epoch
 * Cost      an update: a kernel row over the support vectors, for support vectors mostly cached since they entered
 * Paper     Bordes & Bottou (2005), Figs 3 and 4, (3)-(8)
 * Departs   the paper's f has no scale. An example's weight multiplies its C. Where the hulls intersect, D is down to
 *           rounding and the machine stops learning; well before that many support vectors are on the wrong side of the
 *           boundary, which none is at the solution. The paper skips visits to support vectors: where most examples are,
 *           it would hardly move (sonar: 2.8 % from the hard-margin solution after 40 epochs, 0.1 % with these updates).
 *           After fewer updates than there are support vectors (short runs) PP, NP, NN are not recomputed. */
#include <math.h>

#include "solver.h"

typedef struct {
  double epochs, C, start, shuffle;
} params;
static const osvm_param declared[] = {
    {"epochs", OSVM_EPOCHS}, {"C", OSVM_COST}, {"start", OSVM_RULE}, {"shuffle", OSVM_SHUFFLE}, {0}};

/* POSITIVE and NEGATIVE: alpha of a class in units of its scale. OUTPUT: y (X_P - X_N) x, when last computed. ALPHA: signed
 * and unscaled, for the model */
enum { POSITIVE, NEGATIVE, SLACK, OUTPUT, ALPHA, COLUMNS };
static const osvm_column columns[COLUMNS] = {
    [SLACK] = {.name = "slack"}, [OUTPUT] = {.name = "output"}, [ALPHA] = {.name = "alpha", .role = OSVM_COLUMN_COEF}};

typedef struct {
  double cross, square[2]; /* NP; PP and NN */
  double updates;          /* since the three were last recomputed ... */
  double met;              /* the hulls intersect */
  double wrong;            /* ... and the share of support vectors that were then on the wrong side */
  double seed;
} hulls;
static const char *const scalars[] = {"cross", "square_positive", "square_negative", "updates", "met", "wrong", "seed",
                                      NULL};

/* On separable classes it is below 0.05 after one epoch (measured). */
static const double FEW_WRONG = 0.1;

typedef struct {
  double scale[2]; /* alpha = scale * column */
  int present[2];  /* has the class support vectors? */
  int initialised; /* is the start of this run behind us? */
} scales;

typedef struct {
  const osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *set;
  hulls *h;
  scales *s;
} huller;

static huller view(const osvm_run *run, osvm_machine *machine) {
  return (huller){run, machine, machine->sv_set, (hulls *)machine->scalars, machine->state};
}

typedef struct {
  int slot, side; /* slot: -1 for an example that is no support vector */
  double own, other, self, alpha;
} point; /* x_k of UPDATE: its products with both points, k(x_k, x_k), alpha_k */

static double distance(const hulls *h) { return h->square[0] - 2 * h->cross + h->square[1]; }

/* Relative rounding of sums of kernel values */
static double rounding(const huller *u) { return u->run->store.simd->size == sizeof(float) ? 1e-6 : 1e-10; }

static double no_distance(const huller *u) { return rounding(u) * (fabs(u->h->square[0]) + fabs(u->h->square[1])); }

static int has_both(const huller *u) { return u->s->present[0] && u->s->present[1]; }

static void check_intersection(huller *u) { u->h->met = has_both(u) && !(distance(u->h) > no_distance(u)); }

static double *column(const huller *u, int k) { return osvm_sv_set_doubles(u->set, k); }

static int side_of(const huller *u, int slot) { return column(u, POSITIVE)[slot] == 0; }

/* ---- the three products ---- */

/* Unscaled alpha, normalised to a sum of exactly 1 per class. */
static void rebase(huller *u) {
  for (int side = 0; side < 2; side++) {
    double *alpha = column(u, side), sum = 0;
    for (int s = 0; s < u->set->n; s++) sum += alpha[s];
    for (int s = 0; s < u->set->n && sum > 0; s++) alpha[s] /= sum;
    u->s->scale[side] = 1;
  }
}

static void count_wrong(huller *u) {
  const double *output = column(u, OUTPUT), bias = (u->h->square[1] - u->h->square[0]) / 2;
  double wrong = 0;
  for (int s = 0; s < u->set->n; s++)
    wrong += u->set->shared_slot[s] >= 0 && output[s] + (side_of(u, s) ? -bias : bias) <= 0;
  u->h->wrong = u->set->count > 0 ? wrong / u->set->count : 0;
}

static osvm_status recompute_products(osvm_run *run, huller *u, double done) {
  const double *slack = column(u, SLACK);
  double *output = column(u, OUTPUT), square[2] = {0, 0}, cross = 0;
  const int n = u->set->n;
  rebase(u);
  for (int s = 0; s < n; s++) {
    const void *row;
    if (u->set->shared_slot[s] < 0) continue;
    if (osvm_context_stopped(&u->machine->context, done)) return OSVM_INTERRUPTED;
    OSVM_TRY(osvm_sv_set_row(u->set, s, &row, u->machine->context.error));
    u->machine->context.work += 2.0 * n;
    const int side = side_of(u, s);
    const double *mine = column(u, side), alpha = mine[s];
    const double own = run->store.simd->weigh(row, n, mine) + alpha * slack[s],
                 other = run->store.simd->weigh(row, n, column(u, !side));
    square[side] += alpha * own;
    if (side == 0) cross += alpha * other;
    output[s] = own - other;
  }
  u->h->square[0] = square[0];
  u->h->square[1] = square[1];
  u->h->cross = cross;
  u->h->updates = 0;
  count_wrong(u);
  check_intersection(u);
  return OSVM_OK;
}

/* ---- UPDATE ---- */

static void set_products(const huller *u, const void *row, point *x) {
  const osvm_simd *simd = u->run->store.simd;
  x->own = u->s->scale[x->side] * simd->weigh(row, u->set->n, column(u, x->side));
  x->other = u->s->scale[!x->side] * simd->weigh(row, u->set->n, column(u, !x->side));
}

/* As it is in the kernel rows: with another rounding (7) would drift away from the sums that recompute_products() takes,
 * which is called at the end of every chunk of a stream. */
static double self_product(const huller *u, int i) {
  return osvm_as_real(u->run->store.simd, osvm_kernel_self(&u->run->kernel, &u->run->store, i));
}

static double least_lambda(const point *x) { return -x->alpha / (1 - x->alpha); }

static double best_lambda(const huller *u, const point *x) {
  const double square = u->h->square[x->side], length = square + x->self - 2 * x->own;
  if (x->alpha >= 1 - rounding(u)) return 0; /* X_P = x_k */
  if (!(length > rounding(u) * 1e-2 * (fabs(square) + fabs(x->self)))) return 0;
  const double unclipped = (square - u->h->cross - x->own + x->other) / length;
  return fmin(1, fmax(least_lambda(x), unclipped));
}

/* In the shared order, which does not depend on slots: the order that remains must not either. */
static void clear_side(huller *u, int side, int but) {
  const osvm_shared_sv *shared = u->set->shared;
  for (int k = shared->count - 1; k >= 0; k--) {
    const int s = osvm_sv_set_slot(u->set, shared->example[shared->order[k]]);
    if (s >= 0 && s != but && column(u, side)[s] != 0) osvm_sv_set_remove(u->set, s);
  }
}

/* Equation (7). The example has its slot by now. */
static void move_point(huller *u, const point *x, double lambda) {
  double *alpha = column(u, x->side), *square = &u->h->square[x->side], *scale = &u->s->scale[x->side];
  const double rest = 1 - lambda;
  *square = rest * rest * *square + 2 * lambda * rest * x->own + lambda * lambda * x->self;
  u->h->cross = rest * u->h->cross + lambda * x->other;
  if (lambda == 1) {
    clear_side(u, x->side, x->slot);
    *scale = alpha[x->slot] = 1;
  } else {
    *scale *= rest;
    alpha[x->slot] += lambda / *scale;
    /* At the lower bound, or there but for rounding */
    if (lambda == least_lambda(x) || !(alpha[x->slot] > 0)) osvm_sv_set_remove(u->set, x->slot);
  }
  if (!(*scale > 1e-50 && *scale < 1e50)) rebase(u);
  check_intersection(u);
}

static osvm_status update_by_example(osvm_run *run, huller *u, const osvm_example *x) {
  const double slack = 1 / (((const params *)run->params)->C * x->weight);
  const void *row;
  OSVM_TRY(osvm_sv_set_candidate_row(u->set, run->upcoming, run->n_upcoming, &row, u->machine->context.error));
  point k = {.slot = -1, .side = x->y < 0};
  set_products(u, row, &k);
  k.self = self_product(u, x->i) + slack;
  const double lambda = best_lambda(u, &k);
  const double output = (k.own - k.other) * x->y + (u->h->square[1] - u->h->square[0]) / 2;
  const double loss = osvm_loss_value(&run->loss, x->y, output / (distance(u->h) / 2));
  osvm_machine_count(u->machine, loss, lambda > 0, lambda > 0);
  if (!(lambda > 0)) return OSVM_OK;
  OSVM_TRY(osvm_sv_set_insert(u->set, x->i, &k.slot, u->machine->context.error));
  column(u, SLACK)[k.slot] = slack;
  column(u, OUTPUT)[k.slot] = k.own - k.other;
  move_point(u, &k, lambda);
  return OSVM_OK;
}

static osvm_status update_by_support_vector(huller *u, int slot) {
  const void *row;
  OSVM_TRY(osvm_sv_set_row(u->set, slot, &row, u->machine->context.error));
  const double slack = column(u, SLACK)[slot];
  point k = {.slot = slot, .side = side_of(u, slot)};
  k.alpha = u->s->scale[k.side] * column(u, k.side)[slot];
  set_products(u, row, &k);
  k.own += k.alpha * slack;
  k.self = self_product(u, osvm_sv_set_example(u->set, slot)) + slack;
  column(u, OUTPUT)[slot] = k.own - k.other;
  const double lambda = best_lambda(u, &k);
  u->machine->updates += lambda != 0;
  if (lambda != 0) move_point(u, &k, lambda);
  return OSVM_OK;
}

/* ---- start: the mean of the first examples of each class. Until both have come, that of one of them waits ---- */

static int is_usable(const osvm_run *run, const huller *u, int i) {
  return !isnan(osvm_run_target(run, u->machine->index, i)) && osvm_run_weight(run, i) > 0;
}

static osvm_status initialise(osvm_run *run, huller *u) {
  const params *p = (const params *)run->params;
  const int absent[2] = {!u->s->present[0], !u->s->present[1]};
  int added[2] = {0, 0};
  u->s->initialised = 1;
  for (int i = run->first; i < run->end; i++) {
    const int side = osvm_run_target(run, u->machine->index, i) < 0;
    if (!absent[side] || added[side] >= p->start || !is_usable(run, u, i)) continue;
    int slot;
    OSVM_TRY(osvm_sv_set_add(u->set, i, &slot, u->machine->context.error));
    added[side]++;
    u->s->present[side] = 1;
    column(u, side)[slot] = 1;
    column(u, SLACK)[slot] = 1 / (p->C * osvm_run_weight(run, i));
  }
  const osvm_status status = recompute_products(run, u, 0);
  for (int side = 0; side < 2 && status == OSVM_INTERRUPTED; side++) /* nothing has been learned */
    if (absent[side]) clear_side(u, side, -1), u->s->present[side] = 0;
  return status;
}

/* ---- a visit ---- */

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  huller u = view(run, machine);
  if (!has_both(&u) && !u.s->initialised) OSVM_TRY(initialise(run, &u));
  if (!has_both(&u) || u.h->met || !(x->weight > 0)) return OSVM_OK;
  const int slot = osvm_sv_set_slot(u.set, x->i);
  OSVM_TRY(slot >= 0 ? update_by_support_vector(&u, slot) : update_by_example(run, &u, x));
  if (slot < 0 && !u.h->met) {
    const int drawn = osvm_sv_set_draw(u.set, u.h->seed, machine->expansion.steps, machine->index);
    OSVM_TRY(update_by_support_vector(&u, drawn));
  }
  machine->expansion.steps += 1;
  u.h->updates += 1;
  machine->context.work += 4.0 * u.set->n;
  return OSVM_OK;
}

static osvm_status end_epoch(osvm_run *run, osvm_machine *machine) {
  huller u = view(run, machine);
  return !u.h->met && u.h->updates >= u.set->count ? recompute_products(run, &u, 1) : OSVM_OK;
}

/* ---- state ---- */

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  huller u = view(run, machine);
  u.s->scale[0] = u.s->scale[1] = 1;
  u.h->seed = run->seed;
  return OSVM_OK;
}

static osvm_status restore(osvm_run *run, osvm_machine *machine) {
  huller u = view(run, machine);
  for (int s = 0; s < u.set->n; s++) {
    if (u.set->shared_slot[s] < 0) continue;
    const int side = osvm_run_target(run, machine->index, osvm_sv_set_example(u.set, s)) < 0;
    column(&u, side)[s] = fabs(column(&u, ALPHA)[s]);
    u.s->present[side] = 1;
  }
  if (u.set->count == 0) u.h->met = 0;
  return OSVM_OK;
}

/* The gap as in SMO, over the support vectors, which are all in I_up and in I_low: the range of g_i = y_i - f(x_i) by the
 * outputs last computed. Quadratic slack is part of the kernel. */
static double kkt_gap(const huller *u, double unit) {
  const double *output = column(u, OUTPUT);
  double gmax = -INFINITY, gmin = INFINITY;
  for (int s = 0; s < u->set->n; s++) {
    if (u->set->shared_slot[s] < 0) continue;
    const double y = side_of(u, s) ? -1 : 1, g = y - y * output[s] * unit;
    gmax = fmax(gmax, g);
    gmin = fmin(gmin, g);
  }
  return gmax > gmin ? gmax - gmin : 0;
}

/* w = (X_P - X_N) 2 / D: the dual objective |w|^2 / 2 - sum |a_i| is 2 / D - 4 / D. A class that is alone has f = +-1. */
static void result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept) {
  huller u = view(run, machine);
  const double D = fmax(distance(u.h), no_distance(&u)), unit = D > 0 && has_both(&u) ? 2 / D : 0;
  for (int s = 0; s < u.set->n; s++) {
    if (u.set->shared_slot[s] < 0) continue;
    const int side = side_of(&u, s);
    const double alpha = (side == 0 ? 1 : -1) * u.s->scale[side] * column(&u, side)[s];
    column(&u, ALPHA)[s] = alpha;
    coef[osvm_sv_set_example(u.set, s)] = alpha * unit;
  }
  *intercept = has_both(&u) ? (u.h->square[1] - u.h->square[0]) * unit / 2 : u.s->present[0] - u.s->present[1];
  const int soft = isfinite(((const params *)run->params)->C) || !has_both(&u);
  const int separable = !u.h->met && (u.h->wrong <= FEW_WRONG || soft);
  machine->convergence = (osvm_convergence){machine->expansion.steps, kkt_gap(&u, unit), -unit, separable, 0};
}

const osvm_solver osvm_solver_huller = {
    .title = "Huller",
    .summary = "hard margin, or quadratic slack, by the nearest points of the convex hulls",
    .paper = "Bordes & Bottou (2005), Figs 3 and 4",
    .space = "both",
    .params = declared,
    .dual = 1,
    .state_size = sizeof(scales),
    .columns = columns,
    .n_columns = COLUMNS,
    .scalars = scalars,
    .open = open,
    .restore = restore,
    .learn = learn,
    .end_epoch = end_epoch,
    .result = result};
