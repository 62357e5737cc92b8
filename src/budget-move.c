/* A compressed expansion g whose vectors z are moved, too (Burges 1996): |f - g|^2, f the expansion as it was, decreases by
 * steps of L-BFGS (Nocedal & Wright 2006, algorithms 7.4 and 7.5) in the features of all z and their coefficients c.
 *
 * With u the vectors of f and of g together, b their coefficients in g - f, and k = exp(-gamma |u - z|^2):
 *
 *   d/dc_t |g - f|^2 = 2 sum_u b_u k(u, z_t)            d/dz_t |g - f|^2 = 4 gamma sum_u b_u c_t k(u, z_t) (u - z_t)
 *
 * One pass over all u has both, a kernel row and n x d products for each. A feature stays between the least and the largest
 * that f's vectors have there, so that the transform that made it has an inverse, and a zero of sparse data stays one. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

enum { PAIRS = 5, HALVINGS = 8 };
static const double SUFFICIENT = 1e-4; /* of the decrease that the gradient promises */

typedef struct {
  osvm_budget *budget;
  osvm_run *run;
  const double *coef; /* of f: run->first x machines */
  osvm_shared_sv *shared;
  osvm_rows rows;
  int n, machines;
  size_t features, all; /* of all z; and their coefficients behind them, n x machines */
  size_t *start;        /* of each z; the features of sparse examples are their non-zeros */
  double *low, *high;   /* of each of the features: bounds */
  double gamma;
  double *at, *gradient, *trial, *slope, *direction;   /* `all` each */
  double *step[PAIRS], *change[PAIRS], product[PAIRS]; /* of L-BFGS, and the products of these two */
  double *of_f, *of_g;                                 /* f(z), g(z): n x machines */
  double *weight, *total; /* b_u c_t k(u, z_t) of OSVM_QUERIES u for each t; their sums over all u */
  size_t *column; /* sparse: the non-zeros of all z by column, column j's from column[j] on; they stay where ... */
  struct {
    size_t feature; /* ... they are, among the features */
    int t;
  } * entry;
  char *values; /* OSVM_QUERIES kernel rows, `stride` values apart */
  size_t stride;
  double *block; /* all of these */
} moving;

static size_t features_of(const osvm_store *store, int t) { return store->sparse ? store->row_length[t] : store->d; }

static void close_moving(moving *v) {
  osvm_rows_close(&v->rows);
  free(v->start);
  free(v->column);
  free(v->entry);
  free(v->values);
  free(v->block);
}

/* Whether all of it is within `bytes` */
static int measure(moving *v, osvm_budget *budget, osvm_run *run, const double *coef) {
  osvm_shared_sv *shared = budget->bounded.shared;
  *v = (moving){.budget = budget, .run = run, .coef = coef, .shared = shared, .n = shared->count};
  v->machines = budget->machines;
  v->gamma = -osvm_kernel_slope(&run->kernel, 0);
  for (int t = 0; t < v->n; t++) v->features += features_of(&shared->store, t);
  v->all = v->features + (size_t)v->n * v->machines;
  return v->all < run->cache_bytes / ((7 + 2 * PAIRS) * sizeof(double));
}

static double *take(double **block, size_t count) {
  double *const taken = *block;
  *block += count;
  return taken;
}

/* Counting sort; filling moves each start to that of the next column. */
static osvm_status list_columns(moving *v) {
  const osvm_store *store = &v->shared->store;
  v->column = calloc((size_t)store->d + 2, sizeof *v->column);
  v->entry = malloc((v->features + 1) * sizeof *v->entry);
  if (v->column == NULL || v->entry == NULL) return osvm_no_memory(v->run->context.error);
  size_t *next = v->column + 1;
  for (int t = 0; t < v->n; t++)
    for (int k = 0; k < store->row_length[t]; k++) v->column[store->column[store->row_start[t] + k] + 2]++;
  for (int j = 0; j < store->d; j++) next[j + 1] += next[j];
  for (int t = 0; t < v->n; t++)
    for (int k = 0; k < store->row_length[t]; k++) {
      const size_t e = next[store->column[store->row_start[t] + k]]++;
      v->entry[e].feature = v->start[t] + k;
      v->entry[e].t = t;
    }
  return OSVM_OK;
}

