/* Exact Shapley values of finished models. */
#pragma once

#include "kernel.h"

/* A model whose kernel is a product over features, or the linear one: then `coef` holds weights (features x machines), and
 * there is no store */
typedef struct {
  const osvm_kernel *kernel;
  const osvm_store *store; /* the support vectors, in double precision and panels */
  const double *coef;      /* store->n x machines */
  int machines, unit_norm; /* unit_norm: examples count as if their norm were 1; linear */
  const int *group;        /* of every feature the variable it belongs to, from 0 on; values of a variable are sums */
  int groups;
} osvm_shapley_model;

/* out (data->n x groups x machines) += the values. With simd that of the store */
osvm_status osvm_shapley_values(const osvm_shapley_model *model, const osvm_simd *simd, const osvm_data *data,
                                int threads, const osvm_progress *progress, double *out, osvm_error *error);
