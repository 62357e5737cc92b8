/* Kernels, and kernel values of one or several examples against a store. */
#ifndef OSVM_KERNEL_H
#define OSVM_KERNEL_H

#include "data.h"

/* OSVM_DISTANCE is the base of RBF: |x - z|^2; no solver uses it as its kernel. */
typedef enum { OSVM_LINEAR, OSVM_POLYNOMIAL, OSVM_RBF, OSVM_SIGMOID, OSVM_DISTANCE } osvm_kernel_type;

typedef struct {
  osvm_kernel_type type;
  double gamma, coef0;
  int degree;
} osvm_kernel;

double osvm_kernel_self(const osvm_kernel *kernel, double norm); /* k(x, x) from <x, x> */
osvm_status osvm_kernel_overflow(osvm_error *error);     /* OSVM_DIVERGED: a value is infinite, or not a number */
osvm_kernel osvm_kernel_base(const osvm_kernel *kernel); /* squared distances or dot products */
/* In place, from values of the base kernel to kernel values */
void osvm_kernel_transform(const osvm_kernel *kernel, const osvm_simd *simd, void *values, int n);

/* One pass of arithmetic; kernel-rows.h chooses among these. In all of them out[0] belongs to the first column of the
 * panel that `from` (or panel `first`) is in.
 *
 * Kernel values of the query with examples from .. to - 1 of the store. Dense stores write whole panels.
 * work: store->n doubles, sparse stores only; all 0 before and after. */
void osvm_kernel_row(const osvm_kernel *kernel, const osvm_store *store, const osvm_query *query, int from, int to,
                     double *work, void *out);
/* OSVM_QUERIES dense queries (d values each, contiguous) with panels first .. first + count - 1; out is OSVM_QUERIES
 * rows of `stride` values. With many features, distances come from the queries' norms and dot products; norms = NULL:
 * from differences, as in osvm_kernel_row, with the same rounding. */
void osvm_kernel_block(const osvm_kernel *kernel, const osvm_store *store, const void *queries, const double *norms,
                       int first, int count, void *out, size_t stride);

#endif
