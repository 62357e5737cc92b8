/* Packing: rows of the caller's matrix, dense or sparse, become examples of a store, dense or sparse. */
#include <math.h>
#include <stdlib.h>

#include "data-pack.h"

/* Row r of the data, low <= r <= high, becomes example place[r - low]; -1: it is not wanted. */
typedef struct {
  int low, high;
  int *place;
} placement;

static osvm_status place_rows(const osvm_store *store, const int *rows, int count, placement *at, osvm_error *error) {
  at->low = rows ? rows[0] : 0;
  at->high = rows ? rows[0] : count - 1;
  for (int k = 0; rows != NULL && k < count; k++) {
    if (rows[k] < at->low) at->low = rows[k];
    if (rows[k] > at->high) at->high = rows[k];
  }
  const int span = at->high - at->low + 1;
  at->place = malloc((size_t)span * sizeof(int));
  if (at->place == NULL) return osvm_no_memory(error);
  for (int r = 0; r < span; r++) at->place[r] = -1;
  for (int k = 0; k < count; k++) at->place[(rows ? rows[k] : k) - at->low] = store->n + k;
  return OSVM_OK;
}

/* The first non-zero of column f in row r or below it */
static int nonzero_from(const osvm_data *data, int f, int r) {
  int low = data->start[f], high = data->start[f + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (data->row[middle] < r) low = middle + 1;
    else high = middle;
  }
  return low;
}

static double raw_value(const osvm_data *data, size_t k) {
  return data->kind == OSVM_INTEGERS ? data->integers[k] : data->x[k];
}

static double shift_of(const osvm_data *data, int f) { return data->centre ? data->centre[f] : 0; }
static double unit_of(const osvm_data *data, int f) { return data->scale ? data->scale[f] : 1; }

static void set_dense(osvm_store *store, int i, int f, double x) {
  osvm_set_real(store->simd, store->dense, osvm_dense_offset(store, i) + (size_t)f * store->width, x);
}

/* Column f of a block of rows of a dense matrix, which become examples at these offsets */
static void put_column(osvm_store *store, int f, const double *x, const size_t *at, double *norm, int count) {
  const size_t first = (size_t)f * store->width;
  if (store->simd->size == sizeof(float)) {
    float *to = (float *)store->dense + first;
    for (int k = 0; k < count; k++) to[at[k]] = (float)x[k];
    for (int k = 0; k < count; k++) norm[k] += (double)(float)x[k] * (float)x[k];
  } else {
    double *to = (double *)store->dense + first;
    for (int k = 0; k < count; k++) to[at[k]] = x[k];
    for (int k = 0; k < count; k++) norm[k] += x[k] * x[k];
  }
}

/* Rows of a dense matrix: a block of them stays in the second-level cache while its columns are read. */
static osvm_status gather_rows(osvm_store *store, const osvm_data *data, const int *rows, int count) {
  enum { BLOCK = 256 };
  double x[BLOCK], work = 0;
  size_t at[BLOCK];
  for (int begin = 0; begin < count; begin += BLOCK) {
    const int part = count - begin < BLOCK ? count - begin : BLOCK, first = store->n + begin;
    if (osvm_data_stopped(data, &work, (double)part * store->d)) return OSVM_INTERRUPTED;
    for (int k = 0; k < part; k++) at[k] = osvm_dense_offset(store, first + k);
    for (int f = 0; f < store->d; f++) {
      const double shift = shift_of(data, f), unit = unit_of(data, f);
      osvm_data_column(data, f, rows != NULL ? rows + begin : NULL, begin, part, x);
      for (int k = 0; k < part; k++) x[k] = (x[k] - shift) / unit;
      put_column(store, f, x, at, store->norm + first, part);
    }
  }
  return OSVM_OK;
}

/* Column f of a sparse matrix: zeros, then the non-zeros in their own order */
static void scatter_column(osvm_store *store, const osvm_data *data, int f, const placement *at, int count) {
  const double unit = unit_of(data, f);
  const int end = nonzero_from(data, f, at->high + 1);
  for (int k = 0; k < count; k++) set_dense(store, store->n + k, f, 0);
  for (int k = nonzero_from(data, f, at->low); k < end; k++) {
    const int i = at->place[data->row[k] - at->low];
    if (i >= 0) set_dense(store, i, f, data->x[k] / unit);
  }
}

