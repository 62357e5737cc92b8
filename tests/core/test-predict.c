/* Outputs of finished models against plain sums; the number of threads changes nothing, not even the last bit. */
#include "test.h"

enum { MACHINES = 3 };
static const osvm_progress no_poll = {0};

typedef struct {
  matrix sv, m;
  osvm_data sv_data, data, sv_plain, plain; /* plain: the same numbers, dense */
  osvm_store store;
  double *coef;
} fixture;

/* sparse: the support vectors' store; kind: the class of both matrices */
static fixture *fixture_with(const osvm_simd *simd, int sparse, osvm_data_kind kind, int support, int n, int d) {
  fixture *s = calloc(1, sizeof *s);
  const double density = sparse || kind == OSVM_SPARSE ? 0.3 : 1;
  s->sv = matrix_normal(support, d, density);
  s->m = matrix_normal(n, d, density);
  s->sv_data = matrix_view(&s->sv, kind);
  s->data = matrix_view(&s->m, kind);
  s->sv_plain = matrix_view(&s->sv, OSVM_DOUBLES);
  s->plain = matrix_view(&s->m, OSVM_DOUBLES);
  s->coef = calloc((size_t)support * MACHINES + 1, sizeof(double));
  for (int k = 0; k < support * MACHINES; k++) s->coef[k] = random_normal();
  CHECK(osvm_store_open(&s->store, simd, OSVM_PANELS, sparse, d, support, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s->store, &s->sv_data, NULL, support, NULL) == OSVM_OK);
  return s;
}

static fixture *fixture_open(const osvm_simd *simd, int sparse, int support, int n, int d) {
  return fixture_with(simd, sparse, sparse ? OSVM_SPARSE : OSVM_DOUBLES, support, n, d);
}

static void fixture_free(fixture *s) {
  osvm_store_close(&s->store);
  matrix_free(&s->sv);
  matrix_free(&s->m);
  free(s->coef);
  free(s);
}

/* Outputs beginning from 0.5, as from an intercept. */
static double *outputs(const fixture *s, const osvm_kernel *kernel, int threads) {
  const size_t all = (size_t)s->data.n * MACHINES;
  double *out = malloc(all * sizeof(double));
  for (size_t k = 0; k < all; k++) out[k] = 0.5;
  CHECK(osvm_decision_values(kernel, &s->store, s->coef, MACHINES, &s->data, threads, &no_poll, out, NULL) == OSVM_OK);
  return out;
}

static void check_outputs(const fixture *s, const osvm_kernel *kernel, const double *out, int every) {
  for (int i = 0; i < s->data.n; i += every) {
    double want[MACHINES] = {0.5, 0.5, 0.5}, size = 0;
    for (int j = 0; j < s->sv.n; j++) {
      const double k = plain_kernel(kernel, &s->plain, i, &s->sv_plain, j);
      for (int m = 0; m < MACHINES; m++) want[m] += s->coef[j + m * s->sv.n] * k;
      size += fabs(k);
    }
    for (int m = 0; m < MACHINES; m++)
      CHECK_NEAR(out[i + m * s->data.n], want[m], 100 * value_epsilon(s->store.simd) * (1 + size));
  }
}

static void outputs_are_sums_of_kernels(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables), sizes[] = {1, 3, 64, 65, 131};
  for (int t = 0; t < count; t++)
    for (int way = 0; way < 4; way++)
      for (int k = 0; k < COUNT(all_kernels); k++) {
        const osvm_data_kind kind = way / 2 ? OSVM_SPARSE : OSVM_DOUBLES;
        test_about("%s, %d bytes, store %d, data %d, kernel %d", tables[t]->name, (int)tables[t]->size, way % 2, kind,
                   k);
        fixture *s = fixture_with(tables[t], way % 2, kind, 27, sizes[(t + k) % COUNT(sizes)], k % 2 ? 7 : 40);
        double *out = outputs(s, &all_kernels[k], 1);
        check_outputs(s, &all_kernels[k], out, 1);
        free(out);
        fixture_free(s);
      }
}

