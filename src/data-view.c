/* The caller's matrix, read in place: checks, column summaries, products. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "data.h"

/* Values of a block of examples, 256 kB, but no fewer than BLOCK_LEAST examples */
enum { BLOCK_VALUES = 32 * 1024, BLOCK_LEAST = 16 };

int osvm_data_width(const osvm_data *data) { return data->map != NULL ? data->map->width : data->d; }

osvm_data osvm_data_as_given(const osvm_data *data) {
  osvm_data given = *data;
  given.warp = (osvm_warp){0};
  given.centre = given.scale = NULL;
  given.unit_norm = 0;
  given.map = NULL;
  return given;
}

osvm_status osvm_data_check(const osvm_data *data, size_t length, osvm_error *error) {
  if (data->kind != OSVM_SPARSE) return OSVM_OK;
  if (data->start[0] != 0) return osvm_fail(error, OSVM_INVALID, "its slot p must begin with 0");
  for (int j = 0; j < data->d; j++) {
    const int from = data->start[j], to = data->start[j + 1];
    if (to < from) return osvm_fail(error, OSVM_INVALID, "its slot p must not decrease");
    if ((size_t)to > length) return osvm_fail(error, OSVM_INVALID, "its slot p must not exceed the length of x");
    for (int k = from; k < to; k++) {
      if (data->row[k] < 0 || data->row[k] >= data->n)
        return osvm_fail(error, OSVM_INVALID, "its slot i must lie between 0 and nrow - 1");
      if (k > from && data->row[k] <= data->row[k - 1])
        return osvm_fail(error, OSVM_INVALID, "its slot i must increase within each column");
    }
  }
  if ((size_t)data->start[data->d] != length)
    return osvm_fail(error, OSVM_INVALID, "its slot p must end with the length of x");
  return OSVM_OK;
}

/* INT_MIN is R's NA_integer_. NAN is a float: in a conditional expression it would round the integer to 24 bits. */
static double stored(const osvm_data *data, size_t k) {
  if (data->kind != OSVM_INTEGERS) return data->x[k];
  if (data->integers[k] == INT_MIN) return NAN;
  return data->integers[k];
}

void osvm_data_column(const osvm_data *data, int f, const int *rows, int first, int count, double *out) {
  const size_t column = (size_t)f * data->n;
  if (data->kind == OSVM_INTEGERS)
    for (int k = 0; k < count; k++) out[k] = data->integers[column + (rows != NULL ? rows[k] : first + k)];
  else if (rows != NULL)
    for (int k = 0; k < count; k++) out[k] = data->x[column + rows[k]];
  else
    for (int k = 0; k < count; k++) out[k] = data->x[column + first + k];
  osvm_warp_apply(&data->warp, f, out, count);
}

