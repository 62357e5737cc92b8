/* max(0, 1 - y f)^2, y = -1 or +1: classes; examples beyond the margin cost nothing, others by the square. */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = 1 - y * f;
  (void)p, (void)closed;
  return (osvm_loss_point){left <= 0 ? 0 : left * left, left > 0 ? 2 * y * left : 0};
}

static double curvature(const double *p) {
  (void)p;
  return 2;
}

static osvm_dual_term term(const double *p, double y, double cost) {
  const double d = 1 / (2 * cost);
  (void)p;
  return (osvm_dual_term){y, y < 0 ? -INFINITY : 0, y > 0 ? INFINITY : 0, {d, d}};
}

const osvm_loss_info osvm_loss_squared_hinge = {.name = "squared_hinge",
                                                .title = "Squared hinge",
                                                .formula = "\\max(0, 1 - y f)^2",
                                                .target = OSVM_CLASSES,
                                                .at = at,
                                                .curvature = curvature,
                                                .term = term};
