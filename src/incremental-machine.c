/* See incremental.h. */
#include "incremental-migration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double AT_BOUND = 1e-10; /* of b_i, relative to its bound */
static const double SETTLED = 1e-11;  /* an error so small is 0 */
static const double BLURRED = 1e-10;  /* so much blur is too much */
/* Events between two corrections of the margin's errors; candidates waiting for each other */
enum { EVENTS = 64, DEEPEST = 40 };

static double *column(const osvm_incremental *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
static double low(const osvm_incremental *s, int k) { return osvm_dual_sv_lower(s->sv_set->column, k); }
static double high(const osvm_incremental *s, int k) { return osvm_dual_sv_upper(s->sv_set->column, k); }
static double bound(const osvm_incremental *s, int k, double d) { return osvm_dual_sv_limit(s->sv_set->column, k, d); }
static const osvm_simd *simd(const osvm_incremental *s) { return s->run->store.simd; }

/* The example joins the margin, unless it depends on it. */
static osvm_status expand(osvm_incremental *s, int slot, int *joined) {
  osvm_inverse *margin = &s->margin;
  const void *row;
  osvm_status status = osvm_inverse_reserve(margin, s->run->error);
  if (status == OSVM_OK) status = osvm_sv_set_row(s->sv_set, slot, &row, s->run->error);
  if (status != OSVM_OK) return status;
  osvm_inverse_solve_for(margin, row, slot);
  *joined = !margin->dependent;
  if (margin->dependent) return OSVM_OK;
  osvm_inverse_expand(margin, slot, ((const double *)row)[slot]);
  s->rounding += fabs(column(s, OSVM_SV_GRADIENT)[slot]);
  column(s, OSVM_INCREMENTAL_SET)[slot] = OSVM_IN_MARGIN;
  column(s, OSVM_SV_GRADIENT)[slot] = 0;
  return OSVM_OK;
}

/* ---- the candidate on its way ---- */

static void advance(osvm_incremental *s, int c, double change) {
  double *b = column(s, OSVM_SV_COEF), *e = column(s, OSVM_SV_GRADIENT);
  const double *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const int alone = osvm_inverse_is_empty(&s->margin);
  for (int i = 0; i < s->sv_set->n; i++) e[i] -= gamma[i] * change;
  for (int j = 0; j < s->margin.size; j++) {
    b[s->margin.who[j]] += s->margin.beta[j + 1] * change;
    e[s->margin.who[j]] = 0;
  }
  if (!alone) b[c] += change;
  s->bias += alone ? change : s->margin.beta[0] * change;
  s->machine->updates += 1;
  s->events++;
  s->rounding += 1e-16 * s->margin.noise * fabs(change);
}

static void put_at(osvm_incremental *s, int slot, double b) {
  s->rounding += s->margin.scale * fabs(b - column(s, OSVM_SV_COEF)[slot]);
  column(s, OSVM_SV_COEF)[slot] = b;
  column(s, OSVM_INCREMENTAL_SET)[slot] = b == 0 ? OSVM_IN_RESERVE : OSVM_IN_ERROR;
}

static osvm_status move(osvm_incremental *s, int c, double d, int settles, int depth);

/* M from the margin alone. Whoever turns out to depend on the others becomes a candidate. */
static osvm_status rebuild(osvm_incremental *s, int depth) {
  const int count = s->margin.size;
  osvm_status status = OSVM_OK;
  int *before = malloc(((size_t)count + 1) * sizeof(int)), lost = 0;
  if (before == NULL) return osvm_no_memory(s->run->error);
  memcpy(before, s->margin.who, count * sizeof(int));
  osvm_inverse_clear(&s->margin);
  for (int k = 0; k < count && status == OSVM_OK; k++) {
    int joined;
    status = expand(s, before[k], &joined);
    if (status != OSVM_OK || joined) continue;
    column(s, OSVM_INCREMENTAL_SET)[before[k]] = OSVM_IN_TRANSIT;
    before[lost++] = before[k];
  }
  for (int k = 0; k < lost && status == OSVM_OK; k++)
    status = move(s, before[k], osvm_dual_sv_label(s->sv_set->column, before[k]), 1, depth + 1);
  free(before);
  return status;
}

static osvm_status happen(osvm_incremental *s, const osvm_migration *now, int c, double d, int depth) {
  const int who = osvm_migration_slot(s, now);
  const double y = osvm_dual_sv_label(s->sv_set->column, who);
  int joined = 1, erring;
  osvm_status status = OSVM_OK;
  switch (now->kind) {
  case OSVM_CANDIDATE_AT_BOUND: put_at(s, c, bound(s, c, d)); break;
  case OSVM_CANDIDATE_TO_MARGIN: status = expand(s, c, &joined); break;
  case OSVM_LEAVES_MARGIN:
    put_at(s, who, bound(s, who, s->margin.beta[now->who + 1] * d));
    osvm_inverse_shrink(&s->margin, now->who);
    break;
  case OSVM_JOINS_MARGIN:
    erring = column(s, OSVM_INCREMENTAL_SET)[who] == OSVM_IN_ERROR;
    status = expand(s, who, &joined);
    if (status != OSVM_OK || joined) break;
    column(s, OSVM_INCREMENTAL_SET)[who] = OSVM_IN_TRANSIT;
    status = move(s, who, erring ? -y : y, 1, depth + 1);
    break;
  case OSVM_NO_MIGRATION: break;
  }
  return status;
}

/* The candidate's coefficient in direction d to its bound or, if it settles, to where its error is 0. */
static osvm_status move(osvm_incremental *s, int c, double d, int settles, int depth) {
  const double most = 100.0 * (s->sv_set->n + 100);
  int rebuilt = 0;
  osvm_status status = OSVM_OK;
  for (double steps = 0; status == OSVM_OK; steps++) {
    status = osvm_run_stopped(s->run, 0) ? OSVM_INTERRUPTED : osvm_sensitivities(s, c);
    if (status == OSVM_OK && !s->margin.accurate && !rebuilt) {
      rebuilt = 1;
      status = rebuild(s, depth);
      continue;
    }
    rebuilt = 0;
    if (status != OSVM_OK) break;
    const osvm_migration now = osvm_next_migration(s, c, d, settles);
    const double end = bound(s, c, d);
    if (!isfinite(now.t) && fabs(end - column(s, OSVM_SV_COEF)[c]) <= AT_BOUND * fabs(column(s, OSVM_SV_BOUND)[c])) {
      put_at(s, c, end); /* what rounding left of it, with nobody there to make up for it */
      return OSVM_OK;
    }
    if (!isfinite(now.t) || steps > most || depth > DEEPEST) {
      s->troubled = s->unfinished = 1;
      return OSVM_OK;
    }
    advance(s, c, d * now.t);
    status = happen(s, &now, c, d, depth);
    if (now.kind == OSVM_CANDIDATE_AT_BOUND || column(s, OSVM_INCREMENTAL_SET)[c] == OSVM_IN_MARGIN) return status;
  }
  return status;
}

/* ---- what rounding has done is put right ---- */

/* All errors from the coefficients alone. */
static osvm_status look_again(osvm_incremental *s) {
  double *b = column(s, OSVM_SV_COEF), *e = column(s, OSVM_SV_GRADIENT);
  osvm_status status = OSVM_OK;
  for (int i = 0; i < s->sv_set->n; i++) e[i] = osvm_dual_sv_label(s->sv_set->column, i) - s->bias;
  for (int i = 0; i < s->sv_set->n && status == OSVM_OK; i++) {
    const void *row;
    if (b[i] == 0) continue;
    status = osvm_sv_set_row(s->sv_set, i, &row, s->run->error);
    if (status == OSVM_OK) simd(s)->add(row, s->sv_set->n, -b[i], e);
  }
  return status;
}

/* How bias and margin have to change so that the margin's errors, computed anew, and the coefficients' sum are 0. */
static osvm_status solve_errors(osvm_incremental *s) {
  const double *b = column(s, OSVM_SV_COEF);
  double sum = 0;
  for (int i = 0; i < s->sv_set->n; i++) sum += b[i];
  s->margin.kernel[0] = s->margin.biased ? sum : 0;
  for (int j = 0; j < s->margin.size; j++) {
    const void *row;
    osvm_status status = osvm_sv_set_row(s->sv_set, s->margin.who[j], &row, s->run->error);
    if (status != OSVM_OK) return status;
    s->margin.kernel[j + 1] =
        simd(s)->weigh(row, s->sv_set->n, b) + s->bias - osvm_dual_sv_label(s->sv_set->column, s->margin.who[j]);
  }
  osvm_inverse_solve(&s->margin);
  s->run->work += 2.0 * s->sv_set->n * s->margin.size;
  return OSVM_OK;
}

static osvm_status shift(osvm_incremental *s, int slot, double change) {
  const void *row;
  osvm_status status = osvm_sv_set_row(s->sv_set, slot, &row, s->run->error);
  if (status != OSVM_OK) return status;
  simd(s)->add(row, s->sv_set->n, -change, column(s, OSVM_SV_GRADIENT));
  column(s, OSVM_SV_COEF)[slot] += change;
  return OSVM_OK;
}

/* Those changes; whoever would leave its bounds stays at the bound and leaves the margin instead. */
static osvm_status correct(osvm_incremental *s) {
  const double *b = column(s, OSVM_SV_COEF);
  osvm_status status = s->rounding > BLURRED ? look_again(s) : OSVM_OK;
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
    const double end = bound(s, i, s->margin.beta[out + 1]);
    status = shift(s, i, end - b[i]);
    put_at(s, i, end);
    osvm_inverse_shrink(&s->margin, out);
  }
  for (int j = 0; j < s->margin.size && status == OSVM_OK; j++)
    status = shift(s, s->margin.who[j], s->margin.beta[j + 1]);
  if (s->margin.size > 0)
    for (int i = 0; i < s->sv_set->n; i++) column(s, OSVM_SV_GRADIENT)[i] -= s->margin.beta[0];
  for (int j = 0; j < s->margin.size; j++) column(s, OSVM_SV_GRADIENT)[s->margin.who[j]] = 0;
  s->bias += s->margin.size > 0 ? s->margin.beta[0] : 0;
  s->events = 0;
  s->rounding = 0;
  return status;
}

