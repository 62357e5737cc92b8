/* A bordered system A beta = -(1, k), A = (0 1'; 1 K_SS), over a set S that grows and shrinks by one, and A's inverse M.
 *
 * For machines whose bias and coefficients on the margin move together so that the margin's errors stay 0. M follows the
 * set by rank-one steps; beta is refined against A, which says whether M is still any good. Double precision only. */
#ifndef OSVM_CORE_MARGIN_H
#define OSVM_CORE_MARGIN_H

#include "data.h"

typedef struct {
  const osvm_simd *simd;
  int biased; /* does A have a row for the bias? */
  int size, room, *who;
  double *matrix, *inverse;     /* A and M, (1 + room) x (1 + room); place 0 is the bias, all 0 without */
  double *beta, *kernel, *rest; /* 1 + room each; rest: what is left of A beta + (1, k) */
  double scale;                 /* the largest kernel value so far */
  double own, noise;            /* of the latest candidate c: k_cc + (1, k) beta; the size of such a sum's terms */
  int accurate, dependent;      /* is M good enough; does c depend linearly on S? */
} osvm_inverse;

osvm_status osvm_inverse_open(osvm_inverse *margin, const osvm_simd *simd, int biased, osvm_error *error);
osvm_status osvm_inverse_reserve(osvm_inverse *margin, osvm_error *error); /* for one more */
void osvm_inverse_solve(osvm_inverse *margin);                          /* beta, from kernel */
/* beta and own of a candidate, whose kernel row this is and own place in it c */
void osvm_inverse_solve_for(osvm_inverse *margin, const double *row, int c);
void osvm_inverse_expand(osvm_inverse *margin, int who, double self); /* the candidate solved for last; there is room */
void osvm_inverse_shrink(osvm_inverse *margin, int k);               /* the last takes the k-th's place */
void osvm_inverse_clear(osvm_inverse *margin);
static inline int osvm_inverse_is_empty(const osvm_inverse *margin) { return margin->biased && margin->size == 0; }
void osvm_inverse_close(osvm_inverse *margin);

extern const double osvm_inverse_dependent; /* own, relative to noise, of a candidate that depends on S */

#endif
