/* LASVM, visit by visit: from the state before each, PROCESS and REPROCESS written out, all kernel values at hand and
 * every error a plain sum, lead to the state after it. A step leaves the errors of its pair the same but for rounding:
 * where several examples are extreme, any of them will do. */
#include "../../src/sv-dual.h"

#include "pieces.h"

enum { SEEDS = 5, CANDIDATES = 50, MOST = 100 };
enum { RANDOM, GRADIENT, MARGIN };
static const double SAME = 1e-9;

typedef struct {
  double C, tolerance;
  int selection, finish, epochs;
} setting;

/* One machine: its members and their coefficients, by visits */
typedef struct {
  const problem *p;
  const setting *s;
  int m;
  double b[MOST], f[MOST]; /* f: outputs */
  unsigned char in[MOST];
} state;

typedef struct {
  double gmax, gmin; /* not finite: I_up or I_low is empty */
} extremes;

static double K(const state *l, int u, int v) { return l->p->K[u + (size_t)v * l->p->n]; }
static double label(const state *l, int v) { return problem_label(l->p, l->m, v); }
static double cap(const state *l, int v) { return l->s->C * l->p->weight[v]; }

static void settle(state *l) {
  for (int v = 0; v < l->p->n; v++) {
    l->f[v] = 0;
    for (int u = 0; u < l->p->n; u++)
      if (l->b[u] != 0) l->f[v] += l->b[u] * K(l, u, v);
  }
}

static double error_of(const state *l, int v) { return label(l, v) - l->f[v]; }
static double low(const state *l, int v) { return label(l, v) < 0 ? -cap(l, v) : 0; }
static double high(const state *l, int v) { return label(l, v) > 0 ? cap(l, v) : 0; }
static int rises(const state *l, int v) { return l->in[v] && l->b[v] < high(l, v); }
static int falls(const state *l, int v) { return l->in[v] && l->b[v] > low(l, v); }

static extremes look(const state *l) {
  extremes x = {-INFINITY, INFINITY};
  for (int v = 0; v < l->p->n; v++) {
    if (rises(l, v)) x.gmax = fmax(x.gmax, error_of(l, v));
    if (falls(l, v)) x.gmin = fmin(x.gmin, error_of(l, v));
  }
  return x;
}

static int paired(const extremes *x) { return isfinite(x->gmax) && isfinite(x->gmin); }

static double bias(const state *l) {
  const extremes x = look(l);
  return paired(&x) ? (x.gmax + x.gmin) / 2 : 0;
}

static void step(state *l, int up, int down) {
  const double curve = K(l, up, up) + K(l, down, down) - 2 * K(l, up, down);
  const double rise = high(l, up) - l->b[up], fall = l->b[down] - low(l, down);
  const double whole = (error_of(l, up) - error_of(l, down)) / (curve > 0 ? curve : 1e-12);
  const double t = fmin(whole * (1 - 1e-6), fmin(rise, fall)); /* a hair short, and what is next to a bound is at it */
  l->b[up] = rise - t <= 1e-12 * (high(l, up) - low(l, up)) ? high(l, up) : l->b[up] + t;
  l->b[down] = fall - t <= 1e-12 * (high(l, down) - low(l, down)) ? low(l, down) : l->b[down] - t;
  settle(l);
}

/* Those with b = 0 whom no pair would pick have left; where rounding decides, either is right. */
static int same(const state *want, const state *got) {
  const extremes x = look(want);
  for (int v = 0; v < want->p->n; v++) {
    if (fabs(want->b[v] - got->b[v]) > SAME * want->s->C || (want->b[v] == 0) != (got->b[v] == 0)) return 0;
    const double e = error_of(want, v), beyond = label(want, v) < 0 ? e - x.gmax : x.gmin - e;
    const int leaves = want->b[v] == 0 && paired(&x) && beyond >= 0;
    if (want->b[v] == 0 && paired(&x) && fabs(beyond) < SAME * want->s->C) continue;
    if (got->in[v] != (want->in[v] && !leaves)) return 0;
  }
  return 1;
}

static int reprocessed(const state *before, const state *after) {
  const extremes x = look(before);
  if (!paired(&x) || x.gmax - x.gmin <= before->s->tolerance) return same(before, after);
  for (int up = 0; up < before->p->n; up++) {
    if (!rises(before, up) || error_of(before, up) < x.gmax - SAME) continue;
    for (int down = 0; down < before->p->n; down++) {
      if (!falls(before, down) || error_of(before, down) > x.gmin + SAME) continue;
      state l = *before;
      step(&l, up, down);
      if (same(&l, after)) return 1;
    }
  }
  return 0;
}

static int violates(const state *l, int v) {
  const extremes x = look(l);
  const double bound = label(l, v) > 0 ? x.gmin : x.gmax;
  return isfinite(bound) && label(l, v) * (error_of(l, v) - bound) > l->s->tolerance;
}

