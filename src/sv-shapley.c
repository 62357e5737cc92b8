/* Shapley values of f(x) = b + sum_i a_i k(x, x_i), where k(x, x_i) = prod_j q_ij is a product over features and a feature
 * that is left out has the factor 1. The value of feature j is
 *
 *   sum_i a_i (q_ij - 1) int_0^1 prod_{l != j} (1 - t + t q_il) dt,
 *
 * since the mean over all orders of the features before j is one over a time t at which each of them has come with
 * probability t. Gauss-Legendre quadrature of ceil(d / 2) nodes is exact for this polynomial of degree d - 1. As 0 < q <= 1,
 * the integrand is a mean of the powers of 1 - t up to d - 1, and its error at most the largest of theirs: of many features
 * some 3 sqrt(d) nodes leave no more than rounding. Cost per example and support vector: features times nodes.
 *
 * Support vectors are worked on in slabs, a lane each, with a row of factors per feature. Factors that are 1 in all lanes
 * are left out: the features are worth 0 there. Of a linear kernel the value is w_j x_j. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-queue.h"
#include "sv-shapley.h"

/* DENSE_LANES: a multiple of all widths; sparse slabs, whose features are those of any of their vectors, are narrow. */
enum { ROWS = 16, DENSE_LANES = 32, NEWTON_STEPS = 20 };
static const double QUADRATURE_ERROR = 1e-15;

/* ---- quadrature rules ---- */

typedef struct {
  int nodes, most; /* most: factors of which all but one may be multiplied */
  double *at, *weight;
} rule;

typedef struct {
  int count;
  rule *rules; /* of increasing size */
} rule_table;

/* Gauss-Legendre nodes and weights on 0 .. 1: roots of the Legendre polynomial by Newton's method */
static void find_nodes(rule *r) {
  for (int k = 0; k < r->nodes; k++) {
    double z = cos(acos(-1.0) * (k + 0.75) / (r->nodes + 0.5)), slope = 1;
    for (int step = 0; step < NEWTON_STEPS; step++) {
      double value = 1, before = 0;
      for (int j = 1; j <= r->nodes; j++) {
        const double next = ((2 * j - 1) * z * value - (j - 1) * before) / j;
        before = value;
        value = next;
      }
      slope = r->nodes * (before - z * value) / (1 - z * z);
      z -= value / slope;
      if (fabs(value / slope) < 1e-15) break;
    }
    r->at[k] = (1 + z) / 2;
    r->weight[k] = 1 / ((1 - z * z) * slope * slope);
  }
}

/* Powers up to 2 nodes - 1 are integrated exactly, further ones as long as the error is small. */
static void find_most(rule *r, double *power, int features) {
  for (int k = 0; k < r->nodes; k++) power[k] = pow(r->at[k], 2 * r->nodes);
  for (r->most = 2 * r->nodes; r->most < features; r->most++) {
    double sum = 0;
    for (int k = 0; k < r->nodes; k++) sum += r->weight[k] * power[k], power[k] *= r->at[k];
    if (fabs(sum - 1.0 / (r->most + 1)) > QUADRATURE_ERROR) return;
  }
}

static osvm_status rule_open(rule *r, int nodes, int features, osvm_error *error) {
  r->nodes = nodes;
  r->at = malloc(3 * (size_t)nodes * sizeof(double));
  if (r->at == NULL) return osvm_no_memory(error);
  r->weight = r->at + nodes;
  find_nodes(r);
  find_most(r, r->weight + nodes, features);
  return OSVM_OK;
}

/* Rules for up to so many features */
static osvm_status rules_open(rule_table *table, int features, osvm_error *error) {
  for (int nodes = 1, most = 0; most < features; nodes += 1 + nodes / 16) {
    OSVM_TRY(osvm_resize(&table->rules, table->count + 1, sizeof *table->rules, error));
    rule *next = &table->rules[table->count++];
    OSVM_TRY(rule_open(next, nodes, features, error));
    most = next->most;
  }
  return OSVM_OK;
}

static void rules_close(rule_table *table) {
  for (int k = 0; k < table->count; k++) free(table->rules[k].at);
  free(table->rules);
}

static const rule *rule_for(const rule_table *table, int features) {
  const rule *r = table->rules;
  while (r->most < features) r++;
  return r;
}

/* ---- jobs: some rows of the examples each ---- */

typedef struct {
  const osvm_shapley_model *model;
  const osvm_store *rows; /* the examples */
  rule_table rules;
  int lanes, most; /* of a slab; factors at most */
  double *out;
} task;

/* Memory of one job */
typedef struct {
  int features, *feature; /* of the slab */
  double *vectors;        /* features x lanes */
  int *place;             /* sparse: of every feature in the slab; -1: none */
  double *x;              /* sparse: an example's values; 0 where it has none */
  int active, *of;        /* factors that are not 1 in all lanes, and their features */
  double *less, *share;   /* factors minus 1, and the values, active x lanes */
  double *before;
} scratch;

