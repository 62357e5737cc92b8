/* The linear online solvers, SGD and Pegasos, against their algorithms on dense vectors. */
#include "test.h"

enum { N = 43, D = 8 };

typedef struct {
  double rate, lambda, project, batch, bias, average, unit_norm;
  int epochs, shuffle;
} rule;

/* x has a constant first feature: 1 with a bias, else 0. */
typedef struct {
  rule rule;
  double w[D + 1], sum[D + 1], steps, step[D + 1], gathered;
} paper;

static void example_of(const osvm_data *data, int i, const rule *rule, double x[D + 1]) {
  double norm = 0;
  for (int f = 0; f < D; f++) norm += pow(data_value(data, i, f), 2);
  x[0] = rule->bias;
  for (int f = 0; f < D; f++) x[f + 1] = data_value(data, i, f) / (rule->unit_norm && norm > 0 ? sqrt(norm) : 1);
}

static void add_up(paper *p) {
  for (int f = 0; f <= D; f++) p->sum[f] += p->w[f];
}

static void pegasos_step(paper *p) {
  const double t = ++p->steps, length = 1 / (p->rule.lambda * t);
  double norm = 0;
  for (int f = 0; f <= D; f++) {
    p->w[f] = (1 - length * p->rule.lambda) * p->w[f] + length / p->gathered * p->step[f];
    norm += p->w[f] * p->w[f];
  }
  for (int f = 0; f <= D && p->rule.project && norm > 1 / p->rule.lambda; f++) p->w[f] /= sqrt(p->rule.lambda * norm);
  add_up(p);
  memset(p->step, 0, sizeof p->step);
  p->gathered = 0;
}

static void paper_visit(paper *p, const double x[D + 1], double y, double weight) {
  double margin = 0;
  for (int f = 0; f <= D; f++) margin += y * p->w[f] * x[f];
  if (p->rule.rate > 0) { /* SGD */
    for (int f = 0; f <= D && margin < 1; f++) p->w[f] += weight * p->rule.rate * y * x[f];
    p->steps++;
    add_up(p);
    return;
  }
  for (int f = 0; f <= D && margin < 1; f++) p->step[f] += weight * y * x[f];
  if (++p->gathered >= p->rule.batch) pegasos_step(p);
}

typedef struct {
  matrix m;
  osvm_data data;
  int rows[N], class_of[N];
  double weight[N];
} problem;

