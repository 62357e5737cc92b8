/* IDSVM: the soft-margin machine with bias, exact after every example, learned or unlearned.
 *
 * Problem   solver-smo.c's: signed coefficients b_i between 0 and y_i C_i, sum b_i = 0, errors e_i = y_i - f(x_i)
 * Rule      every example is in one of three sets: margin (e = 0), error (at C, y e >= 0), reserve (b = 0, y e <= 0). A new
 *           one, or one to be forgotten, is the candidate c: its b moves, and bias and margin coefficients move along so
 *           that the margin's errors stay 0,
 *             d(bias, b_S) = beta db_c,  beta = -M (1, k_Sc),  M the inverse of A = (0 1'; 1 K_SS),
 *             de_i = -gamma_i db_c,  gamma_i = k_ic + sum_j beta_j k_ij + beta_0,
 *           as far as the first event: a margin coefficient meets a bound, an error meets 0, or c is where it belongs.
 *           Then the sets change, M follows by a rank-one step, and it goes on. With an empty margin the bias moves alone.
 * State     sets, coefficients and errors by slot; A and M. All examples are kept
 * Cost      per event: the kernel rows of the margin, each as long as there are examples, and |S|^2 for M
 * Paper     Cauwenberghs & Poggio (2001)
 * Departs   An example that meets e = 0 but depends linearly on the margin (a duplicate) cannot join it: it becomes the
 *           candidate itself, which moves coefficients and hardly an output, until it is at its other bound or one of the
 *           margin has made room. beta is refined against A, M built anew where that does not help, and errors on the
 *           margin, which rounding moves away from 0, are put right now and then. With all coefficients at bounds the bias
 *           is the middle of what the conditions allow, as SMO's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core-circle.h"
#include "core-margin.h"

typedef struct {
  double C, bias;
} rule;
static const char *const params[] = {"C", "bias", NULL};

enum { COEF, ERROR, LABEL, CAP, SET, GAMMA, COLUMNS };
static const osvm_column_kind columns[COLUMNS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
enum { NOWHERE, MARGIN, ERRING, RESERVE }; /* NOWHERE: on its way */

enum { STEPS, BIAS, TALLIES };
enum { GOING_COEF, GOING_ERROR, GOING_CAP, GOING_SET, DEPTH }; /* cap with the label's sign */

/* Relative to the terms of the sum in question */
static const double STILL = 1e-14;    /* of gamma_i: e_i does not move */
static const double AT_BOUND = 1e-10; /* of b_i, relative to its bound */
static const double SETTLED = 1e-11;  /* an error so small is 0 */
static const double SLACK = 1e-10, SLOW = 1e-6;
static const double BLURRED = 1e-10; /* what rounding may have done to an error */
enum {
  EVENTS = 64,
  DEEPEST = 40
}; /* between two corrections of the margin's errors; candidates waiting for each other */

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_circle *circle;
  osvm_margin margin;               /* by slot; its own is gamma_c */
  double bias, blur, cap;           /* cap: the largest so far */
  int events, troubled, stragglers; /* stragglers: some candidate was left on its way */
} idsvm;

static double *column(const idsvm *s, int k) { return osvm_circle_doubles(s->circle, k); }
static double low(const idsvm *s, int k) { return column(s, LABEL)[k] < 0 ? -column(s, CAP)[k] : 0; }
static double high(const idsvm *s, int k) { return column(s, LABEL)[k] > 0 ? column(s, CAP)[k] : 0; }
static const osvm_simd *simd(const idsvm *s) { return s->run->store.simd; }

static void know(idsvm *s, int slot) {
  const double norm = s->circle->pool->store.norm[s->circle->member[slot]];
  s->margin.scale = fmax(s->margin.scale, fabs(osvm_kernel_self(&s->run->task->kernel, norm)));
  s->cap = fmax(s->cap, column(s, CAP)[slot]);
}

