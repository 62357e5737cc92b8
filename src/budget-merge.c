/* Merging: two vectors of an RBF expansion become one on the line between them.
 *
 * With k = k(x_s, x_t) and z = h x_s + (1 - h) x_t:  p = k(x_s, z) = k^((1-h)^2),  q = k(x_t, z) = k^(h^2). The best
 * coefficients of z are p a_s + q a_t, and then
 *
 *   |f - f'|^2 = |a_s|^2 (1 - p^2) + |a_t|^2 (1 - q^2) + 2 a_s a_t (k - p q)                                           (1)
 *
 * s is the vector of the least |a|, so the best h is at most 1/2. t is the vector of the least (1) at the h which is best
 * for coefficients in the same direction. With a = |a_s|, b = |a_t|, m = a / (a + b) that is
 *
 *   (ab / (a + b))^2 (1 - k)^2 F(m, k) + 2 (ab - a_s a_t) m (1 - m) (1 - k) G(m, k)                                    (2)
 *
 * where F and G are smooth, between 0 and 4, and interpolated in tables (Glasmachers & Qaadan 2018 tabulate h and the
 * loss). At h = 0, z is x_t and (1) is a^2 (1 - k^2): where coefficients differ in direction, that is less. */
#include "budget.h"

#include <math.h>

#include "budget-merge-table.h"

/* Bilinear, at m in 0 .. 1/2 and k in 0 .. 1 */
static double interpolate(const float table[OSVM_MERGE_CELLS + 1][OSVM_MERGE_CELLS + 1], double m, double k) {
  const double u = 2 * m * OSVM_MERGE_CELLS, v = k * OSVM_MERGE_CELLS;
  const int i = u < OSVM_MERGE_CELLS - 1 ? (int)u : OSVM_MERGE_CELLS - 1;
  const int j = v < OSVM_MERGE_CELLS - 1 ? (int)v : OSVM_MERGE_CELLS - 1;
  const double x = u - i, y = v - j;
  const float *low = table[i] + j, *high = table[i + 1] + j;
  return (1 - x) * ((1 - y) * low[0] + y * low[1]) + x * ((1 - y) * high[0] + y * high[1]);
}

double osvm_merge_loss(double a, double b, double product, double kernel) {
  const double k = fmin(fmax(kernel, 0), 1), sum = a + b, onto = a * a * (1 - k * k);
  if (!(product > 0)) return onto;
  const double m = a / sum, w = a * b / sum * (1 - k), across = a * b - product;
  double between = w * w * interpolate(osvm_merge_f, m, k);
  if (across > 0) between += 2 * across * w / sum * interpolate(osvm_merge_g, m, k);
  return fmin(between, onto);
}

/* |p a_s + q a_t|^2: (1) is least where this is greatest. log_kernel: ln k */
static double gain(double a, double b, double product, double log_kernel, double h) {
  const double p = exp(log_kernel * (1 - h) * (1 - h)), q = exp(log_kernel * h * h);
  return a * a * p * p + b * b * q * q + 2 * product * p * q;
}

double osvm_merge_share(double a, double b, double product, double kernel) {
  if (!(kernel > 1e-300) || kernel >= 1) return 0;
  enum { SECTIONS = 32 };
  const double golden = (sqrt(5) - 1) / 2, log_kernel = log(kernel);
  double low = 0, high = 0.5;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = gain(a, b, product, log_kernel, left), at_right = gain(a, b, product, log_kernel, right);
  for (int k = 0; k < SECTIONS; k++) {
    if (at_left > at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = gain(a, b, product, log_kernel, left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = gain(a, b, product, log_kernel, right);
    }
  }
  const double h = (low + high) / 2;
  return gain(a, b, product, log_kernel, h) > gain(a, b, product, log_kernel, 0) ? h : 0;
}

static double coef_product(const osvm_budget *budget, int s, int t) {
  double sum = 0;
  for (int m = 0; m < budget->machines; m++) sum += osvm_budget_coef(budget, m, s) * osvm_budget_coef(budget, m, t);
  return sum;
}

double osvm_budget_merging_cost(const osvm_budget *budget, int s, int t, double kernel) {
  const double a = budget->norm[s], b = budget->norm[t];
  return a < b ? osvm_merge_loss(a, b, coef_product(budget, s, t), kernel)
               : osvm_merge_loss(b, a, coef_product(budget, s, t), kernel);
}

/* Of vector s, whose kernel row is in shared->row */
static int best_partner(const osvm_budget *budget, int s) {
  const osvm_shared_sv *shared = budget->bounded.shared;
  double least = INFINITY;
  int best = s == 0;
  for (int t = 0; t < shared->count; t++) {
    const double kernel = osvm_real(shared->store.simd, shared->row, t);
    if (t == s || osvm_budget_merging_bound(budget, s, t, kernel) >= least) continue;
    const double cost = osvm_budget_merging_cost(budget, s, t, kernel);
    if (cost < least) {
      least = cost;
      best = t;
    }
  }
  return best;
}

/* A merged vector keeps its place when it is merged again. */
osvm_status osvm_budget_merge_into(osvm_budget *budget, int s, int t) {
  osvm_shared_sv *shared = budget->bounded.shared;
  osvm_shared_sv_own_values(shared, s, &t, 1);
  const double product = coef_product(budget, s, t), kernel = osvm_real(shared->store.simd, shared->row, t);
  const double h = osvm_merge_share(budget->norm[s], budget->norm[t], product, kernel);
  const double p = pow(kernel, (1 - h) * (1 - h)), q = pow(kernel, h * h);
  if (h > 0) {
    const int example = shared->example[t];
    OSVM_TRY(osvm_store_combine(&shared->store, t, 1 - h, s, h, budget->bounded.error));
    osvm_shared_sv_replace(shared, t, example >= budget->first_place ? example : budget->free_places[--budget->n_free]);
  }
  for (int m = 0; m < budget->machines; m++) osvm_expansion_fold(budget->expansion[m], s, p, t, q);
  return OSVM_OK;
}

osvm_status osvm_budget_merge(osvm_budget *budget) {
  osvm_budget_measure(budget);
  const int s = osvm_budget_smallest(budget);
  OSVM_TRY(osvm_budget_own_row(budget, s));
  OSVM_TRY(osvm_budget_merge_into(budget, s, best_partner(budget, s)));
  osvm_budget_drop(budget, s);
  return OSVM_OK;
}
