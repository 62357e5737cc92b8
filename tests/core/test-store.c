/* The store holds the examples appended to it, in every layout and precision. */
#include "../../src/data-pack.h"
#include "test.h"

typedef struct {
  const osvm_simd *simd;
  osvm_layout layout;
  int sparse;          /* the store */
  osvm_data_kind kind; /* the data */
} variety;

static void for_all_varieties(void (*test)(const variety *v)) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int layout = OSVM_PANELS; layout <= OSVM_ROWS; layout++)
      for (int k = 0; k < 6; k++) {
        const int kind = k % 3, sparse = k / 3;
        test_about("%s, %d bytes, layout %d, sparse %d, kind %d", tables[t]->name, (int)tables[t]->size, layout, sparse,
                   kind);
        test(&(variety){tables[t], layout, sparse, kind});
      }
}

static osvm_store opened(const variety *v, int d, int capacity) {
  osvm_store store;
  CHECK(osvm_store_open(&store, v->simd, v->layout, v->sparse, d, capacity, NULL) == OSVM_OK);
  return store;
}

/* Example i of the store is row r of the data. */
static void check_example(const osvm_store *store, int i, const osvm_data *data, int r) {
  const osvm_simd *s = store->simd;
  void *buffer = malloc(store->d * s->size);
  const osvm_query q = osvm_store_query(store, i, buffer);
  double norm = 0, absolute = 0;
  for (int f = 0, k = 0; f < store->d; f++) {
    const double want = data_value(data, r, f);
    double got = 0;
    if (!store->sparse) got = value_get(s, q.dense, f);
    else if (k < q.length && q.column[k] == f) got = value_get(s, q.value, k++);
    CHECK_NEAR(got, want, value_epsilon(s) * fabs(want));
    norm += want * want;
    absolute += fabs(want);
  }
  CHECK_NEAR(q.norm, norm, 4 * value_epsilon(s) * norm);
  CHECK(store->norm[i] == q.norm);
  if (store->sparse) CHECK_NEAR(q.absolute, absolute, 4 * value_epsilon(s) * absolute);
  free(buffer);
}

static void check_examples(const osvm_store *store, const osvm_data *data, const int *rows, int count) {
  CHECK(store->n == count);
  for (int i = 0; i < store->n; i++) check_example(store, i, data, rows ? rows[i] : i);
}

enum { N = 41, D = 6 };
static const double centre[D] = {0.5, -1, 0, 3, 2, 1e-3}, scale[D] = {3, 0.1, 1, 7, 2, 0.3};

static osvm_data scaled_view(const matrix *m, osvm_data_kind kind) {
  osvm_data data = matrix_view(m, kind);
  data.scale = scale;
  if (kind != OSVM_SPARSE) data.centre = centre;
  return data;
}

static void check_packing(const variety *v) {
  matrix m = matrix_whole(N, D, 0.5);
  const osvm_data data = scaled_view(&m, v->kind), bare = matrix_view(&m, v->kind);
  int rows[N];
  random_order(rows, N);
  osvm_store store = opened(v, D, N);
  CHECK(osvm_store_append(&store, &data, rows, 17, NULL) == OSVM_OK);
  check_examples(&store, &data, rows, 17);
  osvm_store_close(&store);
  store = opened(v, D, N);
  CHECK(osvm_store_append(&store, &bare, NULL, N, NULL) == OSVM_OK);
  check_examples(&store, &bare, NULL, N);
  osvm_store_close(&store);
  matrix_free(&m);
}

static void packs_rows_in_order_and_scaled(void) { for_all_varieties(check_packing); }

/* Cleared and filled again with fewer examples, of another matrix, from its middle and in any order. */
static void check_clearing(const variety *v) {
  matrix m = matrix_whole(N, D, 0.5), other = matrix_whole(N, D, 0.5);
  const osvm_data data = scaled_view(&m, v->kind), next = scaled_view(&other, v->kind);
  int rows[9], order[9];
  random_order(order, 9);
  for (int k = 0; k < 9; k++) rows[k] = 11 + 2 * order[k];
  osvm_store store = opened(v, D, N);
  CHECK(osvm_store_append(&store, &data, NULL, N, NULL) == OSVM_OK);
  CHECK(osvm_store_index(&store, NULL) == OSVM_OK);
  osvm_store_clear(&store);
  CHECK(store.n == 0 && store.index_start == NULL);
  CHECK(osvm_store_append(&store, &next, rows, 9, NULL) == OSVM_OK);
  check_examples(&store, &next, rows, 9);
  osvm_store_close(&store);
  matrix_free(&m);
  matrix_free(&other);
}

static void is_cleared_and_filled_again(void) { for_all_varieties(check_clearing); }