/* The example joins the margin, unless it depends on it. */
static osvm_status expand(idsvm *s, int slot, int *joined) {
  osvm_margin *margin = &s->margin;
  const void *row;
  osvm_status status = osvm_margin_room(margin, s->run->error);
  if (status == OSVM_OK) status = osvm_circle_row(s->circle, slot, &row, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_margin_solve_for(margin, row, slot);
  *joined = !margin->dependent;
  if (margin->dependent) return OSVM_OK;
  osvm_margin_join(margin, slot, ((const double *)row)[slot]);
  s->blur += fabs(column(s, ERROR)[slot]);
  column(s, SET)[slot] = MARGIN;
  column(s, ERROR)[slot] = 0;
  return OSVM_OK;
}

/* ---- how everything moves with the candidate ---- */

static osvm_status sensitivities(idsvm *s, int c) {
  double *gamma = column(s, GAMMA);
  const void *row;
  osvm_status status = osvm_circle_row(s->circle, c, &row, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_margin_solve_for(&s->margin, row, c);
  if (osvm_margin_alone(&s->margin)) {
    for (int i = 0; i < s->circle->n; i++) gamma[i] = 1;
    s->margin.noise = 1;
    return OSVM_OK;
  }
  for (int i = 0; i < s->circle->n; i++) gamma[i] = s->margin.beta[0] + ((const double *)row)[i];
  for (int j = 0; j < s->margin.size && status == OSVM_OK; j++) {
    status = osvm_circle_row(s->circle, s->margin.who[j], &row, s->run->error);
    if (status == OSVM_OK) simd(s)->add(row, s->circle->n, s->margin.beta[j + 1], gamma);
  }
  gamma[c] = s->margin.own;
  s->run->worked += 2.0 * s->circle->n * (s->margin.size + 1);
  return status;
}

typedef enum { ARRIVED, SETTLES, LEAVES, JOINS, NOTHING } event_kind;
typedef struct {
  event_kind kind;
  int who; /* LEAVES: its place in the margin; JOINS: its slot */
  double t;
} event;

static int slot_of(const idsvm *s, const event *e) { return e->kind == LEAVES ? s->margin.who[e->who] : e->who; }

/* Ties go to the lower slot, so that no circle of events without a step closes. */
static void earlier(const idsvm *s, event *first, event_kind kind, int who, double t) {
  const event now = {kind, who, t > 0 ? t : 0};
  if (now.t < first->t || (now.t == first->t && slot_of(s, &now) < slot_of(s, first))) *first = now;
}

/* Errors that meet 0. Many may at once, or seem to by rounding: nobody joins the margin unless somebody would otherwise be
 * beyond by more than a slack, and of those who meet 0 until then the far slower ones can wait. The slack covers what a
 * candidate that counts as dependent may do to its own error. */
static void first_crossing(const idsvm *s, double d, event *first) {
  const double *e = column(s, ERROR), *y = column(s, LABEL), *set = column(s, SET), *gamma = column(s, GAMMA);
  const double slack = SLACK + 10 * osvm_margin_dependent * s->margin.noise * s->cap, still = STILL * s->margin.noise;
  double until = first->t, fast = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < s->circle->n; i++) {
      if (set[i] != ERRING && set[i] != RESERVE) continue;
      const double to = set[i] == ERRING ? -y[i] : y[i], rate = -to * gamma[i] * d, left = -to * e[i];
      if (rate <= still) continue;
      if (pass == 0) {
        if (left + slack < until * rate) until = left + slack > 0 ? (left + slack) / rate : 0;
      } else if (left <= until * rate && rate > SLOW * fast) {
        if (SLOW * rate > fast) *first = (event){NOTHING, -1, INFINITY}; /* those before were slow */
        earlier(s, first, JOINS, i, left / rate);
        fast = rate > fast ? rate : fast;
      }
    }
    if (!(until < first->t)) return;
  }
}

/* The first event while b_c moves by t in direction d; with an empty margin the bias moves instead. */
static event first_event(const idsvm *s, int c, double d, int settles) {
  const double *b = column(s, COEF);
  event first = {NOTHING, -1, INFINITY};
  if (!osvm_margin_alone(&s->margin)) earlier(s, &first, ARRIVED, c, d > 0 ? high(s, c) - b[c] : b[c] - low(s, c));
  if (settles && !s->margin.dependent) earlier(s, &first, SETTLES, c, d * column(s, ERROR)[c] / column(s, GAMMA)[c]);
  for (int j = 0; j < s->margin.size; j++) {
    const int i = s->margin.who[j];
    const double rate = s->margin.beta[j + 1] * d;
    if (rate != 0) earlier(s, &first, LEAVES, j, ((rate > 0 ? high(s, i) : low(s, i)) - b[i]) / rate);
  }
  first_crossing(s, d, &first);
  return first;
}

static void advance(idsvm *s, int c, double change) {
  double *b = column(s, COEF), *e = column(s, ERROR);
  const double *gamma = column(s, GAMMA);
  const int alone = osvm_margin_alone(&s->margin);
  for (int i = 0; i < s->circle->n; i++) e[i] -= gamma[i] * change;
  for (int j = 0; j < s->margin.size; j++) {
    b[s->margin.who[j]] += s->margin.beta[j + 1] * change;
    e[s->margin.who[j]] = 0;
  }
  if (!alone) b[c] += change;
  s->bias += alone ? change : s->margin.beta[0] * change;
  s->machine->updates += 1;
  s->events++;
  s->blur += 1e-16 * s->margin.noise * fabs(change);
}

