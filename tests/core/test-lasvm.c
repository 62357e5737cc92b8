/* LASVM, visit by visit: PROCESS and REPROCESS on the full kernel matrix, applied to the state before a visit, give the
 * state after it. A step makes the gradients of its pair equal up to rounding: of several examples with the extreme
 * gradient any may be selected. */
#include "../../src/sv-dual.h"

#include "sv-solvers.h"

enum { FIRST_EXAMPLES = 5, CANDIDATES = 50, PATIENCE = 20, MOST = 100 };
enum { RANDOM, GRADIENT, MARGIN };
static const double SAME = 1e-9;

typedef struct {
  double C, tolerance;
  int selection, finish, epochs;
} setting;

/* One machine: coefficients, outputs and membership of S, by visit number */
typedef struct {
  const problem *p;
  const setting *s;
  int m;
  double a[MOST], f[MOST]; /* f: without bias */
  unsigned char in[MOST];
} state;

typedef struct {
  double gmax, gmin; /* not finite: I_up or I_low is empty */
} extremes;

static double K(const state *l, int u, int v) { return l->p->K[u + (size_t)v * l->p->n]; }
static double label(const state *l, int v) { return problem_label(l->p, l->m, v); }
static double bound(const state *l, int v) { return l->s->C * l->p->weight[v]; }

static void compute_outputs(state *l) {
  for (int v = 0; v < l->p->n; v++) {
    l->f[v] = 0;
    for (int u = 0; u < l->p->n; u++)
      if (l->a[u] != 0) l->f[v] += l->a[u] * K(l, u, v);
  }
}

static double gradient(const state *l, int v) { return label(l, v) - l->f[v]; }
static double lower(const state *l, int v) { return label(l, v) < 0 ? -bound(l, v) : 0; }
static double upper(const state *l, int v) { return label(l, v) > 0 ? bound(l, v) : 0; }
static int in_up(const state *l, int v) { return l->in[v] && l->a[v] < upper(l, v); }
static int in_low(const state *l, int v) { return l->in[v] && l->a[v] > lower(l, v); }

static extremes extremes_of(const state *l) {
  extremes x = {-INFINITY, INFINITY};
  for (int v = 0; v < l->p->n; v++) {
    if (in_up(l, v)) x.gmax = fmax(x.gmax, gradient(l, v));
    if (in_low(l, v)) x.gmin = fmin(x.gmin, gradient(l, v));
  }
  return x;
}

static int has_pair(const extremes *x) { return isfinite(x->gmax) && isfinite(x->gmin); }

static double bias(const state *l) {
  const extremes x = extremes_of(l);
  return has_pair(&x) ? (x.gmax + x.gmin) / 2 : 0;
}

/* Steps are 1e-6 short, and a coefficient within 1e-12 of its bound is set to it: as in solver-lasvm.c. */
static void step(state *l, int up, int low) {
  const double curvature = K(l, up, up) + K(l, low, low) - 2 * K(l, up, low);
  const double most_up = upper(l, up) - l->a[up], most_down = l->a[low] - lower(l, low);
  const double unclipped = (gradient(l, up) - gradient(l, low)) / (curvature > 0 ? curvature : 1e-12);
  const double t = fmin(unclipped * (1 - 1e-6), fmin(most_up, most_down));
  l->a[up] = most_up - t <= 1e-12 * (upper(l, up) - lower(l, up)) ? upper(l, up) : l->a[up] + t;
  l->a[low] = most_down - t <= 1e-12 * (upper(l, low) - lower(l, low)) ? lower(l, low) : l->a[low] - t;
  compute_outputs(l);
}

