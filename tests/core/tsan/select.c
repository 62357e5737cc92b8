/* Tests by name: with OSVM_TEST_ONLY set, test_run() (wrapped by the linker) passes over tests that it does not list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __real_test_run(const char *name, void (*test)(void));
void __wrap_test_run(const char *name, void (*test)(void));

void __wrap_test_run(const char *name, void (*test)(void)) {
  const char *only = getenv("OSVM_TEST_ONLY");
  char entry[256];
  snprintf(entry, sizeof entry, " %s ", name);
  if (only == NULL || strstr(only, entry) != NULL) __real_test_run(name, test);
}
