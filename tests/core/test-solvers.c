/* The solvers against the paper's lists, written out step by step, and the promises of the driver around them. */
#include "test.h"

/* ---- Lists 1, 2, 3b, 3a in their own symbols: all kernel values at hand, every output a plain sum ---- */

typedef enum { NORMA, PEGAZ, OLSVM, OLSVM_REGULARIZED, LISTS } list;

typedef struct {
  list list;
  double C;
  int bias, average, listed;
} rule;

typedef struct {
  rule rule;
  int n;
  const double *K;
  double t, b, beta_0, b_sum;
  double *a, *beta, *a_sum;
  double loss, violations, steps; /* of one epoch */
} paper;

static paper paper_open(const rule *rule, int n, const double *K) {
  return (paper){*rule, n, K, 0, 0, 0, 0, calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double)), 0, 0, 0};
}

static void paper_close(paper *p) {
  free(p->a);
  free(p->beta);
  free(p->a_sum);
}

static double paper_output(const paper *p, int i) {
  double f = p->b;
  for (int j = 0; j < p->n; j++) f += p->a[j] * p->K[j + (size_t)i * p->n];
  return f;
}

static void paper_scale_beta(paper *p, double eta) {
  for (int j = 0; j < p->n; j++) p->a[j] = eta * p->beta[j];
  p->b = eta * p->beta_0;
}

static void paper_step(paper *p, int i, double y, double w) {
  const double C = p->rule.C, eta = C * sqrt(2 / ++p->t);
  double *a = p->a;
  if (p->rule.list == PEGAZ) paper_scale_beta(p, eta);
  const double viol = y * paper_output(p, i);
  const int violates = p->rule.list == NORMA || p->rule.list == PEGAZ ? viol <= 1 : viol < 1;
  switch (p->rule.list) {
  case NORMA:
    for (int j = 0; j < p->n; j++)
      if (j != i) a[j] = (1 - eta / C) * a[j];
    if (violates) a[i] = w * eta * y;
    break;
  case PEGAZ:
    if (violates) p->beta[i] += w * y;
    if (violates && p->rule.bias) p->beta_0 += w * y;
    paper_scale_beta(p, eta);
    break;
  case OLSVM:
    if (violates) a[i] += w * eta * y;
    break;
  default:
    if (viol < 1) a[i] = (1 - eta / C) * a[i] + w * eta * y;
    if (viol > 1) a[i] = (1 - eta / C) * a[i];
  }
  if (violates && p->rule.bias && p->rule.list != PEGAZ) p->b += w * eta * y;
  for (int j = 0; j < p->n; j++) p->a_sum[j] += a[j];
  p->b_sum += p->b;
  p->loss += fmax(0, 1 - viol);
  p->violations += violates;
  p->steps++;
}

/* ---- a problem: examples in the order of visits, and everything a task needs ---- */

typedef struct {
  matrix m;
  osvm_data data;
  int n, classes, *rows, *class_of;
  double *weight, *K; /* K in the order of visits */
  osvm_kernel kernel;
} problem;

static problem problem_of(int n, int d, int classes, osvm_data_kind kind, const osvm_kernel *kernel) {
  problem p = {.n = n, .classes = classes, .kernel = *kernel};
  p.m = matrix_normal(n, d, kind == OSVM_SPARSE ? 0.5 : 1);
  p.data = matrix_view(&p.m, kind);
  p.rows = malloc(n * sizeof(int));
  p.class_of = malloc(n * sizeof(int));
  p.weight = malloc(n * sizeof(double));
  p.K = malloc((size_t)n * n * sizeof(double));
  random_order(p.rows, n);
  for (int v = 0; v < n; v++) {
    const double side = p.m.x[p.rows[v]] + 0.5 * random_normal();
    p.class_of[v] = classes == 2 ? side > 0 : (side > -0.5) + (side > 0.5);
    p.weight[v] = v % 3 ? 1 : 0.5 + random_uniform();
    for (int u = 0; u <= v; u++)
      p.K[u + (size_t)v * n] = p.K[v + (size_t)u * n] = plain_kernel(kernel, &p.data, p.rows[u], &p.data, p.rows[v]);
  }
  return p;
}

static void problem_free(problem *p) {
  matrix_free(&p->m);
  free(p->rows);
  free(p->class_of);
  free(p->weight);
  free(p->K);
}