/* Is `after` what a visit of v may make of `before`? */
static int visited(const state *before, int v, const state *after) {
  const extremes x = look(before);
  const double y = label(before, v), bound = y > 0 ? x.gmin : x.gmax;
  state l = *before;
  int count = 0;
  if (l.in[v]) return reprocessed(&l, after);
  for (int u = 0; u < l.p->n; u++) count += l.in[u];
  l.in[v] = violates(before, v) || (!isfinite(bound) && count < SEEDS);
  if (!violates(before, v)) return reprocessed(&l, after);
  for (int u = 0; u < l.p->n; u++) {
    if (!(y > 0 ? falls(before, u) : rises(before, u)) || fabs(error_of(before, u) - bound) > SAME) continue;
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
  const osvm_sv_set *c = &run->sv_set[m];
  for (int slot = 0; slot < c->n; slot++) {
    if (c->shared_slot[slot] < 0) continue;
    const int v = visits[c->shared->example[c->shared_slot[slot]]];
    l.in[v] = 1;
    l.b[v] = osvm_sv_set_doubles(c, 0)[slot];
  }
  settle(&l);
  return l;
}

static osvm_status visit(drive *d, osvm_run *run, const int *visits, int e) {
  for (int m = 0; m < d->p->machines; m++) {
    const int v = visits[run->next[0]];
    const osvm_example x = {run->next[0], problem_label(d->p, m, v), d->p->weight[v]};
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

static int choose(const drive *d, const osvm_run *run, const int *visits, const int *candidates, int count,
                  int *promises) {
  state l[MACHINES];
  double least = INFINITY;
  int chosen = 0;
  for (int m = 0; m < d->p->machines; m++) l[m] = state_of(d, run, visits, m);
  for (int k = 0; k < count; k++)
    for (int m = 0; m < d->p->machines; m++) {
      const int v = visits[candidates[k]];
      const double y = label(&l[m], v), f = l[m].f[v] + bias(&l[m]);
      const double promise = d->s->selection == MARGIN ? fabs(f) : y * f;
      if (y == 0 || l[m].in[v] || promise >= least) continue;
      least = promise;
      chosen = k;
    }
  *promises = least < 1;
  return chosen;
}

static void epoch_by_choice(drive *d, osvm_run *run, const int *visits, int e) {
  int left[MOST], lefts = run->task->count, in_vain = 0;
  for (int p = 0; p < lefts; p++) left[p] = run->first + p;
  while (lefts > 0) {
    const int some = lefts < CANDIDATES ? lefts : CANDIDATES;
    for (int k = 1; k <= some; k++) { /* the k-th drawn comes k-th from the end */
      const int at = osvm_random_below(&run->random, lefts - k + 1), i = left[at];
      left[at] = left[lefts - k];
      left[lefts - k] = i;
    }
    int promises;
    const int chosen = choose(d, run, visits, left + lefts - some, some, &promises);
    run->next[0] = left[lefts - some + chosen];
    run->n_upcoming = 1;
    left[lefts - some + chosen] = left[lefts - 1];
    lefts--;
    visit(d, run, visits, e);
    in_vain = promises || run->shared->slot[run->next[0]] >= 0 ? 0 : in_vain + 1;
    for (int k = 1; k < some && in_vain > 20; k++) {
      run->next[0] = left[--lefts];
      visit(d, run, visits, e);
    }
  }
}

/* The solution, within tolerance, on all who were members; then zeros have left. */
static void check_finish(const state *before, const state *after) {
  state all = *after;
  memcpy(all.in, before->in, sizeof all.in);
  const extremes x = look(&all);
  if (!paired(&x)) return;
  CHECK(x.gmax - x.gmin <= all.s->tolerance + SAME * all.s->C);
  for (int v = 0; v < all.p->n; v++) CHECK(after->in[v] == (after->b[v] != 0));
}

static osvm_status drive_run(osvm_run *run, const int *visits, void *user) {
  drive *d = user;
  state before[MACHINES];
  const int count = run->task->count;
  for (int e = 0; e < d->s->epochs; e++) {
    for (int p = 0; p < count && d->s->selection == RANDOM && d->limit-- > 0; p++) {
      run->n_upcoming = count - p < OSVM_QUERIES ? count - p : OSVM_QUERIES;
      for (int q = 0; q < run->n_upcoming; q++) run->next[q] = run->first + p + q;
      visit(d, run, visits, e);
    }
    if (d->s->selection != RANDOM) epoch_by_choice(d, run, visits, e);
  }
  for (int m = 0; m < d->p->machines && d->check; m++) before[m] = state_of(d, run, visits, m);
  if (d->limit >= 0 && d->s->finish) CHECK(run->solver->finish(run) == OSVM_OK);
  for (int m = 0; m < d->p->machines && d->check; m++) {
    const state after = state_of(d, run, visits, m);
    if (d->s->finish) check_finish(&before[m], &after);
  }
  return OSVM_OK;
}

/* ---- runs ---- */

typedef struct {
  osvm_param params[4];
  way way;
} task;

static void task_fill(task *t, const setting *s) {
  const osvm_param params[] = {
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

/* Members, and what the model says of them */
static void check_members(const problem *p, const osvm_model *model, const setting *s, double tolerance) {
  for (int m = 0; m < p->machines; m++) {
    double sum = 0, highest = -INFINITY, lowest = INFINITY;
    for (int v = 0; v < p->n; v++) {
      const double y = problem_label(p, m, v), cap = *osvm_model_going(model, m, OSVM_STATE_BOUND, v),
                   b = *osvm_model_going(model, m, OSVM_STATE_COEF, v);
      double error = y;
      sum += b;
      CHECK(b == model->coef[v + (size_t)m * p->n]);
      if (cap == 0) CHECK(b == 0);
      if (cap == 0) continue;
      for (int u = 0; u < p->n; u++) error -= model->coef[u + (size_t)m * p->n] * p->K[u + (size_t)v * p->n];
      CHECK(cap == y * s->C * p->weight[v] && b * y >= 0 && b * y <= cap * y);
      CHECK_NEAR(*osvm_model_going(model, m, OSVM_STATE_GRADIENT, v), error, tolerance);
      if (y > 0 ? b < cap : b < 0) highest = fmax(highest, error);
      if (y > 0 ? b > 0 : b > cap) lowest = fmin(lowest, error);
    }
    CHECK_NEAR(sum, 0, 1e-9 * s->C * p->n);
    const int paired = isfinite(highest) && isfinite(lowest);
    CHECK_NEAR(model->intercept[m], paired ? (highest + lowest) / 2 : 0, tolerance);
  }
}

/* Visit by visit, and then in one go: the same to the last bit. */
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
  check_members(p, &o.model, s, 1e-9 * s->C);
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

static void choices_follow_the_paper(void) {
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
    check_members(&p, &o.model, &s, 1e-4 * s.C);
    CHECK_NEAR(o.end[0].objective, exact.end[0].objective, 0.01 * fabs(exact.end[0].objective));
    outcome_free(&exact);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* Examples that come twice, in the same class and in both. */
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
    check_members(&p, &o.model, &s, run.way.doubles ? 1e-8 * s.C : 1e-4 * s.C);
    for (int m = 0; m < p.machines; m++) CHECK(o.end[m].finished);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* Only one class: five of them wait, without a coefficient, for the other. */
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
  CHECK(o.model.n_kept == SEEDS && o.model.kept[1] == 2 && o.model.intercept[0] == 0);
  for (int v = 0; v < p.n; v++) CHECK(o.model.coef[v] == 0);
  CHECK(later.end[0].finished && later.end[0].objective < 0);
  check_members(&p, &later.model, &s, 1e-10);
  outcome_free(&o);
  outcome_free(&later);
  problem_free(&p);
}

/* At every poll; the model is that of the visits so far, or somewhere in the finish. */
static void interrupts(void) {
  problem p = problem_of(500, 2, 2, OSVM_DOUBLES, &rbf);
  for (int selection = 0; selection < 3; selection++) {
    const setting s = {1, 1e-3, selection, 1, 2};
    task run;
    task_fill(&run, &s);
    osvm_status status = OSVM_INTERRUPTED;
    int polls = 0;
    for (; status == OSVM_INTERRUPTED; polls++) {
      int patience = polls;
      test_about("selection %d, poll %d", selection, polls);
      run.way.learn = NULL;
      run.way.progress = (osvm_progress){stop_later, &patience};
      outcome o = learn_all(&p, &run.way);
      status = o.status;
      check_members(&p, &o.model, &s, 1e-8);
      CHECK(o.end[0].finished || status == OSVM_INTERRUPTED);
      if (selection == RANDOM && o.taken[0] < 2 * p.n) {
        drive d = {&p, &s, 0, (int)o.taken[0], {0}, {0}, {0}};
        run.way.learn = drive_run;
        run.way.user = &d;
        outcome want = learn_all(&p, &run.way);
        check_same_models(&o.model, &want.model, 0);
        outcome_free(&want);
      }
      outcome_free(&o);
    }
    CHECK(polls > (selection == RANDOM ? 3 : 1)); /* others are soon done */
  }
  problem_free(&p);
}

/* Noise, and a C that lets it be learned: finishing takes long. */
static void an_interrupted_finish(void) {
  problem p = problem_of(200, 2, 2, OSVM_DOUBLES, &rbf);
  for (int v = 0; v < p.n; v++) p.class_of[v] = random_below(2);
  const setting s = {1e5, 1e-6, RANDOM, 1, 1};
  task run;
  task_fill(&run, &s);
  int in_finish = 0;
  for (int patience = 1; patience < 8; patience++) {
    int left = patience;
    test_about("poll %d", patience);
    run.way.progress = (osvm_progress){stop_later, &left};
    outcome o = learn_all(&p, &run.way);
    in_finish += o.status == OSVM_INTERRUPTED && o.taken[0] == p.n;
    check_members(&p, &o.model, &s, 1e-9 * s.C);
    outcome_free(&o);
  }
  CHECK(in_finish > 0);
  problem_free(&p);
}

void test_lasvm(void) {
  RUN(runs_follow_the_paper);
  RUN(choices_follow_the_paper);
  RUN(pieces_follow_the_paper);
  RUN(single_precision);
  RUN(the_same_points);
  RUN(a_missing_class);
  RUN(interrupts);
  RUN(an_interrupted_finish);
}