/* ---- for the solver ---- */

static void know(osvm_incremental *s, int slot) {
  const double norm = s->sv_set->shared->store.norm[s->sv_set->member[slot]];
  s->margin.scale = fmax(s->margin.scale, fabs(osvm_kernel_self(&s->run->kernel, norm)));
  s->upper = fmax(s->upper, fabs(column(s, OSVM_SV_BOUND)[slot]));
}

osvm_status osvm_incremental_open(osvm_incremental *s, osvm_run *run, osvm_machine *machine, int biased) {
  *s = (osvm_incremental){.run = run, .machine = machine, .sv_set = machine->sv_set};
  return osvm_inverse_open(&s->margin, run->store.simd, biased, run->error);
}

osvm_status osvm_incremental_place(osvm_incremental *s, int slot, double set) {
  column(s, OSVM_INCREMENTAL_SET)[slot] = set;
  know(s, slot);
  if (set == OSVM_IN_TRANSIT) s->unfinished = 1;
  if (set != OSVM_IN_MARGIN) return OSVM_OK;
  osvm_status status = osvm_inverse_reserve(&s->margin, s->run->error);
  if (status == OSVM_OK) s->margin.who[s->margin.size++] = slot;
  return status;
}

osvm_status osvm_incremental_rebuild(osvm_incremental *s) {
  osvm_status status = rebuild(s, 0);
  return status == OSVM_OK ? correct(s) : status;
}

