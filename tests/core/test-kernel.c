/* Kernel rows and blocks against the textbook, for every kernel, layout and table. */
#include "test.h"

typedef struct { osvm_store store; matrix m; osvm_data data; } shelf;

static shelf shelf_of(const osvm_simd *simd, int sparse, int n, int d, double density) {
  shelf s;
  s.m = matrix_normal(n, d, density);
  for (int k = 0; k < s.m.nonzeros; k++) s.m.value[k] *= 2 / sqrt(d);
  for (int k = 0; k < n * d; k++) s.m.x[k] *= 2 / sqrt(d);
  s.data = matrix_view(&s.m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  CHECK(osvm_store_open(&s.store, simd, OSVM_PANELS, sparse, d, n, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s.store, &s.data, NULL, n, NULL) == OSVM_OK);
  return s;
}

static void shelf_free(shelf *s) {
  osvm_store_close(&s->store);
  matrix_free(&s->m);
}

static double close_enough(const osvm_simd *simd) { return 100 * value_epsilon(simd); }

static void for_all_tables_and_kernels(void (*test)(const osvm_simd *s, const osvm_kernel *kernel)) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int k = 0; k < COUNT(all_kernels); k++) {
      test_about("%s, %d bytes, kernel %d", tables[t]->name, (int)tables[t]->size, k);
      test(tables[t], &all_kernels[k]);
    }
}

/* Row i, places from .. to - 1: right there, and nothing written beyond (dense: beyond the panels they are in). */
static void check_part(const shelf *s, const osvm_kernel *kernel, int i, int from, int to) {
  const osvm_store *store = &s->store;
  const int width = store->sparse ? 1 : store->width, room = (store->n + width - 1) / width * width;
  const int low = from - from % width, high = (to + width - 1) / width * width;
  void *buffer = malloc(store->d * store->simd->size), *out = malloc(room * store->simd->size);
  double *work = calloc(store->n, sizeof(double));
  const double mark = -123;
  for (int j = 0; j < room; j++) value_set(store->simd, out, j, mark);
  const osvm_query query = osvm_store_query(store, i, buffer);
  osvm_kernel_row(kernel, store, &query, from, to, work, out);
  for (int j = 0; j < room; j++) {
    if (j >= from && j < to)
      CHECK_NEAR(value_get(store->simd, out, j), plain_kernel(kernel, &s->data, i, &s->data, j), close_enough(store->simd));
    else if (from >= to || j < low || j >= high) CHECK(value_get(store->simd, out, j) == mark);
  }
  for (int j = 0; j < store->n; j++) CHECK(work[j] == 0);
  free(buffer);
  free(out);
  free(work);
}

static void check_rows(const shelf *s, const osvm_kernel *kernel) {
  const int n = s->store.n;
  for (int i = 0; i < n; i += 7) {
    check_part(s, kernel, i, 0, n);
    check_part(s, kernel, i, i, n);
    check_part(s, kernel, i, i, i + 1);
    check_part(s, kernel, i, i / 2, i);
    check_part(s, kernel, i, n, n);
  }
}

static void check_dense_rows(const osvm_simd *simd, const osvm_kernel *kernel) {
  const int features[] = {1, 5, 40};
  for (int f = 0; f < COUNT(features); f++) {
    shelf s = shelf_of(simd, 0, 37, features[f], 0.8);
    check_rows(&s, kernel);
    shelf_free(&s);
  }
}

static void dense_rows(void) { for_all_tables_and_kernels(check_dense_rows); }

static void check_sparse_rows(const osvm_simd *simd, const osvm_kernel *kernel) {
  shelf s = shelf_of(simd, 1, 37, 40, 0.2);
  check_rows(&s, kernel);
  CHECK(osvm_store_index(&s.store, NULL) == OSVM_OK);
  check_rows(&s, kernel);
  shelf_free(&s);
}

static void sparse_rows_with_and_without_index(void) { for_all_tables_and_kernels(check_sparse_rows); }

