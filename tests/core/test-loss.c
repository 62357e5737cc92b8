/* Losses: values and slopes, and rules that step along slopes, on numbers, against the rules on the full kernel matrix. */
#include "lists.h"

static double slope(const osvm_loss *loss, double y, double f, int closed) {
  return osvm_loss_at(loss, y, f, closed).slope;
}

static void slopes_are_derivatives(void) {
  for (int l = 0; l < N_LOSSES; l++) {
    const osvm_loss loss = all_losses[l];
    const int classes = loss.info->target == OSVM_CLASSES;
    for (int k = 0; k < 200; k++) {
      const double f = 3 * random_normal(), y = classes ? 2 * random_below(2) - 1 : random_normal(), h = 1e-6;
      const double rise = osvm_loss_value(&loss, y, f + h) - osvm_loss_value(&loss, y, f - h);
      test_about("%s, y %g, f %g", loss.info->name, y, f);
      CHECK(osvm_loss_value(&loss, y, f) >= 0);
      CHECK_NEAR(slope(&loss, y, f, 0), -rise / (2 * h), 1e-6);
      CHECK(slope(&loss, y, f, 1) == slope(&loss, y, f, 0));
    }
    CHECK(isnan(osvm_loss_value(&loss, 1, NAN)));
    CHECK(slope(&loss, 1, NAN, 1) == 0);
  }
}

static void where_slopes_jump(void) {
  const osvm_loss epsilon = {.info = &osvm_loss_epsilon, .params = {0.5}},
                  quantile = {.info = &osvm_loss_quantile, .params = {0.25}};
  CHECK(slope(&hinge, -1, -1, 0) == 0 && slope(&hinge, -1, -1, 1) == -1);
  CHECK(slope(&epsilon, 1, 0.5, 0) == 0 && slope(&epsilon, 1, 0.5, 1) == 1);
  CHECK(slope(&epsilon, 1, 1.5, 0) == 0 && slope(&epsilon, 1, 1.5, 1) == -1);
  CHECK(slope(&quantile, 2, 2, 0) == 0 && slope(&quantile, 2, 2, 1) == 0.25);
}

/* ---- the rules, on coefficients a and bias b ---- */

typedef enum { SGD, PEGASOS, PLAIN, REGULARIZED, PEGAZ_RULE, NORMA_RULE, PA, PA_I, PA_II, RULES } rule_kind;
static const char *const solver_of[RULES] = {"sgd", "pegasos", "olsvm", "olsvm", "pegaz", "norma", "pa", "pa", "pa"};
static const double RATE = 0.1, LAMBDA = 0.05, C = 0.7;

typedef struct {
  rule_kind kind;
  osvm_loss loss;
  int bias;
  const problem *p;
  double *a, b, t;
} reference;

static double output(const reference *r, int i) {
  double f = r->b;
  for (int j = 0; j < r->p->n; j++) f += r->a[j] * r->p->K[j + (size_t)i * r->p->n];
  return f;
}

static void scale(reference *r, double factor) {
  for (int j = 0; j < r->p->n; j++) r->a[j] *= factor;
}

static double slope_of(const reference *r, double y, double f) {
  const double left = y - f, parameter = r->loss.params[0];
  if (r->loss.info == &osvm_loss_novelty) return r->kind == NORMA_RULE ? f <= 0 : f < 0;
  if (r->loss.info == &osvm_loss_quantile) return left > 0 ? parameter : left < 0 ? parameter - 1 : 0;
  if (r->loss.info == &osvm_loss_squared_hinge) return y * f < 1 ? 2 * y * (1 - y * f) : 0;
  if (r->loss.info == &osvm_loss_logistic) return y / (1 + exp(y * f));
  if (r->loss.info == &osvm_loss_squared)
    return left > parameter ? 2 * (left - parameter) : left < -parameter ? 2 * (left + parameter) : 0;
  if (r->loss.info == &osvm_loss_huber) return 2 * fmax(fmin(left, parameter), -parameter);
  if (r->loss.info == &osvm_loss_expectile) return 2 * (left > 0 ? parameter : 1 - parameter) * left;
  return left > parameter ? 1 : left < -parameter ? -1 : 0;
}

