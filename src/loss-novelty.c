/* max(0, -f): one class, without a target. nu bounds the share of examples with f < 0. The bias is the paper's -rho; with
 * nu times the bias in the objective the slopes have mean nu, which is that share. Schoelkopf et al. (2001). */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  (void)p, (void)y;
  return (osvm_loss_point){f >= 0 ? 0 : -f, f < 0 || (closed && f == 0)};
}

static osvm_dual_term term(const double *p, double y, double cost) {
  (void)p, (void)y;
  return (osvm_dual_term){0, 0, cost, {0, 0}};
}

static double share(const double *p) { return p[0]; }

const osvm_loss_info osvm_loss_novelty = {.name = "novelty",
                                          .title = "One-class",
                                          .formula = "\\max(0, -f)",
                                          .target = OSVM_NO_TARGET,
                                          .params = {{"nu", OSVM_SHARE}},
                                          .unit_slope = 1,
                                          .at = at,
                                          .term = term,
                                          .share = share};
