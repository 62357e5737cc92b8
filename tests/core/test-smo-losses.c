/* SMO with every loss: its solution is that of a plain solver in doubles, and the primal and dual objectives meet. */
#include "test.h"

enum { N = 70, D = 3 };
enum { COEF, WEIGHT }; /* columns of the model */
static const int positive = 1, negative = 0;
static const osvm_loss losses[] = {
    {.info = &osvm_loss_hinge, .params = {0}},       {.info = &osvm_loss_epsilon, .params = {0.2}},
    {.info = &osvm_loss_epsilon, .params = {0}},     {.info = &osvm_loss_quantile, .params = {0.5}},
    {.info = &osvm_loss_quantile, .params = {0.9}},  {.info = &osvm_loss_novelty, .params = {0.15}},
    {.info = &osvm_loss_novelty, .params = {0.6}},   {.info = &osvm_loss_squared_hinge, .params = {0}},
    {.info = &osvm_loss_squared, .params = {0}},     {.info = &osvm_loss_squared, .params = {0.2}},
    {.info = &osvm_loss_huber, .params = {0.3}},     {.info = &osvm_loss_expectile, .params = {0.5}},
    {.info = &osvm_loss_expectile, .params = {0.95}}};

typedef struct {
  matrix m;
  osvm_data data;
  int class_of[N];
  double value[N], y[N], weight[N], k[N][N]; /* y: what the loss takes */
} problem;

static problem *problem_of(const osvm_loss *loss, const osvm_kernel *kernel) {
  problem *p = calloc(1, sizeof *p);
  p->m = matrix_normal(N, D, 1);
  p->data = matrix_view(&p->m, OSVM_DOUBLES);
  for (int i = 0; i < N; i++) {
    const double x = data_value(&p->data, i, 0);
    p->value[i] = sin(2 * x) + data_value(&p->data, i, 1) + 0.3 * random_normal();
    p->class_of[i] = p->value[i] > 0;
    p->weight[i] = 0.5 + random_uniform();
    p->y[i] = loss->info->target == OSVM_CLASSES     ? (p->class_of[i] ? 1 : -1)
              : loss->info->target == OSVM_NO_TARGET ? 0
                                                     : p->value[i];
    for (int j = 0; j < N; j++) p->k[i][j] = plain_kernel(kernel, &p->data, i, &p->data, j);
  }
  return p;
}

static osvm_target target_of(const problem *p, const osvm_loss *loss) {
  return (osvm_target){.kind = loss->info->target,
                       .class_of = loss->info->target == OSVM_CLASSES ? p->class_of : NULL,
                       .positive = &positive,
                       .negative = &negative,
                       .value = loss->info->target == OSVM_NUMBERS ? p->value : NULL};
}

static osvm_status learn(const problem *p, const osvm_kernel *kernel, const osvm_loss *loss, double C, double tolerance,
                         double selection, int biased, int doubles, osvm_model *model, osvm_convergence *end) {
  const argument given[] = {{"C", C},         {"tolerance", tolerance}, {"selection", selection},
                            {"shrinking", 1}, {"max_iter", 1e6},        {"bias", biased}};
  arguments a = arguments_for(osvm_solver_named("smo"), given, COUNT(given));
  const osvm_task task = {.solver = osvm_solver_named("smo"),
                          .params = a.values,
                          .kernel = *kernel,
                          .data = &p->data,
                          .count = N,
                          .target = target_of(p, loss),
                          .loss = *loss,
                          .weight = p->weight,
                          .machines = 1,
                          .level = TEST_LEVEL,
                          .cache_bytes = 1 << 20,
                          .doubles = doubles,
                          .threads = 1,
                          .seed = 5};
  osvm_error error = {NULL};
  osvm_run run;
  osvm_status status = osvm_run_open(&run, &task, &error);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK) {
    *end = run.machine[0].convergence;
    status = osvm_run_export(&run, model);
  }
  osvm_run_close(&run);
  return status;
}

/* ---- the plain solver: its bounds, diagonals and offsets, and steps of the most violating pair ---- */

typedef struct {
  double a[N], p[N], lower[N], upper[N], below[N], above[N], epsilon, sum; /* below, above: d of that side of 0 */
} dual;

