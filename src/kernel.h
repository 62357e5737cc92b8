/* Kernels, and kernel values of one or several examples against a store. */
#pragma once

#include "data.h"

/* What a kernel value is a function of: <x, z>, or the sum over features of (x - z)^2 or |x - z|; or
 * of the numbers of two examples, from 1 on, where the caller has computed it: the number is then their only feature */
typedef enum { OSVM_DOTS, OSVM_SQUARED_DISTANCES, OSVM_ABSOLUTE_DISTANCES, OSVM_GIVEN } osvm_base;

/* What a parameter of a kernel means. The scale is chosen from the data where the user gives none. */
typedef enum {
  OSVM_SCALE,   /* multiplies base values; positive */
  OSVM_DEGREE,  /* a whole number, 0 or more */
  OSVM_CONSTANT /* any number */
} osvm_kernel_role;

typedef struct {
  const char *name;
  osvm_kernel_role role;
} osvm_kernel_param;

enum { OSVM_KERNEL_PARAMS = 4 }; /* at most; lists end with a name of NULL */

/* A kernel of features is a table, defined in a file of its own and named in kernel-list.h. p: values of its parameters, v: a base
 * value. */
typedef struct {
  const char *name, *title, *formula; /* formula: k(x, z) in LaTeX */
  osvm_base base;
  int mergeable; /* k(x, h x + (1 - h) z) = k(x, z)^((1 - h)^2): two support vectors can be replaced by one between them */
  int product; /* k(x, z) is the product over features of the kernel values of each alone, none above 1 */
  osvm_kernel_param params[OSVM_KERNEL_PARAMS + 1];
  double (*value)(const double *p, double v);                                     /* NULL: v itself */
  double (*slope)(const double *p, double v);                                     /* dk / dv; NULL: 1 */
  int (*is_definite)(const double *p);                                            /* NULL: positive definite */
  void (*transform)(const double *p, const osvm_simd *simd, void *values, int n); /* in place; NULL: by value() */
} osvm_kernel_info;

#define OSVM_KERNEL(name) extern const osvm_kernel_info osvm_kernel_##name;
#include "kernel-list.h"
#undef OSVM_KERNEL
extern const osvm_kernel_info osvm_kernel_given; /* beside the list */

typedef struct {
  const osvm_kernel_info *info;
  double params[OSVM_KERNEL_PARAMS];
  int untransformed;   /* its values are base values; no solver uses such a kernel */
  const double *given; /* OSVM_GIVEN: the caller's symmetric matrix of n_given x n_given values */
  int n_given;
} osvm_kernel;

const osvm_kernel_info *const *osvm_kernels(int *count);
int osvm_kernel_params(const osvm_kernel_info *info); /* their number */
/* values: of its parameters, as it declares them. Fails if there is no such kernel, or if one is missing or out of its
 * range. */
osvm_status osvm_kernel_read(const char *name, const double *values, int count, osvm_kernel *kernel, osvm_error *error);
int osvm_kernel_same(const osvm_kernel *a, const osvm_kernel *b);
int osvm_kernel_is_linear(const osvm_kernel *kernel); /* k(x, z) = <x, z>: weights can stand for support vectors */
int osvm_kernel_is_definite(const osvm_kernel *kernel);
double osvm_kernel_value(const osvm_kernel *kernel, double base);
double osvm_kernel_slope(const osvm_kernel *kernel, double base); /* the derivative of osvm_kernel_value */
double osvm_kernel_self(const osvm_kernel *kernel, const osvm_store *store, int i); /* k(x_i, x_i), free of rounding */
/* Fails if the values are given and an example of the store is not among their rows. */
osvm_status osvm_kernel_check(const osvm_kernel *kernel, const osvm_store *store, osvm_error *error);
osvm_kernel osvm_kernel_untransformed(const osvm_kernel *kernel);
/* In place, from base values to kernel values */
void osvm_kernel_transform(const osvm_kernel *kernel, const osvm_simd *simd, void *values, int n);
/* Expansions on the same centers: n x d, feature by feature; coef: n x machines */
typedef struct {
  const double *centers, *coef;
  int n, d, machines;
} osvm_expansions;
/* sizes, d x machines: the root mean square over `count` points (d values each, contiguous) of the derivatives of each
 * expansion and, unless it is NULL, of `added` beside it: d derivatives for each point of each machine in turn. Not for
 * OSVM_GIVEN. OSVM_INTERRUPTED: sizes are of no use. */
osvm_status osvm_kernel_gradients(const osvm_kernel *kernel, const osvm_expansions *f, const double *points, int count,
                                  const double *added, const osvm_progress *progress, double *sizes, osvm_error *error);
osvm_status osvm_kernel_overflow(osvm_error *error); /* OSVM_DIVERGED: a value is infinite, or not a number */

/* OSVM_GIVEN: values of the example `query` points to the number of, with n others, and with itself */
void osvm_kernel_look_up(const osvm_kernel *kernel, const osvm_simd *simd, const void *numbers, const void *query,
                         int n, void *out);
double osvm_kernel_given_self(const osvm_kernel *kernel, const osvm_store *store, int i);

/* One pass of arithmetic; kernel-rows.h chooses among these. In all of them out[0] belongs to the first column of the
 * panel that `from` (or panel `first`) is in.
 *
 * Kernel values of the query with examples from .. to - 1 of the store. Dense stores write whole panels.
 * work: store->n doubles, sparse stores only; all 0 before and after. */
void osvm_kernel_row(const osvm_kernel *kernel, const osvm_store *store, const osvm_query *query, int from, int to,
                     double *work, void *out);
/* OSVM_QUERIES dense queries (d values each, contiguous) with panels first .. first + count - 1; out is OSVM_QUERIES
 * rows of `stride` values. With many features, squared distances come from the queries' norms and dot products; norms =
 * NULL: from differences, as in osvm_kernel_row, with the same rounding. */
void osvm_kernel_block(const osvm_kernel *kernel, const osvm_store *store, const void *queries, const double *norms,
                       int first, int count, void *out, size_t stride);
