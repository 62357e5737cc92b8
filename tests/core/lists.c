#include "lists.h"

/* ---- Lists 1, 2, 3b, 3a in the paper's symbols, on the full kernel matrix ---- */

paper paper_open(const rule *rule, int n, const double *K) {
  paper p = {.rule = *rule, .n = n, .K = K};
  p.a = calloc(n, sizeof(double));
  p.beta = calloc(n, sizeof(double));
  p.a_sum = calloc(n, sizeof(double));
  return p;
}

void paper_close(paper *p) {
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

void paper_step(paper *p, int i, double y, double w) {
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

/* ---- a random problem ---- */

enum { MOST_MACHINES = 6, SCALARS = 3 }; /* scalars: steps, bias, bias_sum */
static const int positive[] = {1, 2, 2, 0, 1, 2}, negative[] = {0, 0, 1, -1, -1, -1};

problem problem_of(int n, int d, int classes, osvm_data_kind kind, const osvm_kernel *kernel) {
  problem p = {.n = n, .classes = classes, .machines = classes == 2 ? 1 : MOST_MACHINES, .kernel = *kernel};
  p.positive = positive;
  p.negative = negative;
  p.m = kind == OSVM_SPARSE ? matrix_thin(n, d, 0.5) : matrix_normal(n, d, 1);
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

void problem_free(problem *p) {
  matrix_free(&p->m);
  free(p->rows);
  free(p->class_of);
  free(p->weight);
  free(p->K);
}

double problem_label(const problem *p, int m, int v) {
  if (p->class_of[v] == p->positive[m]) return 1;
  return p->negative[m] < 0 || p->class_of[v] == p->negative[m] ? -1 : 0;
}

void paper_epoch(paper *reference, const problem *p, int machine) {
  reference->loss = reference->violations = reference->steps = 0;
  for (int v = 0; v < p->n; v++) {
    const double y = problem_label(p, machine, v);
    if (y != 0) paper_step(reference, v, y, p->weight[v]);
  }
}

/* ---- a run ---- */

session *session_with(const problem *p, const char *solver, const osvm_argument *given, int n_given, int doubles) {
  session *s = calloc(1, sizeof *s);
  s->arguments = arguments_for(osvm_solver_named(solver), given, n_given);
  s->task = (osvm_task){.solver = solver,
                        .params = s->arguments.list,
                        .n_params = s->arguments.count,
                        .kernel = p->kernel,
                        .data = &p->data,
                        .rows = p->rows,
                        .count = p->n,
                        .target = {.class_of = p->class_of, .positive = p->positive, .negative = p->negative},
                        .weight = p->weight,
                        .machines = p->machines,
                        .doubles = doubles,
                        .level = TEST_LEVEL,
                        .cache_bytes = 1 << 20,
                        .threads = 1};
  return s;
}

session *session_of(const problem *p, const rule *rule, int epochs, int doubles) {
  static const char *const names[] = {"norma", "pegaz", "olsvm", "olsvm"};
  const osvm_argument given[] = {{"average", rule->average}, {"C", rule->C},
                                 {"outputs", rule->listed},  {"regularized", rule->list == OLSVM_REGULARIZED},
                                 {"bias", rule->bias},       {"epochs", epochs}};
  return session_with(p, names[rule->list], given, COUNT(given), doubles);
}

void session_restrict(session *s, int from, int to) {
  s->task.rows += from;
  s->task.target.class_of += from;
  s->task.weight += from;
  s->task.count = to - from;
}

session *session_continued(const problem *p, const rule *rule, int from, int to, const session *before,
                           const osvm_data *carried) {
  session *s = session_of(p, rule, 1, 1);
  session_restrict(s, from, to);
  if (before != NULL) session_carry(s, &before->model, carried);
  return s;
}

void session_carry(session *s, const osvm_model *model, const osvm_data *carried) {
  CHECK(osvm_start_open(&s->start, &s->task, carried, model, &s->error) == OSVM_OK);
  s->task.start = &s->start;
}

osvm_status session_learn(session *s) {
  osvm_status status = osvm_run_open(&s->run, &s->task, &s->error);
  CHECK(status == OSVM_OK);
  if (status != OSVM_OK) return status;
  status = osvm_run_learn(&s->run);
  s->model = model_of(&s->run);
  const osvm_status exported = osvm_run_export(&s->run, &s->model);
  CHECK(exported == OSVM_OK || status == OSVM_DIVERGED);
  return status;
}

void session_free(session *s) {
  osvm_run_close(&s->run);
  osvm_start_close(&s->start);
  model_free(&s->model);
  free(s);
}

void check_model(const session *s, int m, const paper *want, const problem *p, double tolerance) {
  const int average = want->rule.average && want->t > 0;
  const double *a = average ? want->a_sum : want->a, share = average ? 1 / want->t : 1;
  const double *got = s->model.coef + (size_t)m * s->model.size;
  CHECK_NEAR(s->model.intercept[m], share * (average ? want->b_sum : want->b), tolerance);
  CHECK(s->model.scalars[m * SCALARS] == want->t);
  if (!s->run.driver->primal) {
    for (int j = 0; j < s->model.size; j++) CHECK_NEAR(got[j], share * a[j], tolerance);
    return;
  }
  for (int f = 0; f < p->data.d; f++) {
    double w = 0;
    for (int j = 0; j < want->n; j++) w += share * a[j] * data_value(&p->data, p->rows[j], f);
    CHECK_NEAR(got[f], w, 10 * tolerance);
  }
}

void check_run(const problem *p, const rule *rule, int epochs, int doubles) {
  const double tolerance = doubles ? 1e-10 * rule->C : 2e-4 * rule->C;
  session *s = session_of(p, rule, epochs, doubles);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(s->run.driver->epochs_done == epochs);
  paper machines[MOST_MACHINES];
  for (int m = 0; m < p->machines; m++) machines[m] = paper_open(rule, p->n, p->K);
  for (int e = 0; e < epochs; e++) {
    double loss = 0, violations = 0, steps = 0;
    for (int m = 0; m < p->machines; m++) {
      paper_epoch(&machines[m], p, m);
      loss += machines[m].loss;
      violations += machines[m].violations;
      steps += machines[m].steps;
    }
    /* NORMA's lazy outputs leave out coefficients that will have shrunk by 1e-10. */
    CHECK_NEAR(s->run.driver->trace[e].loss, steps > 0 ? loss / steps : 0, fmax(tolerance, 1e-8 * rule->C));
    CHECK(s->run.driver->trace[e].violations == violations);
  }
  for (int m = 0; m < p->machines; m++) {
    check_model(s, m, &machines[m], p, tolerance);
    paper_close(&machines[m]);
  }
  session_free(s);
}