/* More support vectors than a slice holds (dense), and more examples than are worked on between two polls. */
static void check_threads(const osvm_simd *simd, int sparse) {
  enum { MANY = 1100 };
  fixture *s = fixture_open(simd, sparse, sparse ? 40 : 250, MANY, sparse ? 50 : 300);
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.002}};
  double *one = outputs(s, &kernel, 1);
  check_outputs(s, &kernel, one, 97);
  for (int threads = 2; threads < 6; threads += 3) {
    double *more = outputs(s, &kernel, threads);
    CHECK(memcmp(one, more, MANY * MACHINES * sizeof(double)) == 0);
    free(more);
  }
  CHECK(osvm_store_index(&s->store, NULL) == OSVM_OK);
  double *indexed = outputs(s, &kernel, 2);
  check_outputs(s, &kernel, indexed, 97);
  free(indexed);
  free(one);
  fixture_free(s);
}

static void threads_make_no_difference(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    check_threads(osvm_simd_single(TEST_LEVEL), sparse);
    check_threads(osvm_simd_double(TEST_LEVEL), sparse);
  }
}

/* The same numbers, as a dense or a sparse matrix, give the same outputs, bit by bit. */
static void the_class_of_new_data_makes_no_difference(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), sparse, 40, 150, 33);
    double *one = outputs(s, &all_kernels[RBF], 1);
    s->data = matrix_view(&s->m, sparse ? OSVM_DOUBLES : OSVM_SPARSE);
    double *other = outputs(s, &all_kernels[RBF], 2);
    CHECK(memcmp(one, other, 150 * MACHINES * sizeof(double)) == 0);
    free(one);
    free(other);
    fixture_free(s);
  }
}

static void nothing_in_nothing_out(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *none = fixture_open(osvm_simd_single(TEST_LEVEL), sparse, 0, 5, 3);
    fixture *empty = fixture_open(osvm_simd_single(TEST_LEVEL), sparse, 4, 0, 3);
    double *out = outputs(none, &all_kernels[RBF], 2);
    for (int k = 0; k < 5 * MACHINES; k++) CHECK(out[k] == 0.5);
    free(out);
    free(outputs(empty, &all_kernels[RBF], 2));
    fixture_free(none);
    fixture_free(empty);
  }
}

static int stop(void *user, double done) {
  CHECK(done >= 0 && done <= 1);
  return --*(int *)user < 0;
}

static void polls_can_interrupt(void) {
  fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), 0, 5, 3000, 2);
  double *out = calloc(3000 * MACHINES, sizeof(double));
  for (int polls = 0; polls < 5; polls++) {
    int left = polls;
    const osvm_progress progress = host_progress(stop, &left);
    const osvm_status status =
        osvm_decision_values(&all_kernels[RBF], &s->store, s->coef, MACHINES, &s->data, 1, &progress, out, NULL);
    CHECK(status == (polls < 3 ? OSVM_INTERRUPTED : OSVM_OK)); /* 47 batches, a poll every 16 */
  }
  free(out);
  fixture_free(s);
}

/* The wrong number of features is the caller's mistake and not a lack of memory. */
static void misfits_are_refused(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), sparse, 5, 9, 4);
    matrix wide = matrix_normal(9, 5, 0.5);
    const osvm_data wider = matrix_view(&wide, s->data.kind);
    double out[9 * MACHINES] = {0};
    osvm_error error = {NULL};
    CHECK(osvm_decision_values(&all_kernels[RBF], &s->store, s->coef, MACHINES, &wider, 1, &no_poll, out, &error) ==
          OSVM_INVALID);
    CHECK(error.text != NULL);
    matrix_free(&wide);
    fixture_free(s);
  }
}

void test_predict(void) {
  RUN(outputs_are_sums_of_kernels);
  RUN(threads_make_no_difference);
  RUN(the_class_of_new_data_makes_no_difference);
  RUN(nothing_in_nothing_out);
  RUN(polls_can_interrupt);
  RUN(misfits_are_refused);
}