static void put_at(idsvm *s, int slot, double b) {
  s->blur += s->margin.scale * fabs(b - column(s, COEF)[slot]);
  column(s, COEF)[slot] = b;
  column(s, SET)[slot] = b == 0 ? RESERVE : ERRING;
}

static osvm_status move(idsvm *s, int c, double d, int settles, int depth);

/* M from the margin alone. Whoever turns out to depend on the others becomes a candidate. */
static osvm_status rebuild(idsvm *s, int depth) {
  const int count = s->margin.size;
  osvm_status status = OSVM_OK;
  int *before = malloc(((size_t)count + 1) * sizeof(int)), lost = 0;
  if (before == NULL) return osvm_no_memory(s->run->error);
  memcpy(before, s->margin.who, count * sizeof(int));
  osvm_margin_clear(&s->margin);
  for (int k = 0; k < count && status == OSVM_OK; k++) {
    int joined;
    status = expand(s, before[k], &joined);
    if (status != OSVM_OK || joined) continue;
    column(s, SET)[before[k]] = NOWHERE;
    before[lost++] = before[k];
  }
  for (int k = 0; k < lost && status == OSVM_OK; k++)
    status = move(s, before[k], column(s, LABEL)[before[k]], 1, depth + 1);
  free(before);
  return status;
}

static osvm_status happen(idsvm *s, const event *now, int c, double d, int depth) {
  const int who = slot_of(s, now);
  const double y = column(s, LABEL)[who];
  int joined = 1, erring;
  osvm_status status = OSVM_OK;
  switch (now->kind) {
  case ARRIVED: put_at(s, c, d > 0 ? high(s, c) : low(s, c)); break;
  case SETTLES: status = expand(s, c, &joined); break;
  case LEAVES:
    put_at(s, who, s->margin.beta[now->who + 1] * d > 0 ? high(s, who) : low(s, who));
    osvm_margin_leave(&s->margin, now->who);
    break;
  case JOINS:
    erring = column(s, SET)[who] == ERRING;
    status = expand(s, who, &joined);
    if (status != OSVM_OK || joined) break;
    column(s, SET)[who] = NOWHERE;
    status = move(s, who, erring ? -y : y, 1, depth + 1);
    break;
  case NOTHING: break;
  }
  return status;
}

/* The candidate's coefficient in direction d to its bound or, if it settles, to where its error is 0. */
static osvm_status move(idsvm *s, int c, double d, int settles, int depth) {
  const double most = 100.0 * (s->circle->n + 100);
  int rebuilt = 0;
  osvm_status status = OSVM_OK;
  for (double steps = 0; status == OSVM_OK; steps++) {
    status = osvm_run_stopped(s->run, 0) ? OSVM_INTERRUPTED : sensitivities(s, c);
    if (status == OSVM_OK && !s->margin.accurate && !rebuilt) {
      rebuilt = 1;
      status = rebuild(s, depth);
      continue;
    }
    rebuilt = 0;
    if (status != OSVM_OK) break;
    const event now = first_event(s, c, d, settles);
    const double bound = d > 0 ? high(s, c) : low(s, c);
    if (!isfinite(now.t) && fabs(bound - column(s, COEF)[c]) <= AT_BOUND * column(s, CAP)[c]) {
      put_at(s, c, bound); /* what rounding left of it, with nobody there to make up for it */
      return OSVM_OK;
    }
    if (!isfinite(now.t) || steps > most || depth > DEEPEST) {
      s->troubled = s->stragglers = 1;
      return OSVM_OK;
    }
    advance(s, c, d * now.t);
    status = happen(s, &now, c, d, depth);
    if (now.kind == ARRIVED || column(s, SET)[c] == MARGIN) return status;
  }
  return status;
}

/* All errors from the coefficients alone. */
static osvm_status look_again(idsvm *s) {
  double *b = column(s, COEF), *e = column(s, ERROR), *y = column(s, LABEL);
  osvm_status status = OSVM_OK;
  for (int i = 0; i < s->circle->n; i++) e[i] = y[i] - s->bias;
  for (int i = 0; i < s->circle->n && status == OSVM_OK; i++) {
    const void *row;
    if (b[i] == 0) continue;
    status = osvm_circle_row(s->circle, i, &row, s->run->error);
    if (status == OSVM_OK) simd(s)->add(row, s->circle->n, -b[i], e);
  }
  return status;
}

