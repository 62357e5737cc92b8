/* Solvers against the plain-R references of tests/testthat: reference-cases.inc has what they say of the problems below.
 * tools/make-native-fixtures.R draws the same problems and has written it. */
#include "sv-solvers.h"

typedef struct {
  const char *solver, *kernel;
  int n, d, classes, sparse, epochs;
  double C;
  int bias, average, regularized, variant;
  double keep, start;
  int forget;
  double loss, violations, undecided; /* of the last epoch; undecided: margins on the bound but for rounding */
  int clear, kept;                    /* clear: no violation depends on single precision */
  struct {
    double projection[4], intercept, size; /* of coefficients or weights; size: the sum of absolute values */
  } machine[3];
} reference_case;

static const reference_case cases[] = {
#include "reference-cases.inc"
};

static const int positive[] = {1, 2, 2}, negative[] = {0, 1, -1};

/* ---- the problem ---- */

static double draw_uniform(double *z) {
  *z = fmod(16807 * *z, 2147483647);
  return *z / 2147483647;
}

static double draw_normal(double *z) {
  double sum = 0;
  for (int k = 0; k < 12; k++) sum += draw_uniform(z);
  return sum - 6;
}

static osvm_kernel kernel_of(const char *name) {
  static const osvm_kernel kernels[] = {{.info = &osvm_kernel_linear},
                                        {.info = &osvm_kernel_rbf, .params = {0.5}},
                                        {.info = &osvm_kernel_polynomial, .params = {0.3, 1, 3}},
                                        {.info = &osvm_kernel_sigmoid, .params = {0.3, -0.4}}};
  int k = 0;
  while (strcmp(kernels[k].info->name, name) != 0) k++;
  return kernels[k];
}

