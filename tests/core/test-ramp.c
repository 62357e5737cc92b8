/* The ramp-loss solvers against Algorithms 1 and 2 written out with all kernel values at hand, and what holds of any of
 * their models. */
#include "../../src/ramp.h"

#include "sv-solvers.h"

enum { N = 61, MANY = 600 }; /* many: enough for steps among the few */

typedef struct {
  double C, tolerance, min_gain, keep, start;
} setting;

/* ---- the lists ---- */

typedef struct {
  const problem *p;
  setting by;
  double y[MANY], upper[MANY], a[MANY], g[MANY];
  int known[MANY], in_v[MANY];
} list_of;

static double kernel_at(const list_of *r, int i, int j) { return r->p->K[i + (size_t)j * r->p->n]; }

static list_of *list_open(const problem *p, const setting *by, int machine) {
  list_of *r = calloc(1, sizeof *r);
  r->p = p;
  r->by = *by;
  for (int i = 0; i < p->n; i++) {
    r->y[i] = problem_label(p, machine, i);
    r->upper[i] = by->C * p->weight[i];
    r->g[i] = 1;
  }
  return r;
}

static void list_set(list_of *r, int i, double a) { /* (15) */
  const double change = r->y[i] * (a - r->a[i]);
  for (int k = 0; k < r->p->n; k++) r->g[k] -= r->y[k] * change * kernel_at(r, i, k);
  r->a[i] = a;
}

static double list_best(const list_of *r, int i, double *gain) { /* (14), (13) */
  const double k = kernel_at(r, i, i), a = r->a[i], g = r->g[i];
  const double to = k > 0 ? fmin(fmax(a + g / k, 0), r->upper[i]) : g > 0 ? r->upper[i] : 0;
  *gain = k * (a * a - to * to) / 2 + (g + k * a) * (to - a);
  return to;
}

static void list_settle(list_of *r) {
  for (;;) {
    double most = r->by.min_gain, gain, to = 0;
    int best = -1;
    for (int i = 0; i < r->p->n; i++) {
      if (!r->in_v[i] || fabs(r->g[i]) <= r->by.tolerance) continue;
      const double here = list_best(r, i, &gain);
      if (!(gain > most)) continue;
      most = gain;
      best = i;
      to = here;
    }
    if (best < 0) return;
    list_set(r, best, to);
  }
}

static void list_rounds(list_of *r) {
  for (int changed = 1; changed;) {
    int gone[MANY], out = 0;
    list_settle(r);
    changed = 0;
    for (int i = 0; i < r->p->n; i++) {
      const int belongs = r->known[i] && r->g[i] <= 2;
      changed |= belongs != r->in_v[i];
      if (r->in_v[i] && !belongs) gone[out++] = i;
      r->in_v[i] = belongs;
    }
    for (int k = 0; k < out; k++) list_set(r, gone[k], 0);
  }
}

static void list_discard(list_of *r) {
  for (;;) {
    int spare = 0, farthest = -1;
    for (int i = 0; i < r->p->n; i++) {
      if (!r->known[i] || r->a[i] != 0) continue;
      spare++;
      if (farthest < 0 || fabs(1 - r->g[i]) > fabs(1 - r->g[farthest])) farthest = i;
    }
    if (spare <= r->by.keep) return;
    r->known[farthest] = r->in_v[farthest] = 0;
  }
}

static void list_learn(list_of *r, int i) {
  double gain;
  if (r->y[i] == 0 || r->upper[i] == 0) return;
  r->known[i] = 1;
  r->in_v[i] = r->g[i] <= 2;
  if (r->g[i] >= 0 && r->g[i] <= 2) {
    list_set(r, i, list_best(r, i, &gain));
    list_rounds(r);
  }
  list_discard(r);
}

static void list_forget(list_of *r, int i) {
  if (!r->known[i]) return;
  list_set(r, i, 0);
  r->known[i] = r->in_v[i] = 0;
  list_rounds(r);
}

