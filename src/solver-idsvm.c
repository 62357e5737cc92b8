/* IDSVM: the soft-margin machine with bias, exact after every example, learned or unlearned.
 *
 * Problem   solver-smo.c's: signed coefficients b_i between 0 and y_i C_i, sum b_i = 0, errors e_i = y_i - f(x_i)
 * Rule      every example is in one of three sets: margin (e = 0), error (at C, y e >= 0), reserve (b = 0, y e <= 0). A new
 *           one, or one to be forgotten, is the candidate c: its b moves, and bias and margin coefficients move along so
 *           that the margin's errors stay 0,
 *             d(bias, b_S) = beta db_c,  beta = -M (1, k_Sc),  M the inverse of (0 1'; 1 K_SS),
 *             de_i = -gamma_i db_c,  gamma_i = k_ic + sum_j beta_j k_ij + beta_0,
 *           as far as the first event: a margin coefficient meets a bound, an error meets 0, or c is where it belongs.
 *           Then the sets change, M follows by a rank-one step, and it goes on. With an empty margin the bias moves alone.
 * State     sets, coefficients and errors by slot; M. All examples are kept
 * Cost      per event: the kernel rows of the margin, each as long as there are examples, and |S|^2 for M
 * Paper     Cauwenberghs & Poggio (2001)
 * Departs   An example that depends linearly on the margin (a duplicate) does not join it. M is built anew where its
 *           products show rounding. Between bounds only, the bias is the middle of what the conditions allow, as SMO's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core-circle.h"

typedef struct {
  double C, bias;
} rule;
static const char *const params[] = {"C", "bias", NULL};

enum { COEF, ERROR, LABEL, CAP, SET, GAMMA, COLUMNS };
static const osvm_column_kind columns[COLUMNS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
enum { NOWHERE, MARGIN, ERRING, RESERVE };

enum { STEPS, BIAS, TALLIES };
enum { GOING_COEF, GOING_ERROR, GOING_CAP, GOING_SET, DEPTH }; /* cap with the label's sign */

static const double DEPENDENT = 1e-10; /* relative to k(x, x) */
static const double ROUNDING = 1e-8;   /* of gamma on the margin, relative to the largest kernel value there */
static const double SETTLED = 1e-11;   /* an error so small is 0 */
static const double HAIR = 1e-9;

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_circle *circle;
  int biased; /* does M have a row for the bias? */
  int size, room, *margin;
  double *inverse;       /* M, (1 + room) x (1 + room); place 0 is the bias, all 0 without */
  double *beta, *kernel; /* 1 + room each */
  double bias, scale;    /* scale: the largest k(x, x) so far */
  int troubled;          /* a candidate had to be left where it was */
} idsvm;

static double *column(const idsvm *s, int k) { return osvm_circle_doubles(s->circle, k); }
static double low(const idsvm *s, int k) { return column(s, LABEL)[k] < 0 ? -column(s, CAP)[k] : 0; }
static double high(const idsvm *s, int k) { return column(s, LABEL)[k] > 0 ? column(s, CAP)[k] : 0; }
static double *entry(const idsvm *s, int i, int j) { return s->inverse + (size_t)i * (s->room + 1) + j; }

static double self(const idsvm *s, int slot) {
  return osvm_kernel_self(&s->run->task->kernel, s->circle->pool->store.norm[s->circle->member[slot]]);
}

/* ---- M ---- */

static osvm_status make_room(idsvm *s) {
  if (s->size < s->room) return OSVM_OK;
  const int room = 2 * s->room + 16;
  double *inverse = calloc((size_t)(room + 1) * (room + 1), sizeof(double));
  if (inverse == NULL) return osvm_no_memory(s->run->error);
  for (int i = 0; i <= s->size && s->inverse != NULL; i++)
    memcpy(inverse + (size_t)i * (room + 1), entry(s, i, 0), (s->size + 1) * sizeof(double));
  free(s->inverse);
  s->inverse = inverse;
  osvm_status status = osvm_resize(&s->margin, room, sizeof(int), s->run->error);
  if (status == OSVM_OK) status = osvm_resize(&s->beta, room + 1, sizeof(double), s->run->error);
  if (status == OSVM_OK) status = osvm_resize(&s->kernel, room + 1, sizeof(double), s->run->error);
  s->room = room;
  return status;
}

