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
 * State     smo-dual.h: coefficients, errors of the active examples, kernel rows among them. Shrinking sets examples at a
 *           bound aside, every PERIOD steps, and recalls them when the gap is down to ten times the tolerance and again
 *           at the end.
 * Cost      per pair two passes over the active examples, and the rows that are not cached
 * Paper     Huang (2018), Algorithm 2 (random); Fan, Chen & Lin (2005), WSS 2, with LIBSVM's shrinking (second_order)
 * Departs   random: equal labels have H = min(C, a_i + a_j), and the clipped result is what is stored; errors are updated,
 *           not recomputed. An example's weight multiplies its C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "smo-dual.h"

typedef struct {
  double C, tolerance, selection, shrinking, max_iter;
} rule;
static const char *const params[] = {"C", "tolerance", "selection", "shrinking", "max_iter", NULL};

static osvm_status step_random(osvm_dual *s, int l) {
  int k = osvm_random_below(&s->run->random, s->active.n - 1);
  if (k >= l) k++;
  /* The one with the larger error can only rise, the other only fall. */
  const int up = s->selection.gradient[k] > s->selection.gradient[l] ? k : l, down = k + l - up;
  if (!osvm_dual_in_up(s, s->active.who[up]) || !osvm_dual_in_low(s, s->active.who[down])) return OSVM_OK;
  const void *row = osvm_active_set_row(&s->active, up), *other = osvm_active_set_row(&s->active, down);
  const double c = osvm_dual_curvature(s, up, down, row);
  if (!isfinite(c)) return osvm_dual_overflow(s);
  if (c > 0) osvm_dual_step(s, up, down, (s->selection.gradient[up] - s->selection.gradient[down]) / c, row, other);
  return OSVM_OK;
}

static osvm_status solve_random(osvm_dual *s, const rule *r, int *settled) {
  double *before = s->factor;
  osvm_status status = OSVM_OK;
  for (double norm = INFINITY; norm >= r->tolerance && s->iterations < r->max_iter && status == OSVM_OK;) {
    memcpy(before, s->b, s->n * sizeof(double));
    for (int l = 0; l < s->active.n && s->active.n > 1 && status == OSVM_OK; l++) {
      s->work += 4.0 * s->active.n;
      status = osvm_dual_stopped(s) ? OSVM_INTERRUPTED : step_random(s, l);
      s->iterations++;
    }
    norm = 0;
    for (int i = 0; i < s->n; i++) norm += (s->b[i] - before[i]) * (s->b[i] - before[i]);
    norm = sqrt(norm);
    *settled = norm < r->tolerance;
  }
  osvm_dual_store_gradient(s);
  return status;
}

static osvm_status solve_opened(osvm_run *run, osvm_dual *dual) {
  const rule *r = (const rule *)run->rule;
  osvm_convergence *end = &dual->machine->convergence;
  int settled = 0;
  osvm_status status =
      r->selection == 0 ? osvm_dual_solve(dual, r->shrinking != 0, r->max_iter) : solve_random(dual, r, &settled);
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) osvm_dual_finish(dual);
  if (r->selection != 0) end->finished = settled;
  if (status == OSVM_INTERRUPTED) end->finished = 0;
  return status;
}

static osvm_status solve(osvm_run *run, int m) {
  const rule *r = (const rule *)run->rule;
  osvm_dual dual;
  osvm_status status = osvm_dual_open(&dual, run, m, r->C, r->tolerance);
  if (status == OSVM_OK) status = solve_opened(run, &dual);
  osvm_dual_close(&dual);
  return status;
}

/* The dual stays open between one C and the next, with its kernel rows and errors. Random pairs, which stop where they
 * happen to, start from nothing every time, as they would alone. */
static osvm_status resume(osvm_run *run, int m) {
  const rule *r = (const rule *)run->rule;
  osvm_dual *dual = run->machine[m].memory;
  osvm_status status;
  if (dual != NULL && r->selection == 0) {
    status = osvm_dual_warm_start(dual, r->C, r->tolerance);
  } else {
    if (dual != NULL) osvm_dual_close(dual);
    else run->machine[m].memory = dual = calloc(1, sizeof *dual);
    if (dual == NULL) return osvm_no_memory(run->error);
    memset(run->machine[m].expansion.coef, 0, run->store.n * sizeof(double));
    status = osvm_dual_open(dual, run, m, r->C, r->tolerance);
  }
  return status == OSVM_OK ? solve_opened(run, dual) : status;
}

static void close(osvm_run *run) {
  for (int m = 0; m < run->task->machines; m++)
    if (run->machine[m].memory != NULL) osvm_dual_close(run->machine[m].memory);
}

const osvm_solver osvm_solver_smo = {
    .params = params, .dual = 1, .solve = solve, .resume = resume, .export = osvm_dual_export, .close = close};