static problem *problem_of(int sparse) {
  problem *p = calloc(1, sizeof *p);
  p->m = matrix_normal(N, D, sparse ? 0.2 : 0.7); /* thin enough for a sparse store */
  p->data = matrix_view(&p->m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
  random_order(p->rows, N);
  for (int v = 0; v < N; v++) {
    p->class_of[v] = p->m.x[p->rows[v]] + random_normal() > 0;
    p->weight[v] = 0.5 + random_uniform();
  }
  return p;
}

static void problem_free(problem *p) {
  matrix_free(&p->m);
  free(p);
}

/* Visits from .. to - 1; the new model replaces `model`, from which the run starts if `update`. */
static void learn(const problem *p, const rule *r, int from, int to, osvm_model *model, int update) {
  const int positive = 1, negative = 0;
  const char *solver = r->rate > 0 ? "sgd" : "pegasos";
  const osvm_argument given[] = {{"rate", r->rate},           {"lambda", r->lambda}, {"project", r->project},
                                 {"batch", r->batch},         {"bias", r->bias},     {"average", r->average},
                                 {"unit_norm", r->unit_norm}, {"epochs", r->epochs}, {"shuffle", r->shuffle}};
  const arguments a = arguments_for(osvm_solver_named(solver), given, COUNT(given));
  osvm_start start = {.model = update ? model : NULL};
  const osvm_task task = {.solver = solver,
                          .params = a.list,
                          .n_params = a.count,
                          .kernel = {.info = &osvm_kernel_linear},
                          .data = &p->data,
                          .rows = p->rows + from,
                          .count = to - from,
                          .target = {.class_of = p->class_of + from, .positive = &positive, .negative = &negative},
                          .weight = p->weight + from,
                          .machines = 1,
                          .start = &start,
                          .doubles = 1,
                          .level = TEST_LEVEL,
                          .threads = 1,
                          .seed = 77};
  osvm_error error = {NULL};
  osvm_run run;
  CHECK(osvm_run_open(&run, &task, &error) == OSVM_OK);
  CHECK(osvm_run_learn(&run) == OSVM_OK);
  CHECK(osvm_run_export(&run, model) == OSVM_OK);
  osvm_run_close(&run);
}

static void paper_learn(paper *want, const problem *p, int from, int to) {
  osvm_random random;
  int order[N];
  osvm_random_seed(&random, 77);
  for (int v = 0; v < to - from; v++) order[v] = v;
  for (int e = 0; e < want->rule.epochs; e++) {
    if (e > 0 && want->rule.shuffle && want->rule.rate > 0) osvm_random_shuffle(&random, order, to - from);
    for (int k = 0; k < to - from; k++) {
      const int v = from + order[k];
      double x[D + 1];
      example_of(&p->data, p->rows[v], &want->rule, x);
      paper_visit(want, x, p->class_of[v] ? 1 : -1, p->weight[v]);
    }
  }
  if (want->gathered > 0) pegasos_step(want);
}

static void check_rule(const problem *p, const rule *r, int cut) {
  paper want = {.rule = *r};
  osvm_model model = model_for(osvm_solver_named(r->rate > 0 ? "sgd" : "pegasos"), D, 1);
  learn(p, r, 0, cut, &model, 0);
  paper_learn(&want, p, 0, cut);
  if (cut < N) {
    learn(p, r, cut, N, &model, 1);
    paper_learn(&want, p, cut, N);
  }
  const double share = r->average ? 1 / want.steps : 1, *w = r->average ? want.sum : want.w;
  CHECK(model.scalars[0] == want.steps);
  CHECK_NEAR(model.intercept[0], share * w[0], 1e-10);
  for (int f = 0; f < D; f++) CHECK_NEAR(model.coef[f], share * w[f + 1], 1e-10);
  model_free(&model);
}

static void check_ways(rule r) {
  for (int sparse = 0; sparse < 2; sparse++) {
    problem *p = problem_of(sparse);
    for (int way = 0; way < 16; way++) {
      test_about("sparse %d, rate %g, batch %g, project %g, epochs %d, way %d", sparse, r.rate, r.batch, r.project,
                 r.epochs, way);
      r.bias = way & 1;
      r.average = r.rate == 0 && way >> 1 & 1; /* parameters of Pegasos alone */
      r.unit_norm = r.rate == 0 && way >> 2 & 1;
      check_rule(p, &r, way >> 3 ? 4 : N);
    }
    problem_free(p);
  }
}

static void sgd(void) {
  check_ways((rule){.rate = 0.1, .epochs = 1});
  check_ways((rule){.rate = 0.1, .epochs = 4});
  check_ways((rule){.rate = 0.1, .epochs = 4, .shuffle = 1});
}

static void pegasos(void) {
  const double batches[] = {1, 2, 7, 10, 43, 50, 1000};
  for (int b = 0; b < COUNT(batches); b++)
    for (int project = 0; project < 2; project++) {
      check_ways((rule){.lambda = 0.1, .batch = batches[b], .project = project, .epochs = 1});
      check_ways((rule){.lambda = 0.01, .batch = batches[b], .project = project, .epochs = 5});
    }
}

/* Thousands of projections; the norm is updated, not recomputed. */
static void pegasos_for_long(void) { check_ways((rule){.lambda = 0.5, .batch = 1, .project = 1, .epochs = 200}); }

void test_linear(void) {
  RUN(sgd);
  RUN(pegasos);
  RUN(pegasos_for_long);
}