static osvm_status scratch_open(scratch *s, const task *t) {
  const osvm_store *rows = t->rows;
  const size_t most = (size_t)t->most + 1, all = rows->sparse ? (size_t)rows->d : 1;
  s->feature = malloc(most * sizeof(int));
  s->of = malloc(most * sizeof(int));
  s->vectors = malloc(most * t->lanes * sizeof(double));
  s->less = malloc(most * t->lanes * sizeof(double));
  s->share = malloc(most * t->lanes * sizeof(double));
  s->before = malloc(most * OSVM_SHARE_WORK * sizeof(double));
  s->place = malloc(all * sizeof(int));
  s->x = calloc(all, sizeof(double));
  const void *blocks[] = {s->feature, s->of, s->vectors, s->less, s->share, s->before, s->place, s->x};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
    if (blocks[k] == NULL) return OSVM_NO_MEMORY;
  for (size_t f = 0; f < all; f++) s->place[f] = -1;
  return OSVM_OK;
}

static void scratch_close(scratch *s) {
  free(s->feature);
  free(s->of);
  free(s->vectors);
  free(s->less);
  free(s->share);
  free(s->before);
  free(s->place);
  free(s->x);
}

/* The row of a feature in the slab, of zeros if it is new */
static double *slab_row(const task *t, scratch *s, int feature) {
  if (s->place[feature] < 0) {
    s->place[feature] = s->features;
    s->feature[s->features] = feature;
    memset(s->vectors + (size_t)s->features++ * t->lanes, 0, t->lanes * sizeof(double));
  }
  return s->vectors + (size_t)s->place[feature] * t->lanes;
}

/* Support vectors first .. first + count - 1, one per lane; the others are zeros. */
static void load_slab(const task *t, scratch *s, int first, int count) {
  const osvm_store *sv = t->model->store;
  if (sv->sparse) {
    for (int k = 0; k < s->features; k++) s->place[s->feature[k]] = -1;
    s->features = 0;
    for (int i = 0; i < count; i++) {
      const osvm_query z = osvm_store_query(sv, first + i, NULL);
      for (int k = 0; k < z.length; k++) slab_row(t, s, z.column[k])[i] = ((const double *)z.value)[k];
    }
    return;
  }
  s->features = sv->d;
  memset(s->vectors, 0, (size_t)sv->d * t->lanes * sizeof(double));
  for (int f = 0; f < sv->d; f++) s->feature[f] = f;
  for (int i = 0; i < count; i += sv->width) {
    const double *panel = (const double *)sv->dense + (size_t)(first + i) * sv->d;
    for (int f = 0; f < sv->d; f++)
      memcpy(s->vectors + (size_t)f * t->lanes + i, panel + (size_t)f * sv->width, sv->width * sizeof(double));
  }
}

/* The base values of one feature: of x with the values of the lanes */
static void add_factor(const task *t, scratch *s, int feature, double x, const double *lanes) {
  const osvm_simd *simd = t->model->store->simd;
  double *base = s->less + (size_t)s->active * t->lanes;
  int differs = 0;
  const int squared = t->model->kernel->info->base == OSVM_SQUARED_DISTANCES;
  (squared ? simd->distances : simd->absolutes)(lanes, 1, t->lanes / simd->width, &x, base);
  for (int k = 0; k < t->lanes; k++) differs |= base[k] != 0;
  if (differs) s->of[s->active++] = feature;
}

/* Features that the example alone has differ from 0 in all lanes alike. */
static void load_factors(const task *t, scratch *s, const osvm_query *example, const double *zeros) {
  const double *x = t->rows->sparse ? s->x : example->dense;
  s->active = 0;
  for (int k = 0; k < s->features; k++)
    add_factor(t, s, s->feature[k], x[s->feature[k]], s->vectors + (size_t)k * t->lanes);
  if (t->rows->sparse)
    for (int k = 0; k < example->length; k++)
      if (s->place[example->column[k]] < 0) add_factor(t, s, example->column[k], s->x[example->column[k]], zeros);
  const int all = s->active * t->lanes;
  osvm_kernel_transform(t->model->kernel, t->model->store->simd, s->less, all);
  for (int k = 0; k < all; k++) s->less[k] -= 1;
}

static double *value_of(const task *t, int row, int feature, int machine) {
  const osvm_shapley_model *model = t->model;
  return t->out + row + (size_t)t->rows->n * (model->group[feature] + (size_t)model->groups * machine);
}

static double slab_work(const task *t, const scratch *s, const rule *r) {
  return (double)s->active * t->lanes * (3.0 * r->nodes + 10 + t->model->machines);
}

