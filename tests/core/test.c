#include <stdarg.h>
#include <stdio.h>

#include "test.h"

#define SUITES(X)                                                                                                      \
  X(team)                                                                                                              \
  X(random)                                                                                                            \
  X(data)                                                                                                              \
  X(duplicates)                                                                                                        \
  X(text)                                                                                                              \
  X(drift)                                                                                                             \
  X(simd)                                                                                                              \
  X(store)                                                                                                             \
  X(kernel)                                                                                                            \
  X(rows)                                                                                                              \
  X(map)                                                                                                               \
  X(cache)                                                                                                             \
  X(engine)                                                                                                            \
  X(lazy_outputs)                                                                                                      \
  X(budget)                                                                                                            \
  X(compress)                                                                                                          \
  X(shared_sv)                                                                                                         \
  X(sv_set)                                                                                                            \
  X(sv_sets)                                                                                                           \
  X(predict)                                                                                                           \
  X(shapley)                                                                                                           \
  X(cells)                                                                                                             \
  X(registry)                                                                                                          \
  X(conformance)                                                                                                       \
  X(driver)                                                                                                            \
  X(reference)                                                                                                         \
  X(loss)                                                                                                              \
  X(smo)                                                                                                               \
  X(smo_losses)                                                                                                        \
  X(dcd)                                                                                                               \
  X(dual_losses)                                                                                                       \
  X(huller)                                                                                                            \
  X(lasvm)                                                                                                             \
  X(ramp)                                                                                                              \
  X(idsvm)                                                                                                             \
  X(stall)                                                                                                             \
  X(gram)                                                                                                              \
  X(grid)                                                                                                              \
  X(memory)
#define DECLARE(name) void test_##name(void);
SUITES(DECLARE)

static struct {
  int passed, failed, failures;
  unsigned seed;
  char about[256];
} state;

enum { SHOWN = 5 }; /* failed checks printed per test */

static void report(const char *file, int line, const char *text, const char *more) {
  if (++state.failures > SHOWN) return;
  printf("%s:%d: %s%s", file, line, text, more);
  if (state.about[0] != '\0') printf("  [%s]", state.about);
  printf("\n");
}

void test_check(int passed, const char *file, int line, const char *text) {
  if (!passed) report(file, line, text, "");
}

void test_near(double got, double want, double tolerance, const char *file, int line, const char *text) {
  if (fabs(got - want) <= tolerance || got == want) return;
  char more[128];
  snprintf(more, sizeof more, " = %.17g, not %.17g +- %.2g", got, want, tolerance);
  report(file, line, text, more);
}

void test_about(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(state.about, sizeof state.about, format, arguments);
  va_end(arguments);
}

int exhaustive(void) { return getenv("OSVM_TEST_ALL") != NULL; }

void test_run(const char *name, void (*test)(void)) {
  state.failures = 0;
  state.about[0] = '\0';
  random_seed(state.seed);
  test();
  if (state.failures == 0) {
    state.passed++;
  } else {
    state.failed++;
    printf("FAILED: %s (%d checks)\n", name, state.failures);
  }
}

/* Runs the suites named on the command line, or all. TEST_SEED in the environment: other random numbers than usual */
int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*suite)(void);
  } suites[] = {
#define ENTRY(name) {#name, test_##name},
      SUITES(ENTRY)};
  const char *seed = getenv("TEST_SEED");
  state.seed = seed != NULL ? (unsigned)strtoul(seed, NULL, 10) : 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  all_tables_make();
  for (int s = 0; s < COUNT(suites); s++) {
    int wanted = argc < 2;
    for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], suites[s].name) == 0;
    if (!wanted) continue;
    const int before = state.passed, lost = state.failed;
    suites[s].suite();
    printf("%-12s %3d passed, %d failed\n", suites[s].name, state.passed - before, state.failed - lost);
  }
  printf("core: %d passed, %d failed\n", state.passed, state.failed);
  return state.failed > 0;
}
