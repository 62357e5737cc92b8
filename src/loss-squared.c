/* max(0, |y - f| - epsilon)^2: regression; without epsilon kernel ridge regression, whose minimum in f is the mean. */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = fabs(y - f) - p[0];
  (void)closed;
  return (osvm_loss_point){left <= 0 ? 0 : left * left, left > 0 ? copysign(2 * left, y - f) : 0};
}

static double curvature(const double *p) {
  (void)p;
  return 2;
}

static osvm_dual_term term(const double *p, double y, double cost) {
  const double d = 1 / (2 * cost);
  (void)p;
  return (osvm_dual_term){y, -INFINITY, INFINITY, {d, d}};
}

static double tube(const double *p) { return p[0]; }

const osvm_loss_info osvm_loss_squared = {.name = "squared",
                                          .title = "Squared",
                                          .formula = "\\max(0, |y - f| - \\epsilon)^2",
                                          .target = OSVM_NUMBERS,
                                          .params = {{"epsilon", OSVM_MARGIN}},
                                          .at = at,
                                          .curvature = curvature,
                                          .term = term,
                                          .tube = tube};
