/* Coordinate descent on the dual (11) of V; see ramp.h. Wang & Vucetic (2009), Algorithm 1, lines 10 to 15.
 *
 * The coordinate with the largest gain is next (13), so that a pass over the examples both updates the gradients and
 * selects. Where many steps are needed they are taken within a working set, the examples with alpha other than 0 and
 * those that violate (3), in columns and kernel rows of its own; the other gradients follow once, at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ramp.h"

/* When to take steps within a working set of m instead of among all n:
 * MANY           with fewer examples a step, a pass over at most 4 kB of gradients, is too short to save on.
 * FIRST_STEPS    among all: a shorter descent pays for no selection, which is a scalar pass over all examples.
 * FRACTION       a coefficient changed in the working set costs a gather of m kernel values and a pass over n
 *                gradients, in a tenth of the time of a step's; a step saves a step's pass over n - m. With m <= n / 3
 *                one step per coefficient makes up for the cost.
 * STEPS_PER_COEF with m <= n / 2 two do: so the last descent must have taken more than that. */
enum { MANY = 512, FIRST_STEPS = 8, FRACTION = 3, STEPS_PER_COEF = 2 };

/* Steps of a run, as solver_smo()'s max_iter; a descent may take STEPS_AFTER when they are used up. */
static const double MAX_STEPS = 1e7, STEPS_AFTER = 1000;

/* ---- one set: all examples, or the working set ---- */

static double *doubles(const osvm_ramp_set *set, int column) { return set->column[column]; }

static double get_real(const osvm_ramp *s, const osvm_ramp_set *set, int column, int k) {
  return osvm_real(s->run->store.simd, set->column[column], k);
}

static void set_real(const osvm_ramp *s, const osvm_ramp_set *set, int column, int k, double x) {
  osvm_set_real(s->run->store.simd, set->column[column], k, x);
}

static double low(const osvm_ramp_set *set, int k) { return doubles(set, OSVM_SV_LOWER)[k]; }
static double high(const osvm_ramp_set *set, int k) { return doubles(set, OSVM_SV_UPPER)[k]; }

static void update_range(const osvm_ramp *s, const osvm_ramp_set *set, int k) {
  const double alpha = doubles(set, OSVM_SV_COEF)[k];
  set_real(s, set, OSVM_RAMP_DOWN, k, low(set, k) - alpha);
  set_real(s, set, OSVM_RAMP_UP, k, high(set, k) - alpha);
}

static void bind_selection(osvm_ramp_set *set) {
  set->selection.gradient = set->column[OSVM_SV_GRADIENT];
  set->selection.down = set->column[OSVM_RAMP_DOWN];
  set->selection.up = set->column[OSVM_RAMP_UP];
  set->selection.inverse = set->column[OSVM_RAMP_INVERSE];
  set->selection.diagonal = set->column[OSVM_RAMP_DIAGONAL];
}

/* A zero step, whose kernel row may hold any finite numbers */
static void refresh_selection(const osvm_ramp *s, osvm_ramp_set *set) {
  osvm_coordinate_step(s->run->store.simd, &set->selection, set->selection.diagonal, set->padded, 0,
                       s->machine->context.team);
}

/* (14); with k_ii = 0 the dual is linear in alpha, and optimal at the bound in the gradient's direction. */
static double best_coef(const osvm_ramp *s, const osvm_ramp_set *set, int k) {
  const double k_ii = get_real(s, set, OSVM_RAMP_DIAGONAL, k), gradient = doubles(set, OSVM_SV_GRADIENT)[k];
  if (!(k_ii > 0)) return gradient > 0 ? high(set, k) : low(set, k);
  return fmin(fmax(doubles(set, OSVM_SV_COEF)[k] + gradient / k_ii, low(set, k)), high(set, k));
}

/* The gain at which a step is worth it: min_gain but, where k or C make all gains small, a thousandth of the gain of a
 * first step from alpha = 0 with g = 1 (1 / (2 k_ii), or up to C_i; g is then right to 0.05, if not to the tolerance). */
static double least_gain(const osvm_ramp *s, const osvm_ramp_set *set, int k) {
  const double step = fmin(get_real(s, set, OSVM_RAMP_INVERSE, k), doubles(set, OSVM_SV_COST)[k]);
  return fmin(s->min_gain, step / 1000);
}

