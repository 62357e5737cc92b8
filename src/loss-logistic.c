/* log(1 + exp(-y f)), y = -1 or +1: classes; logistic regression, whose outputs are log-odds.
 *
 * Its dual is not quadratic: with alpha = y a between 0 and the cost C, h(a) = alpha log(alpha / C) + (C - alpha)
 * log((C - alpha) / C). Along one coefficient the minimum has u = log(alpha / (C - alpha)) = y g - c (alpha - alpha'),
 * alpha' being the old one and c the curvature: Newton's steps in u, within the interval that alpha's bounds leave. In
 * alpha they would need care near both bounds. Yu, Huang & Lin (2011), Dual coordinate descent methods for logistic
 * regression and maximum entropy models. */
#include "loss.h"

enum { MOST_STEPS = 50 };
static const double QUIET = 1e-7;

/* log(1 + exp(v)) and 1 / (1 + exp(-v)), without overflow */
static double log_sum(double v) { return fmax(v, 0) + log1p(exp(-fabs(v))); }
static double sigmoid(double v) { return v >= 0 ? 1 / (1 + exp(-v)) : exp(v) / (1 + exp(v)); }

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  (void)p, (void)closed;
  if (isnan(f)) return (osvm_loss_point){NAN, 0};
  return (osvm_loss_point){log_sum(-y * f), y * sigmoid(-y * f)};
}

static osvm_dual_term term(const double *p, double y, double cost) {
  (void)p;
  return (osvm_dual_term){0, y < 0 ? -cost : 0, y > 0 ? cost : 0, {0, 0}};
}

static double entropy(double part, double C) { return part > 0 ? part * log(part / C) : 0; }

/* The root of u + step (sigmoid(u) - before) = aim, from u on; the left side increases by 1 or more per unit of u. The last
 * step is far below QUIET: Newton's steps square their length. */
static double solve(double aim, double step, double before, double u) {
  double low = aim - step * (1 - before), high = aim + step * before;
  u = fmin(fmax(u, low), high);
  for (int t = 0; t < MOST_STEPS; t++) {
    const double share = sigmoid(u), value = u + step * (share - before) - aim;
    if (value > 0) high = u;
    else low = u;
    const double newton = value / (1 + step * share * (1 - share)), next = u - newton;
    if (fabs(newton) <= QUIET) return next;
    u = next > low && next < high ? next : (low + high) / 2;
  }
  return u;
}

static osvm_dual_point along(const osvm_dual_term *term, double a, double g, double c) {
  const double C = term->upper - term->lower, y = term->upper > 0 ? 1 : -1, alpha = fabs(a), loss = C * log_sum(y * g);
  const double inside = alpha > 0 && alpha < C ? log(alpha / (C - alpha)) : 0;
  const double u = solve(y * g, c * C, alpha / C, inside);
  return (osvm_dual_point){loss, loss + entropy(alpha, C) + entropy(C - alpha, C) - a * g, y * C * sigmoid(u)};
}

const osvm_loss_info osvm_loss_logistic = {.name = "logistic",
                                           .title = "Logistic",
                                           .formula = "\\log(1 + \\exp(-y f))",
                                           .target = OSVM_CLASSES,
                                           .at = at,
                                           .term = term,
                                           .along = along};
