options(onlinesvm.simd_level = 0)