/* Two classes: one machine, class 1 against class 0. Three: one against the rest, then one against one. */
enum { MOST_MACHINES = 6 };
static const int positive[] = {1, 0, 1, 2, 1, 2, 2}, negative[] = {0, -1, -1, -1, 0, 0, 1};

static int machines_of(const problem *p) { return p->classes == 2 ? 1 : MOST_MACHINES; }
static const int *positives(const problem *p) { return p->classes == 2 ? positive : positive + 1; }
static const int *negatives(const problem *p) { return p->classes == 2 ? negative : negative + 1; }

static double label(const problem *p, int m, int v) {
  if (p->class_of[v] == positives(p)[m]) return 1;
  return negatives(p)[m] < 0 || p->class_of[v] == negatives(p)[m] ? -1 : 0;
}

static void paper_epoch(paper *reference, const problem *p, int m, int from, int to) {
  reference->loss = reference->violations = reference->steps = 0;
  for (int v = from; v < to; v++)
    if (label(p, m, v) != 0) paper_step(reference, v, label(p, m, v), p->weight[v]);
}

/* ---- a run ---- */

typedef struct { osvm_task task; osvm_param params[5]; osvm_run run; osvm_model model; osvm_error error; } session;

static session *session_of(const problem *p, const rule *rule, int epochs, int doubles) {
  static const char *const names[] = {"norma", "pegaz", "olsvm", "olsvm"};
  session *s = calloc(1, sizeof *s);
  const osvm_param params[] = {{"average", rule->average}, {"C", rule->C}, {"outputs", rule->listed},
                               {"regularized", rule->list == OLSVM_REGULARIZED}, {"bias", rule->bias}};
  memcpy(s->params, params, sizeof params);
  s->task = (osvm_task){.solver = names[rule->list], .params = s->params, .n_params = COUNT(params), .kernel = p->kernel,
                        .data = &p->data, .rows = p->rows, .count = p->n, .class_of = p->class_of, .weight = p->weight,
                        .machines = machines_of(p), .positive = positives(p), .negative = negatives(p), .doubles = doubles,
                        .level = TEST_LEVEL, .cache_bytes = 1 << 20, .threads = 1, .epochs = epochs};
  return s;
}

static osvm_status session_learn(session *s) {
  osvm_status status = osvm_run_open(&s->run, &s->task, &s->error);
  CHECK(status == OSVM_OK);
  if (status == OSVM_OK) status = osvm_run_learn(&s->run);
  s->model = model_make(osvm_run_size(&s->run), s->task.machines);
  CHECK(osvm_run_export(&s->run, &s->model) == OSVM_OK);
  return status;
}

static void session_free(session *s) {
  osvm_run_close(&s->run);
  model_free(&s->model);
  free(s);
}

/* The model's machine m is the paper's: coefficients, or for a primal model the weights they make. */
static void check_model(const session *s, int m, const paper *want, const problem *p, double tolerance) {
  const int average = want->rule.average && want->t > 0;
  const double *a = average ? want->a_sum : want->a, share = average ? 1 / want->t : 1;
  const double *got = s->model.coef + (size_t)m * s->model.size;
  CHECK_NEAR(s->model.intercept[m], share * (average ? want->b_sum : want->b), tolerance);
  CHECK(s->model.tally[m * OSVM_TALLY + OSVM_STEPS] == want->t);
  if (!s->run.primal) {
    for (int j = 0; j < s->model.size; j++) CHECK_NEAR(got[j], share * a[j], tolerance);
    return;
  }
  for (int f = 0; f < p->data.d; f++) {
    double w = 0;
    for (int j = 0; j < want->n; j++) w += share * a[j] * data_value(&p->data, p->rows[j], f);
    CHECK_NEAR(got[f], w, 10 * tolerance);
  }
}

static void check_run(const problem *p, const rule *rule, int epochs, int doubles) {
  const double tolerance = doubles ? 1e-10 * rule->C : 2e-4 * rule->C;
  session *s = session_of(p, rule, epochs, doubles);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.epochs_done == epochs);
  paper machines[MOST_MACHINES];
  for (int m = 0; m < machines_of(p); m++) machines[m] = paper_open(rule, p->n, p->K);
  for (int e = 0; e < epochs; e++) {
    double loss = 0, violations = 0, steps = 0;
    for (int m = 0; m < machines_of(p); m++) {
      paper_epoch(&machines[m], p, m, 0, p->n);
      loss += machines[m].loss;
      violations += machines[m].violations;
      steps += machines[m].steps;
    }
    CHECK_NEAR(s->run.trace[e].loss, steps > 0 ? loss / steps : 0, fmax(tolerance, 1e-8 * rule->C)); /* faded: 1e-10 */
    CHECK(s->run.trace[e].violations == violations);
  }
  for (int m = 0; m < machines_of(p); m++) {
    check_model(s, m, &machines[m], p, tolerance);
    paper_close(&machines[m]);
  }
  session_free(s);
}

