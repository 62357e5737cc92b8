/* State of the dual: bounds, gradient, active set, shrinking, warm starts; see smo-dual.h. */
#include "smo-dual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  ADDED_BETWEEN_POLLS = 64,
  SAMPLE = 1000
}; /* SAMPLE: active examples from which the share of the work done is judged */
/* Packing the active set copies its examples: worth it if a fifth of them or more is removed. */
static const double WORTH_PACKING = 0.8;

static void set_real(const osvm_dual *s, void *values, int k, double x) { osvm_set_real(s->store->simd, values, k, x); }

/* The share of the work done. Most of it brings in the support vectors, one or two kernel rows each, while the gap stays
 * large: of the active examples that violate the conditions by a tenth of the gap about two in five end as one. Then the
 * gap closes about exponentially. The weights are those for which the time left was estimated best over twelve fits. */
static double share_done(osvm_dual *s, double gap) {
  const double middle = osvm_dual_middle(s), logarithm = log(s->largest_gap / s->tolerance);
  const int step = s->active.n / SAMPLE + 1;
  int vectors = 0, violators = 0;
  for (int i = 0; i < s->n; i++) vectors += s->coef[i] != 0;
  for (int k = 0; k < s->active.n; k += step)
    violators += osvm_dual_slope_up(s, k) - middle > 0.1 * gap || middle - osvm_dual_slope_low(s, k) > 0.1 * gap;
  const double found = vectors / (vectors + 0.4 * step * violators + 1);
  return 0.7 * found + 0.3 * (logarithm > 0 ? log(s->largest_gap / gap) / logarithm : 1);
}

int osvm_dual_stopped(osvm_dual *s) {
  osvm_context *context = &s->machine->context;
  if (s->no_poll || !osvm_context_due(context)) return 0;
  const double gap = fmax(osvm_dual_gmax(s) - osvm_dual_gmin(s), s->tolerance);
  s->largest_gap = fmax(s->largest_gap, gap);
  return osvm_context_poll(context, share_done(s, gap));
}

/* ---- active set ---- */

void osvm_dual_mark(osvm_dual *s, int k) {
  set_real(s, s->selection.up, k, osvm_dual_up(s, s->active.example[k]));
  set_real(s, s->selection.low, k, osvm_dual_low(s, s->active.example[k]));
}

/* The partner of a pair moves downwards. */
void osvm_dual_mark_diagonal(osvm_dual *s, int k) {
  const int i = s->active.example[k];
  set_real(s, s->selection.diagonal, k,
           osvm_kernel_self(&s->run->kernel, s->store, i) + osvm_dual_diagonal(&s->term[i], s->coef[i], 0));
}

static osvm_status fill_active_set(osvm_dual *s) {
  OSVM_TRY(osvm_active_set_select(&s->active, s->is_active, s->machine->context.error));
  s->padded = (int)s->active.stride;
  for (int k = 0; k < s->padded; k++) {
    const int i = k < s->active.n ? s->active.example[k] : -1;
    s->selection.gradient[k] = i < 0 ? 0 : s->gradient[i];
    set_real(s, s->selection.diagonal, k, i < 0 ? 1 : osvm_kernel_self(&s->run->kernel, s->store, i));
    set_real(s, s->selection.up, k, -INFINITY);
    set_real(s, s->selection.low, k, INFINITY);
    if (i >= 0) osvm_dual_mark(s, k);
    if (i >= 0 && s->has_diagonal) osvm_dual_mark_diagonal(s, k);
  }
  osvm_dual_begin_look(s);
  return OSVM_OK;
}

double osvm_dual_middle(const osvm_dual *s) {
  const double middle = (s->selection.gmax + s->selection.gmin) / 2;
  return isfinite(middle) && !s->unbiased ? middle : 0;
}

void osvm_dual_begin_look(osvm_dual *s) {
  s->stall.steps = 0;
  s->middle_at_look = osvm_dual_middle(s);
  memcpy(s->coef_at_look, s->coef, s->n * sizeof(double));
  memcpy(s->gradient_at_look, s->gradient, s->n * sizeof(double));
}

