/* Descents that rounding ends, and the host's wish to stop. */
#include "sv-solvers.h"

static void looks_are_rare_and_compare_with_rounding(void) {
  for (int n = 10; n <= 1000000; n *= 100) {
    osvm_stall stall = {0};
    int steps = 1;
    while (!osvm_stall_due(&stall, n)) steps++;
    CHECK(steps >= n && steps >= 10000 && stall.steps == 0);
  }
  osvm_stall stall = {0};
  CHECK(!osvm_stall_look(&stall, 1e-15, 1) && !stall.stalled);
  CHECK(osvm_stall_look(&stall, 1e-17, 1) && stall.stalled);
  CHECK(!osvm_stall_look(&stall, 1e-17, 0.01));
  CHECK(osvm_stall_look(&stall, 0, 0) && osvm_stall_look(&stall, -1, 1) && osvm_stall_look(&stall, NAN, 1));
}

/* A tolerance below the rounding of outputs is not reached; one above it is. */
static void tolerances_below_rounding_end(void) {
  static const char *const solvers[] = {"smo", "lasvm", "ramp", "cccp"};
  problem p = problem_of(40, 2, 2, OSVM_DOUBLES, &rbf);
  for (int s = 0; s < COUNT(solvers); s++) {
    for (int fine = 0; fine < 2; fine++) {
      const argument params[] = {
          {"C", 1e3}, {"tolerance", fine ? 1e-18 : 1e-3}, {"min_gain", fine ? 0 : 1e-5}, {"max_iter", 1e8}};
      const way w = {.solver = solvers[s],
                     .params = params,
                     .n_params = 4,
                     .epochs = 1,
                     .doubles = 1,
                     .cache = 1 << 20,
                     .seed = 1};
      test_about("%s, fine %d", solvers[s], fine);
      outcome o = learn_all(&p, &w);
      CHECK(o.status == OSVM_OK && isfinite(o.end[0].objective));
      /* LASVM's rounds end with examples in S that were not optimised: unfinished, and its gap says so. */
      CHECK(o.end[0].gap < 2e-3 || (fine && !o.end[0].finished && strcmp(solvers[s], "lasvm") == 0));
      CHECK(fine ? !(o.end[0].finished && o.end[0].stalled) : !o.end[0].stalled);
      outcome_free(&o);
    }
  }
  problem_free(&p);
}

/* A machine without trouble is not looked at differently: few steps, no stall, whatever the solver. */
static void ordinary_problems_do_not_stall(void) {
  static const char *const solvers[] = {"smo", "lasvm", "ramp", "cccp", "idsvm"};
  problem p = problem_of(80, 3, 2, OSVM_DOUBLES, &rbf);
  for (int s = 0; s < COUNT(solvers); s++) {
    const argument params[] = {{"C", 10}, {"tolerance", 1e-8}, {"min_gain", 1e-14}};
    const way w = {.solver = solvers[s], .params = params, .n_params = 3, .epochs = 1, .doubles = 1, .cache = 1 << 20};
    test_about("%s", solvers[s]);
    outcome o = learn_all(&p, &w);
    CHECK(o.end[0].finished && !o.end[0].stalled);
    outcome_free(&o);
  }
  problem_free(&p);
}

/* ---- reading the caller's matrix ---- */

static int count_polls(void *user, double done) {
  (void)done;
  return --*(int *)user < 0;
}

static void reading_polls(void) {
  enum { N = 1000000, D = 40 };
  double *x = calloc((size_t)N * D, sizeof(double)), *out = calloc(N, sizeof(double)), weights[D];
  for (int j = 0; j < D; j++) weights[j] = 1;
  for (int stops = 0; stops < 2; stops++) {
    int left = stops ? 1 : 1000;
    const osvm_progress progress = host_progress(count_polls, &left);
    const osvm_data data = {.kind = OSVM_DOUBLES, .n = N, .d = D, .x = x, .progress = &progress};
    const osvm_status want = stops ? OSVM_INTERRUPTED : OSVM_OK;
    osvm_column_summary columns[D];
    osvm_store store;
    CHECK(osvm_data_describe(&data, 1, columns, NULL) == want);
    left = stops ? 1 : 1000;
    CHECK(osvm_data_multiply(&data, weights, 1, out, NULL) == want);
    left = stops ? 1 : 1000;
    CHECK(osvm_data_norms(&data, out) == want);
    left = stops ? 1 : 1000;
    CHECK(osvm_store_open(&store, osvm_simd_single(TEST_LEVEL), OSVM_PANELS, 0, D, N, NULL) == OSVM_OK);
    CHECK(osvm_store_append(&store, &data, NULL, N, NULL) == want);
    CHECK(store.n == (stops ? 0 : N));
    osvm_store_close(&store);
  }
  free(x);
  free(out);
}

void test_stall(void) {
  RUN(looks_are_rare_and_compare_with_rounding);
  RUN(tolerances_below_rounding_end);
  RUN(ordinary_problems_do_not_stall);
  RUN(reading_polls);
}