/* By how much the square shortens a step */
static double damping(const reference *r, double step) {
  const osvm_loss_info *info = r->loss.info;
  const double tau = r->loss.params[0];
  if (info == &osvm_loss_squared_hinge || info == &osvm_loss_squared || info == &osvm_loss_huber) return 1 + 2 * step;
  return info == &osvm_loss_expectile ? 1 + 2 * fmax(tau, 1 - tau) * step : 1;
}

static void project(reference *r) {
  double norm = r->b * r->b;
  for (int j = 0; j < r->p->n; j++) norm += r->a[j] * (output(r, j) - r->b);
  if (norm <= 1 / LAMBDA) return;
  scale(r, 1 / sqrt(LAMBDA * norm));
  r->b /= sqrt(LAMBDA * norm);
}

static void visit(reference *r, int i, double y, double w) {
  const double t = ++r->t, eta = C * sqrt(2 / t), self = r->p->K[i + (size_t)i * r->p->n] + r->bias;
  const int novelty = r->loss.info == &osvm_loss_novelty;
  if (r->kind == PEGAZ_RULE && t > 1) {
    scale(r, sqrt((t - 1) / t));
    r->b *= sqrt((t - 1) / t);
  }
  const double f = output(r, i), loss = fabs(y - f) - r->loss.params[0];
  double step = w * (r->kind == SGD ? RATE : r->kind == PEGASOS ? 1 / (LAMBDA * t) : eta), old = r->a[i];
  const double s = slope_of(r, y, f) / damping(r, step * self);
  switch (r->kind) {
  case SGD:
    if (novelty) scale(r, 1 - RATE);
    break;
  case PEGASOS:
    scale(r, 1 - 1 / t);
    r->b *= novelty ? 1 : 1 - 1 / t;
    break;
  case REGULARIZED: r->a[i] *= 1 - eta / C; break;
  case NORMA_RULE:
    scale(r, 1 - eta / C);
    r->a[i] = s != 0 ? 0 : old;
    break;
  case PA: step = self > 0 ? loss / self : 0; break;
  case PA_I: step = self > 0 ? fmin(w * C, loss / self) : 0; break;
  case PA_II: step = loss / (self + 1 / (2 * w * C)); break;
  default: break;
  }
  r->a[i] += step * s;
  if (novelty) r->b += step * (r->kind == PEGASOS ? sqrt(t) : 1) * (s - r->loss.params[0]);
  else r->b += r->bias * step * s;
  if (r->kind == PEGASOS && !novelty) project(r);
}

/* ---- runs ---- */

static session *learn(const reference *r, const double *y, int from, int to, const session *before,
                      const osvm_data *carried) {
  const argument given[] = {{"rate", RATE},
                            {"lambda", LAMBDA},
                            {"C", C},
                            {"epochs", 1},
                            {"bias", r->bias},
                            {"regularized", r->kind == REGULARIZED},
                            {"project", 1},
                            {"average", 0},
                            {"batch", 1},
                            {"unit_norm", 0},
                            {"variant", r->kind == PA_I ? 0
                                        : r->kind == PA ? 1
                                                        : 2}};
  session *s = session_with(r->p, solver_of[r->kind], given, COUNT(given), 1);
  session_restrict(s, from, to);
  session_set_loss(s, &r->loss, y, from);
  if (before != NULL) session_carry(s, &before->model, carried);
  CHECK(session_learn(s) == OSVM_OK);
  return s;
}

static void check_weights(const reference *r, const session *s) {
  CHECK_NEAR(s->model.intercept[0], r->b, 1e-9);
  if (!s->run.driver->primal) {
    for (int j = 0; j < s->model.size; j++) CHECK_NEAR(s->model.coef[j], r->a[j], 1e-9);
    return;
  }
  for (int f = 0; f < r->p->data.d; f++) {
    double weight = 0;
    for (int j = 0; j < r->p->n; j++) weight += r->a[j] * data_value(&r->p->data, r->p->rows[j], f);
    CHECK_NEAR(s->model.coef[f], weight, 1e-9);
  }
}