static void check_list(const outcome *o, int m, const list_of *want, double tolerance) {
  for (int i = 0; i < want->p->n; i++) {
    CHECK_NEAR(o->model.coef[(size_t)m * o->model.size + i], want->y[i] * want->a[i], tolerance);
    CHECK((osvm_model_column(&o->model, m, OSVM_SV_BOUND)[i] != 0) == want->known[i]);
    if (want->known[i])
      CHECK_NEAR(osvm_model_column(&o->model, m, OSVM_SV_GRADIENT)[i], want->y[i] * want->g[i], tolerance);
  }
}

/* ---- runs ---- */

static way way_of(const char *solver, const setting *by, osvm_argument *params) {
  const int cccp = strcmp(solver, "cccp") == 0;
  params[0] = (osvm_argument){"C", by->C};
  params[1] = (osvm_argument){"tolerance", by->tolerance};
  params[2] = (osvm_argument){"min_gain", by->min_gain};
  params[3] = cccp ? (osvm_argument){"start", by->start} : (osvm_argument){"keep", by->keep};
  return (way){.solver = solver, .params = params, .n_params = 4, .epochs = 1, .doubles = 1, .cache = 1 << 20};
}

static void check_stream(const osvm_kernel *kernel, osvm_data_kind kind, int classes, size_t cache) {
  static const double keeps[] = {INFINITY, 7, 0}, Cs[] = {0.3, 8};
  /* Features enough for no two examples to be all zeros: equal gains may go to either. */
  problem p = problem_of(N, kind == OSVM_SPARSE ? 14 : 4, classes, kind, kernel);
  leave_some_out(&p);
  for (int k = 0; k < COUNT(keeps); k++)
    for (int c = 0; c < COUNT(Cs); c++) {
      const setting by = {.C = Cs[c], .tolerance = 1e-3, .min_gain = 1e-5, .keep = keeps[k]};
      osvm_argument params[4];
      way w = way_of("ramp", &by, params);
      w.cache = cache;
      outcome whole = learn_all(&p, &w), parts = learn_pieces(&p, &w, (int[]){0, 20, 21, N}, 3);
      for (int m = 0; m < p.machines; m++) {
        test_about("kernel %d, kind %d, classes %d, keep %g, C %g, machine %d", kernel->type, kind, classes, by.keep,
                   by.C, m);
        list_of *want = list_open(&p, &by, m);
        for (int i = 0; i < N; i++) list_learn(want, i);
        check_list(&whole, m, want, 1e-9 * (1 + by.C));
        check_list(&parts, m, want, 1e-9 * (1 + by.C));
        free(want);
      }
      outcome_free(&whole);
      outcome_free(&parts);
    }
  problem_free(&p);
}

static void streams_follow_the_list(void) {
  const osvm_kernel square = {OSVM_POLYNOMIAL, 0.3, 1, 2};
  check_stream(&rbf, OSVM_DOUBLES, 2, 1 << 20);
  check_stream(&rbf, OSVM_DOUBLES, 2, 0);
  check_stream(&rbf, OSVM_SPARSE, 3, 1 << 20);
  check_stream(&square, OSVM_DOUBLES, 3, 0);
  check_stream(&linear, OSVM_SPARSE, 2, 1 << 20);
}

static const int forgotten[] = {3, 30, 31, 0, 12};

/* Before the last piece; some are forgotten in V, some outside, some twice. */
static osvm_status forget_some(osvm_run *run, const int *visits, void *user) {
  (void)user;
  for (int k = 0; k < COUNT(forgotten) && run->first > 40; k++)
    for (int i = 0; i < run->first; i++)
      for (int m = 0; m < run->machines && visits[i] == forgotten[k]; m++) {
        CHECK(run->solver->forget(run, &run->machine[m], i) == OSVM_OK);
        CHECK(run->solver->forget(run, &run->machine[m], i) == OSVM_OK);
      }
  return osvm_run_learn(run);
}