/* Examples with a = 0 that no violating pair contains have left S; where rounding decides, either is accepted. */
static int same(const state *want, const state *got) {
  const extremes x = extremes_of(want);
  for (int v = 0; v < want->p->n; v++) {
    if (fabs(want->a[v] - got->a[v]) > SAME * want->s->C || (want->a[v] == 0) != (got->a[v] == 0)) return 0;
    const double g = gradient(want, v), beyond = label(want, v) < 0 ? g - x.gmax : x.gmin - g;
    const int leaves = want->a[v] == 0 && has_pair(&x) && beyond >= 0;
    if (want->a[v] == 0 && has_pair(&x) && fabs(beyond) < SAME * want->s->C) continue;
    if (got->in[v] != (want->in[v] && !leaves)) return 0;
  }
  return 1;
}

static int reprocessed(const state *before, const state *after) {
  const extremes x = extremes_of(before);
  if (!has_pair(&x) || x.gmax - x.gmin <= before->s->tolerance) return same(before, after);
  for (int up = 0; up < before->p->n; up++) {
    if (!in_up(before, up) || gradient(before, up) < x.gmax - SAME) continue;
    for (int low = 0; low < before->p->n; low++) {
      if (!in_low(before, low) || gradient(before, low) > x.gmin + SAME) continue;
      state l = *before;
      step(&l, up, low);
      if (same(&l, after)) return 1;
    }
  }
  return 0;
}

static int violates(const state *l, int v) {
  const extremes x = extremes_of(l);
  const double extreme = label(l, v) > 0 ? x.gmin : x.gmax;
  return isfinite(extreme) && label(l, v) * (gradient(l, v) - extreme) > l->s->tolerance;
}

/* Is `after` a possible result of a visit to v in the state `before`? */
static int visited(const state *before, int v, const state *after) {
  const extremes x = extremes_of(before);
  const double y = label(before, v), extreme = y > 0 ? x.gmin : x.gmax;
  state l = *before;
  int count = 0;
  if (l.in[v]) return reprocessed(&l, after);
  for (int u = 0; u < l.p->n; u++) count += l.in[u];
  l.in[v] = violates(before, v) || (!isfinite(extreme) && count < FIRST_EXAMPLES);
  if (!violates(before, v)) return reprocessed(&l, after);
  for (int u = 0; u < l.p->n; u++) {
    if (!(y > 0 ? in_low(before, u) : in_up(before, u)) || fabs(gradient(before, u) - extreme) > SAME) continue;
    state stepped = l;
    step(&stepped, y > 0 ? v : u, y > 0 ? u : v);
    if (reprocessed(&stepped, after)) return 1;
  }
  return 0;
}

/* ---- a run, visit by visit ---- */

typedef struct {
  const problem *p;
  const setting *s;
  int check, limit; /* limit: no more visits than that */
  double loss[EPOCHS], violations[EPOCHS], visits[EPOCHS];
} drive;

static state state_of(const drive *d, const osvm_run *run, const int *visits, int m) {
  state l = {.p = d->p, .s = d->s, .m = m};
  const osvm_sv_set *set = run->machine[m].sv_set;
  for (int slot = 0; slot < set->n; slot++) {
    if (set->shared_slot[slot] < 0) continue;
    const int v = visits[osvm_sv_set_example(set, slot)];
    l.in[v] = 1;
    l.a[v] = osvm_sv_set_doubles(set, OSVM_SV_COEF)[slot];
  }
  compute_outputs(&l);
  return l;
}

static osvm_status visit(drive *d, osvm_run *run, const int *visits, int e) {
  for (int m = 0; m < d->p->machines; m++) {
    const int v = visits[run->upcoming[0]];
    const osvm_example x = {run->upcoming[0], problem_label(d->p, m, v), d->p->weight[v]};
    if (x.y == 0) continue;
    state before = {0};
    if (d->check) before = state_of(d, run, visits, m);
    CHECK(run->solver->learn(run, &run->machine[m], &x) == OSVM_OK);
    d->visits[e]++;
    if (!d->check) continue;
    const state after = state_of(d, run, visits, m);
    if (x.weight == 0) CHECK(memcmp(&before, &after, sizeof after) == 0);
    if (x.weight == 0) continue;
    CHECK(visited(&before, v, &after));
    if (before.in[v]) continue;
    d->loss[e] += fmax(0, 1 - x.y * (before.f[v] + bias(&before)));
    d->violations[e] += violates(&before, v);
  }
  return OSVM_OK;
}