/* Dense panels of a sparse matrix are those of the same numbers as a dense matrix, bit by bit. */
static void check_same_panels(const variety *v) {
  matrix m = matrix_normal(N, D, 0.5);
  const osvm_data kinds[] = {matrix_view(&m, OSVM_DOUBLES), matrix_view(&m, OSVM_SPARSE)};
  osvm_data scaled[] = {kinds[0], kinds[1]};
  int rows[N];
  random_order(rows, N);
  osvm_store store[2];
  for (int k = 0; k < 2; k++) {
    scaled[k].scale = scale;
    store[k] = opened(v, D, 0);
    CHECK(osvm_store_append(&store[k], &kinds[k], rows, 20, NULL) == OSVM_OK);
    CHECK(osvm_store_append(&store[k], &scaled[k], NULL, N, NULL) == OSVM_OK);
  }
  const size_t width = store[0].width, panels = (20 + N + width - 1) / width;
  CHECK(memcmp(store[0].norm, store[1].norm, (20 + N) * sizeof(double)) == 0);
  if (!v->sparse) CHECK(memcmp(store[0].dense, store[1].dense, panels * width * D * v->simd->size) == 0);
  else CHECK(store[0].used == store[1].used && !memcmp(store[0].value, store[1].value, store[0].used * v->simd->size));
  for (int k = 0; k < 2; k++) osvm_store_close(&store[k]);
  matrix_free(&m);
}

static void the_class_of_the_matrix_makes_no_difference(void) { for_all_varieties(check_same_panels); }

/* Rows that are stored one by one have none. */
static void check_unused_lanes(const osvm_store *store) {
  if (store->sparse || store->width == 1) return;
  const size_t width = store->width, panels = (store->capacity + width - 1) / width;
  for (size_t i = store->n; i < panels * width; i++)
    for (int f = 0; f < store->d; f++)
      CHECK(value_get(store->simd, store->dense, (i / width * store->d + f) * width + i % width) == 0);
}

static void check_growth(const variety *v) {
  matrix m = matrix_whole(N, D, 0.5);
  const osvm_data data = scaled_view(&m, v->kind);
  int rows[N];
  random_order(rows, N);
  osvm_store store = opened(v, D, 0);
  const int pieces[] = {0, 1, 2, 0, 9, 5, 24};
  for (int p = 0, at = 0; p < COUNT(pieces); at += pieces[p++]) {
    CHECK(osvm_store_append(&store, &data, rows + at, pieces[p], NULL) == OSVM_OK);
    check_unused_lanes(&store);
  }
  check_examples(&store, &data, rows, N);
  osvm_store_close(&store);
  matrix_free(&m);
}

static void grows_in_pieces(void) { for_all_varieties(check_growth); }

static void check_index(osvm_store *store) {
  CHECK(osvm_store_index(store, NULL) == OSVM_OK);
  if (!store->sparse) {
    CHECK(store->index_start == NULL);
    return;
  }
  size_t seen = 0;
  CHECK(store->index_start[0] == 0);
  for (int i = 0; i < store->n; i++) {
    const osvm_query q = osvm_store_query(store, i, NULL);
    for (int k = 0; k < q.length; k++, seen++) {
      int found = 0;
      for (size_t p = store->index_start[q.column[k]]; p < store->index_start[q.column[k] + 1]; p++)
        found += store->index_row[p] == i &&
                 value_get(store->simd, store->index_value, p) == value_get(store->simd, q.value, k);
      CHECK(found == 1);
    }
  }
  CHECK(store->index_start[store->d] == seen);
  for (int f = 0; f < store->d; f++)
    for (size_t p = store->index_start[f] + 1; p < store->index_start[f + 1]; p++)
      CHECK(store->index_row[p - 1] < store->index_row[p]);
}

/* Kernel rows by column, through an index that may be outdated, equal those by row. */
static void check_rows(const osvm_store *store) {
  osvm_store bare = *store;
  bare.index_start = NULL;
  double work[N] = {0};
  char row[N * sizeof(double)], want[N * sizeof(double)];
  for (int k = 0; k < N_KERNELS && store->sparse; k++) {
    const osvm_query q = osvm_store_query(store, random_below(store->n), NULL);
    const int from = k % 2 ? random_below(store->n) : 0,
              to = k % 2 ? store->n - random_below(store->n - from) : store->n;
    osvm_kernel_row(&all_kernels[k], store, &q, from, to, work, row);
    osvm_kernel_row(&all_kernels[k], &bare, &q, from, to, work, want);
    for (int j = from % store->width; j < to - from / store->width * store->width; j++) {
      const double x = value_get(store->simd, want, j);
      CHECK_NEAR(value_get(store->simd, row, j), x, 40 * value_epsilon(store->simd) * (1 + fabs(x)));
    }
    for (int j = 0; j < N; j++) CHECK(work[j] == 0);
  }
}

