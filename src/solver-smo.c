/* SMO: the dual of the soft-margin machine with bias, two coefficients at a time.
 *
 * Problem   min over a of a'Qa/2 - sum a,  0 <= a_i <= C_i,  sum y_i a_i = 0;  Q_ij = y_i y_j k(x_i, x_j)
 *           in signed coefficients b_i = y_i a_i, which makes all labels alike: b_i between 0 and y_i C_i, sum b_i = 0
 * Rule      with errors e_i = y_i - sum_j b_j k_ij and c = k_ii + k_jj - 2 k_ij (1e-12 if not above 0):
 *             b_i += t, b_j -= t, t = (e_i - e_j) / c as far as the bounds allow
 *           second_order: i has the largest e among those that may rise; j the largest (e_i - e_j)^2 / c among those that
 *             may fall. It ends when the largest e that may rise is less than `tolerance` above the smallest that may fall.
 *           random: j goes through the examples, i is drawn; pairs with c <= 0 are skipped. It ends when a whole sweep
 *             changes a by less than `tolerance` (Euclidean norm).
 *           bias: mean e of the coefficients between their bounds, else the middle of what the others allow
 * State     core-dual.h: coefficients, errors of the active examples, kernel rows among them. Shrinking sets examples at a
 *           bound aside, every PERIOD steps, and recalls them when the gap is down to ten times the tolerance and again
 *           at the end.
 * Cost      per pair two passes over the active examples, and the rows that are not cached
 * Paper     Huang (2018), Algorithm 2 (random); Fan, Chen & Lin (2005), WSS 2, with LIBSVM's shrinking (second_order)
 * Departs   random: equal labels have H = min(C, a_i + a_j), and the clipped result is what is stored; errors are updated,
 *           not recomputed. An example's weight multiplies its C. */
#include <math.h>
#include <string.h>

#include "core-dual.h"

typedef struct {
  double C, tolerance, selection, shrinking, max_iter;
} rule;
static const char *const params[] = {"C", "tolerance", "selection", "shrinking", "max_iter", NULL};

enum { PERIOD = 1000 };
static const double TAU = 1e-12;

static osvm_status overflow(const osvm_dual *s) {
  return osvm_fail(s->run->error, OSVM_DIVERGED, "the kernel values grew beyond all numbers; scale the data");
}

static int lowest_place(const osvm_dual *s) {
  for (int k = 0; k < s->active.n; k++)
    if (osvm_dual_falls(s, s->active.who[k]) && s->pairs.error[k] == s->pairs.lowest) return k;
  return -1;
}

/* The row of k, and while the examples are being read, of those that violate most on the same side: they come next. */
static const void *fetch_row(osvm_dual *s, int k, int rising) {
  int who[OSVM_QUERIES] = {k}, count = 1;
  if (!osvm_active_lacks(&s->active, k) || !osvm_active_fetches(&s->active)) return osvm_active_row(&s->active, k);
  double worst[OSVM_QUERIES] = {INFINITY}, least = -INFINITY;
  for (int l = 0; l < s->active.n; l++) {
    const double e = s->pairs.error[l], bad = rising ? e : -e;
    if (!(bad > least) || l == k || !osvm_active_lacks(&s->active, l)) continue;
    const int i = s->active.who[l];
    if (!(rising ? osvm_dual_rises(s, i) : osvm_dual_falls(s, i))) continue;
    int q = count < OSVM_QUERIES ? count++ : OSVM_QUERIES - 1;
    for (; bad > worst[q - 1]; q--) {
      worst[q] = worst[q - 1];
      who[q] = who[q - 1];
    }
    worst[q] = bad;
    who[q] = l;
    if (count == OSVM_QUERIES) least = worst[count - 1];
  }
  osvm_active_fetch(&s->active, who, count);
  return osvm_active_row(&s->active, k);
}

static osvm_status step_second_order(osvm_dual *s) {
  const int k = s->pairs.first;
  const double *error = s->pairs.error;
  const void *row = fetch_row(s, k, 1);
  int l = s->run->store.simd->pair_second(&s->pairs, row, s->padded);
  /* Rounding may hide a small difference of large errors. */
  if (l < 0 || !(error[k] > error[l])) l = lowest_place(s);
  if (l < 0) return overflow(s);
  const void *other = fetch_row(s, l, 0);
  const double c = osvm_dual_curvature(s, k, l, row), t = (error[k] - error[l]) / (c > 0 ? c : TAU);
  if (!isfinite(c) || !isfinite(t)) return overflow(s);
  osvm_dual_step(s, k, l, t, row, other);
  return OSVM_OK;
}

