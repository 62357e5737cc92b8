/* tau (y - f)^2 if f < y, else (1 - tau) (y - f)^2: its minimum in f is the expectile tau of y. Newey & Powell (1987). */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = y - f, weight = left > 0 ? p[0] : 1 - p[0];
  (void)closed;
  return (osvm_loss_point){weight * left * left, isnan(left) ? 0 : 2 * weight * left};
}

static double curvature(const double *p) { return 2 * fmax(p[0], 1 - p[0]); }

static osvm_dual_term term(const double *p, double y, double cost) {
  return (osvm_dual_term){y, -INFINITY, INFINITY, {1 / (2 * (1 - p[0]) * cost), 1 / (2 * p[0] * cost)}};
}

const osvm_loss_info osvm_loss_expectile = {.name = "expectile",
                                            .title = "Expectile",
                                            .formula = "|\\tau - [y < f]| \\, (y - f)^2",
                                            .target = OSVM_NUMBERS,
                                            .params = {{"tau", OSVM_ASYMMETRY}},
                                            .at = at,
                                            .curvature = curvature,
                                            .term = term};