/* All of the first half, then the second half from the model of the first */
static void check_rule(const problem *p, const double *y, rule_kind kind, osvm_loss loss, int bias) {
  reference r = {kind, loss, bias, p, calloc(p->n, sizeof(double)), 0, 0};
  const int half = p->n / 2;
  matrix first = matrix_rows(&p->m, p->rows, half);
  const osvm_data carried = matrix_view(&first, p->data.kind);
  test_about("%s, rule %d, kernel %s, loss %s, bias %d", solver_of[kind], kind, p->kernel.info->name, loss.info->name,
             bias);
  double *label = malloc(p->n * sizeof(double));
  for (int v = 0; v < p->n; v++) label[v] = problem_label(p, 0, v);
  if (loss.info->target == OSVM_CLASSES) y = label;
  if (loss.info == &osvm_loss_novelty) y = NULL;
  for (int v = 0; v < half; v++) visit(&r, v, y != NULL ? y[v] : 0, p->weight[v]);
  session *one = learn(&r, y, 0, half, NULL, NULL);
  check_weights(&r, one);
  if (!one->run.driver->primal && y != label)
    for (int i = 0; i < half; i++) CHECK(one->model.target[i] == (y != NULL ? y[i] : 0));
  for (int v = half; v < p->n; v++) visit(&r, v, y != NULL ? y[v] : 0, p->weight[v]);
  session *two = learn(&r, y, half, p->n, one, one->run.driver->primal ? NULL : &carried);
  check_weights(&r, two);
  if (!two->run.driver->primal && y != label)
    for (int i = 0; i < p->n; i++) CHECK(two->model.target[i] == (y != NULL ? y[i] : 0));
  session_free(one);
  session_free(two);
  matrix_free(&first);
  free(label);
  free(r.a);
}

static double *numbers_for(const problem *p) {
  double *y = malloc(p->n * sizeof(double));
  for (int v = 0; v < p->n; v++) y[v] = 1 + p->m.x[p->rows[v]] + 0.3 * random_normal();
  return y;
}

static void rules_follow_the_slope(void) {
  static const osvm_loss losses[] = {
      {.info = &osvm_loss_epsilon, .params = {0.4}},     {.info = &osvm_loss_quantile, .params = {0.8}},
      {.info = &osvm_loss_novelty, .params = {0.3}},     {.info = &osvm_loss_squared, .params = {0.2}},
      {.info = &osvm_loss_huber, .params = {0.4}},       {.info = &osvm_loss_expectile, .params = {0.8}},
      {.info = &osvm_loss_squared_hinge, .params = {0}}, {.info = &osvm_loss_logistic, .params = {0}}};
  static const osvm_kernel cubic = {.info = &osvm_kernel_polynomial, .params = {0.3, 1, 3}};
  const struct {
    const osvm_kernel *kernel;
    osvm_data_kind kind;
  } cases[] = {{&linear, OSVM_DOUBLES}, {&linear, OSVM_SPARSE}, {&rbf, OSVM_DOUBLES}, {&cubic, OSVM_SPARSE}};
  for (int c = 0; c < COUNT(cases); c++) {
    problem p = problem_of(60, 4, 2, cases[c].kind, cases[c].kernel);
    double *y = numbers_for(&p);
    for (rule_kind kind = SGD; kind < RULES; kind++)
      for (int l = 0; l < COUNT(losses); l++)
        for (int bias = 0; bias < 2; bias++) {
          const osvm_solver *solver = osvm_solver_named(solver_of[kind]);
          if (solver_takes(solver, cases[c].kernel) && osvm_solver_learns(solver, losses[l].info))
            check_rule(&p, y, kind, losses[l], bias);
        }
    free(y);
    problem_free(&p);
  }
}

/* The bias follows the share of examples with f < 0 to nu, by each rule that learns novelty. */
static void the_share_of_novel_examples_is_nu(void) {
  static const double nus[] = {0.05, 0.2, 0.5};
  int count;
  const osvm_solver_info *all = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int k = 0; k < COUNT(nus); k++)
      for (int c = 0; c < 2; c++) {
        const osvm_kernel *kernel = c ? &rbf : &linear;
        if (all[s].solver->dual || !osvm_solver_learns(all[s].solver, &osvm_loss_novelty)) continue;
        if (!solver_takes(all[s].solver, kernel)) continue;
        test_about("%s, nu %g, kernel %s", all[s].name, nus[k], kernel->info->name);
        problem p = problem_of(2000, 2, 2, OSVM_DOUBLES, kernel);
        for (int i = 0; i < 2 * p.n; i++) p.m.x[i] += 3; /* away from the origin */
        session *one = session_with(&p, all[s].name, (argument[]){{"epochs", 5}}, 1, 0);
        session_set_loss(one, &(osvm_loss){.info = &osvm_loss_novelty, .params = {nus[k]}}, NULL, 0);
        CHECK(session_learn(one) == OSVM_OK);
        CHECK_NEAR(one->run.driver->trace[4].violations / p.n, nus[k], 0.02);
        session_free(one);
        problem_free(&p);
      }
}

