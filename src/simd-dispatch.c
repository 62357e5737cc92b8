/* Run-time choice of the instruction set: one binary for all processors. */
#include "simd.h"

/* wide: 0 single precision, 1 double */
static const osvm_simd *best(osvm_simd_level level, int wide) {
#ifdef OSVM_HAS_AVX
  __builtin_cpu_init();
  if (level >= OSVM_AVX512 && __builtin_cpu_supports("avx512f")) return &osvm_simd_avx512[wide];
  if (level >= OSVM_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &osvm_simd_avx2[wide];
#endif
#ifdef OSVM_HAS_V128
  if (level >= OSVM_V128) return &osvm_simd_v128[wide];
#endif
  (void)level;
  return &osvm_simd_plain[wide];
}

const osvm_simd *osvm_simd_single(osvm_simd_level level) { return best(level, 0); }
const osvm_simd *osvm_simd_double(osvm_simd_level level) { return best(level, 1); }