double osvm_ramp_least_gain(const osvm_ramp *s, int slot) { return least_gain(s, &s->all, slot); }

static int is_violator(const osvm_ramp *s, const osvm_ramp_set *set, int k, double gain) {
  return fabs(doubles(set, OSVM_SV_GRADIENT)[k]) > s->tolerance && gain > least_gain(s, set, k);
}

/* The largest gain (13) among the examples that violate (3) by more than the tolerance */
static void select_violator(const osvm_ramp *s, osvm_ramp_set *set) {
  const double *alpha = doubles(set, OSVM_SV_COEF), *gradient = doubles(set, OSVM_SV_GRADIENT);
  set->selection.gain = 0;
  set->selection.best = -1;
  for (int k = 0; k < set->n; k++) {
    if (get_real(s, set, OSVM_RAMP_INVERSE, k) == 0 || fabs(gradient[k]) <= s->tolerance) continue;
    const double change = best_coef(s, set, k) - alpha[k],
                 gain = change * (gradient[k] - get_real(s, set, OSVM_RAMP_DIAGONAL, k) * change / 2);
    if (!(gain > set->selection.gain) || !is_violator(s, set, k, gain)) continue;
    set->selection.gain = gain;
    set->selection.best = k;
  }
}

/* Is there a step to take, namely of selection.best? simd.h selects the largest gain of all; only where that example is
 * no violator is the selection repeated among the violators. */
static int has_step(const osvm_ramp *s, osvm_ramp_set *set) {
  const osvm_coordinate_selection *next = &set->selection;
  if (next->best < 0 || !(next->gain > s->least_gain)) return 0;
  if (!is_violator(s, set, next->best, next->gain)) select_violator(s, set);
  return next->best >= 0;
}

/* The dual objective is sum alpha_i (y_i + g_i) / 2: alpha is 0 outside the set. */
static int is_stalled(osvm_ramp *s, const osvm_ramp_set *set) {
  const double *alpha = doubles(set, OSVM_SV_COEF), *gradient = doubles(set, OSVM_SV_GRADIENT);
  double objective = 0, terms = 0;
  for (int k = 0; k < set->n; k++) {
    objective += alpha[k] * (gradient[k] + doubles(set, OSVM_SV_LINEAR)[k]) / 2;
    terms += fabs(alpha[k]) * (1 + fabs(gradient[k]));
  }
  const double gain = objective - s->objective;
  s->objective = objective;
  return osvm_stall_look(&s->stall, gain, terms);
}

/* The steps of the run are used up, or change nothing but rounding errors. */
static int must_end(osvm_ramp *s, const osvm_ramp_set *set) {
  const double steps = s->machine->updates;
  if (steps >= s->last_step) return 1;
  return s->stall.stalled || (osvm_stall_due(&s->stall, set->n) && is_stalled(s, set));
}

/* One alpha, the gradients of the set (15), and the next selection */
static void step(osvm_ramp *s, osvm_ramp_set *set, int k, double alpha, const void *row) {
  const double change = alpha - doubles(set, OSVM_SV_COEF)[k];
  doubles(set, OSVM_SV_COEF)[k] = alpha;
  update_range(s, set, k);
  osvm_coordinate_step(s->run->store.simd, &set->selection, row, set->padded, change, s->machine->context.team);
  s->machine->updates += 1;
  s->machine->context.work += 4.0 * set->n;
}

/* ---- all examples ---- */

void osvm_ramp_update_pointers(osvm_ramp *s) {
  memcpy(s->all.column, s->sv_set->column, sizeof s->all.column);
  bind_selection(&s->all);
  s->all.n = s->sv_set->n;
  s->all.padded = osvm_sv_set_padded(s->sv_set);
}

/* Without curvature, 1e30 lets any gradient take alpha to its bound, and is finite in single precision. */
void osvm_ramp_set_membership(osvm_ramp *s, int slot, int in_v) {
  const double k_ii = get_real(s, &s->all, OSVM_RAMP_DIAGONAL, slot);
  update_range(s, &s->all, slot);
  set_real(s, &s->all, OSVM_RAMP_INVERSE, slot, !in_v ? 0 : k_ii > 1e-30 ? 1 / k_ii : 1e30);
}

