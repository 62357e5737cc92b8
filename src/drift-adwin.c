/* ADWIN: the longest window of the latest values whose halves, however it is cut, have the same mean up to chance.
 *
 * Given   x_1, x_2, ...; delta in (0, 1)
 * Rule    the oldest bucket is dropped while some cut of the window W into W_0 (older) and W_1 has
 *           |mean(W_0) - mean(W_1)| > sqrt(2/m s2 ln(2/delta')) + 2/(3m) ln(2/delta'),
 *         1/m = 1/|W_0| + 1/|W_1|, delta' = delta / ln|W|, s2 the variance of W
 * State   the exponential histogram of drift.h: cuts between its buckets only
 * Cost    per value a constant; every 32 values O(log |W|)
 * Paper   Bifet and Gavalda (2007), Learning from Time-Changing Data with Adaptive Windowing, SIAM SDM: algorithm ADWIN2,
 *         the bound of section 3.2 for large windows
 * Departs from it as the authors' own implementation (MOA) does: cuts are looked for every 32 values, and both halves
 *         have at least 5. */
#include <math.h>

#include "drift.h"

enum { CLOCK = 32, SHORTEST = 5 };
static const double LARGEST = 1e100; /* squares of differences stay finite */

static int is_count(double x, double most) { return x >= 0 && x <= most && x == floor(x); }

osvm_status osvm_adwin_check(const osvm_adwin *w, osvm_error *error) {
  int sound = is_count(w->seen, 0x1p53);
  for (int r = 0; r < OSVM_ADWIN_ROWS && sound; r++) {
    sound = is_count(w->count[r], OSVM_ADWIN_BUCKETS);
    for (int k = 0; k < OSVM_ADWIN_SLOTS && sound; k++)
      sound = isfinite(w->total[r][k]) && isfinite(w->deviation[r][k]) && w->deviation[r][k] >= 0;
  }
  return sound ? OSVM_OK : osvm_fail(error, OSVM_INVALID, "the detector's state is damaged");
}

typedef struct {
  double n, total, deviation;
} part;

static double mean_of(part a) { return a.n > 0 ? a.total / a.n : 0; }

/* Sums of squared deviations of a union (Chan, Golub and LeVeque 1983) */
static part joined(part a, part b) {
  const double gap = a.n > 0 && b.n > 0 ? mean_of(a) - mean_of(b) : 0;
  const double n = a.n + b.n;
  return (part){n, a.total + b.total, a.deviation + b.deviation + (n > 0 ? gap * gap * a.n * b.n / n : 0)};
}

static part bucket(const osvm_adwin *w, int r, int k) {
  return (part){ldexp(1, r), w->total[r][k], w->deviation[r][k]};
}

static part whole_window(const osvm_adwin *w) {
  part all = {0, 0, 0};
  for (int r = OSVM_ADWIN_ROWS - 1; r >= 0; r--)
    for (int k = 0; k < (int)w->count[r]; k++) all = joined(all, bucket(w, r, k));
  return all;
}

static void append(osvm_adwin *w, int r, part value) {
  const int k = (int)w->count[r]++;
  w->total[r][k] = value.total;
  w->deviation[r][k] = value.deviation;
}

/* The oldest of a row */
static void drop(osvm_adwin *w, int r, int how_many) {
  w->count[r] -= how_many;
  for (int k = 0; k < (int)w->count[r]; k++) {
    w->total[r][k] = w->total[r][k + how_many];
    w->deviation[r][k] = w->deviation[r][k + how_many];
  }
}

/* A row with one bucket too many gives its two oldest as one to the next; the last row loses its oldest. */
static void insert(osvm_adwin *w, double x) {
  append(w, 0, (part){1, x, 0});
  for (int r = 0; r < OSVM_ADWIN_ROWS && w->count[r] > OSVM_ADWIN_BUCKETS; r++) {
    if (r + 1 == OSVM_ADWIN_ROWS) {
      drop(w, r, 1);
    } else {
      const part two = joined(bucket(w, r, 0), bucket(w, r, 1));
      drop(w, r, 2);
      append(w, r + 1, two);
    }
  }
}

/* Whether a cut shows a change; its halves */
static int find_cut(const osvm_adwin *w, double delta, part *older, part *newer) {
  const part all = whole_window(w);
  if (all.n < 2 * SHORTEST) return 0;
  const double log_term = log(2 * log(all.n) / delta), variance = all.deviation / all.n;
  part left = {0, 0, 0};
  for (int r = OSVM_ADWIN_ROWS - 1; r >= 0; r--)
    for (int k = 0; k < (int)w->count[r]; k++) {
      left = joined(left, bucket(w, r, k));
      const part right = {all.n - left.n, all.total - left.total, 0};
      if (left.n < SHORTEST || right.n < SHORTEST) continue;
      const double inverse = 1 / left.n + 1 / right.n;
      const double bound = sqrt(2 * inverse * variance * log_term) + 2 * inverse * log_term / 3;
      if (fabs(mean_of(left) - mean_of(right)) > bound) {
        *older = left;
        *newer = right;
        return 1;
      }
    }
  return 0;
}

static void drop_oldest(osvm_adwin *w) {
  int r = OSVM_ADWIN_ROWS - 1;
  while (r > 0 && w->count[r] == 0) r--;
  if (w->count[r] > 0) drop(w, r, 1);
}

osvm_status osvm_adwin_add(osvm_adwin *w, double delta, const double *values, size_t n, osvm_adwin_change *change,
                           osvm_error *error) {
  OSVM_TRY(osvm_adwin_check(w, error));
  if (!(delta > 0 && delta < 1)) return osvm_fail(error, OSVM_INVALID, "delta must lie between 0 and 1");
  for (size_t i = 0; i < n; i++)
    if (!(fabs(values[i]) <= LARGEST)) return osvm_fail(error, OSVM_INVALID, "a value is missing or too large");
  *change = (osvm_adwin_change){0, 0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    part older, newer;
    insert(w, values[i]);
    w->seen++;
    if (fmod(w->seen, CLOCK) != 0) continue;
    while (find_cut(w, delta, &older, &newer)) {
      if (mean_of(newer) > mean_of(older)) {
        if (change->at == 0) change->at = i + 1;
        change->before = mean_of(older);
        change->after = mean_of(newer);
      }
      drop_oldest(w);
    }
  }
  change->width = whole_window(w).n;
  return OSVM_OK;
}