static int select_candidate(const drive *d, const osvm_run *run, const int *visits, const int *candidates, int count,
                            int *inside) {
  state l[MACHINES];
  double least = INFINITY;
  int chosen = 0;
  for (int m = 0; m < d->p->machines; m++) l[m] = state_of(d, run, visits, m);
  for (int k = 0; k < count; k++)
    for (int m = 0; m < d->p->machines; m++) {
      const int v = visits[candidates[k]];
      const double y = label(&l[m], v), f = l[m].f[v] + bias(&l[m]);
      const double score = d->s->selection == MARGIN ? fabs(f) : y * f;
      if (y == 0 || l[m].in[v] || score >= least) continue;
      least = score;
      chosen = k;
    }
  *inside = least < 1;
  return chosen;
}

static void epoch_by_selection(drive *d, osvm_run *run, const int *visits, int e) {
  int left[MOST], lefts = run->count, in_vain = 0;
  for (int p = 0; p < lefts; p++) left[p] = run->first + p;
  while (lefts > 0) {
    const int some = lefts < CANDIDATES ? lefts : CANDIDATES;
    for (int k = 1; k <= some; k++) { /* the k-th drawn is the k-th from the end */
      const int at = osvm_random_below(&run->context.random, lefts - k + 1), i = left[at];
      left[at] = left[lefts - k];
      left[lefts - k] = i;
    }
    int inside;
    const int chosen = select_candidate(d, run, visits, left + lefts - some, some, &inside);
    run->upcoming[0] = left[lefts - some + chosen];
    run->n_upcoming = 1;
    left[lefts - some + chosen] = left[lefts - 1];
    lefts--;
    visit(d, run, visits, e);
    in_vain = inside || run->driver->sets->shared.slot[run->upcoming[0]] >= 0 ? 0 : in_vain + 1;
    for (int k = 1; k < some && in_vain > PATIENCE; k++) {
      run->upcoming[0] = left[--lefts];
      visit(d, run, visits, e);
    }
  }
}

/* Optimal to the tolerance on S as it was before and all examples of the run; afterwards only examples with a coefficient
 * are left. */
static void check_finish(const state *before, const state *after, const osvm_run *run, const int *visits) {
  state all = *after;
  memcpy(all.in, before->in, sizeof all.in);
  for (int i = run->first; i < run->end; i++) all.in[visits[i]] |= label(&all, visits[i]) != 0;
  const extremes x = extremes_of(&all);
  if (!has_pair(&x)) return;
  CHECK(x.gmax - x.gmin <= all.s->tolerance + SAME * all.s->C);
  for (int v = 0; v < all.p->n; v++) CHECK(after->in[v] == (after->a[v] != 0));
}

static osvm_status drive_run(osvm_run *run, const int *visits, void *user) {
  drive *d = user;
  state before[MACHINES];
  const int count = run->count;
  for (int e = 0; e < d->s->epochs; e++) {
    for (int p = 0; p < count && d->s->selection == RANDOM && d->limit-- > 0; p++) {
      run->n_upcoming = count - p < OSVM_QUERIES ? count - p : OSVM_QUERIES;
      for (int q = 0; q < run->n_upcoming; q++) run->upcoming[q] = run->first + p + q;
      visit(d, run, visits, e);
    }
    if (d->s->selection != RANDOM) epoch_by_selection(d, run, visits, e);
  }
  for (int m = 0; m < d->p->machines && d->check; m++) before[m] = state_of(d, run, visits, m);
  if (d->limit >= 0 && d->s->finish) CHECK(osvm_run_finish(run) == OSVM_OK);
  for (int m = 0; m < d->p->machines && d->check; m++) {
    const state after = state_of(d, run, visits, m);
    if (d->s->finish) check_finish(&before[m], &after, run, visits);
  }
  return OSVM_OK;
}

