/* R anew from Q, by the Cholesky factor of the kernel matrix; see incremental-inverse.h.
 *
 *   K = U'U,  W = U^-1,  M = K^-1 = W W',  and with u = M 1, v = 1'u:  R = (-1/v  u'/v;  u/v  M - u u'/v)
 *
 * or, without a bias, (0 0; 0 M). U, W and M take the place of R one after the other, row by row in its upper triangle:
 * |S|^3 / 6 multiplications each, where |S| expansions (13) would take |S|^3 5/3. */
#include <math.h>

#include "incremental-inverse.h"

/* Of a diagonal element of U, squared, to that of K. Below it, S is close to linear dependence, and R is left to (13),
 * which tells the vectors that depend on the others. */
static const double PIVOT_MIN = 1e-10;

static double *row_of(const osvm_inverse *s, int i) { return s->inverse + (size_t)(i + 1) * (s->capacity + 1) + 1; }
static const double *kernels_of(const osvm_inverse *s, int i) {
  return s->jacobian + (size_t)(i + 1) * (s->capacity + 1) + 1;
}

/* target[i] += factors[j] row_j[i] over first <= j < last, for from <= i < |S| */
static void add_rows(const osvm_inverse *s, const double *factors, int first, int last, int from, double *target) {
  const int n = s->size - from;
  int j = first;
  for (; j + OSVM_QUERIES <= last; j += OSVM_QUERIES) {
    const void *rows[OSVM_QUERIES];
    for (int q = 0; q < OSVM_QUERIES; q++) rows[q] = row_of(s, j + q) + from;
    s->simd->combine(rows, n, factors + j, target + from);
  }
  for (; j < last; j++) s->simd->add(row_of(s, j) + from, n, factors[j], target + from);
}

int osvm_inverse_factor_row(osvm_inverse *s, int k) {
  double *row = row_of(s, k), *column = s->rhs;
  const double k_kk = kernels_of(s, k)[k];
  for (int i = 0; i < k; i++) {
    column[i] = -row_of(s, i)[k];
    row[i] = 0;
  }
  for (int i = k; i < s->size; i++) row[i] = kernels_of(s, k)[i];
  add_rows(s, column, 0, k, k, row);
  if (!(row[k] > PIVOT_MIN * k_kk)) return 0;
  const double root = sqrt(row[k]);
  for (int i = k; i < s->size; i++) row[i] /= root;
  return 1;
}

/* From the last row to the first: W_k = (e_k - sum over j > k of U_kj W_j) / U_kk */
void osvm_inverse_invert_row(osvm_inverse *s, int k) {
  double *row = row_of(s, k), *factors = s->rhs;
  const double u_kk = row[k];
  for (int j = k + 1; j < s->size; j++) {
    factors[j] = -row[j] / u_kk;
    row[j] = 0;
  }
  row[k] = 1 / u_kk;
  add_rows(s, factors, k + 1, s->size, k + 1, row);
}

/* From the first row to the last: M_kj, j >= k, takes W_ki of i >= j, and only W_j of other rows. */
void osvm_inverse_multiply_row(osvm_inverse *s, int k) {
  double *row = row_of(s, k);
  for (int j = k; j < s->size; j++) row[j] = s->simd->weigh(row + j, s->size - j, row_of(s, j) + j);
}

void osvm_inverse_border(osvm_inverse *s) {
  double *first = s->inverse, *u = s->rhs, v = 0;
  for (int i = 0; i < s->size; i++)
    for (int j = i + 1; j < s->size; j++) row_of(s, j)[i] = row_of(s, i)[j];
  for (int i = 0; i <= s->size; i++) first[i] = 0;
  for (int i = 0; i < s->size; i++) row_of(s, i)[-1] = 0;
  if (osvm_inverse_is_empty(s) || !s->biased) return;
  for (int i = 0; i < s->size; i++) {
    u[i] = 0;
    for (int j = 0; j < s->size; j++) u[i] += row_of(s, i)[j];
    v += u[i];
  }
  first[0] = -1 / v;
  for (int i = 0; i < s->size; i++) {
    first[i + 1] = row_of(s, i)[-1] = u[i] / v;
    s->simd->add(u, s->size, -u[i] / v, row_of(s, i));
  }
}