/* beta of the example whose kernel values with the margin are s->kernel[1 ..], and its own gamma. */
static double solve_beta(idsvm *s, double own) {
  double gamma = own;
  s->kernel[0] = s->biased;
  for (int i = 0; i <= s->size; i++) {
    double sum = 0;
    for (int j = 0; j <= s->size; j++) sum += *entry(s, i, j) * s->kernel[j];
    s->beta[i] = -sum;
  }
  for (int i = 0; i <= s->size; i++) gamma += s->beta[i] * s->kernel[i];
  return gamma;
}

static osvm_status kernel_with_margin(idsvm *s, int slot) {
  const void *row;
  osvm_status status = osvm_circle_row(s->circle, slot, &row, s->run->error);
  for (int j = 0; j < s->size && status == OSVM_OK; j++) s->kernel[j + 1] = ((const double *)row)[s->margin[j]];
  return status;
}

/* The example joins the margin, unless it depends on it. An empty margin with bias: (0 1; 1 k)^-1 = (-k 1; 1 0). */
static osvm_status expand(idsvm *s, int slot, int *joined) {
  osvm_status status = make_room(s);
  if (status == OSVM_OK) status = kernel_with_margin(s, slot);
  if (status != OSVM_OK) return status;
  const int n = s->size, next = n + 1;
  const double own = self(s, slot), first = s->biased && n == 0;
  const double gamma = first ? 1 : solve_beta(s, own);
  *joined = first || gamma > DEPENDENT * fmax(s->scale, own);
  if (!*joined) return OSVM_OK;
  if (first) {
    *entry(s, 0, 0) = -own;
    *entry(s, 0, 1) = *entry(s, 1, 0) = 1;
    *entry(s, 1, 1) = 0;
  } else {
    for (int i = 0; i <= n; i++) {
      for (int j = 0; j <= n; j++) *entry(s, i, j) += s->beta[i] * s->beta[j] / gamma;
      *entry(s, i, next) = *entry(s, next, i) = s->beta[i] / gamma;
    }
    *entry(s, next, next) = 1 / gamma;
  }
  s->margin[s->size++] = slot;
  column(s, SET)[slot] = MARGIN;
  column(s, ERROR)[slot] = 0;
  return OSVM_OK;
}

/* The margin's k-th leaves it; the last takes its place. */
static void contract(idsvm *s, int k) {
  const int gone = k + 1, last = s->size;
  s->size--;
  if (s->size == 0) {
    memset(s->inverse, 0, (size_t)(s->room + 1) * (s->room + 1) * sizeof(double));
    return;
  }
  const double pivot = *entry(s, gone, gone);
  for (int i = 0; i <= last; i++) {
    if (i == gone || pivot == 0) continue;
    for (int j = 0; j <= last; j++)
      if (j != gone) *entry(s, i, j) -= *entry(s, i, gone) * *entry(s, gone, j) / pivot;
  }
  for (int i = 0; i <= last; i++) *entry(s, i, gone) = *entry(s, i, last);
  for (int j = 0; j <= last; j++) *entry(s, gone, j) = *entry(s, last, j);
  s->margin[k] = s->margin[last - 1];
}

static void put_at_bound(idsvm *s, int slot) {
  double *b = column(s, COEF);
  const double to_low = b[slot] - low(s, slot), to_high = high(s, slot) - b[slot];
  b[slot] = to_low <= to_high ? low(s, slot) : high(s, slot);
  column(s, SET)[slot] = b[slot] == 0 ? RESERVE : ERRING;
}

/* From the margin alone, one by one. */
static osvm_status rebuild(idsvm *s) {
  const int count = s->size;
  osvm_status status = OSVM_OK;
  int *before = malloc(((size_t)count + 1) * sizeof(int));
  if (before == NULL) return osvm_no_memory(s->run->error);
  memcpy(before, s->margin, count * sizeof(int));
  s->size = 0;
  memset(s->inverse, 0, (size_t)(s->room + 1) * (s->room + 1) * sizeof(double));
  for (int k = 0; k < count && status == OSVM_OK; k++) {
    int joined;
    status = expand(s, before[k], &joined);
    if (status == OSVM_OK && !joined) put_at_bound(s, before[k]);
  }
  free(before);
  return status;
}

/* ---- how everything moves with the candidate ---- */

