/* The test harness. A test is a function that fails when one of its CHECKs does; a file's tests are RUN by its suite, and
 * test.c runs all suites. Declared here, too: random matrices, textbook kernels, arguments of any solver, counted
 * memory. */
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
/* The case that the following checks belong to; printed with a failure */
void test_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

int exhaustive(void); /* OSVM_TEST_ALL is set: loops are run whole */

/* ---- random numbers: the same sequence in every run ---- */

void random_seed(unsigned seed); /* called before every test, with the same seed */
double random_uniform(void);     /* in [0, 1) */
double random_normal(void);
int random_below(int n);
void random_order(int *order, int n);

/* ---- matrices: the same values as doubles, integers and sparse columns ---- */

typedef struct {
  int n, d, nonzeros;
  double *x;
  int *integers;
  int *start, *row;
  double *value;
} matrix;

matrix matrix_normal(int n, int d, double density);
matrix matrix_thin(int n, int d, double density);  /* and empty features behind: a run's store of it is sparse */
matrix matrix_whole(int n, int d, double density); /* whole numbers, so that all three views agree */
matrix matrix_rows(const matrix *from, const int *rows, int count);
matrix matrix_of(const double *x, int n, int d);               /* column by column */
matrix matrix_stack(const matrix *above, const matrix *below); /* with the same features */
osvm_data matrix_view(const matrix *m, osvm_data_kind kind);
void matrix_free(matrix *m);

double data_value(const osvm_data *data, int i, int j); /* centred and scaled */

/* ---- values of a table's precision ---- */

int all_tables(const osvm_simd *tables[8]); /* every table this machine runs, up to TEST_LEVEL; their number */
double value_get(const osvm_simd *simd, const void *values, size_t k);
void value_set(const osvm_simd *simd, void *values, size_t k, double x);
void *values_normal(const osvm_simd *simd, size_t n); /* a block of exactly n: AddressSanitizer finds overruns */
double value_epsilon(const osvm_simd *simd);

/* ---- kernels: every entry of the table, with parameters by role; base values by their formulas in doubles ---- */

enum {
#define OSVM_KERNEL(name) kernel_##name,
#include "../../src/kernel-list.h"
#undef OSVM_KERNEL
  N_KERNELS,
  RBF = kernel_rbf
};
extern osvm_kernel all_kernels[N_KERNELS];
void all_tables_make(void); /* of kernels and losses, before the first test */
double plain_kernel(const osvm_kernel *kernel, const osvm_data *a, int i, const osvm_data *b, int j);

/* ---- losses: every entry of the table, with parameters by role ---- */

enum {
#define OSVM_LOSS(name) loss_##name,
#include "../../src/loss-list.h"
#undef OSVM_LOSS
  N_LOSSES
};
extern osvm_loss all_losses[N_LOSSES];
static const osvm_loss hinge = {.info = &osvm_loss_hinge};

/* ---- solvers: arguments for any entry of the table ---- */

enum { MAX_ARGUMENTS = 16 };

/* A parameter by name */
typedef struct {
  const char *name;
  double value;
} argument;

typedef struct {
  argument list[MAX_ARGUMENTS]; /* in the order that the solver declares ... */
  double values[MAX_ARGUMENTS]; /* ... and their values */
  int count;
} arguments;

/* One argument per declared parameter: from `given`, else the default of its name, else that of its role. Given arguments
 * that the solver does not declare are left out, so that one list serves all solvers. */
arguments arguments_for(const osvm_solver *solver, const argument *given, int n_given);
void arguments_set(arguments *a, const char *name, double value);       /* if there is one of this name */
int solver_takes(const osvm_solver *solver, const osvm_kernel *kernel); /* is the kernel in its space? */

/* ---- models ---- */

osvm_model model_for(const osvm_solver *solver, int size, int machines); /* room for averages, too */
osvm_model model_of(const osvm_run *run);                                /* to export this run to */
/* The examples to keep, in that order, and their state: what a further run is given. Primal: a copy */
osvm_model model_kept(const osvm_run *run, const osvm_model *model);
/* Their vectors; examples: those of the run's store, without the solver's own vectors, which the model has */
matrix model_vectors(const osvm_run *run, const osvm_model *model, const matrix *examples);
void model_free(osvm_model *model);

/* ---- the host: its polls, which must come on the thread that made it; one at a time ---- */

osvm_progress host_progress(int (*poll)(void *user, double done), void *user);

/* ---- memory: every allocation of the core is counted (the linker's --wrap) ---- */

typedef struct {
  long calls, live; /* allocations so far; blocks not yet freed */
  size_t bytes;     /* requested so far */
  long fail_from;   /* calls[fail_from .. fail_to - 1] return NULL; none when fail_from < 0 */
  long fail_to;
} memory_counts;

extern memory_counts memory;
void memory_fail(long from, long to);

#endif
