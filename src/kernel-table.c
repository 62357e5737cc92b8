/* The kernels, and what their tables say. */
#include <math.h>
#include <string.h>

#include "kernel.h"

const osvm_kernel_info *const *osvm_kernels(int *count) {
  static const osvm_kernel_info *const all[] = {
#define OSVM_KERNEL(name) &osvm_kernel_##name,
#include "kernel-list.h"
#undef OSVM_KERNEL
  };
  *count = (int)(sizeof all / sizeof all[0]);
  return all;
}

int osvm_kernel_params(const osvm_kernel_info *info) {
  int count = 0;
  while (info->params[count].name != NULL) count++;
  return count;
}

static int in_range(osvm_kernel_role role, double value) {
  switch (role) {
  case OSVM_SCALE: return isfinite(value) && value > 0;
  case OSVM_DEGREE: return value >= 0 && value <= 1e6 && value == floor(value);
  case OSVM_CONSTANT: return isfinite(value);
  }
  return 0;
}

osvm_status osvm_kernel_read(const char *name, const double *values, int count, osvm_kernel *kernel,
                             osvm_error *error) {
  int kernels;
  const osvm_kernel_info *const *all = osvm_kernels(&kernels);
  memset(kernel, 0, sizeof *kernel);
  for (int k = 0; k < kernels; k++)
    if (strcmp(all[k]->name, name) == 0) kernel->info = all[k];
  if (strcmp(osvm_kernel_given.name, name) == 0) kernel->info = &osvm_kernel_given;
  if (kernel->info == NULL) return osvm_fail(error, OSVM_INVALID, "there is no kernel of this name");
  int fits = count == osvm_kernel_params(kernel->info);
  for (int p = 0; fits && p < count; p++) {
    fits = in_range(kernel->info->params[p].role, values[p]);
    kernel->params[p] = values[p];
  }
  return fits ? OSVM_OK : osvm_fail(error, OSVM_INVALID, "a parameter of the kernel is missing or out of its range");
}

int osvm_kernel_same(const osvm_kernel *a, const osvm_kernel *b) {
  if (a->info != b->info || a->untransformed != b->untransformed || a->given != b->given) return 0;
  for (int p = 0; p < osvm_kernel_params(a->info); p++)
    if (a->params[p] != b->params[p]) return 0;
  return 1;
}

int osvm_kernel_is_linear(const osvm_kernel *kernel) {
  return kernel->info->base == OSVM_DOTS && kernel->info->value == NULL;
}

int osvm_kernel_is_definite(const osvm_kernel *kernel) {
  return kernel->info->is_definite == NULL || kernel->info->is_definite(kernel->params);
}

double osvm_kernel_value(const osvm_kernel *kernel, double base) {
  return kernel->untransformed || kernel->info->value == NULL ? base : kernel->info->value(kernel->params, base);
}

double osvm_kernel_slope(const osvm_kernel *kernel, double base) {
  return kernel->info->slope == NULL ? 1 : kernel->info->slope(kernel->params, base);
}

double osvm_kernel_self(const osvm_kernel *kernel, const osvm_store *store, int i) {
  if (kernel->info->base == OSVM_GIVEN) return osvm_kernel_given_self(kernel, store, i);
  return osvm_kernel_value(kernel, kernel->info->base == OSVM_DOTS ? store->norm[i] : 0);
}

osvm_kernel osvm_kernel_untransformed(const osvm_kernel *kernel) {
  osvm_kernel base = *kernel;
  base.untransformed = 1;
  return base;
}

void osvm_kernel_transform(const osvm_kernel *kernel, const osvm_simd *simd, void *values, int n) {
  const osvm_kernel_info *info = kernel->info;
  if (kernel->untransformed || info->value == NULL) return;
  if (info->transform != NULL) info->transform(kernel->params, simd, values, n);
  else
    for (int i = 0; i < n; i++) osvm_set_real(simd, values, i, info->value(kernel->params, osvm_real(simd, values, i)));
}

osvm_status osvm_kernel_overflow(osvm_error *error) {
  return osvm_fail(error, OSVM_DIVERGED, "the kernel values grew beyond all numbers; scale the data");
}
