/* Portable C: vectors of length 1. */
#define SET plain
#define TARGET
#define BYTES 0
#define TILE 4
#define MAX_SINGLE(a, b) ((a) > (b) ? (a) : (b))
#define MIN_SINGLE(a, b) ((a) < (b) ? (a) : (b))
#define MAX_DOUBLE MAX_SINGLE
#define MIN_DOUBLE MIN_SINGLE
#include "simd-table.h"
