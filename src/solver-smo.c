/* SMO: the dual of the soft-margin machine, two coefficients at a time.
 *
 * Problem   min over alpha of alpha'Q alpha/2 - sum alpha,  0 <= alpha_i <= C_i,  sum y_i alpha_i = 0,
 *           Q_ij = y_i y_j k(x_i, x_j); in signed coefficients a_i = y_i alpha_i, and of other losses, see smo-dual.h. The
 *           logistic loss is not among them: its dual is not quadratic, and the minimum of a pair has no closed form
 * Rule      with gradients g_i = y_i - sum_j a_j k_ij and curvature c = k_ii + k_jj - 2 k_ij (1e-12 if not above 0):
 *             a_i += t, a_j -= t, t = (g_i - g_j) / c as far as the bounds allow
 *           second_order: i maximises g over I_up; j maximises (g_i - g_j)^2 / c over I_low. It ends when
 *             gmax - gmin < tolerance over all examples.
 *           random: j runs over the examples, i is drawn; pairs with c <= 0 are skipped. It ends when a whole sweep
 *             changes alpha by less than `tolerance` (Euclidean norm), or where rounding decides (base.h).
 *           bias: mean g of the coefficients between their bounds, else the middle of gmax and gmin. Without a bias no sum
 *             is kept, and a coefficient moves by itself, t = g_i / k_ii, where that gains more; random: after its pair
 * State     smo-dual.h: coefficients, gradient of the active examples, kernel rows among them. Shrinking every 1,000 steps;
 *           the gradient is reconstructed when the gap is down to ten tolerances, and again at the end.
 * Cost      per pair two passes over the active examples, and the rows that are not cached
 * Paper     Huang (2018), Algorithm 2 (random); Fan, Chen & Lin (2005), WSS 2, with LIBSVM's shrinking (second_order)
 * Departs   random: equal labels have H = min(C, alpha_i + alpha_j), and the clipped result is what is stored; gradients
 *           are updated, not recomputed. The paper's bias, the mean of y_i - w.x_i over all examples, would be exact for
 *           those between their bounds alone. An example's weight multiplies its C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "smo-dual.h"

typedef struct {
  double C, tolerance, selection, shrinking, max_iter, bias;
} params;
static const osvm_param declared[] = {{"C", OSVM_WARM_START},
                                      {"tolerance", OSVM_TOLERANCE},
                                      {"selection", OSVM_RULE},
                                      {"shrinking", OSVM_RULE},
                                      {"max_iter", OSVM_RULE},
                                      {"bias", OSVM_RULE},
                                      {0}};

enum { SECOND_ORDER, RANDOM }; /* in the order of R's choices */
enum { WEIGHT, COLUMNS };
static const osvm_column columns[COLUMNS] = {{.name = "weight"}};

static osvm_status step_pair(osvm_dual *s, int k, int l) {
  /* At most one of the two directions has a gain. */
  const int up = osvm_dual_slope_up(s, k) > osvm_dual_slope_low(s, l) ? k : l, low = k + l - up;
  const double difference = osvm_dual_slope_up(s, up) - osvm_dual_slope_low(s, low);
  if (!(difference > 0)) return OSVM_OK;
  const void *row = osvm_dual_row(s, up), *other = osvm_dual_row(s, low);
  const double c = osvm_dual_curvature(s, up, low, row);
  if (!isfinite(c)) return osvm_kernel_overflow(s->machine->context.error);
  if (c > 0) osvm_dual_step(s, up, low, difference / c, row, other);
  return OSVM_OK;
}

static osvm_status step_random(osvm_dual *s, int l) {
  if (s->active.n > 1) {
    const int k = osvm_random_below(&s->machine->context.random, s->active.n - 1);
    OSVM_TRY(step_pair(s, k >= l ? k + 1 : k, l));
  }
  return s->unbiased ? step_pair(s, OSVM_NO_EXAMPLE, l) : OSVM_OK;
}

