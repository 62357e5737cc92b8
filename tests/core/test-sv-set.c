/* Support-vector sets: slots and columns of a machine, kernel rows within a byte bound, sets that share support vectors. */
#include "../../src/sv-set.h"

#include "test.h"

enum { N = 120, D = 6, MACHINES = 3, STEPS = 450 };
static const osvm_column kinds[] = {{.real = 0}, {.real = 1, .idle = -INFINITY}, {.real = 1, .idle = 1}};

typedef struct {
  matrix m;
  osvm_data data;
  osvm_kernel kernel;
  osvm_store whole;
  osvm_shared_sv shared;
  double evaluations;
  int machines;
  osvm_sv_set sv_set[MACHINES];
  double *K;
  double tag[MACHINES][N]; /* expected value of column 0; 0: not a support vector */
} fixture;

static fixture *fixture_open(const osvm_simd *simd, int sparse, const osvm_kernel *kernel, int machines, size_t bytes) {
  fixture *s = calloc(1, sizeof *s);
  s->m = matrix_normal(N, D, sparse ? 0.4 : 1);
  s->data = matrix_view(&s->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  s->kernel = *kernel;
  s->machines = machines;
  s->K = malloc(sizeof(double) * N * N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) s->K[i + j * N] = s->K[j + i * N] = plain_kernel(kernel, &s->data, i, &s->data, j);
  CHECK(osvm_store_open(&s->whole, simd, OSVM_PANELS, sparse, D, N, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s->whole, &s->data, NULL, N, NULL) == OSVM_OK);
  CHECK(osvm_shared_sv_open(&s->shared, &s->kernel, &s->whole, machines, NULL) == OSVM_OK);
  s->shared.rows.evaluations = &s->evaluations;
  for (int m = 0; m < machines; m++)
    CHECK(osvm_sv_set_open(&s->sv_set[m], &s->shared, kinds, COUNT(kinds), bytes, NULL) == OSVM_OK);
  return s;
}

static void fixture_free(fixture *s) {
  for (int m = 0; m < s->machines; m++) osvm_sv_set_close(&s->sv_set[m]);
  osvm_shared_sv_close(&s->shared);
  osvm_store_close(&s->whole);
  matrix_free(&s->m);
  free(s->K);
  free(s);
}

static int example_in(const osvm_sv_set *c, int slot) {
  return c->shared_slot[slot] < 0 ? -1 : c->shared->example[c->shared_slot[slot]];
}

static void check_row(const fixture *s, int m, int i, const void *row) {
  const osvm_sv_set *c = &s->sv_set[m];
  const osvm_simd *simd = s->whole.simd;
  for (int slot = 0; slot < osvm_sv_set_padded(c); slot++) {
    const double got = value_get(simd, row, slot);
    CHECK(isfinite(got));
    if (slot >= c->n || example_in(c, slot) < 0) continue;
    const double want = s->K[i + (size_t)example_in(c, slot) * N];
    CHECK_NEAR(got, want, 100 * value_epsilon(simd) * (1 + fabs(want)));
  }
}

static void check_set(const fixture *s, int m) {
  const osvm_sv_set *c = &s->sv_set[m];
  const osvm_simd *simd = s->whole.simd;
  int count = 0, rows = 0;
  for (int i = 0; i < N; i++) {
    const int slot = osvm_sv_set_slot(c, i);
    CHECK((slot >= 0) == (s->tag[m][i] != 0));
    count += slot >= 0;
    if (slot >= 0) CHECK(example_in(c, slot) == i && osvm_sv_set_doubles(c, 0)[slot] == s->tag[m][i]);
  }
  CHECK(c->count == count && c->n <= c->capacity && c->capacity % simd->width == 0);
  for (int slot = 0; slot < c->capacity; slot++) {
    const int cached = c->cache.slab != NULL && osvm_cache_has(&c->cache, slot);
    rows += cached;
    if (slot < c->n && c->shared_slot[slot] >= 0) continue;
    CHECK(!cached && osvm_sv_set_doubles(c, 0)[slot] == 0);
    CHECK(value_get(simd, c->column[1], slot) == -INFINITY && value_get(simd, c->column[2], slot) == 1);
  }
  const size_t least = OSVM_TOGETHER * (N + simd->width) * simd->size, bound = c->bytes > least ? c->bytes : least;
  CHECK(rows * c->cache.row_bytes <= c->cache.bytes && c->cache.bytes <= bound);
  CHECK(rows == 0 || c->cache.row_bytes == c->capacity * simd->size);
}

static void insert(fixture *s, int m, int i, int without_row) {
  osvm_sv_set *c = &s->sv_set[m];
  int slot = -1;
  if (without_row) {
    CHECK(osvm_sv_set_add(c, i, &slot, NULL) == OSVM_OK);
  } else {
    const int next[] = {i, random_below(N), random_below(N)};
    const void *row;
    CHECK(osvm_sv_set_candidate_row(c, next, 1 + random_below(3), &row, NULL) == OSVM_OK);
    check_row(s, m, i, row);
    CHECK(osvm_sv_set_insert(c, i, &slot, NULL) == OSVM_OK);
    CHECK(osvm_cache_has(&c->cache, slot));
  }
  CHECK(osvm_sv_set_doubles(c, 0)[slot] == 0 && value_get(s->whole.simd, c->column[1], slot) == -INFINITY);
  osvm_sv_set_doubles(c, 0)[slot] = s->tag[m][i] = 1 + random_uniform();
  value_set(s->whole.simd, c->column[1], slot, 3);
}

static void remove_sv(fixture *s, int m, int i) {
  osvm_sv_set_remove(&s->sv_set[m], osvm_sv_set_slot(&s->sv_set[m], i));
  s->tag[m][i] = 0;
}

static int random_sv(const fixture *s, int m) {
  int i = random_below(N);
  while (s->tag[m][i] == 0) i = (i + 1) % N;
  return i;
}

/* The set grows and shrinks in turn; a few rows are fetched at each step. */
static void enter_and_leave(fixture *s) {
  for (int t = 0; t < STEPS; t++) {
    const int m = random_below(s->machines), i = random_below(N), shrinking = t / 150 % 2;
    const osvm_sv_set *c = &s->sv_set[m];
    if (s->tag[m][i] == 0 && random_below(8) >= 6 * shrinking) insert(s, m, i, t < 20 || random_below(10) == 0);
    else if (s->tag[m][i] != 0 && (shrinking || random_below(6) == 0)) remove_sv(s, m, i);
    for (int k = random_below(3); k > 0 && c->count > 0; k--) {
      const int a = random_sv(s, m), b = random_sv(s, m);
      const void *first, *second;
      CHECK(osvm_sv_set_row((osvm_sv_set *)c, osvm_sv_set_slot(c, a), &first, NULL) == OSVM_OK);
      CHECK(osvm_sv_set_row((osvm_sv_set *)c, osvm_sv_set_slot(c, b), &second, NULL) == OSVM_OK);
      check_row(s, m, a, first);
      check_row(s, m, b, second);
    }
    for (int l = 0; l < s->machines; l++) check_set(s, l);
  }
  int in_use = 0;
  for (int m = 0; m < s->machines; m++)
    for (int i = 0; i < N; i++) in_use += s->tag[m][i] != 0 && (m == 0 || s->tag[m - 1][i] == 0);
  CHECK(in_use > 0);
}

static void support_vectors_enter_and_leave(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  const size_t bytes[] = {0, 5000, 40000, 1 << 20};
  for (int t = 0; t < count * 4; t++) {
    const osvm_simd *simd = tables[t / 4];
    const int sparse = t % 2, machines = t / 2 % 2 ? MACHINES : 1;
    const size_t bound = bytes[(t + t / 4) % 4];
    test_about("%s, %d bytes, sparse %d, machines %d, bound %d", simd->name, (int)simd->size, sparse, machines,
               (int)bound);
    fixture *s = fixture_open(simd, sparse, &all_kernels[t % 3], machines, bound);
    enter_and_leave(s);
    CHECK(machines > 1 || s->sv_set[0].capacity > 64);
    fixture_free(s);
  }
}

/* A cached row is completed from the rows of support vectors that entered later: no kernel value is computed twice. */
static void cached_rows_complete_each_other(void) {
  fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), 0, &all_kernels[RBF], 1, 1 << 20);
  const void *row;
  for (int i = 0; i < 60; i++) insert(s, 0, i, 0);
  const double before = s->evaluations;
  for (int i = 0; i < 60; i++) {
    CHECK(osvm_sv_set_row(&s->sv_set[0], osvm_sv_set_slot(&s->sv_set[0], i), &row, NULL) == OSVM_OK);
    check_row(s, 0, i, row);
  }
  CHECK(s->evaluations == before);
  fixture_free(s);
}

