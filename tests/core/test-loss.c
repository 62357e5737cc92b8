/* Losses: values and slopes, and rules that step along slopes, on numbers, against the rules on the full kernel matrix. */
#include "lists.h"

static void slopes_are_derivatives(void) {
  for (osvm_loss_type type = OSVM_HINGE; type < OSVM_LOSSES; type++) {
    const osvm_loss loss = {type, 0.3};
    for (int k = 0; k < 200; k++) {
      const double f = 3 * random_normal(), y = type == OSVM_HINGE ? 2 * random_below(2) - 1 : random_normal(),
                   h = 1e-6;
      const double rise = osvm_loss_value(&loss, y, f + h) - osvm_loss_value(&loss, y, f - h);
      test_about("%s, y %g, f %g", osvm_loss_name(type), y, f);
      CHECK(osvm_loss_value(&loss, y, f) >= 0);
      CHECK_NEAR(osvm_loss_slope(&loss, y, f, 0), -rise / (2 * h), 1e-6);
      CHECK(osvm_loss_slope(&loss, y, f, 1) == osvm_loss_slope(&loss, y, f, 0));
    }
    CHECK(isnan(osvm_loss_value(&loss, 1, NAN)));
    CHECK(osvm_loss_slope(&loss, 1, NAN, 1) == 0);
  }
}

static void where_slopes_jump(void) {
  const osvm_loss hinge = {OSVM_HINGE, 0}, epsilon = {OSVM_EPSILON, 0.5}, quantile = {OSVM_QUANTILE, 0.25};
  CHECK(osvm_loss_slope(&hinge, -1, -1, 0) == 0 && osvm_loss_slope(&hinge, -1, -1, 1) == -1);
  CHECK(osvm_loss_slope(&epsilon, 1, 0.5, 0) == 0 && osvm_loss_slope(&epsilon, 1, 0.5, 1) == 1);
  CHECK(osvm_loss_slope(&epsilon, 1, 1.5, 0) == 0 && osvm_loss_slope(&epsilon, 1, 1.5, 1) == -1);
  CHECK(osvm_loss_slope(&quantile, 2, 2, 0) == 0 && osvm_loss_slope(&quantile, 2, 2, 1) == 0.25);
}

/* ---- the rules, on coefficients a and bias b ---- */

typedef enum { SGD, PEGASOS, PLAIN, REGULARIZED, PEGAZ_RULE, NORMA_RULE, PA, PA_I, PA_II, RULES } rule_kind;
static const char *const solver_of[RULES] = {"sgd", "pegasos", "olsvm", "olsvm", "pegaz", "norma", "pa", "pa", "pa"};
static const double RATE = 0.1, LAMBDA = 0.05, C = 0.7;

