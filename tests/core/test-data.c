/* The view of the caller's matrix: checks of sparse slots, column summaries, products. */
#include <limits.h>

#include "test.h"

static void slots_in_order_pass(void) {
  matrix m = matrix_normal(9, 5, 0.4), empty = matrix_normal(3, 4, 0);
  osvm_data data = matrix_view(&m, OSVM_SPARSE), none = matrix_view(&empty, OSVM_SPARSE);
  CHECK(osvm_data_check(&data, m.nonzeros, NULL) == OSVM_OK);
  CHECK(osvm_data_check(&none, 0, NULL) == OSVM_OK);
  data = matrix_view(&m, OSVM_DOUBLES);
  CHECK(osvm_data_check(&data, 0, NULL) == OSVM_OK);
  matrix_free(&m);
  matrix_free(&empty);
}

/* 4 x 3 with two non-zeros a column; one entry of one slot changed at a time. */
static void check_damage(const char *what, int start_at, int start, int row_at, int row, size_t length) {
  int starts[] = {0, 2, 4, 6}, rows[] = {0, 3, 1, 2, 0, 1};
  const double x[] = {1, 2, 3, 4, 5, 6};
  osvm_error error = {NULL};
  if (start_at >= 0) starts[start_at] = start;
  if (row_at >= 0) rows[row_at] = row;
  const osvm_data data = {.kind = OSVM_SPARSE, .n = 4, .d = 3, .x = x, .start = starts, .row = rows};
  test_about("%s", what);
  CHECK(osvm_data_check(&data, length, &error) == OSVM_INVALID);
  CHECK(error.text != NULL);
}

static void damaged_slots_are_found(void) {
  check_damage("p begins above 0", 0, 1, -1, 0, 6);
  check_damage("p begins below 0", 0, -1, -1, 0, 6);
  check_damage("p decreases", 2, 1, -1, 0, 6);
  check_damage("p negative", 1, -5, -1, 0, 6);
  check_damage("p beyond x", 3, 7, -1, 0, 6);
  check_damage("p far beyond x", 1, INT_MAX, -1, 0, 6);
  check_damage("p ends too early", 3, 5, -1, 0, 6);
  check_damage("x too short", -1, 0, -1, 0, 5);
  check_damage("i negative", -1, 0, 2, -1, 6);
  check_damage("i too large", -1, 0, 5, 4, 6);
  check_damage("i missing", -1, 0, 0, INT_MIN, 6);
  check_damage("i twice", -1, 0, 1, 0, 6);
  check_damage("i out of order", -1, 0, 2, 3, 6);
}

static void check_description(const osvm_data *data) {
  osvm_column_summary *columns = malloc(data->d * sizeof *columns);
  CHECK(osvm_data_describe(data, 1, columns, NULL) == OSVM_OK);
  for (int j = 0; j < data->d; j++) {
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    for (int i = 0; i < data->n; i++) {
      const double x = data_value(data, i, j);
      low = fmin(low, x);
      high = fmax(high, x);
      sum += x;
    }
    for (int i = 0; i < data->n; i++) squares += pow(data_value(data, i, j) - sum / data->n, 2);
    CHECK(columns[j].low == low && columns[j].high == high);
    CHECK_NEAR(columns[j].mean, sum / data->n, 1e-14 * (high - low));
    CHECK_NEAR(columns[j].sd, data->n > 1 ? sqrt(squares / (data->n - 1)) : 0, 1e-14 * (high - low));
  }
  free(columns);
}

static void columns_are_described(void) {
  const int sizes[] = {1, 2, 50};
  for (int s = 0; s < COUNT(sizes); s++) {
    matrix m = matrix_whole(sizes[s], 7, 0.6);
    for (int kind = OSVM_DOUBLES; kind <= OSVM_SPARSE; kind++) {
      test_about("n %d, kind %d", sizes[s], kind);
      const osvm_data data = matrix_view(&m, kind);
      check_description(&data);
    }
    matrix_free(&m);
  }
}

static void constants_have_no_spread(void) {
  double x[7];
  osvm_column_summary c;
  const double values[] = {0, 0.1, -3, 1e200, 1e-310};
  for (int v = 0; v < COUNT(values); v++) {
    for (int i = 0; i < 7; i++) x[i] = values[v];
    const osvm_data data = {.kind = OSVM_DOUBLES, .n = 7, .d = 1, .x = x};
    CHECK(osvm_data_describe(&data, 1, &c, NULL) == OSVM_OK);
    CHECK(c.mean == values[v] && c.sd == 0);
  }
}

