/* Every table against plain loops in double precision. */
#include "test.h"

static const int features[] = {1, 2, 3, 7, 32, 100}, panel_counts[] = {0, 1, 3, 4, 5, 9};

static void for_all_tables(void (*test)(const osvm_simd *s)) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++) {
    test_about("%s, %d bytes", tables[t]->name, (int)tables[t]->size);
    test(tables[t]);
  }
}

static void the_level_caps_the_table(void) {
  CHECK(osvm_simd_single(OSVM_PLAIN) == &osvm_simd_plain[0]);
  CHECK(osvm_simd_double(OSVM_PLAIN) == &osvm_simd_plain[1]);
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++) {
    CHECK(tables[t]->size == (t % 2 ? sizeof(double) : sizeof(float)));
    CHECK(t % 2 == 0 || tables[t]->width == 1 || tables[t - 1]->width == 2 * tables[t]->width);
    CHECK(t < 2 || tables[t]->width > tables[t - 2]->width);
  }
}

static void check_products(const osvm_simd *s, int d, int count, osvm_base base) {
  const size_t n = (size_t)count * s->width, gap = 3, stride = n + gap, all = OSVM_QUERIES * stride - gap;
  void *panels = values_normal(s, n * d), *queries = values_normal(s, (size_t)OSVM_QUERIES * d);
  void *row = values_normal(s, n), *block = values_normal(s, all), *untouched = malloc(all * s->size);
  memcpy(untouched, block, all * s->size);
  switch (base) {
  case OSVM_DOTS:
    s->dots(panels, d, count, queries, row);
    s->block_dots(panels, d, count, queries, block, stride);
    break;
  case OSVM_SQUARED_DISTANCES:
    s->distances(panels, d, count, queries, row);
    s->block_distances(panels, d, count, queries, block, stride);
    break;
  case OSVM_ABSOLUTE_DISTANCES:
    s->absolutes(panels, d, count, queries, row);
    s->block_absolutes(panels, d, count, queries, block, stride);
    break;
  case OSVM_GIVEN: break; /* no arithmetic */
  }
  for (int q = 0; q < OSVM_QUERIES; q++) {
    for (size_t j = 0; j < n; j++) {
      double want = 0, size = 0;
      for (int f = 0; f < d; f++) {
        const double x = value_get(s, queries, (size_t)q * d + f);
        const double z = value_get(s, panels, (j / s->width * d + f) * s->width + j % s->width);
        const double term = base == OSVM_DOTS                ? x * z
                            : base == OSVM_SQUARED_DISTANCES ? (x - z) * (x - z)
                                                             : fabs(x - z);
        want += term;
        size += fabs(term);
      }
      const double tolerance = (d + 2) * value_epsilon(s) * size;
      if (q == 0) CHECK_NEAR(value_get(s, row, j), want, tolerance);
      if (q == 0) CHECK(value_get(s, row, j) == value_get(s, block, j));
      CHECK_NEAR(value_get(s, block, q * stride + j), want, tolerance);
    }
    for (size_t k = q * stride + n; k < (q + 1) * stride && k < all; k++)
      CHECK(value_get(s, block, k) == value_get(s, untouched, k));
  }
  free(panels);
  free(queries);
  free(row);
  free(block);
  free(untouched);
}

static void check_all_products(const osvm_simd *s) {
  for (int f = 0; f < COUNT(features); f++)
    for (int c = 0; c < COUNT(panel_counts); c++)
      for (int base = OSVM_DOTS; base <= OSVM_ABSOLUTE_DISTANCES; base++) {
        test_about("%s, %d bytes, d %d, panels %d, base %d", s->name, (int)s->size, features[f], panel_counts[c], base);
        check_products(s, features[f], panel_counts[c], (osvm_base)base);
      }
}

static void dots_and_distances(void) { for_all_tables(check_all_products); }

/* In place, unaligned, with guards on both sides. The rounding of the argument u of exp alone gives a relative error of
 * |u| epsilon / 2; simd-body.h states the bound tested. Results below the normal numbers are the smallest of them. */
