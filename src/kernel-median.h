#pragma once

#include "kernel.h"

/* The median of the kernel's distances, squared or absolute, between the examples rows[0 .. n - 1], without those of
 * equal examples; 0: there are no others. In double precision, n (n - 1) / 2 of them. */
osvm_status osvm_median_distance(const osvm_kernel *kernel, const osvm_data *data, const int *rows, int n, double *out,
                                 osvm_error *error);