static void huge_and_tiny_values(void) {
  const double sizes[] = {1e200, 1e-200, 1e300};
  for (int s = 0; s < COUNT(sizes); s++) {
    const double x[] = {1 * sizes[s], 2 * sizes[s], 3 * sizes[s], -2 * sizes[s]};
    const osvm_data data = {.kind = OSVM_DOUBLES, .n = 4, .d = 1, .x = x};
    osvm_column_summary c;
    CHECK(osvm_data_describe(&data, 1, &c, NULL) == OSVM_OK);
    CHECK_NEAR(c.mean / sizes[s], 1, 1e-14);
    CHECK_NEAR(c.sd / sizes[s], sqrt(14.0 / 3), 1e-14);
  }
}

/* The examples marked are those with NaN, whatever else there is. */
static void check_gaps(const osvm_data *data, double bad, int row) {
  unsigned char marked[3] = {0};
  int missing, infinite;
  osvm_data_gaps(data, marked, &missing, &infinite);
  CHECK(missing == (isnan(bad) != 0) && infinite == (isinf(bad) != 0));
  for (int i = 0; i < data->n; i++) CHECK(marked[i] == (isnan(bad) && i == row));
}

static void missing_and_infinite_values_are_found(void) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  osvm_column_summary columns[3];
  for (int b = 0; b < COUNT(bad); b++)
    for (int at = 0; at < 6; at++) {
      osvm_error error = {NULL};
      double x[] = {1, 2, 3, 4, 5, 6};
      const int start[] = {0, 2, 4, 6}, row[] = {0, 2, 1, 2, 0, 1};
      x[at] = bad[b];
      const osvm_data dense = {.kind = OSVM_DOUBLES, .n = 2, .d = 3, .x = x};
      const osvm_data sparse = {.kind = OSVM_SPARSE, .n = 3, .d = 3, .x = x, .start = start, .row = row};
      CHECK(osvm_data_describe(&dense, 1, columns, &error) == OSVM_INVALID);
      CHECK(error.text != NULL);
      CHECK(osvm_data_describe(&sparse, 1, columns, &error) == OSVM_INVALID);
      CHECK(!osvm_data_finite(&dense) && !osvm_data_finite(&sparse));
      check_gaps(&dense, bad[b], at % 2);
      check_gaps(&sparse, bad[b], row[at]);
      x[at] = 1e308;
      CHECK(osvm_data_finite(&dense) && osvm_data_finite(&sparse));
    }
  int whole[] = {1, 2, INT_MIN, 4}; /* NA_INTEGER */
  const osvm_data data = {.kind = OSVM_INTEGERS, .n = 2, .d = 2, .integers = whole};
  CHECK(osvm_data_describe(&data, 1, columns, NULL) == OSVM_INVALID);
  CHECK(!osvm_data_finite(&data));
  check_gaps(&data, NAN, 0);
  whole[2] = INT_MAX;
  CHECK(osvm_data_finite(&data));
  CHECK(osvm_data_describe(&data, 1, columns, NULL) == OSVM_OK);
}

/* Above 2^24 a float does not hold every integer. */
static void large_integers_are_exact(void) {
  const int x[] = {16777217, 2147483647, -16777219, -2147483647};
  const osvm_data data = {.kind = OSVM_INTEGERS, .n = 2, .d = 2, .integers = x};
  osvm_column_summary columns[2];
  CHECK(osvm_data_describe(&data, 1, columns, NULL) == OSVM_OK);
  for (int j = 0; j < 2; j++) {
    const double a = x[2 * j], b = x[2 * j + 1];
    CHECK(columns[j].low == fmin(a, b) && columns[j].high == fmax(a, b));
    CHECK_NEAR(columns[j].mean, (a + b) / 2, 1e-15 * fabs(b));
    CHECK_NEAR(columns[j].sd, fabs(a - b) / sqrt(2), 1e-15 * fabs(b));
  }
  double norms[2];
  CHECK(osvm_data_norms(&data, norms) == OSVM_OK);
  for (int i = 0; i < 2; i++) {
    const double want = (double)x[i] * x[i] + (double)x[2 + i] * x[2 + i];
    CHECK_NEAR(norms[i], want, 1e-15 * want);
  }
}

static void nothing_to_describe(void) {
  osvm_column_summary columns[2];
  const osvm_data rows = {.kind = OSVM_DOUBLES, .n = 0, .d = 2}, features = {.kind = OSVM_DOUBLES, .n = 5, .d = 0};
  CHECK(osvm_data_describe(&rows, 1, columns, NULL) == OSVM_OK);
  CHECK(columns[1].mean == 0 && columns[1].sd == 0);
  CHECK(osvm_data_describe(&features, 1, columns, NULL) == OSVM_OK);

  const double x[] = {3, -1, 2};
  const osvm_data one = {.kind = OSVM_DOUBLES, .n = 3, .d = 1, .x = x};
  CHECK(osvm_data_describe(&one, 0, columns, NULL) == OSVM_OK);
  CHECK(columns[0].low == -1 && columns[0].high == 3 && columns[0].mean == 0 && columns[0].sd == 0);
}