static const osvm_kernel linear = {OSVM_LINEAR, 0, 0, 0}, rbf = {OSVM_RBF, 0.5, 0, 0}, cubic = {OSVM_POLYNOMIAL, 0.3, 1, 3};

static void check_rules(const osvm_kernel *kernel, osvm_data_kind kind, int d, int classes, int listed, int doubles) {
  problem p = problem_of(61, d, classes, kind, kernel);
  for (int l = 0; l < LISTS; l++)
    for (int bias = 0; bias < 2; bias++)
      for (int average = 0; average < 2; average++)
        for (int epochs = 1; epochs <= 3; epochs += 2) {
          test_about("list %d, kernel %d, kind %d, d %d, classes %d, listed %d, doubles %d, bias %d, average %d, epochs %d", l,
                     kernel->type, kind, d, classes, listed, doubles, bias, average, epochs);
          check_run(&p, &(rule){l, 0.7, bias, average, listed}, epochs, doubles);
        }
  problem_free(&p);
}

static void cached_outputs_follow_the_lists(void) {
  check_rules(&rbf, OSVM_DOUBLES, 2, 2, 0, 1);
  check_rules(&rbf, OSVM_DOUBLES, 12, 2, 0, 1); /* cached rows */
  check_rules(&cubic, OSVM_SPARSE, 5, 2, 0, 1);
}

static void listed_outputs_follow_the_lists(void) {
  check_rules(&rbf, OSVM_DOUBLES, 2, 2, 1, 1);
  check_rules(&rbf, OSVM_DOUBLES, 12, 2, 1, 1);
  check_rules(&cubic, OSVM_SPARSE, 5, 2, 1, 1);
}

static void primal_weights_follow_the_lists(void) {
  check_rules(&linear, OSVM_DOUBLES, 4, 2, 0, 1);
  check_rules(&linear, OSVM_SPARSE, 6, 2, 1, 1);
}

static void many_classes_follow_the_lists(void) {
  check_rules(&rbf, OSVM_DOUBLES, 2, 3, 0, 1);
  check_rules(&rbf, OSVM_SPARSE, 9, 3, 1, 1);
  check_rules(&linear, OSVM_DOUBLES, 4, 3, 0, 1);
}

static void single_precision_is_near(void) {
  check_rules(&rbf, OSVM_DOUBLES, 2, 2, 0, 0);
  check_rules(&rbf, OSVM_SPARSE, 6, 2, 1, 0);
  check_rules(&linear, OSVM_DOUBLES, 4, 2, 0, 0);
}

/* Examples whose next visit is so far off that NORMA's older coefficients have faded till then. */
static void long_ways_round(void) {
  for (int classes = 2; classes < 4; classes++) {
    problem p = problem_of(500, 2, classes, OSVM_DOUBLES, &rbf);
    for (int l = 0; l < LISTS; l++) {
      test_about("classes %d, list %d", classes, l);
      check_run(&p, &(rule){l, 1, 0, 0, 0}, 3, 1);
    }
    problem_free(&p);
  }
}

/* The common scale shrinks below every bound on the way. */
static void thousands_of_steps_keep_their_accuracy(void) {
  problem p = problem_of(100, 2, 2, OSVM_DOUBLES, &rbf), straight = problem_of(100, 2, 2, OSVM_DOUBLES, &linear);
  for (int l = 0; l < LISTS; l++)
    for (int average = 0; average < 2; average++) {
      test_about("list %d, average %d", l, average);
      check_run(&p, &(rule){l, 3, 1, average, 0}, 100, 1);
      check_run(&straight, &(rule){l, 0.1, 1, average, 0}, 100, 1);
    }
  problem_free(&p);
  problem_free(&straight);
}

