#include "test.h"
void test_memory(void);void test_memory(void) {}