static void products_with_weights_and_norms(void) {
  enum { N = 13, D = 6 };
  matrix m = matrix_whole(N, D, 0.6);
  const double centre[D] = {1, 0, -2, 0.5, 3, 1}, scale[D] = {2, 0.1, 1, 3, 5, 7};
  double weights[D];
  for (int f = 0; f < D; f++) weights[f] = f == 2 ? 0 : random_normal();
  for (int kind = OSVM_DOUBLES; kind <= OSVM_SPARSE; kind++) {
    osvm_data data = matrix_view(&m, kind);
    data.scale = scale;
    if (kind != OSVM_SPARSE) data.centre = centre;
    double out[N], norms[N];
    for (int i = 0; i < N; i++) out[i] = i;
    CHECK(osvm_data_multiply(&data, weights, 1, out, NULL) == OSVM_OK);
    CHECK(osvm_data_norms(&data, norms) == OSVM_OK);
    for (int i = 0; i < N; i++) {
      double want = i, norm = 0;
      for (int f = 0; f < D; f++) {
        want += weights[f] * data_value(&data, i, f);
        norm += pow(data_value(&data, i, f), 2);
      }
      CHECK_NEAR(out[i], want, 1e-12);
      CHECK_NEAR(norms[i], norm, 1e-13 * norm);
    }
  }
  matrix_free(&m);
}

/* ---- warping ---- */

enum { KNOTS = 9 };

/* Column 0 has KNOTS knots, 1 none, 2 two; or one each but for column 1. */
static const int knots_start[] = {0, KNOTS, KNOTS, KNOTS + 2}, clip_start[] = {0, 1, 1, 2};
static const double knots_from[] = {-3, -2.5, -1, 0, 0.1, 0.2, 1, 4, 9, -1, 1};
static const double knots_to[] = {-2, -1.5, -1, -0.2, 0, 0.3, 1, 1.1, 2, 0, 10};
static const double clip_from[] = {0.5, -1}, clip_to[] = {2, 0.1};

static osvm_warp warp_of(int clip) {
  if (clip) return (osvm_warp){OSVM_SOFT_CLIP, clip_start, clip_from, clip_to};
  return (osvm_warp){OSVM_QUANTILES, knots_start, knots_from, knots_to};
}

static double warped_value(const osvm_warp *warp, int f, double x) {
  const int first = warp->start[f], last = warp->start[f + 1] - 1;
  if (last < first) return x;
  if (warp->kind == OSVM_SOFT_CLIP) {
    const double z = (x - warp->from[first]) / warp->to[first];
    return z / sqrt(1 + z * z / 9);
  }
  if (x <= warp->from[first]) return warp->to[first];
  for (int k = first; k < last; k++)
    if (x <= warp->from[k + 1])
      return warp->to[k] + (x - warp->from[k]) * (warp->to[k + 1] - warp->to[k]) / (warp->from[k + 1] - warp->from[k]);
  return warp->to[last];
}

static void columns_are_warped_and_back(void) {
  for (int clip = 0; clip < 2; clip++)
    for (int count = 1; count < 40; count += 5)
      for (int f = 0; f < 3; f++) {
        const osvm_warp warp = warp_of(clip);
        double x[40], z[40];
        for (int k = 0; k < count; k++) x[k] = z[k] = k % 7 == 3 ? knots_from[k % KNOTS] : 3 * random_normal();
        osvm_warp_apply(&warp, f, z, count);
        for (int k = 0; k < count; k++) CHECK_NEAR(z[k], warped_value(&warp, f, x[k]), 1e-14);
        osvm_warp_invert(&warp, f, z, count);
        for (int k = 0; k < count; k++) {
          const double low = clip || f == 1 ? x[k] : f == 0 ? -3 : -1, high = clip || f == 1 ? x[k] : f == 0 ? 9 : 1;
          CHECK_NEAR(z[k], fmin(fmax(x[k], low), high), 1e-9);
        }
      }
}

