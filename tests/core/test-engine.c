/* Rows are right, and computed no more often than they have to be. */
#include "test.h"

typedef struct {
  matrix m;
  osvm_data data;
  osvm_store store;
  osvm_engine engine;
} bench;

static const osvm_kernel rbf = {OSVM_RBF, 0.1, 0, 0};

/* rows: the cache's size */
static bench *bench_of(int sparse, int n, int d, int base, osvm_cache_policy policy, int rows) {
  bench *b = calloc(1, sizeof *b);
  const osvm_simd *simd = osvm_simd_single(TEST_LEVEL);
  b->m = matrix_normal(n, d, sparse ? 0.3 : 1);
  b->data = matrix_view(&b->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  CHECK(osvm_store_open(&b->store, simd, OSVM_PANELS, sparse, d, n, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&b->store, &b->data, NULL, n, NULL) == OSVM_OK);
  const size_t row = ((size_t)n + b->store.width) * simd->size;
  CHECK(osvm_engine_open(&b->engine, &rbf, &b->store, base, policy, row * rows, NULL) == OSVM_OK);
  return b;
}

static void bench_free(bench *b) {
  osvm_engine_close(&b->engine);
  osvm_store_close(&b->store);
  matrix_free(&b->m);
  free(b);
}

static void check_row(bench *b, int i, int from) {
  const void *row = osvm_engine_row(&b->engine, i, from);
  for (int j = from; j < b->store.n; j++)
    CHECK_NEAR(value_get(b->store.simd, row, j), plain_kernel(&rbf, &b->data, i, &b->data, j), 1e-5);
}

/* The kernel values that asking for a row costs. */
static double cost(bench *b, int i, int from) {
  const double before = b->engine.evaluations;
  check_row(b, i, from);
  return b->engine.evaluations - before;
}

static void the_latest_row_is_at_hand(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    bench *b = bench_of(sparse, 30, 4, 0, OSVM_KEEP_LATEST, 0);
    CHECK(cost(b, 3, 10) == 20);
    CHECK(cost(b, 3, 10) == 0);
    CHECK(cost(b, 3, 29) == 0);
    CHECK(cost(b, 3, 9) == 21); /* it began at 10 */
    CHECK(cost(b, 4, 9) == 21);
    CHECK(cost(b, 3, 9) == 21); /* no cache */
    bench_free(b);
  }
}

static void cached_rows_cost_nothing(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    bench *b = bench_of(sparse, 30, 20, 0, OSVM_KEEP_EARLIEST, 30);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i, 0) == 30);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i, i) == 0);
    bench_free(b);
  }
}

static void a_small_cache_saves_what_it_holds(void) {
  bench *b = bench_of(0, 30, 20, 0, OSVM_KEEP_EARLIEST, 7);
  for (int i = 0; i < 30; i++) CHECK(cost(b, i, 0) == 30);
  for (int i = 0; i < 30; i++) CHECK(cost(b, i, 0) == (i < 7 ? 0 : 30));
  bench_free(b);
  b = bench_of(1, 30, 20, 0, OSVM_KEEP_LATEST, 7);
  for (int i = 0; i < 30; i++) CHECK(cost(b, i, 0) == 30);
  for (int i = 23; i < 30; i++) CHECK(cost(b, i, 0) == 0);
  CHECK(cost(b, 22, 0) == 30);
  CHECK(cost(b, 23, 0) == 30);
  bench_free(b);
}

static void parts_of_rows_are_not_kept(void) {
  bench *b = bench_of(0, 30, 20, 0, OSVM_KEEP_EARLIEST, 30);
  CHECK(cost(b, 1, 5) == 25);
  CHECK(cost(b, 2, 0) == 30);
  CHECK(cost(b, 1, 0) == 30);
  CHECK(cost(b, 2, 8) == 0);
  CHECK(cost(b, 1, 8) == 0);
  bench_free(b);
}

/* Examples before the base are asked for once: their rows are not worth a place. */
static void rows_begin_at_the_base(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    bench *b = bench_of(sparse, 30, 20, 11, OSVM_KEEP_EARLIEST, 30);
    for (int i = 0; i < 30; i++) CHECK(cost(b, i, 11) == 19);
    for (int i = 11; i < 30; i++) CHECK(cost(b, i, 13) == 0);
    bench_free(b);
  }
}

static void cheap_rows_are_not_cached(void) {
  bench *b = bench_of(0, 30, 2, 0, OSVM_KEEP_EARLIEST, 30);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 30; i++) CHECK(cost(b, i, 0) == 30);
  bench_free(b);
}

