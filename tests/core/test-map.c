/* Feature maps against plain sums; memory, threads and the window of a store change no number. */
#include "test.h"

enum { WIDTH = 70 };

typedef struct {
  matrix z, m;
  double root[WIDTH * WIDTH], phase[WIDTH]; /* root: any lower triangle */
  osvm_data rows, plain;                    /* plain: the same rows as doubles */
  osvm_low_rank map;
} fixture;

static fixture *fixture_open(int fourier, osvm_data_kind kind, int n, int d) {
  fixture *s = calloc(1, sizeof *s);
  osvm_kernel linear;
  CHECK(osvm_kernel_read("linear", NULL, 0, &linear, NULL) == OSVM_OK);
  s->z = matrix_normal(WIDTH, d, fourier || kind != OSVM_SPARSE ? 1 : 0.1);
  s->m = matrix_normal(n, d, kind == OSVM_SPARSE ? 0.1 : 1);
  for (int j = 0; j < WIDTH; j++) s->phase[j] = random_uniform();
  for (int j = 0; j < WIDTH; j++)
    for (int i = 0; i <= j; i++) s->root[j + i * WIDTH] = random_normal() / WIDTH;
  const osvm_data directions = matrix_view(&s->z, fourier ? OSVM_DOUBLES : kind);
  CHECK(osvm_low_rank_open(&s->map, fourier ? &linear : &all_kernels[RBF], &directions, fourier ? NULL : s->root,
                           fourier ? s->phase : NULL, fourier && kind == OSVM_SPARSE, NULL) == OSVM_OK);
  s->rows = matrix_view(&s->m, kind);
  s->plain = matrix_view(&s->m, OSVM_DOUBLES);
  s->rows.map = &s->map.map;
  return s;
}

static void fixture_free(fixture *s) {
  osvm_low_rank_close(&s->map);
  matrix_free(&s->z);
  matrix_free(&s->m);
  free(s);
}

static double feature(const fixture *s, int i, int j) {
  const osvm_data z = matrix_view(&s->z, OSVM_DOUBLES);
  double sum = 0;
  if (s->map.phase != NULL) {
    for (int f = 0; f < z.d; f++) sum += data_value(&z, j, f) * data_value(&s->plain, i, f);
    return sqrt(2.0 / WIDTH) * cos(2 * M_PI * (sum + s->phase[j]));
  }
  for (int l = 0; l <= j; l++) sum += s->root[j + l * WIDTH] * plain_kernel(&all_kernels[RBF], &s->plain, i, &z, l);
  return sum;
}

static osvm_store packed(const fixture *s, const osvm_simd *simd, osvm_layout layout, const int *rows, int count) {
  osvm_store store;
  CHECK(osvm_store_open(&store, simd, layout, 0, WIDTH, 1, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&store, &s->rows, rows, count, NULL) == OSVM_OK);
  return store;
}

static void features_are_sums(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int way = 0; way < 8; way++) {
      test_about("%s, %d bytes, way %d", tables[t]->name, (int)tables[t]->size, way);
      fixture *s = fixture_open(way & 1, way & 2 ? OSVM_SPARSE : OSVM_DOUBLES, 67, 40);
      double buffer[WIDTH];
      osvm_store store = packed(s, tables[t], way & 4 ? OSVM_PANELS : OSVM_ROWS, NULL, 67);
      for (int i = 0; i < 67; i += 11) {
        const osvm_query x = osvm_store_query(&store, i, buffer);
        double norm = 0;
        for (int j = 0; j < WIDTH; j++) {
          const double want = feature(s, i, j);
          CHECK_NEAR(value_get(tables[t], x.dense, j), want, 200 * value_epsilon(tables[t]));
          norm += want * want;
        }
        CHECK_NEAR(store.norm[i], norm, 200 * value_epsilon(tables[t]));
      }
      osvm_store_close(&store);
      fixture_free(s);
    }
}

/* Row by row, in another order, on threads, in a window: the same bits. */
static void no_feature_depends_on_the_others(void) {
  const osvm_simd *simd = osvm_simd_single(TEST_LEVEL);
  enum { N = 301 };
  for (int way = 0; way < 4; way++) {
    fixture *s = fixture_open(way & 1, way & 2 ? OSVM_SPARSE : OSVM_DOUBLES, N, 9);
    osvm_store whole = packed(s, simd, OSVM_ROWS, NULL, N), window;
    int order[N], all[N];
    for (int k = 0; k < N; k++) order[k] = all[k] = k;
    random_order(order, N);
    s->rows.threads = 3;
    osvm_store mixed = packed(s, simd, OSVM_ROWS, order, N);
    CHECK(osvm_store_open_window(&window, simd, &s->rows, all, N, 50, way * 100, 0, NULL) == OSVM_OK);
    CHECK(!osvm_store_has(&window, 7));
    for (int k = 0; k < N; k += 50) {
      const int count = N - k < 50 ? N - k : 50;
      CHECK(osvm_store_load(&window, order + k, count, NULL, NULL) == OSVM_OK);
      for (int q = k; q < k + count; q++) {
        const float *want = osvm_store_query(&whole, order[q], NULL).dense;
        CHECK(osvm_store_has(&window, order[q]) && window.norm[order[q]] == whole.norm[order[q]]);
        CHECK(memcmp(osvm_store_query(&mixed, q, NULL).dense, want, WIDTH * sizeof(float)) == 0);
        CHECK(memcmp(osvm_store_query(&window, order[q], NULL).dense, want, WIDTH * sizeof(float)) == 0);
      }
    }
    for (int i = 0; i < N; i++) { /* the first that were packed are there, and those packed last */
      const int stays = window.keep >= N || i < window.keep || i >= N - N % 50;
      CHECK(osvm_store_has(&window, order[i]) == stays);
      if (!stays) continue;
      const float *want = osvm_store_query(&whole, order[i], NULL).dense;
      CHECK(memcmp(osvm_store_query(&window, order[i], NULL).dense, want, WIDTH * sizeof(float)) == 0);
    }
    osvm_store_close(&whole);
    osvm_store_close(&mixed);
    osvm_store_close(&window);
    fixture_free(s);
  }
}

