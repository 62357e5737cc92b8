/* Low-rank maps: features whose inner products approximate a kernel.
 *
 * Nystrom   phi(x) = L^-1 k(x), k(x)_j = k(z_j, x) of landmarks z_j, where L L' is the kernel matrix of the landmarks.
 *           L is triangular: feature j needs the landmarks 0 .. j alone. Of landmarks the inner products are exact
 * Fourier   phi(x)_j = sqrt(2 / m) cos(2 pi (w_j.x + u_j)) of m random directions w_j, for a Gaussian kernel
 *
 * A view of data with a map has these features in place of its columns: rows are mapped in batches, on threads, while they
 * are packed into a store: solvers, grids and live models know nothing of it, support vectors stay rows. Weights of the
 * features are coefficients of the landmarks, so that predictions compute no features. What is computed
 * for a row does not depend on the others. */
#pragma once

#include "kernel-rows.h"

typedef struct {
  osvm_map map;         /* what the data layer knows of it */
  osvm_kernel kernel;   /* of rows with the landmarks; with directions the linear one */
  osvm_data directions; /* landmarks or directions, a row each, in the caller's memory */
  const double *root;   /* L^-1, rows x rows; NULL: directions */
  const double *phase;  /* u; NULL: landmarks */
  int by_column;        /* directions are multiplied with the non-zeros of rows */
  /* Packed for the arithmetic of the store that was filled last: */
  const osvm_simd *simd; /* NULL: not yet */
  osvm_store packed;     /* the landmarks or directions ... */
  void *columns;         /* ... or, by column, the directions as they came */
  osvm_store *block;     /* the root, some features each */
  int blocks;
} osvm_low_rank;

/* The directions' matrix, root and phase are not copied. */
osvm_status osvm_low_rank_open(osvm_low_rank *map, const osvm_kernel *kernel, const osvm_data *directions,
                               const double *root, const double *phase, int by_column, osvm_error *error);
void osvm_low_rank_close(osvm_low_rank *map);
/* f(x) = <weights, phi(x)> as an expansion over landmarks: coef (landmarks x machines) = L'^-1 weights */
void osvm_low_rank_expand(const osvm_low_rank *map, const double *weights, int machines, double *coef);
/* The landmarks, packed for such arithmetic */
osvm_status osvm_low_rank_pack(osvm_low_rank *map, const osvm_simd *simd, osvm_error *error);