/* With eta = C = 1 at t = 2 the third margin is exactly 1: a violation to Lists 1 and 2, none to Lists 3. */
static void a_margin_of_one(void) {
  const double x[] = {0, 1, 1}, weight[] = {1, 1, 1};
  const int rows[] = {0, 1, 2}, class_of[] = {1, 1, 1}, want[] = {3, 3, 2, 2};
  problem p = {.n = 3, .classes = 2, .rows = (int *)rows, .class_of = (int *)class_of, .weight = (double *)weight, .kernel = linear,
               .data = {.kind = OSVM_DOUBLES, .n = 3, .d = 1, .x = x}};
  for (int l = 0; l < LISTS; l++) {
    test_about("list %d", l);
    session *s = session_of(&p, &(rule){l, 1, 0, 0, 0}, 1, 1);
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(s->run.trace[0].violations == want[l]);
    session_free(s);
  }
  p.n = 2; /* and List 3a does not even shrink the coefficient, when it comes round to it */
  session *s = session_of(&p, &(rule){OLSVM_REGULARIZED, 1, 0, 0, 0}, 2, 1);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->model.coef[0] == 1);
  session_free(s);
}

/* ---- going on from an exported model ---- */

/* The same problem, its visits from .. to - 1 as new examples, those before as the carried ones. */
static session *session_going_on(problem *p, const rule *rule, int from, int to, const session *before, osvm_data *carried) {
  session *s = session_of(p, rule, 1, 1);
  s->task.rows += from;
  s->task.class_of += from;
  s->task.weight += from;
  s->task.count = to - from;
  if (before != NULL) {
    s->task.model = &before->model;
    s->task.carried = carried;
  }
  return s;
}

static void check_chunks(problem *p, const rule *rule) {
  const int cuts[] = {0, 1, 20, 21, p->n};
  session *before = NULL;
  for (int c = 0; c + 1 < COUNT(cuts); c++) {
    matrix seen = matrix_rows(&p->m, p->rows, cuts[c]);
    osvm_data carried = matrix_view(&seen, p->data.kind);
    session *s = session_going_on(p, rule, cuts[c], cuts[c + 1], before, &carried);
    CHECK(session_learn(s) == OSVM_OK);
    if (before != NULL) session_free(before);
    before = s;
    matrix_free(&seen);
  }
  for (int m = 0; m < machines_of(p); m++) {
    paper want = paper_open(rule, p->n, p->K);
    paper_epoch(&want, p, m, 0, p->n);
    check_model(before, m, &want, p, 1e-10);
    paper_close(&want);
  }
  session_free(before);
}

static void chunks_make_one_pass(void) {
  const osvm_kernel *kernels[] = {&rbf, &linear};
  for (int k = 0; k < COUNT(kernels); k++)
    for (int kind = 0; kind < 2; kind++)
      for (int classes = 2; classes < 4; classes++) {
        problem p = problem_of(61, 4, classes, kind ? OSVM_SPARSE : OSVM_DOUBLES, kernels[k]);
        for (int l = 0; l < LISTS; l++)
          for (int way = 0; way < 4; way++) {
            test_about("list %d, kernel %d, sparse %d, classes %d, listed %d, average %d", l, kernels[k]->type, kind, classes, way % 2, way / 2);
            check_chunks(&p, &(rule){l, 0.7, 1, way / 2, way % 2});
          }
        problem_free(&p);
      }
}

/* ---- kernel values, and nobody computes one twice without need ---- */

/* An example that some machine has taken up, against all visited later; the visit that took it up and the one that posted it
 * may each have asked for one value more. */
static double values_needed(const session *s, const problem *p) {
  double values = 0;
  for (int v = 0; v < p->n; v++) {
    int taken = 0;
    for (int m = 0; m < s->task.machines; m++) taken |= s->model.coef[v + (size_t)m * s->model.size] != 0;
    if (taken) values += p->n - v - 1 + 2;
  }
  return values;
}

static void only_violations_cost_kernel_values(void) {
  for (int classes = 2; classes < 4; classes++) {
    problem p = problem_of(61, 2, classes, OSVM_DOUBLES, &rbf);
    session *s = session_of(&p, &(rule){OLSVM, 1, 1, 0, 0}, 1, 1);
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(s->run.machine[0].updates < p.n);
    CHECK(s->run.machine[0].updates == s->run.trace[0].violations || classes > 2);
    CHECK(s->run.engine.evaluations <= values_needed(s, &p)); /* however many machines ask */
    session_free(s);
    s = session_of(&p, &(rule){OLSVM, 1, 1, 0, 1}, 1, 1); /* listed: every row, whole, once */
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(s->run.engine.evaluations == (double)p.n * p.n);
    session_free(s);
    problem_free(&p);
  }
}

