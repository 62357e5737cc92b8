/* LASVM: SMO that meets its examples one by one.
 *
 * Problem   the soft-margin machine with bias, see solver-smo.c: signed coefficients b_i between 0 and y_i C_i, sum b_i = 0,
 *           errors e_i = y_i - sum_j b_j k_ij
 * Rule      with S the members, `highest` the largest e in S that may rise and `lowest` the smallest that may fall:
 *           PROCESS     an example outside S, with the lowest if y = +1, with the highest if y = -1: if they violate by more
 *                       than `tolerance` it joins S and the pair takes SMO's step, else nothing happens
 *           REPROCESS   the pair of highest and lowest, if it violates, takes a step. Then those with b = 0 leave S whom no
 *                       pair would pick: y = -1 and e >= highest, y = +1 and e <= lowest
 *           A visit is a PROCESS and a REPROCESS. finish: steps until highest - lowest <= tolerance; b = 0 leave S.
 *           bias = (highest + lowest)/2
 *           selection: the next example is, of some drawn at random, the one with the smallest y f (gradient) or |f| (margin)
 * State     b, C, label and e of the members, and what simd.h's pairs want of them
 * Cost      a visit: kernel values with the members, and for those who join one or two of the members' rows; selection: as
 *           many times that as there are candidates
 * Paper     Bordes, Ertekin, Weston & Bottou (2005), sections 3 and 4
 * Departs   an example that does not violate is not taken into S to be removed again; finish takes pairs of second order
 *           (Fan, Chen & Lin 2005). An example's weight multiplies its C. The first few examples join while there is
 *           nobody to pair them with. */
#include <math.h>
#include <stdlib.h>

#include "smo-dual.h"
#include "sv-dual.h"

typedef struct {
  double C, tolerance, selection, finish;
} rule;
static const char *const params[] = {"C", "tolerance", "selection", "finish", NULL};

enum { RANDOM, GRADIENT, MARGIN };
enum { RISES = OSVM_SV_COLUMNS, FALLS, FALLING, SELF, COLUMNS };
static const osvm_column_kind columns[COLUMNS] = {{0, 0},         {0, 0},        {0, 0},        {0, 0},
                                                  {1, -INFINITY}, {1, INFINITY}, {1, INFINITY}, {1, 1}};

enum { STEPS, BIAS, TALLIES };

enum { SEEDS = 5 };
static const double TAU = 1e-12, MOST_STEPS = 1e8;
/* A step a hair short leaves the larger error the larger, and what is next to a bound is at it: otherwise rounding would
 * decide who is picked next, and a stream in chunks would not be the same as one pass. */
static const double SHORT = 1 - 1e-6, NOTHING = 1e-12;

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_pair_selection selection; /* its arrays are the circle's columns */
  int zeros;        /* members with b = 0 */
} lasvm;

static double *column(const lasvm *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }

static void set_real(const lasvm *s, int k, int slot, double x) {
  osvm_set_real(s->run->store.simd, s->sv_set->column[k], slot, x);
}

static double get_real(const lasvm *s, const void *row, int slot) { return osvm_real(s->run->store.simd, row, slot); }

static double low(const lasvm *s, int k) { return osvm_dual_sv_low(s->sv_set->column, k); }
static double high(const lasvm *s, int k) { return osvm_dual_sv_high(s->sv_set->column, k); }

static void mark(const lasvm *s, int k) {
  set_real(s, RISES, k, column(s, OSVM_SV_COEF)[k] < high(s, k) ? 0 : -INFINITY);
  set_real(s, FALLS, k, column(s, OSVM_SV_COEF)[k] > low(s, k) ? 0 : INFINITY);
}

/* The circle's columns move when it grows. */
static void follow_circle(lasvm *s) {
  void **columns = s->sv_set->column;
  s->selection.gradient = columns[OSVM_SV_GRADIENT];
  s->selection.up = columns[RISES];
  s->selection.low = columns[FALLS];
  s->selection.gradient_low = columns[FALLING];
  s->selection.diagonal = columns[SELF];
}

/* A step of nothing, for which any numbers will do as kernel rows. */
static void look(lasvm *s) {
  const void *any = s->sv_set->column[SELF];
  s->run->store.simd->pair_step(&s->selection, any, any, osvm_sv_set_padded(s->sv_set), 0);
}

static int paired(const lasvm *s) { return isfinite(s->selection.gmax) && isfinite(s->selection.gmin); }
static double bias(const lasvm *s) { return paired(s) ? (s->selection.gmax + s->selection.gmin) / 2 : 0; }
static double gap(const lasvm *s) { return paired(s) ? s->selection.gmax - s->selection.gmin : 0; }

