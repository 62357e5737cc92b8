#include "lists.h"

/* ---- a random problem ---- */

enum { MOST_MACHINES = 6 };
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

/* ---- a run ---- */

session *session_with(const problem *p, const char *solver, const argument *given, int n_given, int doubles) {
  session *s = calloc(1, sizeof *s);
  s->arguments = arguments_for(osvm_solver_named(solver), given, n_given);
  s->task = (osvm_task){.solver = osvm_solver_named(solver),
                        .params = s->arguments.values,
                        .kernel = p->kernel,
                        .data = &p->data,
                        .rows = p->rows,
                        .count = p->n,
                        .loss = hinge,
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
  const argument given[] = {{"average", rule->average}, {"C", rule->C},
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

void session_set_loss(session *s, const osvm_loss *loss, const double *value, int from) {
  s->task.loss = *loss;
  if (loss->info->target == OSVM_CLASSES) return;
  s->task.machines = 1;
  s->task.target = (osvm_target){.kind = loss->info->target};
  if (loss->info->target == OSVM_NUMBERS) s->task.target.value = value + from;
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
