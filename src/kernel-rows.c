/* See kernel-rows.h. */
#include "kernel-rows.h"

#include <stdlib.h>
#include <string.h>

#include "kernel-gram.h"

static void count_values(const osvm_rows *rows, double values) {
  if (rows->evaluations != NULL) *rows->evaluations += values;
}

osvm_status osvm_rows_open(osvm_rows *rows, const osvm_kernel *kernel, const osvm_store *store, osvm_rounding rounding,
                           osvm_error *error) {
  memset(rows, 0, sizeof *rows);
  rows->kernel = *kernel;
  rows->store = store;
  rows->rounding = rounding;
  if (store->sparse) return osvm_rows_reserve(rows, 0, store->n, error);
  rows->queries = calloc((size_t)store->d * OSVM_QUERIES + 1, store->simd->size);
  return rows->queries != NULL ? OSVM_OK : osvm_no_memory(error);
}

osvm_status osvm_rows_reserve(osvm_rows *rows, int old_columns, int columns, osvm_error *error) {
  if (!rows->store->sparse) return OSVM_OK;
  OSVM_TRY(osvm_resize(&rows->work, columns, sizeof(double), error));
  if (columns > old_columns) memset(rows->work + old_columns, 0, (size_t)(columns - old_columns) * sizeof(double));
  return OSVM_OK;
}

static osvm_query query_of(const osvm_rows *rows, const osvm_store *from, int i, int q) {
  if (from->sparse) return osvm_store_query(from, i, NULL);
  const size_t bytes = from->d * from->simd->size;
  char *buffer = rows->queries + q * bytes;
  if (from->width > 1) return osvm_store_query(from, i, buffer);
  osvm_query query = osvm_store_query(from, i, NULL); /* contiguous */
  memcpy(buffer, query.dense, bytes);
  query.dense = buffer;
  return query;
}

void osvm_rows_load(osvm_rows *rows, const osvm_store *from, const int *examples, int count) {
  rows->loaded = count;
  rows->gathered = from != rows->store;
  for (int q = 0; q < count; q++) rows->gathered &= osvm_gram_has(rows->gram, examples[q]);
  for (int q = 0; q < count; q++) {
    rows->example[q] = examples[q];
    if (!rows->gathered) rows->query[q] = query_of(rows, from, examples[q], q);
  }
}

void osvm_rows_count(osvm_rows *rows, int begin, int end) {
  const int whole = begin == 0 && end == rows->store->n;
  if (!rows->gathered) count_values(rows, (double)rows->loaded * (end - begin - (whole ? rows->unused_columns : 0)));
}

void osvm_rows_compute_range(const osvm_rows *rows, int begin, int end, void *out, size_t stride) {
  const osvm_store *store = rows->store;
  const size_t row_bytes = stride * store->simd->size;
  const int width = store->width, first = begin / width, panels = (end + width - 1) / width - first;
  if (begin >= end || rows->loaded == 0) return;
  if (rows->gathered) {
    char *to = (char *)out + (size_t)(begin - first * width) * store->simd->size;
    for (int q = 0; q < rows->loaded; q++)
      osvm_gram_gather(rows->gram, &rows->kernel, rows->example[q], rows->gram_column + begin, end - begin,
                       to + q * row_bytes);
  } else if (store->sparse || (rows->loaded == 1 && rows->rounding != OSVM_BLOCK_ROUNDING)) {
    for (int q = 0; q < rows->loaded; q++)
      osvm_kernel_row(&rows->kernel, store, &rows->query[q], begin, end, rows->work, (char *)out + q * row_bytes);
  } else {
    double norms[OSVM_QUERIES] = {0};
    for (int q = 0; q < rows->loaded; q++) norms[q] = rows->query[q].norm;
    osvm_kernel_block(&rows->kernel, store, rows->queries, rows->rounding == OSVM_ROW_ROUNDING ? NULL : norms, first,
                      panels, out, stride);
  }
}

int osvm_rows_parts(const osvm_rows *rows, int columns) {
  const double per_value = rows->gathered ? 8 : rows->store->sparse ? 32 : rows->store->d + 8;
  return osvm_team_parts(rows->team, per_value * rows->loaded * columns);
}

typedef struct {
  const osvm_rows *rows;
  int base, begin, end; /* base: the first column of begin's panel */
  char *out;
  size_t stride;
} columns;

static void compute_part(void *user, int part, int begin, int end) {
  const columns *c = user;
  (void)part;
  const int from = c->base + begin > c->begin ? c->base + begin : c->begin;
  osvm_rows_compute_range(c->rows, from, c->base + end < c->end ? c->base + end : c->end,
                          c->out + begin * c->rows->store->simd->size, c->stride);
}

void osvm_rows_compute(osvm_rows *rows, int begin, int end, void *out, size_t stride) {
  if (begin >= end || rows->loaded == 0) return;
  osvm_rows_count(rows, begin, end);
  const int width = rows->store->width, base = begin / width * width;
  columns c = {rows, base, begin, end, out, stride};
  osvm_team_split(rows->team, compute_part, &c, end - base, width, osvm_rows_parts(rows, end - begin), NULL);
}

void osvm_rows_values(osvm_rows *rows, const osvm_store *from, int example, const int *columns, int n, void *row) {
  if (n == 0) return;
  const osvm_store *store = rows->store;
  const osvm_query query = query_of(rows, from, example, 0);
  const int width = store->width;
  int last = -1; /* panel computed last; sparse values are computed one by one */
  for (int k = 0; k < n; k++) {
    const int j = columns[k], panel = j / width;
    if (panel == last) continue;
    osvm_kernel_row(&rows->kernel, store, &query, j, j + 1, rows->work,
                    (char *)row + (size_t)panel * width * store->simd->size);
    if (!store->sparse) last = panel;
  }
  count_values(rows, n);
}

void osvm_rows_close(osvm_rows *rows) {
  free(rows->queries);
  free(rows->work);
  memset(rows, 0, sizeof *rows);
}