static int lowest_slot(const lasvm *s) {
  const double *b = column(s, OSVM_SV_COEF), *error = column(s, OSVM_SV_GRADIENT);
  for (int k = 0; k < s->sv_set->n; k++)
    if (error[k] == s->selection.gmin && b[k] > low(s, k)) return k;
  return -1;
}

/* ---- steps ---- */

/* b_up += t, b_down -= t as far as the bounds allow. */
static osvm_status step(lasvm *s, int up, int down) {
  const void *row, *other;
  osvm_status status = osvm_sv_set_row(s->sv_set, up, &row, s->run->error);
  if (status == OSVM_OK) status = osvm_sv_set_row(s->sv_set, down, &other, s->run->error);
  if (status != OSVM_OK) return status;
  const double *error = column(s, OSVM_SV_GRADIENT);
  const double curve = get_real(s, s->selection.diagonal, up) + get_real(s, s->selection.diagonal, down) - 2 * get_real(s, row, down);
  double *b = column(s, OSVM_SV_COEF), t = (error[up] - error[down]) / (curve > 0 ? curve : TAU);
  if (!isfinite(curve) || !isfinite(t))
    return osvm_fail(s->run->error, OSVM_DIVERGED, "the kernel values grew beyond all numbers; scale the data");
  const double rise = high(s, up) - b[up], fall = b[down] - low(s, down);
  s->zeros -= (b[up] == 0) + (b[down] == 0);
  t = fmin(t * SHORT, fmin(rise, fall));
  b[up] = rise - t <= NOTHING * column(s, OSVM_SV_UPPER)[up] ? high(s, up) : b[up] + t;
  b[down] = fall - t <= NOTHING * column(s, OSVM_SV_UPPER)[down] ? low(s, down) : b[down] - t;
  s->zeros += (b[up] == 0) + (b[down] == 0);
  mark(s, up);
  mark(s, down);
  s->machine->updates += t != 0;
  s->run->store.simd->pair_step(&s->selection, row, other, osvm_sv_set_padded(s->sv_set), t);
  s->run->work += 4.0 * s->sv_set->n;
  return OSVM_OK;
}

/* What follows from a member's common columns. */
static void introduce(lasvm *s, int slot) {
  const double norm = s->run->store.norm[osvm_dual_sv_example(s->sv_set, slot)];
  follow_circle(s);
  set_real(s, SELF, slot, osvm_kernel_self(&s->run->task->kernel, norm));
  s->zeros += column(s, OSVM_SV_COEF)[slot] == 0;
  mark(s, slot);
}

static osvm_status join(lasvm *s, const osvm_example *x, double error, int *slot) {
  osvm_status status = osvm_sv_set_insert(s->sv_set, x->i, slot, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_dual_sv_init(s->sv_set, *slot, x->y, ((const rule *)s->run->rule)->C * x->weight, error);
  introduce(s, *slot);
  return OSVM_OK;
}

static osvm_status process(lasvm *s, const osvm_example *x) {
  const osvm_simd *simd = s->run->store.simd;
  const void *row;
  osvm_status status = osvm_sv_set_candidate_row(s->sv_set, s->run->next, s->run->n_upcoming, &row, s->run->error);
  if (status != OSVM_OK) return status;
  const double f = simd->weigh(row, s->sv_set->n, column(s, OSVM_SV_COEF)), error = x->y - f;
  const double bound = x->y > 0 ? s->selection.gmin : s->selection.gmax;
  const double violation = x->y * (error - bound);
  const int violates = isfinite(bound) && violation > ((const rule *)s->run->rule)->tolerance;
  const int joins = violates || (!isfinite(bound) && s->sv_set->count < SEEDS);
  osvm_machine_count(s->machine, x->y * (f + bias(s)), violates, 0);
  if (!joins) return OSVM_OK;
  const int partner = !violates ? -1 : x->y > 0 ? lowest_slot(s) : s->selection.first;
  int slot;
  status = join(s, x, error, &slot);
  if (status != OSVM_OK) return status;
  if (partner >= 0) return x->y > 0 ? step(s, slot, partner) : step(s, partner, slot);
  look(s);
  return OSVM_OK;
}

/* Those no pair would pick leave; all: whoever has no coefficient. */
static void dismiss(lasvm *s, int all) {
  const double *b = column(s, OSVM_SV_COEF), *y = column(s, OSVM_SV_LABEL),
               *error = column(s, OSVM_SV_GRADIENT);
  const double highest = s->selection.gmax, lowest = s->selection.gmin;
  int again = 0;
  if (s->zeros == 0 || !paired(s)) return;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->member[k] < 0 || b[k] != 0) continue;
    if (!all && (y[k] < 0 ? error[k] < highest : error[k] > lowest)) continue;
    again |= error[k] >= highest || error[k] <= lowest;
    osvm_sv_set_remove(s->sv_set, k);
    s->zeros--;
  }
  if (again) look(s);
}

