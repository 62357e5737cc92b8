/* Bookkeeping of the dual; see smo-dual.h. */
#include "smo-dual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ADDED_AT_ONCE = 64, PERIOD = 1000 };
static const double TAU = 1e-12;
static const double WORK_PER_POLL = 4e7, WORTH_PACKING = 0.8;

static void set_real(const osvm_dual *s, void *values, int k, double x) { osvm_set_real(s->store->simd, values, k, x); }
static double get_real(const osvm_dual *s, const void *values, int k) { return osvm_real(s->store->simd, values, k); }

static void mark(osvm_dual *s, int k, int rises, int falls) {
  set_real(s, s->selection.up, k, rises ? 0 : -INFINITY);
  set_real(s, s->selection.low, k, falls ? 0 : INFINITY);
}

/* Done, as far as one can tell: the gap closes about exponentially. */
int osvm_dual_stopped(osvm_dual *s) {
  const osvm_task *task = s->run->task;
  const double work = (s->run->evaluations - s->evaluations) * (s->store->sparse ? 32 : s->store->d + 8);
  if (task->progress.poll == NULL || s->no_poll || s->work + work < WORK_PER_POLL) return 0;
  s->work = -work;
  const double gap = fmax(s->selection.gmax - s->selection.gmin, s->tolerance);
  s->largest_gap = fmax(s->largest_gap, gap);
  const double done = s->largest_gap > s->tolerance ? log(s->largest_gap / gap) / log(s->largest_gap / s->tolerance) : 1;
  return task->progress.poll(task->progress.user, s->from + s->share * fmin(done, 1));
}

/* ---- which examples, and with what errors ---- */

static osvm_status activate(osvm_dual *s) {
  osvm_status status = osvm_active_set_select(&s->active, s->is_active, s->run->error);
  if (status != OSVM_OK) return status;
  s->padded = (int)s->active.stride;
  for (int k = 0; k < s->padded; k++) {
    const int i = k < s->active.n ? s->active.who[k] : -1;
    s->selection.gradient[k] = i < 0 ? 0 : s->gradient[i];
    set_real(s, s->selection.diagonal, k, i < 0 ? 1 : osvm_kernel_self(&s->run->task->kernel, s->store->norm[i]));
    mark(s, k, i >= 0 && osvm_dual_in_up(s, i), i >= 0 && osvm_dual_in_low(s, i));
  }
  return OSVM_OK;
}

void osvm_dual_store_gradient(osvm_dual *s) {
  for (int k = 0; k < s->active.n; k++) s->gradient[s->active.who[k]] = s->selection.gradient[k];
}

/* out -= sum of (b - before) k over the examples of `target`; before = NULL: zeros. */
static osvm_status bring_in(osvm_dual *s, const double *before, osvm_active_set *target, double *out) {
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    const double change = s->b[i] - (before != NULL ? before[i] : 0);
    if (change == 0 || s->y[i] == 0) continue;
    s->factor[count] = -change;
    s->changed[count++] = i;
  }
  for (int k = 0; k < count; k += ADDED_AT_ONCE) {
    if (osvm_dual_stopped(s)) return OSVM_INTERRUPTED;
    osvm_active_set_add(target, s->changed + k, s->factor + k, count - k < ADDED_AT_ONCE ? count - k : ADDED_AT_ONCE, out);
  }
  return OSVM_OK;
}

osvm_status osvm_dual_reconstruct_gradient(osvm_dual *s) {
  osvm_status status = OSVM_OK;
  osvm_dual_store_gradient(s);
  for (int g = 0; g < s->n_shrinks && status == OSVM_OK; g++) {
    for (int i = 0; i < s->n; i++) s->is_active[i] = s->shrunk_at[i] == g;
    status = osvm_active_set_select(&s->rest, s->is_active, s->run->error);
    double *error = s->selection.gradient; /* at hand, and to be filled anew */
    for (int k = 0; k < s->rest.n; k++) error[k] = s->gradient[s->rest.who[k]];
    if (status == OSVM_OK) status = bring_in(s, s->coef_then[g], &s->rest, error);
    for (int k = 0; k < s->rest.n && status == OSVM_OK; k++) s->gradient[s->rest.who[k]] = error[k];
  }
  if (status != OSVM_OK) return status;
  s->n_shrinks = 0;
  s->selection.gmax = -INFINITY;
  s->selection.gmin = INFINITY;
  for (int i = 0; i < s->n; i++) {
    s->shrunk_at[i] = -1;
    s->is_active[i] = s->y[i] != 0;
    if (s->is_active[i] && osvm_dual_in_up(s, i)) s->selection.gmax = fmax(s->selection.gmax, s->gradient[i]);
    if (s->is_active[i] && osvm_dual_in_low(s, i)) s->selection.gmin = fmin(s->selection.gmin, s->gradient[i]);
  }
  return OSVM_OK;
}