/* Longer than the piece that is transformed at once. */
static void check_long_rows(const osvm_simd *simd, const osvm_kernel *kernel) {
  for (int sparse = 0; sparse < 2; sparse++) {
    shelf s = shelf_of(simd, sparse, 2077, 2, 0.9);
    CHECK(osvm_store_index(&s.store, NULL) == OSVM_OK);
    check_part(&s, kernel, 5, 0, 2077);
    check_part(&s, kernel, 2070, 1023, 2076);
    shelf_free(&s);
  }
}

static void long_rows(void) { for_all_tables_and_kernels(check_long_rows); }

static void check_block(const osvm_simd *simd, const osvm_kernel *kernel, int d) {
  const int n = 53, width = simd->width, panels = (n + width - 1) / width;
  shelf s = shelf_of(simd, 0, n, d, 0.8);
  void *queries = malloc((size_t)OSVM_QUERIES * d * simd->size);
  double norms[OSVM_QUERIES];
  const int chosen[OSVM_QUERIES] = {3, 52, 0, 17};
  for (int q = 0; q < OSVM_QUERIES; q++) {
    norms[q] = s.store.norm[chosen[q]];
    for (int f = 0; f < d; f++) value_set(simd, queries, (size_t)q * d + f, data_value(&s.data, chosen[q], f));
  }
  for (int first = 0; first < panels; first += 3) {
    const int count = panels - first < 5 ? panels - first : 5;
    const size_t stride = (size_t)count * width + 1;
    void *out = malloc((OSVM_QUERIES * stride - 1) * simd->size);
    osvm_kernel_block(kernel, &s.store, queries, norms, first, count, out, stride);
    for (int q = 0; q < OSVM_QUERIES; q++)
      for (int j = first * width; j < n && j < (first + count) * width; j++)
        CHECK_NEAR(value_get(simd, out, q * stride + j - first * width),
                   plain_kernel(kernel, &s.data, chosen[q], &s.data, j), close_enough(simd));
    free(out);
  }
  free(queries);
  shelf_free(&s);
}

static void check_blocks(const osvm_simd *simd, const osvm_kernel *kernel) {
  check_block(simd, kernel, 1);
  check_block(simd, kernel, 32);
  check_block(simd, kernel, 33);
  check_block(simd, kernel, 100);
}

static void blocks(void) { for_all_tables_and_kernels(check_blocks); }

static void self(void) {
  matrix m = matrix_normal(4, 3, 1);
  const osvm_data data = matrix_view(&m, OSVM_DOUBLES);
  for (int k = 0; k < COUNT(all_kernels); k++)
    for (int i = 0; i < 4; i++)
      CHECK_NEAR(osvm_kernel_self(&all_kernels[k], plain_kernel(&all_kernels[0], &data, i, &data, i)),
                 plain_kernel(&all_kernels[k], &data, i, &data, i), 1e-14);
  matrix_free(&m);
}

/* Far from the origin norms and products are large and their differences small: an example is still its own neighbour. */
static void check_far(const osvm_simd *simd, const osvm_kernel *kernel) {
  if (kernel->type != OSVM_RBF) return;
  for (int sparse = 0; sparse < 2; sparse++) {
    const int d = 50;
    shelf s = shelf_of(simd, sparse, 20, d, 0.5);
    double scale[50];
    for (int f = 0; f < d; f++) scale[f] = 0.003;
    s.data.scale = scale;
    s.store.n = 0;
    s.store.used = 0;
    CHECK(osvm_store_append(&s.store, &s.data, NULL, 20, NULL) == OSVM_OK);
    for (int i = 0; i < 20; i++) check_part(&s, kernel, i, i, i + 1);
    shelf_free(&s);
  }
}

static void far_from_the_origin(void) { for_all_tables_and_kernels(check_far); }

void test_kernel(void) {
  RUN(dense_rows);
  RUN(sparse_rows_with_and_without_index);
  RUN(long_rows);
  RUN(blocks);
  RUN(self);
  RUN(far_from_the_origin);
}
