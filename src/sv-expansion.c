/* A kernel expansion that is being learned, and four ways to compute its outputs:
 *
 * cached  lazy outputs keep K coef for the visits to come: a change of one coefficient costs one kernel row, an output
 *         a few multiplications (Kecman & Melki 2016, Lists 3).
 * listed  as Lists 1 and 2 print it: an output is the product of one kernel row with all coefficients, a change costs
 *         nothing, and shrinking multiplies every coefficient.
 * primal  linear kernel: the weights sum a_i x_i; output and change cost the example's non-zeros.
 * bounded as listed, but only the vectors of a small set have coefficients, by slot; see budget.h.
 *
 * Averages are updated lazily: with S_t the sum of the scales of steps 1..t, a change c of coef_i at step t adds
 * c (S_T - S_{t-1}) to the sum over steps 1..T. The part c S_{t-1} goes into average_correction at once; the rest is
 * contained in S_T coef_i. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sv-expansion.h"

/* When to make the scale 1 again. Far above underflow; with averages much earlier, since scale_sum * coef and
 * average_correction are both about a / scale, and their difference loses as many digits. */
static const double TINY_SCALE = 1e-100, TINY_AVERAGED = 1e-4;

static double *zeros(size_t n) { return calloc(n > 0 ? n : 1, sizeof(double)); }

osvm_status osvm_expansion_open(osvm_expansion *e, osvm_output_mode outputs, osvm_store *store, int slots, int averaged,
                                osvm_error *error) {
  memset(e, 0, sizeof *e);
  e->outputs = outputs;
  e->store = store;
  e->places = outputs == OSVM_BOUNDED ? slots : store->n;
  e->size = outputs == OSVM_PRIMAL ? store->d : e->places;
  e->averaged = averaged;
  e->scale = 1;
  e->horizon = INT_MAX;
  e->product_of = -1;
  e->coef = zeros(e->places);
  int complete = e->coef != NULL;
  if (outputs == OSVM_PRIMAL) complete &= (e->weights = zeros(store->d)) != NULL;
  if (averaged) {
    complete &= (e->average_base = zeros(e->size)) != NULL;
    complete &= (e->average_correction = zeros(e->size)) != NULL;
  }
  return complete ? OSVM_OK : osvm_no_memory(error);
}

/* Failures are left in `bounded`; the value is then 0. */
static double bounded_output(const osvm_expansion *e, int i) {
  osvm_bounded *b = e->bounded;
  const int ahead = b->n_next > 0 && b->next[0] == i;
  const void *row = NULL;
  if (b->status == OSVM_OK)
    b->status = osvm_shared_sv_row(b->shared, ahead ? b->next : &i, ahead ? b->n_next : 1, &row, b->error);
  return b->status == OSVM_OK ? e->store->simd->weigh(row, b->shared->count, e->coef) : 0;
}

/* The slot of example i, which becomes a vector of the set; -1: no memory */
static int bounded_place(const osvm_expansion *e, int i) {
  osvm_bounded *b = e->bounded;
  int slot = b->shared->slot[i];
  if (slot >= 0) return slot;
  if (b->status == OSVM_OK) b->status = osvm_shared_sv_acquire(b->shared, i, &slot, b->error);
  return b->status == OSVM_OK ? slot : -1;
}

double osvm_expansion_output(osvm_expansion *e, int i) {
  double f = 0;
  switch (e->outputs) {
  case OSVM_CACHED: f = osvm_lazy_outputs_get(e->lazy, e->machine, i); break;
  case OSVM_LISTED: f = e->store->simd->weigh(osvm_engine_row(e->engine, i), e->store->n, e->coef); break;
  case OSVM_PRIMAL:
    if (e->product_of != i) e->product = osvm_store_weigh(e->store, i, e->weights);
    e->product_of = i;
    f = e->product;
    break;
  case OSVM_BOUNDED: f = bounded_output(e, i); break;
  }
  return e->scale * f + e->bias;
}

void osvm_expansion_add(osvm_expansion *e, int i, double change) {
  const int place = change != 0 && e->bounded != NULL ? bounded_place(e, i) : i;
  if (change == 0 || place < 0) return;
  change /= e->scale;
  e->coef[place] += change;
  switch (e->outputs) {
  case OSVM_CACHED: osvm_lazy_outputs_change(e->lazy, e->machine, i, change, e->horizon); break;
  case OSVM_LISTED:
  case OSVM_BOUNDED: break;
  case OSVM_PRIMAL:
    if (e->product_of != i) e->product = osvm_store_weigh(e->store, i, e->weights);
    e->norm += change * (2 * e->product + change * e->store->norm[i]);
    e->product_of = -1;
    osvm_store_add(e->store, i, change, e->weights);
    if (e->averaged) osvm_store_add(e->store, i, change * e->scale_sum, e->average_correction);
    return;
  }
  if (e->averaged) e->average_correction[place] += change * e->scale_sum;
}

