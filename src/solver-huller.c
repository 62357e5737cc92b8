/* The Huller: two points, one in the hull of each class, that approach each other one example at a time.
 *
 * Problem   min over alpha of |X_P - X_N|^2,  X_P = sum over the positive of alpha_i x_i, alpha >= 0, summing to 1, and X_N
 *           likewise: the hard-margin machine with bias. C < Inf: quadratic slack, k(x_i, x_i) is larger by 1/C
 * Rule      UPDATE(k), for k of class P (N likewise): X_P moves along the line to x_k,
 *             lambda = (PP - NP - X_P x_k + X_N x_k) / (PP + k_kk - 2 X_P x_k), clipped to [-alpha_k/(1 - alpha_k), 1],
 *             alpha_i *= 1 - lambda for all i of P, alpha_k += lambda, and PP, NP follow by (7)
 *           A visit offers the example and then a support vector drawn at random; if the example is a support vector
 *           already, the visit offers just that one.
 *           f(x) = ((X_P - X_N) x + (NN - PP)/2) / (D/2), D = PP - 2 NP + NN, which puts the margin at +-1
 * State     alpha by class, each in units of its scale; PP, NP, NN, recomputed at the end of every epoch
 * Cost      an offer: kernel values with the support vectors, for support vectors mostly kept from when they came
 * Paper     Bordes & Bottou (2005), Figs 3 and 4, (3)-(8)
 * Departs   an example's weight multiplies its C. Where the hulls meet, D is down to rounding, a machine stops learning;
 *           well before that many support vectors are on the wrong side of the boundary, which none is at the solution.
 *           The paper skips visits to support vectors: where most examples are, it would hardly move (sonar: 2.8 % from the
 *           hard-margin solution after 40 epochs, 0.1 % with these offers). After fewer offers than there are support
 *           vectors (short updates) PP, NP, NN are not recomputed. */
#include <math.h>
#include <stdlib.h>

#include "solver.h"

typedef struct {
  double C, start;
} rule;
static const char *const params[] = {"C", "start", NULL};

enum { POSITIVE, NEGATIVE, SLACK, OUTPUT, COLUMNS };
static const osvm_column_kind columns[COLUMNS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};

enum { STEPS, CROSS, SQUARE, SQUARE_NEGATIVE, OFFERS, MET, WRONG, SEED, TALLIES };
enum { ALPHA, INVERSE_C, DEPTH };

static const double FEW_WRONG = 0.1; /* after one epoch on classes that can be separated it is below a twentieth */

typedef struct {
  double square[2], cross; /* PP and NN, NP */
  double scale[2];         /* alpha = scale * column */
  double offers;           /* since the three were last computed ... */
  double wrong;            /* ... and the share of support vectors that were then on the other side */
  double seed;
  int met, looked;
} hulls;

typedef struct {
  int slot, side; /* slot: -1 for an example from outside */
  double own, other, self, alpha;
} offer;

static double distance(const hulls *h) { return h->square[0] - 2 * h->cross + h->square[1]; }

static double rounding(const osvm_sv_set *c) { return c->shared->store.simd->size == sizeof(float) ? 1e-6 : 1e-10; }

/* What rounding leaves of a distance of 0. */
static double no_distance(const hulls *h, const osvm_sv_set *c) {
  return rounding(c) * (fabs(h->square[0]) + fabs(h->square[1]));
}

static void note_meeting(hulls *h, const osvm_sv_set *c) { h->met = !(distance(h) > no_distance(h, c)); }

static int side_of(const osvm_sv_set *c, int slot) { return osvm_sv_set_doubles(c, POSITIVE)[slot] == 0; }

/* ---- the three products ---- */

/* Alpha to its own units, and to a sum of exactly 1. */
static void rebase(hulls *h, osvm_sv_set *c) {
  for (int side = 0; side < 2; side++) {
    double *alpha = osvm_sv_set_doubles(c, side), sum = 0;
    for (int s = 0; s < c->n; s++) sum += alpha[s];
    for (int s = 0; s < c->n && sum > 0; s++) alpha[s] /= sum;
    h->scale[side] = 1;
  }
}

