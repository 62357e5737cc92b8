/* 16-byte vectors of GNU C: SSE2 on every x86-64, NEON on every arm64, so no run-time check. */
#include "simd.h"

#ifdef OSVM_HAS_V128
#define SET v128
#define TARGET
#define BYTES 16
#define TILE 2
/* C has no ?: over vectors; a comparison gives all-ones lanes to select with. */
#define SELECT(bits, mask, a, b) ((__typeof__(a))(((bits)(mask) & (bits)(a)) | (~(bits)(mask) & (bits)(b))))
#define MAX_SINGLE(a, b) SELECT(v_bits32, (a) > (b), a, b)
#define MIN_SINGLE(a, b) SELECT(v_bits32, (a) < (b), a, b)
#define MAX_DOUBLE(a, b) SELECT(v_bits64, (a) > (b), a, b)
#define MIN_DOUBLE(a, b) SELECT(v_bits64, (a) < (b), a, b)
#include "simd-table.h"
#endif