static problem draw_problem(const reference_case *c) {
  enum { EMPTY = 40 }; /* empty features: a run's store is sparse */
  const int n = c->n, d = c->d + (c->sparse ? EMPTY : 0), weightless = strcmp(c->solver, "cccp") != 0;
  double z = c->n + 100 * c->d + c->classes, *x = calloc((size_t)n * d, sizeof(double));
  problem p = {.n = n, .classes = c->classes, .machines = c->classes == 2 ? 1 : 3, .kernel = kernel_of(c->kernel)};
  p.positive = positive;
  p.negative = negative;
  for (int k = 0; k < n * c->d; k++) {
    const int zero = draw_uniform(&z) < 0.5;
    const double value = draw_normal(&z);
    x[k] = c->sparse && zero ? 0 : value;
  }
  p.m = matrix_of(x, n, d);
  p.data = matrix_view(&p.m, c->sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  p.rows = malloc(n * sizeof(int));
  p.class_of = malloc(n * sizeof(int));
  p.weight = malloc(n * sizeof(double));
  for (int v = 0; v < n; v++) {
    p.rows[v] = (7 * v + 3) % n;
    const double side = x[p.rows[v]] + 0.5 * draw_normal(&z), weight = draw_uniform(&z) + 0.5;
    p.class_of[v] = c->classes == 2 ? side > 0 : (side > -0.5) + (side > 0.5);
    p.weight[v] = weightless && v % 7 == 5 ? 0 : v % 3 ? 1 : weight;
  }
  free(x);
  return p;
}

/* ---- a model against its case ---- */

static void check_machine(const reference_case *c, int m, const double *values, int count, double intercept,
                          double tolerance) {
  const double slack = tolerance * (1 + c->machine[m].size);
  for (int k = 0; k < 4; k++) {
    double sum = 0;
    for (int j = 0; j < count; j++) sum += values[j] * cos(k * j);
    CHECK_NEAR(sum, c->machine[m].projection[k], slack);
  }
  CHECK_NEAR(intercept, c->machine[m].intercept, slack);
}

static arguments given_by(const reference_case *c, int listed) {
  const argument given[] = {{"C", c->C},
                            {"bias", c->bias},
                            {"average", c->average},
                            {"regularized", c->regularized},
                            {"variant", c->variant},
                            {"keep", c->keep},
                            {"start", c->start},
                            {"epochs", c->epochs},
                            {"outputs", listed},
                            {"tolerance", 1e-3},
                            {"min_gain", 1e-5}};
  return arguments_for(osvm_solver_named(c->solver), given, COUNT(given));
}

static int by_visits(const reference_case *c) {
  return strcmp(c->solver, "ramp") != 0 && strcmp(c->solver, "cccp") != 0;
}

/* In one run, its outputs cached or listed, in either precision */
static void check_one_run(const reference_case *c, const problem *p, int listed, int doubles) {
  const double tolerance = doubles ? 1e-9 : 2e-4;
  const arguments a = given_by(c, listed);
  session *s = session_with(p, c->solver, a.list, a.count, doubles);
  CHECK(session_learn(s) == OSVM_OK);
  for (int m = 0; m < p->machines; m++)
    check_machine(c, m, s->model.coef + (size_t)m * s->model.size, s->model.size, s->model.intercept[m], tolerance);
  if (by_visits(c)) {
    const osvm_epoch last = s->run.driver->trace[c->epochs - 1];
    CHECK_NEAR(last.loss, c->loss, 10 * tolerance * (1 + c->loss));
    CHECK_NEAR(last.violations, c->violations, c->undecided);
  } else CHECK(s->model.n_kept == c->kept);
  session_free(s);
}

static const int forgotten[] = {3, 30, 31, 0, 12};

/* Before the last piece, each twice; of some nothing is kept. */
static osvm_status forget_some(osvm_run *run, const int *visits, void *user) {
  (void)user;
  for (int k = 0; k < COUNT(forgotten) && run->first > 40; k++)
    for (int i = 0; i < run->first; i++)
      for (int m = 0; m < run->machines && visits[i] == forgotten[k]; m++)
        for (int twice = 0; twice < 2; twice++) CHECK(run->solver->forget(run, &run->machine[m], i) == OSVM_OK);
  return osvm_run_learn(run);
}

/* One pass in pieces, each run from the model of the one before */
static void check_pieces(const reference_case *c, const problem *p, size_t cache) {
  const arguments a = given_by(c, 0);
  const way w = {.solver = c->solver,
                 .params = a.list,
                 .n_params = a.count,
                 .epochs = 1,
                 .doubles = 1,
                 .cache = cache,
                 .learn = c->forget ? forget_some : NULL};
  outcome o = learn_pieces(p, &w, (int[]){0, 1, 20, 50, p->n}, 4);
  for (int m = 0; m < p->machines; m++)
    check_machine(c, m, o.model.coef + (size_t)m * p->n, p->n, o.model.intercept[m], 1e-9);
  if (!by_visits(c)) CHECK(o.model.n_kept == c->kept);
  outcome_free(&o);
}

static void check_primal_pieces(const reference_case *c, const problem *p) {
  static const int cuts[] = {0, 1, 20, 50};
  const arguments a = given_by(c, 0);
  session *before = NULL;
  for (int k = 0; k < COUNT(cuts); k++) {
    session *s = session_with(p, c->solver, a.list, a.count, 1);
    session_restrict(s, cuts[k], k + 1 < COUNT(cuts) ? cuts[k + 1] : p->n);
    if (before != NULL) session_carry(s, &before->model, NULL);
    CHECK(session_learn(s) == OSVM_OK);
    if (before != NULL) session_free(before);
    before = s;
  }
  for (int m = 0; m < p->machines; m++)
    check_machine(c, m, before->model.coef + (size_t)m * before->model.size, before->model.size,
                  before->model.intercept[m], 1e-9);
  session_free(before);
}

static int is_primal(const reference_case *c) { return by_visits(c) && strcmp(c->kernel, "linear") == 0; }

static void for_all(void (*test)(const reference_case *c, const problem *p)) {
  for (int k = 0; k < COUNT(cases); k++) {
    const reference_case *c = &cases[k];
    problem p = draw_problem(c);
    test_about(
        "%s, %s, n %d, d %d, classes %d, epochs %d, C %g, bias %d, average %d, regularized %d, variant %d, keep %g",
        c->solver, c->kernel, c->n, c->d, c->classes, c->epochs, c->C, c->bias, c->average, c->regularized, c->variant,
        c->keep);
    test(c, &p);
    problem_free(&p);
  }
}

static void check_doubles(const reference_case *c, const problem *p) {
  if (!c->forget) check_one_run(c, p, 0, 1);
  if (by_visits(c)) check_one_run(c, p, 1, 1);
}

static void check_single(const reference_case *c, const problem *p) {
  if (c->clear && c->epochs < 10) check_one_run(c, p, 0, 0);
}

static void check_chunks(const reference_case *c, const problem *p) {
  if (c->epochs > 1 || p->n < 61 || strcmp(c->solver, "cccp") == 0) return;
  if (is_primal(c)) check_primal_pieces(c, p);
  else check_pieces(c, p, 1 << 20);
  if (!by_visits(c)) check_pieces(c, p, 0);
}

static void runs_follow_the_reference(void) { for_all(check_doubles); }

static void single_precision_is_near(void) { for_all(check_single); }

static void pieces_make_one_pass(void) { for_all(check_chunks); }

/* ---- by hand ---- */

/* With eta = C = 1 at t = 2 the third margin is exactly 1: a violation to Lists 1 and 2, none to Lists 3. */
static void a_margin_of_one(void) {
  const double x[] = {0, 1, 1}, weight[] = {1, 1, 1};
  const int rows[] = {0, 1, 2}, class_of[] = {1, 1, 1}, want[] = {3, 3, 2, 2};
  const int positive = 1, negative = 0;
  problem p = {.n = 3, .classes = 2, .machines = 1, .positive = &positive, .negative = &negative, .kernel = linear};
  p.data = (osvm_data){.kind = OSVM_DOUBLES, .n = 3, .d = 1, .x = x};
  p.rows = (int *)rows;
  p.class_of = (int *)class_of;
  p.weight = (double *)weight;
  for (int l = 0; l < LISTS; l++) {
    test_about("list %d", l);
    session *s = session_of(&p, &(rule){l, 1, 0, 0, 0}, 1, 1);
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(s->run.driver->trace[0].violations == want[l]);
    session_free(s);
  }
  p.n = 2; /* at a margin of exactly 1 List 3a does not shrink the coefficient either */
  session *s = session_of(&p, &(rule){OLSVM_REGULARIZED, 1, 0, 0, 0}, 2, 1);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->model.coef[0] == 1);
  session_free(s);
}

