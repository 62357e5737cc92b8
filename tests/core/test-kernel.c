/* Kernel rows and blocks against the textbook, for every kernel, layout and table. */
#include "test.h"

typedef struct {
  osvm_store store;
  matrix m;
  osvm_data data, plain; /* what the store was given, and the same numbers dense */
  double *scale;
} fixture;

/* Normal values over sqrt(d) / 2, so that no kernel value is extreme; further out with a smaller unit. */
static fixture shelf_of(const osvm_simd *simd, int sparse, int n, int d, double density, double unit) {
  fixture s = {.m = matrix_normal(n, d, density), .scale = malloc(d * sizeof(double))};
  for (int f = 0; f < d; f++) s.scale[f] = unit * sqrt(d) / 2;
  s.data = matrix_view(&s.m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  s.plain = matrix_view(&s.m, OSVM_DOUBLES);
  s.data.scale = s.plain.scale = s.scale;
  CHECK(osvm_store_open(&s.store, simd, OSVM_PANELS, sparse, d, n, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s.store, &s.data, NULL, n, NULL) == OSVM_OK);
  return s;
}

static void shelf_free(fixture *s) {
  osvm_store_close(&s->store);
  matrix_free(&s->m);
  free(s->scale);
}

/* Relative to values above 1, which a polynomial kernel has */
static double close_enough(const osvm_simd *simd, double want) {
  return 100 * value_epsilon(simd) * fmax(1, fabs(want));
}

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
static void check_part(const fixture *s, const osvm_kernel *kernel, int i, int from, int to) {
  const osvm_store *store = &s->store;
  const osvm_simd *simd = store->simd;
  const int width = store->sparse ? 1 : store->width, room = (store->n + width - 1) / width * width;
  const int low = from - from % width, high = (to + width - 1) / width * width;
  void *buffer = malloc(store->d * simd->size), *out = malloc((room + store->width) * simd->size);
  double *work = calloc(store->n, sizeof(double));
  const double mark = -123;
  for (int j = 0; j < room; j++) value_set(simd, out, j, mark);
  const osvm_query query = osvm_store_query(store, i, buffer);
  const size_t panel = from / store->width * store->width;
  osvm_kernel_row(kernel, store, &query, from, to, work, (char *)out + panel * simd->size);
  for (int j = 0; j < room; j++) {
    const double got = value_get(simd, out, j);
    const double want = j < store->n ? plain_kernel(kernel, &s->plain, i, &s->plain, j) : 0;
    if (j >= from && j < to) CHECK_NEAR(got, want, close_enough(simd, want));
    else if (from >= to || j < low || j >= high) CHECK(got == mark);
  }
  for (int j = 0; j < store->n; j++) CHECK(work[j] == 0);
  free(buffer);
  free(out);
  free(work);
}

static void check_rows(const fixture *s, const osvm_kernel *kernel) {
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
    fixture s = shelf_of(simd, 0, 37, features[f], 0.8, 1);
    check_rows(&s, kernel);
    shelf_free(&s);
  }
}

static void dense_rows(void) { for_all_tables_and_kernels(check_dense_rows); }

static void check_sparse_rows(const osvm_simd *simd, const osvm_kernel *kernel) {
  fixture s = shelf_of(simd, 1, 37, 40, 0.2, 1);
  check_rows(&s, kernel);
  CHECK(osvm_store_index(&s.store, NULL) == OSVM_OK);
  check_rows(&s, kernel);
  shelf_free(&s);
}

static void sparse_rows_with_and_without_index(void) { for_all_tables_and_kernels(check_sparse_rows); }

/* Longer than the piece that is transformed at once. */
static void check_long_rows(const osvm_simd *simd, const osvm_kernel *kernel) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture s = shelf_of(simd, sparse, 2077, 2, 0.9, 1);
    CHECK(osvm_store_index(&s.store, NULL) == OSVM_OK);
    check_part(&s, kernel, 5, 0, 2077);
    check_part(&s, kernel, 2070, 1023, 2076);
    shelf_free(&s);
  }
}

static void long_rows(void) { for_all_tables_and_kernels(check_long_rows); }