/* A zero step: the kernel rows are not used, any finite values do. */
void osvm_dual_refresh_selection(osvm_dual *s) {
  osvm_pair_step(s->store->simd, &s->selection, s->active.cache.slab, s->active.cache.slab, s->padded, 0,
                 s->machine->context.team);
}

void osvm_dual_store_gradient(osvm_dual *s) {
  for (int k = 0; k < s->active.n; k++) s->gradient[s->active.example[k]] = s->selection.gradient[k];
}

/* gradient -= sum_i (a_i - before_i) k_i over the examples of `target`, whose own coefficients did not change but for
 * what the gradient has of d_i already; before = NULL: zeros. */
static osvm_status subtract_changes(osvm_dual *s, const double *before, osvm_active_set *target, double *gradient) {
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    const double change = s->coef[i] - (before != NULL ? before[i] : 0);
    if (change == 0 || !s->is_member[i]) continue;
    s->change[count] = -change;
    s->changed[count++] = i;
  }
  for (int k = 0; k < count; k += ADDED_BETWEEN_POLLS) {
    const int some = count - k < ADDED_BETWEEN_POLLS ? count - k : ADDED_BETWEEN_POLLS;
    if (osvm_dual_stopped(s)) return OSVM_INTERRUPTED;
    osvm_active_set_add(target, s->changed + k, s->change + k, some, gradient);
  }
  return OSVM_OK;
}

/* ---- shrinking ---- */

static osvm_status reconstruct_group(osvm_dual *s, int group) {
  for (int i = 0; i < s->n; i++) s->is_active[i] = s->shrunk_at[i] == group;
  OSVM_TRY(osvm_active_set_select(&s->reconstructed, s->is_active, s->machine->context.error));
  double *gradient = s->selection.gradient; /* free to use: it is filled anew before the next step */
  for (int k = 0; k < s->reconstructed.n; k++) gradient[k] = s->gradient[s->reconstructed.example[k]];
  OSVM_TRY(subtract_changes(s, s->coef_then[group], &s->reconstructed, gradient));
  for (int k = 0; k < s->reconstructed.n; k++) s->gradient[s->reconstructed.example[k]] = gradient[k];
  return OSVM_OK;
}

osvm_status osvm_dual_reconstruct_gradient(osvm_dual *s) {
  osvm_dual_store_gradient(s);
  for (int group = 0; group < s->n_shrinks; group++) OSVM_TRY(reconstruct_group(s, group));
  s->n_shrinks = 0;
  s->selection.gmax = -INFINITY;
  s->selection.gmin = INFINITY;
  for (int i = 0; i < s->n; i++) {
    s->shrunk_at[i] = -1;
    s->is_active[i] = s->is_member[i];
    if (!s->is_active[i]) continue;
    s->selection.gmax = fmax(s->selection.gmax, s->gradient[i] + osvm_dual_up(s, i));
    s->selection.gmin = fmin(s->selection.gmin, s->gradient[i] + osvm_dual_low(s, i));
  }
  return OSVM_OK;
}

/* An example whose slope upwards is below gmin and whose slope downwards is above gmax is in no violating pair. It is at a
 * bound or, within the tube of an epsilon-insensitive loss, at 0. Its coefficient stays fixed while it is removed, so the
 * iterate stays feasible: steps move two active coefficients by t and -t. The final check over all examples
 * (osvm_dual_solve) makes the solution independent of what was removed. */
static int is_shrinkable(const osvm_dual *s, int i) {
  const double g = s->gradient[i];
  return g + osvm_dual_up(s, i) < osvm_dual_gmin(s) && g + osvm_dual_low(s, i) > osvm_dual_gmax(s);
}