/* How bias and margin have to change so that the margin's errors, computed anew, and the coefficients' sum are 0. */
static osvm_status solve_errors(idsvm *s) {
  const double *b = column(s, COEF);
  double sum = 0;
  for (int i = 0; i < s->circle->n; i++) sum += b[i];
  s->margin.kernel[0] = s->margin.biased ? sum : 0;
  for (int j = 0; j < s->margin.size; j++) {
    const void *row;
    osvm_status status = osvm_circle_row(s->circle, s->margin.who[j], &row, s->run->error);
    if (status != OSVM_OK) return status;
    s->margin.kernel[j + 1] = simd(s)->weigh(row, s->circle->n, b) + s->bias - column(s, LABEL)[s->margin.who[j]];
  }
  osvm_margin_solve(&s->margin);
  s->run->worked += 2.0 * s->circle->n * s->margin.size;
  return OSVM_OK;
}

static osvm_status shift(idsvm *s, int slot, double change) {
  const void *row;
  osvm_status status = osvm_circle_row(s->circle, slot, &row, s->run->error);
  if (status != OSVM_OK) return status;
  simd(s)->add(row, s->circle->n, -change, column(s, ERROR));
  column(s, COEF)[slot] += change;
  return OSVM_OK;
}

/* Those changes; whoever would leave its bounds stays at the bound and leaves the margin instead. */
static osvm_status correct(idsvm *s) {
  const double *b = column(s, COEF);
  osvm_status status = s->blur > BLURRED ? look_again(s) : OSVM_OK;
  for (int out = 0; out >= 0 && s->margin.size > 0 && status == OSVM_OK;) {
    status = solve_errors(s);
    double most = 0;
    out = -1;
    for (int j = 0; j < s->margin.size && status == OSVM_OK; j++) {
      const int i = s->margin.who[j];
      const double now = b[i] + s->margin.beta[j + 1], beyond = fmax(now - high(s, i), low(s, i) - now);
      if (!(beyond > most)) continue;
      most = beyond;
      out = j;
    }
    if (out < 0 || status != OSVM_OK) break;
    const int i = s->margin.who[out];
    const double bound = s->margin.beta[out + 1] > 0 ? high(s, i) : low(s, i);
    status = shift(s, i, bound - b[i]);
    put_at(s, i, bound);
    osvm_margin_leave(&s->margin, out);
  }
  for (int j = 0; j < s->margin.size && status == OSVM_OK; j++)
    status = shift(s, s->margin.who[j], s->margin.beta[j + 1]);
  if (s->margin.size > 0)
    for (int i = 0; i < s->circle->n; i++) column(s, ERROR)[i] -= s->margin.beta[0];
  for (int j = 0; j < s->margin.size; j++) column(s, ERROR)[s->margin.who[j]] = 0;
  s->bias += s->margin.size > 0 ? s->margin.beta[0] : 0;
  s->events = 0;
  s->blur = 0;
  return status;
}

static osvm_status learn_slot(idsvm *s, int c) {
  const double y = column(s, LABEL)[c];
  if (y * column(s, ERROR)[c] <= SETTLED) {
    column(s, SET)[c] = RESERVE;
    return OSVM_OK;
  }
  osvm_status status = move(s, c, y, 1, 0);
  return status == OSVM_OK && (s->events >= EVENTS || s->blur > BLURRED) ? correct(s) : status;
}

static osvm_status unlearn_slot(idsvm *s, int c) {
  for (int k = 0; k < s->margin.size; k++)
    if (s->margin.who[k] == c) osvm_margin_leave(&s->margin, k);
  column(s, SET)[c] = NOWHERE;
  const double b = column(s, COEF)[c];
  osvm_status status = b == 0 ? OSVM_OK : move(s, c, b > 0 ? -1 : 1, 0, 0);
  if (status == OSVM_OK && (s->events >= EVENTS || s->blur > BLURRED)) status = correct(s);
  column(s, SET)[c] = NOWHERE;
  return status;
}

/* Whoever was left on its way goes on: up where its error wants it up, and down otherwise. */
static osvm_status bring_in(idsvm *s) {
  osvm_status status = OSVM_OK;
  s->stragglers = 0;
  for (int k = 0; k < s->circle->n && status == OSVM_OK; k++) {
    const double b = column(s, COEF)[k], e = column(s, ERROR)[k];
    if (s->circle->member[k] < 0 || column(s, SET)[k] != NOWHERE) continue;
    if (e > 0 ? b == high(s, k) : b == low(s, k)) put_at(s, k, b);
    else status = move(s, k, e > 0 ? 1 : -1, 1, 0);
  }
  return status;
}

