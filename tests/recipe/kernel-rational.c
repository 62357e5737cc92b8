/* k(x, z) = (1 + gamma |x - z|^2)^(-degree), the rational quadratic kernel: a mixture of Gaussians of all widths. */
#include <math.h>

#include "kernel.h"

enum { GAMMA, DEGREE };

static double value(const double *p, double v) { return pow(1 + p[GAMMA] * v, -p[DEGREE]); }
static double slope(const double *p, double v) { return -p[GAMMA] * p[DEGREE] * pow(1 + p[GAMMA] * v, -p[DEGREE] - 1); }

const osvm_kernel_info osvm_kernel_rational = {.name = "rational",
                                               .title = "Rational Quadratic",
                                               .formula = "(1 + \\gamma |x - z|^2)^{-degree}",
                                               .base = OSVM_SQUARED_DISTANCES,
                                               .params = {{"gamma", OSVM_SCALE}, {"degree", OSVM_DEGREE}},
                                               .value = value,
                                               .slope = slope};