static osvm_status reprocess(lasvm *s) {
  osvm_status status = OSVM_OK;
  if (gap(s) > ((const rule *)s->run->rule)->tolerance) status = step(s, s->selection.first, lowest_slot(s));
  if (status == OSVM_OK) dismiss(s, 0);
  return status;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  lasvm *s = machine->memory;
  osvm_status status = OSVM_OK;
  if (!(x->weight > 0)) return OSVM_OK;
  if (osvm_sv_set_slot(s->sv_set, x->i) < 0) status = process(s, x);
  if (status == OSVM_OK) status = reprocess(s);
  machine->expansion.steps += 1;
  run->work += 2.0 * s->sv_set->n;
  return status;
}

/* ---- the next example, out of some ---- */

static double promise(const osvm_run *run, lasvm *s, int p, const void *row) {
  const double y = osvm_run_label(run, (int)(s->machine - run->machine), p);
  const double f = run->store.simd->weigh(row, s->sv_set->n, column(s, OSVM_SV_COEF)) + bias(s);
  return ((const rule *)run->rule)->selection == MARGIN ? fabs(f) : y * f;
}

static osvm_status choose(osvm_run *run, const int *candidates, int count, int *chosen, int *promises) {
  double least = INFINITY;
  *chosen = 0;
  for (int k = 0; k < count; k++) {
    const int p = candidates[k] - run->first;
    for (int m = 0; m < run->task->machines; m++) {
      lasvm *s = run->machine[m].memory;
      const void *row;
      if (osvm_run_label(run, m, p) == 0 || osvm_sv_set_slot(s->sv_set, candidates[k]) >= 0) continue;
      osvm_status status = osvm_sv_set_candidate_row(s->sv_set, candidates + k, count - k, &row, run->error);
      if (status != OSVM_OK) return status;
      const double here = promise(run, s, p, row);
      if (!(here < least)) continue;
      least = here;
      *chosen = k;
    }
  }
  *promises = least < 1;
  return OSVM_OK;
}

/* ---- finish ---- */

/* Some steps with the rows at hand: for a good model that is enough. */
static osvm_status finish_quickly(lasvm *s, double tolerance) {
  const osvm_run *run = s->run;
  osvm_status status = OSVM_OK;
  for (int t = s->sv_set->count / 4 + 100; t > 0 && gap(s) > tolerance && status == OSVM_OK; t--) {
    if (osvm_run_stopped(s->run, 0)) return OSVM_INTERRUPTED;
    const int up = s->selection.first;
    const void *row;
    status = osvm_sv_set_row(s->sv_set, up, &row, run->error);
    if (status != OSVM_OK) return status;
    int down = run->store.simd->pair_partner(&s->selection, row, osvm_sv_set_padded(s->sv_set));
    /* Rounding may hide a small difference of large errors. */
    if (down < 0 || !(column(s, OSVM_SV_GRADIENT)[up] > column(s, OSVM_SV_GRADIENT)[down])) down = lowest_slot(s);
    status = step(s, up, down);
  }
  return status;
}

