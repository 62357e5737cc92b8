/* The inverse R of the bordered kernel matrix of the margin set S, updated as vectors join and leave S.
 *
 *   Q = (0 1'; 1 K_SS)                Jacobian (7) of Cauwenberghs & Poggio (2001), in signed coefficients as in
 *                                     incremental.h. Without a bias, row and column 0 are 0
 *   beta = -R (1, k_Sc)               coefficient sensitivities (10) of the candidate c
 *   gamma_c = k_cc + (1, k_Sc) beta   its own margin sensitivity (12): the Schur complement of Q in the matrix of S and
 *                                     c. In feature space, the squared distance of c from the affine hull of S (without
 *                                     a bias, from its span): 0 means that c depends linearly on S
 *
 * R follows S by rank-one updates, (13) and (14), of |S|^2 operations each. Their rounding errors accumulate in R, not
 * in beta: beta is refined against Q, and what remains of the residual decides whether R is still accurate. */
#pragma once

#include "data.h"

typedef struct {
  const osvm_simd *simd;
  int biased;                    /* does Q have a border? */
  int size, capacity, *slot;     /* |S|, room, and the slots of S */
  double *jacobian, *inverse;    /* Q and R, (1 + capacity)^2; index 0 is the bias, index j + 1 is slot[j] */
  double *rhs, *beta, *residual; /* 1 + capacity each: beta = -R rhs, residual = rhs + Q beta */
  double kernel_max;             /* the largest |k_ij| so far */
  double gamma_c;                /* of the last candidate */
  double magnitude;              /* bound on the sum of the absolute terms of any gamma_i, (12) */
  int accurate, dependent;       /* is the residual small; does the last candidate depend linearly on S? */
} osvm_inverse;

osvm_status osvm_inverse_open(osvm_inverse *s, const osvm_simd *simd, int biased, osvm_error *error);
osvm_status osvm_inverse_reserve(osvm_inverse *s, osvm_error *error); /* room for one more vector */
void osvm_inverse_solve(osvm_inverse *s);                             /* beta, magnitude and accurate, from rhs */
/* The same and gamma_c and dependent for candidate c, whose kernel row by slot this is; k_cc: its diagonal element of the
 * matrix. keeps_sum: the coefficients of S make up for its change; 0: their own sum stays the same */
void osvm_inverse_solve_candidate(osvm_inverse *s, const double *row, double k_cc, int keeps_sum);
/* (13): the last candidate joins S. There must be room, and gamma_c > 0 */
void osvm_inverse_expand(osvm_inverse *s, int slot, double k_cc);
void osvm_inverse_contract(osvm_inverse *s, int k); /* (14): slot[k] leaves S, and the last of S takes index k */
void osvm_inverse_clear(osvm_inverse *s);           /* S is empty */
/* Row i + 1 of Q, from the kernel row of slot[i] and its diagonal element */
void osvm_inverse_set(osvm_inverse *s, int i, const double *row, double k_ii);
/* With a bias but no margin vector, Q is singular: there is no R, and the bias moves freely. */
static inline int osvm_inverse_is_empty(const osvm_inverse *s) { return s->biased && s->size == 0; }
void osvm_inverse_close(osvm_inverse *s);

/* ---- incremental-factor.c: R anew from Q, all of whose rows are set ---- */

/* First to last, then, if none was 0, last to first, then first to last, k < size; then border */
int osvm_inverse_factor_row(osvm_inverse *s, int k); /* 0: the vectors of S are all but linearly dependent */
void osvm_inverse_invert_row(osvm_inverse *s, int k);
void osvm_inverse_multiply_row(osvm_inverse *s, int k);
void osvm_inverse_border(osvm_inverse *s);

/* A candidate depends linearly on S if gamma_c is at most this times `magnitude`. */
extern const double osvm_inverse_dependence_tolerance;