/* Their outputs are there, each seen from its own side, and without the bias. */
static void count_wrong(hulls *h, const osvm_sv_set *c) {
  const double *output = osvm_sv_set_doubles(c, OUTPUT), bias = (h->square[1] - h->square[0]) / 2;
  double wrong = 0;
  for (int s = 0; s < c->n; s++) wrong += c->member[s] >= 0 && output[s] + (side_of(c, s) ? -bias : bias) <= 0;
  h->wrong = c->count > 0 ? wrong / c->count : 0;
}

static osvm_status measure(osvm_run *run, hulls *h, osvm_sv_set *c, double done) {
  const double *slack = osvm_sv_set_doubles(c, SLACK);
  double *output = osvm_sv_set_doubles(c, OUTPUT), square[2] = {0, 0}, cross = 0;
  rebase(h, c);
  for (int s = 0; s < c->n; s++) {
    if (c->member[s] < 0) continue;
    if (osvm_run_stopped(run, done)) return OSVM_INTERRUPTED;
    const void *row;
    osvm_status status = osvm_sv_set_row(c, s, &row, run->error);
    if (status != OSVM_OK) return status;
    run->work += 2.0 * c->n;
    const int side = side_of(c, s);
    const double *mine = osvm_sv_set_doubles(c, side), alpha = mine[s];
    const double own = run->store.simd->weigh(row, c->n, mine) + alpha * slack[s],
                 other = run->store.simd->weigh(row, c->n, osvm_sv_set_doubles(c, !side));
    square[side] += alpha * own;
    if (side == 0) cross += alpha * other;
    output[s] = own - other;
  }
  h->square[0] = square[0];
  h->square[1] = square[1];
  h->cross = cross;
  h->offers = 0;
  count_wrong(h, c);
  note_meeting(h, c);
  return OSVM_OK;
}

/* ---- UPDATE ---- */

static void weigh(const hulls *h, const osvm_sv_set *c, const void *row, offer *o) {
  const osvm_simd *simd = c->shared->store.simd;
  o->own = h->scale[o->side] * simd->weigh(row, c->n, osvm_sv_set_doubles(c, o->side));
  o->other = h->scale[!o->side] * simd->weigh(row, c->n, osvm_sv_set_doubles(c, !o->side));
}

static double least_lambda(const offer *o) { return -o->alpha / (1 - o->alpha); }

static double best_lambda(const hulls *h, const osvm_sv_set *c, const offer *o) {
  const double square = h->square[o->side], length = square + o->self - 2 * o->own;
  if (o->alpha >= 1 - rounding(c)) return 0; /* alone, X_P = x_k */
  if (!(length > rounding(c) * 1e-2 * (fabs(square) + fabs(o->self)))) return 0;
  const double free = (square - h->cross - o->own + o->other) / length;
  return fmin(1, fmax(least_lambda(o), free));
}

/* In the pool's order, which does not depend on slots: the order that remains must not either. */
static void clear_side(osvm_sv_set *c, int side, int but) {
  const osvm_shared_sv *pool = c->shared;
  for (int k = pool->count - 1; k >= 0; k--) {
    const int s = osvm_sv_set_slot(c, pool->who[pool->live[k]]);
    if (s >= 0 && s != but && osvm_sv_set_doubles(c, side)[s] != 0) osvm_sv_set_remove(c, s);
  }
}

/* The example has its slot by now. */
static void move(hulls *h, osvm_sv_set *c, const offer *o, double lambda) {
  double *alpha = osvm_sv_set_doubles(c, o->side), *square = &h->square[o->side], *scale = &h->scale[o->side];
  const double rest = 1 - lambda;
  *square = rest * rest * *square + 2 * lambda * rest * o->own + lambda * lambda * o->self;
  h->cross = rest * h->cross + lambda * o->other;
  if (lambda == 1) {
    clear_side(c, o->side, o->slot);
    *scale = alpha[o->slot] = 1;
  } else {
    *scale *= rest;
    alpha[o->slot] += lambda / *scale;
    /* At the lower bound, or there but for rounding */
    if (lambda == least_lambda(o) || !(alpha[o->slot] > 0)) osvm_sv_set_remove(c, o->slot);
  }
  if (!(*scale > 1e-50 && *scale < 1e50)) rebase(h, c);
  note_meeting(h, c);
}

/* ---- the start: the first few of each class, all alike ---- */