osvm_status osvm_ramp_set_coef(osvm_ramp *s, int slot, double alpha) {
  if (alpha == doubles(&s->all, OSVM_SV_COEF)[slot]) return OSVM_OK;
  const void *row;
  OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
  OSVM_TRY(osvm_ramp_update_nonzero(s, slot, alpha));
  step(s, &s->all, slot, alpha, row);
  return OSVM_OK;
}

osvm_status osvm_ramp_optimise(osvm_ramp *s, int slot) {
  const double best = best_coef(s, &s->all, slot);
  return isfinite(best) ? osvm_ramp_set_coef(s, slot, best) : osvm_kernel_overflow(s->machine->context.error);
}

/* ---- the working set ---- */

static int may_change(const osvm_ramp *s, int k) {
  if (!osvm_ramp_in_v(s, k)) return 0;
  const double alpha = doubles(&s->all, OSVM_SV_COEF)[k];
  return alpha != 0 || best_coef(s, &s->all, k) != alpha;
}

static size_t column_size(const osvm_ramp *s, int column) {
  return osvm_ramp_columns[column].real ? s->run->store.simd->size : sizeof(double);
}

static osvm_status reserve_columns(osvm_ramp *s, int count) {
  if (count <= s->working_capacity) return OSVM_OK;
  const int capacity = count + count / 2;
  for (int c = 0; c < OSVM_RAMP_COLUMNS; c++)
    OSVM_TRY(osvm_resize(&s->working.column[c], capacity, column_size(s, c), s->machine->context.error));
  OSVM_TRY(osvm_resize(&s->working_slot, capacity, sizeof(int), s->machine->context.error));
  OSVM_TRY(osvm_resize(&s->working_cached, capacity, 1, s->machine->context.error));
  bind_selection(&s->working);
  s->working_capacity = capacity;
  return OSVM_OK;
}

static size_t row_bytes(const osvm_ramp *s) { return s->working.padded * s->run->store.simd->size; }
static size_t rows_max(const osvm_ramp *s) { return s->working_bytes_max / row_bytes(s); }

static osvm_status reserve_rows(osvm_ramp *s) {
  const size_t rows = rows_max(s) < (size_t)s->working.n ? rows_max(s) : (size_t)s->working.n;
  const size_t bytes = (rows + 1) * row_bytes(s);
  memset(s->working_cached, 0, s->working.n);
  if (bytes <= s->working_bytes) return OSVM_OK;
  s->working_bytes = 0;
  free(s->working_rows);
  s->working_rows = malloc(bytes);
  if (s->working_rows == NULL) return osvm_no_memory(s->machine->context.error);
  s->working_bytes = bytes;
  return OSVM_OK;
}

/* dst[k] = src[index[k]], and 0 from n to padded */
static void gather(const void *src, size_t size, const int *index, int n, int padded, void *dst) {
  if (size == sizeof(float))
    for (int k = 0; k < n; k++) ((float *)dst)[k] = ((const float *)src)[index[k]];
  else
    for (int k = 0; k < n; k++) ((double *)dst)[k] = ((const double *)src)[index[k]];
  memset((char *)dst + n * size, 0, (padded - n) * size);
}

static int is_small(const osvm_ramp *s, int count) {
  return count <= s->all.n / FRACTION || (count <= s->all.n / 2 && s->last_steps > STEPS_PER_COEF * count);
}

/* Empty where it would be too large to pay, for which the support vectors may be enough: those in V are part of it. */
static osvm_status select_working_set(osvm_ramp *s) {
  const int n = s->all.n, width = s->run->store.width;
  int count = s->nonzero.count;
  if (is_small(s, count)) {
    count = 0;
    for (int k = 0; k < n; k++) count += may_change(s, k);
  }
  s->working.n = is_small(s, count) ? count : 0;
  s->working.padded = (s->working.n + width - 1) / width * width;
  if (s->working.n == 0) return OSVM_OK;
  OSVM_TRY(reserve_columns(s, s->working.padded));
  OSVM_TRY(reserve_rows(s));
  for (int k = 0, j = 0; k < n; k++)
    if (may_change(s, k)) s->working_slot[j++] = k;
  for (int c = 0; c < OSVM_RAMP_COLUMNS; c++)
    gather(s->all.column[c], column_size(s, c), s->working_slot, s->working.n, s->working.padded, s->working.column[c]);
  return OSVM_OK;
}

