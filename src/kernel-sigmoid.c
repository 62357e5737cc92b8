/* k(x, z) = tanh(gamma <x, z> + coef0), which is not positive definite. */
#include <math.h>

#include "kernel.h"

enum { GAMMA, COEF0 };

static double value(const double *p, double v) { return tanh(p[GAMMA] * v + p[COEF0]); }

static double slope(const double *p, double v) {
  const double k = value(p, v);
  return p[GAMMA] * (1 - k * k);
}

static int is_definite(const double *p) {
  (void)p;
  return 0;
}

static void transform(const double *p, const osvm_simd *simd, void *values, int n) {
  simd->tangents(values, n, p[GAMMA], p[COEF0]);
}

const osvm_kernel_info osvm_kernel_sigmoid = {.name = "sigmoid",
                                              .title = "Sigmoid",
                                              .formula = "\\tanh(\\gamma\\, x \\cdot z + c_0)",
                                              .base = OSVM_DOTS,
                                              .params = {{"gamma", OSVM_SCALE}, {"coef0", OSVM_CONSTANT}},
                                              .value = value,
                                              .slope = slope,
                                              .is_definite = is_definite,
                                              .transform = transform};