/* Sums of up to nine rows, with room for no more than are used together */
static void rows_are_added(void) {
  enum { MOST = 9 };
  for (int sparse = 0; sparse < 2; sparse++) {
    fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), sparse, &all_kernels[RBF], 1, sparse ? 1 << 20 : 0);
    osvm_sv_set *c = &s->sv_set[0];
    for (int i = 0; i < 40; i++) insert(s, 0, i, 1);
    for (int count = 0; count <= MOST; count++) {
      int slots[MOST];
      double factors[MOST], sum[64];
      for (int k = 0; k < count; k++) {
        slots[k] = osvm_sv_set_slot(c, random_sv(s, 0));
        factors[k] = random_uniform() - 0.5;
      }
      for (int slot = 0; slot < c->n; slot++) sum[slot] = slot;
      CHECK(osvm_sv_set_add_rows(c, slots, count, factors, sum, NULL) == OSVM_OK);
      for (int slot = 0; slot < c->n; slot++) {
        double want = slot;
        for (int k = 0; k < count; k++)
          want += factors[k] * s->K[example_in(c, slots[k]) + (size_t)example_in(c, slot) * N];
        CHECK_NEAR(sum[slot], want, 1e-12);
      }
    }
    fixture_free(s);
  }
}

/* ---- draws ---- */