static void slopes_back_are_differences(void) {
  const double h = 1e-7;
  for (int clip = 0; clip < 2; clip++)
    for (int f = 0; f < 3; f++) {
      const osvm_warp warp = warp_of(clip);
      const double low = clip || f == 1 ? -2.9 : f == 0 ? -2 : 0, high = clip || f == 1 ? 2.9 : f == 0 ? 2 : 10;
      for (int k = 0; k < 60; k++) {
        const double share = random_uniform();
        const double z = k < KNOTS && f == 0 ? fmin(fmax(knots_to[k], low), high) : low + share * (high - low);
        double sides[2] = {fmax(z - h, low), fmin(z + h, high)}, step = sides[1] - sides[0], slope = z;
        osvm_warp_invert(&warp, f, sides, 2);
        osvm_warp_slopes(&warp, f, &slope, 1);
        CHECK_NEAR(slope, (sides[1] - sides[0]) / step, 1e-4 * slope);
      }
    }
  const osvm_warp quantiles = warp_of(0);
  double beyond[] = {-7, 7};
  osvm_warp_slopes(&quantiles, 0, beyond, 2);
  CHECK(fabs(beyond[0] - 1) < 1e-12 && fabs(beyond[1] - 5 / 0.9) < 1e-12);
}

/* Products, norms and packed examples are those of the columns warped beforehand. */
static void views_are_warped(void) {
  enum { N = 700, D = 3 };
  matrix m = matrix_whole(N, D, 0.6);
  const double centre[D] = {1, 0, -2}, scale[D] = {2, 0.1, 1}, weights[2 * D] = {0.3, -1, 2, 1, 0, -0.2};
  double *x = malloc(N * D * sizeof *x), *out = calloc(8 * N, sizeof *out);
  for (int clip = 0; clip < 2; clip++)
    for (int kind = OSVM_DOUBLES; kind <= OSVM_INTEGERS; kind++) {
      osvm_data data = matrix_view(&m, kind), plain = {.kind = OSVM_DOUBLES, .n = N, .d = D, .x = x};
      data.warp = warp_of(clip);
      for (int i = 0; i < N; i++)
        for (int f = 0; f < D; f++) x[i + f * N] = warped_value(&data.warp, f, data_value(&data, i, f));
      data.centre = plain.centre = centre;
      data.scale = plain.scale = scale;
      memset(out, 0, 8 * N * sizeof *out);
      CHECK(osvm_data_multiply(&data, weights, 2, out, NULL) == OSVM_OK);
      CHECK(osvm_data_multiply(&plain, weights, 2, out + 2 * N, NULL) == OSVM_OK);
      CHECK(osvm_data_norms(&data, out + 4 * N) == OSVM_OK);
      CHECK(osvm_data_norms(&plain, out + 5 * N) == OSVM_OK);
      osvm_store store[2];
      for (int k = 0; k < 2; k++) {
        const osvm_simd *simd = osvm_simd_double(TEST_LEVEL);
        CHECK(osvm_store_open(&store[k], simd, OSVM_ROWS, 0, D, N, NULL) == OSVM_OK);
        CHECK(osvm_store_append(&store[k], k ? &plain : &data, NULL, N, NULL) == OSVM_OK);
      }
      for (int i = 0; i < N; i++) {
        CHECK_NEAR(out[i], out[i + 2 * N], 1e-12);
        CHECK_NEAR(out[i + N], out[i + 3 * N], 1e-12);
        CHECK_NEAR(out[i + 4 * N], out[i + 5 * N], 1e-12 * (1 + out[i + 5 * N]));
        CHECK_NEAR(store[0].norm[i], store[1].norm[i], 1e-12 * (1 + store[1].norm[i]));
      }
      for (int k = 0; k < 2; k++) osvm_store_close(&store[k]);
      const osvm_data given = osvm_data_as_given(&data);
      CHECK(given.warp.kind == OSVM_NO_WARP && given.centre == NULL && given.scale == NULL);
    }
  free(x);
  free(out);
  matrix_free(&m);
}

static void damaged_warps_are_found(void) {
  const int early[] = {1, 9, 9, 11}, back[] = {0, 9, 8, 11}, one[] = {0, 9, 10, 11}, two[] = {0, 2, 2, 3};
  osvm_warp warp = warp_of(0), clip = warp_of(1);
  CHECK(osvm_warp_check(&warp, 3, 11, NULL) == OSVM_OK);
  CHECK(osvm_warp_check(&clip, 3, 2, NULL) == OSVM_OK);
  CHECK(osvm_warp_check(&warp, 3, 10, NULL) == OSVM_INVALID);
  warp.start = early;
  CHECK(osvm_warp_check(&warp, 3, 11, NULL) == OSVM_INVALID);
  warp.start = back;
  CHECK(osvm_warp_check(&warp, 3, 11, NULL) == OSVM_INVALID);
  warp.start = one;
  CHECK(osvm_warp_check(&warp, 3, 11, NULL) == OSVM_INVALID);
  clip.start = two;
  CHECK(osvm_warp_check(&clip, 3, 3, NULL) == OSVM_INVALID);
}