static void check_putting(const variety *v) {
  matrix m = matrix_whole(N, D, 0.5);
  const osvm_data data = scaled_view(&m, v->kind);
  int rows[N], n = 0, outdated = 0, rebuilt = 0;
  osvm_store whole = opened(&(variety){v->simd, OSVM_PANELS, v->sparse, v->kind}, D, N), store = opened(v, D, 0);
  CHECK(osvm_store_append(&whole, &data, NULL, N, NULL) == OSVM_OK);
  for (int round = 0; round < 300; round++) {
    const int slot = n < N && random_below(3) == 0 ? n : random_below(n + (n == 0)), i = random_below(N);
    CHECK(osvm_store_put(&store, slot, &whole, i, NULL) == OSVM_OK);
    rows[slot] = i;
    n += slot == n;
    check_examples(&store, &data, rows, n);
    check_unused_lanes(&store);
    if (!store.sparse) continue;
    size_t live = 0;
    for (int j = 0; j < n; j++) live += store.row_length[j];
    CHECK(store.used <= store.room && live <= store.used);
    CHECK(store.room <= (size_t)N * D * 3 / 2 + D); /* compacted: all examples ever put are many more */
    const int stales = store.stales;
    if (round > 20 && round % 3 == 0) CHECK(osvm_store_index(&store, NULL) == OSVM_OK);
    outdated += store.stales > 0;
    rebuilt += store.stales < stales;
    check_rows(&store);
  }
  CHECK(!store.sparse || (outdated > 100 && rebuilt > 2));
  if (store.sparse) CHECK(osvm_store_append(&store, &data, NULL, N, NULL) == OSVM_OK); /* many: no index after that */
  CHECK(store.index_start == NULL && store.stales == 0);
  check_index(&store);
  osvm_store_close(&store);
  osvm_store_close(&whole);
  matrix_free(&m);
}

static void puts_examples_in_place(void) { for_all_varieties(check_putting); }

static void check_index_follows(const variety *v) {
  matrix m = matrix_whole(N, D, 0.3);
  const osvm_data data = matrix_view(&m, v->kind);
  int rows[N];
  random_order(rows, N);
  osvm_store store = opened(v, D, 0);
  check_index(&store); /* of nothing */
  for (int at = 0; at < N; at += 10) {
    CHECK(osvm_store_append(&store, &data, rows + at, at + 10 < N ? 10 : N - at, NULL) == OSVM_OK);
    check_rows(&store); /* the index lacks the examples appended since */
    osvm_store_drop_index(&store);
    check_index(&store);
    check_index(&store);
  }
  osvm_store_close(&store);
  matrix_free(&m);
}

static void the_index_lists_the_same_nonzeros(void) { for_all_varieties(check_index_follows); }

/* A random order of all, of which some stay; then the same number in their own order */
static void check_selection(const variety *v) {
  matrix m = matrix_whole(N, D, 0.3);
  const osvm_data data = scaled_view(&m, v->kind);
  for (int round = 0; round < 20; round++) {
    int order[N], before[N], rows[N], n = N;
    osvm_store store = opened(v, D, 0);
    CHECK(osvm_store_append(&store, &data, NULL, N, NULL) == OSVM_OK);
    CHECK(osvm_store_index(&store, NULL) == OSVM_OK);
    for (int k = 0; k < N; k++) rows[k] = k;
    while (n > 1) {
      const int count = 1 + random_below(n), shift = random_below(n - count + 1);
      random_order(order, n);
      for (int k = 0; k < n && round % 2; k++) order[k] = (k + shift) % n;
      memcpy(before, order, sizeof order);
      osvm_store_select(&store, order, count);
      CHECK(memcmp(before, order, n * sizeof(int)) == 0);
      int selected[N];
      for (int k = 0; k < count; k++) selected[k] = rows[order[k]];
      memcpy(rows, selected, count * sizeof(int));
      CHECK(store.n == count);
      check_examples(&store, &data, rows, count);
      check_unused_lanes(&store);
      check_rows(&store);
      n = count - (count == n);
      osvm_store_truncate(&store, n);
      check_examples(&store, &data, rows, n);
      check_unused_lanes(&store);
    }
    osvm_store_close(&store);
  }
  matrix_free(&m);
}

static void selects_in_place(void) { for_all_varieties(check_selection); }

static void check_misfits(const variety *v) {
  matrix m = matrix_whole(5, D, 0.5), wide = matrix_whole(5, D + 1, 0.5);
  const osvm_data data = matrix_view(&m, v->kind), wider = matrix_view(&wide, v->kind);
  osvm_error error = {NULL};
  osvm_store store = opened(v, D, 5);
  CHECK(osvm_store_append(&store, &data, NULL, 5, &error) == OSVM_OK);
  CHECK(osvm_store_append(&store, &wider, NULL, 5, &error) == OSVM_INVALID);
  CHECK(error.text != NULL);
  check_examples(&store, &data, NULL, 5);
  osvm_store_close(&store);
  matrix_free(&m);
  matrix_free(&wide);
}

