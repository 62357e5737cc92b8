/* The panel arithmetic, written once over a vector type; simd-table.h includes it once per precision and says what
 *   REAL, V, LANES      the number, a vector of it, and how many it holds
 *   HALF, W, WLANES     a shorter vector of REAL, the vector of double it becomes by TO_W, and how many they hold
 *   FROM_W              back from W to HALF
 *   BITS                V seen as unsigned integers
 *   INDEX               an unsigned integer as long as REAL
 *   MAXV, MINV          lane by lane
 *   FN(x)               the name of function x
 * mean. TARGET and TILE (panels worked on at once: as many as the registers hold) come from the instruction set's file. */

TARGET ALWAYS_INLINE void FN(row)(const REAL *panels, int d, int count, const REAL *query, REAL *out,
                                  const int squared) {
  int p = 0;
  for (; p + TILE <= count; p += TILE) {
    const REAL *panel = panels + (size_t)p * d * LANES;
    V sum[TILE];
    UNROLL
    for (int k = 0; k < TILE; k++) sum[k] = (V){0};
    for (int f = 0; f < d; f++) {
      UNROLL
      for (int k = 0; k < TILE; k++) {
        const V z = *(const V *)(panel + ((size_t)k * d + f) * LANES);
        if (squared) {
          const V gap = query[f] - z;
          sum[k] += gap * gap;
        } else {
          sum[k] += query[f] * z;
        }
      }
    }
    UNROLL
    for (int k = 0; k < TILE; k++) *(V *)(out + (size_t)(p + k) * LANES) = sum[k];
  }
  for (; p < count; p++) {
    const REAL *panel = panels + (size_t)p * d * LANES;
    V sum = (V){0};
    for (int f = 0; f < d; f++) {
      const V z = *(const V *)(panel + (size_t)f * LANES);
      const V gap = query[f] - z;
      if (squared) sum += gap * gap;
      else sum += query[f] * z;
    }
    *(V *)(out + (size_t)p * LANES) = sum;
  }
}

/* OSVM_QUERIES rows at once: each panel value loaded serves four queries, so a block is bound by arithmetic, not memory. */
TARGET ALWAYS_INLINE void FN(block)(const REAL *panels, int d, int count, const REAL *queries, REAL *out, size_t stride,
                                    const int squared) {
  int p = 0;
  for (; p + TILE <= count; p += TILE) {
    const REAL *panel = panels + (size_t)p * d * LANES;
    V sum[OSVM_QUERIES][TILE];
    UNROLL
    for (int q = 0; q < OSVM_QUERIES; q++) {
      UNROLL
      for (int k = 0; k < TILE; k++) sum[q][k] = (V){0};
    }
    for (int f = 0; f < d; f++) {
      V z[TILE];
      UNROLL
      for (int k = 0; k < TILE; k++) z[k] = *(const V *)(panel + ((size_t)k * d + f) * LANES);
      UNROLL
      for (int q = 0; q < OSVM_QUERIES; q++) {
        const REAL x = queries[(size_t)q * d + f];
        UNROLL
        for (int k = 0; k < TILE; k++) {
          if (squared) {
            const V gap = x - z[k];
            sum[q][k] += gap * gap;
          } else {
            sum[q][k] += x * z[k];
          }
        }
      }
    }
    UNROLL
    for (int q = 0; q < OSVM_QUERIES; q++) {
      UNROLL
      for (int k = 0; k < TILE; k++) *(V *)(out + q * stride + (size_t)(p + k) * LANES) = sum[q][k];
    }
  }
  for (int q = 0; q < OSVM_QUERIES; q++) FN(row)
  (panels + (size_t)p * d * LANES, d, count - p, queries + (size_t)q * d, out + q * stride + (size_t)p * LANES,
   squared);
}

TARGET static void FN(dots)(const void *panels, int d, int count, const void *query, void *out) {
  FN(row)(panels, d, count, query, out, 0);
}

TARGET static void FN(distances)(const void *panels, int d, int count, const void *query, void *out) {
  FN(row)(panels, d, count, query, out, 1);
}

TARGET static void FN(block_dots)(const void *panels, int d, int count, const void *queries, void *out, size_t stride) {
  FN(block)(panels, d, count, queries, out, stride, 0);
}

TARGET static void FN(block_distances)(const void *panels, int d, int count, const void *queries, void *out,
                                       size_t stride) {
  FN(block)(panels, d, count, queries, out, stride, 1);
}

/* exp(factor v) = 2^n 2^r with n the nearest integer to t = v factor / ln 2 and |r| <= 1/2. Adding 1.5 * 2^mantissa makes
 * the processor round t and leaves n in the low bits, ready to be shifted into the exponent; 2^r is its Taylor series,
 * whose first term left out is below half a unit in the last place. t is clamped to the normal numbers. */
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