/* Four of the examples against a few panels at a time. */
static void check_block(const fixture *s, const osvm_kernel *kernel, double tolerance) {
  const osvm_simd *simd = s->store.simd;
  const int n = s->store.n, d = s->store.d, width = simd->width, panels = (n + width - 1) / width;
  const int chosen[OSVM_QUERIES] = {3, n - 1, 0, 17};
  void *queries = malloc((size_t)OSVM_QUERIES * d * simd->size);
  double norms[OSVM_QUERIES];
  for (int q = 0; q < OSVM_QUERIES; q++) {
    norms[q] = s->store.norm[chosen[q]];
    for (int f = 0; f < d; f++) value_set(simd, queries, (size_t)q * d + f, data_value(&s->plain, chosen[q], f));
  }
  for (int first = 0; first < panels; first += 3) {
    const int count = panels - first < 5 ? panels - first : 5;
    const size_t stride = (size_t)count * width + 1;
    void *out = malloc((OSVM_QUERIES * stride - 1) * simd->size);
    osvm_kernel_block(kernel, &s->store, queries, norms, first, count, out, stride);
    for (int q = 0; q < OSVM_QUERIES; q++)
      for (int j = first * width; j < n && j < (first + count) * width; j++) {
        const double want = plain_kernel(kernel, &s->plain, chosen[q], &s->plain, j);
        CHECK_NEAR(value_get(simd, out, q * stride + j - first * width), want, tolerance * fmax(1, fabs(want)));
      }
    free(out);
  }
  free(queries);
}

static void check_blocks(const osvm_simd *simd, const osvm_kernel *kernel) {
  const int features[] = {1, 32, 33, 100};
  for (int f = 0; f < COUNT(features); f++) {
    fixture s = shelf_of(simd, 0, 53, features[f], 0.8, 1);
    check_block(&s, kernel, 100 * value_epsilon(simd));
    shelf_free(&s);
  }
}

static void blocks(void) { for_all_tables_and_kernels(check_blocks); }

static void self(void) {
  for (int k = 0; k < COUNT(all_kernels); k++)
    for (int sparse = 0; sparse < 2; sparse++) {
      fixture s = shelf_of(osvm_simd_double(TEST_LEVEL), sparse, 4, 3, 1, 1);
      for (int i = 0; i < 4; i++)
        CHECK_NEAR(osvm_kernel_self(&all_kernels[k], &s.store, i),
                   plain_kernel(&all_kernels[k], &s.plain, i, &s.plain, i), 1e-14);
      shelf_free(&s);
    }
}

/* Of examples numbered in any order; the lanes behind the last have the number 0. */
static void check_given(const osvm_simd *simd, const osvm_kernel *kernel, const double *number) {
  fixture s = {.m = matrix_of(number, kernel->n_given, 1)};
  osvm_error error = {NULL};
  s.data = s.plain = matrix_view(&s.m, OSVM_DOUBLES);
  CHECK(osvm_store_open(&s.store, simd, OSVM_PANELS, 0, 1, kernel->n_given, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s.store, &s.data, NULL, kernel->n_given, NULL) == OSVM_OK);
  CHECK(osvm_kernel_check(kernel, &s.store, &error) == OSVM_OK);
  check_rows(&s, kernel);
  check_block(&s, kernel, 4 * value_epsilon(simd));
  for (int i = 0; i < kernel->n_given; i++)
    CHECK(osvm_kernel_self(kernel, &s.store, i) == plain_kernel(kernel, &s.plain, i, &s.plain, i));
  const double wrong[] = {0, -1, 1.5, kernel->n_given + 1, NAN, INFINITY};
  for (int k = 0; k < COUNT(wrong); k++) {
    value_set(simd, s.store.dense, 2, wrong[k]);
    CHECK(osvm_kernel_check(kernel, &s.store, &error) == OSVM_INVALID);
  }
  shelf_free(&s);
}

static void given_values(void) {
  enum { N = 53 };
  double values[N * N], number[N];
  int order[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) values[i + N * j] = values[j + N * i] = random_normal();
  random_order(order, N);
  for (int i = 0; i < N; i++) number[i] = order[i] + 1;
  const osvm_kernel kernel = {.info = &osvm_kernel_given, .given = values, .n_given = N};
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++) {
    test_about("%s, %d bytes", tables[t]->name, (int)tables[t]->size);
    check_given(tables[t], &kernel, number);
  }
}

