/* Support-vector sets from one run to the next: settled and resumed, they are as if imported, but for the rows cached. */
#include "../../src/sv-sets.h"

#include "test.h"

enum { N = 150, D = 40, MACHINES = 3, FIRST = 40, ROUNDS = 12 };
static const osvm_column kinds[] = {{.name = "value"}, {.real = 1, .idle = -INFINITY}, {.idle = 2}};

typedef struct {
  matrix m;
  osvm_data data;
  osvm_store whole;
  osvm_sv_sets *sets;
  double evaluations;
  const osvm_kernel *kernel;
  int machines, used; /* used: examples of m that came so far */
  size_t bytes;
} fixture;

static void append(fixture *s, int count) {
  int rows[N];
  for (int k = 0; k < count; k++) rows[k] = s->used + k;
  CHECK(osvm_store_append(&s->whole, &s->data, rows, count, NULL) == OSVM_OK);
  s->used += count;
}

static osvm_sv_sets *open_sets(const fixture *s) {
  osvm_sv_sets *sets;
  CHECK(osvm_sv_sets_open(&sets, s->kernel, &s->whole, s->machines, kinds, COUNT(kinds), s->bytes, NULL) == OSVM_OK);
  return sets;
}

static fixture *fixture_open(const osvm_simd *simd, int sparse, const osvm_kernel *kernel, int machines, size_t bytes) {
  fixture *s = calloc(1, sizeof *s);
  s->m = matrix_normal(N, D, sparse ? 0.2 : 1);
  s->data = matrix_view(&s->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  s->kernel = kernel;
  s->machines = machines;
  s->bytes = bytes;
  CHECK(osvm_store_open(&s->whole, simd, OSVM_PANELS, sparse, D, 0, NULL) == OSVM_OK);
  append(s, FIRST);
  s->sets = open_sets(s);
  return s;
}

static void fixture_free(fixture *s) {
  osvm_sv_sets_close(s->sets);
  osvm_store_close(&s->whole);
  matrix_free(&s->m);
  free(s);
}

static void insert(osvm_sv_set *set, int i, double value) {
  const void *row;
  int slot;
  CHECK(osvm_sv_set_candidate_row(set, &i, 1, &row, NULL) == OSVM_OK);
  CHECK(osvm_sv_set_insert(set, i, &slot, NULL) == OSVM_OK);
  osvm_sv_set_doubles(set, 0)[slot] = value;
  osvm_sv_set_doubles(set, 2)[slot] = value;
  value_set(set->shared->store.simd, set->column[1], slot, value);
}

/* Examples that are not support vectors may become some, support vectors leave, rows are used. */
static void change_sets(fixture *s) {
  for (int i = 0; i < s->whole.n; i++)
    for (int m = 0; m < s->machines; m++) {
      osvm_sv_set *set = &s->sets->set[m];
      const int slot = osvm_sv_set_slot(set, i);
      const void *row;
      if (slot < 0 && random_below(4) > 0) insert(set, i, 1 + random_uniform());
      else if (slot >= 0 && random_below(12) == 0) osvm_sv_set_remove(set, slot);
      else if (slot >= 0 && random_below(2) == 0) CHECK(osvm_sv_set_row(set, slot, &row, NULL) == OSVM_OK);
    }
}

/* What a model keeps, in the shared order or by index; then, in order[], the other examples. Returns how many it keeps */
static int order_examples(const fixture *s, int by_index, int *order) {
  const osvm_shared_sv *shared = &s->sets->shared;
  int count = 0, all;
  for (int k = 0; k < shared->count && !by_index; k++) order[count++] = shared->example[shared->order[k]];
  for (int i = 0; i < s->whole.n && by_index; i++)
    if (shared->slot[i] >= 0) order[count++] = i;
  all = count;
  for (int i = 0; i < s->whole.n; i++)
    if (shared->slot[i] < 0) order[all++] = i;
  return count;
}

static void check_as_imported(fixture *s, int count) {
  osvm_sv_sets *fresh = open_sets(s);
  const osvm_simd *simd = s->whole.simd;
  for (int i = 0; i < count; i++)
    for (int m = 0; m < s->machines; m++) {
      const int slot = osvm_sv_set_slot(&s->sets->set[m], i);
      int imported;
      if (slot < 0) continue;
      CHECK(osvm_sv_set_add(&fresh->set[m], i, &imported, NULL) == OSVM_OK);
      CHECK(imported == slot);
    }
  CHECK(fresh->shared.count == count && s->sets->shared.count == count && s->sets->shared.store.n == count);
  for (int k = 0; k < count; k++)
    CHECK(s->sets->shared.order[k] == fresh->shared.order[k] &&
          s->sets->shared.references[k] == fresh->shared.references[k]);
  for (int m = 0; m < s->machines; m++) {
    osvm_sv_set *set = &s->sets->set[m], *other = &fresh->set[m];
    CHECK(set->n == other->n && set->count == other->count && set->n_free == 0);
    for (int slot = 0; slot < osvm_sv_set_padded(set); slot++) {
      CHECK(set->shared_slot[slot] == other->shared_slot[slot]);
      CHECK((osvm_sv_set_doubles(set, 0)[slot] != 0) == (slot < set->n));
      CHECK(value_get(simd, set->column[1], slot) == -INFINITY && osvm_sv_set_doubles(set, 2)[slot] == 2);
      const void *row, *want;
      if (slot >= set->n || random_below(2) == 0) continue;
      CHECK(osvm_sv_set_row(set, slot, &row, NULL) == OSVM_OK);
      CHECK(osvm_sv_set_row(other, slot, &want, NULL) == OSVM_OK);
      CHECK(memcmp(row, want, set->n * simd->size) == 0);
    }
  }
  osvm_sv_sets_close(fresh);
}

/* The columns follow their support vectors: value[m][i] is that of the i-th example kept. */
static void read_values(const fixture *s, const int *order, int count, double *value) {
  for (int m = 0; m < s->machines; m++)
    for (int k = 0; k < count; k++) {
      const int slot = osvm_sv_set_slot(&s->sets->set[m], order != NULL ? order[k] : k);
      value[m * N + k] = slot < 0 ? 0 : osvm_sv_set_doubles(&s->sets->set[m], 0)[slot];
    }
}

static void next_run(fixture *s, int by_index, int added) {
  int order[N];
  double before[MACHINES * N], after[MACHINES * N];
  const int count = order_examples(s, by_index, order);
  read_values(s, order, count, before);
  CHECK(osvm_sv_sets_settle(s->sets, order, count));
  osvm_store_select(&s->whole, order, count);
  append(s, added);
  CHECK(osvm_sv_sets_resume(s->sets, &s->whole, s->bytes, NULL) == OSVM_OK);
  read_values(s, NULL, count, after);
  for (int m = 0; m < s->machines; m++)
    for (int k = 0; k < count; k++) CHECK(before[m * N + k] == after[m * N + k]);
  check_as_imported(s, count);
}

static void settled_sets_are_as_imported(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count * 4; t++) {
    const int sparse = t % 2, machines = t / 2 % 2 ? MACHINES : 1;
    const size_t bytes = t % 3 ? 1 << 20 : 8000;
    test_about("%s, sparse %d, machines %d, bytes %d", tables[t / 4]->name, sparse, machines, (int)bytes);
    fixture *s = fixture_open(tables[t / 4], sparse, &all_kernels[t % 3], machines, bytes);
    for (int round = 0; round < ROUNDS; round++) {
      change_sets(s);
      if (round % 4 == 3) osvm_sv_sets_drop_rows(s->sets);
      next_run(s, round % 3 == 0, round % 5);
    }
    fixture_free(s);
  }
}