static dual dual_of(const problem *p, const osvm_loss *loss, double C) {
  const int has_tube = loss->info == &osvm_loss_epsilon || loss->info == &osvm_loss_squared;
  dual d = {.epsilon = has_tube ? loss->params[0] : 0};
  for (int i = 0; i < N; i++) {
    const double cost = C * p->weight[i], tau = loss->params[0];
    d.p[i] = p->y[i];
    d.lower[i] = -cost;
    d.upper[i] = cost;
    if (loss->info == &osvm_loss_squared_hinge || loss->info == &osvm_loss_squared || loss->info == &osvm_loss_huber)
      d.lower[i] = -INFINITY, d.upper[i] = INFINITY, d.below[i] = d.above[i] = 0.5 / cost;
    if (loss->info == &osvm_loss_huber) d.lower[i] = -2 * cost * tau, d.upper[i] = 2 * cost * tau;
    if (loss->info == &osvm_loss_expectile) {
      d.lower[i] = -INFINITY, d.upper[i] = INFINITY;
      d.below[i] = 0.5 / (cost * (1 - tau)), d.above[i] = 0.5 / (cost * tau);
    }
    if (loss->info->target == OSVM_CLASSES) *(p->y[i] > 0 ? &d.lower[i] : &d.upper[i]) = 0;
    if (loss->info == &osvm_loss_quantile) d.lower[i] *= 1 - tau, d.upper[i] *= tau;
    if (loss->info == &osvm_loss_novelty) d.lower[i] = 0, d.upper[i] = p->weight[i], d.sum += tau * p->weight[i];
  }
  double left = d.sum;
  for (int i = N - 1; i >= 0; i--) { /* SMO starts from the other end */
    d.a[i] = fmin(left, d.upper[i]) * (left > 0);
    left -= d.a[i];
  }
  return d;
}

static double output_of(const problem *p, const dual *d, int i) {
  double f = 0;
  for (int j = 0; j < N; j++) f += d->a[j] * p->k[i][j];
  return f;
}

static double gradient_of(const problem *p, const dual *d, int i) {
  return d->p[i] - output_of(p, d, i) - (d->a[i] > 0 ? d->above : d->below)[i] * d->a[i];
}

static double objective_of(const problem *p, const dual *d) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += d->epsilon * fabs(d->a[i]) - d->a[i] * (d->p[i] + gradient_of(p, d, i)) / 2;
  return sum;
}

/* Returns the violation of the KKT conditions before the step. */
static double step(const problem *p, dual *d) {
  double most = -INFINITY, least = INFINITY;
  int i = -1, j = -1;
  for (int k = 0; k < N; k++) {
    const double g = gradient_of(p, d, k), a = d->a[k];
    const double up = g + (a < 0 ? d->epsilon : -d->epsilon), down = g + (a > 0 ? -d->epsilon : d->epsilon);
    if (a < d->upper[k] && up > most) most = up, i = k;
    if (a > d->lower[k] && down < least) least = down, j = k;
  }
  if (!(most > least)) return 0;
  const double to_i = d->a[i] < 0 && (d->epsilon > 0 || d->below[i] != d->above[i]) ? 0 : d->upper[i];
  const double to_j = d->a[j] > 0 && (d->epsilon > 0 || d->below[j] != d->above[j]) ? 0 : d->lower[j];
  const double diagonals = (d->a[i] < 0 ? d->below : d->above)[i] + (d->a[j] > 0 ? d->above : d->below)[j];
  const double newton = (most - least) / fmax(p->k[i][i] + p->k[j][j] - 2 * p->k[i][j] + diagonals, 1e-12);
  const double t = fmin(newton, fmin(to_i - d->a[i], d->a[j] - to_j));
  d->a[i] = t == to_i - d->a[i] ? to_i : d->a[i] + t;
  d->a[j] = t == d->a[j] - to_j ? to_j : d->a[j] - t;
  return most - least;
}

/* Without a bias each coefficient in turn goes to its minimum. Returns the largest change of an output. */
static double sweep(const problem *p, dual *d) {
  double most = 0;
  for (int i = 0; i < N; i++) {
    const double k = p->k[i][i], before = d->a[i], z = d->p[i] - output_of(p, d, i) + k * before;
    const double free = copysign(fmax(fabs(z) - d->epsilon, 0), z) / (k + (z > 0 ? d->above : d->below)[i]);
    d->a[i] = fmin(fmax(free, d->lower[i]), d->upper[i]);
    most = fmax(most, k * fabs(d->a[i] - before));
  }
  return most;
}

/* ---- comparisons ---- */