static osvm_status sensitivities(idsvm *s, int c, int *accurate) {
  const osvm_simd *simd = s->run->store.simd;
  double *gamma = column(s, GAMMA);
  *accurate = 1;
  if (s->size == 0 && s->biased) {
    for (int i = 0; i < s->circle->n; i++) gamma[i] = 1;
    return OSVM_OK;
  }
  osvm_status status = make_room(s);
  if (status == OSVM_OK) status = kernel_with_margin(s, c);
  const void *row;
  if (status == OSVM_OK) status = osvm_circle_row(s->circle, c, &row, s->run->error);
  if (status != OSVM_OK) return status;
  solve_beta(s, 0);
  for (int i = 0; i < s->circle->n; i++) gamma[i] = s->beta[0] * s->biased + ((const double *)row)[i];
  for (int j = 0; j < s->size && status == OSVM_OK; j++) {
    status = osvm_circle_row(s->circle, s->margin[j], &row, s->run->error);
    if (status == OSVM_OK) simd->add(row, s->circle->n, s->beta[j + 1], gamma);
  }
  for (int j = 0; j < s->size; j++) *accurate &= fabs(gamma[s->margin[j]]) <= ROUNDING * s->scale;
  s->run->worked += 2.0 * s->circle->n * (s->size + 1);
  return status;
}

typedef enum { ARRIVED, SETTLES, LEAVES, JOINS, NOTHING } event_kind;
typedef struct {
  event_kind kind;
  int who; /* LEAVES: its place in the margin; JOINS: its slot */
  double t;
} event;

static void earlier(event *first, event_kind kind, int who, double t) {
  if (t >= first->t) return;
  *first = (event){kind, who, t > 0 ? t : 0};
}

/* The first event while b_c moves by t in direction d towards target; alone: the bias moves instead. */
static event first_event(const idsvm *s, int c, double d, double target, int learning) {
  const double *b = column(s, COEF), *e = column(s, ERROR), *y = column(s, LABEL), *set = column(s, SET),
               *gamma = column(s, GAMMA);
  const int alone = s->size == 0 && s->biased;
  const double slow = 1e-13 * fmax(s->scale, 1);
  event first = {NOTHING, -1, INFINITY};
  if (!alone) earlier(&first, ARRIVED, c, fabs(target - b[c]));
  if (learning && gamma[c] > 2 * DEPENDENT * s->scale) earlier(&first, SETTLES, c, y[c] * e[c] / gamma[c]);
  for (int j = 0; j < s->size; j++) {
    const int i = s->margin[j];
    const double rate = s->beta[j + 1] * d;
    if (rate > slow) earlier(&first, LEAVES, j, (high(s, i) - b[i]) / rate);
    if (rate < -slow) earlier(&first, LEAVES, j, (low(s, i) - b[i]) / rate);
  }
  for (int i = 0; i < s->circle->n; i++) {
    if (i == c || (set[i] != ERRING && set[i] != RESERVE)) continue;
    const double rate = -y[i] * gamma[i] * d, now = y[i] * e[i];
    if (set[i] == ERRING ? rate < -slow : rate > slow) earlier(&first, JOINS, i, -now / rate);
  }
  return first;
}

static void advance(idsvm *s, int c, double change) {
  double *b = column(s, COEF), *e = column(s, ERROR);
  const double *gamma = column(s, GAMMA);
  const int alone = s->size == 0 && s->biased;
  for (int i = 0; i < s->circle->n; i++) e[i] -= gamma[i] * change;
  for (int j = 0; j < s->size; j++) {
    b[s->margin[j]] += s->beta[j + 1] * change;
    e[s->margin[j]] = 0;
  }
  if (alone) s->bias += change;
  else b[c] += change;
  if (!alone && s->biased) s->bias += s->beta[0] * change;
  s->machine->updates += 1;
}

static osvm_status happen(idsvm *s, const event *now, int c, double target, int *done) {
  double *b = column(s, COEF);
  int joined;
  osvm_status status = OSVM_OK;
  switch (now->kind) {
  case ARRIVED:
    b[c] = target;
    column(s, SET)[c] = target == 0 ? RESERVE : ERRING;
    *done = 1;
    break;
  case SETTLES:
    status = expand(s, c, &joined);
    if (status == OSVM_OK && !joined) put_at_bound(s, c);
    *done = 1;
    break;
  case LEAVES: {
    const int slot = s->margin[now->who];
    put_at_bound(s, slot);
    contract(s, now->who);
    break;
  }
  case JOINS:
    status = expand(s, now->who, &joined);
    /* One that depends on the margin cannot go far while the margin stays: it is put a hair to its own side. */
    if (status == OSVM_OK && !joined)
      column(s, ERROR)[now->who] = (column(s, SET)[now->who] == ERRING ? HAIR : -HAIR) * column(s, LABEL)[now->who];
    break;
  case NOTHING: *done = 1; break;
  }
  return status;
}

