/* Models with more vectors than the budget: what is left has the coefficients and places that plain references give. */
#include "lists.h"

enum { N = 60, BUDGET = 9 };

/* f, and g as the run has it: vectors in the core's units, coefficients of machine m */
typedef struct {
  int count, d;
  double *x, *coef;
} plain_expansion;

static plain_expansion plain_open(int count, int d) {
  return (plain_expansion){count, d, calloc((size_t)count * d + 1, sizeof(double)), calloc(count + 1, sizeof(double))};
}

static void plain_free(plain_expansion *e) {
  free(e->x);
  free(e->coef);
}

static void read_vector(const osvm_store *store, int i, double *x) {
  void *buffer = malloc(store->d * store->simd->size);
  const osvm_query query = osvm_store_query(store, i, buffer);
  for (int k = 0; k < query.length; k++)
    x[store->sparse ? query.column[k] : k] = value_get(store->simd, store->sparse ? query.value : query.dense, k);
  free(buffer);
}

static plain_expansion given_of(const osvm_run *run, const osvm_model *start, int m) {
  plain_expansion f = plain_open(run->first, run->store.d);
  for (int i = 0; i < f.count; i++) read_vector(&run->store, i, f.x + i * f.d);
  memcpy(f.coef, start->coef + m * start->size, f.count * sizeof(double));
  return f;
}

static plain_expansion left_of(const osvm_run *run, int m) {
  const osvm_shared_sv *shared = &run->driver->shared;
  plain_expansion g = plain_open(shared->count, run->store.d);
  for (int s = 0; s < g.count; s++) {
    read_vector(&shared->store, s, g.x + s * g.d);
    g.coef[s] = osvm_budget_coef(&run->driver->budget, m, s);
  }
  return g;
}

static double plain_rbf(const double *x, const double *z, int d) {
  double distance = 0;
  for (int f = 0; f < d; f++) distance += (x[f] - z[f]) * (x[f] - z[f]);
  return exp(-rbf.params[0] * distance);
}

static double plain_value(const plain_expansion *e, const double *x) {
  double sum = 0;
  for (int i = 0; i < e->count; i++) sum += e->coef[i] * plain_rbf(e->x + i * e->d, x, e->d);
  return sum;
}

static double plain_distance(const plain_expansion *f, const plain_expansion *g) {
  double sum = 0;
  for (int i = 0; i < f->count; i++)
    sum += f->coef[i] * (plain_value(f, f->x + i * f->d) - plain_value(g, f->x + i * f->d));
  for (int s = 0; s < g->count; s++)
    sum -= g->coef[s] * (plain_value(f, g->x + s * g->d) - plain_value(g, g->x + s * g->d));
  return sum;
}

static double distance_of(const osvm_run *run, const osvm_model *start) {
  double sum = 0;
  for (int m = 0; m < run->machines; m++) {
    plain_expansion f = given_of(run, start, m), g = left_of(run, m);
    sum += plain_distance(&f, &g);
    plain_free(&f);
    plain_free(&g);
  }
  return sum;
}

/* K_zz c = f(z) */
static void check_nearest(const osvm_run *run, const osvm_model *start) {
  for (int m = 0; m < run->machines; m++) {
    plain_expansion f = given_of(run, start, m), g = left_of(run, m);
    double residual = 0, whole = 0;
    for (int s = 0; s < g.count; s++) {
      const double wanted = plain_value(&f, g.x + s * g.d), got = plain_value(&g, g.x + s * g.d);
      residual += (wanted - got) * (wanted - got);
      whole += wanted * wanted;
    }
    CHECK_NEAR(residual, 0, 1e-6 * whole);
    plain_free(&f);
    plain_free(&g);
  }
}

/* sum (f(x) - g(x))^2 over the vectors x of f, g with these coefficients */
static double squares_at(const plain_expansion *f, const plain_expansion *g) {
  double sum = 0;
  for (int i = 0; i < f->count; i++) {
    const double error = plain_value(f, f->x + i * f->d) - plain_value(g, f->x + i * f->d);
    sum += error * error;
  }
  return sum;
}

/* The least of them: the normal equations, by elimination */
static double least_squares(const plain_expansion *f, const plain_expansion *g) {
  double a[BUDGET][BUDGET + 1] = {{0}};
  plain_expansion best = plain_open(g->count, g->d);
  memcpy(best.x, g->x, (size_t)g->count * g->d * sizeof(double));
  for (int i = 0; i < f->count; i++) {
    const double *x = f->x + i * f->d, wanted = plain_value(f, x);
    double row[BUDGET];
    for (int s = 0; s < g->count; s++) row[s] = plain_rbf(g->x + s * g->d, x, g->d);
    for (int s = 0; s < g->count; s++) {
      for (int t = 0; t < g->count; t++) a[s][t] += row[s] * row[t];
      a[s][BUDGET] += row[s] * wanted;
    }
  }
  for (int k = 0; k < g->count; k++)
    for (int s = 0; s < g->count; s++) {
      const double factor = a[s][k] / a[k][k];
      for (int t = k; t <= BUDGET && s != k; t++) a[s][t] -= factor * a[k][t];
    }
  for (int s = 0; s < g->count; s++) best.coef[s] = a[s][BUDGET] / a[s][s];
  const double least = squares_at(f, &best);
  plain_free(&best);
  return least;
}

