/* Detection of a change in the mean of a sequence. */
#pragma once

#include "base.h"

/* ADWIN's window as an exponential histogram: row r has at most OSVM_ADWIN_BUCKETS buckets of 2^r values each, the oldest
 * first. As numbers, so that a caller can store it. */
enum { OSVM_ADWIN_ROWS = 40, OSVM_ADWIN_BUCKETS = 5, OSVM_ADWIN_SLOTS = OSVM_ADWIN_BUCKETS + 1 };

typedef struct {
  double seen;                                         /* values since the start */
  double count[OSVM_ADWIN_ROWS];                       /* buckets in a row */
  double total[OSVM_ADWIN_ROWS][OSVM_ADWIN_SLOTS];     /* sum of a bucket's values */
  double deviation[OSVM_ADWIN_ROWS][OSVM_ADWIN_SLOTS]; /* sum of squared deviations from the bucket's mean */
} osvm_adwin;

enum { OSVM_ADWIN_NUMBERS = sizeof(osvm_adwin) / sizeof(double) };

typedef struct {
  size_t at;            /* number of the first value, from 1, after which an increase was detected; 0: none */
  double before, after; /* means on both sides of the last cut that was an increase */
  double width;         /* of the window after the last value */
} osvm_adwin_change;

/* Values must be finite, the window sound; delta in (0, 1). */
osvm_status osvm_adwin_check(const osvm_adwin *window, osvm_error *error);
osvm_status osvm_adwin_add(osvm_adwin *window, double delta, const double *values, size_t n, osvm_adwin_change *change,
                           osvm_error *error);