static void formulas(void) {
  for (double v = 0; v < 3; v += 0.3) {
    const double s = 0.2 * v;
    CHECK_NEAR(osvm_kernel_value(&all_kernels[kernel_linear], v), v, 1e-14);
    CHECK_NEAR(osvm_kernel_value(&all_kernels[kernel_polynomial], v), pow(s + 0.7, 3), 1e-14);
    CHECK_NEAR(osvm_kernel_value(&all_kernels[kernel_rbf], v), exp(-s), 1e-14);
    CHECK_NEAR(osvm_kernel_value(&all_kernels[kernel_laplacian], v), exp(-s), 1e-14);
    CHECK_NEAR(osvm_kernel_value(&all_kernels[kernel_sigmoid], v), tanh(s + 0.7), 1e-14);
  }
}

static void slopes_are_derivatives(void) {
  const double h = 1e-5;
  for (int k = 0; k < COUNT(all_kernels); k++)
    for (double v = 0.1; v < 3; v += 0.3) {
      const double up = osvm_kernel_value(&all_kernels[k], v + h), down = osvm_kernel_value(&all_kernels[k], v - h);
      CHECK_NEAR(osvm_kernel_slope(&all_kernels[k], v), (up - down) / (2 * h), 1e-8);
    }
}

/* Of two expansions of all kernels but the given, with other functions beside them, by the difference of sums */
static void gradients_are_differences(void) {
  enum { N = 7, D = 3, MACHINES = 2, POINTS = 5 };
  const double h = 1e-6;
  for (int k = 0; k < COUNT(all_kernels); k++)
    for (int beside = 0; beside < 2; beside++) {
      test_about("kernel %d, beside: %d", k, beside);
      matrix centers = matrix_normal(N, D, 1), point = matrix_normal(1, D, 1);
      const osvm_data z = matrix_view(&centers, OSVM_DOUBLES), x = matrix_view(&point, OSVM_DOUBLES);
      double coef[N * MACHINES], points[POINTS * D], added[MACHINES * POINTS * D], sizes[D * MACHINES];
      for (int i = 0; i < COUNT(coef); i++) coef[i] = random_normal();
      for (int i = 0; i < COUNT(points); i++) points[i] = random_normal();
      for (int i = 0; i < COUNT(added); i++) added[i] = random_normal();
      const osvm_expansions f = {centers.x, coef, N, D, MACHINES};
      CHECK(osvm_kernel_gradients(&all_kernels[k], &f, points, POINTS, beside ? added : NULL, NULL, sizes, NULL) ==
            OSVM_OK);
      for (int m = 0; m < MACHINES; m++)
        for (int j = 0; j < D; j++) {
          double squares = 0;
          for (int p = 0; p < POINTS; p++) {
            double change = beside ? 2 * h * added[(m * POINTS + p) * D + j] : 0;
            for (int side = -1; side <= 1; side += 2) {
              for (int g = 0; g < D; g++) point.x[g] = points[p * D + g] + (g == j ? side * h : 0);
              for (int i = 0; i < N; i++)
                change += side * coef[m * N + i] * plain_kernel(&all_kernels[k], &x, 0, &z, i);
            }
            squares += change * change / (4 * h * h);
          }
          CHECK_NEAR(sizes[m * D + j], sqrt(squares / POINTS), 1e-6 * fmax(1, sizes[m * D + j]));
        }
      matrix_free(&centers);
      matrix_free(&point);
    }
}

/* A kernel without a transform of its own gets the values of value(). */
static void a_transform_is_optional(void) {
  osvm_kernel_info plain = osvm_kernel_rbf;
  plain.transform = NULL;
  const osvm_kernel slow = {.info = &plain, .params = {0.3}}, fast = {.info = &osvm_kernel_rbf, .params = {0.3}};
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++) {
    fixture s = shelf_of(tables[t], 0, 37, 5, 1, 1);
    check_rows(&s, &slow);
    check_rows(&s, &fast);
    shelf_free(&s);
  }
}