/* ---- runs ---- */

typedef struct {
  argument params[4];
  way way;
} task;

static void task_fill(task *t, const setting *s) {
  const argument params[] = {
      {"C", s->C}, {"tolerance", s->tolerance}, {"selection", s->selection}, {"finish", s->finish}};
  memcpy(t->params, params, sizeof params);
  t->way = (way){.solver = "lasvm",
                 .params = t->params,
                 .n_params = 4,
                 .epochs = s->epochs,
                 .doubles = 1,
                 .seed = 3,
                 .cache = 4000};
}

/* Columns of the model: bounds, gradients of the coefficients, and the bias that follows from them. */
static void check_columns(const problem *p, const osvm_model *model, const setting *s, double tolerance) {
  for (int m = 0; m < p->machines; m++) {
    const double *coef = osvm_model_column(model, m, OSVM_SV_COEF), *cost = osvm_model_column(model, m, OSVM_SV_COST);
    double sum = 0, gmax = -INFINITY, gmin = INFINITY;
    for (int v = 0; v < p->n; v++) {
      const double y = problem_label(p, m, v), a = coef[v];
      double g = y;
      sum += a;
      CHECK(a == model->coef[v + (size_t)m * p->n]);
      if (cost[v] == 0) CHECK(a == 0);
      if (cost[v] == 0) continue;
      for (int u = 0; u < p->n; u++) g -= coef[u] * p->K[u + (size_t)v * p->n];
      CHECK(cost[v] == s->C * p->weight[v] && a * y >= 0 && a * y <= cost[v]);
      CHECK_NEAR(osvm_model_column(model, m, OSVM_SV_GRADIENT)[v], g, tolerance);
      if (y > 0 ? a < cost[v] : a < 0) gmax = fmax(gmax, g);
      if (y > 0 ? a > 0 : a > -cost[v]) gmin = fmin(gmin, g);
    }
    CHECK_NEAR(sum, 0, 1e-9 * s->C * p->n);
    CHECK_NEAR(model->intercept[m], isfinite(gmax) && isfinite(gmin) ? (gmax + gmin) / 2 : 0, tolerance);
  }
}

/* Visit by visit, and by osvm_run_learn: bit for bit the same. */
static void check_paper(const problem *p, const setting *s, const int *cuts, int pieces) {
  task t;
  drive d = {p, s, 1, 1 << 20, {0}, {0}, {0}};
  task_fill(&t, s);
  outcome o = learn_pieces(p, &t.way, cuts, pieces);
  t.way.learn = drive_run;
  t.way.user = &d;
  outcome driven = learn_pieces(p, &t.way, cuts, pieces);
  CHECK(o.status == OSVM_OK && o.model.n_kept == driven.model.n_kept);
  check_same_models(&o.model, &driven.model, 0);
  check_columns(p, &o.model, s, 1e-9 * s->C);
  for (int e = 0; e < s->epochs && pieces == 1; e++) {
    CHECK_NEAR(o.trace[e].loss, d.visits[e] > 0 ? d.loss[e] / d.visits[e] : 0, 1e-7 * (1 + d.loss[e]));
    CHECK(o.trace[e].violations == d.violations[e]);
  }
  for (int m = 0; m < p->machines; m++) {
    CHECK(o.end[m].iterations == driven.end[m].iterations);
    if (s->finish) CHECK(o.end[m].finished && o.end[m].gap <= s->tolerance);
  }
  outcome_free(&o);
  outcome_free(&driven);
}

