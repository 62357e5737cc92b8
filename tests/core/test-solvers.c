#include "test.h"
void test_solvers(void);void test_solvers(void) {}
