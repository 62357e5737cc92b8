/* Shapley values against their definition, the weighted mean over all subsets, and against what must hold of them. */
#include "test.h"

enum { MACHINES = 2 };
static const osvm_progress no_poll = {0};
static const osvm_kernel gaussian = {.info = &osvm_kernel_rbf, .params = {0.2}};
static const osvm_kernel laplacian = {.info = &osvm_kernel_laplacian, .params = {0.15}};
static const osvm_kernel linear = {.info = &osvm_kernel_linear};

typedef struct {
  matrix sv, m;
  osvm_data support, data;
  osvm_store store;
  double *coef;
  int *group;
  osvm_shapley_model model;
} fixture;

/* group: features per variable */
static fixture *fixture_open(const osvm_simd *simd, const osvm_kernel *kernel, int sparse, int support, int n, int d,
                             int group) {
  fixture *s = calloc(1, sizeof *s);
  const osvm_data_kind kind = sparse ? OSVM_SPARSE : OSVM_DOUBLES;
  s->sv = matrix_normal(support, d, sparse ? 0.4 : 1);
  s->m = matrix_normal(n, d, sparse ? 0.4 : 1);
  s->support = matrix_view(&s->sv, kind);
  s->data = matrix_view(&s->m, kind);
  const int coefs = MACHINES * (support > d ? support : d);
  s->coef = malloc((coefs + 1) * sizeof(double));
  for (int k = 0; k < coefs; k++) s->coef[k] = random_normal();
  s->group = malloc(d * sizeof(int));
  for (int f = 0; f < d; f++) s->group[f] = f / group;
  CHECK(osvm_store_open(&s->store, simd, OSVM_PANELS, sparse, d, support, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s->store, &s->support, NULL, support, NULL) == OSVM_OK);
  s->model = (osvm_shapley_model){.kernel = kernel,
                                  .store = &s->store,
                                  .coef = s->coef,
                                  .machines = MACHINES,
                                  .group = s->group,
                                  .groups = (d + group - 1) / group};
  return s;
}

static void fixture_free(fixture *s) {
  osvm_store_close(&s->store);
  matrix_free(&s->sv);
  matrix_free(&s->m);
  free(s->coef);
  free(s->group);
  free(s);
}

static double *values(const fixture *s, int threads) {
  double *out = calloc((size_t)s->data.n * s->model.groups * MACHINES + 1, sizeof(double));
  CHECK(osvm_shapley_values(&s->model, s->store.simd, &s->data, threads, &no_poll, out, NULL) == OSVM_OK);
  return out;
}

/* k(x_i, z_j) - 1 of these features alone: bits of `with`, or all; and of no others */
static double part_of_kernel(const fixture *s, int i, int j, unsigned with, int all) {
  double base = 0;
  for (int f = 0; f < s->data.d; f++) {
    const double difference = fabs(s->m.x[i + f * s->m.n] - s->sv.x[j + f * s->sv.n]);
    if (all || (with >> f & 1))
      base += s->model.kernel->info->base == OSVM_SQUARED_DISTANCES ? difference * difference : difference;
  }
  return expm1(-s->model.kernel->params[0] * base);
}

/* The output of machine m without its intercept, less that of no feature */
static double output_of(const fixture *s, int i, int m, unsigned with, int all) {
  double sum = 0;
  for (int j = 0; j < s->sv.n; j++) sum += s->coef[j + m * s->sv.n] * part_of_kernel(s, i, j, with, all);
  return sum;
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* The mean over all orders of what feature f adds to those before it */
static double by_subsets(const fixture *s, int i, int f, int m) {
  const int d = s->data.d;
  double sum = 0;
  for (unsigned with = 0; with < 1u << d; with++) {
    int size = 0;
    for (int k = 0; k < d; k++) size += with >> k & 1;
    if (with >> f & 1) continue;
    const double gain = output_of(s, i, m, with | 1u << f, 0) - output_of(s, i, m, with, 0);
    sum += factorial(size) * factorial(d - size - 1) / factorial(d) * gain;
  }
  return sum;
}

static void values_are_means_over_subsets(void) {
  const osvm_kernel *kernels[] = {&gaussian, &laplacian};
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int way = 0; way < 4; way++)
      for (int d = 1; d <= 8; d += d < 3 ? 1 : 5) {
        if (tables[t]->size != sizeof(double)) continue;
        test_about("%s, kernel %d, sparse %d, %d features", tables[t]->name, way % 2, way / 2, d);
        fixture *s = fixture_open(tables[t], kernels[way % 2], way / 2, 37, 3, d, 1);
        double *out = values(s, 1);
        for (int i = 0; i < 3; i++)
          for (int f = 0; f < d; f++)
            for (int m = 0; m < MACHINES; m++) CHECK_NEAR(out[i + 3 * (f + d * m)], by_subsets(s, i, f, m), 1e-12);
        free(out);
        fixture_free(s);
      }
}

/* Many features, of which fewer nodes serve than make the rule exact, and variables of several features */
static void values_sum_to_the_output(void) {
  const int sizes[] = {20, 27, 100, 300, 700};
  for (int k = 0; k < COUNT(sizes); k++)
    for (int sparse = 0; sparse < 2; sparse++) {
      test_about("%d features, sparse %d", sizes[k], sparse);
      const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {2.0 / sizes[k]}};
      fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &kernel, sparse, 35, 2, sizes[k], k % 2 ? 3 : 1);
      double *out = values(s, 1);
      for (int i = 0; i < 2; i++)
        for (int m = 0; m < MACHINES; m++) {
          double sum = 0;
          for (int g = 0; g < s->model.groups; g++) sum += out[i + 2 * (g + s->model.groups * m)];
          CHECK_NEAR(sum, output_of(s, i, m, 0, 1), 1e-12);
        }
      free(out);
      fixture_free(s);
    }
}

