/* Decision values of finished models. */
#pragma once

#include "kernel-map.h"

/* out (data->n x machines) += sum over the store, which holds the support vectors, of coef (store->n x machines) * k */
osvm_status osvm_decision_values(const osvm_kernel *kernel, const osvm_store *store, const double *coef, int machines,
                                 const osvm_data *data, int threads, const osvm_progress *progress, double *out,
                                 osvm_error *error);
int osvm_decision_slice(const osvm_store *store); /* support vectors, in whole panels, that are summed at a time */
/* out += <weights (features x machines), x_i>, x_i scaled and, if the data has a map, mapped with this arithmetic.
 * unit_norm: the examples count as if their norm were 1 */
osvm_status osvm_linear_decision_values(const osvm_data *data, const osvm_simd *simd, const double *weights,
                                        int machines, int unit_norm, double *out, osvm_error *error);
