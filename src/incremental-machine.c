/* The incremental and the decremental procedure of Cauwenberghs & Poggio (2001); see incremental.h.
 *
 * Departs   A vector that reaches g = 0 but depends linearly on S (a duplicate) would make Q singular. It becomes the
 *           candidate, before the one that was moving: alpha_S and its alpha change, the outputs hardly, until it is at
 *           its other bound or a margin vector has left S. */
#include "incremental-migration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distance of alpha_i from a bound, relative to C_i, that is rounding: alpha is the sum of its changes, each rounded to
 * eps C_i = 2.2e-16 C_i, and the constraint sum alpha = 0 hands the errors of all others to the last to move. Covers
 * some 4e5 of them. */
static const double AT_BOUND = 1e-10;
/* y g of a new vector that counts as 0: g has an error of eps sum_j |alpha_j k_ij|, 1e-11 where that sum is 5e4. Such a
 * vector goes to the reserve set; the slack of the ratio test is larger, so that it is not a violator there. */
static const double KT_TOLERANCE = 1e-11;
/* Guards against rounding, see move_candidate: steps of a candidate, per vector of the machine (some tens in all are
 * usual), and candidates within candidates, one for each linearly dependent vector that was met while another was
 * moving. */
enum { STEPS_PER_VECTOR = 100, MAX_DEPTH = 40 };