typedef enum { PERCEPTRON, PA_I, PA } kind_of_rule;

/* One feature, three examples, two epochs: computed by hand */
typedef struct {
  kind_of_rule kind;
  double x[3], weight[3];
  int class_of[3], violations[2], updates;
  double w; /* in the end */
} visits;

static void check_visits(visits v) {
  const int positive = 1, negative = 0;
  int rows[] = {0, 1, 2};
  problem p = {.n = 3, .classes = 2, .machines = 1, .positive = &positive, .negative = &negative, .kernel = linear};
  p.data = (osvm_data){.kind = OSVM_DOUBLES, .n = 3, .d = 1, .x = v.x};
  p.rows = rows;
  p.class_of = v.class_of;
  p.weight = v.weight;
  const argument given[] = {{"C", 1}, {"variant", (int)v.kind - PA_I}, {"bias", 0}, {"average", 0}, {"epochs", 2}};
  session *s = session_with(&p, v.kind == PERCEPTRON ? "perceptron" : "pa", given, COUNT(given), 1);
  CHECK(session_learn(s) == OSVM_OK);
  for (int e = 0; e < 2; e++) CHECK(s->run.driver->trace[e].violations == v.violations[e]);
  CHECK(s->run.machine[0].updates == v.updates);
  CHECK(s->model.coef[0] == v.w);
  session_free(s);
}

/* A margin of exactly 0 is a mistake to the perceptron; one of exactly 1 is no loss to Passive-Aggressive. */
static void margins_on_the_bound(void) {
  check_visits((visits){PERCEPTRON, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}, {3, 2}, 5, 1});
  for (int k = PERCEPTRON; k <= PA; k++) check_visits((visits){k, {1, -1, 2}, {1, 1, 1}, {1, 0, 1}, {1, 0}, 1, 1});
}

/* A violation without a step: weight 0, or a zero vector. */
static void violations_without_a_step(void) {
  for (int k = PERCEPTRON; k <= PA; k++) check_visits((visits){k, {1, -1, 2}, {0, 1, 1}, {1, 0, 1}, {2, 0}, 1, 1});
  for (int k = PA_I; k <= PA; k++) check_visits((visits){k, {0, -1, 2}, {1, 1, 1}, {1, 0, 1}, {2, 1}, 1, 1});
}

void test_reference(void) {
  RUN(runs_follow_the_reference);
  RUN(single_precision_is_near);
  RUN(pieces_make_one_pass);
  RUN(a_margin_of_one);
  RUN(margins_on_the_bound);
  RUN(violations_without_a_step);
}
