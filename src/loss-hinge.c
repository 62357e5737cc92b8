/* max(0, 1 - y f), y = -1 or +1: classes. */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double margin = y * f;
  (void)p;
  return (osvm_loss_point){margin >= 1 ? 0 : 1 - margin, margin < 1 || (closed && margin == 1) ? y : 0};
}

static osvm_dual_term term(const double *p, double y, double cost) {
  (void)p;
  return (osvm_dual_term){y, y < 0 ? -cost : 0, y > 0 ? cost : 0, {0, 0}};
}

const osvm_loss_info osvm_loss_hinge = {.name = "hinge",
                                        .title = "Hinge",
                                        .formula = "\\max(0, 1 - y f)",
                                        .target = OSVM_CLASSES,
                                        .unit_slope = 1,
                                        .at = at,
                                        .term = term};
