/* The Huller against Figs 3 and 4 of Bordes & Bottou (2005), with X_P and X_N recomputed from alpha at every use. */
#include "sv-solvers.h"

enum { SLACK, OUTPUT, ALPHA }; /* columns of the model; then its scalars */
enum { STEPS, BIAS, BIAS_SUM, CROSS, SQUARE, SQUARE_NEGATIVE, UPDATES, MET, WRONG, SEED, SCALARS };

/* ---- Figs 3 and 4 in the paper's symbols ---- */

typedef struct {
  const problem *p;
  double C, seed;
  int start;
  double *alpha[MACHINES], steps[MACHINES];
  int met[MACHINES], initialised[MACHINES];
  int *list, count, *references; /* support vectors of any machine */
  double loss, violations, visits, updates;
} figure;

static figure figure_open(const problem *p, double C, int start, double seed) {
  figure f = {.p = p, .C = C, .start = start, .seed = seed};
  for (int m = 0; m < p->machines; m++) f.alpha[m] = calloc(p->n, sizeof(double));
  f.list = calloc(p->n, sizeof(int));
  f.references = calloc(p->n, sizeof(int));
  return f;
}

static void figure_close(figure *f) {
  for (int m = 0; m < f->p->machines; m++) free(f->alpha[m]);
  free(f->list);
  free(f->references);
}

static double k_of(const figure *f, int u, int v) {
  return f->p->K[u + (size_t)v * f->p->n] + (u == v ? 1 / (f->C * f->p->weight[v]) : 0);
}

/* X_P x_v for y = 1, X_N x_v for y = -1 */
static double product(const figure *f, int m, double y, int v) {
  double sum = 0;
  for (int u = 0; u < f->p->n; u++)
    if (f->alpha[m][u] != 0 && problem_label(f->p, m, u) == y) sum += f->alpha[m][u] * k_of(f, u, v);
  return sum;
}

/* PP, NN or NP */
static double square(const figure *f, int m, double y, double other) {
  double sum = 0;
  for (int u = 0; u < f->p->n; u++)
    if (f->alpha[m][u] != 0 && problem_label(f->p, m, u) == y) sum += f->alpha[m][u] * product(f, m, other, u);
  return sum;
}

static double distance(const figure *f, int m) {
  return square(f, m, 1, 1) - 2 * square(f, m, 1, -1) + square(f, m, -1, -1);
}

static void enter(figure *f, int m, int v, double alpha) {
  if (f->alpha[m][v] == 0 && f->references[v]++ == 0) f->list[f->count++] = v;
  f->alpha[m][v] = alpha;
}

static void leave(figure *f, int m, int v) {
  f->alpha[m][v] = 0;
  if (--f->references[v] > 0) return;
  int at = 0;
  while (f->list[at] != v) at++;
  f->list[at] = f->list[--f->count];
}

static void check_intersection(figure *f, int m) {
  f->met[m] = !(distance(f, m) > 1e-10 * (fabs(square(f, m, 1, 1)) + fabs(square(f, m, -1, -1))));
}

static double update(figure *f, int m, int k) {
  const double y = problem_label(f->p, m, k), own = product(f, m, y, k), other = product(f, m, -y, k);
  const double PP = square(f, m, y, y), NP = square(f, m, y, -y), self = k_of(f, k, k);
  const double length = PP + self - 2 * own, before = f->alpha[m][k];
  if (!(length > 1e-12 * (fabs(PP) + fabs(self)))) return 0;
  const double least = before < 1 ? -before / (1 - before) : -INFINITY;
  const double lambda = fmin(1, fmax(least, (PP - NP - own + other) / length));
  if (lambda == 0) return 0;
  enter(f, m, k, before * (1 - lambda) + lambda);
  for (int v = 0; v < f->p->n; v++)
    if (v != k && problem_label(f->p, m, v) == y) f->alpha[m][v] *= 1 - lambda;
  if (lambda == least) leave(f, m, k);
  for (int r = f->count - 1; r >= 0 && lambda == 1; r--) { /* from the last of the list */
    const int v = f->list[r];
    if (v == k || problem_label(f->p, m, v) != y) continue;
    int mine = 0; /* its alpha is 0 by now */
    for (int u = 0; u < f->p->machines; u++) mine += f->alpha[u][v] != 0;
    if (mine < f->references[v]) leave(f, m, v);
  }
  check_intersection(f, m);
  f->updates++;
  return lambda;
}

