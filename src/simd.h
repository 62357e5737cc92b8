/* The arithmetic that must run at the machine's speed, behind one table per instruction set and precision.
 *
 * Dense examples live in panels: `width` examples interleaved feature by feature, so that one feature of all of them is
 * one vector load. Every lane sums its features in order, one accumulator per example: all tables add the same numbers
 * in the same order and differ only where one of them has a fused multiply-add. */
#ifndef OSVM_CORE_SIMD_H
#define OSVM_CORE_SIMD_H

#include <stddef.h>

enum { OSVM_QUERIES = 4 }; /* queries a block product takes at once */

/* What a batch solver knows of its examples when it looks for the next pair, in arrays as long as whole panels. Numbers of
 * the table's precision are void. */
typedef struct {
  double *gradient;          /* y - f(x), up to the bias */
  void *up, *low;    /* 0 where the coefficient may rise (fall), else -Inf (+Inf) */
  void *gradient_low;          /* error + falls */
  void *diagonal;         /* k(x, x) */
  double gmax, gmin; /* the largest error + rises, the smallest error + falls ... */
  int first;              /* ... and where the largest is: the first of the pair */
} osvm_pair_selection;

/* The same for solvers that change one coefficient at a time: it may move by down .. up, and moves by error * inverse as far
 * as that. Who is not to be moved has inverse 0. */
typedef struct {
  double *gradient;
  void *down, *up, *inverse, *diagonal; /* inverse: 1 / self */
  double gain;                      /* the most that one move would improve the dual ... */
  int best;                         /* ... and whose it is; -1: nobody's */
} osvm_coordinate_selection;

typedef struct {
  const char *name;
  size_t size; /* bytes of one value: 4 or 8 */
  int width;   /* examples in a panel */

  /* out[j] = <query, example j>, or their squared distance, for `count` whole panels */
  void (*dots)(const void *panels, int d, int count, const void *query, void *out);
  void (*distances)(const void *panels, int d, int count, const void *query, void *out);

  /* The same for OSVM_QUERIES queries, each `d` values long and one behind the other; row q of out starts at q * stride */
  void (*block_dots)(const void *panels, int d, int count, const void *queries, void *out, size_t stride);
  void (*block_distances)(const void *panels, int d, int count, const void *queries, void *out, size_t stride);

  /* In place over n values: exp(factor v); (factor v + offset)^degree; tanh(factor v + offset);
   * and norm + norms - 2 v, a squared distance out of a dot product */
  void (*exponentials)(void *values, int n, double factor);
  void (*powers)(void *values, int n, double factor, double offset, int degree);
  void (*tangents)(void *values, int n, double factor, double offset);
  void (*dots_to_distances)(void *values, int n, double norm, const double *norms);

  /* target += sum over OSVM_QUERIES rows of factor * row, n values each */
  void (*combine)(const void *const *rows, int n, const double *factors, double *target);
  void (*add)(const void *values, int n, double factor, double *target); /* target += factor * v */
  double (*weigh)(const void *values, int n, const double *weights);     /* sum of weights * v */

  /* error -= change (a - b) over n values, a whole number of panels, and what follows from it */
  void (*pair_step)(osvm_pair_selection *selection, const void *a, const void *b, int n, double change);
  /* The partner of selection->first, whose kernel row this is, that promises most: the largest (difference of errors)^2 /
   * curvature; -1 if there is none */
  int (*pair_partner)(const osvm_pair_selection *selection, const void *row, int n);
  /* error -= change * row over n values, a whole number of panels, and what follows from it */
  void (*coordinate_step)(osvm_coordinate_selection *selection, const void *row, int n, double change);
} osvm_simd;

/* One of many values of the table's precision */
static inline double osvm_real(const osvm_simd *simd, const void *values, size_t k) {
  return simd->size == sizeof(float) ? ((const float *)values)[k] : ((const double *)values)[k];
}

static inline void osvm_set_real(const osvm_simd *simd, void *values, size_t k, double x) {
  if (simd->size == sizeof(float)) ((float *)values)[k] = (float)x;
  else ((double *)values)[k] = x;
}

/* The best table this machine can run; `level` (below) caps it, which is how the tests reach the others. */
typedef enum { OSVM_PLAIN, OSVM_V128, OSVM_AVX2, OSVM_AVX512, OSVM_BEST = OSVM_AVX512 } osvm_simd_level;
const osvm_simd *osvm_simd_single(osvm_simd_level level);
const osvm_simd *osvm_simd_double(osvm_simd_level level);

/* A pair of tables (single, double) per file. */
extern const osvm_simd osvm_simd_plain[2];
#if defined(__GNUC__)
#define OSVM_HAS_V128
extern const osvm_simd osvm_simd_v128[2];
#if defined(__x86_64__)
#define OSVM_HAS_AVX
extern const osvm_simd osvm_simd_avx2[2];
extern const osvm_simd osvm_simd_avx512[2];
#endif
#endif

#endif
