/* k(x, z) = exp(-gamma |x - z|^2), the Gaussian. Of a point h x + (1 - h) z the distance to x is (1 - h) |x - z|. */
#include <math.h>

#include "kernel.h"

static double value(const double *p, double v) { return exp(-p[0] * v); }
static double slope(const double *p, double v) { return -p[0] * exp(-p[0] * v); }

static void transform(const double *p, const osvm_simd *simd, void *values, int n) {
  simd->exponentials(values, n, -p[0]);
}

const osvm_kernel_info osvm_kernel_rbf = {.name = "rbf",
                                          .title = "Radial Basis Function",
                                          .formula = "\\exp(-\\gamma |x - z|^2)",
                                          .base = OSVM_SQUARED_DISTANCES,
                                          .mergeable = 1,
                                          .product = 1,
                                          .params = {{"gamma", OSVM_SCALE}},
                                          .value = value,
                                          .slope = slope,
                                          .transform = transform};
