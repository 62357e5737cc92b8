/* The row service: one to four rows, dense and sparse, in part or whole, computed or gathered, and counted exactly. */
#include "../../src/kernel-gram.h"

#include "lists.h"

enum { N = 75, M = 40 };
static const osvm_progress no_poll = {0};

typedef struct {
  matrix m;
  osvm_data data;
  osvm_store whole, store; /* the columns: examples column[0 .. M - 1] of whole */
  int column[M];
  osvm_rows rows;
  double evaluations;
} fixture;

static fixture *fixture_open(const osvm_simd *simd, int sparse, int d, const osvm_kernel *kernel,
                             osvm_rounding rounding) {
  fixture *s = calloc(1, sizeof *s);
  int order[N];
  s->m = matrix_normal(N, d, 0.4);
  s->data = matrix_view(&s->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  CHECK(osvm_store_open(&s->whole, simd, OSVM_PANELS, sparse, d, N, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s->whole, &s->data, NULL, N, NULL) == OSVM_OK);
  CHECK(osvm_store_open(&s->store, simd, OSVM_PANELS, sparse, d, M, NULL) == OSVM_OK);
  random_order(order, N);
  memcpy(s->column, order, sizeof s->column);
  for (int k = 0; k < M; k++) CHECK(osvm_store_put(&s->store, k, &s->whole, order[k], NULL) == OSVM_OK);
  CHECK(osvm_store_index(&s->whole, NULL) == OSVM_OK && osvm_store_index(&s->store, NULL) == OSVM_OK);
  CHECK(osvm_rows_open(&s->rows, kernel, &s->store, rounding, NULL) == OSVM_OK);
  s->rows.evaluations = &s->evaluations;
  s->rows.gram_column = s->column;
  return s;
}

static void fixture_free(fixture *s) {
  osvm_rows_close(&s->rows);
  osvm_store_close(&s->whole);
  osvm_store_close(&s->store);
  matrix_free(&s->m);
  free(s);
}

static double tolerance(const fixture *s) { return 2000 * value_epsilon(s->whole.simd); }

/* Columns begin .. end - 1 of some rows, against the textbook; `expected` evaluations. */
static void check_rows(fixture *s, const int *examples, int count, int begin, int end, double expected) {
  const osvm_simd *simd = s->store.simd;
  const int width = s->store.width, base = begin / width * width;
  const size_t stride = (M + width - 1) / width * width - base + 3;
  void *out = values_normal(simd, stride * OSVM_QUERIES);
  const double before = s->evaluations;
  osvm_rows_load(&s->rows, &s->whole, examples, count);
  osvm_rows_compute(&s->rows, begin, end, out, stride);
  CHECK(s->evaluations - before == expected);
  for (int q = 0; q < count; q++)
    for (int j = begin; j < end; j++)
      CHECK_NEAR(value_get(simd, out, q * stride + j - base),
                 plain_kernel(&s->rows.kernel, &s->data, examples[q], &s->data, s->column[j]), tolerance(s));
  free(out);
}

static void for_all(void (*test)(fixture *s)) {
  static const int features[] = {3, 50};
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int k = 0; k < COUNT(all_kernels); k++)
      for (int v = 0; v < 12; v++) {
        test_about("%s, %d bytes, kernel %d, variant %d", tables[t]->name, (int)tables[t]->size, k, v);
        osvm_kernel kernel = all_kernels[k];
        kernel.params[0] /= features[v / 2 % 2];
        fixture *s = fixture_open(tables[t], v % 2, features[v / 2 % 2], &kernel, v / 4);
        test(s);
        fixture_free(s);
      }
}

static void check_ranges(fixture *s) {
  static const int ranges[][2] = {{0, M}, {0, 1}, {5, 23}, {M - 1, M}, {16, 32}, {7, 7}};
  const int examples[] = {7, N - 1, 0, 16};
  for (int count = 0; count <= OSVM_QUERIES; count++)
    for (int r = 0; r < COUNT(ranges); r++)
      check_rows(s, examples + OSVM_QUERIES - count, count, ranges[r][0], ranges[r][1],
                 (double)count * (ranges[r][1] - ranges[r][0]));
  s->rows.unused_columns = 3; /* whole rows only */
  check_rows(s, examples, 4, 0, M, 4.0 * (M - 3));
  check_rows(s, examples, 4, 0, M - 1, 4.0 * (M - 1));
  s->rows.evaluations = NULL;
  check_rows(s, examples, 2, 0, M, 0);
}

static void one_to_four_rows_in_part_or_whole(void) { for_all(check_ranges); }

/* With the rounding of a row, rows are the same bit for bit whether they are computed alone, together or value by
 * value; so they are, with the rounding of a block, in any company. */