/* The candidate's coefficient to target, or, learning, to where its error is 0. */
static osvm_status move(idsvm *s, int c, double target, int learning) {
  const double d = learning ? column(s, LABEL)[c] : (target > column(s, COEF)[c] ? 1 : -1);
  const double most = 100.0 * (s->circle->n + 100);
  int done = 0, accurate, rebuilt = 0;
  osvm_status status = OSVM_OK;
  for (double steps = 0; !done && status == OSVM_OK; steps++) {
    if (osvm_run_stopped(s->run, 0)) return OSVM_INTERRUPTED;
    status = sensitivities(s, c, &accurate);
    if (status == OSVM_OK && !accurate && !rebuilt) {
      rebuilt = 1;
      status = rebuild(s);
      continue;
    }
    rebuilt = 0;
    if (status != OSVM_OK) break;
    const event now = first_event(s, c, d, target, learning);
    if (now.kind == NOTHING || steps > most || !isfinite(now.t)) {
      s->troubled = 1;
      column(s, SET)[c] = column(s, COEF)[c] == 0 ? RESERVE : ERRING;
      break;
    }
    advance(s, c, d * now.t);
    status = happen(s, &now, c, target, &done);
  }
  return status;
}

static osvm_status learn_slot(idsvm *s, int c) {
  const double y = column(s, LABEL)[c];
  if (y * column(s, ERROR)[c] <= SETTLED) {
    column(s, SET)[c] = RESERVE;
    return OSVM_OK;
  }
  return move(s, c, y * column(s, CAP)[c], 1);
}

static osvm_status unlearn_slot(idsvm *s, int c) {
  for (int k = 0; k < s->size; k++)
    if (s->margin[k] == c) contract(s, k);
  column(s, SET)[c] = NOWHERE;
  return column(s, COEF)[c] == 0 ? OSVM_OK : move(s, c, 0, 0);
}

/* ---- the solver's slots ---- */

static osvm_status start(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    idsvm *s = run->machine[m].memory = calloc(1, sizeof *s);
    if (s == NULL) return osvm_no_memory(run->error);
    s->run = run;
    s->machine = &run->machine[m];
    s->circle = &run->circle[m];
    s->biased = ((const rule *)run->rule)->bias != 0;
    osvm_status status = make_room(s);
    if (status != OSVM_OK) return status;
  }
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  idsvm *s = machine->memory;
  const void *row;
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  osvm_status status = osvm_circle_fresh(s->circle, run->next, run->nexts, &row, run->error);
  if (status != OSVM_OK) return status;
  const double f = run->store.simd->weigh(row, s->circle->n, column(s, COEF)) + s->bias;
  status = osvm_circle_insert(s->circle, x->i, &slot, run->error);
  if (status != OSVM_OK) return status;
  osvm_machine_count(machine, x->y * f, x->y * f < 1, 0);
  machine->expansion.steps += 1;
  column(s, LABEL)[slot] = x->y;
  column(s, CAP)[slot] = ((const rule *)run->rule)->C * x->weight;
  column(s, ERROR)[slot] = x->y - f;
  s->scale = fmax(s->scale, fabs(self(s, slot)));
  return learn_slot(s, slot);
}

