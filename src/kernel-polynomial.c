/* k(x, z) = (gamma <x, z> + coef0)^degree, positive definite for coef0 >= 0 */
#include <math.h>

#include "kernel.h"

enum { GAMMA, COEF0, DEGREE };

static double value(const double *p, double v) { return pow(p[GAMMA] * v + p[COEF0], p[DEGREE]); }

static double slope(const double *p, double v) {
  return p[DEGREE] == 0 ? 0 : p[GAMMA] * p[DEGREE] * pow(p[GAMMA] * v + p[COEF0], p[DEGREE] - 1);
}

static int is_definite(const double *p) { return p[COEF0] >= 0; }

static void transform(const double *p, const osvm_simd *simd, void *values, int n) {
  simd->powers(values, n, p[GAMMA], p[COEF0], (int)p[DEGREE]);
}

const osvm_kernel_info osvm_kernel_polynomial = {
    .name = "polynomial",
    .title = "Polynomial",
    .formula = "(\\gamma\\, x \\cdot z + c_0)^{degree}",
    .base = OSVM_DOTS,
    .params = {{"gamma", OSVM_SCALE}, {"coef0", OSVM_CONSTANT}, {"degree", OSVM_DEGREE}},
    .value = value,
    .slope = slope,
    .is_definite = is_definite,
    .transform = transform};
