/* Variables of the environment that choose tests, by wrapping functions of the harness in the linker:
 *   OSVM_TEST_ONLY  test_run() passes over tests that are not in this list, " name name "
 *   OSVM_TEST_SEED  is added to the seed of every test: checks hold for any draw */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __real_test_run(const char *name, void (*test)(void));
void __wrap_test_run(const char *name, void (*test)(void));
void __real_random_seed(unsigned seed);
void __wrap_random_seed(unsigned seed);

void __wrap_test_run(const char *name, void (*test)(void)) {
  const char *only = getenv("OSVM_TEST_ONLY");
  char entry[256];
  snprintf(entry, sizeof entry, " %s ", name);
  if (only == NULL || strstr(only, entry) != NULL) __real_test_run(name, test);
}

void __wrap_random_seed(unsigned seed) {
  const char *shift = getenv("OSVM_TEST_SEED");
  __real_random_seed(shift == NULL ? seed : seed + (unsigned)atoi(shift));
}