static void runs_follow_the_paper(void) {
  for (int t = 0; t < 24; t++) {
    const int sparse = t % 2, classes = 2 + t / 2 % 2;
    const setting s = {t % 3 ? 1 : 30, t % 5 ? 1e-3 : 0.2, RANDOM, t / 4 % 2, 1 + t % 3};
    problem p = problem_of(50 + 9 * (t % 4), sparse ? 12 : 2, classes, sparse ? OSVM_SPARSE : OSVM_DOUBLES,
                           t % 7 == 3 ? &linear : &rbf);
    if (t % 4) leave_some_out(&p);
    test_about("round %d: sparse %d, classes %d, C %g, finish %d", t, sparse, classes, s.C, s.finish);
    check_paper(&p, &s, (int[]){0, p.n}, 1);
    problem_free(&p);
  }
}

static void selections_follow_the_paper(void) {
  for (int t = 0; t < 16; t++) {
    const setting s = {t % 3 ? 1 : 10, 1e-3, t % 2 ? GRADIENT : MARGIN, t / 4 % 2, 1 + t % 3};
    problem p = problem_of(t < 4 ? 30 : 90, 2, 2 + t / 2 % 2, OSVM_DOUBLES, &rbf);
    if (t % 4) leave_some_out(&p);
    test_about("round %d: selection %d, machines %d", t, s.selection, p.machines);
    check_paper(&p, &s, (int[]){0, p.n}, 1);
    problem_free(&p);
  }
}

static void pieces_follow_the_paper(void) {
  for (int t = 0; t < 16; t++) {
    const int classes = 2 + t % 2, n = 70, size = 1 + t / 2 % 6, sparse = t % 4 < 2;
    const setting s = {t % 3 ? 1 : 20, 1e-3, RANDOM, t % 5 == 1, 1 + t % 2};
    problem p =
        problem_of(n, sparse ? 12 : 2, classes, sparse ? OSVM_SPARSE : OSVM_DOUBLES, t % 5 == 4 ? &linear : &rbf);
    leave_some_out(&p);
    int cuts[80] = {0}, pieces = 0;
    for (; cuts[pieces] < n; pieces++) cuts[pieces + 1] = cuts[pieces] + size < n ? cuts[pieces] + size : n;
    test_about("round %d: classes %d, C %g, pieces of %d", t, classes, s.C, size);
    check_paper(&p, &s, cuts, pieces);
    problem_free(&p);
  }
}