static void refuses_what_does_not_fit(void) { for_all_varieties(check_misfits); }

static void check_primal(const variety *v) {
  if (v->layout == OSVM_PANELS && !v->sparse) return; /* primal stores have the layout OSVM_ROWS */
  matrix m = matrix_whole(N, D, 0.6);
  const osvm_data data = scaled_view(&m, v->kind);
  osvm_store store = opened(v, D, N);
  CHECK(osvm_store_append(&store, &data, NULL, N, NULL) == OSVM_OK);
  double weights[D], want[D];
  for (int f = 0; f < D; f++) weights[f] = want[f] = random_normal();
  for (int i = 0; i < N; i++) {
    double sum = 0, size = 0;
    for (int f = 0; f < D; f++) {
      sum += want[f] * data_value(&data, i, f);
      size += fabs(want[f] * data_value(&data, i, f));
    }
    const double tolerance = 4 * value_epsilon(v->simd);
    CHECK_NEAR(osvm_store_weigh(&store, i, want), sum, tolerance * size);
    osvm_store_add(&store, i, 0.25, weights);
    for (int f = 0; f < D; f++) CHECK_NEAR(weights[f], want[f] + 0.25 * data_value(&data, i, f), tolerance * 200);
    memcpy(want, weights, sizeof want);
  }
  osvm_store_close(&store);
  matrix_free(&m);
}

static void weighs_and_adds(void) { for_all_varieties(check_primal); }

static void check_normalising(const variety *v) {
  matrix m = matrix_whole(N, D, 0.4);
  for (int f = 0; f < D; f++) m.x[3 + f * N] = m.integers[3 + f * N] = 0; /* zeros stay zeros */
  const osvm_data data = matrix_view(&m, v->kind);
  osvm_store store = opened(v, D, N);
  CHECK(osvm_store_append(&store, &data, NULL, N, NULL) == OSVM_OK);
  osvm_store_normalise(&store, 0);
  for (int i = 0; i < N; i++) {
    double norm = 0, buffer[D];
    for (int f = 0; f < D; f++) norm += pow(data_value(&data, i, f), 2);
    const osvm_query q = osvm_store_query(&store, i, buffer);
    CHECK_NEAR(q.norm, norm > 0, 4 * value_epsilon(v->simd));
    for (int k = 0; k < q.length; k++) {
      const int f = store.sparse ? q.column[k] : k;
      const double want = norm > 0 ? data_value(&data, i, f) / sqrt(norm) : 0;
      CHECK_NEAR(value_get(v->simd, store.sparse ? q.value : q.dense, k), want, value_epsilon(v->simd));
    }
  }
  check_unused_lanes(&store);
  osvm_store_close(&store);
  matrix_free(&m);
}

static void normalises(void) { for_all_varieties(check_normalising); }

/* A store of doubles and rows is a matrix again. */
static void check_unpacking(const variety *v) {
  if (v->layout != OSVM_ROWS || v->simd->size != sizeof(double)) return;
  for (int n = 0; n <= N; n += N) {
    matrix m = matrix_whole(n, D, 0.4);
    const osvm_data data = matrix_view(&m, v->kind);
    osvm_data got = {.centre = centre};
    osvm_store store = opened(v, D, n);
    CHECK(osvm_store_append(&store, &data, NULL, n, NULL) == OSVM_OK);
    CHECK(osvm_store_unpack(&store, &got, NULL) == OSVM_OK);
    CHECK(got.n == n && got.d == D && got.centre == centre && (got.kind == OSVM_SPARSE) == v->sparse);
    got.centre = NULL;
    if (v->sparse) CHECK(osvm_data_check(&got, got.start[D], NULL) == OSVM_OK);
    check_examples(&store, &got, NULL, n);
    free((void *)got.x);
    osvm_store_close(&store);
    matrix_free(&m);
  }
}

static void unpacks(void) { for_all_varieties(check_unpacking); }

void test_store(void) {
  RUN(packs_rows_in_order_and_scaled);
  RUN(is_cleared_and_filled_again);
  RUN(the_class_of_the_matrix_makes_no_difference);
  RUN(grows_in_pieces);
  RUN(puts_examples_in_place);
  RUN(the_index_lists_the_same_nonzeros);
  RUN(selects_in_place);
  RUN(refuses_what_does_not_fit);
  RUN(weighs_and_adds);
  RUN(normalises);
  RUN(unpacks);
}