static void check_exponentials(const osvm_simd *s) {
  const double factors[] = {1, -0.37}, eps = value_epsilon(s), least = s->size == 4 ? 0x1p-126 : 0x1p-1022;
  for (int n = 0; n < 70; n++) {
    const double factor = factors[n % 2];
    void *before = values_normal(s, n + 2), *after = malloc((n + 2) * s->size);
    for (int i = 0; i < n + 2; i++) value_set(s, before, i, (-100 + 180 * random_uniform()) / factor);
    memcpy(after, before, (n + 2) * s->size);
    s->exponentials((char *)after + s->size, n, factor);
    CHECK(value_get(s, after, 0) == value_get(s, before, 0));
    CHECK(value_get(s, after, n + 1) == value_get(s, before, n + 1));
    for (int i = 1; i <= n; i++) {
      const double u = factor * value_get(s, before, i), want = exp(u);
      CHECK_NEAR(value_get(s, after, i), want, want > least ? (3 + 1.5 * fabs(u)) * eps * want : least);
    }
    free(before);
    free(after);
  }
}

static void check_exponential_limits(const osvm_simd *s) {
  const double tiny[] = {0, -0.0, -1e4, -INFINITY, 1e-30};
  void *v = malloc(COUNT(tiny) * s->size);
  for (int i = 0; i < COUNT(tiny); i++) value_set(s, v, i, tiny[i]);
  s->exponentials(v, COUNT(tiny), 1);
  CHECK(value_get(s, v, 0) == 1);
  CHECK(value_get(s, v, 1) == 1);
  CHECK_NEAR(value_get(s, v, 2), 0, 1e-37);
  CHECK_NEAR(value_get(s, v, 3), 0, 1e-37);
  CHECK(value_get(s, v, 4) == 1);
  free(v);
}

static void exponentials(void) {
  for_all_tables(check_exponentials);
  for_all_tables(check_exponential_limits);
}

static void check_powers(const osvm_simd *s) {
  const double factor = 0.3, offset = -0.5;
  for (int degree = 0; degree < 8; degree++) {
    const int n = 2 * s->width + degree;
    void *before = values_normal(s, n), *after = malloc(n * s->size);
    memcpy(after, before, n * s->size);
    s->powers(after, n, factor, offset, degree);
    for (int i = 0; i < n; i++) {
      const double v = value_get(s, before, i), size = fabs(factor * v) + fabs(offset);
      const double tolerance = (3 * degree + 1) * value_epsilon(s) * pow(size, degree);
      CHECK_NEAR(value_get(s, after, i), pow(factor * v + offset, degree), tolerance);
    }
    free(before);
    free(after);
  }
}

static void powers(void) { for_all_tables(check_powers); }

static void check_tangents(const osvm_simd *s) {
  for (int n = 0; n < 40; n++) {
    void *before = values_normal(s, n), *after = malloc(n * s->size);
    for (int i = 0; i < n; i++) value_set(s, before, i, 200 * pow(random_uniform() - 0.5, 3));
    memcpy(after, before, n * s->size);
    s->tangents(after, n, 0.9, 0.1);
    for (int i = 0; i < n; i++)
      CHECK_NEAR(value_get(s, after, i), tanh(0.9 * value_get(s, before, i) + 0.1), 8 * value_epsilon(s));
    free(before);
    free(after);
  }
}

static void tangents(void) { for_all_tables(check_tangents); }

static void check_dots_to_distances(const osvm_simd *s) {
  const int n = 2 * s->width + 3;
  const double norm = 2.5;
  void *before = values_normal(s, n), *after = malloc(n * s->size);
  double *norms = malloc(n * sizeof(double));
  memcpy(after, before, n * s->size);
  for (int i = 0; i < n; i++) norms[i] = 3 * random_uniform();
  norms[0] = 2 * value_get(s, before, 0) - norm - 1e-3; /* below 0 by rounding: 0 */
  s->dots_to_distances(after, n, norm, norms);
  for (int i = 0; i < n; i++) {
    const double want = fmax(0, norm + norms[i] - 2 * value_get(s, before, i));
    CHECK_NEAR(value_get(s, after, i), want, value_epsilon(s) * 20);
  }
  free(before);
  free(after);
  free(norms);
}

static void dots_to_distances(void) { for_all_tables(check_dots_to_distances); }

/* The quotients are those of plain C, but for the x87, which rounds them twice. */
static void check_pack(const osvm_simd *s) {
  const int n = 3 * s->width;
  double *x = calloc(n, sizeof(double)), *norms = calloc(n, sizeof(double)), *before = calloc(n, sizeof(double));
  void *out = malloc(n * s->size);
  for (int i = 0; i < n; i++) {
    x[i] = random_uniform() - 0.3;
    norms[i] = before[i] = random_uniform();
  }
  s->pack(x, n, 0.1, 0.7, out, norms);
  for (int i = 0; i < n; i++) {
    const double want = osvm_as_real(s, (x[i] - 0.1) / 0.7);
    CHECK_NEAR(value_get(s, out, i), want, value_epsilon(s));
    CHECK_NEAR(norms[i], before[i] + value_get(s, out, i) * value_get(s, out, i), 1e-15);
  }
  free(x);
  free(norms);
  free(before);
  free(out);
}