static void initialise(figure *f, int m) {
  const problem *p = f->p;
  int added[2] = {0, 0}, usable[2] = {0, 0};
  f->initialised[m] = 1;
  for (int v = 0; v < p->n; v++)
    if (p->weight[v] > 0 && problem_label(p, m, v) != 0) usable[problem_label(p, m, v) < 0]++;
  for (int v = 0; v < p->n && usable[0] > 0 && usable[1] > 0; v++) {
    const double y = problem_label(p, m, v);
    if (y == 0 || p->weight[v] == 0 || added[y < 0] == f->start) continue;
    added[y < 0]++;
    enter(f, m, v, 1.0 / (usable[y < 0] < f->start ? usable[y < 0] : f->start));
  }
  check_intersection(f, m);
}

static int draw(const figure *f, int m) {
  for (int try = 0;; try++) {
    const int v = f->list[osvm_random_at(f->seed, f->steps[m] - 1, m, try, f->count)];
    if (f->alpha[m][v] != 0) return v;
  }
}

static void figure_visit(figure *f, int m, int v) {
  const double y = problem_label(f->p, m, v);
  if (y == 0) return;
  f->visits++;
  if (!f->initialised[m]) initialise(f, m);
  if (f->met[m] || f->p->weight[v] == 0) return;
  f->steps[m]++;
  if (f->alpha[m][v] != 0) {
    update(f, m, v);
    return;
  }
  const double D = distance(f, m), bias = (square(f, m, -1, -1) - square(f, m, 1, 1)) / 2;
  const double margin = y * (product(f, m, 1, v) - product(f, m, -1, v) + bias) / (D / 2);
  const double rest = square(f, m, y, y) - square(f, m, y, -y) - product(f, m, y, v) + product(f, m, -y, v);
  f->loss += fmax(0, 1 - margin);
  if (rest > 0) f->violations += update(f, m, v) > 0;
  if (!f->met[m]) update(f, m, draw(f, m));
}

static osvm_model figure_model(const figure *f) {
  const problem *p = f->p;
  osvm_model model = model_for(osvm_solver_named("huller"), p->n, p->machines);
  for (int m = 0; m < p->machines; m++) {
    const double D = distance(f, m);
    for (int v = 0; v < p->n; v++) model.coef[v + (size_t)m * p->n] = f->alpha[m][v] * problem_label(p, m, v) * 2 / D;
    model.intercept[m] = (square(f, m, -1, -1) - square(f, m, 1, 1)) / D;
  }
  return model;
}

/* ---- invariants of every model ---- */

static void check_hulls(const problem *p, const osvm_model *model, double C, double tolerance) {
  for (int m = 0; m < p->machines; m++) {
    figure f = figure_open(p, C, 0, 0);
    double sum[2] = {0, 0};
    const double *scalar = model->scalars + m * SCALARS;
    for (int v = 0; v < p->n; v++) {
      const double alpha = osvm_model_column(model, m, ALPHA)[v], y = problem_label(p, m, v);
      CHECK(alpha == 0 || alpha * y > 0);
      f.alpha[m][v] = fabs(alpha);
      sum[y < 0] += fabs(alpha);
    }
    CHECK_NEAR(sum[0], 1, 1e-9);
    CHECK_NEAR(sum[1], 1, 1e-9);
    const double PP = square(&f, m, 1, 1), NN = square(&f, m, -1, -1), size = fmax(PP, NN);
    CHECK_NEAR(scalar[SQUARE], PP, tolerance * size);
    CHECK_NEAR(scalar[SQUARE_NEGATIVE], NN, tolerance * size);
    CHECK_NEAR(scalar[CROSS], square(&f, m, 1, -1), tolerance * size);
    figure_close(&f);
  }
}

