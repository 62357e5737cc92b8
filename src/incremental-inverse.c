/* See incremental-inverse.h. */
#include "incremental-inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 45 eps (eps = 2.2e-16). gamma_c is a sum of |S| + 2 products, whose rounding errors add up to about sqrt(|S|) eps
 * magnitude: with up to some 2,000 margin vectors, a smaller gamma_c has no correct digit, and (13) divides by it. */
const double osvm_inverse_dependence_tolerance = 1e-14;

/* Of the residual relative to the terms of its sums. 2 eps: the residual itself is not known any better, and there is
 * nothing left to refine. 450 eps: R no longer makes refinement converge. Gradients on the margin would change by 1e-13
 * of their terms per step: in the 64 steps between two corrections (incremental-correct.c) still by less than 1e-11. */
static const double REFINED = 4e-16, INACCURATE = 1e-13;
enum { REFINEMENTS = 4 }; /* at most; each has to halve the residual, or it is the last */

static double *matrix_row(const osvm_inverse *s, double *matrix, int i) {
  return matrix + (size_t)i * (s->capacity + 1);
}

static osvm_status grow_matrix(const osvm_inverse *s, double **matrix, int capacity, osvm_error *error) {
  double *grown = calloc((size_t)(capacity + 1) * (capacity + 1), sizeof(double));
  if (grown == NULL) return osvm_no_memory(error);
  for (int i = 0; i <= s->size && *matrix != NULL; i++)
    memcpy(grown + (size_t)i * (capacity + 1), matrix_row(s, *matrix, i), (s->size + 1) * sizeof(double));
  free(*matrix);
  *matrix = grown;
  return OSVM_OK;
}

osvm_status osvm_inverse_reserve(osvm_inverse *s, osvm_error *error) {
  if (s->size < s->capacity) return OSVM_OK;
  const int capacity = 2 * s->capacity + 16;
  OSVM_TRY(osvm_resize(&s->slot, capacity, sizeof(int), error));
  OSVM_TRY(osvm_resize(&s->beta, capacity + 1, sizeof(double), error));
  OSVM_TRY(osvm_resize(&s->rhs, capacity + 1, sizeof(double), error));
  OSVM_TRY(osvm_resize(&s->residual, capacity + 1, sizeof(double), error));
  OSVM_TRY(grow_matrix(s, &s->jacobian, capacity, error));
  OSVM_TRY(grow_matrix(s, &s->inverse, capacity, error));
  s->capacity = capacity;
  return OSVM_OK;
}

osvm_status osvm_inverse_open(osvm_inverse *s, const osvm_simd *simd, int biased, osvm_error *error) {
  memset(s, 0, sizeof *s);
  s->simd = simd;
  s->biased = biased;
  return osvm_inverse_reserve(s, error);
}

/* (10) with iterative refinement: beta -= R (rhs + Q beta). */
void osvm_inverse_solve(osvm_inverse *s) {
  const int n = s->size + 1;
  double previous = INFINITY, worst;
  for (int i = 0; i < n; i++) s->beta[i] = -s->simd->weigh(matrix_row(s, s->inverse, i), n, s->rhs);
  for (int refinements = 0;; refinements++) {
    double sum = 1; /* of the absolute terms in row 0 */
    for (int j = 1; j < n; j++) sum += fabs(s->beta[j]);
    s->magnitude = s->kernel_max * sum + fabs(s->beta[0]);
    worst = 0;
    for (int i = 0; i < n; i++) {
      s->residual[i] = s->rhs[i] + s->simd->weigh(matrix_row(s, s->jacobian, i), n, s->beta);
      worst = fmax(worst, fabs(s->residual[i]) / (i == 0 ? sum : s->magnitude));
    }
    if (!(worst > REFINED) || !(worst < previous / 2) || refinements == REFINEMENTS) break;
    previous = worst;
    for (int i = 0; i < n; i++) s->beta[i] -= s->simd->weigh(matrix_row(s, s->inverse, i), n, s->residual);
  }
  s->accurate = worst <= INACCURATE;
}

/* gamma_c as the quadratic form k_cc + 2 rhs' beta + beta' Q beta, which is stationary at the exact beta: an error in
 * beta enters only squared. */