static void check_rounding(fixture *s) {
  const osvm_simd *simd = s->store.simd;
  const size_t stride = M + simd->width, bytes = M * simd->size;
  const int examples[] = {31, 4, 59, 12};
  int columns[M];
  char *together = values_normal(simd, stride * OSVM_QUERIES), *alone = values_normal(simd, stride * OSVM_QUERIES);
  for (int j = 0; j < M; j++) columns[j] = (j * 7 + 3) % M;
  osvm_rows_load(&s->rows, &s->whole, examples, 4);
  osvm_rows_compute(&s->rows, 0, M, together, stride);
  for (int q = 0; q < 4; q++) {
    osvm_rows_load(&s->rows, &s->whole, examples + q, 1);
    osvm_rows_compute(&s->rows, 0, M, alone, stride);
    const int same = s->store.sparse || s->rows.rounding != OSVM_MIXED_ROUNDING;
    if (same) CHECK(memcmp(alone, together + q * stride * simd->size, bytes) == 0);
    if (!s->store.sparse && s->rows.rounding == OSVM_BLOCK_ROUNDING) continue;
    const double before = s->evaluations;
    memset(together, 0, bytes);
    osvm_rows_values(&s->rows, &s->whole, examples[q], columns, M, together);
    CHECK(s->evaluations - before == M);
    CHECK(memcmp(alone, together, bytes) == 0);
    osvm_rows_load(&s->rows, &s->whole, examples, 4);
    osvm_rows_compute(&s->rows, 0, M, together, stride);
  }
  osvm_rows_values(&s->rows, &s->whole, 0, NULL, 0, NULL);
  free(together);
  free(alone);
}

static void rounding_depends_on_nothing_else(void) { for_all(check_rounding); }

/* Dense and sparse views of the same numbers, rows and panels as the source of examples. */
static void dense_and_sparse_agree(void) {
  const osvm_simd *simd = osvm_simd_double(TEST_LEVEL);
  const int examples[] = {1, 2, 3};
  for (int k = 0; k < COUNT(all_kernels); k++) {
    double out[3][OSVM_QUERIES][M + 8];
    for (int v = 0; v < 3; v++) {
      random_seed(5);
      fixture *s = fixture_open(simd, v == 1, 12, &all_kernels[k], OSVM_MIXED_ROUNDING);
      osvm_store rows;
      CHECK(osvm_store_open(&rows, simd, OSVM_ROWS, v == 1, 12, N, NULL) == OSVM_OK);
      CHECK(osvm_store_append(&rows, &s->data, NULL, N, NULL) == OSVM_OK);
      osvm_rows_load(&s->rows, v == 2 ? &rows : &s->whole, examples, 3);
      osvm_rows_compute(&s->rows, 0, M, out[v], M + 8);
      osvm_store_close(&rows);
      fixture_free(s);
    }
    for (int q = 0; q < 3; q++)
      for (int j = 0; j < M; j++) {
        CHECK_NEAR(out[0][q][j], out[1][q][j], 1e-12);
        CHECK(out[0][q][j] == out[2][q][j]);
      }
  }
}

/* Rows found in the Gram matrix cost nothing; one that is missing has all of them computed. */
static void check_gathered(fixture *s) {
  osvm_gram gram;
  osvm_error error;
  const size_t row = ((N + s->whole.width - 1) / s->whole.width + 1) * s->whole.width * s->whole.simd->size;
  const int known[] = {3, 0, 29, 17}, missing[] = {3, 0, 30, 17};
  CHECK(osvm_gram_open(&gram, &s->whole, &s->rows.kernel, 0, 30 * row, 1, &no_poll, &error) == OSVM_OK);
  CHECK(gram.filled == 30);
  s->rows.gram = &gram;
  for (int count = 1; count <= OSVM_QUERIES; count++) {
    check_rows(s, known, count, 0, M, 0);
    check_rows(s, known, count, 11, 30, 0);
    check_rows(s, missing, count, 0, M, count < 3 ? 0 : count * M);
  }
  const int own = 2; /* of the store: computed */
  void *out = values_normal(s->whole.simd, M + s->whole.width);
  osvm_rows_load(&s->rows, &s->store, &own, 1);
  CHECK(!s->rows.gathered);
  free(out);
  osvm_gram_close(&gram);
}

static void gathered_rows_are_computed_rows(void) { for_all(check_gathered); }

static void allocations_may_fail(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), sparse, 4, &all_kernels[RBF], OSVM_ROW_ROUNDING);
    const long live = memory.live;
    osvm_rows rows;
    osvm_error error = {NULL};
    memory_fail(0, 1);
    CHECK(osvm_rows_open(&rows, &all_kernels[RBF], &s->store, OSVM_ROW_ROUNDING, &error) == OSVM_NO_MEMORY);
    memory_fail(-1, -1);
    osvm_rows_close(&rows);
    CHECK(memory.live == live && error.text != NULL);
    fixture_free(s);
  }
}

/* ---- one counter per run ---- */

/* SMO works on its active sets: no engine, no index of the run's store, and evaluations counted while it runs. */
static void smo_opens_no_engine(void) {
  const argument given[] = {{"shrinking", 0}, {"max_iter", 1e5}};
  problem p = problem_of(61, 12, 2, OSVM_SPARSE, &rbf);
  session *s = session_with(&p, "smo", given, COUNT(given), 1);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.driver->engine.block == NULL && s->run.store.index_start == NULL);
  const double rows = osvm_run_evaluations(&s->run) / p.n; /* without shrinking whole rows, each computed once */
  CHECK(rows == floor(rows) && rows >= 2 && rows <= p.n);
  session_free(s);
  problem_free(&p);
}

void test_rows(void) {
  RUN(one_to_four_rows_in_part_or_whole);
  RUN(rounding_depends_on_nothing_else);
  RUN(dense_and_sparse_agree);
  RUN(gathered_rows_are_computed_rows);
  RUN(allocations_may_fail);
  RUN(smo_opens_no_engine);
}