static osvm_status correct_if_due(osvm_incremental *s) {
  return s->events >= EVENTS || s->rounding > BLURRED ? correct(s) : OSVM_OK;
}

osvm_status osvm_incremental_learn(osvm_incremental *s, int c) {
  const double y = osvm_dual_sv_label(s->sv_set->column, c);
  know(s, c);
  if (y * column(s, OSVM_SV_GRADIENT)[c] <= SETTLED) {
    column(s, OSVM_INCREMENTAL_SET)[c] = OSVM_IN_RESERVE;
    return OSVM_OK;
  }
  osvm_status status = move(s, c, y, 1, 0);
  return status == OSVM_OK ? correct_if_due(s) : status;
}

osvm_status osvm_incremental_unlearn(osvm_incremental *s, int c) {
  for (int k = 0; k < s->margin.size; k++)
    if (s->margin.who[k] == c) osvm_inverse_shrink(&s->margin, k);
  column(s, OSVM_INCREMENTAL_SET)[c] = OSVM_IN_TRANSIT;
  const double b = column(s, OSVM_SV_COEF)[c];
  osvm_status status = b == 0 ? OSVM_OK : move(s, c, b > 0 ? -1 : 1, 0, 0);
  if (status == OSVM_OK) status = correct_if_due(s);
  column(s, OSVM_INCREMENTAL_SET)[c] = OSVM_IN_TRANSIT;
  return status;
}

/* Whoever was left on its way goes on: up where its error wants it up, and down otherwise. */
osvm_status osvm_incremental_finish_transit(osvm_incremental *s) {
  osvm_status status = OSVM_OK;
  if (!s->unfinished) return OSVM_OK;
  s->unfinished = 0;
  for (int k = 0; k < s->sv_set->n && status == OSVM_OK; k++) {
    const double b = column(s, OSVM_SV_COEF)[k], e = column(s, OSVM_SV_GRADIENT)[k];
    if (s->sv_set->member[k] < 0 || column(s, OSVM_INCREMENTAL_SET)[k] != OSVM_IN_TRANSIT) continue;
    if (b == bound(s, k, e)) put_at(s, k, b);
    else status = move(s, k, e > 0 ? 1 : -1, 1, 0);
  }
  return status;
}

double osvm_incremental_middle_bias(const osvm_incremental *s, int but) {
  const double *b = column(s, OSVM_SV_COEF), *e = column(s, OSVM_SV_GRADIENT);
  double highest = -INFINITY, lowest = INFINITY;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->member[k] < 0 || k == but) continue;
    const double hair = AT_BOUND * fabs(column(s, OSVM_SV_BOUND)[k]);
    const int rises = b[k] < high(s, k) - hair;
    const int falls = b[k] > low(s, k) + hair;
    if (rises && falls) return s->bias;
    if (rises) highest = fmax(highest, e[k]);
    if (falls) lowest = fmin(lowest, e[k]);
  }
  return isfinite(highest) && isfinite(lowest) ? s->bias + (highest + lowest) / 2 : s->bias;
}

void osvm_incremental_close(osvm_incremental *s) { osvm_inverse_close(&s->margin); }
