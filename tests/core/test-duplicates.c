/* Equal examples: what osvm_data_fold finds, against a comparison of every pair. */
#include "test.h"

enum { N = 60, D = 3, FEW = 7 };

static int equal_rows(const osvm_data *data, int a, int b) {
  for (int j = 0; j < data->d; j++)
    if (data_value(data, a, j) != data_value(data, b, j)) return 0;
  return 1;
}

static void check_folding(const osvm_examples *all) {
  int entry[N], first[N], different = 0;
  osvm_folding folding = {entry, first, 0};
  osvm_error error = {NULL};
  CHECK(osvm_data_fold(all, &folding, &error) == OSVM_OK);
  for (int k = 0; k < all->count; k++) {
    int same = 0;
    while (same < k &&
           !(equal_rows(all->data, all->rows[same], all->rows[k]) && all->class_of[same] == all->class_of[k] &&
             (all->weight == NULL || all->weight[same] == all->weight[k])))
      same++;
    if (same == k) CHECK(first[different++] == k);
    CHECK(first[entry[k]] == same);
  }
  CHECK(folding.count == different);
}

static void equal_examples_are_one_entry(void) {
  static const osvm_data_kind kinds[] = {OSVM_DOUBLES, OSVM_INTEGERS, OSVM_SPARSE};
  matrix different = matrix_whole(FEW, D, 0.6);
  int of[N], rows[N], class_of[N];
  double weight[N];
  for (int i = 0; i < N; i++) {
    of[i] = random_below(FEW);
    class_of[i] = random_below(2);
    weight[i] = 1 + random_below(2);
  }
  matrix m = matrix_rows(&different, of, N);
  random_order(rows, N);
  for (int k = 0; k < COUNT(kinds); k++) {
    const osvm_data data = matrix_view(&m, kinds[k]);
    test_about("kind %d", k);
    check_folding(&(osvm_examples){&data, rows, N, class_of, NULL});
    check_folding(&(osvm_examples){&data, rows, N, class_of, weight});
    check_folding(&(osvm_examples){&data, rows, N / 2, class_of, NULL});
  }
  matrix_free(&m);
  matrix_free(&different);
}

/* -0 is 0, and a zero that a sparse matrix stores is one that it leaves out. */
static void zeros_are_equal(void) {
  const double x[] = {0.0, -0.0, 0.0, -0.0}, stored[] = {0, 1, 1};
  const int start[] = {0, 1, 3}, row[] = {0, 0, 1}, rows[] = {0, 1}, class_of[] = {0, 0};
  const osvm_data dense = {.kind = OSVM_DOUBLES, .n = 2, .d = 2, .x = x};
  const osvm_data sparse = {.kind = OSVM_SPARSE, .n = 2, .d = 2, .x = stored, .start = start, .row = row};
  check_folding(&(osvm_examples){&dense, rows, 2, class_of, NULL});
  check_folding(&(osvm_examples){&sparse, rows, 2, class_of, NULL});
}

/* Fewer repeats than half: the count of the examples. */
static void few_repeats_are_left(void) {
  matrix m = matrix_normal(N, D, 1);
  int rows[N], class_of[N] = {0}, entry[N], first[N];
  for (int i = 0; i < N; i++) rows[i] = i;
  for (int j = 0; j < D; j++) m.x[j * N + 1] = m.x[j * N];
  const osvm_data data = matrix_view(&m, OSVM_DOUBLES);
  osvm_folding folding = {entry, first, 0};
  CHECK(osvm_data_fold(&(osvm_examples){&data, rows, N, class_of, NULL}, &folding, NULL) == OSVM_OK);
  CHECK(folding.count == N);
  matrix_free(&m);
}

void test_duplicates(void) {
  RUN(equal_examples_are_one_entry);
  RUN(zeros_are_equal);
  RUN(few_repeats_are_left);
}