static void later_epochs_find_their_rows_cached(void) {
  problem p = problem_of(61, 12, 2, OSVM_DOUBLES, &rbf);
  session *s = session_of(&p, &(rule){PEGAZ, 100, 0, 0, 1}, 5, 1);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.engine.evaluations == (double)p.n * p.n);
  session_free(s);
  s = session_of(&p, &(rule){PEGAZ, 100, 0, 0, 1}, 5, 1);
  s->task.cache_bytes = 0;
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.engine.evaluations == 5.0 * p.n * p.n);
  session_free(s);
  problem_free(&p);
}

/* Going on: one row for each carried example, for all machines together ... */
static void carried_examples_cost_one_row_each(void) {
  for (int d = 2; d <= 12; d += 10) {
    test_about("d %d", d);
    problem p = problem_of(61, d, 3, OSVM_DOUBLES, &rbf);
    const rule plain = {OLSVM, 1, 0, 0, 0};
    session *first = session_going_on(&p, &plain, 0, 30, NULL, NULL);
    CHECK(session_learn(first) == OSVM_OK);
    matrix seen = matrix_rows(&p.m, p.rows, 30);
    osvm_data carried = matrix_view(&seen, OSVM_DOUBLES);
    session *s = session_going_on(&p, &plain, 30, 61, first, &carried);
    s->task.cache_bytes = 0;
    s->task.epochs = 0;
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(s->run.engine.evaluations <= 30 * 31);
    session_free(s);
    session_free(first);
    matrix_free(&seen);
    problem_free(&p);
  }
}

/* ... and the cache is left to the new ones, which alone come back. With so small a C every visit is a violation. */
static void carried_examples_leave_the_cache_alone(void) {
  problem p = problem_of(61, 12, 2, OSVM_DOUBLES, &rbf);
  const rule plain = {OLSVM, 1e-6, 0, 0, 0};
  const osvm_simd *simd = osvm_simd_double(TEST_LEVEL);
  session *first = session_going_on(&p, &plain, 0, 30, NULL, NULL);
  CHECK(session_learn(first) == OSVM_OK);
  matrix seen = matrix_rows(&p.m, p.rows, 30);
  osvm_data carried = matrix_view(&seen, OSVM_DOUBLES);
  session *s = session_going_on(&p, &plain, 30, 61, first, &carried);
  s->task.cache_bytes = 31 * (61 + simd->width) * simd->size;
  s->task.epochs = 4;
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.engine.evaluations <= 30 * 31 + 31 * 31 + 4 * 31 * OSVM_QUERIES); /* rows, and values with those waiting */
  session_free(s);
  session_free(first);
  matrix_free(&seen);
  problem_free(&p);
}

/* ---- the driver's other promises ---- */

typedef struct { int left; double last; } patience;

static int wait(void *user, double done) {
  patience *p = user;
  CHECK(done >= p->last && done < 1);
  p->last = done;
  return p->left-- == 0;
}

/* Polls come at visits 0, 256, 512 of each epoch. */
static void an_interrupt_keeps_what_was_learned(void) {
  problem p = problem_of(600, 2, 2, OSVM_DOUBLES, &rbf);
  for (int l = 0; l < LISTS; l++) {
    paper want = paper_open(&(rule){l, 1, 1, 0, 0}, p.n, p.K);
    for (int polls = 0, visits = 0; polls < 7; polls++) {
      test_about("list %d, polls %d", l, polls);
      const int stop_at = polls / 3 * 600 + polls % 3 * 256;
      for (; visits < stop_at && polls < 6; visits++) paper_step(&want, visits % 600, label(&p, 0, visits % 600), p.weight[visits % 600]);
      patience patience = {polls, 0};
      session *s = session_of(&p, &want.rule, 2, 1);
      s->task.watch = (osvm_watch){wait, &patience};
      CHECK(session_learn(s) == (polls < 6 ? OSVM_INTERRUPTED : OSVM_OK));
      if (polls < 6) check_model(s, 0, &want, &p, 1e-8);
      /* An epoch nobody visited has no trace. */
      CHECK(s->run.epochs_done == (polls == 0 ? 0 : polls <= 3 ? 1 : 2));
      session_free(s);
    }
    paper_close(&want);
  }
  problem_free(&p);
}