/* A sparse matrix of n examples with this share of non-zeros; only its counts are used. */
static osvm_data counts_of(int n, int d, double share, int *start) {
  start[d] = (int)(share * n * d);
  return (osvm_data){.kind = OSVM_SPARSE, .n = n, .d = d, .start = start};
}

static int dense_at(int n, int d, double share, osvm_layout layout, const osvm_simd *simd) {
  int *start = calloc((size_t)d + 1, sizeof(int));
  const osvm_data data = counts_of(n, d, share, start);
  const int dense = osvm_data_prefers_dense(&data, NULL, layout, simd);
  free(start);
  return dense;
}

static void dense_stores_are_chosen_by_density(void) {
  const osvm_simd *single = osvm_simd_single(TEST_LEVEL), *doubles = osvm_simd_double(TEST_LEVEL);
  CHECK(dense_at(1000, 22, 0.59, OSVM_PANELS, single) && dense_at(1000, 22, 0.59, OSVM_PANELS, doubles));
  CHECK(dense_at(1000, 22, 0.59, OSVM_ROWS, single) && dense_at(1000, 5, 0.1, OSVM_PANELS, single));
  CHECK(!dense_at(1000, 5000, 0.01, OSVM_PANELS, single) && !dense_at(1000, 5000, 0.01, OSVM_ROWS, single));
  CHECK(dense_at(100, 1000, 0.3, OSVM_PANELS, single) && !dense_at(100, 1000, 0.3, OSVM_PANELS, doubles));
  CHECK(!dense_at(0, 1000, 0, OSVM_PANELS, single));
}

/* Whatever the density and the number of features, and once dense, dense at any higher density */
static void dense_stores_are_small(void) {
  for (int t = 0; t < 4; t++) {
    const osvm_simd *simd = t % 2 ? osvm_simd_double(TEST_LEVEL) : osvm_simd_single(TEST_LEVEL);
    const osvm_layout layout = t / 2 ? OSVM_ROWS : OSVM_PANELS;
    for (int d = 1; d < 20000; d += 1 + d / 3) {
      int before = 0;
      for (double share = 0; share <= 1; share += 0.01) {
        const int dense = dense_at(1000, d, share, layout, simd);
        const double sparse = share * d * (sizeof(int) + simd->size) * (layout == OSVM_PANELS ? 2 : 1);
        CHECK(!dense || d * simd->size <= 96 || d * simd->size <= 2 * sparse + 1);
        CHECK(dense >= before);
        before = dense;
      }
    }
  }
}

/* The density is that of both matrices together. */
static void two_matrices_share_a_store(void) {
  enum { WIDE = 100 };
  int thick_start[WIDE + 1] = {0}, thin_start[WIDE + 1] = {0};
  const osvm_simd *simd = osvm_simd_single(TEST_LEVEL);
  osvm_data thick = counts_of(100, WIDE, 0.9, thick_start), thin = counts_of(100, WIDE, 0.01, thin_start);
  CHECK(osvm_data_prefers_dense(&thick, &thin, OSVM_PANELS, simd) &&
        osvm_data_prefers_dense(&thin, &thick, OSVM_PANELS, simd));
  thick.n = 10;
  thick_start[WIDE] = 900;
  CHECK(osvm_data_prefers_dense(&thick, NULL, OSVM_PANELS, simd) &&
        !osvm_data_prefers_dense(&thick, &thin, OSVM_PANELS, simd));
  thick.kind = OSVM_DOUBLES;
  CHECK(osvm_data_prefers_dense(&thin, &thick, OSVM_PANELS, simd) &&
        osvm_data_prefers_dense(&thick, &thin, OSVM_PANELS, simd));
}

void test_data(void) {
  RUN(slots_in_order_pass);
  RUN(damaged_slots_are_found);
  RUN(columns_are_described);
  RUN(constants_have_no_spread);
  RUN(huge_and_tiny_values);
  RUN(missing_and_infinite_values_are_found);
  RUN(large_integers_are_exact);
  RUN(nothing_to_describe);
  RUN(products_with_weights_and_norms);
  RUN(columns_are_warped_and_back);
  RUN(slopes_back_are_differences);
  RUN(views_are_warped);
  RUN(damaged_warps_are_found);
  RUN(dense_stores_are_chosen_by_density);
  RUN(dense_stores_are_small);
  RUN(two_matrices_share_a_store);
}
