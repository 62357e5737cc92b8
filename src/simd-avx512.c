/* AVX-512F: 16 floats or 8 doubles; 32 registers hold the 4 x 4 sums of a tile. */
#include "simd.h"

#ifdef OSVM_HAS_AVX
#include <immintrin.h>
#define SET avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define BYTES 64
#define TILE 4
#define WIDEN(x) _mm512_cvtps_pd(x)
#define MAX_SINGLE(a, b) _mm512_max_ps(a, b)
#define MIN_SINGLE(a, b) _mm512_min_ps(a, b)
#define MAX_DOUBLE(a, b) _mm512_max_pd(a, b)
#define MIN_DOUBLE(a, b) _mm512_min_pd(a, b)
#define ADD_SINGLE(sum, x) _mm512_fmadd_ps(x, _mm512_set1_ps(1), sum)
#define ADD_DOUBLE(sum, x) _mm512_fmadd_pd(x, _mm512_set1_pd(1), sum)
#include "simd-table.h"
#endif
