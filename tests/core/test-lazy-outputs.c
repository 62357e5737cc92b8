/* Outputs are K a at every visit, whatever changes are pending. */
#include "test.h"

enum { N = 37, FIRST = 6, MACHINES = 3 };
static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.3}};

typedef struct {
  matrix m;
  osvm_data data;
  osvm_store store;
  osvm_engine engine;
  osvm_lazy_outputs lazy;
  double a[N * MACHINES];
} fixture;

static fixture *fixture_of(int sparse, int d) {
  fixture *k = calloc(1, sizeof *k);
  k->m = matrix_normal(N, d, sparse ? 0.5 : 1);
  k->data = matrix_view(&k->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  CHECK(osvm_store_open(&k->store, osvm_simd_double(TEST_LEVEL), OSVM_PANELS, sparse, d, N, NULL) == OSVM_OK);
  CHECK(osvm_store_append(&k->store, &k->data, NULL, N, NULL) == OSVM_OK);
  CHECK(osvm_engine_open(&k->engine, &rbf, &k->store, FIRST, 4000, NULL, NULL) == OSVM_OK);
  CHECK(osvm_lazy_outputs_open(&k->lazy, &k->engine, MACHINES, FIRST, NULL) == OSVM_OK);
  return k;
}

static void fixture_free(fixture *k) {
  osvm_lazy_outputs_close(&k->lazy);
  osvm_engine_close(&k->engine);
  osvm_store_close(&k->store);
  matrix_free(&k->m);
  free(k);
}

static void change(fixture *k, int machine, int i, double by, int horizon) {
  k->a[i + machine * N] += by;
  osvm_lazy_outputs_change(&k->lazy, machine, i, by, horizon);
}

static void check_output(fixture *k, int machine, int i) {
  double want = 0;
  for (int j = 0; j < N; j++) want += k->a[j + machine * N] * plain_kernel(&rbf, &k->data, j, &k->data, i);
  CHECK_NEAR(osvm_lazy_outputs_get(&k->lazy, machine, i), want, 1e-11);
}

/* One visit: every machine asks, some change the visited example, as solvers do. */
static void visit(fixture *k, int i, int reach, double share) {
  k->lazy.next = i;
  k->lazy.reach = reach;
  for (int m = 0; m < MACHINES; m++) {
    check_output(k, m, i);
    if (random_uniform() < share) change(k, m, i, random_normal(), N);
  }
}

static void check_laps(fixture *k, double share) {
  enum { LAPS = 4 };
  for (int lap = 0; lap < LAPS; lap++)
    for (int i = FIRST; i < N; i++) {
      visit(k, i, lap + 1 == LAPS ? N - i : N - FIRST, share);
      if (random_below(10) > 0) continue;
      const int m = random_below(MACHINES); /* a rebase */
      for (int j = 0; j < N; j++) k->a[j + m * N] *= 0.5;
      osvm_lazy_outputs_scale(&k->lazy, m, 0.5);
    }
}

static void outputs_at_every_visit(void) {
  const double shares[] = {0, 0.1, 0.5, 1};
  for (int sparse = 0; sparse < 2; sparse++)
    for (int s = 0; s < COUNT(shares); s++) {
      test_about("sparse %d, share %g", sparse, shares[s]);
      fixture *k = fixture_of(sparse, sparse ? 12 : 3);
      for (int m = 0; m < MACHINES; m++) /* as an import does */
        for (int j = 0; j < FIRST; j++) change(k, m, j, random_normal(), N);
      check_laps(k, shares[s]);
      fixture_free(k);
    }
}

static void a_change_is_seen_at_once(void) {
  fixture *k = fixture_of(0, 3);
  for (int round = 0; round < 12; round++)
    for (int m = 0; m < MACHINES; m++) {
      check_output(k, m, 9);
      change(k, m, 9, 1, N);
      check_output(k, m, 9);
      change(k, m, 10 + round % 5, 1, N);
      check_output(k, m, 9);
    }
  fixture_free(k);
}

/* Changes must reach the visits within their horizon, also those after the end of the epoch. */
static void changes_reach_their_horizon(void) {
  for (int horizon = 1; horizon < N; horizon += 5)
    for (int at = FIRST; at < N; at += 4) {
      test_about("horizon %d, at %d", horizon, at);
      fixture *k = fixture_of(0, 3);
      k->lazy.next = at;
      k->lazy.reach = N - FIRST;
      /* the last one flushes the others */
      for (int q = 0; q <= OSVM_QUERIES; q++) change(k, 1, (at + q) % N, 1, q == 1 ? horizon : 1);
      for (int v = 0; v < horizon && v < N - FIRST; v++) check_output(k, 1, FIRST + (at - FIRST + v) % (N - FIRST));
      fixture_free(k);
    }
}

void test_lazy_outputs(void) {
  RUN(outputs_at_every_visit);
  RUN(a_change_is_seen_at_once);
  RUN(changes_reach_their_horizon);
}
