/* Packing: rows of the caller's matrix, dense or sparse, become examples of a store, dense or sparse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Examples and features that are packed together: as many values as the first-level cache takes beside the store's */
enum { STRIP = 64, FEATURES = 16 };

static int consecutive(const int *rows, int count) {
  for (int k = 1; rows != NULL && k < count; k++)
    if (rows[k] != rows[0] + k) return 0;
  return 1;
}

/* Values of column f, up to a whole panel: of the caller's matrix, or copied to x, whose rest is finite */
static const double *strip_of(const osvm_store *store, const osvm_data *data, int f, const int *rows, int first,
                              int count, int in_place, double *x) {
  if (in_place && data->kind == OSVM_DOUBLES && data->warp.kind == OSVM_NO_WARP && count % store->simd->width == 0)
    return data->x + (size_t)f * data->n + (rows != NULL ? rows[0] : first);
  osvm_data_column(data, f, rows, first, count, x);
  return x;
}

/* Features f .. f + features - 1 of `count` examples, at most a strip: a feature's values are STRIP after the last one's. */
static void put_strip(osvm_store *store, int i, int count, int f, int features, const char *values) {
  const size_t size = store->simd->size;
  for (int k = 0, run; k < count; k += run) {
    const int lane = (i + k) % store->width, left = store->width - lane;
    char *to = (char *)store->dense + (osvm_dense_offset(store, i + k) + (size_t)f * store->width) * size;
    run = count - k < left ? count - k : left;
    if (store->width == 1) osvm_copy_strided(size, to, 1, values + k * size, STRIP, features);
    else
      for (int c = 0; c < features; c++)
        memcpy(to + c * store->width * size, values + (c * STRIP + k) * size, run * size);
  }
}

/* Some features of a dense matrix, in the order of the store. Rows in their own order are read strip by strip, several
 * columns together, and rows that are stored one by one, too; other orders column by column, which then stay in the
 * cache. */
static void gather_columns(osvm_store *store, const osvm_data *data, int f, int features, const int *rows, int count,
                           int in_place) {
  double x[STRIP] = {0}, norm[STRIP] = {0}, values[STRIP * FEATURES];
  const int width = store->simd->width;
  for (int begin = 0; begin < count; begin += STRIP) {
    const int part = count - begin < STRIP ? count - begin : STRIP, whole = (part + width - 1) / width * width;
    const int *here = rows != NULL ? rows + begin : NULL;
    memcpy(norm, store->norm + store->n + begin, part * sizeof *norm);
    for (int c = 0; c < features; c++)
      store->simd->pack(strip_of(store, data, f + c, here, begin, part, in_place, x), whole, shift_of(data, f + c),
                        unit_of(data, f + c), (char *)values + (size_t)c * STRIP * store->simd->size, norm);
    memcpy(store->norm + store->n + begin, norm, part * sizeof *norm);
    put_strip(store, store->n + begin, part, f, features, (const char *)values);
  }
}

/* Column f of a sparse matrix: zeros, then the non-zeros in their own order. Norms are summed as of dense matrices. */
static void scatter_column(osvm_store *store, const osvm_data *data, int f, const placement *at, int count) {
  const double unit = unit_of(data, f);
  const int end = nonzero_from(data, f, at->high + 1), width = store->simd->width;
  for (int k = 0; k < count; k++) set_dense(store, store->n + k, f, 0);
  for (int k = nonzero_from(data, f, at->low); k < end; k++) {
    const int i = at->place[data->row[k] - at->low];
    if (i >= 0) set_dense(store, i, f, data->x[k] / unit);
  }
  double x[STRIP] = {0}, norm[STRIP] = {0}, values[STRIP];
  for (int begin = store->n; begin < store->n + count; begin += STRIP) {
    const int left = store->n + count - begin, part = left < STRIP ? left : STRIP;
    for (int k = 0; k < part; k++)
      x[k] = osvm_real(store->simd, store->dense, osvm_dense_offset(store, begin + k) + (size_t)f * store->width);
    memcpy(norm, store->norm + begin, part * sizeof *norm);
    store->simd->pack(x, (part + width - 1) / width * width, 0, 1, values, norm);
    memcpy(store->norm + begin, norm, part * sizeof *norm);
  }
}

/* Feature by feature, since the caller's matrix is in columns. at: of a sparse matrix */
static osvm_status fill_dense(osvm_store *store, const osvm_data *data, const int *rows, const placement *at,
                              int count) {
  const int in_place = data->kind != OSVM_SPARSE && consecutive(rows, count);
  const int together = in_place || (data->kind != OSVM_SPARSE && store->width == 1), step = together ? FEATURES : 1;
  double work = 0;
  for (int f = 0; f < store->d; f += step) {
    const int features = store->d - f < step ? store->d - f : step;
    if (osvm_data_stopped(data, &work, (double)features * count)) return OSVM_INTERRUPTED;
    if (data->kind == OSVM_SPARSE) scatter_column(store, data, f, at, count);
    else gather_columns(store, data, f, features, rows, count, in_place);
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
  if (!store->sparse && data->kind != OSVM_SPARSE) return fill_dense(store, data, rows, NULL, count);
  placement at;
  osvm_status status = place_rows(store, rows, count, &at, error);
  if (status == OSVM_OK && store->sparse) status = fill_sparse(store, data, &at, count, error);
  else if (status == OSVM_OK) status = fill_dense(store, data, rows, &at, count);
  free(at.place);
  return status;
}
