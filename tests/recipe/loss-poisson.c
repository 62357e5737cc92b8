/* Counts y >= 0 of mean e^f: minus the log-likelihood, e^f - y f, continued as a line beyond f = 8. A throwaway that shows
 * what a loss by slope needs, and the outcome that it is for (CONTRIBUTING.md). */
#include "loss.h"

static osvm_loss_point at(const double *p, double y, double f, int closed) {
  const double most = 8, mean = exp(f < most ? f : most);
  (void)p;
  (void)closed;
  return (osvm_loss_point){mean + (f > most ? mean * (f - most) : 0) - y * f, isnan(f) ? 0 : y - mean};
}

const osvm_loss_info osvm_loss_poisson = {
    .name = "poisson", .title = "Poisson", .formula = "e^f - y f", .target = OSVM_NUMBERS, .at = at};
