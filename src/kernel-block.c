/* Kernel values: base values from the store's layout, then one transform in place. */
#include <math.h>

#include "kernel.h"

enum { CHUNK = 1024 }; /* values transformed while they are still in the first-level cache */

static void *at(const osvm_simd *simd, void *values, size_t k) { return (char *)values + k * simd->size; }

/* A row takes distances feature by feature, not as norms minus dot product: the row is bound by memory anyway, and
 * nothing cancels. */
static void dense_row(const osvm_kernel *kernel, const osvm_store *store, const osvm_query *query, int from, int to,
                      void *out) {
  const osvm_simd *simd = store->simd;
  const int width = store->width, per_chunk = CHUNK / width;
  const int first = from / width, end = (to + width - 1) / width;
  const size_t panel_bytes = (size_t)store->d * width * simd->size;
  for (int p = first; p < end; p += per_chunk) {
    const int count = end - p < per_chunk ? end - p : per_chunk;
    const void *panels = (const char *)store->dense + p * panel_bytes;
    void *here = at(simd, out, (size_t)(p - first) * width);
    switch (kernel->info->base) {
    case OSVM_DOTS: simd->dots(panels, store->d, count, query->dense, here); break;
    case OSVM_SQUARED_DISTANCES: simd->distances(panels, store->d, count, query->dense, here); break;
    case OSVM_ABSOLUTE_DISTANCES: simd->absolutes(panels, store->d, count, query->dense, here); break;
    case OSVM_GIVEN: osvm_kernel_look_up(kernel, simd, panels, query->dense, count * width, here); break;
    }
    osvm_kernel_transform(kernel, simd, here, count * width);
  }
}