osvm_status osvm_dual_shrink(osvm_dual *s, int refill) {
  int count = 0, total = 0;
  for (int i = 0; i < s->n; i++) {
    if (!s->is_active[i]) continue;
    const int rises = osvm_dual_in_up(s, i), falls = osvm_dual_in_low(s, i);
    const int idle = (!falls && s->gradient[i] < s->selection.gmin) || (!rises && s->gradient[i] > s->selection.gmax);
    s->changed[total++] = idle ? -1 - i : i;
    count += idle;
  }
  const int worth = s->n_shrinks < OSVM_MAX_SHRINKS && total - count < WORTH_PACKING * total;
  if (!worth && !refill) return OSVM_OK;
  if (worth) {
    double **then = &s->coef_then[s->n_shrinks];
    if (*then == NULL) *then = malloc(s->n * sizeof(double));
    if (*then == NULL) return osvm_no_memory(s->run->error);
    memcpy(*then, s->b, s->n * sizeof(double));
    for (int k = 0; k < total; k++) {
      if (s->changed[k] >= 0) continue;
      const int i = -1 - s->changed[k];
      s->is_active[i] = 0;
      s->shrunk_at[i] = s->n_shrinks;
    }
    s->n_shrinks++;
  }
  return activate(s);
}

/* A step of nothing, for which any numbers will do as kernel rows. */
void osvm_dual_refresh_selection(osvm_dual *s) {
  s->store->simd->pair_step(&s->selection, s->active.cache.slab, s->active.cache.slab, s->padded, 0);
}

/* ---- steps ---- */

double osvm_dual_curvature(const osvm_dual *s, int k, int l, const void *row) {
  return get_real(s, s->selection.diagonal, k) + get_real(s, s->selection.diagonal, l) - 2 * get_real(s, row, l);
}

/* At a bound exactly where a bound was met. */
void osvm_dual_step(osvm_dual *s, int k, int l, double t, const void *row_k, const void *row_l) {
  const int i = s->active.who[k], j = s->active.who[l];
  const double high = osvm_dual_upper(s, i), low = osvm_dual_lower(s, j), up = high - s->b[i], down = s->b[j] - low;
  t = fmin(t, fmin(up, down));
  s->b[i] = t == up ? high : fmin(s->b[i] + t, high);
  s->b[j] = t == down ? low : fmax(s->b[j] - t, low);
  mark(s, k, osvm_dual_in_up(s, i), osvm_dual_in_low(s, i));
  mark(s, l, osvm_dual_in_up(s, j), osvm_dual_in_low(s, j));
  s->machine->updates += t != 0;
  s->store->simd->pair_step(&s->selection, row_k, row_l, s->padded, t);
}

/* ---- second-order pairs until the tolerance is met ---- */

osvm_status osvm_dual_overflow(const osvm_dual *s) {
  return osvm_fail(s->run->error, OSVM_DIVERGED, "the kernel values grew beyond all numbers; scale the data");
}

static int lowest_place(const osvm_dual *s) {
  for (int k = 0; k < s->active.n; k++)
    if (osvm_dual_in_low(s, s->active.who[k]) && s->selection.gradient[k] == s->selection.gmin) return k;
  return -1;
}