static double *column(const osvm_incremental *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
static double low(const osvm_incremental *s, int k) { return column(s, OSVM_SV_LOWER)[k]; }
static double high(const osvm_incremental *s, int k) { return column(s, OSVM_SV_UPPER)[k]; }
static double bound(const osvm_incremental *s, int k, double d) { return d > 0 ? high(s, k) : low(s, k); }

/* The vector joins S unless it depends linearly on S. Its g, 0 but for rounding, becomes 0. */
static osvm_status join_margin(osvm_incremental *s, int slot, int *joined) {
  double *g = column(s, OSVM_SV_GRADIENT);
  const void *row;
  OSVM_TRY(osvm_inverse_reserve(&s->margin, s->machine->context.error));
  OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
  osvm_inverse_solve_candidate(&s->margin, row, slot);
  *joined = !s->margin.dependent;
  if (!*joined) return OSVM_OK;
  osvm_inverse_expand(&s->margin, slot, ((const double *)row)[slot]);
  s->rounding += fabs(g[slot]);
  column(s, OSVM_INCREMENTAL_SET)[slot] = OSVM_IN_MARGIN;
  g[slot] = 0;
  return OSVM_OK;
}

/* ---- the candidate's steps ---- */

/* (8), (9), (11) for a change of alpha_c, or of the bias if S is empty. Each g is rounded once: by half an eps, 1e-16,
 * of the terms of its change. g_c is also off by (beta' residual) x change, since gamma_c is that of the exact beta;
 * the estimate leaves this out. */
static void advance(osvm_incremental *s, int c, double change) {
  double *alpha = column(s, OSVM_SV_COEF), *g = column(s, OSVM_SV_GRADIENT);
  const double *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const osvm_inverse *margin = &s->margin;
  const int bias_alone = osvm_inverse_is_empty(margin);
  for (int i = 0; i < s->sv_set->n; i++) g[i] -= gamma[i] * change;
  for (int j = 0; j < margin->size; j++) {
    alpha[margin->slot[j]] += margin->beta[j + 1] * change;
    g[margin->slot[j]] = 0;
  }
  if (!bias_alone) alpha[c] += change;
  s->bias += bias_alone ? change : margin->beta[0] * change;
  s->machine->updates += 1;
  s->steps++;
  s->rounding += 1e-16 * margin->magnitude * fabs(change);
}

static osvm_status move_candidate(osvm_incremental *s, int c, double d, int to_margin, int depth);

static osvm_status rejoin_margin(osvm_incremental *s, int *slots, int count, int depth) {
  int dependent = 0;
  for (int k = 0; k < count; k++) {
    int joined;
    s->machine->context.work += 4.0 * s->margin.size * s->margin.size;
    if (osvm_context_stopped(&s->machine->context, 0))
      return OSVM_INTERRUPTED; /* those left are in S by their column */
    OSVM_TRY(join_margin(s, slots[k], &joined));
    if (joined) continue;
    column(s, OSVM_INCREMENTAL_SET)[slots[k]] = OSVM_IN_TRANSIT;
    slots[dependent++] = slots[k];
  }
  for (int k = 0; k < dependent; k++)
    OSVM_TRY(move_candidate(s, slots[k], column(s, OSVM_SV_LINEAR)[slots[k]], 1, depth + 1));
  return OSVM_OK;
}

/* *done: 0 if the vectors of S are all but linearly dependent. An interrupt leaves S to its column. */
static osvm_status factor_margin(osvm_incremental *s, int *done) {
  osvm_inverse *margin = &s->margin;
  const double work = (double)margin->size * margin->size / 6;
  const void *row;
  *done = 1;
  for (int i = 0; i < margin->size; i++) {
    OSVM_TRY(osvm_sv_set_row(s->sv_set, margin->slot[i], &row, s->machine->context.error));
    osvm_inverse_set(margin, i, row);
  }
  for (int pass = 0; pass < 3 && *done; pass++)
    for (int k = 0; k < margin->size && *done; k++) {
      s->machine->context.work += work;
      if (osvm_context_stopped(&s->machine->context, 0)) return OSVM_INTERRUPTED;
      if (pass == 0) *done = osvm_inverse_factor_row(margin, k);
      if (pass == 1) osvm_inverse_invert_row(margin, margin->size - 1 - k);
      if (pass == 2) osvm_inverse_multiply_row(margin, k);
    }
  if (!*done) return OSVM_OK;
  osvm_inverse_border(margin);
  for (int i = 0; i < margin->size; i++) {
    double *g = &column(s, OSVM_SV_GRADIENT)[margin->slot[i]];
    s->rounding += fabs(*g);
    *g = 0;
  }
  return OSVM_OK;
}

/* R from S alone: from its factor, or else by |S| expansions (13), where vectors that turn out to depend linearly on the
 * others become candidates. */
static osvm_status rebuild_inverse(osvm_incremental *s, int depth) {
  const int count = s->margin.size;
  int done;
  OSVM_TRY(factor_margin(s, &done));
  if (done) return OSVM_OK;
  int *slots = malloc(((size_t)count + 1) * sizeof(int));
  if (slots == NULL) return osvm_no_memory(s->machine->context.error);
  memcpy(slots, s->margin.slot, count * sizeof(int));
  osvm_inverse_clear(&s->margin);
  const osvm_status status = rejoin_margin(s, slots, count, depth);
  free(slots);
  return status;
}

static osvm_status migrate(osvm_incremental *s, const osvm_migration *migration, int c, double d, int depth) {
  const int slot = osvm_migration_slot(s, migration), k = migration->index;
  double *set = column(s, OSVM_INCREMENTAL_SET);
  const double y = column(s, OSVM_SV_LINEAR)[slot], from = set[slot];
  int joined;
  switch (migration->kind) {
  case OSVM_CANDIDATE_AT_BOUND: osvm_incremental_set_at_bound(s, c, bound(s, c, d)); return OSVM_OK;
  case OSVM_CANDIDATE_TO_MARGIN: return join_margin(s, c, &joined);
  case OSVM_LEAVES_MARGIN:
    osvm_incremental_set_at_bound(s, slot, bound(s, slot, s->margin.beta[k + 1] * d));
    osvm_inverse_contract(&s->margin, k);
    return OSVM_OK;
  case OSVM_JOINS_MARGIN:
    OSVM_TRY(join_margin(s, slot, &joined));
    if (joined) return OSVM_OK;
    set[slot] = OSVM_IN_TRANSIT;
    return move_candidate(s, slot, from == OSVM_IN_ERROR ? -y : y, 1, depth + 1);
  case OSVM_NO_MIGRATION: break;
  }
  return OSVM_OK;
}

/* alpha_c moves in direction d to its bound or, with to_margin, to where g_c = 0.
 *
 * This ends. alpha_c, or with an empty S the bias, moves in direction d only, and the optimum of the other coefficients
 * is a piecewise linear function of it, with one piece per partition into margin, error and reserve set. There are
 * finitely many partitions, and a positive step leaves one for good (in learning it also raises the dual objective,
 * whose slope is d g_c > 0). Steps of length 0 lead between partitions of the same solution; there ties go to the lower
 * slot. This is like Bland's rule, but with rounding and slack it is no proof: on data with many duplicates and ties,
 * some runs in a thousand do cycle. The cap on steps, or on candidates within candidates, then leaves c in transit, and
 * osvm_incremental_finish_transit moves it on before the next example. */
static osvm_status move_candidate(osvm_incremental *s, int c, double d, int to_margin, int depth) {
  const double max_steps = (double)STEPS_PER_VECTOR * (s->sv_set->n + 100);
  int rebuilt = 0;
  for (double steps = 0;; steps++) {
    if (osvm_context_stopped(&s->machine->context, 0)) return OSVM_INTERRUPTED;
    OSVM_TRY(osvm_migration_sensitivities(s, c));
    if (!s->margin.accurate && !rebuilt) {
      rebuilt = 1;
      OSVM_TRY(rebuild_inverse(s, depth));
      continue;
    }
    rebuilt = 0;
    const osvm_migration next = osvm_migration_next(s, c, d, to_margin);
    const double end = bound(s, c, d), left = fabs(end - column(s, OSVM_SV_COEF)[c]);
    if (!isfinite(next.step) && left <= AT_BOUND * column(s, OSVM_SV_COST)[c]) {
      osvm_incremental_set_at_bound(s, c, end); /* S is empty: no other alpha can make up for the rest */
      return OSVM_OK;
    }
    if (!isfinite(next.step) || steps > max_steps || depth > MAX_DEPTH) {
      s->unfinished = 1;
      return OSVM_OK;
    }
    advance(s, c, d * next.step);
    OSVM_TRY(migrate(s, &next, c, d, depth));
    if (next.kind == OSVM_CANDIDATE_AT_BOUND || column(s, OSVM_INCREMENTAL_SET)[c] == OSVM_IN_MARGIN) return OSVM_OK;
  }
}

/* ---- for the solver ---- */

static void update_scales(osvm_incremental *s, int slot) {
  const osvm_shared_sv *shared = s->sv_set->shared;
  const double k_ii = osvm_kernel_self(&s->run->kernel, &shared->store, s->sv_set->shared_slot[slot]);
  s->margin.kernel_max = fmax(s->margin.kernel_max, fabs(k_ii));
  s->upper_max = fmax(s->upper_max, column(s, OSVM_SV_COST)[slot]);
}

osvm_status osvm_incremental_open(osvm_incremental *s, osvm_run *run, osvm_machine *machine, int biased) {
  *s = (osvm_incremental){.run = run, .machine = machine, .sv_set = machine->sv_set};
  return osvm_inverse_open(&s->margin, run->store.simd, biased, machine->context.error);
}

osvm_status osvm_incremental_place(osvm_incremental *s, int slot, double set) {
  column(s, OSVM_INCREMENTAL_SET)[slot] = set;
  update_scales(s, slot);
  if (set == OSVM_IN_TRANSIT) s->unfinished = 1;
  if (set != OSVM_IN_MARGIN) return OSVM_OK;
  OSVM_TRY(osvm_inverse_reserve(&s->margin, s->machine->context.error));
  s->margin.slot[s->margin.size++] = slot;
  s->imported = 1;
  return OSVM_OK;
}

/* Before the first step of an imported model: examples that change nothing cost no R. */
static osvm_status make_inverse(osvm_incremental *s) {
  if (!s->imported) return OSVM_OK;
  s->imported = 0;
  OSVM_TRY(rebuild_inverse(s, 0));
  return osvm_incremental_correct(s);
}

osvm_status osvm_incremental_learn(osvm_incremental *s, int c) {
  const double y = column(s, OSVM_SV_LINEAR)[c];
  update_scales(s, c);
  if (y * column(s, OSVM_SV_GRADIENT)[c] <= KT_TOLERANCE) {
    column(s, OSVM_INCREMENTAL_SET)[c] = OSVM_IN_RESERVE;
    return OSVM_OK;
  }
  OSVM_TRY(make_inverse(s));
  OSVM_TRY(move_candidate(s, c, y, 1, 0));
  return osvm_incremental_correct_if_due(s);
}

osvm_status osvm_incremental_unlearn(osvm_incremental *s, int c) {
  OSVM_TRY(make_inverse(s));
  const double alpha = column(s, OSVM_SV_COEF)[c];
  for (int k = 0; k < s->margin.size; k++)
    if (s->margin.slot[k] == c) osvm_inverse_contract(&s->margin, k);
  column(s, OSVM_INCREMENTAL_SET)[c] = OSVM_IN_TRANSIT;
  if (alpha != 0) OSVM_TRY(move_candidate(s, c, alpha > 0 ? -1 : 1, 0, 0));
  OSVM_TRY(osvm_incremental_correct_if_due(s));
  column(s, OSVM_INCREMENTAL_SET)[c] = OSVM_IN_TRANSIT;
  return OSVM_OK;
}

/* In the direction of its gradient; at the bound there, its conditions hold. */
osvm_status osvm_incremental_finish_transit(osvm_incremental *s) {
  if (!s->unfinished) return OSVM_OK;
  OSVM_TRY(make_inverse(s));
  s->unfinished = 0;
  for (int k = 0; k < s->sv_set->n; k++) {
    const double alpha = column(s, OSVM_SV_COEF)[k], g = column(s, OSVM_SV_GRADIENT)[k];
    if (s->sv_set->shared_slot[k] < 0 || column(s, OSVM_INCREMENTAL_SET)[k] != OSVM_IN_TRANSIT) continue;
    if (alpha == bound(s, k, g)) osvm_incremental_set_at_bound(s, k, alpha);
    else OSVM_TRY(move_candidate(s, k, g > 0 ? 1 : -1, 1, 0));
  }
  return OSVM_OK;
}

/* gmax over I_up, where alpha may rise, and gmin over I_low, where it may fall (Keerthi et al. 2001) */
double osvm_incremental_middle_bias(const osvm_incremental *s, int except) {
  const double *alpha = column(s, OSVM_SV_COEF), *g = column(s, OSVM_SV_GRADIENT);
  double gmax = -INFINITY, gmin = INFINITY;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0 || k == except) continue;
    const double tolerance = AT_BOUND * column(s, OSVM_SV_COST)[k];
    const int may_rise = alpha[k] < high(s, k) - tolerance;
    const int may_fall = alpha[k] > low(s, k) + tolerance;
    if (may_rise && may_fall) return s->bias;
    if (may_rise) gmax = fmax(gmax, g[k]);
    if (may_fall) gmin = fmin(gmin, g[k]);
  }
  return isfinite(gmax) && isfinite(gmin) ? s->bias + (gmax + gmin) / 2 : s->bias;
}

void osvm_incremental_close(osvm_incremental *s) { osvm_inverse_close(&s->margin); }
