/* The incremental and the decremental procedure of Cauwenberghs & Poggio (2001); see incremental.h.
 *
 * Departs   A vector that reaches an edge but depends linearly on S (a duplicate) would make Q singular. It becomes the
 *           candidate, before the one that was moving: alpha_S and its alpha change, the outputs hardly, until it is at
 *           its next breakpoint or a margin vector has left S. */
#include "incremental-migration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distance of alpha_i from a bound, relative to C_i, that is rounding: alpha is the sum of its changes, each rounded to
 * eps C_i = 2.2e-16 C_i, and the constraint sum alpha = 0 hands the errors of all others to the last to move. Covers
 * some 4e5 of them. */
static const double AT_BOUND = 1e-10;
/* g of a new vector beyond an edge that counts as none: g has an error of eps sum_j |alpha_j k_ij|, 1e-11 where that sum
 * is 5e4. Such a vector goes to the reserve set; the slack of the ratio test is larger, so that it is not a violator
 * there. */
static const double KT_TOLERANCE = 1e-11;
/* Guards against rounding, see move_candidate: steps of a candidate, per vector of the machine (some tens in all are
 * usual), and candidates within candidates, one for each linearly dependent vector that was met while another was
 * moving. */
enum { STEPS_PER_VECTOR = 100, MAX_DEPTH = 40 };

static double *column(const osvm_incremental *s, int k) { return osvm_incremental_column(s, k); }

/* g of a vector in S, its edge but for rounding, becomes that */
static void set_at_edge(osvm_incremental *s, int slot) {
  double *g = &column(s, OSVM_SV_GRADIENT)[slot];
  const double edge = column(s, OSVM_INCREMENTAL_EDGE)[slot];
  s->rounding += fabs(*g - edge);
  *g = edge;
}

/* The vector, at its edge, joins S unless it depends linearly on S. */
static osvm_status join_margin(osvm_incremental *s, int slot, int *joined) {
  const void *row;
  OSVM_TRY(osvm_inverse_reserve(&s->margin, s->machine->context.error));
  OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
  const double k_ii = ((const double *)row)[slot] + osvm_incremental_diagonal(s, slot);
  osvm_inverse_solve_candidate(&s->margin, row, k_ii, 1);
  *joined = !s->margin.dependent;
  if (!*joined) return OSVM_OK;
  osvm_inverse_expand(&s->margin, slot, k_ii);
  set_at_edge(s, slot);
  osvm_incremental_release(s, slot, OSVM_IN_MARGIN);
  return OSVM_OK;
}

/* ---- the candidate's steps ---- */

/* (8), (9), (11) for a change of alpha_c, or of the bias. Each g is rounded once: by half an eps, 1e-16,
 * of the terms of its change. g_c is also off by (beta' residual) x change, since gamma_c is that of the exact beta;
 * the estimate leaves this out. */
static void advance(osvm_incremental *s, const osvm_move *move, double change) {
  double *alpha = column(s, OSVM_SV_COEF), *g = column(s, OSVM_SV_GRADIENT);
  const double *gamma = column(s, OSVM_INCREMENTAL_GAMMA);
  const osvm_inverse *margin = &s->margin;
  const int bias_alone = osvm_move_is_of_bias(s, move);
  for (int i = 0; i < s->sv_set->n; i++) g[i] -= gamma[i] * change;
  for (int j = 0; j < margin->size; j++) {
    alpha[margin->slot[j]] += margin->beta[j + 1] * change;
    g[margin->slot[j]] = column(s, OSVM_INCREMENTAL_EDGE)[margin->slot[j]];
  }
  if (!bias_alone) alpha[move->c] += change;
  if (!move->keeps_sum) s->sum += change;
  s->bias += bias_alone ? change : margin->beta[0] * change;
  s->machine->updates += 1;
  s->steps++;
  s->rounding += 1e-16 * margin->magnitude * fabs(change);
}

static osvm_status move_candidate(osvm_incremental *s, const osvm_move *move, int depth);

/* A vector in transit moves along its piece, as far as to the end in direction d. */
static osvm_status move_to_margin(osvm_incremental *s, int c, double d, int depth) {
  return move_candidate(s, &(osvm_move){c, d, osvm_incremental_end(s, c, d), 1, 1}, depth);
}

static double away_from_zero(const osvm_incremental *s, int slot) {
  return osvm_incremental_end(s, slot, 1) > 0 ? 1 : -1;
}