/* The remaining transforms are plain loops: beside the dot products they are cheap, and compilers vectorise them. */
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
  for (int i = 0; i < n; i++) {
    const double distance = norm + norms[i] - 2.0 * v[i];
    v[i] = (REAL)(distance > 0 ? distance : 0);
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
  /* Lanes in pairs and the rest beside them: no chain of additions is long. */
  double lane[WLANES], rest[2] = {0, 0};
  memcpy(lane, &sum[0], sizeof lane);
  for (int k = 0; i < n; i++, k ^= 1) rest[k] += weights[i] * v[i];
  for (int half = WLANES / 2; half > 0; half /= 2) {
    UNROLL
    for (int k = 0; k < half; k++) lane[k] += lane[k + half];
  }
  return lane[0] + (rest[0] + rest[1]);
}

/* Doubles fill more vectors than the numbers they come from: each has its own maximum, so that none waits for another. */
TARGET static void FN(pair_step)(osvm_pair_selection *selection, const void *row_a, const void *row_b, int n, double change) {
  enum { PARTS = LANES / WLANES };
  const REAL *a = row_a, *b = row_b, *rises = selection->up, *falls = selection->low;
  REAL *falling = selection->gradient_low;
  double *error = selection->gradient;
  W highest[PARTS], lowest[PARTS];
  v_bits64 here = (v_bits64){0}, first[PARTS];
  UNROLL
  for (int p = 0; p < PARTS; p++) {
    highest[p] = (W){0} - INFINITY;
    lowest[p] = (W){0} + INFINITY;
    first[p] = (v_bits64){0};
  }
  for (int i = 0; i < n; i += LANES, here += 1) {
    UNROLL
    for (int p = 0; p < PARTS; p++) {
      const int j = i + p * WLANES;
      const W e = *(const W *)(error + j) - change * (TO_W(*(const HALF *)(a + j)) - TO_W(*(const HALF *)(b + j)));
      const W up = e + TO_W(*(const HALF *)(rises + j)), down = e + TO_W(*(const HALF *)(falls + j));
      *(W *)(error + j) = e;
      *(HALF *)(falling + j) = FROM_W(down);
      first[p] = PICK(v_bits64, up > highest[p], here, first[p]);
      highest[p] = MAX_DOUBLE(highest[p], up);
      lowest[p] = MIN_DOUBLE(lowest[p], down);
    }
  }
  double high[LANES], low[LANES];
  uint64_t at[LANES];
  memcpy(high, highest, sizeof high);
  memcpy(low, lowest, sizeof low);
  memcpy(at, first, sizeof at);
  selection->gmax = high[0];
  selection->gmin = low[0];
  selection->first = (int)at[0] * LANES;
  /* The first place of several equal ones, whatever the vector's length. */
  for (int k = 1; k < LANES; k++) {
    const int place = (int)at[k] * LANES + k;
    if (low[k] < selection->gmin) selection->gmin = low[k];
    if (high[k] < selection->gmax || (high[k] == selection->gmax && place > selection->first)) continue;
    selection->gmax = high[k];
    selection->first = place;
  }
}

TARGET static int FN(pair_partner)(const osvm_pair_selection *selection, const void *kernels, int n) {
  const REAL *row = kernels, *falling = selection->gradient_low, *self = selection->diagonal;
  const V error = (V){0} + (REAL)selection->gradient[selection->first], zero = (V){0}, tau = (V){0} + (REAL)1e-12;
  const V curve = (V){0} + self[selection->first];
  V best = (V){0};
  BITS here = (BITS){0}, second = (BITS){0};
  for (int i = 0; i < n; i += LANES, here += 1) {
    const V gap = error - *(const V *)(falling + i), positive = MAXV(gap, zero);
    const V curvature = (curve + *(const V *)(self + i)) - 2 * *(const V *)(row + i);
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
    const int place = (int)at[k] * LANES + k;
    if (!(gain[k] > most) && !(found >= 0 && gain[k] == most && place < found)) continue;
    most = gain[k];
    found = place;
  }
  return found;
}

TARGET static void FN(coordinate_step)(osvm_coordinate_selection *selection, const void *kernels, int n, double change) {
  const REAL *row = kernels, *down = selection->down, *up = selection->up, *inverse = selection->inverse,
             *self = selection->diagonal;
  double *error = selection->gradient;
  W best = (W){0};
  v_bits64 here = (v_bits64){0}, first = (v_bits64){0};
  for (int i = 0; i < n; i += WLANES, here += 1) {
    const W e = *(const W *)(error + i) - change * TO_W(*(const HALF *)(row + i));
    *(W *)(error + i) = e;
    const W wanted = MAX_DOUBLE(e * TO_W(*(const HALF *)(inverse + i)), TO_W(*(const HALF *)(down + i)));
    const W move = MIN_DOUBLE(wanted, TO_W(*(const HALF *)(up + i)));
    const W gain = move * (e - 0.5 * TO_W(*(const HALF *)(self + i)) * move);
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
    const int place = (int)at[k] * WLANES + k;
    const int tie = selection->best >= 0 && gains[k] == selection->gain && place < selection->best;
    if (!(gains[k] > selection->gain) && !tie) continue;
    selection->gain = gains[k];
    selection->best = place;
  }
}
