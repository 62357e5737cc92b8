/* tau (y - f) if f < y, else (1 - tau) (f - y): its minimum in f is the quantile tau of y. */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double left = y - f, slope = y < f ? p[0] - 1 : p[0];
  return (osvm_loss_point){left * (left > 0 ? p[0] : p[0] - 1), fabs(left) > 0 || (closed && left == 0) ? slope : 0};
}

static osvm_dual_term term(const double *p, double y, double cost) {
  return (osvm_dual_term){y, (p[0] - 1) * cost, p[0] * cost, {0, 0}};
}

const osvm_loss_info osvm_loss_quantile = {.name = "quantile",
                                           .title = "Pinball",
                                           .formula = "\\max(\\tau (y - f), (\\tau - 1) (y - f))",
                                           .target = OSVM_NUMBERS,
                                           .params = {{"tau", OSVM_QUANTILE}},
                                           .at = at,
                                           .term = term};