static void single_precision(void) {
  for (int t = 0; t < 12; t++) {
    const setting s = {t % 3 ? 1 : 10, 1e-3, t % 3, 1, 2};
    problem p = problem_of(90, 2 + t % 4 * 12, 2, OSVM_DOUBLES, &rbf);
    task run;
    task_fill(&run, &s);
    test_about("round %d", t);
    outcome exact = learn_all(&p, &run.way);
    run.way.doubles = 0;
    outcome o = learn_all(&p, &run.way);
    CHECK(o.status == OSVM_OK && o.end[0].finished);
    check_columns(&p, &o.model, &s, 1e-4 * s.C);
    CHECK_NEAR(o.end[0].objective, exact.end[0].objective, 0.01 * fabs(exact.end[0].objective));
    outcome_free(&exact);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* Duplicates, in the same class and in both. */
static void the_same_points(void) {
  for (int t = 0; t < 60; t++) {
    const setting s = {t % 2 ? 1 : 100, 1e-3, t % 3, t % 4 > 0, 2};
    problem p = problem_of(60, 2, t % 5 ? 2 : 3, OSVM_DOUBLES, t % 7 ? &rbf : &linear);
    for (int k = 0; k < p.n * 2; k++) p.m.x[k] = round(p.m.x[k]);
    for (int k = 0; k < p.n * p.n; k++)
      p.K[k] = plain_kernel(&p.kernel, &p.data, p.rows[k % p.n], &p.data, p.rows[k / p.n]);
    task run;
    task_fill(&run, &s);
    run.way.doubles = random_below(2);
    test_about("round %d", t);
    outcome o = learn_all(&p, &run.way);
    CHECK(o.status == OSVM_OK && isfinite(o.model.intercept[0]));
    check_columns(&p, &o.model, &s, run.way.doubles ? 1e-8 * s.C : 1e-4 * s.C);
    for (int m = 0; m < p.machines; m++) CHECK(s.finish ? o.end[m].finished == 1 : isnan(o.end[m].finished));
    outcome_free(&o);
    problem_free(&p);
  }
}

/* Only one class: the first five enter S with coefficient 0; the other class comes later. */
static void a_missing_class(void) {
  problem p = problem_of(40, 2, 2, OSVM_DOUBLES, &rbf);
  const setting s = {1, 1e-3, RANDOM, 1, 1};
  task run;
  task_fill(&run, &s);
  for (int v = 0; v < 20; v++) p.class_of[v] = 1;
  p.class_of[20] = 0;
  p.weight[1] = 0;
  outcome o = learn_pieces(&p, &run.way, (int[]){0, 20, 40}, 1),
          later = learn_pieces(&p, &run.way, (int[]){0, 20, 40}, 2);
  CHECK(o.model.n_kept == FIRST_EXAMPLES && o.model.kept[1] == 2 && o.model.intercept[0] == 0);
  for (int v = 0; v < p.n; v++) CHECK(o.model.coef[v] == 0);
  CHECK(later.end[0].finished && later.end[0].objective < 0);
  check_columns(&p, &later.model, &s, 1e-10);
  outcome_free(&o);
  outcome_free(&later);
  problem_free(&p);
}

/* Stopped at every poll: the model is that of the visits so far, or that of a step of the finish. */
static void interrupts(void) {
  problem p = problem_of(500, 2, 2, OSVM_DOUBLES, &rbf);
  for (int selection = 0; selection < 3; selection++) {
    const setting s = {1, 1e-3, selection, 1, 2};
    task run;
    task_fill(&run, &s);
    osvm_status status = OSVM_INTERRUPTED;
    int polls = 0;
    for (; status == OSVM_INTERRUPTED; polls++) {
      int left = polls;
      test_about("selection %d, poll %d", selection, polls);
      run.way.learn = NULL;
      run.way.progress = host_progress(stop_later, &left);
      outcome o = learn_all(&p, &run.way);
      status = o.status;
      check_columns(&p, &o.model, &s, 1e-8);
      CHECK(o.end[0].finished || status == OSVM_INTERRUPTED);
      if (selection == RANDOM && o.visits[0] < 2 * p.n) {
        drive d = {&p, &s, 0, (int)o.visits[0], {0}, {0}, {0}};
        run.way.learn = drive_run;
        run.way.user = &d;
        outcome want = learn_all(&p, &run.way);
        check_same_models(&o.model, &want.model, 0);
        outcome_free(&want);
      }
      outcome_free(&o);
    }
    CHECK(polls > (selection == RANDOM ? 3 : 1)); /* the others end early */
  }
  problem_free(&p);
}

/* Random labels and a large C: the finish takes many steps. */
static void an_interrupted_finish(void) {
  problem p = problem_of(200, 2, 2, OSVM_DOUBLES, &rbf);
  for (int v = 0; v < p.n; v++) p.class_of[v] = random_below(2);
  const setting s = {1e5, 1e-6, RANDOM, 1, 1};
  task run;
  task_fill(&run, &s);
  int in_finish = 0;
  for (int polls = 1; polls < 8; polls++) {
    int left = polls;
    test_about("poll %d", polls);
    run.way.progress = host_progress(stop_later, &left);
    outcome o = learn_all(&p, &run.way);
    in_finish += o.status == OSVM_INTERRUPTED && o.visits[0] == p.n;
    check_columns(&p, &o.model, &s, 1e-9 * s.C);
    outcome_free(&o);
  }
  CHECK(in_finish > 0);
  problem_free(&p);
}

void test_lasvm(void) {
  RUN(runs_follow_the_paper);
  RUN(selections_follow_the_paper);
  RUN(pieces_follow_the_paper);
  RUN(single_precision);
  RUN(the_same_points);
  RUN(a_missing_class);
  RUN(interrupts);
  RUN(an_interrupted_finish);
}