/* The row of k, and while the examples are being read, of those that violate most on the same side: they come next. */
static const void *fetch_row(osvm_dual *s, int k, int rising) {
  int who[OSVM_QUERIES] = {k}, count = 1;
  if (!osvm_active_set_lacks(&s->active, k) || !osvm_active_set_fetches(&s->active)) return osvm_active_set_row(&s->active, k);
  double worst[OSVM_QUERIES] = {INFINITY}, least = -INFINITY;
  for (int l = 0; l < s->active.n; l++) {
    const double e = s->selection.gradient[l], bad = rising ? e : -e;
    if (!(bad > least) || l == k || !osvm_active_set_lacks(&s->active, l)) continue;
    const int i = s->active.who[l];
    if (!(rising ? osvm_dual_in_up(s, i) : osvm_dual_in_low(s, i))) continue;
    int q = count < OSVM_QUERIES ? count++ : OSVM_QUERIES - 1;
    for (; bad > worst[q - 1]; q--) {
      worst[q] = worst[q - 1];
      who[q] = who[q - 1];
    }
    worst[q] = bad;
    who[q] = l;
    if (count == OSVM_QUERIES) least = worst[count - 1];
  }
  osvm_active_set_fetch(&s->active, who, count);
  return osvm_active_set_row(&s->active, k);
}

static osvm_status step_second_order(osvm_dual *s) {
  const int k = s->selection.first;
  const double *error = s->selection.gradient;
  const void *row = fetch_row(s, k, 1);
  int l = s->store->simd->pair_partner(&s->selection, row, s->padded);
  /* Rounding may hide a small difference of large errors. */
  if (l < 0 || !(error[k] > error[l])) l = lowest_place(s);
  if (l < 0) return osvm_dual_overflow(s);
  const void *other = fetch_row(s, l, 0);
  const double c = osvm_dual_curvature(s, k, l, row), t = (error[k] - error[l]) / (c > 0 ? c : TAU);
  if (!isfinite(c) || !isfinite(t)) return osvm_dual_overflow(s);
  osvm_dual_step(s, k, l, t, row, other);
  return OSVM_OK;
}

/* Every PERIOD steps, and once, when the end is near, with all examples. */
static osvm_status shrink(osvm_dual *s, int *recalled) {
  const int near = !*recalled && s->n_shrinks > 0 && s->selection.gmax - s->selection.gmin <= 10 * s->tolerance;
  *recalled |= near;
  osvm_dual_store_gradient(s);
  osvm_status status = near ? osvm_dual_reconstruct_gradient(s) : OSVM_OK;
  if (status == OSVM_OK) status = osvm_dual_shrink(s, near);
  if (status == OSVM_OK) osvm_dual_refresh_selection(s);
  return status;
}

osvm_status osvm_dual_solve(osvm_dual *s, int shrinking, double max_iter) {
  const int period = s->active.n < PERIOD ? s->active.n : PERIOD;
  int countdown = period, recalled = 0;
  osvm_status status = OSVM_OK;
  while (status == OSVM_OK) {
    const int over = s->iterations >= max_iter;
    if (over || s->selection.gmax - s->selection.gmin < s->tolerance) {
      const int all = s->n_shrinks == 0;
      if (all) osvm_dual_store_gradient(s);
      else status = osvm_dual_reconstruct_gradient(s);
      if (status != OSVM_OK || all || over || s->selection.gmax - s->selection.gmin < s->tolerance) return status;
      status = osvm_dual_shrink(s, 1);
      if (status == OSVM_OK) osvm_dual_refresh_selection(s);
    } else if (shrinking && --countdown == 0) {
      countdown = period;
      status = shrink(s, &recalled);
    } else {
      s->work += 4.0 * s->active.n;
      status = osvm_dual_stopped(s) ? OSVM_INTERRUPTED : step_second_order(s);
      s->iterations += status == OSVM_OK;
      if (status == OSVM_INTERRUPTED) osvm_dual_store_gradient(s);
    }
  }
  return status;
}

/* ---- from beginning to end ---- */

