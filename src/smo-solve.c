/* Steps of the dual: second-order working-set selection until the KKT conditions hold to the tolerance. */
#include "smo-dual.h"

#include <math.h>

/* Steps; LIBSVM's choice. Fewer examples than that, or rows that are gathered anew after a shrinking: once per pass */
enum { SHRINK_EVERY = 1000 };
enum { LOOKS_WITHOUT_GAIN = 10 };      /* of all examples, in a row, between which the objective gains nothing */
static const double SUM_ROUNDING = 16; /* of a gradient, a sum of many terms, in roundings of its value */
static const double TAU = 1e-12;       /* curvature where k is not positive definite, as in LIBSVM */

static double get_real(const osvm_dual *s, const void *values, int k) { return osvm_real(s->store->simd, values, k); }

static double coef_of(const osvm_dual *s, int k) { return k < 0 ? 0 : s->coef[s->active.example[k]]; }

static double diagonal_low(const osvm_dual *s, int k) { return k < 0 ? 0 : get_real(s, s->selection.diagonal, k); }

/* Of a step upwards: the selection has d_i of a step downwards. */
static double diagonal_up(const osvm_dual *s, int k) {
  if (k < 0 || !s->has_diagonal) return diagonal_low(s, k);
  const osvm_dual_term *term = &s->term[s->active.example[k]];
  const double a = coef_of(s, k), more = osvm_dual_diagonal(term, a, 1) - osvm_dual_diagonal(term, a, 0);
  return diagonal_low(s, k) + more;
}

double osvm_dual_curvature(const osvm_dual *s, int k, int l, const void *row) {
  return diagonal_up(s, k) + diagonal_low(s, l) - 2 * (l < 0 ? 0 : get_real(s, row, l));
}

const void *osvm_dual_row(osvm_dual *s, int k) { return k < 0 ? s->zeros : osvm_active_set_row(&s->active, k); }

/* t rounded to what both a + t and b - t can take up. What a coefficient absorbs must not move the gradient: it would
 * drift away from the coefficients, by as much in each of millions of steps. */
static double representable_step(double a, double b, double t) {
  const double up = (a + t) - a;
  return b - (b - up);
}

/* Its gradient falls by d_i times the step; what kernel values change follows. */
static void move_coef(osvm_dual *s, int k, double a, double step) {
  if (k < 0) return;
  const int i = s->active.example[k];
  const osvm_dual_term *term = &s->term[i];
  if (s->has_diagonal) s->selection.gradient[k] -= osvm_dual_diagonal(term, s->coef[i], step > 0) * step;
  s->coef[i] = a;
  osvm_dual_mark(s, k);
  if (s->has_diagonal && term->diagonal[0] != term->diagonal[1]) osvm_dual_mark_diagonal(s, k);
}

/* Where a step upwards or downwards ends */
static double end_of(const osvm_dual *s, int k, int up) {
  if (k < 0) return up ? INFINITY : -INFINITY;
  return osvm_dual_end(&s->term[s->active.example[k]], s->epsilon, coef_of(s, k), up);
}

/* A coefficient that reaches its end is set to it exactly: membership of I_up and I_low is decided by comparison. */
double osvm_dual_step(osvm_dual *s, int k, int l, double t, const void *row_k, const void *row_l) {
  const double a = coef_of(s, k), b = coef_of(s, l), upper = end_of(s, k, 1), lower = end_of(s, l, 0);
  const double most_up = upper - a, most_down = b - lower;
  t = t < fmin(most_up, most_down) ? representable_step(a, b, t) : fmin(most_up, most_down);
  move_coef(s, k, t == most_up ? upper : fmin(a + t, upper), t);
  move_coef(s, l, t == most_down ? lower : fmax(b - t, lower), -t);
  s->machine->updates += t != 0;
  osvm_pair_step(s->store->simd, &s->selection, row_k, row_l, s->padded, t, s->machine->context.team);
  return t;
}

/* The first-order partner: the example of I_low with the smallest slope. Its slope in the store's precision is compared
 * first: these are read one after the other. */
static int first_order_partner(const osvm_dual *s) {
  const double gmin = s->store->simd->size == sizeof(float) ? (float)s->selection.gmin : s->selection.gmin;
  for (int k = 0; k < s->active.n; k++)
    if (get_real(s, s->selection.gradient_low, k) == gmin && osvm_dual_slope_low(s, k) == s->selection.gmin) return k;
  return -1;
}

/* The kernel row of k. While the cache fills, the rows of the strongest violators on the same side are computed with it:
 * they are likely to be selected next, and four rows cost little more than one. */