/* Features with equal factors share what they do together; equal values are worth exactly nothing. */
static void equal_features_have_equal_values(void) {
  enum { D = 180 };
  const osvm_kernel kernel = {.info = &osvm_kernel_laplacian, .params = {0.3}};
  fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &kernel, 0, 1, 1, D, 1);
  for (int f = 0; f < D; f++) s->m.x[f] = s->sv.x[f] + (f % 3 > 0);
  double *out = values(s, 1);
  const double all = s->coef[0] * expm1(-0.3 * D * 2 / 3);
  for (int f = 0; f < D; f++) CHECK_NEAR(out[f], f % 3 ? all / (D * 2 / 3) : 0, f % 3 ? 1e-13 : 0);
  free(out);
  fixture_free(s);
}

static void weights_count_by_the_value(void) {
  for (int sparse = 0; sparse < 2; sparse++)
    for (int unit_norm = 0; unit_norm < 2; unit_norm++) {
      fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &linear, sparse, 0, 7, 5, 1);
      s->model.unit_norm = unit_norm;
      double *out = values(s, 1);
      for (int i = 0; i < 7; i++) {
        double norm = 0;
        for (int f = 0; f < 5; f++) norm += pow(s->m.x[i + 7 * f], 2);
        for (int f = 0; f < 5; f++)
          for (int m = 0; m < MACHINES; m++)
            CHECK_NEAR(out[i + 7 * (f + 5 * m)],
                       s->coef[f + 5 * m] * s->m.x[i + 7 * f] / (unit_norm && norm > 0 ? sqrt(norm) : 1), 1e-14);
      }
      free(out);
      fixture_free(s);
    }
}

static void threads_make_no_difference(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &gaussian, sparse, 70, 100, 9, 2);
    double *one = values(s, 1), *more = values(s, 3);
    CHECK(memcmp(one, more, (size_t)100 * s->model.groups * MACHINES * sizeof(double)) == 0);
    free(one);
    free(more);
    fixture_free(s);
  }
}

static void nothing_in_nothing_out(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *none = fixture_open(osvm_simd_double(TEST_LEVEL), &gaussian, sparse, 0, 5, 3, 1);
    fixture *empty = fixture_open(osvm_simd_double(TEST_LEVEL), &gaussian, sparse, 4, 0, 3, 1);
    double *out = values(none, 2);
    for (int k = 0; k < 5 * 3 * MACHINES; k++) CHECK(out[k] == 0);
    free(out);
    free(values(empty, 2));
    fixture_free(none);
    fixture_free(empty);
  }
}

static int stop(void *user, double done) {
  CHECK(done >= 0 && done <= 1);
  return --*(int *)user < 0;
}

static void polls_can_interrupt(void) {
  fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &gaussian, 0, 400, 200, 40, 1);
  double *out = calloc(200 * 40 * MACHINES, sizeof(double));
  int stopped = 0;
  for (int polls = 0; polls < 4; polls++) {
    int left = polls;
    const osvm_progress progress = host_progress(stop, &left);
    stopped += osvm_shapley_values(&s->model, s->store.simd, &s->data, 1, &progress, out, NULL) == OSVM_INTERRUPTED;
  }
  CHECK(stopped == 4);
  free(out);
  fixture_free(s);
}

static void misfits_are_refused(void) {
  const osvm_kernel polynomial = all_kernels[kernel_polynomial];
  fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &polynomial, 0, 5, 9, 4, 1);
  double out[9 * 5 * MACHINES] = {0};
  osvm_error error = {NULL};
  CHECK(osvm_shapley_values(&s->model, s->store.simd, &s->data, 1, &no_poll, out, &error) == OSVM_INVALID);
  CHECK(error.text != NULL);
  s->model.kernel = &gaussian;
  matrix wide = matrix_normal(9, 5, 1);
  const osvm_data wider = matrix_view(&wide, OSVM_DOUBLES);
  CHECK(osvm_shapley_values(&s->model, s->store.simd, &wider, 1, &no_poll, out, &error) == OSVM_INVALID);
  matrix_free(&wide);
  fixture_free(s);
}

/* Whichever allocation fails, the status says so and nothing is left. */
static void a_lack_of_memory_is_reported(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), &gaussian, sparse, 20, 30, 40, 1);
    double *out = calloc(30 * 40 * MACHINES, sizeof(double));
    const long live = memory.live;
    osvm_status status = OSVM_NO_MEMORY;
    for (long k = 0; status != OSVM_OK && k < 1000; k++) {
      osvm_error error = {NULL};
      memory_fail(memory.calls + k, memory.calls + k + 1);
      status = osvm_shapley_values(&s->model, s->store.simd, &s->data, 1, &no_poll, out, &error);
      memory_fail(-1, -1);
      CHECK(status == OSVM_OK || (status == OSVM_NO_MEMORY && error.text != NULL));
      CHECK(memory.live == live);
    }
    CHECK(status == OSVM_OK);
    free(out);
    fixture_free(s);
  }
}

void test_shapley(void) {
  RUN(values_are_means_over_subsets);
  RUN(values_sum_to_the_output);
  RUN(equal_features_have_equal_values);
  RUN(weights_count_by_the_value);
  RUN(threads_make_no_difference);
  RUN(nothing_in_nothing_out);
  RUN(polls_can_interrupt);
  RUN(misfits_are_refused);
  RUN(a_lack_of_memory_is_reported);
}