static void subsets_and_values(void) {
  const int which[] = {29, 0, 0, 16, 15, 7};
  for (int sparse = 0; sparse < 2; sparse++) {
    for (int rows = 0; rows < 31; rows += 30) {
      test_about("sparse %d, cache of %d rows", sparse, rows);
      bench *b = bench_of(sparse, 30, 20, 0, OSVM_KEEP_EARLIEST, rows);
      double out[COUNT(which)];
      check_row(b, 4, 0);
      const double before = b->engine.evaluations;
      osvm_engine_subset(&b->engine, 12, which, COUNT(which), out);
      CHECK(b->engine.evaluations - before == COUNT(which));
      for (int k = 0; k < COUNT(which); k++)
        CHECK_NEAR(out[k], plain_kernel(&rbf, &b->data, 12, &b->data, which[k]), 1e-5);
      osvm_engine_subset(&b->engine, 12, which, 0, out);
      check_row(b, 4, 0); /* still right, at hand or not */
      bench_free(b);
    }
  }
}

/* Several rows at once, in part or whole: right, and counted once; kept rows are kept. */
static double check_rows(bench *b, const int *who, int count, int from, int to) {
  const void *rows[OSVM_QUERIES];
  const double before = b->engine.evaluations;
  osvm_engine_rows(&b->engine, who, count, from, to, rows);
  for (int q = 0; q < count; q++)
    for (int j = from; j < to; j++)
      CHECK_NEAR(value_get(b->store.simd, rows[q], j), plain_kernel(&rbf, &b->data, who[q], &b->data, j), 1e-5);
  return b->engine.evaluations - before;
}

static void several_rows_at_once(void) {
  const int who[] = {7, 29, 0, 16}, mixed[] = {7, 3, 16, 4};
  const int features[] = {2, 20, 40};
  for (int f = 0; f < COUNT(features); f++)
    for (int sparse = 0; sparse < 2; sparse++) {
      test_about("sparse %d, d %d", sparse, features[f]);
      const int cached = sparse || features[f] > 8;
      bench *b = bench_of(sparse, 30, features[f], 0, OSVM_KEEP_EARLIEST, 30);
      for (int count = 0; count <= OSVM_QUERIES; count++) CHECK(check_rows(b, who, count, 5, 23) == count * 18);
      CHECK(check_rows(b, who, 4, 0, 30) == 120);
      CHECK(check_rows(b, who, 4, 0, 30) == (cached ? 0 : 120));
      CHECK(check_rows(b, mixed, 4, 0, 30) == (cached ? 60 : 120));
      CHECK(check_rows(b, mixed, 4, 11, 12) == (cached ? 0 : 4));
      CHECK(cost(b, 4, 3) == (cached ? 0 : 27));
      bench_free(b);
    }
}

static void several_rows_through_a_small_cache(void) {
  for (int policy = OSVM_KEEP_LATEST; policy <= OSVM_KEEP_EARLIEST; policy++)
    for (int slots = 0; slots < 12; slots++) {
      test_about("policy %d, slots %d", policy, slots);
      bench *b = bench_of(0, 30, 20, 0, policy, slots);
      for (int round = 0; round < 60; round++) {
        int who[OSVM_QUERIES];
        const int start = random_below(30);
        for (int q = 0; q < OSVM_QUERIES; q++) who[q] = (start + q * (1 + round % 3)) % 30;
        check_rows(b, who, OSVM_QUERIES, 0, 30);
        if (round % 4 == 0) check_row(b, who[0], 0);
        if (round % 4 == 1) check_row(b, start, 2);
      }
      bench_free(b);
    }
}

/* The row at hand may lose its slot to others. */
static void the_latest_row_may_be_evicted(void) {
  bench *b = bench_of(0, 30, 20, 0, OSVM_KEEP_LATEST, 8);
  check_row(b, 0, 0);
  for (int at = 1; at < 29; at += 4) check_rows(b, (const int[]){at, at + 1, at + 2, at + 3}, 4, 0, 30);
  check_row(b, 0, 0);
  bench_free(b);
}

void test_engine(void) {
  RUN(the_latest_row_is_at_hand);
  RUN(cached_rows_cost_nothing);
  RUN(a_small_cache_saves_what_it_holds);
  RUN(parts_of_rows_are_not_kept);
  RUN(rows_begin_at_the_base);
  RUN(cheap_rows_are_not_cached);
  RUN(subsets_and_values);
  RUN(several_rows_at_once);
  RUN(several_rows_through_a_small_cache);
  RUN(the_latest_row_may_be_evicted);
}
