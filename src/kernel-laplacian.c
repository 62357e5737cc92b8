/* k(x, z) = exp(-gamma sum_f |x_f - z_f|): a product over features of Laplacian kernels, each positive definite. */
#include <math.h>

#include "kernel.h"

static double value(const double *p, double v) { return exp(-p[0] * v); }
static double slope(const double *p, double v) { return -p[0] * exp(-p[0] * v); }

static void transform(const double *p, const osvm_simd *simd, void *values, int n) {
  simd->exponentials(values, n, -p[0]);
}

const osvm_kernel_info osvm_kernel_laplacian = {.name = "laplacian",
                                                .title = "Laplacian",
                                                .formula = "\\exp(-\\gamma \\sum_f |x_f - z_f|)",
                                                .base = OSVM_ABSOLUTE_DISTANCES,
                                                .product = 1,
                                                .params = {{"gamma", OSVM_SCALE}},
                                                .value = value,
                                                .slope = slope,
                                                .transform = transform};
