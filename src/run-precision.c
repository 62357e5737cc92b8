/* The precision of a run's arithmetic. Kernel values in single precision are right to five digits or more. That is not
 * enough where squares overflow or underflow, where digits of differences cancel, or where rounding alone, times the bound
 * of coefficients, would exceed a solver's tolerance. */
#include <math.h>

#include "run.h"

/* The largest kernel value of examples with this squared norm */
static double kernel_size(const osvm_kernel *kernel, double square) {
  if (kernel->info->base != OSVM_DOTS) return fabs(osvm_kernel_value(kernel, 0));
  return fmax(fabs(osvm_kernel_value(kernel, square)), fabs(osvm_kernel_value(kernel, -square)));
}

static double scale_of(const osvm_kernel *kernel) {
  for (int p = 0; kernel->info->params[p].name != NULL; p++)
    if (kernel->info->params[p].role == OSVM_SCALE) return kernel->params[p];
  return 1;
}

/* Kernel values near k(x, x): with less than 1e-4 below it, single precision (6e-8) leaves three digits of the difference.
 * The mean of |x - z|^2 is twice the spread; a sum of absolute differences is at least its root. */
static int is_flat(const osvm_kernel *kernel, const osvm_extent *extent) {
  const double square = 2 * extent->spread, distance = kernel->info->base == OSVM_SQUARED_DISTANCES    ? square
                                                       : kernel->info->base == OSVM_ABSOLUTE_DISTANCES ? sqrt(square)
                                                                                                       : 0;
  return distance > 0 && fabs(osvm_kernel_slope(kernel, 0)) * distance < 1e-4;
}

static int needs_doubles(const osvm_task *task) {
  const osvm_kernel *kernel = task->approximated != NULL ? task->approximated : &task->kernel;
  const osvm_extent *extent = task->extent;
  if (kernel->info->base == OSVM_GIVEN || osvm_solver_doubles(task->solver, task->params)) return 1;
  const double scale = scale_of(kernel);
  return extent->far || extent->largest > 1e15 || (extent->largest < 1e-10 && extent->largest > 0) ||
         !(kernel_size(kernel, extent->norm) <= 1e30) || scale > 1e20 || scale < 1e-20 || is_flat(kernel, extent) ||
         ldexp(kernel_size(kernel, extent->square), -24) * osvm_solver_growth(task->solver, task->params) > 1;
}

const osvm_simd *osvm_task_simd(const osvm_task *task) {
  const int doubles = task->doubles || task->solver->doubles || (task->extent != NULL && needs_doubles(task));
  return doubles ? osvm_simd_double(task->level) : osvm_simd_single(task->level);
}