/* Feature by feature, since the caller's matrix is in columns */
static osvm_status scatter_rows(osvm_store *store, const osvm_data *data, const placement *at, int count) {
  double work = 0;
  for (int f = 0; f < store->d; f++) {
    if (osvm_data_stopped(data, &work, count)) return OSVM_INTERRUPTED;
    scatter_column(store, data, f, at, count);
    for (int i = store->n; i < store->n + count; i++) {
      const double x = osvm_real(store->simd, store->dense, osvm_dense_offset(store, i) + (size_t)f * store->width);
      store->norm[i] += x * x;
    }
  }
  return OSVM_OK;
}

/* The values of column f in rows low .. high are k = begin .. end - 1: all of a dense matrix, else its non-zeros. */
static size_t column_begin(const osvm_data *data, int f, int r) {
  return data->kind == OSVM_SPARSE ? (size_t)nonzero_from(data, f, r) : (size_t)f * data->n + r;
}

/* The example that value k of column f belongs to; -1: none, or the scaled value is 0 */
static int example_of(const osvm_data *data, int f, size_t k, double shift, const placement *at) {
  if (raw_value(data, k) == shift) return -1;
  const int r = data->kind == OSVM_SPARSE ? data->row[k] : (int)(k - (size_t)f * data->n);
  return at->place[r - at->low];
}

/* Columns to rows by counting: lengths first, then offsets, then values; rows are sorted since columns are read in
 * order. */
static osvm_status fill_sparse(osvm_store *store, const osvm_data *data, const placement *at, int count,
                               osvm_error *error) {
  size_t total = 0;
  for (int k = 0; k < count; k++) store->row_length[store->n + k] = 0;
  for (int k = 0; k < count; k++) store->absolute[store->n + k] = 0;
  for (int f = 0; f < data->d; f++) {
    const size_t end = column_begin(data, f, at->high + 1);
    for (size_t k = column_begin(data, f, at->low); k < end; k++) {
      const int i = example_of(data, f, k, shift_of(data, f), at);
      if (i >= 0) store->row_length[i]++;
      total += i >= 0;
    }
  }
  OSVM_TRY(osvm_store_reserve_nonzeros(store, total, error));
  total = store->used;
  for (int i = store->n; i < store->n + count; i++) {
    store->row_start[i] = total;
    total += store->row_length[i];
    store->row_length[i] = 0;
  }
  double work = 0;
  for (int f = 0; f < data->d; f++) {
    const double shift = shift_of(data, f), unit = unit_of(data, f);
    const size_t begin = column_begin(data, f, at->low), end = column_begin(data, f, at->high + 1);
    if (osvm_data_stopped(data, &work, (double)(end - begin))) return OSVM_INTERRUPTED;
    for (size_t k = begin; k < end; k++) {
      const int i = example_of(data, f, k, shift, at);
      if (i < 0) continue;
      const size_t to = store->row_start[i] + store->row_length[i]++;
      const double x = osvm_as_real(store->simd, (raw_value(data, k) - shift) / unit);
      store->column[to] = f;
      osvm_set_real(store->simd, store->value, to, x);
      store->norm[i] += x * x;
      store->absolute[i] += fabs(x);
    }
  }
  store->used = total;
  return OSVM_OK;
}

osvm_status osvm_store_fill(osvm_store *store, const osvm_data *data, const int *rows, int count, osvm_error *error) {
  if (data->map != NULL) return data->map->fill(data->map, store, data, rows, count, error);
  if (!store->sparse && data->kind != OSVM_SPARSE) return gather_rows(store, data, rows, count);
  placement at;
  osvm_status status = place_rows(store, rows, count, &at, error);
  if (status == OSVM_OK && store->sparse) status = fill_sparse(store, data, &at, count, error);
  else if (status == OSVM_OK) status = scatter_rows(store, data, &at, count);
  free(at.place);
  return status;
}