/* An example with the slab of `count` support vectors from `first` on */
static double add_slab(const task *t, scratch *s, int row, int first, int count, const double *zeros) {
  const osvm_store *sv = t->model->store;
  const osvm_query example = osvm_store_query(t->rows, row, NULL);
  if (t->rows->sparse)
    for (int k = 0; k < example.length; k++) s->x[example.column[k]] = ((const double *)example.value)[k];
  load_factors(t, s, &example, zeros);
  if (t->rows->sparse)
    for (int k = 0; k < example.length; k++) s->x[example.column[k]] = 0;
  const rule *r = rule_for(&t->rules, s->active);
  sv->simd->product_shares(s->less, s->active, t->lanes, r->at, r->weight, r->nodes, s->before, s->share);
  for (int m = 0; m < t->model->machines; m++)
    for (int k = 0; k < s->active; k++)
      *value_of(t, row, s->of[k], m) +=
          sv->simd->weigh(s->share + (size_t)k * t->lanes, count, t->model->coef + first + (size_t)m * sv->n);
  return slab_work(t, s, r);
}

static osvm_status add_slabs(const task *t, scratch *s, int begin, int end, const osvm_progress *progress) {
  static const double zeros[DENSE_LANES] = {0};
  const int n = t->model->store->n;
  double work = 0;
  for (int first = 0; first < n; first += t->lanes) {
    const int count = n - first < t->lanes ? n - first : t->lanes;
    load_slab(t, s, first, count);
    for (int row = begin; row < end; row++)
      if (osvm_poll_due(&work, add_slab(t, s, row, first, count, zeros)) && osvm_poll(progress, (double)first / n))
        return OSVM_INTERRUPTED;
  }
  return OSVM_OK;
}

static osvm_status run_job(void *user, int number, const osvm_progress *progress) {
  const task *t = user;
  const int begin = number * ROWS, end = t->rows->n - begin < ROWS ? t->rows->n : begin + ROWS;
  if (osvm_poll(progress, 0)) return OSVM_INTERRUPTED; /* a job may be shorter than the time between polls */
  scratch s = {0};
  osvm_status status = scratch_open(&s, t);
  if (status == OSVM_OK) status = add_slabs(t, &s, begin, end, progress);
  scratch_close(&s);
  return status;
}

/* ---- all rows ---- */

static void add_weighted(const task *t) {
  const int d = t->rows->d;
  for (int row = 0; row < t->rows->n; row++) {
    const osvm_query x = osvm_store_query(t->rows, row, NULL);
    const double *value = t->rows->sparse ? x.value : x.dense;
    const int count = t->rows->sparse ? x.length : d;
    for (int m = 0; m < t->model->machines; m++)
      for (int k = 0; k < count; k++) {
        const int feature = t->rows->sparse ? x.column[k] : k;
        *value_of(t, row, feature, m) += t->model->coef[feature + (size_t)m * d] * value[k];
      }
  }
}

/* Factors of an example and a slab that may differ from 1 */
static int most_factors(const osvm_store *rows, const osvm_store *sv, int lanes) {
  if (!sv->sparse) return sv->d;
  int64_t own = 0, most = 0;
  for (int i = 0; i < rows->n; i++) own = rows->row_length[i] > own ? rows->row_length[i] : own;
  for (int first = 0; first < sv->n; first += lanes) {
    int64_t sum = 0;
    for (int i = first; i < first + lanes && i < sv->n; i++) sum += sv->row_length[i];
    most = sum > most ? sum : most;
  }
  return own + most < sv->d ? (int)(own + most) : sv->d;
}

static osvm_status add_values(task *t, int threads, const osvm_progress *progress, osvm_error *error) {
  const osvm_store *sv = t->model->store;
  t->lanes = sv->sparse ? sv->simd->width : DENSE_LANES;
  t->most = most_factors(t->rows, sv, t->lanes);
  OSVM_TRY(rules_open(&t->rules, t->most > 0 ? t->most : 1, error));
  const osvm_status status = osvm_queue_run(run_job, t, (t->rows->n + ROWS - 1) / ROWS, threads, progress);
  return status == OSVM_NO_MEMORY ? osvm_no_memory(error) : status;
}

osvm_status osvm_shapley_values(const osvm_shapley_model *model, const osvm_simd *simd, const osvm_data *data,
                                int threads, const osvm_progress *progress, double *out, osvm_error *error) {
  const int linear = osvm_kernel_is_linear(model->kernel);
  if (!linear && !model->kernel->info->product)
    return osvm_fail(error, OSVM_INVALID, "the kernel is no product over features");
  if (!linear && data->d != model->store->d)
    return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model's store");
  if (data->n == 0 || (!linear && model->store->n == 0)) return OSVM_OK;
  osvm_store rows;
  task t = {.model = model, .rows = &rows, .out = out};
  const int sparse = linear ? data->kind == OSVM_SPARSE : model->store->sparse;
  osvm_status status = osvm_store_open(&rows, simd, OSVM_ROWS, sparse, data->d, data->n, error);
  if (status == OSVM_OK) status = osvm_store_append(&rows, data, NULL, data->n, error);
  if (status == OSVM_OK && model->unit_norm) osvm_store_normalise(&rows, 0);
  if (status == OSVM_OK && linear) add_weighted(&t);
  else if (status == OSVM_OK) status = add_values(&t, threads, progress, error);
  rules_close(&t.rules);
  osvm_store_close(&rows);
  return status;
}