static void kernels_are_read(void) {
  const double given[] = {0.5, -1, 2}; /* as osvm_kernel_polynomial declares them */
  osvm_kernel kernel, same;
  osvm_error error = {NULL};
  CHECK(osvm_kernel_read("polynomial", given, 3, &kernel, &error) == OSVM_OK);
  CHECK(kernel.info == &osvm_kernel_polynomial && osvm_kernel_value(&kernel, 4) == 1);
  CHECK(!osvm_kernel_is_definite(&kernel));
  same = kernel;
  CHECK(osvm_kernel_same(&kernel, &same));
  same.params[1] = 0;
  CHECK(!osvm_kernel_same(&kernel, &same) && osvm_kernel_is_definite(&same));
  CHECK(osvm_kernel_read("rbf", given, 1, &same, &error) == OSVM_OK && !osvm_kernel_same(&kernel, &same));
  CHECK(osvm_kernel_read("polynomial", given, 2, &kernel, &error) == OSVM_INVALID);
  CHECK(osvm_kernel_read("no kernel", given, 3, &kernel, &error) == OSVM_INVALID);
  CHECK(osvm_kernel_read("given", NULL, 0, &kernel, &error) == OSVM_OK && kernel.info == &osvm_kernel_given);
  const double scales[] = {0, -1, INFINITY, NAN}, degrees[] = {-1, 0.5, 1e9, NAN};
  for (int k = 0; k < 4; k++) {
    CHECK(osvm_kernel_read("rbf", &scales[k], 1, &kernel, &error) == OSVM_INVALID);
    const double degree[] = {0.5, -1, degrees[k]};
    CHECK(osvm_kernel_read("polynomial", degree, 3, &kernel, &error) == OSVM_INVALID);
  }
}

/* With large norms, distances taken from dot products would cancel: an example is still its own neighbour ... */
static void large_norms_in_rows(void) {
  const osvm_simd *simd = osvm_simd_single(TEST_LEVEL);
  for (int sparse = 0; sparse < 2; sparse++) {
    test_about("sparse %d", sparse);
    fixture s = shelf_of(simd, sparse, 20, 50, 0.5, 0.003);
    for (int i = 0; i < 20; i++) check_part(&s, &all_kernels[RBF], i, i, i + 1);
    shelf_free(&s);
  }
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Against all distances, sorted: dense and sparse, of one to six examples. */
static void median_distances(void) {
  const int kernels[] = {kernel_rbf, kernel_laplacian}, rows[] = {7, 0, 3, 12, 5, 9};
  double distance[15], median;
  osvm_error error;
  for (int k = 0; k < COUNT(kernels); k++)
    for (int sparse = 0; sparse < 2; sparse++)
      for (int n = 1; n <= COUNT(rows); n++) {
        test_about("kernel %d, sparse %d, %d rows", kernels[k], sparse, n);
        const osvm_kernel *kernel = &all_kernels[kernels[k]];
        fixture s = shelf_of(osvm_simd_double(TEST_LEVEL), sparse, 13, 4, 0.9, 1);
        int count = 0;
        for (int i = 0; i < n; i++)
          for (int j = 0; j < i; j++)
            distance[count++] = -log(plain_kernel(kernel, &s.plain, rows[i], &s.plain, rows[j])) / kernel->params[0];
        qsort(distance, count, sizeof *distance, compare_doubles);
        const double want = count > 0 ? (distance[(count - 1) / 2] + distance[count / 2]) / 2 : 0;
        CHECK(osvm_median_distance(kernel, &s.data, rows, n, &median, &error) == OSVM_OK);
        CHECK_NEAR(median, want, 1e-12 * (1 + want));
        shelf_free(&s);
      }
}

/* ... and far from the origin neighbours are still neighbours, also in blocks of many features. */
static void large_norms_in_blocks(void) {
  for (int d = 20; d <= 200; d += 60) {
    test_about("d %d", d);
    fixture s = shelf_of(osvm_simd_single(TEST_LEVEL), 0, 53, d, 1, 1);
    for (int k = 0; k < 53 * d; k++) s.m.x[k] += 300;
    s.store.n = 0;
    CHECK(osvm_store_append(&s.store, &s.data, NULL, 53, NULL) == OSVM_OK);
    check_block(&s, &all_kernels[RBF], 1e-3);
    shelf_free(&s);
  }
}

void test_kernel(void) {
  RUN(dense_rows);
  RUN(sparse_rows_with_and_without_index);
  RUN(long_rows);
  RUN(blocks);
  RUN(self);
  RUN(given_values);
  RUN(formulas);
  RUN(slopes_are_derivatives);
  RUN(gradients_are_differences);
  RUN(a_transform_is_optional);
  RUN(kernels_are_read);
  RUN(large_norms_in_rows);
  RUN(large_norms_in_blocks);
  RUN(median_distances);
}
