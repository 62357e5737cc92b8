/* The engine: rows against the textbook, and no more evaluations than needed. */
#include "test.h"

typedef struct {
  matrix m;
  osvm_data data;
  osvm_store store;
  osvm_engine engine;
  double evaluations;
} fixture;

static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.1}};

/* rows: the cache's size */
static fixture *fixture_of(int sparse, int n, int d, int base, int rows) {
  fixture *b = calloc(1, sizeof *b);
  const osvm_simd *simd = osvm_simd_single(TEST_LEVEL);
  b->m = matrix_normal(n, d, sparse ? 0.3 : 1);
  b->data = matrix_view(&b->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  CHECK(osvm_store_open(&b->store, simd, OSVM_PANELS, sparse, d, n, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&b->store, &b->data, NULL, n, NULL) == OSVM_OK);
  const size_t row = ((size_t)n + b->store.width) * simd->size;
  CHECK(osvm_engine_open(&b->engine, &rbf, &b->store, base, row * rows, &b->evaluations, NULL) == OSVM_OK);
  return b;
}

static void fixture_free(fixture *b) {
  osvm_engine_close(&b->engine);
  osvm_store_close(&b->store);
  matrix_free(&b->m);
  free(b);
}

static void check_row(fixture *b, int i) {
  const void *row = osvm_engine_row(&b->engine, i);
  for (int j = b->engine.base; j < b->store.n; j++)
    CHECK_NEAR(value_get(b->store.simd, row, j), plain_kernel(&rbf, &b->data, i, &b->data, j), 1e-5);
}

/* Evaluations for a row */
static double cost(fixture *b, int i) {
  const double before = b->evaluations;
  check_row(b, i);
  return b->evaluations - before;
}

static void the_latest_row_costs_nothing(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *b = fixture_of(sparse, 30, 4, 0, 0);
    CHECK(cost(b, 3) == 30);
    CHECK(cost(b, 3) == 0);
    CHECK(cost(b, 4) == 30);
    CHECK(cost(b, 3) == 30); /* no cache */
    fixture_free(b);
  }
}

static void cached_rows_cost_nothing(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *b = fixture_of(sparse, 30, 20, 0, 30);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i) == 30);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i) == 0);
    fixture_free(b);
  }
}

static void a_small_cache_saves_what_it_holds(void) {
  fixture *b = fixture_of(0, 30, 20, 0, 7);
  for (int i = 0; i < 30; i++) CHECK(cost(b, i) == 30);
  for (int i = 0; i < 30; i++) CHECK(cost(b, i) == (i < 7 ? 0 : 30));
  fixture_free(b);
}

/* Rows of examples before the base are used once, and not cached. */
static void rows_begin_at_the_base(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *b = fixture_of(sparse, 30, 20, 11, 30);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i) == 19);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i) == (i < 11 ? 19 : 0));
    fixture_free(b);
  }
}

static void cheap_rows_are_not_cached(void) {
  fixture *b = fixture_of(0, 30, 2, 0, 30);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 30; i++) CHECK(cost(b, i) == 30);
  fixture_free(b);
}

static void subsets_and_values(void) {
  const int which[] = {29, 0, 0, 16, 15, 7};
  for (int sparse = 0; sparse < 2; sparse++) {
    for (int rows = 0; rows < 31; rows += 30) {
      test_about("sparse %d, cache of %d rows", sparse, rows);
      fixture *b = fixture_of(sparse, 30, 20, 0, rows);
      double out[COUNT(which)];
      check_row(b, 4);
      const double before = b->evaluations;
      osvm_engine_values(&b->engine, 12, which, COUNT(which), out);
      CHECK(b->evaluations - before == COUNT(which));
      for (int k = 0; k < COUNT(which); k++)
        CHECK_NEAR(out[k], plain_kernel(&rbf, &b->data, 12, &b->data, which[k]), 1e-5);
      osvm_engine_values(&b->engine, 12, which, 0, out);
      check_row(b, 4);
      fixture_free(b);
    }
  }
}

/* Several rows at once, in part or whole; returns their evaluations. */
static double check_rows(fixture *b, const int *examples, int count, int from, int to) {
  const void *rows[OSVM_QUERIES];
  const double before = b->evaluations;
  osvm_engine_rows(&b->engine, examples, count, from, to, rows);
  for (int q = 0; q < count; q++)
    for (int j = from; j < to; j++)
      CHECK_NEAR(value_get(b->store.simd, rows[q], j), plain_kernel(&rbf, &b->data, examples[q], &b->data, j), 1e-5);
  return b->evaluations - before;
}

static void several_rows_at_once(void) {
  const int examples[] = {7, 29, 0, 16}, mixed[] = {7, 3, 16, 4};
  const int features[] = {2, 20, 40};
  for (int f = 0; f < COUNT(features); f++)
    for (int sparse = 0; sparse < 2; sparse++) {
      test_about("sparse %d, d %d", sparse, features[f]);
      const int cached = sparse || features[f] > 8;
      fixture *b = fixture_of(sparse, 30, features[f], 0, 30);
      for (int count = 0; count <= OSVM_QUERIES; count++) CHECK(check_rows(b, examples, count, 5, 23) == count * 18);
      CHECK(check_rows(b, examples, 4, 0, 30) == 120);
      CHECK(check_rows(b, examples, 4, 0, 30) == (cached ? 0 : 120));
      CHECK(check_rows(b, mixed, 4, 0, 30) == (cached ? 60 : 120));
      CHECK(check_rows(b, mixed, 4, 11, 12) == (cached ? 0 : 4));
      CHECK(cost(b, 4) == (cached ? 0 : 30));
      fixture_free(b);
    }
}

static void several_rows_through_a_small_cache(void) {
  for (int slots = 0; slots < 12; slots++) {
    test_about("slots %d", slots);
    fixture *b = fixture_of(0, 30, 20, 0, slots);
    for (int round = 0; round < 60; round++) {
      int examples[OSVM_QUERIES];
      const int start = random_below(30);
      for (int q = 0; q < OSVM_QUERIES; q++) examples[q] = (start + q * (1 + round % 3)) % 30;
      check_rows(b, examples, OSVM_QUERIES, 0, 30);
      if (round % 4 == 0) check_row(b, examples[0]);
    }
    CHECK(b->engine.cache.filled == slots);
    fixture_free(b);
  }
}

/* The latest row shares its buffer with rows and values that are not cached. */
static void the_latest_row_may_be_overwritten(void) {
  const int others[] = {5, 6, 7, 8};
  double out[4];
  fixture *b = fixture_of(0, 30, 4, 0, 0);
  for (int round = 0; round < 2; round++) {
    check_row(b, 0);
    if (round == 0) check_rows(b, others, 4, 0, 30);
    else osvm_engine_values(&b->engine, 9, others, 4, out);
    CHECK(cost(b, 0) == 30);
  }
  fixture_free(b);
}

void test_engine(void) {
  RUN(the_latest_row_costs_nothing);
  RUN(cached_rows_cost_nothing);
  RUN(a_small_cache_saves_what_it_holds);
  RUN(rows_begin_at_the_base);
  RUN(cheap_rows_are_not_cached);
  RUN(subsets_and_values);
  RUN(several_rows_at_once);
  RUN(several_rows_through_a_small_cache);
  RUN(the_latest_row_may_be_overwritten);
}
