/* A tiny harness. A test is a function full of CHECKs and fails when one of them does; a file's tests are RUN by its
 * suite, and test.c runs all suites. What the suites share (random matrices, plain kernels, counted memory) is here too. */
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/osvm.h"

#ifndef TEST_LEVEL
#define TEST_LEVEL OSVM_BEST
#endif

#define CHECK(condition) test_check((condition), __FILE__, __LINE__, #condition)
/* |got - want| <= tolerance; never true of a NaN */
#define CHECK_NEAR(got, want, tolerance) test_near(got, want, tolerance, __FILE__, __LINE__, #got)
#define RUN(test) test_run(#test, test)
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

void test_check(int passed, const char *file, int line, const char *text);
void test_near(double got, double want, double tolerance, const char *file, int line, const char *text);
void test_run(const char *name, void (*test)(void));
/* What the checks that follow are about; shown when one fails */
void test_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- random numbers, the same in every run ---- */

void random_seed(unsigned seed); /* test_run seeds before every test */
double random_uniform(void);     /* in [0, 1) */
double random_normal(void);
int random_below(int n);
void random_order(int *order, int n);

/* ---- matrices: one set of numbers, seen as doubles, integers or sparse columns ---- */

typedef struct {
  int n, d, nonzeros;
  double *x;
  int *integers;
  int *start, *row;
  double *value;
} matrix;

matrix matrix_normal(int n, int d, double density);
matrix matrix_whole(int n, int d, double density); /* whole numbers, so that all three views agree */
matrix matrix_rows(const matrix *from, const int *rows, int count);
osvm_data matrix_view(const matrix *m, osvm_data_kind kind);
void matrix_free(matrix *m);

double data_value(const osvm_data *data, int i, int j); /* as scaled; slow and obvious */

/* ---- values of a table's precision ---- */

int all_tables(const osvm_simd *tables[8]); /* every table this machine runs, up to TEST_LEVEL; their number */
double value_get(const osvm_simd *simd, const void *values, size_t k);
void value_set(const osvm_simd *simd, void *values, size_t k, double x);
void *values_normal(const osvm_simd *simd, size_t n); /* exactly n of them: the sanitizer guards both ends */
double value_epsilon(const osvm_simd *simd);

/* ---- kernels, as the textbook has them ---- */

double plain_kernel(const osvm_kernel *kernel, const osvm_data *a, int i, const osvm_data *b, int j);
extern const osvm_kernel all_kernels[4];

/* ---- models ---- */

osvm_model model_make(int size, int machines);
osvm_model model_for(const osvm_solver *solver, int size, int machines); /* as deep as this solver's are */
void model_free(osvm_model *model);

/* ---- memory: every allocation of the core goes through here (the linker's --wrap) ---- */

typedef struct {
  long calls, live; /* allocations so far; blocks not yet freed */
  size_t bytes;     /* asked for so far */
  long fail_from;   /* calls[fail_from .. fail_to - 1] get NULL; none when fail_from < 0 */
  long fail_to;
} memory_ledger;

extern memory_ledger memory;
void memory_fail(long from, long to);

#endif
