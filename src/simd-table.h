/* Instantiates the two tables of one instruction set, whose file defines
 *   SET       the table's name            TARGET  the functions' attribute
 *   BYTES     of a vector; 0: plain C     TILE    see simd-body.h
 *   MAX_SINGLE, MIN_SINGLE, MAX_DOUBLE, MIN_DOUBLE
 *   WIDEN     floats to doubles; default: __builtin_convertvector
 *   ADD_SINGLE, ADD_DOUBLE  sum + x on the units that multiply, where others subtract; default: sum + x */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "simd.h"

#ifndef ADD_SINGLE
#define ADD_SINGLE(sum, x) ((sum) + (x))
#define ADD_DOUBLE(sum, x) ((sum) + (x))
#endif

#if BYTES == 0
#define VECTOR(type, bytes) typedef type
#define UNROLL
#define ALWAYS_INLINE static inline
#define SINGLES 1
#define DOUBLES 1
#define WIDEN_SINGLE(x) ((double)(x))
#define NARROW_SINGLE(x) ((float)(x))
#define PICK(bits, mask, a, b) ((mask) ? (a) : (b))
#else
/* Unaligned, and may alias: all other code accesses panels and rows as arrays of float or double. */
#define VECTOR(type, bytes) typedef type __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias))
#define UNROLL _Pragma("GCC unroll 4")
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define SINGLES (BYTES / 4)
#define DOUBLES (BYTES / 8)
#ifdef WIDEN
#define WIDEN_SINGLE(x) ((v_double)WIDEN(x))
#else
#define WIDEN_SINGLE(x) __builtin_convertvector(x, v_double)
#endif
#define NARROW_SINGLE(x) __builtin_convertvector(x, v_half)
/* C has no ?: over vectors; a comparison gives all-ones lanes to select with. Integer vectors only. */
#define PICK(bits, mask, a, b) (((bits)(mask) & (a)) | (~(bits)(mask) & (b)))
#endif

VECTOR(float, BYTES) v_single;
VECTOR(float, BYTES / 2) v_half;
VECTOR(double, BYTES) v_double;
VECTOR(uint32_t, BYTES) v_bits32;
VECTOR(uint64_t, BYTES) v_bits64;

/* What a feature adds to a base value */
typedef enum { PRODUCT, SQUARE, MAGNITUDE } term;

#define W v_double
#define WLANES DOUBLES

#define REAL float
#define V v_single
#define LANES SINGLES
#define HALF v_half
#define TO_W WIDEN_SINGLE
#define FROM_W NARROW_SINGLE
#define BITS v_bits32
#define INDEX uint32_t
#define ADDV ADD_SINGLE
#define MAXV MAX_SINGLE
#define MINV MIN_SINGLE
#define FN(x) x##_single
#include "simd-body.h"

#undef REAL
#undef V
#undef LANES
#undef HALF
#undef TO_W
#undef FROM_W
#undef BITS
#undef INDEX
#undef ADDV
#undef MAXV
#undef MINV
#undef FN
#define REAL double
#define V v_double
#define LANES DOUBLES
#define HALF v_double
#define TO_W(x) (x)
#define FROM_W(x) (x)
#define BITS v_bits64
#define INDEX uint64_t
#define ADDV ADD_DOUBLE
#define MAXV MAX_DOUBLE
#define MINV MIN_DOUBLE
#define FN(x) x##_double
#include "simd-body.h"
#include "simd-shares.h"

#define STRING_OF(x) #x
#define NAME_OF(x) STRING_OF(x)
#define JOIN(a, b) a##b
#define TABLE_OF(x) JOIN(osvm_simd_, x)

const osvm_simd TABLE_OF(SET)[2] = {
    {NAME_OF(SET),
     sizeof(float),
     SINGLES,
     dots_single,
     distances_single,
     absolutes_single,
     block_dots_single,
     block_distances_single,
     block_absolutes_single,
     exponentials_single,
     powers_single,
     tangents_single,
     dots_to_distances_single,
     pack_single,
     cosines_single,
     combine_single,
     add_single,
     weigh_single,
     pair_step_single,
     pair_partner_single,
     coordinate_step_single,
     product_shares},
    {NAME_OF(SET),
     sizeof(double),
     DOUBLES,
     dots_double,
     distances_double,
     absolutes_double,
     block_dots_double,
     block_distances_double,
     block_absolutes_double,
     exponentials_double,
     powers_double,
     tangents_double,
     dots_to_distances_double,
     pack_double,
     cosines_double,
     combine_double,
     add_double,
     weigh_double,
     pair_step_double,
     pair_partner_double,
     coordinate_step_double,
     product_shares},
};