/* Weights of features: outputs are inner products, those of landmarks as an expansion */
static void outputs_are_inner_products(void) {
  for (int way = 0; way < 8; way++) {
    fixture *s = fixture_open(way & 1, way & 2 ? OSVM_SPARSE : OSVM_DOUBLES, 33, 12);
    double weights[2 * WIDTH], out[66] = {0};
    for (int k = 0; k < 2 * WIDTH; k++) weights[k] = random_normal();
    CHECK(osvm_linear_decision_values(&s->rows, osvm_simd_double(TEST_LEVEL), weights, 2, way & 4, out, NULL) ==
          OSVM_OK);
    for (int i = 0; i < 33; i++)
      for (int m = 0; m < 2; m++) {
        double want = 0, norm = 0;
        for (int j = 0; j < WIDTH; j++) want += weights[j + m * WIDTH] * feature(s, i, j);
        for (int j = 0; j < WIDTH; j++) norm += feature(s, i, j) * feature(s, i, j);
        CHECK_NEAR(out[i + 33 * m], way & 4 ? want / sqrt(norm) : want, 1e-10 * (1 + fabs(want) / sqrt(norm)));
      }
    fixture_free(s);
  }
}

static int stop(void *user, double done) {
  (void)user, (void)done;
  return 1;
}

static void failures_leave_nothing(void) {
  const osvm_simd *simd = osvm_simd_single(TEST_LEVEL);
  const long before = memory.live;
  for (long fail = 0, failed = 1; failed; fail++) {
    fixture *s = fixture_open(0, fail % 2 ? OSVM_SPARSE : OSVM_DOUBLES, 90, 5);
    osvm_store store;
    osvm_error error = {NULL};
    CHECK(osvm_store_open(&store, simd, OSVM_ROWS, 0, WIDTH, 90, NULL) == OSVM_OK);
    memory_fail(memory.calls + fail, memory.calls + fail + 1);
    failed = osvm_store_append(&store, &s->rows, NULL, 90, &error) != OSVM_OK;
    memory_fail(-1, -1);
    CHECK(store.n == (failed ? 0 : 90) && failed == (error.text != NULL));
    CHECK(osvm_store_append(&store, &s->rows, NULL, 90, &error) == OSVM_OK);
    osvm_store_close(&store);
    fixture_free(s);
  }
  fixture *s = fixture_open(1, OSVM_DOUBLES, 90, 5);
  const osvm_progress progress = host_progress(stop, NULL);
  osvm_store store;
  CHECK(osvm_store_open(&store, simd, OSVM_ROWS, 0, WIDTH, 90, NULL) == OSVM_OK);
  s->rows.progress = &progress;
  CHECK(osvm_store_append(&store, &s->rows, NULL, 90, NULL) == OSVM_INTERRUPTED && store.n == 0);
  osvm_store_close(&store);
  fixture_free(s);
  CHECK(memory.live == before);
}

static void cosines_are_those_of_the_library(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  const double at[] = {0, 0.25, -0.5, 0.123, 7.3, -1000.7, 0.49999, 0.50019, -1.5002, 3, 1e30, -1e30, INFINITY, NAN};
  const double turns[COUNT(at)] = {0, 0, 0, 0.5, 0.9, 0.1, 0, 0, 0, 0.3};
  for (int t = 0; t < count; t++) {
    void *values = values_normal(tables[t], COUNT(at));
    for (int k = 0; k < COUNT(at); k++) value_set(tables[t], values, k, at[k]);
    tables[t]->cosines(values, COUNT(at), 3, turns);
    for (int k = 0; k < COUNT(at); k++) {
      const double got = value_get(tables[t], values, k), want = 3 * cos(2 * M_PI * (at[k] + turns[k]));
      if (k < 10) CHECK_NEAR(got, want, 30 * value_epsilon(tables[t]) * (1 + fabs(at[k])));
      else CHECK(got >= -3.001 && got <= 3.001);
    }
    free(values);
  }
}

void test_map(void) {
  RUN(cosines_are_those_of_the_library);
  RUN(features_are_sums);
  RUN(no_feature_depends_on_the_others);
  RUN(outputs_are_inner_products);
  RUN(failures_leave_nothing);
}