static const void *fetch_row(osvm_dual *s, int k, int up) {
  int rows[OSVM_QUERIES] = {k}, count = 1;
  if (k < 0 || !osvm_active_set_lacks(&s->active, k) || !osvm_active_set_fetches(&s->active))
    return osvm_dual_row(s, k);
  double violation[OSVM_QUERIES] = {INFINITY}, least = -INFINITY;
  for (int l = 0; l < s->active.n; l++) {
    const double g = s->selection.gradient[l];
    if (!((up ? g : -g) + s->epsilon > least) || l == k || !osvm_active_set_lacks(&s->active, l)) continue;
    const double here = up ? osvm_dual_slope_up(s, l) : -osvm_dual_slope_low(s, l);
    if (!(here > least)) continue;
    int q = count < OSVM_QUERIES ? count++ : OSVM_QUERIES - 1;
    for (; here > violation[q - 1]; q--) {
      violation[q] = violation[q - 1];
      rows[q] = rows[q - 1];
    }
    violation[q] = here;
    rows[q] = l;
    if (count == OSVM_QUERIES) least = violation[count - 1];
  }
  osvm_active_set_fetch(&s->active, rows, count);
  return osvm_active_set_row(&s->active, k);
}

/* Of the objective, twice. The curvature is TAU where k is not positive definite. */
static double gain(const osvm_dual *s, int k, int l, const void *row) {
  const double difference = fmax(osvm_dual_slope_up(s, k) - osvm_dual_slope_low(s, l), 0);
  return difference * difference / fmax(osvm_dual_curvature(s, k, l, row), TAU);
}

/* Without a bias the first of a pair, or the strongest violator downwards, may gain more by itself. The latter is searched
 * for where it would with the curvature of the first: under a kernel of |x - z| all have the same. */
static void choose_single(const osvm_dual *s, const void *row, int *k, int *l) {
  const double pair = gain(s, *k, *l, row), single = gain(s, *k, OSVM_NO_EXAMPLE, row), most = fmax(pair, single);
  const double down = osvm_dual_gmin(s);
  const int m = down * down > most * diagonal_up(s, *k) ? first_order_partner(s) : -1;
  if (m >= 0 && gain(s, OSVM_NO_EXAMPLE, m, s->zeros) > most) *k = OSVM_NO_EXAMPLE, *l = m;
  else if (single > pair) *l = OSVM_NO_EXAMPLE;
}

/* WSS 2 of Fan, Chen & Lin (2005): i maximises the slope upwards, j the difference of slopes, squared, over curvature. */
static osvm_status step_second_order(osvm_dual *s) {
  int k = s->selection.first;
  const void *row = fetch_row(s, k, 1);
  int l = osvm_pair_partner(s->store->simd, &s->selection, row, s->padded, s->machine->context.team);
  /* The gain is computed in the store's precision, in which a small difference of large gradients may vanish. */
  if (l < 0 || !(s->selection.gmax > osvm_dual_slope_low(s, l))) l = first_order_partner(s);
  if (s->unbiased) choose_single(s, row, &k, &l);
  else if (l < 0) return osvm_kernel_overflow(s->machine->context.error);
  if (k < 0) row = s->zeros;
  const void *other = fetch_row(s, l, 0);
  const double curvature = osvm_dual_curvature(s, k, l, row);
  const double t = (osvm_dual_slope_up(s, k) - osvm_dual_slope_low(s, l)) / (curvature > 0 ? curvature : TAU);
  if (!isfinite(curvature) || !isfinite(t)) return osvm_kernel_overflow(s->machine->context.error);
  /* A step of 0 would be selected again and again. */
  if (osvm_dual_step(s, k, l, t, row, other) == 0) s->stall.stalled = 1;
  return OSVM_OK;
}

static double gap(const osvm_dual *s) { return osvm_dual_gmax(s) - osvm_dual_gmin(s); }

/* Every SHRINK_EVERY steps; once, when the gap is below ten tolerances, after a reconstruction: examples removed early,
 * by a gradient far from the solution's, come back before the last steps. */
static osvm_status shrink(osvm_dual *s, int *reconstructed) {
  const int near = !*reconstructed && s->n_shrinks > 0 && gap(s) <= 10 * s->tolerance;
  *reconstructed |= near;
  osvm_dual_store_gradient(s);
  if (near) OSVM_TRY(osvm_dual_reconstruct_gradient(s));
  OSVM_TRY(osvm_dual_shrink(s, near));
  osvm_dual_refresh_selection(s);
  return OSVM_OK;
}

/* ---- has rounding taken over? ---- */