/* Right after the products were recomputed: outputs, gap and the share on the wrong side are those of alpha. */
static void check_end(const problem *p, const outcome *o, double C) {
  for (int m = 0; m < p->machines; m++) {
    const double *scalar = o->model.scalars + m * SCALARS;
    if (scalar[UPDATES] > 0) continue;
    figure f = figure_open(p, C, 0, 0);
    for (int v = 0; v < p->n; v++) f.alpha[m][v] = fabs(osvm_model_column(&o->model, m, ALPHA)[v]);
    const double D = distance(&f, m), bias = (square(&f, m, -1, -1) - square(&f, m, 1, 1)) / 2;
    double gmax = -INFINITY, gmin = INFINITY, wrong = 0, count = 0;
    for (int v = 0; v < p->n; v++) {
      if (f.alpha[m][v] == 0) continue;
      const double y = problem_label(p, m, v), product_v = product(&f, m, 1, v) - product(&f, m, -1, v);
      CHECK_NEAR(osvm_model_column(&o->model, m, OUTPUT)[v], y * product_v, 1e-9 * (1 + fabs(product_v)));
      CHECK_NEAR(osvm_model_column(&o->model, m, SLACK)[v], 1 / (C * p->weight[v]), 0);
      gmax = fmax(gmax, y - product_v * 2 / D);
      gmin = fmin(gmin, y - product_v * 2 / D);
      wrong += y * (product_v + bias) <= 0;
      count++;
    }
    CHECK_NEAR(o->end[m].gap, gmax - gmin, 1e-6 * (1 + gmax - gmin));
    CHECK_NEAR(scalar[WRONG], wrong / count, 1e-12);
    figure_close(&f);
  }
}

/* ---- runs ---- */

static way way_of(const argument params[2], int epochs) {
  return (way){
      .solver = "huller", .params = params, .n_params = 2, .epochs = epochs, .doubles = 1, .seed = 11, .cache = 3000};
}

static void check_figure(const problem *p, double C, int start, int epochs) {
  const argument params[] = {{"C", C}, {"start", start}};
  const way w = way_of(params, epochs);
  outcome o = learn_all(p, &w);
  figure f = figure_open(p, C, start, w.seed);
  CHECK(o.status == OSVM_OK);
  for (int e = 0; e < epochs; e++) {
    f.loss = f.violations = f.visits = 0;
    for (int v = 0; v < p->n; v++)
      for (int m = 0; m < p->machines; m++) figure_visit(&f, m, v);
    CHECK_NEAR(o.trace[e].loss, f.visits > 0 ? f.loss / f.visits : 0, 1e-7 * (1 + f.loss));
    CHECK(o.trace[e].violations == f.violations);
  }
  CHECK(o.trace[epochs - 1].support == f.count && o.model.n_kept == f.count);
  for (int r = 0; r < f.count; r++) CHECK(o.model.kept[r] == f.list[r]);
  osvm_model want = figure_model(&f);
  for (int m = 0; m < p->machines; m++) {
    CHECK(o.end[m].iterations == f.steps[m]);
    if (f.met[m] || isfinite(C)) CHECK(o.end[m].finished == !f.met[m]);
    if (!f.met[m]) CHECK_NEAR(o.end[m].objective * distance(&f, m), -2, 1e-6); /* -|w|^2 / 2 */
  }
  check_same_models(&o.model, &want, 1e-6);
  check_hulls(p, &o.model, C, 1e-10);
  check_end(p, &o, C);
  model_free(&want);
  figure_close(&f);
  outcome_free(&o);
}

static void runs_follow_the_figures(void) {
  for (int t = 0; t < 30; t++) {
    const int sparse = t % 2, classes = 2 + t / 2 % 2,
              start = t % 3 == 0   ? 1
                      : t % 3 == 1 ? 5
                                   : 40,
              n = 50 + 7 * (t % 5);
    const double C = t % 4 < 2 ? INFINITY : t % 8 < 4 ? 1 : 50;
    problem p = problem_of(n, sparse ? 12 : 2 + t % 5, classes, sparse ? OSVM_SPARSE : OSVM_DOUBLES,
                           t % 7 == 3 ? &linear : &rbf);
    if (t % 5) leave_some_out(&p);
    test_about("round %d: sparse %d, classes %d, start %d, C %g", t, sparse, classes, start, C);
    check_figure(&p, C, start, 1 + t % 3);
    problem_free(&p);
  }
}

/* Classes far apart along a line: X_P becomes a single example (lambda = 1), and sets of one are drawn from. */
static void steps_to_a_single_example(void) {
  for (int t = 0; t < 40; t++) {
    problem p = problem_of(30, 1 + t % 2, t % 8 == 7 ? 3 : 2, OSVM_DOUBLES, &linear);
    for (int v = 0; v < p.n; v++) {
      double *x = &p.m.x[p.rows[v]];
      *x = (2 * p.class_of[v] - 1) * (1 + fabs(*x));
    }
    for (int k = 0; k < p.n * p.n; k++)
      p.K[k] = plain_kernel(&linear, &p.data, p.rows[k % p.n], &p.data, p.rows[k / p.n]);
    test_about("round %d", t);
    check_figure(&p, t % 5 == 4 || p.machines > 1 ? 100 : INFINITY, 1 + t % 4, 2);
    problem_free(&p);
  }
}

