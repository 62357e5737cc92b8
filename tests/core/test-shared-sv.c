/* Shared support vectors: slots, references, and kernel rows against them while they enter and leave. */
#include "../../src/sv-shared.h"

#include "test.h"

enum { N = 110, D = 36, STEPS = 400 };

/* ---- generations ---- */

static void generations_since(void) {
  enum { SLOTS = 300, NOTES = 3 * OSVM_RECENT };
  uint64_t added[SLOTS] = {0};
  int which[SLOTS + OSVM_RECENT], history[NOTES];
  osvm_generations generations = {.added = added};
  for (int t = 0; t < NOTES; t++) {
    history[t] = random_below(SLOTS);
    osvm_generations_add(&generations, history[t]);
    CHECK(generations.now == (uint64_t)t + 1 && added[history[t]] == generations.now);
    for (int back = 0; back <= t + 1; back += back < 3 || (back > OSVM_RECENT - 3 && back < OSVM_RECENT + 3) ? 1 : 41) {
      int want[SLOTS] = {0}, got[SLOTS] = {0};
      const int count = osvm_generations_since(&generations, t + 1 - back, SLOTS, which);
      CHECK(count <= back);
      for (int k = t + 1 - back; k <= t; k++) want[history[k]] = 1;
      for (int k = 0; k < count; k++) got[which[k]] = 1;
      CHECK(memcmp(want, got, sizeof want) == 0);
    }
  }
}

/* ---- slots ---- */

typedef struct {
  matrix m;
  osvm_data data;
  osvm_kernel kernel;
  osvm_store whole;
  osvm_shared_sv shared;
  double evaluations;
  double *K;
  int list[N], count, references[N]; /* what it should hold */
} fixture;

static fixture *fixture_open(const osvm_simd *simd, int sparse, const osvm_kernel *kernel, int d) {
  fixture *s = calloc(1, sizeof *s);
  s->m = matrix_normal(N, d, sparse ? 0.2 : 1);
  s->data = matrix_view(&s->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  s->kernel = *kernel;
  s->K = malloc(sizeof(double) * N * N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) s->K[i + j * N] = s->K[j + i * N] = plain_kernel(kernel, &s->data, i, &s->data, j);
  CHECK(osvm_store_open(&s->whole, simd, OSVM_PANELS, sparse, d, N, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&s->whole, &s->data, NULL, N, NULL) == OSVM_OK);
  CHECK(osvm_shared_sv_open(&s->shared, &s->kernel, &s->whole, 2, NULL) == OSVM_OK);
  s->shared.rows.evaluations = &s->evaluations;
  return s;
}

static void fixture_free(fixture *s) {
  osvm_shared_sv_close(&s->shared);
  osvm_store_close(&s->whole);
  matrix_free(&s->m);
  free(s->K);
  free(s);
}

static void acquire(fixture *s, int i) {
  int slot = -1;
  CHECK(osvm_shared_sv_acquire(&s->shared, i, &slot, NULL) == OSVM_OK);
  CHECK(slot == s->shared.slot[i] && s->shared.example[slot] == i);
  if (s->references[i]++ == 0) s->list[s->count++] = i;
}

static void release(fixture *s, int i) {
  osvm_shared_sv_release(&s->shared, s->shared.slot[i]);
  if (--s->references[i] > 0) return;
  int at = 0;
  while (s->list[at] != i) at++;
  s->list[at] = s->list[--s->count];
}

static void check_slots(const fixture *s) {
  const osvm_shared_sv *shared = &s->shared;
  CHECK(shared->count == s->count && shared->store.n - shared->n_free == s->count);
  for (int k = 0; k < s->count; k++) {
    const int slot = shared->order[k];
    CHECK(shared->example[slot] == s->list[k] && shared->rank[slot] == k &&
          shared->references[slot] == s->references[s->list[k]]);
  }
  for (int i = 0; i < N; i++) CHECK((shared->slot[i] >= 0) == (s->references[i] > 0));
}

static void check_row(const fixture *s, int i, const void *row) {
  const osvm_simd *simd = s->whole.simd;
  for (int k = 0; k < s->count; k++) {
    const double want = s->K[i + (size_t)s->list[k] * N];
    const double got = value_get(simd, row, s->shared.slot[s->list[k]]);
    CHECK_NEAR(got, want, 100 * value_epsilon(simd) * (1 + fabs(want)));
  }
  const int width = simd->width;
  for (int slot = 0; slot < (s->shared.store.n + width - 1) / width * width; slot++)
    CHECK(isfinite(value_get(simd, row, slot)));
}

static void for_all(void (*test)(fixture *s)) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count * 4; t++) {
    const int sparse = t % 2, k = t / 2 % 2 ? RBF : t % 3;
    test_about("%s, %d bytes, sparse %d, kernel %d", tables[t / 4]->name, (int)tables[t / 4]->size, sparse, k);
    fixture *s = fixture_open(tables[t / 4], sparse, &all_kernels[k], t / 2 % 2 ? D : 5);
    test(s);
    fixture_free(s);
  }
}