typedef struct {
  rule_kind kind;
  int quantile, bias;
  double parameter;
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

static double slope_of(const reference *r, double left) {
  if (r->quantile) return left > 0 ? r->parameter : left < 0 ? r->parameter - 1 : 0;
  return left > r->parameter ? 1 : left < -r->parameter ? -1 : 0;
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
  if (r->kind == PEGAZ_RULE && t > 1) {
    scale(r, sqrt((t - 1) / t));
    r->b *= sqrt((t - 1) / t);
  }
  const double left = y - output(r, i), s = slope_of(r, left), loss = fabs(left) - r->parameter;
  double step = w * eta * s, old = r->a[i];
  switch (r->kind) {
  case SGD: step = w * RATE * s; break;
  case PEGASOS:
    scale(r, 1 - 1 / t);
    r->b *= 1 - 1 / t;
    step = w * s / (LAMBDA * t);
    break;
  case REGULARIZED: r->a[i] *= 1 - eta / C; break;
  case NORMA_RULE:
    scale(r, 1 - eta / C);
    r->a[i] = s != 0 ? 0 : old;
    break;
  case PA: step = self > 0 ? s * loss / self : 0; break;
  case PA_I: step = self > 0 ? s * fmin(w * C, loss / self) : 0; break;
  case PA_II: step = s * loss / (self + 1 / (2 * w * C)); break;
  default: break;
  }
  r->a[i] += step;
  r->b += r->bias * step;
  if (r->kind == PEGASOS) project(r);
}

/* ---- runs ---- */

static session *learn(const reference *r, const double *y, int from, int to, const session *before,
                      const osvm_data *carried) {
  const osvm_argument given[] = {{"rate", RATE},
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
  s->task.target = (osvm_target){.kind = OSVM_NUMBERS, .value = y + from};
  s->task.loss = (osvm_loss){r->quantile ? OSVM_QUANTILE : OSVM_EPSILON, r->parameter};
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
static void check_rule(const problem *p, const double *y, rule_kind kind, int quantile, int bias) {
  reference r = {kind, quantile, bias, quantile ? 0.8 : 0.4, p, calloc(p->n, sizeof(double)), 0, 0};
  const int half = p->n / 2;
  matrix first = matrix_rows(&p->m, p->rows, half);
  const osvm_data carried = matrix_view(&first, p->data.kind);
  test_about("%s, rule %d, kernel %s, quantile %d, bias %d", solver_of[kind], kind, p->kernel.info->name, quantile,
             bias);
  for (int v = 0; v < half; v++) visit(&r, v, y[v], p->weight[v]);
  session *one = learn(&r, y, 0, half, NULL, NULL);
  check_weights(&r, one);
  if (!one->run.driver->primal)
    for (int i = 0; i < half; i++) CHECK(one->model.target[i] == y[i]);
  for (int v = half; v < p->n; v++) visit(&r, v, y[v], p->weight[v]);
  session *two = learn(&r, y, half, p->n, one, one->run.driver->primal ? NULL : &carried);
  check_weights(&r, two);
  if (!two->run.driver->primal)
    for (int i = 0; i < p->n; i++) CHECK(two->model.target[i] == y[i]);
  session_free(one);
  session_free(two);
  matrix_free(&first);
  free(r.a);
}

static double *numbers_for(const problem *p) {
  double *y = malloc(p->n * sizeof(double));
  for (int v = 0; v < p->n; v++) y[v] = 1 + p->m.x[p->rows[v]] + 0.3 * random_normal();
  return y;
}

static void rules_follow_the_slope(void) {
  static const osvm_kernel cubic = {&osvm_kernel_polynomial, {0.3, 1, 3}, 0};
  const struct {
    const osvm_kernel *kernel;
    osvm_data_kind kind;
  } cases[] = {{&linear, OSVM_DOUBLES}, {&linear, OSVM_SPARSE}, {&rbf, OSVM_DOUBLES}, {&cubic, OSVM_SPARSE}};
  for (int c = 0; c < COUNT(cases); c++) {
    problem p = problem_of(60, 4, 2, cases[c].kind, cases[c].kernel);
    double *y = numbers_for(&p);
    for (rule_kind kind = SGD; kind < RULES; kind++)
      for (int quantile = 0; quantile < 2; quantile++)
        for (int bias = 0; bias < 2; bias++) {
          const osvm_solver *solver = osvm_solver_named(solver_of[kind]);
          if (!solver_takes(solver, cases[c].kernel)) continue;
          if (osvm_solver_learns(solver, quantile ? OSVM_QUANTILE : OSVM_EPSILON))
            check_rule(&p, y, kind, quantile, bias);
        }
    free(y);
    problem_free(&p);
  }
}

/* ---- what does not fit ---- */

static osvm_status open_with(const problem *p, const char *solver, osvm_loss_type loss, osvm_target_kind kind) {
  session *s = session_with(p, solver, NULL, 0, 0);
  s->task.target.kind = kind;
  s->task.target.value = p->weight;
  s->task.loss = (osvm_loss){loss, 0.5};
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
    for (osvm_loss_type loss = OSVM_HINGE; loss < OSVM_LOSSES; loss++)
      for (osvm_target_kind kind = OSVM_CLASSES; kind <= OSVM_NO_TARGET; kind++) {
        test_about("%s, loss %d, kind %d", all[s].name, loss, kind);
        const int fits = osvm_solver_learns(all[s].solver, loss) && kind == osvm_loss_target(loss);
        CHECK(open_with(&p, all[s].name, loss, kind) == (fits ? OSVM_OK : OSVM_INVALID));
      }
  problem_free(&p);
}

void test_loss(void) {
  RUN(slopes_are_derivatives);
  RUN(where_slopes_jump);
  RUN(rules_follow_the_slope);
  RUN(losses_that_are_not_declared_fail);
}