static osvm_status begin(osvm_run *run, int m, hulls *h, osvm_sv_set *c) {
  const rule *r = (const rule *)run->rule;
  const osvm_task *task = run->task;
  int count[2] = {0, 0};
  osvm_status status = OSVM_OK;
  h->looked = 1;
  for (int p = 0; p < task->count; p++) {
    const double y = osvm_run_label(run, m, p);
    if (y != 0 && task->weight[p] > 0) count[y < 0]++;
  }
  if (count[0] == 0 || count[1] == 0) return OSVM_OK;
  int seated[2] = {0, 0};
  for (int p = 0; p < task->count; p++) {
    const double y = osvm_run_label(run, m, p);
    const int side = y < 0;
    if (y == 0 || !(task->weight[p] > 0) || seated[side] >= r->start) continue;
    int slot;
    status = osvm_sv_set_add(c, run->first + p, &slot, run->error);
    if (status != OSVM_OK) return status;
    seated[side]++;
    osvm_sv_set_doubles(c, side)[slot] = 1;
    osvm_sv_set_doubles(c, SLACK)[slot] = 1 / (r->C * task->weight[p]);
  }
  status = measure(run, h, c, 0);
  if (status == OSVM_INTERRUPTED) { /* nothing has been learned */
    clear_side(c, POSITIVE, -1);
    clear_side(c, NEGATIVE, -1);
  }
  return status;
}

/* ---- a visit ---- */

static osvm_status offer_example(osvm_run *run, osvm_machine *machine, const osvm_example *x, hulls *h,
                                 osvm_sv_set *c) {
  const double slack = 1 / (((const rule *)run->rule)->C * x->weight);
  const void *row;
  osvm_status status = osvm_sv_set_candidate_row(c, run->next, run->n_upcoming, &row, run->error);
  if (status != OSVM_OK) return status;
  offer o = {.slot = -1, .side = x->y < 0};
  weigh(h, c, row, &o);
  o.self = osvm_kernel_self(&run->task->kernel, run->store.norm[x->i]) + slack;
  const double lambda = best_lambda(h, c, &o);
  const double output = (o.own - o.other) * x->y + (h->square[1] - h->square[0]) / 2;
  osvm_machine_count(machine, x->y * output / (distance(h) / 2), lambda > 0, lambda > 0);
  if (!(lambda > 0)) return OSVM_OK;
  status = osvm_sv_set_insert(c, x->i, &o.slot, run->error);
  if (status != OSVM_OK) return status;
  osvm_sv_set_doubles(c, SLACK)[o.slot] = slack;
  move(h, c, &o, lambda);
  return OSVM_OK;
}

static osvm_status offer_member(osvm_run *run, osvm_machine *machine, hulls *h, osvm_sv_set *c, int slot) {
  const void *row;
  osvm_status status = osvm_sv_set_row(c, slot, &row, run->error);
  if (status != OSVM_OK) return status;
  const double slack = osvm_sv_set_doubles(c, SLACK)[slot];
  offer o = {.slot = slot, .side = side_of(c, slot)};
  o.alpha = h->scale[o.side] * osvm_sv_set_doubles(c, o.side)[slot];
  weigh(h, c, row, &o);
  o.own += o.alpha * slack;
  o.self = osvm_kernel_self(&run->task->kernel, c->shared->store.norm[c->member[slot]]) + slack;
  const double lambda = best_lambda(h, c, &o);
  machine->updates += lambda != 0;
  if (lambda != 0) move(h, c, &o, lambda);
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  const int m = (int)(machine - run->machine);
  osvm_sv_set *c = &run->sv_set[m];
  hulls *h = machine->memory;
  osvm_status status = OSVM_OK;
  if (c->count == 0 && !h->looked) status = begin(run, m, h, c);
  if (status != OSVM_OK || c->count == 0 || h->met || !(x->weight > 0)) return status;
  const int slot = osvm_sv_set_slot(c, x->i);
  if (slot >= 0) {
    status = offer_member(run, machine, h, c, slot);
  } else {
    status = offer_example(run, machine, x, h, c);
    if (status == OSVM_OK && !h->met)
      status = offer_member(run, machine, h, c, osvm_sv_set_draw(c, h->seed, machine->expansion.steps, m));
  }
  machine->expansion.steps += 1;
  h->offers += 1;
  run->work += 4.0 * c->n;
  return status;
}