/* Every PERIOD steps, and once, when the end is near, with all examples. */
static osvm_status shrink(osvm_dual *s, int *recalled) {
  const int near = !*recalled && s->asides > 0 && s->pairs.highest - s->pairs.lowest <= 10 * s->tolerance;
  *recalled |= near;
  osvm_dual_keep(s);
  osvm_status status = near ? osvm_dual_recall(s) : OSVM_OK;
  if (status == OSVM_OK) status = osvm_dual_set_aside(s, near);
  if (status == OSVM_OK) osvm_dual_look(s);
  return status;
}

static osvm_status solve_second_order(osvm_dual *s, const rule *r) {
  const int period = s->n < PERIOD ? s->n : PERIOD;
  int countdown = period, recalled = 0;
  osvm_status status = OSVM_OK;
  while (status == OSVM_OK) {
    const int over = s->iterations >= r->max_iter;
    if (over || s->pairs.highest - s->pairs.lowest < r->tolerance) {
      const int all = s->asides == 0;
      if (all) osvm_dual_keep(s);
      else status = osvm_dual_recall(s);
      if (status != OSVM_OK || all || over || s->pairs.highest - s->pairs.lowest < r->tolerance) return status;
      status = osvm_dual_set_aside(s, 1);
      if (status == OSVM_OK) osvm_dual_look(s);
    } else if (r->shrinking && --countdown == 0) {
      countdown = period;
      status = shrink(s, &recalled);
    } else {
      s->worked += 4.0 * s->active.n;
      status = osvm_dual_stopped(s) ? OSVM_INTERRUPTED : step_second_order(s);
      s->iterations += status == OSVM_OK;
      if (status == OSVM_INTERRUPTED) osvm_dual_keep(s);
    }
  }
  return status;
}

static osvm_status step_random(osvm_dual *s, int l) {
  int k = osvm_random_below(&s->run->random, s->active.n - 1);
  if (k >= l) k++;
  /* The one with the larger error can only rise, the other only fall. */
  const int up = s->pairs.error[k] > s->pairs.error[l] ? k : l, down = k + l - up;
  if (!osvm_dual_rises(s, s->active.who[up]) || !osvm_dual_falls(s, s->active.who[down])) return OSVM_OK;
  const void *row = osvm_active_row(&s->active, up), *other = osvm_active_row(&s->active, down);
  const double c = osvm_dual_curvature(s, up, down, row);
  if (!isfinite(c)) return overflow(s);
  if (c > 0) osvm_dual_step(s, up, down, (s->pairs.error[up] - s->pairs.error[down]) / c, row, other);
  return OSVM_OK;
}

static osvm_status solve_random(osvm_dual *s, const rule *r, int *settled) {
  double *before = s->factor;
  osvm_status status = OSVM_OK;
  for (double norm = INFINITY; norm >= r->tolerance && s->iterations < r->max_iter && status == OSVM_OK;) {
    memcpy(before, s->b, s->n * sizeof(double));
    for (int l = 0; l < s->active.n && s->active.n > 1 && status == OSVM_OK; l++) {
      s->worked += 4.0 * s->active.n;
      status = osvm_dual_stopped(s) ? OSVM_INTERRUPTED : step_random(s, l);
      s->iterations++;
    }
    norm = 0;
    for (int i = 0; i < s->n; i++) norm += (s->b[i] - before[i]) * (s->b[i] - before[i]);
    norm = sqrt(norm);
    *settled = norm < r->tolerance;
  }
  osvm_dual_keep(s);
  return status;
}

static osvm_status solve(osvm_run *run, int m) {
  const rule *r = (const rule *)run->rule;
  osvm_convergence *end = &run->machine[m].convergence;
  osvm_dual dual;
  int settled = 0;
  osvm_status status = osvm_dual_open(&dual, run, m, r->C, r->tolerance);
  if (status == OSVM_OK) {
    status = r->selection == 0 ? solve_second_order(&dual, r) : solve_random(&dual, r, &settled);
    if (status == OSVM_OK || status == OSVM_INTERRUPTED) osvm_dual_conclude(&dual);
    if (r->selection != 0) end->finished = settled;
    if (status == OSVM_INTERRUPTED) end->finished = 0;
  }
  osvm_dual_close(&dual);
  return status;
}

const osvm_solver osvm_solver_smo = {.params = params, .dual = 1, .solve = solve, .export = osvm_dual_export};