static void draws_are_uniform_and_independent(void) {
  enum { DRAWS = 40000, SUPPORT = 8 };
  fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), 0, &all_kernels[RBF], 2, 10000);
  int seen[N] = {0}, both = 0;
  for (int i = 0; i < 30; i++) insert(s, 0, i, 1);
  for (int i = 22; i < 40; i++) insert(s, 1, i, 1);
  for (int i = 30; i < 40; i++) remove_sv(s, 1, i);
  for (int step = 0; step < DRAWS; step++) {
    const int a = osvm_sv_set_draw(&s->sv_set[1], 7, step, 1), b = osvm_sv_set_draw(&s->sv_set[1], 7, step, 2);
    CHECK(a == osvm_sv_set_draw(&s->sv_set[1], 7, step, 1));
    seen[example_in(&s->sv_set[1], a)]++;
    both += a == b;
  }
  for (int i = 22; i < 30; i++) CHECK_NEAR(seen[i], DRAWS / SUPPORT, 350); /* five standard deviations */
  CHECK_NEAR(both, DRAWS / SUPPORT, 350);                                  /* streams are independent */
  fixture_free(s);
}

/* The same support vectors in the same order: a set from which others were removed, and a new one. */
static void draws_do_not_depend_on_slots(void) {
  for (int machines = 1; machines < 3; machines++) {
    fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), 0, &all_kernels[RBF], machines, 10000);
    fixture *fresh = fixture_open(osvm_simd_single(TEST_LEVEL), 0, &all_kernels[RBF], machines, 10000);
    for (int t = 0; t < 500; t++) {
      const int i = random_below(N), m = random_below(machines);
      if (s->tag[m][i] == 0) insert(s, m, i, t % 2);
      else remove_sv(s, m, i);
    }
    for (int k = 0; k < s->shared.count; k++)
      for (int m = 0; m < machines; m++) {
        const int i = s->shared.example[s->shared.order[k]];
        if (s->tag[m][i] != 0) insert(fresh, m, i, 1);
      }
    for (int step = 0; step < 1000; step++)
      for (int m = 0; m < machines; m++)
        CHECK(example_in(&s->sv_set[m], osvm_sv_set_draw(&s->sv_set[m], 3, step, m)) ==
              example_in(&fresh->sv_set[m], osvm_sv_set_draw(&fresh->sv_set[m], 3, step, m)));
    fixture_free(s);
    fixture_free(fresh);
  }
}

void test_sv_set(void) {
  RUN(support_vectors_enter_and_leave);
  RUN(cached_rows_complete_each_other);
  RUN(rows_are_added);
  RUN(draws_are_uniform_and_independent);
  RUN(draws_do_not_depend_on_slots);
}