osvm_status osvm_dual_shrink(osvm_dual *s, int refill) {
  int active = 0, shrinkable = 0;
  for (int i = 0; i < s->n; i++) {
    if (!s->is_active[i]) continue;
    active++;
    shrinkable += is_shrinkable(s, i);
  }
  if (s->n_shrinks < OSVM_MAX_SHRINKS && active - shrinkable < WORTH_PACKING * active) {
    double **then = &s->coef_then[s->n_shrinks];
    if (*then == NULL) *then = malloc(s->n * sizeof(double));
    if (*then == NULL) return osvm_no_memory(s->machine->context.error);
    memcpy(*then, s->coef, s->n * sizeof(double));
    for (int i = 0; i < s->n; i++) {
      if (!s->is_active[i] || !is_shrinkable(s, i)) continue;
      s->is_active[i] = 0;
      s->shrunk_at[i] = s->n_shrinks;
    }
    s->n_shrinks++;
  } else if (!refill) {
    return OSVM_OK;
  }
  return fill_active_set(s);
}

/* ---- opening ---- */

static osvm_status allocate(osvm_dual *s, osvm_run *run, osvm_machine *machine, const osvm_store *store, size_t bytes) {
  enum { ARRAYS = 10, ALIGNED = 8 };
  const size_t n = store->n, length = (n + store->width + ALIGNED) / ALIGNED * ALIGNED;
  *s = (osvm_dual){.run = run, .store = store, .n = store->n, .machine = machine, .epsilon = osvm_dual_epsilon(run)};
  double *array = s->arrays = calloc(ARRAYS * length, sizeof(double));
  s->term = calloc(n + 1, sizeof *s->term);
  s->is_member = calloc(2, n + 1);
  s->shrunk_at = malloc(2 * (n + 1) * sizeof(int));
  if (!s->arrays || !s->term || !s->is_member || !s->shrunk_at) return osvm_no_memory(machine->context.error);
  s->is_active = s->is_member + n + 1;
  s->changed = s->shrunk_at + n + 1;
  s->gradient = array;
  s->change = array += length;
  s->coef_at_look = array += length;
  s->gradient_at_look = array += length;
  s->zeros = array += length;
  s->selection.gradient = array += length;
  s->selection.up = array += length;
  s->selection.low = array += length;
  s->selection.gradient_low = array += length;
  s->selection.diagonal = array += length;
  OSVM_TRY(osvm_active_set_open(&s->active, &run->kernel, store, bytes, machine->context.team, machine->context.error));
  OSVM_TRY(
      osvm_active_set_open(&s->reconstructed, &run->kernel, store, 0, machine->context.team, machine->context.error));
  s->active.rows.evaluations = s->reconstructed.rows.evaluations = &machine->context.evaluations;
  if (store != &run->store) return OSVM_OK;
  s->active.rows.gram = run->gram;
  if (store->sparse) s->reconstructed.rows.gram = run->gram; /* dense sums are computed as fast as gathered */
  return OSVM_OK;
}

void osvm_dual_set(osvm_dual *s, int i, osvm_dual_term term, double coef, double gradient) {
  s->is_member[i] = 1;
  s->term[i] = term;
  s->has_diagonal |= term.diagonal[0] != 0 || term.diagonal[1] != 0;
  s->coef[i] = coef;
  s->gradient[i] = gradient;
}

/* Of the carried examples those with a coefficient are part of the subproblem: an update goes on from the machine's own
 * support vectors, whose sum stands for all examples that it has learned. Returns the sum of the coefficients. */
static double read_members(osvm_dual *s, const double *weight) {
  const osvm_loss *loss = &s->machine->objective;
  double added = 0, carried = 0;
  for (int i = 0; i < s->n; i++) {
    const double y = osvm_run_target(s->run, s->machine->index, i), a = s->coef[i];
    s->shrunk_at[i] = -1;
    s->coef[i] = 0;
    if (isnan(y) || !(weight[i] > 0) || (i < s->run->first && a == 0)) continue;
    const osvm_dual_term term = osvm_loss_term(loss, y, osvm_loss_cost(loss, s->C, weight[i]));
    osvm_dual_set(s, i, term, fmin(fmax(a, term.lower), term.upper), term.linear);
    s->is_active[i] = 1;
    if (i < s->run->first) carried += s->coef[i];
    else added += weight[i];
  }
  return osvm_loss_is_of_share(loss) ? carried + osvm_loss_sum(loss, added) : 0;
}

