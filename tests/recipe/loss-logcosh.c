/* log(cosh(y - f)): regression, square near 0 and absolute far from it. */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = y - f;
  (void)p, (void)closed;
  return (osvm_loss_point){fabs(left) + log1p(exp(-2 * fabs(left))) - log(2), isnan(left) ? 0 : tanh(left)};
}

static double curvature(const double *p) {
  (void)p;
  return 1;
}

const osvm_loss_info osvm_loss_logcosh = {.name = "logcosh",
                                          .title = "Log-cosh",
                                          .formula = "\\log \\cosh(y - f)",
                                          .target = OSVM_NUMBERS,
                                          .at = at,
                                          .curvature = curvature};