static double *doubles(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static osvm_status allocate(osvm_dual *s, osvm_run *run, int m, const osvm_store *store, size_t bytes) {
  const int n = store->n, padded = n + store->width;
  memset(s, 0, sizeof *s);
  s->run = run;
  s->store = store;
  s->m = m;
  s->n = n;
  s->evaluations = run->evaluations;
  s->machine = &run->machine[m];
  s->share = 1.0 / run->task->machines;
  s->from = m * s->share;
  s->y = doubles(n);
  s->upper = doubles(n);
  s->gradient = doubles(n);
  s->factor = doubles(n);
  s->is_active = calloc((size_t)n + 1, 1);
  s->shrunk_at = malloc(((size_t)n + 1) * sizeof(int));
  s->changed = malloc(((size_t)n + 1) * sizeof(int));
  s->selection.gradient = doubles(padded);
  s->selection.up = doubles(padded);
  s->selection.low = doubles(padded);
  s->selection.gradient_low = doubles(padded);
  s->selection.diagonal = doubles(padded);
  if (!s->y || !s->upper || !s->gradient || !s->factor || !s->is_active || !s->shrunk_at || !s->changed || !s->selection.gradient ||
      !s->selection.up || !s->selection.low || !s->selection.gradient_low || !s->selection.diagonal)
    return osvm_no_memory(run->error);
  OSVM_TRY(osvm_active_set_open(&s->active, &run->task->kernel, store, bytes, run->error));
  OSVM_TRY(osvm_active_set_open(&s->rest, &run->task->kernel, store, 0, run->error));
  s->active.rows.evaluations = s->rest.rows.evaluations = &run->evaluations;
  if (store != &run->store) return OSVM_OK;
  s->active.rows.gram = run->task->gram;
  if (store->sparse) s->rest.rows.gram = run->task->gram; /* dense sums are as quick computed as gathered */
  return OSVM_OK;
}

double osvm_dual_weight(const osvm_run *run, int m, int i) {
  const osvm_model *model = run->task->model;
  if (i >= run->first) return run->task->weight[i - run->first];
  return model->going[(size_t)model->size * (model->machines + m) + i];
}

/* Labels, bounds, and coefficients within them that sum to 0. A carried example's label is its coefficient's sign. */
static void prepare(osvm_dual *s) {
  double side[2] = {0, 0};
  for (int i = 0; i < s->n; i++) {
    const double weight = osvm_dual_weight(s->run, s->m, i);
    s->y[i] = i < s->run->first ? (s->b[i] > 0) - (s->b[i] < 0) : osvm_run_label(s->run, s->m, i - s->run->first);
    if (!(weight > 0)) s->y[i] = 0;
    s->upper[i] = s->y[i] != 0 ? s->C * weight : 0;
    s->b[i] = fmin(fmax(s->b[i], osvm_dual_lower(s, i)), osvm_dual_upper(s, i));
    side[s->b[i] > 0] += fabs(s->b[i]);
    s->shrunk_at[i] = -1;
    s->is_active[i] = s->y[i] != 0;
    s->gradient[i] = s->y[i];
  }
  const int heavy = side[1] > side[0];
  if (side[0] != side[1])
    for (int i = 0; i < s->n; i++)
      if ((s->b[i] > 0) == heavy) s->b[i] *= side[!heavy] / side[heavy];
}

osvm_status osvm_dual_open(osvm_dual *s, osvm_run *run, int m, double C, double tolerance) {
  osvm_status status = allocate(s, run, m, &run->store, run->task->cache_bytes);
  s->b = s->machine->expansion.coef;
  s->C = C;
  s->tolerance = tolerance;
  if (status != OSVM_OK) return status;
  prepare(s);
  status = activate(s);
  if (status == OSVM_OK && run->first > 0) status = bring_in(s, NULL, &s->active, s->selection.gradient);
  if (status == OSVM_OK) osvm_dual_refresh_selection(s);
  return status;
}

osvm_status osvm_dual_open_on(osvm_dual *s, osvm_run *run, int m, const osvm_store *store, size_t bytes,
                              double tolerance) {
  osvm_status status = allocate(s, run, m, store, bytes);
  s->tolerance = tolerance;
  if (status != OSVM_OK) return status;
  s->b = s->coef = doubles(s->n);
  for (int i = 0; i < s->n; i++) s->shrunk_at[i] = -1;
  return s->b != NULL ? OSVM_OK : osvm_no_memory(run->error);
}

/* Of all multiples of the coefficients that fit, the one with the least objective: a'Qa g^2 / 2 - g sum a. */
static double best_multiple(const osvm_dual *s, double most) {
  double linear = 0, square = 0;
  for (int i = 0; i < s->n; i++) {
    linear += s->b[i] * s->y[i];
    square += s->b[i] * (s->y[i] - s->gradient[i]);
  }
  return square > 0 && linear < most * square ? fmax(linear / square, fmin(most, 1)) : most;
}

osvm_status osvm_dual_warm_start(osvm_dual *s, double C, double tolerance) {
  const double most = C / s->C, multiple = fmin(best_multiple(s, most), most);
  s->C = C;
  s->tolerance = tolerance;
  s->iterations = s->largest_gap = 0;
  s->n_shrinks = 0;
  for (int i = 0; i < s->n; i++) {
    const int full = fabs(s->b[i]) == s->upper[i];
    s->upper[i] *= most;
    s->b[i] = full && multiple == most ? s->y[i] * s->upper[i] : s->b[i] * multiple;
    s->gradient[i] = s->y[i] - multiple * (s->y[i] - s->gradient[i]);
    s->shrunk_at[i] = -1;
  }
  return osvm_dual_begin(s);
}

osvm_status osvm_dual_begin(osvm_dual *s) {
  for (int i = 0; i < s->n; i++) s->is_active[i] = s->y[i] != 0;
  osvm_status status = activate(s);
  if (status == OSVM_OK) osvm_dual_refresh_selection(s);
  return status;
}

void osvm_dual_finish(osvm_dual *s) {
  osvm_convergence *end = &s->machine->convergence;
  double sum = 0, count = 0, objective = 0, highest = -INFINITY, lowest = INFINITY;
  for (int i = 0; i < s->n; i++) {
    if (s->y[i] == 0) continue;
    objective -= s->b[i] * (s->gradient[i] + s->y[i]) / 2;
    if (s->shrunk_at[i] >= 0) continue;
    const int rises = osvm_dual_in_up(s, i), falls = osvm_dual_in_low(s, i);
    if (rises) highest = fmax(highest, s->gradient[i]);
    if (falls) lowest = fmin(lowest, s->gradient[i]);
    if (!rises || !falls) continue;
    sum += s->gradient[i];
    count++;
  }
  const double middle = isfinite(highest) && isfinite(lowest) ? (highest + lowest) / 2
                        : isfinite(highest)                   ? highest
                                                              : lowest;
  s->machine->expansion.bias = count > 0 ? sum / count : isfinite(middle) ? middle : 0;
  end->iterations = s->iterations;
  end->gap = isfinite(highest) && isfinite(lowest) ? fmax(highest - lowest, 0) : 0;
  end->objective = objective;
  end->finished = end->gap < s->tolerance;
  s->machine->expansion.steps += s->iterations;
  s->machine->taken += s->iterations;
}

void osvm_dual_close(osvm_dual *s) {
  osvm_active_set_close(&s->active);
  osvm_active_set_close(&s->rest);
  for (int g = 0; g < OSVM_MAX_SHRINKS; g++) free(s->coef_then[g]);
  free(s->coef);
  free(s->y);
  free(s->upper);
  free(s->gradient);
  free(s->factor);
  free(s->is_active);
  free(s->shrunk_at);
  free(s->changed);
  free(s->selection.gradient);
  free(s->selection.up);
  free(s->selection.low);
  free(s->selection.gradient_low);
  free(s->selection.diagonal);
}

osvm_status osvm_dual_export(osvm_run *run, osvm_model *model) {
  const size_t size = model->size, all = size * model->machines;
  for (int m = 0; m < model->machines; m++) {
    const osvm_machine *machine = &run->machine[m];
    const double tally[OSVM_TALLY] = {[OSVM_STEPS] = machine->expansion.steps, [OSVM_BIAS] = machine->expansion.bias};
    for (int i = 0; i < model->size; i++) {
      model->coef[m * size + i] = model->going[m * size + i] = machine->expansion.coef[i];
      model->going[all + m * size + i] = osvm_dual_weight(run, m, i);
    }
    memcpy(model->tally + (size_t)m * OSVM_TALLY, tally, sizeof tally);
    model->intercept[m] = machine->expansion.bias;
  }
  return OSVM_OK;
}
