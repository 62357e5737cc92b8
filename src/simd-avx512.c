/* Sixteen floats at a time, and registers enough for a tile of sixteen sums. */
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
#include "simd-table.h"
#endif
