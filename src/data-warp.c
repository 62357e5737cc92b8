/* Warping: monotone functions of columns. */
#include <math.h>
#include <string.h>

#include "data.h"

osvm_status osvm_warp_check(const osvm_warp *warp, int d, size_t length, osvm_error *error) {
  int sound = warp->start[0] == 0 && (size_t)warp->start[d] == length;
  for (int f = 0; f < d; f++) {
    const int knots = warp->start[f + 1] - warp->start[f];
    sound &= knots >= 0 && (warp->kind == OSVM_QUANTILES ? knots != 1 : knots <= 1);
  }
  return sound ? OSVM_OK : osvm_fail(error, OSVM_INVALID, "the model's quantiles do not fit its columns");
}

typedef struct {
  const double *from, *to;
  int knots;
} curve;

/* LANES values at a time by binary search in the same steps: no branch depends on a value, and the searches overlap. */
enum { LANES = 8 };

static void interpolate(const curve *c, double x[LANES]) {
  const double low = c->from[0], high = c->from[c->knots - 1];
  int at[LANES] = {0};
  for (int k = 0; k < LANES; k++) x[k] = x[k] < low ? low : x[k] > high ? high : x[k];
  for (int left = c->knots - 1; left > 1;) {
    const int half = left / 2;
    for (int k = 0; k < LANES; k++) at[k] += (c->from[at[k] + half] <= x[k]) * half;
    left -= half;
  }
  for (int k = 0; k < LANES; k++) {
    const double *from = c->from + at[k], *to = c->to + at[k];
    x[k] = to[0] + (x[k] - from[0]) / (from[1] - from[0]) * (to[1] - to[0]);
  }
}

static void interpolate_all(const curve *c, double *x, int count) {
  int k = 0;
  for (; k + LANES <= count; k += LANES) interpolate(c, x + k);
  if (k == count) return;
  double rest[LANES] = {0};
  memcpy(rest, x + k, (count - k) * sizeof *x);
  interpolate(c, rest);
  memcpy(x + k, rest, (count - k) * sizeof *x);
}

static void clip(double middle, double unit, double *x, int count) {
  const double factor = 1 / (OSVM_CLIP_LIMIT * OSVM_CLIP_LIMIT);
  for (int k = 0; k < count; k++) {
    const double z = (x[k] - middle) / unit;
    x[k] = z / sqrt(1 + z * z * factor);
  }
}

void osvm_warp_apply(const osvm_warp *warp, int f, double *x, int count) {
  if (warp->kind == OSVM_NO_WARP) return;
  const int first = warp->start[f], knots = warp->start[f + 1] - first;
  const curve c = {warp->from + first, warp->to + first, knots};
  if (knots == 0) return;
  if (warp->kind == OSVM_QUANTILES) interpolate_all(&c, x, count);
  else clip(*c.from, *c.to, x, count);
}

void osvm_warp_invert(const osvm_warp *warp, int f, double *z, int count) {
  if (warp->kind == OSVM_NO_WARP) return;
  const int first = warp->start[f], knots = warp->start[f + 1] - first;
  const curve inverse = {warp->to + first, warp->from + first, knots};
  if (knots == 0) return;
  if (warp->kind == OSVM_QUANTILES) {
    interpolate_all(&inverse, z, count);
    return;
  }
  for (int k = 0; k < count; k++) {
    const double share = z[k] / OSVM_CLIP_LIMIT;
    z[k] = warp->from[first] + warp->to[first] * z[k] / sqrt(fmax(1 - share * share, 1e-30));
  }
}

static double slope(const curve *c, double x) {
  int at = 0;
  for (int left = c->knots - 1; left > 1;) {
    const int half = left / 2;
    at += (c->from[at + half] <= x) * half;
    left -= half;
  }
  return (c->to[at + 1] - c->to[at]) / (c->from[at + 1] - c->from[at]);
}

/* Values that were packed are off a knot by rounding. */
static double slope_about(const curve *c, double x) {
  const double near = 1e-9 * fmax(1, fabs(x));
  return (slope(c, x - near) + slope(c, x + near)) / 2;
}

void osvm_warp_slopes(const osvm_warp *warp, int f, double *z, int count) {
  const int first = warp->kind == OSVM_NO_WARP ? 0 : warp->start[f];
  const int knots = warp->kind == OSVM_NO_WARP ? 0 : warp->start[f + 1] - first;
  const curve inverse = {warp->to + first, warp->from + first, knots};
  for (int k = 0; k < count; k++) {
    const double share = z[k] / OSVM_CLIP_LIMIT, room = fmax(1 - share * share, 1e-30);
    z[k] = knots == 0                     ? 1
           : warp->kind == OSVM_QUANTILES ? slope_about(&inverse, z[k])
                                          : warp->to[first] / (room * sqrt(room));
  }
}
