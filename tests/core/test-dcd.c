/* Dual coordinate descent: the primal objective of its weights is least, and its duality gap is what it says. */
#include "test.h"

enum { N = 90, D = 4 };
static const int positive = 1, negative = 0;
static const osvm_loss losses[] = {
    {.info = &osvm_loss_hinge, .params = {0}},         {.info = &osvm_loss_epsilon, .params = {0.2}},
    {.info = &osvm_loss_epsilon, .params = {0}},       {.info = &osvm_loss_quantile, .params = {0.8}},
    {.info = &osvm_loss_squared_hinge, .params = {0}}, {.info = &osvm_loss_squared, .params = {0}},
    {.info = &osvm_loss_squared, .params = {0.2}},     {.info = &osvm_loss_huber, .params = {0.3}},
    {.info = &osvm_loss_expectile, .params = {0.9}},   {.info = &osvm_loss_logistic, .params = {0}}};

typedef struct {
  matrix m;
  osvm_data data;
  int class_of[N];
  double value[N], weight[N];
} problem;

static void problem_open(problem *p, osvm_data_kind kind) {
  p->m = matrix_normal(N, D, kind == OSVM_SPARSE ? 0.4 : 1);
  p->data = matrix_view(&p->m, kind);
  for (int i = 0; i < N; i++) {
    p->value[i] = data_value(&p->data, i, 0) - 0.5 * data_value(&p->data, i, 1) + 0.5 * random_normal() + 0.3;
    p->class_of[i] = p->value[i] > 0;
    p->weight[i] = i % 10 == 0 ? 0 : 0.5 + random_uniform();
  }
}

static osvm_convergence learn(const problem *p, const osvm_loss *loss, double C, int bias, double max_iter,
                              osvm_model *model) {
  const argument given[] = {{"C", C}, {"bias", bias}, {"tolerance", 1e-7}, {"max_iter", max_iter}};
  arguments a = arguments_for(osvm_solver_named("dcd"), given, COUNT(given));
  const int classes = loss->info->target == OSVM_CLASSES;
  const osvm_task task = {.solver = osvm_solver_named("dcd"),
                          .params = a.values,
                          .kernel = {.info = &osvm_kernel_linear},
                          .data = &p->data,
                          .count = N,
                          .target = {.kind = classes ? OSVM_CLASSES : OSVM_NUMBERS,
                                     .class_of = classes ? p->class_of : NULL,
                                     .positive = &positive,
                                     .negative = &negative,
                                     .value = p->value},
                          .loss = *loss,
                          .weight = p->weight,
                          .machines = 1,
                          .level = TEST_LEVEL,
                          .cache_bytes = 1 << 20,
                          .doubles = 1,
                          .threads = 1,
                          .seed = 5};
  osvm_error error = {NULL};
  osvm_run run;
  CHECK(osvm_run_open(&run, &task, &error) == OSVM_OK);
  CHECK(osvm_run_learn(&run) == OSVM_OK);
  const osvm_convergence end = run.machine[0].convergence;
  CHECK(osvm_run_export(&run, model) == OSVM_OK);
  CHECK(model->n_kept == 0);
  osvm_run_close(&run);
  return end;
}

static double primal_of(const problem *p, const osvm_loss *loss, double C, const double *w, double b) {
  double sum = b * b / 2;
  for (int k = 0; k < D; k++) sum += w[k] * w[k] / 2;
  for (int i = 0; i < N; i++) {
    const double y = loss->info->target == OSVM_CLASSES ? 2 * p->class_of[i] - 1 : p->value[i];
    double f = b;
    for (int k = 0; k < D; k++) f += w[k] * data_value(&p->data, i, k);
    sum += C * p->weight[i] * osvm_loss_value(loss, y, f);
  }
  return sum;
}

static void check_optimum(const problem *p, const osvm_loss *loss, double C, int bias) {
  osvm_model model = model_for(osvm_solver_named("dcd"), D, 1);
  const osvm_convergence end = learn(p, loss, C, bias, 1e5, &model);
  const double primal = primal_of(p, loss, C, model.coef, model.intercept[0]);
  CHECK(end.finished && end.gap <= 1e-7);
  CHECK(bias || model.intercept[0] == 0);
  CHECK_NEAR(primal * (1 - end.gap), -end.objective, 1e-10 * primal);
  for (int t = 0; t < 40; t++) { /* no weights nearby have a lower objective */
    double w[D], b = model.intercept[0] + (bias ? 0.02 * random_normal() : 0);
    for (int k = 0; k < D; k++) w[k] = model.coef[k] + 0.02 * random_normal();
    CHECK(primal_of(p, loss, C, w, b) >= primal * (1 - 1e-7));
  }
  model_free(&model);
}

static void every_loss(void) {
  for (int l = 0; l < COUNT(losses); l++)
    for (int c = 0; c < 8; c++) {
      problem p;
      problem_open(&p, c & 1 ? OSVM_SPARSE : OSVM_DOUBLES);
      test_about("loss %d, case %d", l, c);
      check_optimum(&p, &losses[l], c & 2 ? 5 : 0.05, c & 4);
      matrix_free(&p.m);
    }
}

/* What was reached until then, with its gap */
static void cut_short(void) {
  problem p;
  problem_open(&p, OSVM_DOUBLES);
  osvm_model model = model_for(osvm_solver_named("dcd"), D, 1);
  const osvm_convergence end = learn(&p, &losses[0], 5, 1, 1, &model);
  const double primal = primal_of(&p, &losses[0], 5, model.coef, model.intercept[0]);
  CHECK(!end.finished && end.iterations == 1 && end.gap > 1e-7);
  CHECK_NEAR(primal * (1 - end.gap), -end.objective, 1e-10 * primal);
  model_free(&model);
  matrix_free(&p.m);
}

void test_dcd(void) {
  RUN(every_loss);
  RUN(cut_short);
}