static osvm_status sweep(osvm_dual *s) {
  for (int l = 0; l < s->active.n; l++) {
    s->machine->context.work += 4.0 * s->active.n;
    s->iterations++;
    if (osvm_dual_stopped(s)) return OSVM_INTERRUPTED;
    OSVM_TRY(step_random(s, l));
    if (osvm_stall_due(&s->stall, s->active.n)) osvm_dual_look(s);
  }
  return OSVM_OK;
}

static osvm_status solve_random(osvm_dual *s, const params *p, int *converged) {
  double *before = s->change;
  osvm_status status = OSVM_OK;
  for (double norm = INFINITY;
       norm >= p->tolerance && s->iterations < p->max_iter && !s->stall.stalled && status == OSVM_OK;) {
    memcpy(before, s->coef, s->n * sizeof(double));
    status = sweep(s);
    norm = 0;
    for (int i = 0; i < s->n; i++) norm += (s->coef[i] - before[i]) * (s->coef[i] - before[i]);
    norm = sqrt(norm);
    *converged = norm < p->tolerance;
  }
  osvm_dual_store_gradient(s);
  return status;
}

static osvm_status solve_dual(osvm_run *run, osvm_dual *dual) {
  const params *p = (const params *)run->params;
  osvm_convergence *end = &dual->machine->convergence;
  int converged = 0;
  const osvm_status status = p->selection == SECOND_ORDER ? osvm_dual_solve(dual, p->shrinking != 0, p->max_iter)
                                                          : solve_random(dual, p, &converged);
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) osvm_dual_finish(dual);
  if (p->selection == RANDOM) {
    end->finished = converged;
    end->stalled = !converged && dual->stall.stalled;
  }
  if (status == OSVM_INTERRUPTED) end->finished = 0;
  return status;
}

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  if (osvm_loss_is_of_share(&run->loss) && !((const params *)run->params)->bias)
    return osvm_fail(run->context.error, OSVM_INVALID,
                     "`bias` must be TRUE with loss_novelty(): it is the threshold that `nu` sets");
  for (int i = run->first; i < run->end; i++) machine->column[WEIGHT][i] = osvm_run_weight(run, i);
  return OSVM_OK;
}

static osvm_status open_and_solve(osvm_run *run, osvm_machine *machine, osvm_dual *dual) {
  const params *p = (const params *)run->params;
  OSVM_TRY(osvm_dual_open(dual, run, machine, p->C, p->tolerance, !p->bias));
  return solve_dual(run, dual);
}

/* Called again for the next C, the dual stays open with its kernel rows and gradient. Random pairs, whose end depends on
 * the draws, start from zero every time. */
static osvm_status solve(osvm_run *run, osvm_machine *machine, int again) {
  const params *p = (const params *)run->params;
  osvm_dual *dual = machine->state;
  if (!again) {
    osvm_dual once;
    const osvm_status status = open_and_solve(run, machine, &once);
    osvm_dual_close(&once);
    return status;
  }
  if (dual != NULL && p->selection == SECOND_ORDER) {
    OSVM_TRY(osvm_dual_warm_start(dual, p->C, p->tolerance));
    return solve_dual(run, dual);
  }
  if (dual != NULL) osvm_dual_close(dual);
  else machine->state = dual = calloc(1, sizeof *dual);
  if (dual == NULL) return osvm_no_memory(machine->context.error);
  memset(machine->expansion.coef, 0, run->store.n * sizeof(double));
  return open_and_solve(run, machine, dual);
}

static void close(osvm_machine *machine) { osvm_dual_close(machine->state); }

static int optimal(const double *values) {
  (void)values;
  return 1;
}

const osvm_solver osvm_solver_smo = {.title = "SMO",
                                     .summary = "the optimum of the soft-margin SVM, as LIBSVM finds it; warm starts",
                                     .paper = "Huang (2018), Algorithm 2; Fan, Chen & Lin (2005)",
                                     .space = "both",
                                     .params = declared,
                                     .batch = 1,
                                     .dual = 1,
                                     .losses = OSVM_BY_DUAL | OSVM_WITHOUT_TARGET,
                                     .columns = columns,
                                     .n_columns = COLUMNS,
                                     .on_expansion = 1,
                                     .repeats = osvm_repeats_weighed,
                                     .optimal = optimal,
                                     .open = open,
                                     .solve = solve,
                                     .close = close};