/* Of rows known before, only values with support vectors that have moved or entered are computed. */
static void cached_rows_are_kept(void) {
  fixture *s = fixture_open(osvm_simd_double(TEST_LEVEL), 0, &all_kernels[RBF], 1, 1 << 20);
  const void *row;
  for (int i = 0; i < FIRST; i++) insert(&s->sets->set[0], i, 1);
  next_run(s, 0, 1); /* room for more from here on */
  for (int slot = 0; slot < FIRST; slot++) CHECK(osvm_sv_set_row(&s->sets->set[0], slot, &row, NULL) == OSVM_OK);
  osvm_sv_set_remove(&s->sets->set[0], 3); /* the last takes its slot */
  next_run(s, 0, 1);
  s->sets->shared.rows.evaluations = &s->evaluations;
  for (int slot = 0; slot < FIRST - 1; slot++) CHECK(osvm_sv_set_row(&s->sets->set[0], slot, &row, NULL) == OSVM_OK);
  CHECK(s->evaluations <= FIRST);
  fixture_free(s);
}

/* One whose named columns are all 0 would not be imported. */
static void sets_that_cannot_be_settled(void) {
  fixture *s = fixture_open(osvm_simd_single(TEST_LEVEL), 0, &all_kernels[RBF], 1, 1 << 20);
  int order[N];
  for (int i = 0; i < FIRST; i++) insert(&s->sets->set[0], i, i);
  const int count = order_examples(s, 0, order);
  CHECK(!osvm_sv_sets_settle(s->sets, order, count));
  CHECK(!osvm_sv_sets_settle(s->sets, order, count - 1));
  fixture_free(s);
}

void test_sv_sets(void) {
  RUN(settled_sets_are_as_imported);
  RUN(cached_rows_are_kept);
  RUN(sets_that_cannot_be_settled);
}
