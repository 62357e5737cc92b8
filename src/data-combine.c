/* Examples of a store that change: linear combinations of two in place of one of them, and other values. */
#include <math.h>

#include "data-pack.h"

static double value_at(const osvm_store *store, const void *values, size_t k) {
  return osvm_real(store->simd, values, k);
}

static void combine_dense(osvm_store *store, int i, double a, int j, double b) {
  const size_t x = osvm_dense_offset(store, i), z = osvm_dense_offset(store, j), width = store->width;
  double norm = 0;
  for (size_t f = 0; f < (size_t)store->d; f++) {
    const double sum =
        a * value_at(store, store->dense, x + f * width) + b * value_at(store, store->dense, z + f * width);
    const double rounded = osvm_as_real(store->simd, sum);
    osvm_set_real(store->simd, store->dense, x + f * width, rounded);
    norm += rounded * rounded;
  }
  store->norm[i] = norm;
}

/* The two lists of columns, which increase, are merged behind the last non-zeros. */
static osvm_status combine_sparse(osvm_store *store, int i, double a, int j, double b, osvm_error *error) {
  const int m = store->row_length[i], n = store->row_length[j];
  OSVM_TRY(osvm_store_reserve_nonzeros(store, (size_t)m + n, error));
  OSVM_TRY(osvm_store_mark_stale(store, i, error));
  const size_t x = store->row_start[i], z = store->row_start[j];
  size_t to = store->used;
  double norm = 0, absolute = 0;
  for (int p = 0, q = 0; p < m || q < n; to++) {
    const int column_p = p < m ? store->column[x + p] : store->d, column_q = q < n ? store->column[z + q] : store->d;
    double sum = 0;
    store->column[to] = column_p < column_q ? column_p : column_q;
    if (column_p <= column_q) sum += a * value_at(store, store->value, x + p++);
    if (column_q <= column_p) sum += b * value_at(store, store->value, z + q++);
    sum = osvm_as_real(store->simd, sum);
    osvm_set_real(store->simd, store->value, to, sum);
    norm += sum * sum;
    absolute += fabs(sum);
  }
  store->norm[i] = norm;
  store->absolute[i] = absolute;
  store->row_start[i] = store->used;
  store->row_length[i] = (int)(to - store->used);
  store->used = to;
  return OSVM_OK;
}

osvm_status osvm_store_combine(osvm_store *store, int i, double a, int j, double b, osvm_error *error) {
  if (store->sparse) return combine_sparse(store, i, a, j, b, error);
  combine_dense(store, i, a, j, b);
  return OSVM_OK;
}

void osvm_store_write(osvm_store *store, int i, const double *values) {
  const size_t at = store->sparse ? store->row_start[i] : osvm_dense_offset(store, i);
  const int count = store->sparse ? store->row_length[i] : store->d;
  const size_t step = store->sparse ? 1 : store->width;
  void *const to = store->sparse ? store->value : store->dense;
  double norm = 0, absolute = 0;
  for (int k = 0; k < count; k++) {
    const double rounded = osvm_as_real(store->simd, values[k]);
    osvm_set_real(store->simd, to, at + k * step, rounded);
    norm += rounded * rounded;
    absolute += fabs(rounded);
  }
  store->norm[i] = norm;
  if (!store->sparse) return;
  store->absolute[i] = absolute;
  osvm_store_drop_index(store);
}