/* The sum of the coefficients, which lie within their bounds, becomes `sum` >= 0: the side that is too large is scaled
 * down; if that does not suffice, the first coefficients are raised to their upper bounds. */
static void make_feasible(osvm_dual *s, double sum) {
  double side[2] = {0, 0};
  for (int i = 0; i < s->n; i++) side[s->coef[i] > 0] += fabs(s->coef[i]);
  const int heavy = side[1] > side[0] + sum;
  const double keep = heavy ? (side[0] + sum) / side[1] : fmax(0, side[1] - sum) / side[0];
  if (side[heavy] > 0)
    for (int i = 0; i < s->n; i++)
      if ((s->coef[i] > 0) == heavy) s->coef[i] *= keep;
  double missing = sum - side[1];
  for (int i = 0; i < s->n && missing > 0; i++) {
    const double more = fmin(missing, s->term[i].upper - s->coef[i]);
    s->coef[i] = more < missing ? s->term[i].upper : s->coef[i] + more;
    missing -= more;
  }
}

/* The cache is zeroed, and machines of one class against another have few of the examples: it has room for their kernel
 * rows and no more. */
osvm_status osvm_dual_open(osvm_dual *s, osvm_run *run, osvm_machine *machine, double C, double tolerance,
                           int unbiased) {
  OSVM_TRY(allocate(s, run, machine, &run->store, (size_t)osvm_run_kernel_bytes(run, machine)));
  s->coef = machine->expansion.coef;
  s->C = C;
  s->tolerance = tolerance;
  s->objective = -INFINITY;
  s->unbiased = unbiased;
  const double sum = read_members(s, machine->column[0]);
  if (!unbiased) make_feasible(s, sum);
  for (int i = 0; i < s->n && s->has_diagonal; i++) s->gradient[i] -= osvm_dual_pull(&s->term[i], s->coef[i]);
  OSVM_TRY(fill_active_set(s));
  OSVM_TRY(subtract_changes(s, NULL, &s->active, s->selection.gradient));
  osvm_dual_store_gradient(s);
  osvm_dual_begin_look(s);
  osvm_dual_refresh_selection(s);
  return OSVM_OK;
}

osvm_status osvm_dual_open_on(osvm_dual *s, osvm_run *run, osvm_machine *machine, const osvm_store *store, size_t bytes,
                              double tolerance) {
  OSVM_TRY(allocate(s, run, machine, store, bytes));
  s->tolerance = tolerance;
  s->objective = -INFINITY;
  s->coef = s->own_coef = calloc((size_t)s->n + 1, sizeof(double));
  for (int i = 0; i < s->n; i++) s->shrunk_at[i] = -1;
  return s->coef != NULL ? OSVM_OK : osvm_no_memory(machine->context.error);
}

osvm_status osvm_dual_begin(osvm_dual *s) {
  memcpy(s->is_active, s->is_member, s->n);
  OSVM_TRY(fill_active_set(s));
  osvm_dual_refresh_selection(s);
  return OSVM_OK;
}

/* ---- warm starts along C ---- */

/* K a */
static double kernel_part(const osvm_dual *s, int i) {
  return s->term[i].linear - s->gradient[i] - osvm_dual_pull(&s->term[i], s->coef[i]);
}

/* The multiple r <= most of the coefficients with the least objective r^2 (a'Ka + sum d_i a_i^2 / most) / 2 -
 * r (p'a - eps |a|), most being C'/C */
static double best_multiple(const osvm_dual *s, double most) {
  double linear = 0, square = 0;
  for (int i = 0; i < s->n; i++) {
    linear += s->coef[i] * s->term[i].linear - s->epsilon * fabs(s->coef[i]);
    square += s->coef[i] * (kernel_part(s, i) + osvm_dual_pull(&s->term[i], s->coef[i]) / most);
  }
  return square > 0 && linear < most * square ? fmax(linear / square, fmin(most, 1)) : most;
}