/* Otherwise SMO takes over, which sets members aside that stay at their bounds. The rows make room for its own. */
static osvm_status finish_patiently(lasvm *s, double tolerance) {
  osvm_run *run = s->run;
  osvm_sv_set *c = s->sv_set;
  const int m = (int)(s->machine - run->machine), machines = run->task->machines;
  osvm_dual dual;
  osvm_sv_set_drop_rows(c);
  osvm_status status = osvm_dual_open_on(&dual, run, m, &c->shared->store, c->bytes, tolerance);
  for (int k = 0; k < c->n && status == OSVM_OK; k++) {
    const int p = c->member[k];
    if (p < 0) continue;
    dual.y[p] = column(s, OSVM_SV_LABEL)[k];
    dual.upper[p] = column(s, OSVM_SV_UPPER)[k];
    dual.b[p] = column(s, OSVM_SV_COEF)[k];
    dual.gradient[p] = column(s, OSVM_SV_GRADIENT)[k];
  }
  dual.share = 1.0 / ((run->task->epochs + 1) * machines);
  dual.from = (double)run->task->epochs / (run->task->epochs + 1) + m * dual.share;
  if (status == OSVM_OK) status = osvm_dual_begin(&dual);
  if (status == OSVM_OK) status = osvm_dual_solve(&dual, 1, MOST_STEPS);
  if (status == OSVM_INTERRUPTED) { /* errors of those set aside must be right, too */
    dual.no_poll = 1;
    if (osvm_dual_reconstruct_gradient(&dual) != OSVM_OK) status = OSVM_NO_MEMORY;
  }
  const int usable = status == OSVM_OK || status == OSVM_INTERRUPTED;
  s->zeros = 0;
  for (int k = 0; k < c->n && usable; k++) {
    const int p = c->member[k];
    if (p < 0) continue;
    column(s, OSVM_SV_COEF)[k] = dual.b[p];
    column(s, OSVM_SV_GRADIENT)[k] = dual.gradient[p];
    s->zeros += dual.b[p] == 0;
    mark(s, k);
  }
  osvm_dual_close(&dual);
  look(s);
  return status;
}

static osvm_status finish_machine(lasvm *s, double tolerance) {
  osvm_status status = finish_quickly(s, tolerance);
  if (status == OSVM_OK && gap(s) > tolerance) status = finish_patiently(s, tolerance);
  if (status == OSVM_OK) dismiss(s, 1);
  return status;
}

static osvm_status finish(osvm_run *run) {
  const rule *r = (const rule *)run->rule;
  osvm_status status = OSVM_OK;
  for (int m = 0; m < run->task->machines && r->finish != 0 && status == OSVM_OK; m++)
    status = finish_machine(run->machine[m].memory, r->tolerance);
  return status;
}

/* ---- from one run to the next ---- */

static osvm_status start(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++) {
    lasvm *s = run->machine[m].memory = calloc(1, sizeof *s);
    if (s == NULL) return osvm_no_memory(run->error);
    s->run = run;
    s->machine = &run->machine[m];
    s->sv_set = &run->sv_set[m];
    s->sv_set->bytes /=
        2; /* the other half is for a patient finish: rows freed one by one may not be given back at once */
    follow_circle(s);
    look(s);
  }
  return OSVM_OK;
}

static osvm_status import(osvm_run *run, const osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    lasvm *s = run->machine[m].memory;
    for (int j = 0; j < model->size; j++) {
      int slot;
      osvm_status status = osvm_dual_sv_import(s->sv_set, model, m, j, &slot, run->error);
      if (status != OSVM_OK) return status;
      if (slot >= 0) introduce(s, slot);
    }
    run->machine[m].expansion.steps = model->tally[(size_t)m * TALLIES + STEPS];
    look(s);
  }
  return OSVM_OK;
}

static osvm_status export(osvm_run *run, osvm_model *model) {
  for (int m = 0; m < model->machines; m++) {
    const lasvm *s = run->machine[m].memory;
    const osvm_sv_set *c = s->sv_set;
    const double *b = column(s, OSVM_SV_COEF), *y = column(s, OSVM_SV_LABEL),
                 *error = column(s, OSVM_SV_GRADIENT);
    double objective = 0;
    for (int k = 0; k < c->n; k++) {
      if (c->member[k] < 0) continue;
      osvm_dual_sv_export(c, k, model, m);
      objective -= b[k] * (error[k] + y[k]) / 2;
    }
    model->intercept[m] = bias(s);
    model->tally[(size_t)m * TALLIES + STEPS] = s->machine->expansion.steps;
    model->tally[(size_t)m * TALLIES + BIAS] = bias(s);
    const rule *r = (const rule *)run->rule;
    s->machine->convergence = (osvm_convergence){s->machine->expansion.steps, fmax(gap(s), 0), objective,
                                                 r->finish == 0 || gap(s) <= r->tolerance};
  }
  osvm_run_export_support(run, model);
  return OSVM_OK;
}

const osvm_solver osvm_solver_lasvm = {.params = params,
                                       .dual = 1,
                                       .columns = columns,
                                       .n_columns = COLUMNS,
                                       .depth = OSVM_STATE_COLUMNS,
                                       .tallies = TALLIES,
                                       .start = start,
                                       .learn = learn,
                                       .choose = choose,
                                       .finish = finish,
                                       .import = import,
                                       .export = export};
