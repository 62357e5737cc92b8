/* Vector code, written once over a vector type; simd-table.h includes it once per precision and defines
 *   REAL, V, LANES      the number, a vector of it, and its length
 *   HALF, W, WLANES     a vector of REAL as long as W, the vector of double that TO_W converts it to, and their length
 *   FROM_W              the conversion of W to HALF
 *   BITS                V as unsigned integers
 *   INDEX               an unsigned integer of the size of REAL
 *   ADDV                the sum of two, beside additions of others
 *   MAXV, MINV          lane by lane
 *   FN(x)               the name of function x
 * TARGET and TILE (panels per pass, as many as the registers hold) come from the instruction set's file. */

TARGET ALWAYS_INLINE V FN(magnitude)(V v) {
  const INDEX sign = (INDEX)1 << (8 * sizeof(REAL) - 1);
  BITS bits;
  memcpy(&bits, &v, sizeof bits);
  bits &= ~sign;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* sum plus the term of one feature: a product, a squared or an absolute difference */
TARGET ALWAYS_INLINE V FN(add_term)(V sum, REAL x, V z, const term term) {
  const V difference = x - z;
  if (term == PRODUCT) return sum + x * z;
  if (term == SQUARE) return sum + difference * difference;
  return ADDV(sum, FN(magnitude)(difference));
}

/* `rows` queries with `panels` panels side by side, both constants: each sum has a register. A panel value is loaded once
 * for all queries: with several of them arithmetic bounds the speed, not memory. */
TARGET ALWAYS_INLINE void FN(tile)(const REAL *panel, int d, const REAL *queries, REAL *out, size_t stride,
                                   const int rows, const int panels, const term term) {
  V sum[OSVM_QUERIES][TILE];
  UNROLL
  for (int q = 0; q < rows; q++) {
    UNROLL
    for (int k = 0; k < panels; k++) sum[q][k] = (V){0};
  }
  for (int f = 0; f < d; f++) {
    V z[TILE];
    UNROLL
    for (int k = 0; k < panels; k++) z[k] = *(const V *)(panel + ((size_t)k * d + f) * LANES);
    UNROLL
    for (int q = 0; q < rows; q++) {
      const REAL x = queries[(size_t)q * d + f];
      UNROLL
      for (int k = 0; k < panels; k++) sum[q][k] = FN(add_term)(sum[q][k], x, z[k], term);
    }
  }
  UNROLL
  for (int q = 0; q < rows; q++) {
    UNROLL
    for (int k = 0; k < panels; k++) *(V *)(out + q * stride + (size_t)k * LANES) = sum[q][k];
  }
}

/* The same with `count` panels. The last ones, fewer than a tile, are side by side, too: alone, each of their sums would
 * wait for its own last addition. */
TARGET ALWAYS_INLINE void FN(tiles)(const REAL *panels, int d, int count, const REAL *queries, REAL *out, size_t stride,
                                    const int rows, const term term) {
  for (; count >= TILE; count -= TILE) {
    FN(tile)(panels, d, queries, out, stride, rows, TILE, term);
    panels += (size_t)TILE * d * LANES;
    out += TILE * LANES;
  }
  if (TILE > 3 && count == 3) FN(tile)(panels, d, queries, out, stride, rows, TILE > 3 ? 3 : 1, term);
  if (TILE > 2 && count == 2) FN(tile)(panels, d, queries, out, stride, rows, TILE > 2 ? 2 : 1, term);
  if (count == 1) FN(tile)(panels, d, queries, out, stride, rows, 1, term);
}

TARGET static void FN(dots)(const void *panels, int d, int count, const void *query, void *out) {
  FN(tiles)(panels, d, count, query, out, 0, 1, PRODUCT);
}

TARGET static void FN(distances)(const void *panels, int d, int count, const void *query, void *out) {
  FN(tiles)(panels, d, count, query, out, 0, 1, SQUARE);
}

TARGET static void FN(absolutes)(const void *panels, int d, int count, const void *query, void *out) {
  FN(tiles)(panels, d, count, query, out, 0, 1, MAGNITUDE);
}

TARGET static void FN(block_dots)(const void *panels, int d, int count, const void *queries, void *out, size_t stride) {
  FN(tiles)(panels, d, count, queries, out, stride, OSVM_QUERIES, PRODUCT);
}

TARGET static void FN(block_distances)(const void *panels, int d, int count, const void *queries, void *out,
                                       size_t stride) {
  FN(tiles)(panels, d, count, queries, out, stride, OSVM_QUERIES, SQUARE);
}

TARGET static void FN(block_absolutes)(const void *panels, int d, int count, const void *queries, void *out,
                                       size_t stride) {
  FN(tiles)(panels, d, count, queries, out, stride, OSVM_QUERIES, MAGNITUDE);
}

/* exp(factor v) by range reduction: t = v factor / ln 2 = n + r with n the nearest integer and |r| <= 1/2, so the
 * result is 2^n 2^r. Adding 1.5 * 2^mantissa rounds t to an integer and leaves n in the low bits, to be shifted into
 * the exponent. 2^r is the Taylor series of exp(r ln 2) up to r^7 (single) or r^13 (double); the rest, (ln 2 / 2)^8 /
 * 8! = 5.2e-9 or (ln 2 / 2)^14 / 14! = 4.2e-18, is below an eighth of a unit in the last place. The rounding of t
 * dominates: the relative error is at most (3 + 1.5 |factor v|) epsilon. t is clamped to exponents of normal numbers:
 * no result is 0, Inf or subnormal. */
TARGET ALWAYS_INLINE void FN(exp_at)(REAL *values, V rate) {
  const int single = sizeof(REAL) == 4;
  const int mantissa = single ? 23 : 52;
  const REAL magic = (REAL)(single ? 12582912.0 : 6755399441055744.0);
  const V low = (V){0} + (REAL)(single ? -126 : -1022), high = (V){0} + (REAL)(single ? 127 : 1023);
  V t = *(const V *)values * rate;
  t = MAXV(t, low);
  t = MINV(t, high);
  const V shifted = t + magic;
  const V r = t - (shifted - magic);
  const double l = 0.693147180559945309417;
  V e = (V){0} + (REAL)(l * l * l * l * l * l * l / 5040);
  if (!single) {
    const double l8 = l * l * l * l * l * l * l * l;
    e = (V){0} + (REAL)(l8 * l * l * l * l * l / 6227020800.0);
    e = e * r + (REAL)(l8 * l * l * l * l / 479001600.0);
    e = e * r + (REAL)(l8 * l * l * l / 39916800.0);
    e = e * r + (REAL)(l8 * l * l / 3628800.0);
    e = e * r + (REAL)(l8 * l / 362880.0);
    e = e * r + (REAL)(l8 / 40320.0);
    e = e * r + (REAL)(l * l * l * l * l * l * l / 5040);
  }
  e = e * r + (REAL)(l * l * l * l * l * l / 720);
  e = e * r + (REAL)(l * l * l * l * l / 120);
  e = e * r + (REAL)(l * l * l * l / 24);
  e = e * r + (REAL)(l * l * l / 6);
  e = e * r + (REAL)(l * l / 2);
  e = e * r + (REAL)l;
  e = e * r + (REAL)1;
  BITS power, value;
  memcpy(&power, &shifted, sizeof power);
  memcpy(&value, &e, sizeof value);
  value += power << mantissa;
  memcpy(values, &value, sizeof value);
}

TARGET static void FN(exponentials)(void *values, int n, double factor) {
  REAL *v = values;
  const V rate = (V){0} + (REAL)(factor * 1.44269504088896340736);
  int i = 0;
  for (; i + LANES <= n; i += LANES) FN(exp_at)(v + i, rate);
  if (i < n) {
    REAL rest[LANES] = {0};
    memcpy(rest, v + i, (size_t)(n - i) * sizeof(REAL));
    FN(exp_at)(rest, rate);
    memcpy(v + i, rest, (size_t)(n - i) * sizeof(REAL));
  }
}

/* The remaining transforms are plain loops: cheap relative to the dot products, and compilers vectorise them. */
TARGET static void FN(powers)(void *values, int n, double factor, double offset, int degree) {
  REAL *v = values;
  for (int i = 0; i < n; i++) {
    REAL base = (REAL)factor * v[i] + (REAL)offset, power = 1;
    for (int k = degree; k > 0; k >>= 1, base *= base)
      if (k & 1) power *= base;
    v[i] = power;
  }
}

/* tanh u = 1 - 2 / (exp(2u) + 1) */
TARGET static void FN(tangents)(void *values, int n, double factor, double offset) {
  REAL *v = values;
  for (int i = 0; i < n; i++) v[i] = 2 * ((REAL)factor * v[i] + (REAL)offset);
  FN(exponentials)(v, n, 1);
  for (int i = 0; i < n; i++) v[i] = 1 - 2 / (v[i] + 1);
}

TARGET static void FN(dots_to_distances)(void *values, int n, double norm, const double *norms) {
  REAL *v = values;
  const W zero = (W){0};
  int i = 0;
  for (; i + WLANES <= n; i += WLANES) {
    const W distance = norm + *(const W *)(norms + i) - 2.0 * TO_W(*(const HALF *)(v + i));
    *(HALF *)(v + i) = FROM_W(MAX_DOUBLE(distance, zero));
  }
  for (; i < n; i++) {
    const double distance = norm + norms[i] - 2.0 * v[i];
    v[i] = (REAL)(distance > 0 ? distance : 0);
  }
}

TARGET static void FN(pack)(const double *x, int n, double shift, double unit, void *out, double *norms) {
  REAL *v = out;
  for (int i = 0; i < n; i += WLANES) {
    const HALF value = FROM_W((*(const W *)(x + i) - shift) / unit);
    const W wide = TO_W(value);
    *(HALF *)(v + i) = value;
    *(W *)(norms + i) += wide * wide;
  }
}

/* cos(2 pi v) = sin(2 pi t) with t = 1/4 - |v - n|, n the integer nearest to v, |t| <= 1/4: the Taylor series of the sine up
 * to the 13th power (single) or the 21st (double), with an error of (pi / 2)^15 / 15! = 6.7e-10 or (pi / 2)^23 / 23! =
 * 1.3e-18. Whole turns are taken off without rounding, so that the rounding of v dominates. The x87 rounds v + magic
 * twice: |v - n| may exceed 1/2 by 2^-12, where the series still holds. */
TARGET ALWAYS_INLINE V FN(cos_turns)(V v) {
  static const double inverse[] = {1. / 6,   1. / 20,  1. / 42,  1. / 72,  1. / 110,
                                   1. / 156, 1. / 210, 1. / 272, 1. / 342, 1. / 420};
  const int single = sizeof(REAL) == 4, terms = single ? 6 : 10;
  const REAL magic = (REAL)(single ? 12582912.0 : 6755399441055744.0);
  const V shifted = v + magic; /* a variable: see base.h */
  const V nearest = shifted - magic, most = (V){0} + (REAL)0.501;
  const V away = MINV(FN(magnitude)(v - nearest), most); /* beyond it, or not a number: v has no digits of a turn */
  const V angle = (REAL)6.28318530717958647693 * ((REAL)0.25 - away), square = angle * angle;
  V sum = (V){0} + (REAL)1;
  UNROLL
  for (int k = terms - 1; k >= 0; k--) sum = (REAL)1 - sum * square * (REAL)inverse[k];
  return sum * angle;
}

TARGET static void FN(cosines)(void *values, int n, double factor, const double *turns) {
  REAL *v = values;
  REAL block[LANES];
  for (int i = 0; i < n; i += LANES) {
    const int count = n - i < LANES ? n - i : LANES;
    V x = (V){0};
    for (int k = 0; k < count; k++) block[k] = v[i + k] + (REAL)turns[i + k];
    memcpy(&x, block, count * sizeof(REAL));
    x = (REAL)factor * FN(cos_turns)(x);
    memcpy(v + i, &x, count * sizeof(REAL));
  }
}

TARGET static void FN(combine)(const void *const *rows, int n, const double *factors, double *target) {
  const REAL *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  const double fa = factors[0], fb = factors[1], fc = factors[2], fd = factors[3];
  int i = 0;
  for (; i + WLANES <= n; i += WLANES)
    *(W *)(target + i) += (fa * TO_W(*(const HALF *)(a + i)) + fb * TO_W(*(const HALF *)(b + i))) +
                          (fc * TO_W(*(const HALF *)(c + i)) + fd * TO_W(*(const HALF *)(d + i)));
  for (; i < n; i++) target[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
}

TARGET static void FN(add)(const void *values, int n, double factor, double *target) {
  const REAL *v = values;
  int i = 0;
  for (; i + WLANES <= n; i += WLANES) *(W *)(target + i) += factor * TO_W(*(const HALF *)(v + i));
  for (; i < n; i++) target[i] += factor * v[i];
}

/* Dot product in double: four accumulators hide the latency of the addition. */
TARGET static double FN(weigh)(const void *values, int n, const double *weights) {
  const REAL *v = values;
  W sum[4];
  UNROLL
  for (int k = 0; k < 4; k++) sum[k] = (W){0};
  int i = 0;
  for (; i + 4 * WLANES <= n; i += 4 * WLANES) {
    UNROLL
    for (int k = 0; k < 4; k++)
      sum[k] += *(const W *)(weights + i + k * WLANES) * TO_W(*(const HALF *)(v + i + k * WLANES));
  }
  for (; i + WLANES <= n; i += WLANES) sum[0] += *(const W *)(weights + i) * TO_W(*(const HALF *)(v + i));
  sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  /* Pairwise over the lanes; the remainder is summed independently: short dependencies. */
  double lane[WLANES], rest[2] = {0, 0};
  memcpy(lane, &sum[0], sizeof lane);
  for (int k = 0; i < n; i++, k ^= 1) rest[k] += weights[i] * v[i];
  for (int half = WLANES / 2; half > 0; half /= 2) {
    UNROLL
    for (int k = 0; k < half; k++) lane[k] += lane[k + half];
  }
  return lane[0] + (rest[0] + rest[1]);
}

/* Gradient update and selection of the next i in one pass. LANES values of REAL fill PARTS vectors of double; each part
 * has its own maximum and minimum, so that there is no dependency between them. Ties go to the lowest index, whatever
 * the vector length: all tables select the same i. */
TARGET static void FN(pair_step)(osvm_pair_selection *selection, const void *row_a, const void *row_b, int from, int to,
                                 double change) {
  enum { PARTS = LANES / WLANES };
  const REAL *a = row_a, *b = row_b, *up = selection->up, *low = selection->low;
  REAL *gradient_low = selection->gradient_low;
  double *gradient = selection->gradient;
  W gmax[PARTS], gmin[PARTS];
  v_bits64 here = (v_bits64){0}, first[PARTS];
  UNROLL
  for (int p = 0; p < PARTS; p++) {
    gmax[p] = (W){0} - INFINITY;
    gmin[p] = (W){0} + INFINITY;
    first[p] = (v_bits64){0};
  }
  for (int i = from; i < to; i += LANES, here += 1) {
    UNROLL
    for (int p = 0; p < PARTS; p++) {
      const int j = i + p * WLANES;
      const W g = *(const W *)(gradient + j) - change * (TO_W(*(const HALF *)(a + j)) - TO_W(*(const HALF *)(b + j)));
      const W g_up = g + TO_W(*(const HALF *)(up + j)), g_low = g + TO_W(*(const HALF *)(low + j));
      *(W *)(gradient + j) = g;
      *(HALF *)(gradient_low + j) = FROM_W(g_low);
      first[p] = PICK(v_bits64, g_up > gmax[p], here, first[p]);
      gmax[p] = MAX_DOUBLE(gmax[p], g_up);
      gmin[p] = MIN_DOUBLE(gmin[p], g_low);
    }
  }
  double lane_max[LANES], lane_min[LANES];
  uint64_t at[LANES];
  memcpy(lane_max, gmax, sizeof lane_max);
  memcpy(lane_min, gmin, sizeof lane_min);
  memcpy(at, first, sizeof at);
  selection->gmax = lane_max[0];
  selection->gmin = lane_min[0];
  selection->first = from + (int)at[0] * LANES;
  for (int k = 1; k < LANES; k++) {
    const int place = from + (int)at[k] * LANES + k;
    if (lane_min[k] < selection->gmin) selection->gmin = lane_min[k];
    if (lane_max[k] < selection->gmax || (lane_max[k] == selection->gmax && place > selection->first)) continue;
    selection->gmax = lane_max[k];
    selection->first = place;
  }
}

/* WSS 2 of Fan, Chen & Lin (2005): j in I_low with the largest second-order gain b_ij^2 / a_ij, b_ij = g_i - g_j > 0,
 * a_ij = k_ii + k_jj - 2 k_ij. Outside I_low gradient_low is +Inf and the clipped b_ij 0. Duplicates, rounding and
 * indefinite kernels give a_ij <= 0: tau = 1e-12 in its place (their WSS 3, and LIBSVM's value) keeps the quotient
 * finite, and is so far below the curvature of other pairs that a violating pair without curvature, which can move to
 * its bound, comes first. */
TARGET static int FN(pair_partner)(const osvm_pair_selection *selection, const void *kernels, int from, int to,
                                   double *best_gain) {
  const REAL *row = kernels, *gradient_low = selection->gradient_low, *diagonal = selection->diagonal;
  const V gradient = (V){0} + (REAL)selection->gmax, zero = (V){0}, tau = (V){0} + (REAL)1e-12;
  const V self = (V){0} + diagonal[selection->first];
  V best = (V){0};
  BITS here = (BITS){0}, second = (BITS){0};
  for (int i = from; i < to; i += LANES, here += 1) {
    const V violation = gradient - *(const V *)(gradient_low + i), positive = MAXV(violation, zero);
    const V curvature = (self + *(const V *)(diagonal + i)) - 2 * *(const V *)(row + i);
    const V gain = positive * positive / MAXV(curvature, tau);
    second = PICK(BITS, gain > best, here, second);
    best = MAXV(best, gain);
  }
  REAL gain[LANES], most = 0;
  INDEX at[LANES];
  memcpy(gain, &best, sizeof gain);
  memcpy(at, &second, sizeof at);
  int found = -1;
  for (int k = 0; k < LANES; k++) {
    const int place = from + (int)at[k] * LANES + k;
    if (!(gain[k] > most) && !(found >= 0 && gain[k] == most && place < found)) continue;
    most = gain[k];
    found = place;
  }
  *best_gain = most;
  return found;
}

/* Gradient update of coordinate descent, and the coordinate whose clipped Newton step t = g_i / k_ii gains most,
 * t (g_i - k_ii t / 2), in one pass. */
TARGET static void FN(coordinate_step)(osvm_coordinate_selection *selection, const void *kernels, int from, int to,
                                       double change) {
  const REAL *row = kernels, *down = selection->down, *up = selection->up, *inverse = selection->inverse,
             *diagonal = selection->diagonal;
  double *gradient = selection->gradient;
  W best = (W){0};
  v_bits64 here = (v_bits64){0}, first = (v_bits64){0};
  for (int i = from; i < to; i += WLANES, here += 1) {
    const W g = *(const W *)(gradient + i) - change * TO_W(*(const HALF *)(row + i));
    *(W *)(gradient + i) = g;
    const W newton = MAX_DOUBLE(g * TO_W(*(const HALF *)(inverse + i)), TO_W(*(const HALF *)(down + i)));
    const W step = MIN_DOUBLE(newton, TO_W(*(const HALF *)(up + i)));
    const W gain = step * (g - 0.5 * TO_W(*(const HALF *)(diagonal + i)) * step);
    first = PICK(v_bits64, gain > best, here, first);
    best = MAX_DOUBLE(best, gain);
  }
  double gains[WLANES];
  uint64_t at[WLANES];
  memcpy(gains, &best, sizeof gains);
  memcpy(at, &first, sizeof at);
  selection->gain = 0;
  selection->best = -1;
  for (int k = 0; k < WLANES; k++) {
    const int place = from + (int)at[k] * WLANES + k;
    const int tie = selection->best >= 0 && gains[k] == selection->gain && place < selection->best;
    if (!(gains[k] > selection->gain) && !tie) continue;
    selection->gain = gains[k];
    selection->best = place;
  }
}