/* Kernel row within the working set. Rows that do not fit in the cache share its last place. */
static osvm_status working_row(osvm_ramp *s, int k, const void **row) {
  const size_t max = rows_max(s);
  const int fits = (size_t)k < max;
  char *place = s->working_rows + (fits ? (size_t)k : max) * row_bytes(s);
  *row = place;
  if (s->working_cached[k]) return OSVM_OK;
  const void *whole;
  OSVM_TRY(osvm_sv_set_row(s->sv_set, s->working_slot[k], &whole, s->machine->context.error));
  gather(whole, s->run->store.simd->size, s->working_slot, s->working.n, s->working.padded, place);
  s->working_cached[k] = fits;
  return OSVM_OK;
}

static osvm_status descend_working_set(osvm_ramp *s) {
  refresh_selection(s, &s->working);
  while (has_step(s, &s->working) && !must_end(s, &s->working)) {
    const int k = s->working.selection.best;
    const double alpha = best_coef(s, &s->working, k);
    const void *row;
    if (osvm_context_stopped(&s->machine->context, 0)) return OSVM_INTERRUPTED;
    if (!isfinite(alpha)) return osvm_kernel_overflow(s->machine->context.error);
    OSVM_TRY(working_row(s, k, &row));
    step(s, &s->working, k, alpha, row);
  }
  return OSVM_OK;
}

/* alpha from the working set back to all examples, and their gradients by the sum of its changes */
static osvm_status flush_working_set(osvm_ramp *s) {
  double *all = doubles(&s->all, OSVM_SV_COEF);
  for (int j = 0; j < s->working.n; j++) {
    const int slot = s->working_slot[j];
    const double alpha = doubles(&s->working, OSVM_SV_COEF)[j], change = alpha - all[slot];
    const void *row;
    if (change == 0) continue;
    OSVM_TRY(osvm_sv_set_row(s->sv_set, slot, &row, s->machine->context.error));
    OSVM_TRY(osvm_ramp_update_nonzero(s, slot, alpha));
    all[slot] = alpha;
    update_range(s, &s->all, slot);
    s->run->store.simd->add(row, s->all.padded, -change, s->all.selection.gradient);
    s->machine->context.work += s->all.n;
  }
  return OSVM_OK;
}

/* ---- descent ---- */

int osvm_ramp_is_stationary(osvm_ramp *s) {
  refresh_selection(s, &s->all);
  return !has_step(s, &s->all);
}

/* After a descent in the working set, FIRST_STEPS among all come before the next one; where it was empty, twice as many
 * steps as so far. */
osvm_status osvm_ramp_descend(osvm_ramp *s) {
  const double before = s->machine->updates;
  int among_all = FIRST_STEPS;
  s->stall = (osvm_stall){0};
  s->objective = -INFINITY;
  s->last_step = fmax(MAX_STEPS, before + STEPS_AFTER);
  refresh_selection(s, &s->all);
  for (int steps = 0; has_step(s, &s->all) && !must_end(s, &s->all); steps++) {
    if (osvm_context_stopped(&s->machine->context, 0)) return OSVM_INTERRUPTED;
    if (s->all.n < MANY || steps < among_all) {
      OSVM_TRY(osvm_ramp_optimise(s, s->all.selection.best));
      continue;
    }
    OSVM_TRY(select_working_set(s));
    if (s->working.n > 0) {
      const osvm_status status = descend_working_set(s);
      OSVM_TRY(flush_working_set(s)); /* after an interrupt, too: the machine has to stay consistent */
      OSVM_TRY(status);
      refresh_selection(s, &s->all);
    }
    among_all += s->working.n > 0 ? FIRST_STEPS : steps;
  }
  s->last_steps = s->machine->updates - before;
  return OSVM_OK;
}

void osvm_ramp_free_working_set(osvm_ramp *s) {
  for (int c = 0; c < OSVM_RAMP_COLUMNS; c++) free(s->working.column[c]);
  free(s->working_slot);
  free(s->working_cached);
  free(s->working_rows);
}