/* Rows for visits in order, several at a time, with additions and removals between them. */
static void check_visits(fixture *s) {
  int order[N + OSVM_QUERIES];
  random_order(order, N);
  memcpy(order + N, order, OSVM_QUERIES * sizeof(int));
  for (int t = 0; t < STEPS; t++) {
    const int *next = order + t % N, count = 1 + (t / 50) % OSVM_QUERIES;
    const void *row;
    CHECK(osvm_shared_sv_row(&s->shared, next, count, &row, NULL) == OSVM_OK);
    check_row(s, next[0], row);
    if (t % 3 == 0) acquire(s, next[0]);
    for (int k = random_below(5); k > 0 && t < 300; k--) acquire(s, random_below(N));
    for (int k = random_below(t < 200 ? 3 : 7); k > 0 && s->count > 0; k--) release(s, s->list[random_below(s->count)]);
    check_slots(s);
    if (t % 5 == 0) { /* the same again, after the additions */
      CHECK(osvm_shared_sv_row(&s->shared, next, count, &row, NULL) == OSVM_OK);
      check_row(s, next[0], row);
    }
    if (s->count == 0) continue;
    const int i = s->list[random_below(s->count)], n = s->shared.store.n;
    const int some[] = {random_below(n), random_below(n), random_below(n)};
    const double before = s->evaluations;
    if (t % 2 == 0) {
      osvm_shared_sv_own_row(&s->shared, s->shared.slot[i]);
      check_row(s, i, s->shared.row);
      CHECK(s->evaluations - before == s->count); /* free slots do not count */
      continue;
    }
    osvm_shared_sv_own_values(&s->shared, s->shared.slot[i], some, COUNT(some));
    CHECK(s->evaluations - before == COUNT(some));
    for (int k = 0; k < COUNT(some); k++)
      if (s->shared.example[some[k]] >= 0)
        CHECK_NEAR(value_get(s->whole.simd, s->shared.row, some[k]), s->K[i + (size_t)s->shared.example[some[k]] * N],
                   1e-3);
  }
  CHECK(s->shared.capacity > 64); /* it has grown on the way */
}

static void rows_ahead_of_visits(void) { for_all(check_visits); }

/* More additions than the ring holds, while a row is in the lookahead. */
static void check_long_wait(fixture *s) {
  const int next[] = {1, 2, 3, 4};
  const void *row;
  for (int k = 0; k < 20; k++) acquire(s, random_below(N));
  CHECK(osvm_shared_sv_row(&s->shared, next, 4, &row, NULL) == OSVM_OK);
  for (int k = 0; k < OSVM_RECENT + 50; k++) {
    while (s->count > 15) release(s, s->list[random_below(s->count)]);
    acquire(s, random_below(N));
  }
  CHECK(s->shared.capacity <= 64 && s->shared.generations.now > 2 * 20 + OSVM_RECENT / 2);
  for (int q = 1; q < 4; q++) {
    CHECK(osvm_shared_sv_row(&s->shared, next + q, 1, &row, NULL) == OSVM_OK);
    check_row(s, next[q], row);
  }
}

static void many_additions_after_a_lookahead(void) { for_all(check_long_wait); }

static void lookahead_rows_cost_nothing(void) {
  fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), 0, &all_kernels[RBF], D);
  const int next[] = {1, 2, 3, 4};
  const void *row;
  for (int i = 20; i < 50; i++) acquire(s, i);
  CHECK(osvm_shared_sv_row(&s->shared, next, 4, &row, NULL) == OSVM_OK);
  CHECK(s->evaluations == 4 * 30);
  for (int q = 0; q < 4; q++) CHECK(osvm_shared_sv_row(&s->shared, next + q, 4 - q, &row, NULL) == OSVM_OK);
  CHECK(s->evaluations == 4 * 30);
  acquire(s, 50); /* one more each, once */
  for (int q = 0; q < 8; q++) CHECK(osvm_shared_sv_row(&s->shared, next + q % 4, 1, &row, NULL) == OSVM_OK);
  CHECK(s->evaluations == 4 * 31);
  fixture_free(s);
}

void test_shared_sv(void) {
  RUN(generations_since);
  RUN(rows_ahead_of_visits);
  RUN(many_additions_after_a_lookahead);
  RUN(lookahead_rows_cost_nothing);
}