static void pieces_make_one_pass(void) {
  for (int t = 0; t < 24; t++) {
    const int classes = 2 + t % 2, n = 70, size = 1 + t / 2 % 6;
    const double C = t % 3 ? INFINITY : 3;
    problem p =
        problem_of(n, t % 4 < 2 ? 2 : 12, classes, t % 4 < 2 ? OSVM_DOUBLES : OSVM_SPARSE, t % 9 ? &rbf : &linear);
    leave_some_out(&p);
    const argument params[] = {{"C", C}, {"start", 1 + t % 3}};
    const way w = way_of(params, 1);
    int cuts[80] = {0}, pieces = 1, seen[3] = {0};
    while (cuts[1] < n &&
           (seen[0] < 3 || seen[1] < 3 || (classes > 2 && seen[2] < 3))) { /* the start takes three of each class */
      seen[p.class_of[cuts[1]]] += p.weight[cuts[1]] > 0;
      cuts[1]++;
    }
    while (cuts[pieces] < n) {
      cuts[pieces + 1] = cuts[pieces] + size < n ? cuts[pieces] + size : n;
      pieces++;
    }
    test_about("round %d: classes %d, C %g, pieces of %d", t, classes, C, size);
    outcome one = learn_all(&p, &w), many = learn_pieces(&p, &w, cuts, pieces);
    check_same_models(&many.model, &one.model, 1e-6);
    CHECK(many.model.n_kept == one.model.n_kept);
    for (int k = 0; k < one.model.n_kept; k++) CHECK(many.model.kept[k] == one.model.kept[k]);
    for (int m = 0; m < p.machines; m++) CHECK(many.end[m].iterations == one.end[m].iterations);
    outcome_free(&one);
    outcome_free(&many);
    problem_free(&p);
  }
}

/* A point in both classes. */
static void intersecting_hulls(void) {
  for (int t = 0; t < 24; t++) {
    const int doubles = t % 2, straight = t / 2 % 2, start = t / 4 % 2 ? 3 : 1;
    test_about("round %d: doubles %d, linear %d, start %d", t, doubles, straight, start);
    problem p = problem_of(60, 2, 2, OSVM_DOUBLES, straight ? &linear : &rbf);
    for (int j = 0; j < 2; j++) p.m.x[p.rows[41] + j * 60] = p.m.x[p.rows[40] + j * 60];
    p.class_of[40] = 0;
    p.class_of[41] = 1;
    argument params[] = {{"C", INFINITY}, {"start", start}};
    way w = way_of(params, 3);
    w.doubles = doubles;
    outcome o = learn_all(&p, &w);
    const double *scalar = o.model.scalars;
    CHECK(o.status == OSVM_OK && isfinite(o.model.intercept[0]));
    CHECK(o.end[0].finished == !(scalar[MET] || scalar[WRONG] > 0.1));
    if (straight) CHECK(!o.end[0].finished); /* in two dimensions these hulls have a common interior */
    params[0].value = 1;                     /* with slack they are disjoint */
    outcome soft = learn_all(&p, &w);
    CHECK(soft.status == OSVM_OK && soft.end[0].finished && soft.end[0].objective > -1e3);
    outcome_free(&o);
    outcome_free(&soft);
    problem_free(&p);
  }
}