static const double *summed(const osvm_expansion *e) { return e->outputs == OSVM_PRIMAL ? e->weights : e->coef; }

static void multiply(double *x, int n, double factor) {
  if (x != NULL)
    for (int i = 0; i < n; i++) x[i] *= factor;
}

static void measure(osvm_expansion *e) {
  e->norm = 0;
  e->product_of = -1;
  for (int k = 0; e->weights != NULL && k < e->size; k++) e->norm += e->weights[k] * e->weights[k];
}

/* Makes the scale 1 again and computes the norm anew, without accumulated rounding. */
static void rebase(osvm_expansion *e) {
  if (e->averaged) {
    for (int k = 0; k < e->size; k++) {
      e->average_base[k] += e->scale_sum * summed(e)[k] - e->average_correction[k];
      e->average_correction[k] = 0;
    }
    e->scale_sum = 0;
  }
  multiply(e->coef, e->places, e->scale);
  if (e->outputs == OSVM_CACHED) osvm_lazy_outputs_scale(e->lazy, e->machine, e->scale);
  multiply(e->weights, e->store->d, e->scale);
  measure(e);
  e->scale = 1;
}

void osvm_expansion_shrink(osvm_expansion *e, double factor) {
  e->scale *= factor;
  if (e->outputs == OSVM_LISTED || fabs(e->scale) < (e->averaged ? TINY_AVERAGED : TINY_SCALE)) rebase(e);
}

/* A sum over steps is linear in these three arrays: what holds for coefficients holds for averages. */
void osvm_expansion_fold(osvm_expansion *e, int from, double factor, int to, double keep) {
  double *arrays[] = {e->coef, e->average_base, e->average_correction};
  for (int k = 0; k < (e->averaged ? 3 : 1); k++) arrays[k][to] = keep * arrays[k][to] + factor * arrays[k][from];
}

void osvm_expansion_drop(osvm_expansion *e, int slot, int last) {
  double *arrays[] = {e->coef, e->average_base, e->average_correction};
  for (int k = 0; k < (e->averaged ? 3 : 1); k++) {
    arrays[k][slot] = arrays[k][last];
    arrays[k][last] = 0;
  }
}

void osvm_expansion_step(osvm_expansion *e) {
  e->steps += 1;
  const double times = e->late ? e->steps : 1;
  e->scale_sum += times * e->scale;
  e->bias_sum += times * e->bias;
}

/* How often a step counts on average: models have the mean over steps, times their number. */
static double mean_times(const osvm_expansion *e) { return e->late ? (e->steps + 1) / 2 : 1; }

void osvm_expansion_import_bias(osvm_expansion *e, double steps, double bias, double sum) {
  e->steps = steps;
  e->bias = bias;
  e->bias_sum = sum * mean_times(e);
}

double osvm_expansion_bias_sum(const osvm_expansion *e) { return e->bias_sum / mean_times(e); }

void osvm_expansion_import(osvm_expansion *e, const double *coef, const double *sums, int count) {
  memcpy(e->outputs == OSVM_PRIMAL ? e->weights : e->coef, coef, (size_t)count * sizeof(double));
  for (int k = 0; e->averaged && k < count; k++) e->average_base[k] = sums[k] * mean_times(e);
  measure(e);
}

static double sum_over_steps(const osvm_expansion *e, int k) {
  return (e->average_base[k] + e->scale_sum * summed(e)[k] - e->average_correction[k]) / mean_times(e);
}

static int count_terms(const osvm_expansion *e) { return e->bounded != NULL ? e->bounded->shared->count : e->size; }

static int example_of(const osvm_expansion *e, int k) {
  return e->bounded != NULL ? e->bounded->shared->example[k] : k;
}

void osvm_expansion_export(const osvm_expansion *e, double *coef, double *sums) {
  for (int k = 0; k < count_terms(e); k++) {
    coef[example_of(e, k)] = e->scale * summed(e)[k];
    if (e->averaged) sums[example_of(e, k)] = sum_over_steps(e, k);
  }
}

double osvm_expansion_result(const osvm_expansion *e, double *coef) {
  const int mean = e->averaged && e->steps > 0;
  for (int k = 0; k < count_terms(e); k++)
    coef[example_of(e, k)] = mean ? sum_over_steps(e, k) / e->steps : e->scale * summed(e)[k];
  return mean ? osvm_expansion_bias_sum(e) / e->steps : e->bias;
}

void osvm_expansion_close(osvm_expansion *e) {
  free(e->coef);
  free(e->weights);
  free(e->average_base);
  free(e->average_correction);
  memset(e, 0, sizeof *e);
}
