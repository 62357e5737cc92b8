/* (y - f)^2 up to an error of delta, 2 delta |y - f| - delta^2 beyond: regression in which large errors count by their
 * size. Huber (1964). */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = y - f, delta = p[0];
  (void)closed;
  if (fabs(left) <= delta) return (osvm_loss_point){left * left, 2 * left};
  return (osvm_loss_point){delta * (2 * fabs(left) - delta), isnan(left) ? 0 : copysign(2 * delta, left)};
}

static double curvature(const double *p) {
  (void)p;
  return 2;
}

static osvm_dual_term term(const double *p, double y, double cost) {
  const double d = 1 / (2 * cost), most = 2 * p[0] * cost;
  return (osvm_dual_term){y, -most, most, {d, d}};
}

const osvm_loss_info osvm_loss_huber = {.name = "huber",
                                        .title = "Huber",
                                        .formula = "\\min(|y - f|, \\delta) (2 |y - f| - \\min(|y - f|, \\delta))",
                                        .target = OSVM_NUMBERS,
                                        .params = {{"delta", OSVM_THRESHOLD}},
                                        .at = at,
                                        .curvature = curvature,
                                        .term = term};