/* 1/2 |f|^2 + sum C_i loss(y_i, f_i + b); for novelty 1/2 |f|^2 - s rho + sum w_i max(0, rho - f_i), rho = -b. */
static double primal_of(const problem *p, const dual *d, const osvm_loss *loss, double C, double b) {
  double sum = d->sum * b;
  for (int i = 0; i < N; i++) {
    const double f = output_of(p, d, i), cost = loss->info == &osvm_loss_novelty ? 1 : C;
    sum += d->a[i] * f / 2 + cost * p->weight[i] * osvm_loss_value(loss, p->y[i], f + b);
  }
  return sum;
}

/* The largest violation of the KKT conditions, given the bias */
static double violation_of(const problem *p, const dual *d, double b) {
  double most = 0;
  for (int i = 0; i < N; i++) {
    const double g = gradient_of(p, d, i) - b, a = d->a[i];
    if (a < d->upper[i] * (1 - 1e-14)) most = fmax(most, g + (a < 0 ? d->epsilon : -d->epsilon));
    if (a > d->lower[i] * (1 - 1e-14)) most = fmax(most, -g + (a > 0 ? d->epsilon : -d->epsilon));
  }
  return most;
}

static void compare(const problem *p, const osvm_loss *loss, double C, int biased, const osvm_model *model,
                    double objective, double slack, double kkt) {
  dual d = dual_of(p, loss, C);
  for (int t = 0; t < 100000 && (biased ? step(p, &d) > 1e-8 : sweep(p, &d) > 1e-9); t++) continue;
  const double best = objective_of(p, &d), scale = 1 + fabs(best);
  double sum = 0;
  for (int i = 0; i < N; i++) {
    d.a[i] = model->coef[i];
    sum += d.a[i];
    CHECK(d.a[i] >= d.lower[i] * (1 + 1e-14) && d.a[i] <= d.upper[i] * (1 + 1e-14));
  }
  if (biased) CHECK_NEAR(sum, d.sum, 1e-9 * scale);
  else CHECK(model->intercept[0] == 0);
  CHECK_NEAR(objective_of(p, &d), best, slack * scale);
  CHECK_NEAR(objective, best, slack * scale);
  CHECK_NEAR(primal_of(p, &d, loss, C, model->intercept[0]), -best, 200 * slack * scale);
  CHECK(violation_of(p, &d, model->intercept[0]) <= kkt);
}

/* With a bias and without; novelty has one. */
static void check(const osvm_loss *loss, const osvm_kernel *kernel, double C, double tolerance, int selection,
                  int doubles, double slack) {
  problem *p = problem_of(loss, kernel);
  osvm_model model = model_for(osvm_solver_named("smo"), N, 1);
  for (int biased = 1; biased >= (loss->info == &osvm_loss_novelty); biased--) {
    osvm_convergence end;
    CHECK(learn(p, kernel, loss, C, tolerance, selection, biased, doubles, &model, &end) == OSVM_OK);
    CHECK(end.finished == 1);
    compare(p, loss, C, biased, &model, end.objective, slack, selection == 0 ? 2 * tolerance : INFINITY);
  }
  model_free(&model);
  matrix_free(&p->m);
  free(p);
}

static void every_loss(void) {
  for (int l = 0; l < COUNT(losses); l++) {
    for (int c = 0; c < 6; c++) {
      const osvm_kernel kernel = {.info = c % 2 ? &osvm_kernel_rbf : &osvm_kernel_linear, .params = {0.5}};
      const int doubles = c != 2 && c != 3;
      test_about("loss %d, case %d", l, c);
      check(&losses[l], &kernel, c < 4 ? 1 : 20, doubles ? 1e-7 : 1e-4, 0, doubles, doubles ? 1e-7 : 1e-5);
    }
  }
}

static void random_pairs(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.5}};
  for (int l = 0; l < COUNT(losses); l++) {
    test_about("loss %d", l);
    check(&losses[l], &kernel, 1, 1e-7, 1, 1, 0.02); /* a quiet sweep is no optimum */
  }
}

static void novelty_is_biased(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.5}};
  const osvm_loss loss = {.info = &osvm_loss_novelty, .params = {0.15}};
  problem *p = problem_of(&loss, &kernel);
  CHECK(learn(p, &kernel, &loss, 1, 1e-3, 0, 0, 1, NULL, NULL) == OSVM_INVALID);
  matrix_free(&p->m);
  free(p);
}

void test_smo_losses(void) {
  RUN(every_loss);
  RUN(random_pairs);
  RUN(novelty_is_biased);
}