static void divergence_is_reported(void) {
  for (int l = 0; l < LISTS; l++) {
    problem p = problem_of(20, 3, 2, OSVM_DOUBLES, &linear);
    const double scale[] = {1e-200, 1e-200, 1e-200};
    p.data.scale = scale;
    test_about("list %d", l);
    session *s = session_of(&p, &(rule){l, 1, 0, 0, 0}, 3, 1);
    CHECK(session_learn(s) == OSVM_DIVERGED);
    CHECK(s->error.text != NULL);
    session_free(s);
    problem_free(&p);
  }
}

static void finite_outputs_are_no_divergence(void) {
  problem p = problem_of(40, 3, 2, OSVM_DOUBLES, &rbf);
  for (int l = 0; l < LISTS; l++) {
    session *s = session_of(&p, &(rule){l, 1e150, 1, 1, 0}, 3, 1);
    CHECK(session_learn(s) == OSVM_OK);
    for (int j = 0; j < p.n; j++) CHECK(isfinite(s->model.coef[j]));
    session_free(s);
  }
  problem_free(&p);
}

static void wrong_names_are_refused(void) {
  problem p = problem_of(5, 2, 2, OSVM_DOUBLES, &rbf);
  session *s = session_of(&p, &(rule){NORMA, 1, 0, 0, 0}, 1, 1);
  s->task.solver = "nobody";
  CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_INVALID);
  CHECK(s->error.text != NULL);
  osvm_run_close(&s->run);
  s->task.solver = "norma";
  s->params[1].name = "c";
  CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_INVALID);
  osvm_run_close(&s->run);
  free(s);
  problem_free(&p);
}

static void door_plates_are_complete(void) {
  int count;
  const osvm_door_plate *plates = osvm_solvers(&count);
  CHECK(count >= 3);
  for (int k = 0; k < count; k++) {
    CHECK(plates[k].name && plates[k].title && plates[k].paper && plates[k].solver);
    CHECK(!strcmp(plates[k].space, "linear") || !strcmp(plates[k].space, "kernel") || !strcmp(plates[k].space, "both"));
    CHECK(plates[k].solver->params != NULL && plates[k].solver->learn != NULL);
  }
}

static void a_few_examples(void) {
  for (int n = 1; n < 7; n++)
    for (int classes = 2; classes < 4; classes++)
      for (int l = 0; l < LISTS; l++)
        for (int listed = 0; listed < 2; listed++) {
          test_about("n %d, classes %d, list %d, listed %d", n, classes, l, listed);
          problem p = problem_of(n, 2, classes, OSVM_DOUBLES, &rbf);
          for (int v = 0; v < n; v++) p.class_of[v] = (v + n) % classes;
          check_run(&p, &(rule){l, 0.3, 1, 0, listed}, 9, 1);
          problem_free(&p);
        }
}

static void no_example(void) {
  problem p = problem_of(1, 2, 2, OSVM_DOUBLES, &rbf);
  p.n = 0;
  session *s = session_of(&p, &(rule){OLSVM, 1, 1, 1, 0}, 2, 1);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.trace[0].violations == 0 && s->model.intercept[0] == 0);
  session_free(s);
  problem_free(&p);
}

void test_solvers(void) {
  RUN(cached_outputs_follow_the_lists);
  RUN(listed_outputs_follow_the_lists);
  RUN(primal_weights_follow_the_lists);
  RUN(many_classes_follow_the_lists);
  RUN(single_precision_is_near);
  RUN(long_ways_round);
  RUN(thousands_of_steps_keep_their_accuracy);
  RUN(a_margin_of_one);
  RUN(chunks_make_one_pass);
  RUN(only_violations_cost_kernel_values);
  RUN(later_epochs_find_their_rows_cached);
  RUN(carried_examples_cost_one_row_each);
  RUN(carried_examples_leave_the_cache_alone);
  RUN(an_interrupt_keeps_what_was_learned);
  RUN(divergence_is_reported);
  RUN(finite_outputs_are_no_divergence);
  RUN(wrong_names_are_refused);
  RUN(door_plates_are_complete);
  RUN(a_few_examples);
  RUN(no_example);
}
