/* How much an expansion changes in the direction of each feature: f(x) = sum_i a_i k(x, z_i), whose gradient is
 * sum_i a_i k'(v(x, z_i)) dv / dx, v being the base value of the kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* Base values of a point with all centers, which stand feature by feature. */
static void base_values(osvm_base base, const double *point, const double *centers, int n, int d, double *values) {
  memset(values, 0, n * sizeof(double));
  for (int f = 0; f < d; f++) {
    const double *z = centers + (size_t)f * n, x = point[f];
    switch (base) {
    case OSVM_DOTS:
      for (int i = 0; i < n; i++) values[i] += x * z[i];
      break;
    case OSVM_SQUARED_DISTANCES:
      for (int i = 0; i < n; i++) values[i] += (x - z[i]) * (x - z[i]);
      break;
    default:
      for (int i = 0; i < n; i++) values[i] += fabs(x - z[i]);
    }
  }
}

static double derivative(osvm_base base, double x, const double *z, const double *weight, int n) {
  double sum = 0;
  switch (base) {
  case OSVM_DOTS:
    for (int i = 0; i < n; i++) sum += weight[i] * z[i];
    return sum;
  case OSVM_SQUARED_DISTANCES:
    for (int i = 0; i < n; i++) sum += weight[i] * (x - z[i]);
    return 2 * sum;
  default:
    for (int i = 0; i < n; i++) sum += x > z[i] ? weight[i] : x < z[i] ? -weight[i] : 0;
    return sum;
  }
}

osvm_status osvm_kernel_gradients(const osvm_kernel *kernel, const osvm_expansions *f, const double *points, int count,
                                  const double *added, const osvm_progress *progress, double *sizes,
                                  osvm_error *error) {
  const osvm_base base = kernel->info->base;
  double *values = malloc(((size_t)f->n + 1) * sizeof(double)), *weight = malloc(((size_t)f->n + 1) * sizeof(double));
  osvm_status status = values != NULL && weight != NULL ? OSVM_OK : osvm_no_memory(error);
  memset(sizes, 0, (size_t)f->d * f->machines * sizeof(double));
  for (int p = 0; p < count && status == OSVM_OK; p++) {
    const double *point = points + (size_t)p * f->d;
    if (osvm_poll(progress, (double)p / count)) {
      status = OSVM_INTERRUPTED;
      break;
    }
    base_values(base, point, f->centers, f->n, f->d, values);
    for (int i = 0; i < f->n; i++) values[i] = osvm_kernel_slope(kernel, values[i]);
    for (int m = 0; m < f->machines; m++) {
      const double *coef = f->coef + (size_t)m * f->n;
      const double *beside = added != NULL ? added + ((size_t)m * count + p) * f->d : NULL;
      for (int i = 0; i < f->n; i++) weight[i] = coef[i] * values[i];
      for (int k = 0; k < f->d; k++) {
        const double change =
            derivative(base, point[k], f->centers + (size_t)k * f->n, weight, f->n) + (beside != NULL ? beside[k] : 0);
        sizes[(size_t)m * f->d + k] += change * change;
      }
    }
  }
  for (int k = 0; k < f->d * f->machines; k++) sizes[k] = sqrt(sizes[k] / (count > 0 ? count : 1));
  free(values);
  free(weight);
  return status;
}
