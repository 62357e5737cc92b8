/* AVX2 and FMA: 8 floats or 4 doubles (x86-64 since about 2013). */
#include "simd.h"

#ifdef OSVM_HAS_AVX
#include <immintrin.h>
#define SET avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define TILE 3
#define WIDEN(x) _mm256_cvtps_pd(x)
#define MAX_SINGLE(a, b) _mm256_max_ps(a, b)
#define MIN_SINGLE(a, b) _mm256_min_ps(a, b)
#define MAX_DOUBLE(a, b) _mm256_max_pd(a, b)
#define MIN_DOUBLE(a, b) _mm256_min_pd(a, b)
#define ADD_SINGLE(sum, x) _mm256_fmadd_ps(x, _mm256_set1_ps(1), sum)
#define ADD_DOUBLE(sum, x) _mm256_fmadd_pd(x, _mm256_set1_pd(1), sum)
#include "simd-table.h"
#endif