/* x * 0 is NaN if x is NaN or infinite, and so is any sum with it: no branch per value. */
static int all_finite(const double *x, size_t n) {
  double sum[4] = {0, 0, 0, 0};
  size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (int lane = 0; lane < 4; lane++) sum[lane] += x[k + lane] * 0;
  for (; k < n; k++) sum[0] += x[k] * 0;
  return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

int osvm_data_finite(const osvm_data *data) {
  const size_t count = data->kind == OSVM_SPARSE ? (size_t)data->start[data->d] : (size_t)data->n * data->d;
  if (data->kind != OSVM_INTEGERS) return all_finite(data->x, count);
  int missing = 0;
  for (size_t k = 0; k < count; k++) missing |= data->integers[k] == INT_MIN;
  return !missing;
}

/* Extends the range of c; 0: a value is not finite. LANES values at a time, whose comparisons do not wait for each other */
static int find_range(const osvm_data *data, size_t from, size_t to, osvm_column_summary *c) {
  enum { LANES = 4 };
  double low[LANES], high[LANES], none[LANES] = {0};
  for (int l = 0; l < LANES; l++) low[l] = c->low, high[l] = c->high;
  size_t k = from;
  for (; data->kind != OSVM_INTEGERS && k + LANES <= to; k += LANES) {
    for (int l = 0; l < LANES; l++) {
      const double x = data->x[k + l];
      low[l] = x < low[l] ? x : low[l];
      high[l] = x > high[l] ? x : high[l];
      none[l] += x * 0;
    }
  }
  for (; k < to; k++) {
    const double x = stored(data, k);
    low[0] = x < low[0] ? x : low[0];
    high[0] = x > high[0] ? x : high[0];
    none[0] += x * 0;
  }
  for (int l = 0; l < LANES; l++) {
    c->low = low[l] < c->low ? low[l] : c->low;
    c->high = high[l] > c->high ? high[l] : c->high;
  }
  return none[0] + none[1] + none[2] + none[3] == 0;
}

/* Two passes over values divided by the largest magnitude: no overflow of squares, no cancellation. mean is NaN if a
 * value is not finite. */
static osvm_column_summary describe(const osvm_data *data, size_t from, size_t to, int moments) {
  const double n = data->n;
  osvm_column_summary c = {0, 0, 0, 0};
  if (data->n == 0) return c;
  const int implied_zeros = data->kind == OSVM_SPARSE && to - from < (size_t)data->n;
  c.low = implied_zeros ? 0 : INFINITY;
  c.high = implied_zeros ? 0 : -INFINITY;
  if (!find_range(data, from, to, &c)) c.mean = NAN;
  if (isnan(c.mean)) return c;
  const double unit = fmax(fabs(c.low), fabs(c.high));
  if (unit == 0 || !moments) return c;
  const double factor = 1 / fmax(unit, 1e-300); /* the reciprocal of a subnormal overflows */
  double sum = 0, squares = 0;
  for (size_t k = from; k < to; k++) sum += stored(data, k) * factor;
  const double mean = sum / n;
  for (size_t k = from; k < to; k++) {
    const double deviation = stored(data, k) * factor - mean;
    squares += deviation * deviation;
  }
  squares += (n - (double)(to - from)) * mean * mean; /* zeros that a sparse column leaves out */
  c.mean = mean / factor;
  c.sd = data->n > 1 ? sqrt(squares / (n - 1)) / factor : 0;
  return c;
}

/* A value read costs about two multiplications. */
int osvm_data_stopped(const osvm_data *data, double *work, double more) {
  return osvm_poll_due(work, 2 * more) && osvm_poll(data->progress, 0);
}

static size_t column_begin(const osvm_data *data, int j) {
  return data->kind == OSVM_SPARSE ? (size_t)data->start[j] : (size_t)j * data->n;
}

osvm_status osvm_data_describe(const osvm_data *data, int moments, osvm_column_summary *columns, osvm_error *error) {
  double work = 0;
  for (int j = 0; j < data->d; j++) {
    const size_t from = column_begin(data, j), to = column_begin(data, j + 1);
    if (osvm_data_stopped(data, &work, (double)(to - from))) return OSVM_INTERRUPTED;
    columns[j] = describe(data, from, to, moments);
    if (isnan(columns[j].mean)) return osvm_fail(error, OSVM_INVALID, "it has missing or infinite values");
  }
  return OSVM_OK;
}

void osvm_data_gaps(const osvm_data *data, unsigned char *marked, int *missing, int *infinite) {
  *missing = *infinite = 0;
  for (int j = 0; j < data->d; j++) {
    const size_t from = column_begin(data, j), to = column_begin(data, j + 1);
    for (size_t k = from; k < to; k++) {
      const double x = stored(data, k);
      *infinite |= isinf(x) != 0;
      if (!isnan(x)) continue;
      const size_t i = data->kind == OSVM_SPARSE ? (size_t)data->row[k] : k - from;
      *missing += !marked[i];
      marked[i] = 1;
    }
  }
}

/* Examples begin .. end - 1, or all of a sparse matrix, which is never centred. The weight over a tiny scale would
 * overflow: it is not folded into one factor. */
static void multiply(const osvm_data *data, int begin, int end, const double *weights, double *out) {
  for (int j = 0; j < data->d; j++) {
    const double w = weights[j], inverse = data->scale ? 1 / data->scale[j] : 1;
    const double shift = data->centre ? data->centre[j] : 0;
    const size_t column = (size_t)j * data->n;
    if (w == 0) continue;
    switch (data->kind) {
    case OSVM_DOUBLES:
      for (int i = begin; i < end; i++) out[i] += w * (inverse * (data->x[column + i] - shift));
      break;
    case OSVM_INTEGERS:
      for (int i = begin; i < end; i++) out[i] += w * (inverse * (data->integers[column + i] - shift));
      break;
    case OSVM_SPARSE:
      for (int k = data->start[j]; k < data->start[j + 1]; k++) out[data->row[k]] += w * (inverse * data->x[k]);
      break;
    }
  }
}

/* Examples of a block, of which all values are read for each machine, stay in the cache. */
static int block_size(const osvm_data *data) {
  const int most = data->kind == OSVM_SPARSE ? data->n : BLOCK_VALUES / (data->d + 1) + BLOCK_LEAST;
  return data->n < most ? data->n : most;
}

/* Rows begin .. begin + count - 1 as a matrix of their own, warped, in `x` */
static osvm_data warped_block(const osvm_data *data, int begin, int count, double *x) {
  osvm_data block = *data;
  for (int f = 0; f < data->d; f++) osvm_data_column(data, f, NULL, begin, count, x + (size_t)f * count);
  block.kind = OSVM_DOUBLES;
  block.warp = (osvm_warp){0};
  block.n = count;
  block.x = x;
  return block;
}

osvm_status osvm_data_multiply(const osvm_data *data, const double *weights, int machines, double *out,
                               osvm_error *error) {
  const int size = block_size(data), warped = data->warp.kind != OSVM_NO_WARP;
  double work = 0, *x = warped ? malloc(((size_t)size * data->d + 1) * sizeof *x) : NULL;
  osvm_status status = warped && x == NULL ? osvm_no_memory(error) : OSVM_OK;
  for (int begin = 0; begin < data->n && status == OSVM_OK; begin += size) {
    const int count = data->n - begin < size ? data->n - begin : size;
    const osvm_data block = warped ? warped_block(data, begin, count, x) : *data;
    const int first = warped ? 0 : begin;
    const double values = data->kind == OSVM_SPARSE ? data->start[data->d] : (double)count * data->d;
    for (int m = 0; m < machines && status == OSVM_OK; m++) {
      if (osvm_data_stopped(data, &work, values)) status = OSVM_INTERRUPTED;
      else
        multiply(&block, first, first + count, weights + (size_t)m * data->d,
                 out + (size_t)m * data->n + (begin - first));
    }
  }
  free(x);
  return status;
}

osvm_status osvm_data_norms(const osvm_data *data, double *out) {
  enum { CHUNK = 256 };
  double work = 0, x[CHUNK];
  for (int i = 0; i < data->n; i++) out[i] = 0;
  for (int j = 0; j < data->d; j++) {
    const double shift = data->centre ? data->centre[j] : 0, unit = data->scale ? data->scale[j] : 1;
    const size_t from = column_begin(data, j), to = column_begin(data, j + 1);
    if (osvm_data_stopped(data, &work, (double)(to - from))) return OSVM_INTERRUPTED;
    for (size_t k = from; k < to && data->kind == OSVM_SPARSE; k++) {
      const double z = data->x[k] / unit;
      out[data->row[k]] += z * z;
    }
    for (int begin = 0; begin < data->n && data->kind != OSVM_SPARSE; begin += CHUNK) {
      const int count = data->n - begin < CHUNK ? data->n - begin : CHUNK;
      osvm_data_column(data, j, NULL, begin, count, x);
      for (int k = 0; k < count; k++) {
        const double z = (x[k] - shift) / unit;
        out[begin + k] += z * z;
      }
    }
  }
  return OSVM_OK;
}

static double stored_count(const osvm_data *data) { return data != NULL ? data->start[data->d] : 0; }

/* Measured by bench/layout, p being the share of non-zeros. A kernel value costs d p^2 + 1 scattered additions from a
 * sparse store, and d / 16 of them from panels of floats, d / 8 from panels of doubles: break-even is p = 0.25 (0.35)
 * with many features and falls to 0 at 16 (8). A product with weights breaks even at p = 1 / 3.
 * Memory: a sparse store holds each non-zero's value and index twice, by row and by column, one of the layout OSVM_ROWS
 * once. Where the rule chooses dense, that takes at most twice as much, or no more than 96 bytes per example. */
int osvm_data_prefers_dense(const osvm_data *data, const osvm_data *more, osvm_layout layout, const osvm_simd *simd) {
  if (data->kind != OSVM_SPARSE || data->map != NULL || (more != NULL && more->kind != OSVM_SPARSE)) return 1;
  const double d = data->d, cells = ((double)data->n + (more != NULL ? more->n : 0)) * d;
  const double p = cells > 0 ? (stored_count(data) + stored_count(more)) / cells : 0;
  if (layout == OSVM_ROWS) return p > 1.0 / 3;
  return d * p * p + 1 > d * simd->size / 64;
}