/* r a is feasible for the bounds C'_i = (C'/C) C_i if r <= C'/C: the bounds scale with C, and sum r a_i = r sum a_i = 0.
 * Its gradient is p - r K a - d' r a, where K a is known: no kernel value is needed. A coefficient at its bound stays at it, to the bit. Without
 * a target neither bounds nor solution depend on C. */
osvm_status osvm_dual_warm_start(osvm_dual *s, double C, double tolerance) {
  const double most = osvm_loss_is_of_share(&s->run->loss) ? 1 : C / s->C;
  const double multiple = most == 1 ? 1 : fmin(best_multiple(s, most), most);
  s->C = C;
  s->tolerance = tolerance;
  s->iterations = s->largest_gap = 0;
  s->stall.stalled = s->n_shrinks = 0;
  s->objective = -INFINITY;
  for (int i = 0; i < s->n; i++) {
    osvm_dual_term *term = &s->term[i];
    const int at_lower = s->coef[i] == term->lower, at_upper = s->coef[i] == term->upper;
    const double kernels = kernel_part(s, i);
    osvm_dual_scale_cost(term, most);
    s->coef[i] *= multiple;
    if (at_lower && multiple == most) s->coef[i] = term->lower;
    if (at_upper && multiple == most) s->coef[i] = term->upper;
    s->gradient[i] = term->linear - multiple * kernels - osvm_dual_pull(term, s->coef[i]);
    s->shrunk_at[i] = -1;
  }
  return osvm_dual_begin(s);
}

/* ---- result ---- */

/* Distance of a coefficient from a bound, relative to the largest, that is rounding: each of its changes is rounded to
 * 2.2e-16 of that */
static const double AT_BOUND = 1e-10;

/* The bias is the mean slope of the coefficients between their bounds and, where eps > 0, not 0; without any, the middle
 * of gmax and gmin. Of a novelty machine it is the largest of these slopes: all such examples belong to the inside. */
void osvm_dual_finish(osvm_dual *s) {
  double sum = 0, count = 0, objective = 0, largest = -INFINITY, rounding = 0;
  double gmax = s->unbiased ? 0 : -INFINITY, gmin = s->unbiased ? 0 : INFINITY;
  for (int i = 0; i < s->n; i++)
    if (s->is_member[i]) rounding = fmax(rounding, AT_BOUND * fabs(s->coef[i]));
  for (int i = 0; i < s->n; i++) {
    if (!s->is_member[i]) continue;
    objective -= s->coef[i] * (s->gradient[i] + s->term[i].linear) / 2 - s->epsilon * fabs(s->coef[i]);
    if (s->shrunk_at[i] >= 0) continue;
    const osvm_dual_term *term = &s->term[i];
    const double coef = osvm_at_breakpoint(s->coef[i], term->lower, term->upper, rounding);
    const double up = s->gradient[i] + osvm_slope_up(coef, term->upper, s->epsilon);
    const double low = s->gradient[i] + osvm_slope_low(coef, term->lower, s->epsilon);
    gmax = fmax(gmax, up);
    gmin = fmin(gmin, low);
    if (up != low) continue;
    sum += up;
    count++;
    largest = fmax(largest, up);
  }
  const int bounded = isfinite(gmax) && isfinite(gmin);
  const double gap = bounded ? fmax(gmax - gmin, 0) : 0;
  const double mean = osvm_loss_is_of_share(&s->run->loss) ? largest : sum / count;
  s->machine->expansion.bias = s->unbiased ? 0 : count > 0 ? mean : osvm_middle_bias(gmax, gmin);
  const int finished = gap < s->tolerance;
  s->machine->convergence = (osvm_convergence){s->iterations, gap, objective, finished, !finished && s->stall.stalled};
  s->machine->expansion.steps += s->iterations;
  s->machine->visits += s->iterations;
}

void osvm_dual_close(osvm_dual *s) {
  osvm_active_set_close(&s->active);
  osvm_active_set_close(&s->reconstructed);
  for (int g = 0; g < OSVM_MAX_SHRINKS; g++) free(s->coef_then[g]);
  free(s->own_coef);
  free(s->arrays);
  free(s->term);
  free(s->is_member);
  free(s->shrunk_at);
}