static osvm_status forget(osvm_run *run, osvm_machine *machine, int i) {
  idsvm *s = machine->memory;
  const int slot = osvm_circle_slot(s->circle, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  osvm_status status = unlearn_slot(s, slot);
  if (status == OSVM_OK) osvm_circle_remove(s->circle, slot);
  return status;
}

/* Unlearned, looked at, and learned again: the optimum is where it was. */
static osvm_status leave_out(osvm_run *run, osvm_machine *machine, int i, double *output) {
  idsvm *s = machine->memory;
  const int slot = osvm_circle_slot(s->circle, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  const int moves = column(s, COEF)[slot] != 0;
  osvm_status status = moves ? unlearn_slot(s, slot) : OSVM_OK;
  *output = column(s, LABEL)[slot] - column(s, ERROR)[slot];
  if (status == OSVM_OK && moves) status = learn_slot(s, slot);
  return status;
}

static osvm_status import(osvm_run *run, const osvm_model *model) {
  osvm_status status = OSVM_OK;
  for (int m = 0; m < model->machines; m++) {
    idsvm *s = run->machine[m].memory;
    for (int j = 0; j < model->size && status == OSVM_OK; j++) {
      const double cap = *osvm_model_going(model, m, GOING_CAP, j);
      if (cap == 0) continue;
      int slot;
      status = osvm_circle_seat(s->circle, j, &slot, run->error);
      if (status != OSVM_OK) return status;
      column(s, CAP)[slot] = fabs(cap);
      column(s, LABEL)[slot] = cap > 0 ? 1 : -1;
      column(s, COEF)[slot] = *osvm_model_going(model, m, GOING_COEF, j);
      column(s, ERROR)[slot] = *osvm_model_going(model, m, GOING_ERROR, j);
      column(s, SET)[slot] = *osvm_model_going(model, m, GOING_SET, j);
      s->scale = fmax(s->scale, fabs(self(s, slot)));
      if (column(s, SET)[slot] != MARGIN) continue;
      status = make_room(s);
      if (status == OSVM_OK) s->margin[s->size++] = slot;
    }
    s->machine->expansion.steps = model->tally[m * TALLIES + STEPS];
    s->bias = model->tally[m * TALLIES + BIAS];
    if (status == OSVM_OK) status = rebuild(s);
  }
  return status;
}

/* As SMO has it where no coefficient is between its bounds. */
static double middle_bias(const idsvm *s) {
  const double *b = column(s, COEF), *e = column(s, ERROR);
  double highest = -INFINITY, lowest = INFINITY;
  for (int k = 0; k < s->circle->n; k++) {
    if (s->circle->member[k] < 0) continue;
    const int rises = b[k] < high(s, k), falls = b[k] > low(s, k);
    if (rises && falls) return s->bias;
    if (rises) highest = fmax(highest, e[k]);
    if (falls) lowest = fmin(lowest, e[k]);
  }
  return isfinite(highest) && isfinite(lowest) ? s->bias + (highest + lowest) / 2 : s->bias;
}

static osvm_status export(osvm_run *run, osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    const idsvm *s = run->machine[m].memory;
    const double *b = column(s, COEF), *e = column(s, ERROR), *y = column(s, LABEL);
    double objective = 0, worst = 0;
    for (int k = 0; k < s->circle->n; k++) {
      if (s->circle->member[k] < 0) continue;
      const int i = s->circle->pool->who[s->circle->member[k]];
      const double set = column(s, SET)[k];
      *osvm_model_going(model, m, GOING_COEF, i) = model->coef[(size_t)m * model->size + i] = b[k];
      *osvm_model_going(model, m, GOING_ERROR, i) = e[k];
      *osvm_model_going(model, m, GOING_CAP, i) = y[k] * column(s, CAP)[k];
      *osvm_model_going(model, m, GOING_SET, i) = set;
      objective -= b[k] * (e[k] + s->bias + y[k]) / 2;
      worst = fmax(worst, set == RESERVE ? y[k] * e[k] : set == ERRING ? -y[k] * e[k] : fabs(e[k]));
    }
    model->intercept[m] = s->biased ? middle_bias(s) : 0;
    model->tally[m * TALLIES + STEPS] = s->machine->expansion.steps;
    model->tally[m * TALLIES + BIAS] = s->bias;
    s->machine->convergence = (osvm_convergence){s->machine->expansion.steps, worst, objective, !s->troubled};
  }
  osvm_run_export_members(run, model);
  return OSVM_OK;
}

static void close(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    idsvm *s = run->machine[m].memory;
    if (s == NULL) continue;
    free(s->margin);
    free(s->inverse);
    free(s->beta);
    free(s->kernel);
  }
}

const osvm_solver osvm_solver_idsvm = {.params = params,
                                       .dual = 1,
                                       .exact = 1,
                                       .columns = columns,
                                       .n_columns = COLUMNS,
                                       .depth = DEPTH,
                                       .tallies = TALLIES,
                                       .start = start,
                                       .learn = learn,
                                       .forget = forget,
                                       .leave_out = leave_out,
                                       .import = import,
                                       .export = export,
                                       .close = close};