static void pack(void) { for_all_tables(check_pack); }

static void check_add_and_weigh(const osvm_simd *s) {
  for (int n = 0; n < 80; n++) {
    void *v = values_normal(s, n);
    double *target = malloc(n * sizeof(double)), *before = malloc(n * sizeof(double)), sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
      target[i] = before[i] = random_normal();
      sum += before[i] * value_get(s, v, i);
      size += fabs(before[i] * value_get(s, v, i));
    }
    CHECK_NEAR(s->weigh(v, n, before), sum, 1e-14 * size);
    s->add(v, n, -1.75, target);
    for (int i = 0; i < n; i++) CHECK_NEAR(target[i], before[i] - 1.75 * value_get(s, v, i), 1e-14);
    free(v);
    free(target);
    free(before);
  }
}

static void check_combine(const osvm_simd *s) {
  const double factors[OSVM_QUERIES] = {0.5, -2, 0.25, 1e3};
  for (int n = 0; n < 40; n++) {
    void *values[OSVM_QUERIES];
    const void *rows[OSVM_QUERIES]; /* unaligned, as slices of rows are */
    double *target = calloc(n, sizeof(double)), *want = calloc(n, sizeof(double));
    for (int q = 0; q < OSVM_QUERIES; q++) {
      values[q] = values_normal(s, n + 1);
      rows[q] = (const char *)values[q] + s->size;
      for (int i = 0; i < n; i++) want[i] += factors[q] * value_get(s, rows[q], i);
    }
    s->combine(rows, n, factors, target);
    for (int i = 0; i < n; i++) CHECK_NEAR(target[i], want[i], 1e-11);
    for (int q = 0; q < OSVM_QUERIES; q++) free(values[q]);
    free(target);
    free(want);
  }
}

static void combine(void) { for_all_tables(check_combine); }

static void add_and_weigh(void) { for_all_tables(check_add_and_weigh); }

/* Gradients, gmax, gmin and i of WSS 2; then j, by its gain, since rounding may exchange nearly equal gains. */
static void check_pair_steps(const osvm_simd *s) {
  for (int panels = 1; panels < 6; panels++)
    for (int flat = 0; flat < 2; flat++) {
      const int n = panels * s->width;
      const double eps = value_epsilon(s);
      void *a = values_normal(s, n), *b = values_normal(s, n), *up = calloc(n, s->size), *low = calloc(n, s->size),
           *diagonal = malloc(n * s->size), *gradient_low = malloc(n * s->size);
      double *gradient = malloc(n * sizeof(double)), *want = malloc(n * sizeof(double)), gmax = -INFINITY,
             gmin = INFINITY;
      int first = -1;
      for (int i = 0; i < n; i++) {
        value_set(s, diagonal, i, flat ? 1 : 3 + random_uniform());
        value_set(s, a, i, flat ? 1 : 2 * random_uniform() - 1); /* curvature from 4 to 10, or none */
        if (i % 3 == 1) value_set(s, up, i, -INFINITY);
        if (i % 4 == 3) value_set(s, low, i, INFINITY);
        gradient[i] = i % 5 == 0 ? 0.25 : random_normal();
        want[i] = gradient[i] - 0.7 * (value_get(s, a, i) - value_get(s, b, i));
      }
      osvm_pair_selection pairs = {
          .gradient = gradient, .up = up, .low = low, .gradient_low = gradient_low, .diagonal = diagonal};
      s->pair_step(&pairs, a, b, 0, n, 0.7);
      for (int i = 0; i < n; i++) {
        CHECK_NEAR(gradient[i], want[i], 1e-14);
        const double g_low = value_get(s, gradient_low, i);
        CHECK(i % 4 == 3 ? g_low == INFINITY : fabs(g_low - want[i]) <= eps * fabs(want[i]) + 1e-14);
        if (i % 3 != 1 && gradient[i] > gmax) gmax = gradient[first = i];
        if (i % 4 != 3) gmin = fmin(gmin, gradient[i]);
      }
      CHECK(pairs.gmax == gmax && pairs.gmin == gmin && pairs.first == first);

      double most = 0, found = 0, largest = 0;
      const int second = osvm_pair_partner(s, &pairs, a, n, NULL);
      for (int j = 0; j < n; j++) {
        const double curvature = value_get(s, diagonal, first) + value_get(s, diagonal, j) - 2 * value_get(s, a, j);
        const double violation = j % 4 == 3 ? 0 : fmax(0, gradient[first] - gradient[j]);
        const double gain = violation * violation / fmax(curvature, 1e-12);
        most = fmax(most, gain);
        largest = fmax(largest, fabs(gradient[j]));
        if (j == second) found = gain;
      }
      const double tolerance = 10 * eps * largest * largest / (flat ? 1e-12 : 4);
      CHECK(second >= 0 ? found > 0 : most <= tolerance);
      CHECK_NEAR(found, most, tolerance);
      free(a);
      free(b);
      free(up);
      free(low);
      free(diagonal);
      free(gradient_low);
      free(gradient);
      free(want);
    }
}