static osvm_status open_moving(moving *v) {
  osvm_error *error = v->run->context.error;
  const osvm_store *store = &v->shared->store;
  const size_t outputs = (size_t)v->n * v->machines;
  OSVM_TRY(osvm_rows_open(&v->rows, &v->run->kernel, store, OSVM_ROW_ROUNDING, error));
  v->rows.evaluations = &v->run->context.evaluations;
  v->stride = ((size_t)v->n / store->width + 2) * store->width;
  v->start = malloc(((size_t)v->n + 1) * sizeof *v->start);
  v->values = calloc(v->stride * OSVM_QUERIES, store->simd->size);
  v->block = calloc((5 + 2 * PAIRS) * v->all + 2 * v->features + 2 * outputs + (OSVM_QUERIES + 1) * (size_t)v->n + 1,
                    sizeof(double));
  if (v->start == NULL || v->values == NULL || v->block == NULL) return osvm_no_memory(error);
  double *block = v->block;
  double **const vectors[] = {&v->at, &v->gradient, &v->trial, &v->slope, &v->direction};
  for (int k = 0; k < 5; k++) *vectors[k] = take(&block, v->all);
  for (int k = 0; k < PAIRS; k++) {
    v->step[k] = take(&block, v->all);
    v->change[k] = take(&block, v->all);
  }
  v->low = take(&block, v->features);
  v->high = take(&block, v->features);
  v->of_f = take(&block, outputs);
  v->of_g = take(&block, outputs);
  v->weight = take(&block, (size_t)v->n * OSVM_QUERIES);
  v->total = take(&block, v->n);
  v->start[0] = 0;
  for (int t = 0; t < v->n; t++) v->start[t + 1] = v->start[t] + features_of(store, t);
  return store->sparse ? list_columns(v) : OSVM_OK;
}

/* ---- bounds and values ---- */

static double value_of(const osvm_store *store, const osvm_query *query, size_t k) {
  return osvm_real(store->simd, store->sparse ? query->value : query->dense, k);
}

/* low, high: of each feature, d each */
static osvm_status find_ranges(const moving *v, double *low, double *high) {
  const osvm_store *store = &v->run->store;
  void *buffer = malloc(store->d * store->simd->size + 1);
  if (buffer == NULL) return osvm_no_memory(v->run->context.error);
  for (int j = 0; j < store->d; j++) {
    low[j] = store->sparse ? 0 : INFINITY;
    high[j] = store->sparse ? 0 : -INFINITY;
  }
  for (int i = 0; i < v->run->first; i++) {
    const osvm_query query = osvm_store_query(store, i, buffer);
    for (int k = 0; k < query.length; k++) {
      const int j = store->sparse ? query.column[k] : k;
      const double value = value_of(store, &query, k);
      low[j] = fmin(low[j], value);
      high[j] = fmax(high[j], value);
    }
  }
  free(buffer);
  return OSVM_OK;
}

static osvm_status place_bounds(moving *v, const double *low, const double *high) {
  const osvm_store *store = &v->shared->store;
  const int fixed = v->budget->keeps_zeros;
  void *buffer = malloc(store->d * store->simd->size + 1);
  if (buffer == NULL) return osvm_no_memory(v->run->context.error);
  for (int t = 0; t < v->n; t++) {
    const osvm_query query = osvm_store_query(store, t, buffer);
    for (int k = 0; k < query.length; k++) {
      const size_t p = v->start[t] + k;
      const int j = store->sparse ? query.column[k] : k;
      v->at[p] = value_of(store, &query, k);
      v->low[p] = fixed && v->at[p] == 0 ? 0 : fmin(low[j], v->at[p]);
      v->high[p] = fixed && v->at[p] == 0 ? 0 : fmax(high[j], v->at[p]);
    }
  }
  free(buffer);
  for (int m = 0; m < v->machines; m++)
    for (int t = 0; t < v->n; t++) v->at[v->features + (size_t)m * v->n + t] = osvm_budget_coef(v->budget, m, t);
  return OSVM_OK;
}

static osvm_status start_moving(moving *v) {
  double *low = malloc((2 * (size_t)v->shared->store.d + 1) * sizeof(double));
  if (low == NULL) return osvm_no_memory(v->run->context.error);
  osvm_status status = find_ranges(v, low, low + v->shared->store.d);
  if (status == OSVM_OK) status = place_bounds(v, low, low + v->shared->store.d);
  free(low);
  return status;
}

/* ---- |g - f|^2 - |f|^2 and its gradient ---- */

static osvm_status place(moving *v, const double *x) {
  for (int t = 0; t < v->n; t++) osvm_store_write(&v->shared->store, t, x + v->start[t]);
  return osvm_store_index(&v->shared->store, v->run->context.error);
}