/* First place in the (increasing) list that is not below `from`. */
static size_t lower_bound(const int *list, size_t begin, size_t end, int from) {
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (list[middle] < from) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/* What two values of a feature have in common: min(|x|, |z|) if their signs are the same, else 0. Half the amount by
 * which |x - z| is less than |x| + |z|. */
static inline double overlap(double x, double z) {
  const double sign = x < 0 ? -1 : 1, a = sign * x, b = sign * z, both = a < b ? a : b;
  return both > 0 ? both : 0;
}

/* Of the value x with values begin .. end - 1 of the index, added to their examples in `work`, in double */
static void add_products(const osvm_store *store, double x, size_t begin, size_t end, double *work) {
  const int *row = store->index_row;
  if (store->simd->size == sizeof(float))
    for (size_t j = begin; j < end; j++) work[row[j]] += x * ((const float *)store->index_value)[j];
  else
    for (size_t j = begin; j < end; j++) work[row[j]] += x * ((const double *)store->index_value)[j];
}

static void add_overlaps(const osvm_store *store, double x, size_t begin, size_t end, double *work) {
  const int *row = store->index_row;
  if (store->simd->size == sizeof(float))
    for (size_t j = begin; j < end; j++) work[row[j]] += overlap(x, ((const float *)store->index_value)[j]);
  else
    for (size_t j = begin; j < end; j++) work[row[j]] += overlap(x, ((const double *)store->index_value)[j]);
}

/* Products or overlaps with the query, summed into `work` through the columns it has. */
static void sum_columns(const osvm_store *store, const osvm_query *query, int from, int to, int absolute,
                        double *work) {
  const int whole = from == 0 && to == store->n;
  for (int k = 0; k < query->length; k++) {
    const double x = osvm_real(store->simd, query->value, k);
    size_t begin = store->index_start[query->column[k]], end = store->index_start[query->column[k] + 1];
    if (!whole) {
      begin = lower_bound(store->index_row, begin, end, from);
      end = lower_bound(store->index_row, begin, end, to);
    }
    (absolute ? add_overlaps : add_products)(store, x, begin, end, work);
  }
}

/* The same of two examples: a merge of two increasing lists of columns. */
static double sum_common(const osvm_store *store, const osvm_query *a, const osvm_query *b, int absolute) {
  double sum = 0;
  for (int i = 0, j = 0; i < a->length && j < b->length;) {
    if (a->column[i] < b->column[j]) i++;
    else if (a->column[i] > b->column[j]) j++;
    else {
      const double x = osvm_real(store->simd, a->value, i++), z = osvm_real(store->simd, b->value, j++);
      sum += absolute ? overlap(x, z) : x * z;
    }
  }
  return sum;
}

/* Up to so many, merging costs less than the binary searches in the query's columns. */
enum { FEW_EXAMPLES = 8 };

static void sparse_row(const osvm_kernel *kernel, const osvm_store *store, const osvm_query *query, int from, int to,
                       double *work, void *out) {
  const int single = store->simd->size == sizeof(float), first = from / store->width * store->width;
  const int absolute = kernel->info->base == OSVM_ABSOLUTE_DISTANCES;
  const double norm = absolute ? query->absolute : query->norm;
  const double *norms = absolute ? store->absolute : kernel->info->base == OSVM_DOTS ? NULL : store->norm;
  if (store->index_start != NULL && to - from > FEW_EXAMPLES) {
    sum_columns(store, query, from, to, absolute, work);
    for (int k = 0; k < store->stales; k++) {
      const int j = store->stale[k];
      if (j < from || j >= to) continue;
      const osvm_query other = osvm_store_query(store, j, NULL);
      work[j] = sum_common(store, query, &other, absolute);
    }
  } else {
    for (int j = from; j < to; j++) {
      const osvm_query other = osvm_store_query(store, j, NULL);
      work[j] = sum_common(store, query, &other, absolute);
    }
  }
  for (int j = from; j < to; j++) {
    double v = work[j];
    work[j] = 0;
    if (norms != NULL) {
      v = norm + norms[j] - 2 * v;
      if (v < 0) v = 0;
    }
    if (single) ((float *)out)[j - first] = (float)v;
    else ((double *)out)[j - first] = v;
  }
  for (int j = from; j < to; j += CHUNK)
    osvm_kernel_transform(kernel, store->simd, at(store->simd, out, j - first), to - j < CHUNK ? to - j : CHUNK);
}

void osvm_kernel_row(const osvm_kernel *kernel, const osvm_store *store, const osvm_query *query, int from, int to,
                     double *work, void *out) {
  if (from >= to) return;
  if (store->sparse) sparse_row(kernel, store, query, from, to, work, out);
  else dense_row(kernel, store, query, from, to, out);
}

/* With more features a block is bound by arithmetic; dot products need half of it, and the norms are in double. */
enum { FEW_FEATURES = 32 };

/* Distances from dot products are off by about |x|^2 times the precision, which the slope of the kernel multiplies. The
 * queries' norms decide: where an example's norm is much larger, so is the distance, and nothing cancels. */
static int cancels(const osvm_kernel *kernel, const osvm_simd *simd, const double *norms) {
  const double most = simd->size == sizeof(float) ? 50 : 1e10, slope = fabs(osvm_kernel_slope(kernel, 0));
  for (int q = 0; q < OSVM_QUERIES; q++)
    if (slope * norms[q] > most) return 1;
  return 0;
}

/* At most CHUNK columns, transformed while in the first-level cache. from_dots: squared distances from dot products. */
static void block_chunk(const osvm_kernel *kernel, const osvm_store *store, const void *queries, const double *norms,
                        int from_dots, int first, int count, void *out, size_t stride) {
  const osvm_simd *simd = store->simd;
  const void *panels = (const char *)store->dense + (size_t)first * store->d * store->width * simd->size;
  const int begin = first * store->width, n = count * store->width;
  const int filled = store->n - begin < n ? store->n - begin : n;
  switch (from_dots ? OSVM_DOTS : kernel->info->base) {
  case OSVM_DOTS: simd->block_dots(panels, store->d, count, queries, out, stride); break;
  case OSVM_SQUARED_DISTANCES: simd->block_distances(panels, store->d, count, queries, out, stride); break;
  case OSVM_ABSOLUTE_DISTANCES: simd->block_absolutes(panels, store->d, count, queries, out, stride); break;
  case OSVM_GIVEN:
    for (int q = 0; q < OSVM_QUERIES; q++)
      osvm_kernel_look_up(kernel, simd, panels, (const char *)queries + q * simd->size, n, at(simd, out, q * stride));
    break;
  }
  for (int q = 0; q < OSVM_QUERIES; q++) {
    void *row = at(simd, out, q * stride);
    if (from_dots) simd->dots_to_distances(row, filled, norms[q], store->norm + begin);
    osvm_kernel_transform(kernel, simd, row, filled);
  }
}

void osvm_kernel_block(const osvm_kernel *kernel, const osvm_store *store, const void *queries, const double *norms,
                       int first, int count, void *out, size_t stride) {
  const int from_dots = kernel->info->base == OSVM_SQUARED_DISTANCES && norms != NULL && store->d > FEW_FEATURES &&
                        !cancels(kernel, store->simd, norms);
  const int step = CHUNK / store->width;
  for (int p = 0; p < count; p += step)
    block_chunk(kernel, store, queries, norms, from_dots, first + p, count - p < step ? count - p : step,
                at(store->simd, out, (size_t)p * store->width), stride);
}