static void pair_steps(void) { for_all_tables(check_pair_steps); }

/* A step without change leaves the gradient alone: of equal gradients in I_up the first index is selected. */
static void check_ties(const osvm_simd *s) {
  const int n = 3 * s->width;
  void *zeros = calloc(n, s->size), *up = calloc(n, s->size), *gradient_low = malloc(n * s->size);
  double *gradient = calloc(n, sizeof(double));
  osvm_pair_selection pairs = {
      .gradient = gradient, .up = up, .low = zeros, .gradient_low = gradient_low, .diagonal = zeros};
  for (int i = 0; i < n; i++) {
    s->pair_step(&pairs, zeros, zeros, 0, n, 0);
    CHECK(pairs.first == i && pairs.gmax == 0 && pairs.gmin == 0);
    value_set(s, up, i, -INFINITY);
  }
  free(zeros);
  free(up);
  free(gradient_low);
  free(gradient);
}

static void ties_go_to_the_first(void) { for_all_tables(check_ties); }

/* Coordinate descent: gradients, the largest gain and its coordinate. An inverse of 0 excludes a coordinate. */
static void check_coordinate_steps(const osvm_simd *s) {
  for (int panels = 1; panels < 6; panels++)
    for (int empty = 0; empty < 2; empty++) {
      const int n = panels * s->width;
      void *row = values_normal(s, n), *down = values_normal(s, n), *up = values_normal(s, n),
           *diagonal = values_normal(s, n), *inverse = malloc(n * s->size);
      double *gradient = malloc(n * sizeof(double)), *want = malloc(n * sizeof(double)), most = 0;
      int best = -1;
      for (int i = 0; i < n; i++) {
        value_set(s, diagonal, i, 0.5 + fabs(value_get(s, diagonal, i)));
        value_set(s, down, i, -fabs(value_get(s, down, i)));
        value_set(s, up, i, fabs(value_get(s, up, i)));
        value_set(s, inverse, i, empty || i % 3 == 2 ? 0 : 1 / value_get(s, diagonal, i));
        gradient[i] = random_normal();
        want[i] = gradient[i] - 0.7 * value_get(s, row, i);
        const double step = fmin(fmax(want[i] * value_get(s, inverse, i), value_get(s, down, i)), value_get(s, up, i));
        const double gain = step * (want[i] - 0.5 * value_get(s, diagonal, i) * step);
        if (gain <= most) continue;
        most = gain;
        best = i;
      }
      osvm_coordinate_selection selection = {gradient, down, up, inverse, diagonal, -1, -2};
      s->coordinate_step(&selection, row, 0, n, 0.7);
      for (int i = 0; i < n; i++) CHECK_NEAR(gradient[i], want[i], 1e-14);
      CHECK(selection.best == best);
      CHECK_NEAR(selection.gain, most, 1e-13);
      s->coordinate_step(&selection, row, 0, n, 0); /* a zero step selects again */
      for (int i = 0; i < n; i++) CHECK_NEAR(gradient[i], want[i], 1e-14);
      CHECK(selection.best == best);
      free(row);
      free(down);
      free(up);
      free(diagonal);
      free(inverse);
      free(gradient);
      free(want);
    }
}

static void coordinate_steps(void) { for_all_tables(check_coordinate_steps); }

void test_simd(void) {
  RUN(the_level_caps_the_table);
  RUN(dots_and_distances);
  RUN(exponentials);
  RUN(powers);
  RUN(tangents);
  RUN(dots_to_distances);
  RUN(pack);
  RUN(combine);
  RUN(add_and_weigh);
  RUN(pair_steps);
  RUN(ties_go_to_the_first);
  RUN(coordinate_steps);
}
