/* max(0, |y - f| - epsilon): regression, without cost within a tube. */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = fabs(y - f), slope = y < f ? -1 : 1;
  return (osvm_loss_point){left <= p[0] ? 0 : left - p[0], left > p[0] || (closed && left == p[0]) ? slope : 0};
}

static osvm_dual_term term(const double *p, double y, double cost) {
  (void)p;
  return (osvm_dual_term){y, -cost, cost, {0, 0}};
}

static double tube(const double *p) { return p[0]; }

const osvm_loss_info osvm_loss_epsilon = {.name = "epsilon",
                                          .title = "Epsilon-insensitive",
                                          .formula = "\\max(0, |y - f| - \\epsilon)",
                                          .target = OSVM_NUMBERS,
                                          .params = {{"epsilon", OSVM_MARGIN}},
                                          .unit_slope = 1,
                                          .at = at,
                                          .term = term,
                                          .tube = tube};
