#include "ramp-reference.h"

enum { UNTESTED_ROUNDS = 16 }; /* as in ramp-machine.c */

static double kernel_at(const reference *r, int i, int j) { return r->p->K[i + (size_t)j * r->p->n]; }

reference *reference_open(const problem *p, const setting *by, int machine) {
  reference *r = calloc(1, sizeof *r);
  r->p = p;
  r->by = *by;
  for (int i = 0; i < p->n; i++) {
    r->y[i] = problem_label(p, machine, i);
    r->upper[i] = by->C * p->weight[i];
    r->g[i] = 1;
  }
  return r;
}

static void set_alpha(reference *r, int i, double alpha) { /* (15) */
  const double change = r->y[i] * (alpha - r->alpha[i]);
  for (int k = 0; k < r->p->n; k++) r->g[k] -= r->y[k] * change * kernel_at(r, i, k);
  r->alpha[i] = alpha;
}

static double best_alpha(const reference *r, int i, double *gain) { /* (14), (13) */
  const double k = kernel_at(r, i, i), old = r->alpha[i], g = r->g[i];
  const double new = k > 0 ? fmin(fmax(old + g / k, 0), r->upper[i]) : g > 0 ? r->upper[i] : 0;
  *gain = k * (old * old - new *new) / 2 + (g + k * old) * (new - old);
  return new;
}

/* Lines 10 to 15 */
static void coordinate_descent(reference *r) {
  for (;;) {
    double most = r->by.min_gain, gain, alpha = 0;
    int best = -1;
    for (int i = 0; i < r->p->n; i++) {
      if (!r->in_v[i] || fabs(r->g[i]) <= r->by.tolerance) continue;
      const double here = best_alpha(r, i, &gain);
      if (!(gain > most)) continue;
      most = gain;
      best = i;
      alpha = here;
    }
    if (best < 0) return;
    set_alpha(r, best, alpha);
  }
}

static double objective(const reference *r) { /* (7) */
  double sum = 0;
  for (int i = 0; i < r->p->n; i++)
    if (r->in_i[i]) sum += r->alpha[i] * (1 - r->g[i]) / 2 + r->upper[i] * fmin(fmax(r->g[i], 0), 2);
  return sum;
}

/* Lines 9 to 27. With the tolerances of lines 10 to 15, V may cycle: the objective decides, as in ramp-machine.c. */
static void cccp(reference *r) {
  double previous = INFINITY;
  for (int round = 0, changed = 1; changed; round++) {
    int left[REFERENCE_SIZE], n_left = 0;
    coordinate_descent(r);
    if (round >= UNTESTED_ROUNDS) {
      if (!(objective(r) < previous - r->by.min_gain)) return;
      previous = objective(r);
    }
    changed = 0;
    for (int i = 0; i < r->p->n; i++) {
      const int in_v = r->in_i[i] && r->g[i] <= 2;
      changed |= in_v != r->in_v[i];
      if (r->in_v[i] && !in_v) left[n_left++] = i;
      r->in_v[i] = in_v;
    }
    for (int k = 0; k < n_left; k++) set_alpha(r, left[k], 0);
  }
}

/* Algorithm 2 */
static void remove_non_svs(reference *r) {
  for (;;) {
    int count = 0, farthest = -1;
    for (int i = 0; i < r->p->n; i++) {
      if (!r->in_i[i] || r->alpha[i] != 0) continue;
      count++;
      if (farthest < 0 || fabs(1 - r->g[i]) > fabs(1 - r->g[farthest])) farthest = i;
    }
    if (count <= r->by.keep) return;
    r->in_i[farthest] = r->in_v[farthest] = 0;
  }
}

/* Lines 2 to 28, then Algorithm 2 */
void reference_learn(reference *r, int i) {
  double gain;
  if (r->y[i] == 0 || r->upper[i] == 0) return;
  r->in_i[i] = 1;
  r->in_v[i] = r->g[i] <= 2;
  if (r->g[i] >= 0 && r->g[i] <= 2) {
    set_alpha(r, i, best_alpha(r, i, &gain));
    cccp(r);
  }
  remove_non_svs(r);
}

void reference_forget(reference *r, int i) {
  if (!r->in_i[i]) return;
  set_alpha(r, i, 0);
  r->in_i[i] = r->in_v[i] = 0;
  cccp(r);
}

double reference_batch(reference *r) {
  const int n = r->p->n, first = (int)ceil(r->by.start * n);
  for (int i = 0; i < first; i++) r->in_i[i] = r->in_v[i] = 1;
  coordinate_descent(r);
  for (int i = first; i < n; i++) {
    r->in_i[i] = 1;
    r->in_v[i] = r->g[i] <= 2;
  }
  cccp(r);
  return objective(r);
}
