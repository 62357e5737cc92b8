/* The median distance between examples, from which the width of a kernel is chosen. */
#include "kernel-median.h"

#include <math.h>
#include <stdlib.h>

#include "kernel-rows.h"

static void swap(double *v, int i, int j) {
  const double kept = v[i];
  v[i] = v[j];
  v[j] = kept;
}

/* Hoare's selection: afterwards v[k] is the k-th smallest of n values, and none before it is larger. */
static double partition(double *v, int n, int k) {
  for (int low = 0, high = n - 1; low < high;) {
    const double pivot = v[low + (high - low) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (v[i] < pivot) i++;
      while (v[j] > pivot) j--;
      if (i <= j) swap(v, i++, j--);
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
  return v[k];
}

/* The k-th smallest of many values is nearly always between two quantiles of a sample of them, which one pass without
 * unforeseeable branches leaves in front. */
static double smallest(double *v, int n, int k) {
  enum { SAMPLE = 128, APART = 16, MANY = 8 * SAMPLE };
  if (n < MANY) return partition(v, n, k);
  double sample[SAMPLE];
  for (int j = 0; j < SAMPLE; j++) sample[j] = v[(size_t)j * n / SAMPLE];
  const int middle = (int)((double)k * SAMPLE / n), begin = middle - APART, end = middle + APART;
  const double low = partition(sample, SAMPLE, begin < 0 ? 0 : begin);
  const double high = partition(sample, SAMPLE, end < SAMPLE ? end : SAMPLE - 1);
  int between = 0, below = 0;
  for (int i = 0; i < n; i++) {
    const double value = v[i];
    v[i] = v[between];
    v[between] = value;
    between += (value >= low) & (value <= high);
    below += value < low;
  }
  const int inside = k >= below && k - below < between && between < n;
  return inside ? smallest(v, between, k - below) : partition(v, n, k);
}

static double median(double *v, int n) {
  const double upper = smallest(v, n, n / 2);
  double lower = 0;
  int below = 0;
  for (int i = 0; i < n; i++) {
    below += v[i] < upper;
    lower = v[i] < upper && v[i] > lower ? v[i] : lower;
  }
  return n % 2 == 0 && below == n / 2 ? (lower + upper) / 2 : upper;
}

/* Distances of each example to those before it; returns how many are not zero up to rounding. */
static int distances(osvm_rows *rows, double *row, double *out) {
  const osvm_store *store = rows->store;
  double least = 0;
  int count = 0;
  if (rows->kernel.info->base == OSVM_SQUARED_DISTANCES)
    for (int i = 0; i < store->n; i++) least = fmax(least, 1e-10 * store->norm[i]);
  for (int i = 1; i < store->n; i++) {
    osvm_rows_load(rows, store, &i, 1);
    osvm_rows_compute(rows, 0, i, row, 0);
    for (int j = 0; j < i; j++)
      if (row[j] > least) out[count++] = row[j];
  }
  return count;
}

static osvm_status open_and_compute(const osvm_kernel *kernel, const osvm_data *data, const int *rows, int n,
                                    osvm_store *store, osvm_rows *source, double **room, double *out,
                                    osvm_error *error) {
  const osvm_kernel base = osvm_kernel_untransformed(kernel);
  const osvm_simd *simd = osvm_simd_double(OSVM_BEST);
  const int dense = osvm_data_prefers_dense(data, NULL, OSVM_PANELS, simd); /* the same number for both */
  OSVM_TRY(osvm_store_open(store, simd, OSVM_PANELS, !dense, data->d, n, error));
  OSVM_TRY(osvm_store_append(store, data, rows, n, error));
  OSVM_TRY(osvm_store_index(store, error));
  OSVM_TRY(osvm_rows_open(source, &base, store, OSVM_ROW_ROUNDING, error));
  const size_t row = (size_t)n + store->width;
  *room = malloc((row + (size_t)n * (n - 1) / 2 + 1) * sizeof(double));
  if (*room == NULL) return osvm_no_memory(error);
  const int count = distances(source, *room, *room + row);
  *out = count > 0 ? median(*room + row, count) : 0;
  return OSVM_OK;
}

osvm_status osvm_median_distance(const osvm_kernel *kernel, const osvm_data *data, const int *rows, int n, double *out,
                                 osvm_error *error) {
  osvm_store store = {0};
  osvm_rows source = {0};
  double *room = NULL;
  const osvm_status status = open_and_compute(kernel, data, rows, n, &store, &source, &room, out, error);
  free(room);
  osvm_rows_close(&source);
  osvm_store_close(&store);
  return status;
}