/* Each machine has the coefficients that it has alone, and its column of targets. Duals whose machines share a set of
 * support vectors may take other steps: they agree within their tolerance. */
static void columns_of_numbers_are_machines(void) {
  static const int negative[] = {-1, -1};
  const osvm_loss loss = {.info = &osvm_loss_epsilon, .params = {0.1}};
  int count;
  const osvm_solver_info *all = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int c = 0; c < 2; c++) {
      const osvm_kernel *kernel = c ? &rbf : &linear;
      if (!osvm_solver_learns(all[s].solver, &osvm_loss_epsilon) || !solver_takes(all[s].solver, kernel)) continue;
      test_about("%s, kernel %s", all[s].name, kernel->info->name);
      problem p = problem_of(60, 3, 2, OSVM_DOUBLES, kernel);
      double *y = malloc(2 * p.n * sizeof(double));
      for (int v = 0; v < 2 * p.n; v++) y[v] = p.m.x[p.rows[v % p.n] + (v < p.n ? 0 : p.n)] + 0.1 * random_normal();
      session *both = session_with(&p, all[s].name, (argument[]){{"epochs", 2}}, 1, 1);
      session_set_loss(both, &loss, y, 0);
      both->task.machines = 2;
      both->task.target.each = 1;
      both->task.target.n = p.n;
      both->task.target.positive = both->task.target.negative = negative;
      CHECK(session_learn(both) == OSVM_OK);
      for (int m = 0; m < 2; m++) {
        session *one = session_with(&p, all[s].name, (argument[]){{"epochs", 2}}, 1, 1);
        session_set_loss(one, &loss, y + m * p.n, 0);
        CHECK(session_learn(one) == OSVM_OK);
        const size_t from = (size_t)m * one->model.size;
        const double near = all[s].solver->dual ? 1e-3 : 1e-9;
        CHECK_NEAR(both->model.intercept[m], one->model.intercept[0], near);
        for (int i = 0; i < one->model.size; i++) CHECK_NEAR(both->model.coef[from + i], one->model.coef[i], near);
        for (int i = 0; i < p.n && !one->run.driver->primal; i++) CHECK(both->model.target[from + i] == y[m * p.n + i]);
        session_free(one);
      }
      session_free(both);
      free(y);
      problem_free(&p);
    }
}

/* ---- what does not fit ---- */

static osvm_status open_with(const problem *p, const char *solver, const osvm_loss_info *loss, osvm_target_kind kind) {
  session *s = session_with(p, solver, NULL, 0, 0);
  s->task.target.kind = kind;
  s->task.target.value = p->weight;
  s->task.loss = (osvm_loss){.info = loss, .params = {0.5, 0.5}};
  const osvm_status status = osvm_run_open(&s->run, &s->task, &s->error);
  CHECK((status == OSVM_OK) == (s->error.text == NULL));
  session_free(s);
  return status;
}

static void losses_that_are_not_declared_fail(void) {
  int count;
  const osvm_solver_info *all = osvm_solvers(&count);
  problem p = problem_of(20, 2, 2, OSVM_DOUBLES, &linear);
  for (int s = 0; s < count; s++)
    for (int l = 0; l < N_LOSSES; l++)
      for (osvm_target_kind kind = OSVM_CLASSES; kind <= OSVM_NO_TARGET; kind++) {
        const osvm_loss_info *loss = all_losses[l].info;
        test_about("%s, loss %s, kind %d", all[s].name, loss->name, kind);
        const int fits = osvm_solver_learns(all[s].solver, loss) && kind == loss->target;
        CHECK(open_with(&p, all[s].name, loss, kind) == (fits ? OSVM_OK : OSVM_INVALID));
      }
  problem_free(&p);
}

void test_loss(void) {
  RUN(slopes_are_derivatives);
  RUN(where_slopes_jump);
  RUN(rules_follow_the_slope);
  RUN(the_share_of_novel_examples_is_nu);
  RUN(columns_of_numbers_are_machines);
  RUN(losses_that_are_not_declared_fail);
}