static void forgetting_follows_the_list(void) {
  for (int classes = 2; classes < 4; classes++) {
    problem p = problem_of(N, 2, classes, OSVM_DOUBLES, &rbf);
    const setting by = {.C = 4, .tolerance = 1e-3, .min_gain = 1e-5, .keep = INFINITY};
    osvm_argument params[4];
    way w = way_of("ramp", &by, params);
    w.learn = forget_some;
    outcome o = learn_pieces(&p, &w, (int[]){0, 20, 50, N}, 3);
    for (int m = 0; m < p.machines; m++) {
      test_about("classes %d, machine %d", classes, m);
      list_of *want = list_open(&p, &by, m);
      for (int i = 0; i < 50; i++) list_learn(want, i);
      for (int k = 0; k < COUNT(forgotten); k++) list_forget(want, forgotten[k]);
      for (int i = 50; i < N; i++) list_learn(want, i);
      check_list(&o, m, want, 1e-8);
      free(want);
    }
    CHECK(o.model.n_kept == N - COUNT(forgotten));
    for (int k = 1; k < o.model.n_kept; k++) CHECK(o.model.kept[k] > o.model.kept[k - 1]);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* The first guess, then rounds over all; only who has a coefficient is kept. */
static void offline_follows_the_list(void) {
  static const double starts[] = {0.1, 0.5, 1};
  for (int k = 0; k < COUNT(starts); k++) {
    problem p = problem_of(N, 2, 2, OSVM_DOUBLES, &rbf);
    const setting by = {.C = 4, .tolerance = 1e-3, .min_gain = 1e-5, .start = starts[k]};
    osvm_argument params[4];
    const way w = way_of("cccp", &by, params);
    outcome o = learn_all(&p, &w);
    list_of *want = list_open(&p, &by, 0);
    const int first = (int)ceil(starts[k] * N);
    test_about("start %g", starts[k]);
    for (int i = 0; i < first; i++) want->known[i] = want->in_v[i] = 1;
    list_settle(want);
    for (int i = first; i < N; i++) {
      want->known[i] = 1;
      want->in_v[i] = want->g[i] <= 2;
    }
    list_rounds(want);
    double objective = 0;
    for (int i = 0; i < N; i++) {
      objective += want->a[i] * (1 - want->g[i]) / 2 + want->upper[i] * fmin(fmax(want->g[i], 0), 2);
      want->known[i] = want->a[i] != 0;
    }
    check_list(&o, 0, want, 1e-8);
    CHECK(o.end[0].finished);
    CHECK_NEAR(o.end[0].objective, objective, 1e-8 * objective);
    free(want);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* Bounds, and errors that are those of the coefficients. */
static void check_usable(const problem *p, const outcome *o, double C, double tolerance) {
  for (int i = 0; i < p->n; i++) {
    const double cap = osvm_model_column(&o->model, 0, OSVM_SV_BOUND)[i], y = problem_label(p, 0, i);
    const double b = o->model.coef[i];
    if (cap == 0) continue;
    CHECK_NEAR(cap, y * C * p->weight[i], 1e-12);
    CHECK(y * b >= 0 && y * b <= y * cap);
    double e = y;
    for (int j = 0; j < p->n; j++) e -= o->model.coef[j] * p->K[i + (size_t)j * p->n];
    CHECK_NEAR(osvm_model_column(&o->model, 0, OSVM_SV_GRADIENT)[i], e, tolerance);
  }
}

/* (3) for everyone in V, and no coefficient beyond it: wherever the steps were taken, nothing is left to do. */
static void check_conditions(const problem *p, const outcome *o, double tolerance) {
  for (int i = 0; i < p->n; i++) {
    const double cap = fabs(osvm_model_column(&o->model, 0, OSVM_SV_BOUND)[i]), y = problem_label(p, 0, i);
    const double a = y * o->model.coef[i], g = y * osvm_model_column(&o->model, 0, OSVM_SV_GRADIENT)[i];
    if (g > 2) CHECK(a == 0);
    else CHECK((g >= -tolerance || a == 0) && (g <= tolerance || a == cap));
  }
}

static void steps_among_the_few_leave_nothing_to_do(void) {
  static const double Cs[] = {2, 50};
  for (int k = 0; k < COUNT(Cs); k++)
    for (int doubles = 0; doubles < 2; doubles++) {
      problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
      const setting by = {.C = Cs[k], .tolerance = 1e-3, .min_gain = 0, .keep = INFINITY};
      osvm_argument params[4];
      way w = way_of("ramp", &by, params);
      w.doubles = doubles;
      test_about("C %g, doubles %d", by.C, doubles);
      outcome o = learn_all(&p, &w);
      check_usable(&p, &o, by.C, doubles ? 1e-8 : 1e-3);
      check_conditions(&p, &o, by.tolerance);
      outcome_free(&o);
      problem_free(&p);
    }
}

static void an_interrupt_leaves_a_usable_model(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  static const char *const solvers[] = {"ramp", "cccp"};
  for (int s = 0; s < COUNT(solvers); s++) {
    const setting by = {.C = 30, .tolerance = 1e-4, .min_gain = 1e-7, .keep = INFINITY, .start = 0.2};
    osvm_argument params[4];
    way w = way_of(solvers[s], &by, params);
    osvm_status status = OSVM_INTERRUPTED;
    int polls = 0;
    for (; status == OSVM_INTERRUPTED && polls < 8; polls++) {
      test_about("%s, polls %d", solvers[s], polls);
      int left = polls;
      w.progress = (osvm_progress){stop_later, &left};
      outcome o = learn_all(&p, &w);
      status = o.status;
      check_usable(&p, &o, by.C, 1e-6);
      outcome_free(&o);
    }
    CHECK(polls > 1);
  }
  problem_free(&p);
}

/* Who was left with a coefficient beyond the ramp by an interrupt loses it when learning goes on. */
static void after_an_interrupt_all_is_settled(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  const setting by = {.C = 30, .tolerance = 1e-3, .min_gain = 1e-7, .keep = INFINITY};
  osvm_argument params[4];
  way w = way_of("ramp", &by, params);
  for (int polls = 0; polls < 9; polls += 3) {
    int left = polls;
    w.progress = (osvm_progress){stop_later, &left};
    test_about("polls %d", polls);
    outcome o =
        learn_pieces(&p, &w, (int[]){0, MANY - 50, MANY}, 2); /* the second piece runs to its end or stops at once */
    if (o.status == OSVM_OK) {
      for (int i = 0; i < p.n; i++) {
        const double y = problem_label(&p, 0, i), g = y * osvm_model_column(&o.model, 0, OSVM_SV_GRADIENT)[i];
        CHECK(g <= 2 + 1e-9 || o.model.coef[i] == 0);
      }
    }
    outcome_free(&o);
  }
  problem_free(&p);
}

static void swinging_comes_to_an_end(void) {
  const osvm_kernel sigmoid = {OSVM_SIGMOID, 0.5, -0.5, 0};
  problem p = problem_of(200, 2, 2, OSVM_DOUBLES, &sigmoid);
  const setting by = {.C = 10, .tolerance = 1e-3, .min_gain = 1e-5, .keep = INFINITY};
  osvm_argument params[4];
  const way w = way_of("ramp", &by, params);
  outcome o = learn_all(&p, &w);
  CHECK(o.updates < 1e6);
  CHECK(o.end[0].finished);
  check_usable(&p, &o, by.C, 1e-8);
  outcome_free(&o);
  problem_free(&p);
}

void test_ramp(void) {
  RUN(streams_follow_the_list);
  RUN(forgetting_follows_the_list);
  RUN(offline_follows_the_list);
  RUN(steps_among_the_few_leave_nothing_to_do);
  RUN(an_interrupt_leaves_a_usable_model);
  RUN(after_an_interrupt_all_is_settled);
  RUN(swinging_comes_to_an_end);
}