static osvm_status end_epoch(osvm_run *run) {
  osvm_status status = OSVM_OK;
  for (int m = 0; m < run->task->machines && status == OSVM_OK; m++) {
    hulls *h = run->machine[m].memory;
    if (!h->met && h->offers >= run->sv_set[m].count) status = measure(run, h, &run->sv_set[m], 1);
  }
  return status;
}

/* ---- from one run to the next ---- */

static osvm_status start(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    hulls *h = run->machine[m].memory = calloc(1, sizeof *h);
    if (h == NULL) return osvm_no_memory(run->error);
    h->scale[0] = h->scale[1] = 1;
    h->seed = run->task->seed;
  }
  return OSVM_OK;
}

/* Example by example, so that the pool's order is the model's. */
static osvm_status import(osvm_run *run, const osvm_model *model) {
  for (int j = 0; j < model->size; j++) {
    for (int m = 0; m < model->machines; m++) {
      osvm_sv_set *c = &run->sv_set[m];
      const double alpha = *osvm_model_going(model, m, ALPHA, j);
      if (alpha == 0) continue;
      int slot;
      osvm_status status = osvm_sv_set_add(c, j, &slot, run->error);
      if (status != OSVM_OK) return status;
      osvm_sv_set_doubles(c, alpha < 0)[slot] = fabs(alpha);
      osvm_sv_set_doubles(c, SLACK)[slot] = *osvm_model_going(model, m, INVERSE_C, j);
    }
  }
  for (int m = 0; m < model->machines; m++) {
    hulls *h = run->machine[m].memory;
    const double *tally = model->tally + (size_t)m * TALLIES;
    run->machine[m].expansion.steps = tally[STEPS];
    h->square[0] = tally[SQUARE];
    h->square[1] = tally[SQUARE_NEGATIVE];
    h->cross = tally[CROSS];
    h->offers = tally[OFFERS];
    h->seed = tally[SEED];
    h->wrong = tally[WRONG];
    h->met = run->sv_set[m].count > 0 && tally[MET] != 0;
  }
  return OSVM_OK;
}

static osvm_status export(osvm_run *run, osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    const osvm_sv_set *c = &run->sv_set[m];
    const hulls *h = run->machine[m].memory;
    const double D = fmax(distance(h), no_distance(h, c)), unit = D > 0 ? 2 / D : 0;
    for (int s = 0; s < c->n; s++) {
      if (c->member[s] < 0) continue;
      const int i = c->shared->who[c->member[s]], side = side_of(c, s);
      const double alpha = (side == 0 ? 1 : -1) * h->scale[side] * osvm_sv_set_doubles(c, side)[s];
      *osvm_model_going(model, m, ALPHA, i) = alpha;
      *osvm_model_going(model, m, INVERSE_C, i) = osvm_sv_set_doubles(c, SLACK)[s];
      model->coef[(size_t)m * model->size + i] = alpha * unit;
    }
    model->intercept[m] = (h->square[1] - h->square[0]) * unit / 2;
    double *tally = model->tally + (size_t)m * TALLIES;
    tally[STEPS] = run->machine[m].expansion.steps;
    tally[CROSS] = h->cross;
    tally[SQUARE] = h->square[0];
    tally[SQUARE_NEGATIVE] = h->square[1];
    tally[OFFERS] = h->offers;
    tally[MET] = h->met;
    tally[WRONG] = h->wrong;
    tally[SEED] = h->seed;
    const int apart = !h->met && (h->wrong <= FEW_WRONG || isfinite(((const rule *)run->rule)->C));
    run->machine[m].convergence = (osvm_convergence){tally[STEPS], h->wrong, unit, apart};
  }
  osvm_run_export_support(run, model);
  return OSVM_OK;
}

const osvm_solver osvm_solver_huller = {.params = params,
                                        .dual = 1,
                                        .columns = columns,
                                        .n_columns = COLUMNS,
                                        .depth = DEPTH,
                                        .tallies = TALLIES,
                                        .start = start,
                                        .learn = learn,
                                        .end_epoch = end_epoch,
                                        .import = import,
                                        .export = export};
