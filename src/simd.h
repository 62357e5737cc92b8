/* Vector arithmetic, one table of functions per instruction set and precision.
 *
 * Dense examples are packed in panels: `width` examples interleaved feature by feature, so that one feature of all of
 * them is one vector load. Each example has one accumulator that sums its features in order: all tables add the same
 * terms in the same order and differ only by the rounding of fused multiply-adds. */
#pragma once

#include <stddef.h>

#include "base.h"

enum { OSVM_QUERIES = 4 };     /* queries a block product takes at once */
enum { OSVM_SHARE_WORK = 32 }; /* four nodes of the widest vector */

/* State of working-set selection for a dual in signed coefficients a_i whose sum is fixed (smo-dual.h). Arrays are as long
 * as whole panels; void arrays are of the table's precision. I_up: a_i is below its upper bound, I_low: above its lower
 * bound (Keerthi et al. 2001). The gap gmax - gmin is the largest KKT violation. */
typedef struct {
  double *gradient;   /* p_i - sum_j a_j k_ij */
  void *up, *low;     /* slope in that direction minus gradient in I_up (I_low), else -Inf (+Inf) */
  void *gradient_low; /* gradient + low */
  void *diagonal;     /* k_ii */
  double gmax, gmin;  /* max of gradient + up, min of gradient + low */
  int first;          /* first index that attains gmax */
} osvm_pair_selection;

/* The same for coordinate descent, without the equality constraint: the step of coordinate i is gradient_i / k_ii,
 * clipped to down_i .. up_i, and a step t gains t (gradient_i - k_ii t / 2). */
typedef struct {
  double *gradient;
  void *down, *up, *inverse, *diagonal; /* inverse: 1 / k_ii, or 0 to exclude the coordinate */
  double gain;                          /* the largest of a single step ... */
  int best;                             /* ... and the first coordinate that attains it; -1: no step gains */
} osvm_coordinate_selection;

typedef struct {
  const char *name;
  size_t size; /* bytes of one value: 4 or 8 */
  int width;   /* examples in a panel */

  /* out[j] = <query, example j>, their squared distance, or the sum of their absolute differences, for `count` whole
   * panels */
  void (*dots)(const void *panels, int d, int count, const void *query, void *out);
  void (*distances)(const void *panels, int d, int count, const void *query, void *out);
  void (*absolutes)(const void *panels, int d, int count, const void *query, void *out);

  /* The same for OSVM_QUERIES contiguous queries of d values each; row q of out starts at q * stride */
  void (*block_dots)(const void *panels, int d, int count, const void *queries, void *out, size_t stride);
  void (*block_distances)(const void *panels, int d, int count, const void *queries, void *out, size_t stride);
  void (*block_absolutes)(const void *panels, int d, int count, const void *queries, void *out, size_t stride);

  /* In place over n values: exp(factor v); (factor v + offset)^degree; tanh(factor v + offset);
   * and |x|^2 + |z|^2 - 2 <x, z>, the squared distance from the dot product v, at least 0 */
  void (*exponentials)(void *values, int n, double factor);
  void (*powers)(void *values, int n, double factor, double offset, int degree);
  void (*tangents)(void *values, int n, double factor, double offset);
  void (*dots_to_distances)(void *values, int n, double norm, const double *norms);
  /* Of n doubles, whole panels: out = (x - shift) / unit, and norms += out^2 */
  void (*pack)(const double *x, int n, double shift, double unit, void *out, double *norms);
  /* In place: factor cos(2 pi (v + turns)) */
  void (*cosines)(void *values, int n, double factor, const double *turns);

  /* target += sum over OSVM_QUERIES rows of factor * row, n values each */
  void (*combine)(const void *const *rows, int n, const double *factors, double *target);
  void (*add)(const void *values, int n, double factor, double *target); /* target += factor * v */
  double (*weigh)(const void *values, int n, const double *weights);     /* dot product, summed in double */

  /* One range of the steps below, whole panels; the selection is that of the range */
  void (*pair_step)(osvm_pair_selection *selection, const void *a, const void *b, int from, int to, double change);
  int (*pair_partner)(const osvm_pair_selection *selection, const void *row, int from, int to, double *gain);
  void (*coordinate_step)(osvm_coordinate_selection *selection, const void *row, int from, int to, double change);

  /* Of doubles in both tables. less: a row of `lanes` values p per feature; lanes: as doubles, whole vectors. Per lane and
   * feature, out = p times the sum over nodes t of weight times the product over the other features of 1 + t p.
   * work: OSVM_SHARE_WORK doubles per feature */
  void (*product_shares)(const double *less, int features, int lanes, const double *at, const double *weight, int nodes,
                         double *work, double *out);
} osvm_simd;

/* ---- simd-steps.c: steps over n values, whole panels, divided among a team; ties go to the lowest index ---- */

/* gradient -= change (a - b); gradient_low, gmax, gmin and first in the same pass */
void osvm_pair_step(const osvm_simd *simd, osvm_pair_selection *selection, const void *a, const void *b, int n,
                    double change, osvm_team *team);
/* The j in I_low with the largest second-order gain (g_i - g_j)^2 / max(k_ii + k_jj - 2 k_ij, tau) among g_j < g_i,
 * where i = selection->first and row is its kernel row; -1: there is none. WSS 2 of Fan, Chen & Lin (2005) */
int osvm_pair_partner(const osvm_simd *simd, const osvm_pair_selection *selection, const void *row, int n,
                      osvm_team *team);
/* gradient -= change * row; gain and best in the same pass */
void osvm_coordinate_step(const osvm_simd *simd, osvm_coordinate_selection *selection, const void *row, int n,
                          double change, osvm_team *team);

/* Values of the table's precision, as double */
static inline double osvm_real(const osvm_simd *simd, const void *values, size_t k) {
  return simd->size == sizeof(float) ? ((const float *)values)[k] : ((const double *)values)[k];
}

static inline void osvm_set_real(const osvm_simd *simd, void *values, size_t k, double x) {
  if (simd->size == sizeof(float)) ((float *)values)[k] = (float)x;
  else ((double *)values)[k] = x;
}

/* x as it is in the table's precision */
static inline double osvm_as_real(const osvm_simd *simd, double x) {
  return simd->size == sizeof(float) ? (float)x : x;
}

/* The widest table that the processor supports, at most `level`. */
typedef enum { OSVM_PLAIN, OSVM_V128, OSVM_AVX2, OSVM_AVX512, OSVM_BEST = OSVM_AVX512 } osvm_simd_level;
const osvm_simd *osvm_simd_single(osvm_simd_level level);
const osvm_simd *osvm_simd_double(osvm_simd_level level);

/* Per instruction set a table in single and one in double precision */
extern const osvm_simd osvm_simd_plain[2];
#if defined(__GNUC__) && (!defined(__i386__) || defined(__SSE2__))
#define OSVM_HAS_V128
extern const osvm_simd osvm_simd_v128[2];
/* GCC spills wide vectors to a stack that Windows aligns to 16 bytes only (GCC bug 54412). */
#if defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__))
#define OSVM_HAS_AVX
extern const osvm_simd osvm_simd_avx2[2];
extern const osvm_simd osvm_simd_avx512[2];
#endif
#endif