/* What d, which changes at 0, adds to the gain below of a coefficient whose sign changed */
static double bend(const osvm_dual_term *term, double before, double now) {
  return before * now * (term->diagonal[before > 0] - term->diagonal[now > 0]) / 2;
}

/* From a to a', with gradients g and g', the objective gains sum (a'_i - a_i) (g'_i + g_i) / 2 - eps (|a'_i| - |a_i|): of
 * the active examples, since the coefficients of the others are the same. As sum a_i stays the same, gradients count from
 * the middle of gmax and gmin, which makes the terms as small as the steps: their rounding is that of the coefficients,
 * where these change, and that of the gradients (p - f) there. */
void osvm_dual_look(osvm_dual *s) {
  const double middle = osvm_dual_middle(s);
  double gain = 0, terms = 0;
  osvm_dual_store_gradient(s);
  for (int k = 0; k < s->active.n; k++) {
    const int i = s->active.example[k];
    const double change = s->coef[i] - s->coef_at_look[i];
    const double now = s->gradient[i] - middle, before = s->gradient_at_look[i] - s->middle_at_look;
    if (change == 0) continue;
    gain += change * (now + before) / 2 - s->epsilon * (fabs(s->coef[i]) - fabs(s->coef_at_look[i]));
    if (s->coef[i] * s->coef_at_look[i] < 0) gain += bend(&s->term[i], s->coef_at_look[i], s->coef[i]);
    terms += fabs(s->coef[i]) * (fabs(now) + fabs(before)) +
             SUM_ROUNDING * fabs(change) * (fabs(s->term[i].linear) + fabs(s->gradient[i]));
  }
  osvm_dual_begin_look(s);
  osvm_stall_look(&s->stall, gain, terms);
}

/* The gradient reconstructed may differ by rounding from the one for which the conditions held, again and again. Its
 * rounding moves the objective up and down: what counts is a new largest value, and not even that where the active
 * examples had stalled. */
static int is_stalled(osvm_dual *s) {
  double objective = 0, terms = 0;
  for (int i = 0; i < s->n; i++) {
    objective += s->coef[i] * (s->gradient[i] + s->term[i].linear) / 2 - s->epsilon * fabs(s->coef[i]);
    terms += fabs(s->coef[i]) * (fabs(s->term[i].linear) + fabs(s->gradient[i]));
  }
  const double gain = objective - s->objective;
  s->objective = fmax(s->objective, objective);
  const int stalled = s->stall.stalled;
  if (stalled || osvm_stall_look(&s->stall, gain, terms)) s->looks_without_gain++;
  else s->looks_without_gain = 0;
  s->stall.stalled = s->looks_without_gain >= LOOKS_WITHOUT_GAIN;
  return s->stall.stalled;
}

/* The conditions hold for the active examples, or rounding decides among them: check all. *solved: they hold for all, or
 * it is to end. */
static osvm_status check_all(osvm_dual *s, int out_of_steps, int *solved) {
  const int all_active = s->n_shrinks == 0;
  if (all_active) osvm_dual_store_gradient(s);
  else OSVM_TRY(osvm_dual_reconstruct_gradient(s));
  *solved = all_active || out_of_steps || gap(s) < s->tolerance || is_stalled(s);
  if (*solved) return OSVM_OK;
  OSVM_TRY(osvm_dual_shrink(s, 1));
  osvm_dual_refresh_selection(s);
  return OSVM_OK;
}

osvm_status osvm_dual_solve(osvm_dual *s, int shrinking, double max_iter) {
  const int per_pass = s->active.n < SHRINK_EVERY || osvm_gram_complete(s->active.rows.gram);
  const int period = !per_pass ? SHRINK_EVERY : s->active.n > 1 ? s->active.n : 2; /* a step at least in between */
  int countdown = period, reconstructed = 0, solved = 0;
  while (!solved) {
    const int out_of_steps = s->iterations >= max_iter;
    if (out_of_steps || s->stall.stalled || gap(s) < s->tolerance) {
      OSVM_TRY(check_all(s, out_of_steps, &solved));
    } else if (shrinking && --countdown == 0) {
      countdown = period;
      OSVM_TRY(shrink(s, &reconstructed));
    } else {
      s->machine->context.work += 4.0 * s->active.n;
      if (osvm_dual_stopped(s)) {
        osvm_dual_store_gradient(s);
        return OSVM_INTERRUPTED;
      }
      OSVM_TRY(step_second_order(s));
      s->iterations++;
      if (osvm_stall_due(&s->stall, s->active.n)) osvm_dual_look(s);
    }
  }
  return OSVM_OK;
}