void osvm_inverse_solve_candidate(osvm_inverse *s, const double *row, double k_cc, int keeps_sum) {
  s->rhs[0] = s->biased && keeps_sum;
  for (int j = 0; j < s->size; j++) {
    s->rhs[j + 1] = row[s->slot[j]];
    s->kernel_max = fmax(s->kernel_max, fabs(s->rhs[j + 1]));
  }
  osvm_inverse_solve(s);
  s->gamma_c = k_cc;
  for (int i = 0; i <= s->size; i++) s->gamma_c += s->beta[i] * (s->rhs[i] + s->residual[i]);
  const int independent = s->accurate && s->gamma_c > osvm_inverse_dependence_tolerance * s->magnitude;
  s->dependent = !independent && !osvm_inverse_is_empty(s);
}

void osvm_inverse_set(osvm_inverse *s, int i, const double *row, double k_ii) {
  double *q = matrix_row(s, s->jacobian, i + 1);
  q[0] = s->jacobian[i + 1] = s->biased;
  for (int j = 0; j < s->size; j++) {
    q[j + 1] = j == i ? k_ii : row[s->slot[j]];
    s->kernel_max = fmax(s->kernel_max, fabs(q[j + 1]));
  }
}

/* R <- (R 0; 0 0) + (beta, 1) (beta, 1)' / gamma_c. The first, with a bias: (0 1; 1 k)^-1 = (-k 1; 1 0). */
void osvm_inverse_expand(osvm_inverse *s, int slot, double k_cc) {
  const int next = s->size + 1;
  double *last = matrix_row(s, s->inverse, next);
  memcpy(matrix_row(s, s->jacobian, next), s->rhs, next * sizeof(double));
  for (int i = 0; i < next; i++) matrix_row(s, s->jacobian, i)[next] = s->rhs[i];
  matrix_row(s, s->jacobian, next)[next] = k_cc;
  if (osvm_inverse_is_empty(s)) {
    matrix_row(s, s->inverse, 0)[0] = -k_cc;
    matrix_row(s, s->inverse, 0)[1] = last[0] = 1;
    last[1] = 0;
  } else {
    for (int i = 0; i < next; i++) {
      s->simd->add(s->beta, next, s->beta[i] / s->gamma_c, matrix_row(s, s->inverse, i));
      matrix_row(s, s->inverse, i)[next] = last[i] = s->beta[i] / s->gamma_c;
    }
    last[next] = 1 / s->gamma_c;
  }
  s->slot[s->size++] = slot;
}

void osvm_inverse_clear(osvm_inverse *s) {
  const size_t bytes = (size_t)(s->capacity + 1) * (s->capacity + 1) * sizeof(double);
  s->size = 0;
  memset(s->inverse, 0, bytes);
  memset(s->jacobian, 0, bytes);
}

/* Row and column `from`, the last, take the place of row and column `to`. */
static void replace_row(const osvm_inverse *s, double *matrix, int from, int to) {
  for (int i = 0; i <= from; i++) matrix_row(s, matrix, i)[to] = matrix_row(s, matrix, i)[from];
  memmove(matrix_row(s, matrix, to), matrix_row(s, matrix, from), from * sizeof(double));
}

/* R_ij <- R_ij - R_kk^-1 R_ik R_kj. R_kk = 1 / gamma_k is 0 only by an indefinite kernel; R is then not corrected, and
 * the residual of the next solution causes a rebuild. */
void osvm_inverse_contract(osvm_inverse *s, int k) {
  const int leaving = k + 1, last = s->size;
  if (s->size == 1) {
    osvm_inverse_clear(s);
    return;
  }
  double *row_k = matrix_row(s, s->inverse, leaving);
  const double pivot = row_k[leaving];
  for (int i = 0; i <= last && pivot != 0; i++) {
    double *row = matrix_row(s, s->inverse, i);
    if (i != leaving) s->simd->add(row_k, last + 1, -row[leaving] / pivot, row);
  }
  replace_row(s, s->inverse, last, leaving);
  replace_row(s, s->jacobian, last, leaving);
  s->slot[k] = s->slot[last - 1];
  s->size--;
}

void osvm_inverse_close(osvm_inverse *s) {
  free(s->slot);
  free(s->jacobian);
  free(s->inverse);
  free(s->beta);
  free(s->rhs);
  free(s->residual);
  memset(s, 0, sizeof *s);
}