static void check_values(const osvm_run *run, const osvm_model *start) {
  for (int m = 0; m < run->machines; m++) {
    plain_expansion f = given_of(run, start, m), g = left_of(run, m);
    const double least = least_squares(&f, &g);
    CHECK_NEAR(squares_at(&f, &g), least, 1e-4 * least);
    plain_free(&f);
    plain_free(&g);
  }
}

/* No vector gains by another place within the bounds, nor by its coefficients: differences of |f - g|^2 on both sides.
 * Zeros of sparse vectors stay zeros. */
static void check_stationary(const osvm_run *run, const osvm_model *start, int sparse) {
  const double h = 1e-4;
  const int d = run->store.d;
  double *low = malloc(d * sizeof(double)), *high = malloc(d * sizeof(double)), whole = 0;
  plain_expansion *f = malloc(run->machines * sizeof *f), *g = malloc(run->machines * sizeof *g);
  for (int m = 0; m < run->machines; m++) {
    f[m] = given_of(run, start, m);
    g[m] = left_of(run, m);
    for (int i = 0; i < f[m].count; i++) whole += f[m].coef[i] * plain_value(&f[m], f[m].x + i * f[m].d);
  }
  for (int j = 0; j < d; j++) {
    low[j] = INFINITY, high[j] = -INFINITY;
    for (int i = 0; i < f->count; i++) {
      low[j] = fmin(low[j], f->x[i * d + j]);
      high[j] = fmax(high[j], f->x[i * d + j]);
    }
  }
  for (int s = 0; s < g->count; s++)
    for (int j = 0; j < d; j++) {
      const double at = g->x[s * d + j];
      CHECK(at >= low[j] - 1e-12 && at <= high[j] + 1e-12);
      if ((sparse && at == 0) || at - low[j] < 2 * h || high[j] - at < 2 * h) continue;
      double side[2] = {0};
      for (int k = 0; k < 2; k++)
        for (int m = 0; m < run->machines; m++) {
          g[m].x[s * d + j] = at + (k ? h : -h);
          side[k] += plain_distance(&f[m], &g[m]);
          g[m].x[s * d + j] = at;
        }
      CHECK_NEAR((side[1] - side[0]) / (2 * h), 0, (sparse ? 1e-4 : 1e-6) * whole);
    }
  free(low);
  free(high);
  for (int m = 0; m < run->machines; m++) {
    plain_free(&f[m]);
    plain_free(&g[m]);
  }
  free(f);
  free(g);
}

static void check_compression(const problem *p, osvm_maintenance maintenance) {
  const argument given[] = {{"epochs", 2}}, small[] = {{"budget", BUDGET}, {"maintenance", maintenance}};
  session *whole = session_with(p, "olsvm", given, COUNT(given), 1);
  session *bounded = session_with(p, "olsvm", small, COUNT(small), 1);
  osvm_run *run = &bounded->run;
  CHECK(session_learn(whole) == OSVM_OK && whole->model.n_kept > 2 * BUDGET);
  osvm_model start = model_kept(&whole->run, &whole->model);
  matrix examples = matrix_rows(&p->m, p->rows, p->n), carried = model_vectors(&whole->run, &whole->model, &examples);
  const osvm_data view = matrix_view(&carried, p->data.kind);
  bounded->task.count = 0;
  session_carry(bounded, &start, &view);
  CHECK(osvm_run_open(run, &bounded->task, &bounded->error) == OSVM_OK);
  osvm_budget *budget = &run->driver->budget;
  CHECK(run->driver->shared.count == BUDGET);
  CHECK(osvm_budget_fit_values(budget, run, start.coef, 1000) == OSVM_OK);
  check_values(run, &start);
  CHECK(osvm_budget_refit(budget, run, start.coef) == OSVM_OK);
  check_nearest(run, &start);
  if (maintenance == OSVM_MERGE) {
    const double before = distance_of(run, &start);
    CHECK(osvm_budget_move(budget, run, start.coef, 1000) == OSVM_OK);
    CHECK(distance_of(run, &start) <= before);
    check_stationary(run, &start, p->data.kind == OSVM_SPARSE);
  }
  bounded->model = model_of(run);
  CHECK(osvm_run_export(run, &bounded->model) == OSVM_OK && bounded->model.n_kept == BUDGET);
  for (int m = 0; m < p->machines; m++) CHECK(bounded->model.intercept[m] == start.intercept[m]);
  matrix_free(&examples);
  matrix_free(&carried);
  model_free(&start);
  session_free(whole);
  session_free(bounded);
}

static void models_are_compressed(void) {
  for (int maintenance = OSVM_MERGE; maintenance <= OSVM_REMOVE; maintenance++)
    for (int way = 0; way < 4; way++) {
      test_about("maintenance %d, sparse %d, classes %d", maintenance, way % 2, 2 + way / 2);
      problem p = problem_of(N, way % 2 ? 12 : 3, 2 + way / 2, way % 2 ? OSVM_SPARSE : OSVM_DOUBLES, &rbf);
      check_compression(&p, maintenance);
      problem_free(&p);
    }
}

void test_compress(void) { RUN(models_are_compressed); }