/* gradient of z += weight * (the loaded queries) */
static void pull(moving *v, double *gradient) {
  const osvm_store *store = &v->shared->store;
  const osvm_rows *rows = &v->rows;
  const void *query[OSVM_QUERIES];
  if (!store->sparse) {
    for (int q = 0; q < OSVM_QUERIES; q++) query[q] = rows->query[q < rows->loaded ? q : 0].dense;
    for (int t = 0; t < v->n; t++)
      store->simd->combine(query, store->d, v->weight + (size_t)t * OSVM_QUERIES, gradient + v->start[t]);
    return;
  }
  for (int q = 0; q < rows->loaded; q++) {
    const osvm_query *x = &rows->query[q];
    for (int k = 0; k < x->length; k++) {
      const int j = x->column[k];
      const double value = value_of(store, x, k);
      for (size_t e = v->column[j]; e < v->column[j + 1]; e++)
        gradient[v->entry[e].feature] += v->weight[(size_t)v->entry[e].t * OSVM_QUERIES + q] * value;
    }
  }
}

/* All examples below `count` of `from`, whose coefficients are b: `length` of each machine */
static osvm_status add_all(moving *v, const osvm_store *from, int count, const double *b, int length, double sign,
                           const double *c, double *outputs, double *gradient) {
  const osvm_simd *simd = v->shared->store.simd;
  const int n = v->n;
  for (int i = 0, loaded; i < count; i += loaded) {
    int examples[OSVM_QUERIES];
    for (loaded = 0; loaded < OSVM_QUERIES && i + loaded < count; loaded++) examples[loaded] = i + loaded;
    v->run->context.work += (double)loaded * n * (2 * v->machines + v->shared->store.d);
    if (osvm_context_stopped(&v->run->context, 0)) return OSVM_INTERRUPTED;
    osvm_rows_load(&v->rows, from, examples, loaded);
    osvm_rows_compute(&v->rows, 0, n, v->values, v->stride);
    memset(v->weight, 0, (size_t)n * OSVM_QUERIES * sizeof(double));
    for (int q = 0; q < loaded; q++) {
      const char *row = v->values + q * v->stride * simd->size;
      for (int m = 0; m < v->machines; m++) {
        const double factor = b[(size_t)m * length + i + q];
        if (factor == 0) continue;
        simd->add(row, n, factor, outputs + (size_t)m * n);
        for (int t = 0; t < n; t++) v->weight[(size_t)t * OSVM_QUERIES + q] += sign * factor * c[(size_t)m * n + t];
      }
      for (int t = 0; t < n; t++) {
        v->weight[(size_t)t * OSVM_QUERIES + q] *= osvm_real(simd, row, t);
        v->total[t] += v->weight[(size_t)t * OSVM_QUERIES + q];
      }
    }
    pull(v, gradient);
  }
  return OSVM_OK;
}

static osvm_status evaluate(moving *v, const double *x, double *value, double *gradient) {
  const double *c = x + v->features;
  const size_t outputs = v->all - v->features;
  OSVM_TRY(place(v, x));
  memset(gradient, 0, v->all * sizeof(double));
  memset(v->of_f, 0, outputs * sizeof(double));
  memset(v->of_g, 0, outputs * sizeof(double));
  memset(v->total, 0, v->n * sizeof(double));
  OSVM_TRY(add_all(v, &v->run->store, v->run->first, v->coef, v->run->first, -1, c, v->of_f, gradient));
  OSVM_TRY(add_all(v, &v->shared->store, v->n, c, v->n, 1, c, v->of_g, gradient));
  for (int t = 0; t < v->n; t++)
    for (size_t p = v->start[t]; p < v->start[t + 1]; p++)
      gradient[p] = 4 * v->gamma * (gradient[p] - v->total[t] * x[p]);
  *value = 0;
  for (size_t k = 0; k < outputs; k++) {
    *value += c[k] * (v->of_g[k] - 2 * v->of_f[k]);
    gradient[v->features + k] = 2 * (v->of_g[k] - v->of_f[k]);
  }
  return OSVM_OK;
}

/* ---- descent ---- */

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

static void add(double *x, double factor, const double *y, size_t n) {
  for (size_t k = 0; k < n; k++) x[k] += factor * y[k];
}

/* At a bound that the direction points beyond */
static void hold(const moving *v, double *direction) {
  for (size_t p = 0; p < v->features; p++)
    if ((v->at[p] <= v->low[p] && direction[p] < 0) || (v->at[p] >= v->high[p] && direction[p] > 0)) direction[p] = 0;
}