/* ---- the solver's slots ---- */

static osvm_status start(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    idsvm *s = run->machine[m].memory = calloc(1, sizeof *s);
    if (s == NULL) return osvm_no_memory(run->error);
    s->run = run;
    s->machine = &run->machine[m];
    s->circle = &run->circle[m];
    const int biased = ((const rule *)run->rule)->bias != 0;
    osvm_status status = osvm_margin_open(&s->margin, run->store.simd, biased, run->error);
    if (status != OSVM_OK) return status;
  }
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  idsvm *s = machine->memory;
  const void *row;
  int slot;
  if (!(x->weight > 0)) return OSVM_OK;
  osvm_status status = s->stragglers ? bring_in(s) : OSVM_OK;
  if (status == OSVM_OK) status = osvm_circle_fresh(s->circle, run->next, run->nexts, &row, run->error);
  if (status != OSVM_OK) return status;
  const double f = run->store.simd->weigh(row, s->circle->n, column(s, COEF)) + s->bias;
  status = osvm_circle_insert(s->circle, x->i, &slot, run->error);
  if (status != OSVM_OK) return status;
  osvm_machine_count(machine, x->y * f, x->y * f < 1, 0);
  machine->expansion.steps += 1;
  column(s, LABEL)[slot] = x->y;
  column(s, CAP)[slot] = ((const rule *)run->rule)->C * x->weight;
  column(s, ERROR)[slot] = x->y - f;
  know(s, slot);
  return learn_slot(s, slot);
}

static osvm_status forget(osvm_run *run, osvm_machine *machine, int i) {
  idsvm *s = machine->memory;
  const int slot = osvm_circle_slot(s->circle, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  osvm_status status = s->stragglers ? bring_in(s) : OSVM_OK;
  if (status == OSVM_OK) status = unlearn_slot(s, slot);
  if (status == OSVM_OK) osvm_circle_remove(s->circle, slot);
  return status;
}

/* As SMO has it where no coefficient but one is between its bounds. */
static double middle_bias(const idsvm *s, int but) {
  const double *b = column(s, COEF), *e = column(s, ERROR);
  double highest = -INFINITY, lowest = INFINITY;
  for (int k = 0; k < s->circle->n; k++) {
    if (s->circle->member[k] < 0 || k == but) continue;
    const double hair = AT_BOUND * column(s, CAP)[k];
    const int rises = b[k]<high(s, k) - hair, falls = b[k]> low(s, k) + hair;
    if (rises && falls) return s->bias;
    if (rises) highest = fmax(highest, e[k]);
    if (falls) lowest = fmin(lowest, e[k]);
  }
  return isfinite(highest) && isfinite(lowest) ? s->bias + (highest + lowest) / 2 : s->bias;
}

/* Unlearned, looked at, and learned again: the optimum is where it was. */
static osvm_status leave_out(osvm_run *run, osvm_machine *machine, int i, double *output) {
  idsvm *s = machine->memory;
  const int slot = osvm_circle_slot(s->circle, i);
  (void)run;
  if (slot < 0) return OSVM_OK;
  osvm_status status = s->stragglers ? bring_in(s) : OSVM_OK;
  const int moves = column(s, COEF)[slot] != 0;
  if (status == OSVM_OK && moves) status = unlearn_slot(s, slot);
  if (status != OSVM_OK) return status;
  *output = column(s, LABEL)[slot] - column(s, ERROR)[slot];
  if (s->margin.biased) *output += middle_bias(s, slot) - s->bias;
  return moves ? learn_slot(s, slot) : OSVM_OK;
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
      know(s, slot);
      if (column(s, SET)[slot] == NOWHERE) s->stragglers = 1;
      if (column(s, SET)[slot] != MARGIN) continue;
      status = osvm_margin_room(&s->margin, run->error);
      if (status == OSVM_OK) s->margin.who[s->margin.size++] = slot;
    }
    s->machine->expansion.steps = model->tally[m * TALLIES + STEPS];
    s->bias = model->tally[m * TALLIES + BIAS];
    if (status == OSVM_OK) status = rebuild(s, 0);
    if (status == OSVM_OK) status = correct(s);
  }
  return status;
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
    model->intercept[m] = s->margin.biased ? middle_bias(s, -1) : 0;
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
    if (s != NULL) osvm_margin_close(&s->margin);
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