/* Ties and duplicates in either precision: alpha stays in its simplex and the three products are those of alpha. */
static void rounding_keeps_the_invariants(void) {
  for (int t = 0; t < 300; t++) {
    const int straight = random_below(2), doubles = random_below(2), start = 1 + random_below(4);
    const double C = random_below(3) ? INFINITY : 10;
    problem p = problem_of(10 + random_below(40), 1 + random_below(3), 2, OSVM_DOUBLES, straight ? &linear : &rbf);
    for (int k = 0, whole = random_below(2); k < p.n * p.data.d && whole; k++) p.m.x[k] = round(2 * p.m.x[k]);
    for (int v = 0; v < p.n; v++) {
      double *x = &p.m.x[p.rows[v]];
      p.class_of[v] = v < 2 ? v : random_below(2);
      p.weight[v] = 1;
      if (straight) *x = p.class_of[v] ? 1 + fabs(*x) : -1 - fabs(*x);
    }
    for (int k = 0; k < p.n * p.n; k++)
      p.K[k] = plain_kernel(&p.kernel, &p.data, p.rows[k % p.n], &p.data, p.rows[k / p.n]);
    const argument params[] = {{"C", C}, {"start", start}};
    way w = way_of(params, 3);
    w.doubles = doubles;
    test_about("round %d: linear %d, doubles %d, start %d, C %g", t, straight, doubles, start, C);
    outcome o = learn_all(&p, &w);
    CHECK(o.status == OSVM_OK);
    check_hulls(&p, &o.model, C, doubles ? 1e-9 : 1e-5);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* One class only, or the other of weight 0: its first examples wait until later ones bring the other, and f = +-1. */
static void a_missing_class(void) {
  problem p = problem_of(40, 2, 2, OSVM_DOUBLES, &rbf);
  const argument params[] = {{"C", INFINITY}, {"start", 2}};
  const way w = way_of(params, 1);
  for (int v = 0; v < 20; v++) p.class_of[v] = 1;
  p.class_of[10] = 0;
  p.weight[10] = 0;
  p.class_of[25] = 0;
  outcome o = learn_pieces(&p, &w, (int[]){0, 20, 40}, 1), later = learn_pieces(&p, &w, (int[]){0, 20, 40}, 2);
  CHECK(o.model.n_kept == 2 && fabs(o.model.intercept[0]) == 1 && o.end[0].iterations == 0 && o.end[0].finished);
  CHECK(o.model.coef[o.model.kept[0]] == 0 && o.model.coef[o.model.kept[1]] == 0);
  CHECK(later.model.n_kept > 1 && later.end[0].iterations > 0);
  check_hulls(&p, &later.model, INFINITY, 1e-10);
  outcome_free(&o);
  outcome_free(&later);
  problem_free(&p);
}

/* Stopped at every poll: during visits, where the model is that of the visits so far, and between epochs. */
static void interrupts(void) {
  problem p = problem_of(250, 2, 2, OSVM_DOUBLES, &rbf);
  const argument params[] = {{"C", 2}, {"start", 5}};
  way w = way_of(params, 3);
  figure f = figure_open(&p, 2, 5, w.seed);
  osvm_status status = OSVM_INTERRUPTED;
  int visits = 0, polls = 0;
  for (; status == OSVM_INTERRUPTED; polls++) {
    int left = polls;
    w.progress = host_progress(stop_later, &left);
    outcome o = learn_all(&p, &w);
    status = o.status;
    for (; visits < o.visits[0]; visits++) figure_visit(&f, 0, visits % p.n);
    test_about("poll %d, visit %d", polls, visits);
    osvm_model want = figure_model(&f);
    check_same_models(&o.model, &want, 1e-6);
    model_free(&want);
    outcome_free(&o);
  }
  CHECK(polls > 3 && visits == 3 * p.n);
  figure_close(&f);
  problem_free(&p);
}

/* Kernel rows so long that the products themselves are interrupted. */
static void interrupted_products(void) {
  problem p = problem_of(110, 3000, 2, OSVM_DOUBLES, &linear);
  const argument params[] = {{"C", 2}, {"start", 60}};
  way w = way_of(params, 1);
  osvm_status status = OSVM_INTERRUPTED;
  int polls = 0;
  for (; status == OSVM_INTERRUPTED; polls++) {
    int left = polls;
    w.progress = host_progress(stop_later, &left);
    test_about("poll %d", polls);
    outcome o = learn_all(&p, &w);
    status = o.status;
    if (o.model.n_kept > 0) check_hulls(&p, &o.model, 2, 1e-9);
    outcome_free(&o);
  }
  CHECK(polls > 2);
  problem_free(&p);
}

void test_huller(void) {
  RUN(runs_follow_the_figures);
  RUN(steps_to_a_single_example);
  RUN(pieces_make_one_pass);
  RUN(intersecting_hulls);
  RUN(rounding_keeps_the_invariants);
  RUN(a_missing_class);
  RUN(interrupts);
  RUN(interrupted_products);
}