/* direction = - (inverse Hessian) gradient, by the latest pairs of `known` */
static void choose_direction(moving *v, int known) {
  const int pairs = known < PAIRS ? known : PAIRS;
  double share[PAIRS], *direction = v->direction;
  for (size_t k = 0; k < v->all; k++) direction[k] = -v->gradient[k];
  hold(v, direction);
  for (int back = 1; back <= pairs; back++) {
    const int k = (known - back) % PAIRS;
    share[k] = dot(v->step[k], direction, v->all) / v->product[k];
    add(direction, -share[k], v->change[k], v->all);
  }
  const int last = (known + PAIRS - 1) % PAIRS;
  const double length =
      dot(pairs > 0 ? v->change[last] : v->gradient, pairs > 0 ? v->change[last] : v->gradient, v->all);
  const double scale = pairs > 0 ? v->product[last] / length : length > 0 ? 1 / sqrt(length) : 0;
  for (size_t k = 0; k < v->all; k++) direction[k] *= scale;
  for (int back = pairs; back >= 1; back--) {
    const int k = (known - back) % PAIRS;
    add(direction, share[k] - dot(v->change[k], direction, v->all) / v->product[k], v->step[k], v->all);
  }
  hold(v, direction);
}

/* trial = at + length * direction within the bounds; returns the change that the gradient promises */
static double try_length(moving *v, double length) {
  double promised = 0;
  for (size_t k = 0; k < v->all; k++) {
    double x = v->at[k] + length * v->direction[k];
    if (k < v->features) x = fmin(fmax(x, v->low[k]), v->high[k]);
    promised += v->gradient[k] * (x - v->at[k]);
    v->trial[k] = x;
  }
  return promised;
}

/* The pair of this step, if the objective is convex along it */
static int keep_pair(moving *v, int known) {
  const int k = known % PAIRS;
  for (size_t j = 0; j < v->all; j++) {
    v->step[k][j] = v->trial[j] - v->at[j];
    v->change[k][j] = v->slope[j] - v->gradient[j];
  }
  v->product[k] = dot(v->step[k], v->change[k], v->all);
  return v->product[k] > DBL_EPSILON * dot(v->change[k], v->change[k], v->all);
}

static void exchange(double **x, double **y) {
  double *const former = *x;
  *x = *y;
  *y = former;
}

/* Sets *better = 0 where no length decreases the objective enough. */
static osvm_status search_line(moving *v, double *value, int *better) {
  double length = 1;
  for (int halving = 0; halving <= HALVINGS; halving++, length /= 2) {
    double found;
    const double promised = try_length(v, length);
    OSVM_TRY(evaluate(v, v->trial, &found, v->slope));
    if (!(found < *value + SUFFICIENT * promised)) continue;
    *value = found;
    return OSVM_OK;
  }
  *better = 0;
  return OSVM_OK;
}

static osvm_status descend(moving *v, int steps) {
  double value;
  int better = 1;
  OSVM_TRY(evaluate(v, v->at, &value, v->gradient));
  for (int step = 0, known = 0; step < steps; step++) {
    choose_direction(v, known);
    if (!(dot(v->direction, v->gradient, v->all) < 0)) break;
    OSVM_TRY(search_line(v, &value, &better));
    if (!better) break;
    known += keep_pair(v, known);
    exchange(&v->at, &v->trial);
    exchange(&v->gradient, &v->slope);
  }
  return place(v, v->at);
}

/* Vectors that were examples are in places of merged ones from now on. */
static void settle(moving *v) {
  osvm_budget *budget = v->budget;
  for (int t = 0; t < v->n; t++)
    if (v->shared->example[t] < budget->first_place)
      osvm_shared_sv_replace(v->shared, t, budget->free_places[--budget->n_free]);
  for (int m = 0; m < v->machines; m++)
    for (int t = 0; t < v->n; t++)
      budget->expansion[m]->coef[t] = v->at[v->features + (size_t)m * v->n + t] / budget->expansion[m]->scale;
}

osvm_status osvm_budget_move(osvm_budget *budget, osvm_run *run, const double *coef, int steps) {
  moving v;
  if (!measure(&v, budget, run, coef)) return OSVM_OK;
  osvm_status status = open_moving(&v);
  if (status == OSVM_OK) status = start_moving(&v);
  if (status == OSVM_OK) status = descend(&v, steps);
  if (status == OSVM_OK) settle(&v);
  close_moving(&v);
  return status;
}