static osvm_status rejoin_margin(osvm_incremental *s, int *slots, int count, int depth) {
  int dependent = 0;
  for (int k = 0; k < count; k++) {
    int joined;
    s->machine->context.work += 4.0 * s->margin.size * s->margin.size;
    if (osvm_context_stopped(&s->machine->context, 0))
      return OSVM_INTERRUPTED; /* those left are in S by their column */
    OSVM_TRY(join_margin(s, slots[k], &joined));
    if (joined) continue;
    osvm_incremental_release(s, slots[k], OSVM_IN_TRANSIT);
    slots[dependent++] = slots[k];
  }
  for (int k = 0; k < dependent; k++) OSVM_TRY(move_to_margin(s, slots[k], away_from_zero(s, slots[k]), depth + 1));
  return OSVM_OK;
}

/* *done: 0 if the vectors of S are all but linearly dependent. An interrupt leaves S to its column. */
static osvm_status factor_margin(osvm_incremental *s, int *done) {
  osvm_inverse *margin = &s->margin;
  const double work = (double)margin->size * margin->size / 6;
  const void *row;
  *done = 1;
  for (int i = 0; i < margin->size; i++) {
    const int slot = margin->slot[i];
    OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
    osvm_inverse_set(margin, i, row, ((const double *)row)[slot] + osvm_incremental_diagonal(s, slot));
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
  for (int i = 0; i < margin->size; i++) set_at_edge(s, margin->slot[i]);
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

static void reach_goal(osvm_incremental *s, const osvm_move *move) {
  if (move->to_margin) osvm_incremental_set_at_breakpoint(s, move->c, move->goal);
  else osvm_incremental_set_coef(s, move->c, move->goal);
}

static osvm_status migrate(osvm_incremental *s, const osvm_migration *migration, const osvm_move *move, int depth) {
  const int slot = osvm_migration_slot(s, migration), k = migration->index;
  int joined, rises;
  switch (migration->kind) {
  case OSVM_CANDIDATE_AT_GOAL: reach_goal(s, move); return OSVM_OK;
  case OSVM_CANDIDATE_TO_MARGIN: return join_margin(s, slot, &joined);
  case OSVM_LEAVES_MARGIN:
    osvm_incremental_set_at_breakpoint(s, slot, osvm_incremental_end(s, slot, s->margin.beta[k + 1] * move->d));
    osvm_inverse_contract(&s->margin, k);
    return OSVM_OK;
  case OSVM_JOINS_MARGIN: /* a rising g reaches the edge of the piece above */
    rises = column(s, OSVM_INCREMENTAL_GAMMA)[slot] * move->d < 0;
    osvm_incremental_set_piece(s, slot, rises);
    column(s, OSVM_INCREMENTAL_EDGE)[slot] = column(s, rises ? OSVM_INCREMENTAL_ABOVE : OSVM_INCREMENTAL_BELOW)[slot];
    OSVM_TRY(join_margin(s, slot, &joined));
    if (joined) return OSVM_OK;
    osvm_incremental_release(s, slot, OSVM_IN_TRANSIT);
    return move_to_margin(s, slot, rises ? 1 : -1, depth + 1);
  case OSVM_NO_MIGRATION: break;
  }
  return OSVM_OK;
}

/* alpha_c moves to its goal or, with to_margin, to where g_c is its edge.
 *
 * This ends. alpha_c, or with an empty S the bias, moves in direction d only, and the optimum of the other coefficients
 * is a piecewise linear function of it, with one piece per partition into margin, error and reserve set. There are
 * finitely many partitions, and a positive step leaves one for good (in learning it also raises the dual objective,
 * whose slope is d g_c > 0). Steps of length 0 lead between partitions of the same solution; there ties go to the lower
 * slot. This is like Bland's rule, but with rounding and slack it is no proof: on data with many duplicates and ties,
 * some runs in a thousand do cycle. The cap on steps, or on candidates within candidates, then leaves c in transit, and
 * osvm_incremental_finish_transit moves it on before the next example. */
static osvm_status move_candidate(osvm_incremental *s, const osvm_move *move, int depth) {
  const int c = move->c;
  const double max_steps = (double)STEPS_PER_VECTOR * (s->sv_set->n + 100);
  int rebuilt = 0;
  for (double steps = 0;; steps++) {
    if (osvm_context_stopped(&s->machine->context, 0)) return OSVM_INTERRUPTED;
    OSVM_TRY(osvm_migration_sensitivities(s, move));
    if (!s->margin.accurate && !rebuilt) {
      rebuilt = 1;
      OSVM_TRY(rebuild_inverse(s, depth));
      continue;
    }
    rebuilt = 0;
    const osvm_migration next = osvm_migration_next(s, move);
    const double left = fabs(move->goal - column(s, OSVM_SV_COEF)[c]);
    if (!isfinite(next.step) && left <= AT_BOUND * column(s, OSVM_SV_COST)[c]) {
      reach_goal(s, move); /* S is empty: no other alpha can make up for the rest */
      return OSVM_OK;
    }
    if (!isfinite(next.step) || steps > max_steps || depth > MAX_DEPTH) {
      s->unfinished = 1;
      return OSVM_OK;
    }
    advance(s, move, move->d * next.step);
    OSVM_TRY(migrate(s, &next, move, depth));
    if (next.kind == OSVM_CANDIDATE_AT_GOAL || column(s, OSVM_INCREMENTAL_SET)[c] == OSVM_IN_MARGIN) return OSVM_OK;
  }
}

/* ---- for the solver ---- */

static void update_scales(osvm_incremental *s, int slot) {
  const osvm_shared_sv *shared = s->sv_set->shared;
  const double k_ii = osvm_kernel_self(&s->run->kernel, &shared->store, s->sv_set->shared_slot[slot]);
  const osvm_dual_term term = osvm_dual_sv_term(s->sv_set, slot);
  s->margin.kernel_max = fmax(s->margin.kernel_max, fabs(k_ii) + fmax(term.diagonal[0], term.diagonal[1]));
  s->upper_max = fmax(s->upper_max, column(s, OSVM_SV_COST)[slot]);
}

osvm_status osvm_incremental_open(osvm_incremental *s, osvm_run *run, osvm_machine *machine, int biased) {
  *s = (osvm_incremental){
      .run = run, .machine = machine, .sv_set = machine->sv_set, .epsilon = osvm_loss_tube(&run->loss)};
  return osvm_inverse_open(&s->margin, run->store.simd, biased, machine->context.error);
}

void osvm_incremental_set_piece(osvm_incremental *s, int slot, int rises) {
  const osvm_dual_term term = osvm_dual_sv_term(s->sv_set, slot);
  const double alpha = column(s, OSVM_SV_COEF)[slot];
  const int breaks = s->epsilon > 0 || term.diagonal[0] != term.diagonal[1];
  column(s, OSVM_INCREMENTAL_PIECE)[slot] = !breaks ? 0 : alpha > 0 || (alpha == 0 && rises) ? 1 : -1;
}

/* On the margin with a tube, g tells the edge. */
static osvm_status place(osvm_incremental *s, int slot) {
  const double set = column(s, OSVM_INCREMENTAL_SET)[slot], alpha = column(s, OSVM_SV_COEF)[slot];
  update_scales(s, slot);
  s->cost += column(s, OSVM_SV_COST)[slot];
  s->sum += alpha;
  if (set == OSVM_IN_TRANSIT) s->unfinished = 1;
  if (set == OSVM_IN_ERROR || set == OSVM_IN_RESERVE) osvm_incremental_set_at_breakpoint(s, slot, alpha);
  if (set != OSVM_IN_MARGIN) return OSVM_OK;
  column(s, OSVM_INCREMENTAL_EDGE)[slot] = column(s, OSVM_SV_GRADIENT)[slot] < 0 ? -s->epsilon : s->epsilon;
  osvm_incremental_set_piece(s, slot, column(s, OSVM_SV_GRADIENT)[slot] >= 0);
  OSVM_TRY(osvm_inverse_reserve(&s->margin, s->machine->context.error));
  s->margin.slot[s->margin.size++] = slot;
  s->imported = 1;
  return OSVM_OK;
}

/* The sum is not yet what it is to be where a vector was left on its way from or to 0. */
osvm_status osvm_incremental_restore(osvm_incremental *s) {
  for (int k = 0; k < s->sv_set->n; k++)
    if (s->sv_set->shared_slot[k] >= 0) OSVM_TRY(place(s, k));
  const double sum = osvm_loss_sum(&s->run->loss, s->cost);
  if (sum == 0 || !s->unfinished) s->sum = sum;
  return OSVM_OK;
}

/* Before the first step of an imported model: examples that change nothing cost no R. */
static osvm_status make_inverse(osvm_incremental *s) {
  if (!s->imported) return OSVM_OK;
  s->imported = 0;
  OSVM_TRY(rebuild_inverse(s, 0));
  return osvm_incremental_correct(s);
}

/* The candidate's part of the sum of all coefficients */
static osvm_status move_sum(osvm_incremental *s, int c) {
  const double sum = osvm_loss_sum(&s->run->loss, s->cost), alpha = column(s, OSVM_SV_COEF)[c];
  const double goal = fmin(fmax(alpha + sum - s->sum, 0), column(s, OSVM_SV_UPPER)[c]);
  if (sum == s->sum) return OSVM_OK;
  OSVM_TRY(make_inverse(s));
  OSVM_TRY(move_candidate(s, &(osvm_move){c, goal > alpha ? 1 : -1, goal, 0, 0}, 0));
  if (fabs(sum - s->sum) <= AT_BOUND * s->upper_max) s->sum = sum;
  return OSVM_OK;
}

/* A vector in transit goes where its conditions hold. From one piece it may have to go on to the next. */
static osvm_status settle(osvm_incremental *s, int c) {
  for (int piece = 0; piece < 2; piece++) {
    const double alpha = column(s, OSVM_SV_COEF)[c], g = column(s, OSVM_SV_GRADIENT)[c];
    const double above = -osvm_slope_up(alpha, column(s, OSVM_SV_UPPER)[c], s->epsilon),
                 below = -osvm_slope_low(alpha, column(s, OSVM_SV_LOWER)[c], s->epsilon);
    const int rises = g > above + KT_TOLERANCE, holds = !rises && g >= below - KT_TOLERANCE;
    if (holds && above != below) {
      osvm_incremental_set_at_breakpoint(s, c, alpha);
      return OSVM_OK;
    }
    int joined = 0;
    OSVM_TRY(make_inverse(s));
    osvm_incremental_release(s, c, OSVM_IN_TRANSIT);
    column(s, OSVM_INCREMENTAL_EDGE)[c] = rises ? above : below;
    osvm_incremental_set_piece(s, c, rises);
    if (holds) OSVM_TRY(join_margin(s, c, &joined));
    if (joined) return OSVM_OK;
    OSVM_TRY(move_to_margin(s, c, holds ? away_from_zero(s, c) : rises ? 1 : -1, 0));
    if (column(s, OSVM_INCREMENTAL_SET)[c] != OSVM_IN_RESERVE || column(s, OSVM_INCREMENTAL_PIECE)[c] == 0)
      return OSVM_OK;
  }
  return OSVM_OK;
}

osvm_status osvm_incremental_learn(osvm_incremental *s, int c) {
  update_scales(s, c);
  s->cost += column(s, OSVM_SV_COST)[c];
  OSVM_TRY(move_sum(s, c));
  OSVM_TRY(settle(s, c));
  return osvm_incremental_correct_if_due(s);
}

/* To 0; where the sum changes with the candidate, by way of its part of it. */
osvm_status osvm_incremental_unlearn(osvm_incremental *s, int c) {
  OSVM_TRY(make_inverse(s));
  for (int k = 0; k < s->margin.size; k++)
    if (s->margin.slot[k] == c) osvm_inverse_contract(&s->margin, k);
  osvm_incremental_release(s, c, OSVM_IN_TRANSIT);
  osvm_incremental_set_piece(s, c, 1);
  s->cost -= column(s, OSVM_SV_COST)[c];
  const double alpha = column(s, OSVM_SV_COEF)[c], part = s->sum - osvm_loss_sum(&s->run->loss, s->cost);
  if (alpha != part) OSVM_TRY(move_candidate(s, &(osvm_move){c, part > alpha ? 1 : -1, part, 0, 1}, 0));
  OSVM_TRY(move_sum(s, c));
  return osvm_incremental_correct_if_due(s);
}

osvm_status osvm_incremental_finish_transit(osvm_incremental *s) {
  if (!s->unfinished) return OSVM_OK;
  OSVM_TRY(make_inverse(s));
  s->unfinished = 0;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0 || column(s, OSVM_INCREMENTAL_SET)[k] != OSVM_IN_TRANSIT) continue;
    OSVM_TRY(move_sum(s, k));
    OSVM_TRY(settle(s, k));
  }
  return OSVM_OK;
}

/* gmax over I_up, where alpha may rise, and gmin over I_low, where it may fall (Keerthi et al. 2001) */
double osvm_incremental_middle_bias(const osvm_incremental *s, int except) {
  const double *g = column(s, OSVM_SV_GRADIENT), *lower = column(s, OSVM_SV_LOWER), *upper = column(s, OSVM_SV_UPPER);
  double gmax = -INFINITY, gmin = INFINITY;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0 || k == except) continue;
    const double alpha =
        osvm_at_breakpoint(column(s, OSVM_SV_COEF)[k], lower[k], upper[k], AT_BOUND * column(s, OSVM_SV_COST)[k]);
    const double up = osvm_slope_up(alpha, upper[k], s->epsilon), low = osvm_slope_low(alpha, lower[k], s->epsilon);
    if (up == low) return s->bias;
    gmax = fmax(gmax, g[k] + up);
    gmin = fmin(gmin, g[k] + low);
  }
  return s->bias + osvm_middle_bias(gmax, gmin);
}

void osvm_incremental_close(osvm_incremental *s) { osvm_inverse_close(&s->margin); }
