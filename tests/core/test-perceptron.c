/* The averaged perceptron and Passive-Aggressive against their update rules on the full kernel matrix. */
#include "lists.h"

typedef enum { PERCEPTRON, PA_I, PA, PA_II, RULES } kind_of_rule;

typedef struct {
  kind_of_rule kind;
  double C;
  int bias, average;
} mistakes;

/* The reference, and the number of visits at which rounding decides about a violation: their margins are nearer to the
 * bound than `slack`, as PA's are after a step */
typedef struct {
  paper paper;
  double slack, undecided;
} reference;

static const osvm_kernel cubic = {&osvm_kernel_polynomial, {0.3, 1, 3}, 0},
                         sigmoid = {&osvm_kernel_sigmoid, {0.3, -0.4}, 0};

/* ---- the rules ---- */

static double step_of(const mistakes *r, double margin, double self, double w) {
  if (r->kind == PERCEPTRON) return margin <= 0 ? w : 0;
  const double loss = fmax(0, 1 - margin), K = r->kind == PA_II ? self + 1 / (2 * w * r->C) : self;
  if (w == 0 || K <= 0) return 0;
  return r->kind == PA_I ? fmin(w * r->C, loss / K) : loss / K;
}

static void visit(reference *r, const mistakes *rule, int i, double y, double w) {
  paper *p = &r->paper;
  double f = p->b;
  for (int j = 0; j < p->n; j++) f += p->a[j] * p->K[j + (size_t)i * p->n];
  const double step = step_of(rule, y * f, p->K[i + (size_t)i * p->n] + rule->bias, w);
  p->a[i] += step * y;
  p->b += rule->bias * step * y;
  for (int j = 0; j < p->n; j++) p->a_sum[j] += p->a[j];
  p->b_sum += p->b;
  p->t++;
  p->loss += fmax(0, 1 - y * f);
  p->violations += rule->kind == PERCEPTRON ? y * f <= 0 : y * f < 1;
  p->steps++;
  r->undecided += f != 0 && fabs(y * f - (rule->kind != PERCEPTRON)) < r->slack;
}

static void epoch(reference *r, const mistakes *rule, const problem *on, int machine) {
  r->paper.loss = r->paper.violations = r->paper.steps = r->undecided = 0;
  for (int v = 0; v < on->n; v++) {
    const double y = problem_label(on, machine, v);
    if (y != 0) visit(r, rule, v, y, on->weight[v]);
  }
}

static reference rule_open(const mistakes *r, const problem *p, double slack) {
  return (reference){.paper = paper_open(&(rule){.average = r->average}, p->n, p->K), .slack = slack};
}

/* ---- runs ---- */

static session *session_for(const problem *p, const mistakes *r, int epochs, int doubles) {
  const osvm_argument given[] = {
      {"C", r->C}, {"variant", (int)r->kind - PA_I}, {"bias", r->bias}, {"average", r->average}, {"epochs", epochs}};
  return session_with(p, r->kind == PERCEPTRON ? "perceptron" : "pa", given, COUNT(given), doubles);
}

/* PA's coefficients grow large under a kernel that is not positive definite. */
static double size_of(const paper *p) {
  double most = 1;
  for (int j = 0; j < p->n; j++) most = fmax(most, fabs(p->a[j]));
  return most;
}

static void check_epochs(const problem *p, const mistakes *r, int epochs, int doubles) {
  const double tolerance = doubles ? 1e-10 : 2e-4;
  session *s = session_for(p, r, epochs, doubles);
  CHECK(session_learn(s) == OSVM_OK);
  double loss = 0, violations = 0, steps = 0, undecided = 0;
  for (int m = 0; m < p->machines; m++) {
    reference want = rule_open(r, p, 10 * tolerance);
    for (int e = 0; e < epochs; e++) epoch(&want, r, p, m);
    check_model(s, m, &want.paper, p, tolerance * size_of(&want.paper));
    loss += want.paper.loss;
    violations += want.paper.violations;
    steps += want.paper.steps;
    undecided += want.undecided;
    paper_close(&want.paper);
  }
  CHECK_NEAR(s->run.driver->trace[epochs - 1].loss, steps > 0 ? loss / steps : 0, tolerance * fmax(1, loss));
  CHECK_NEAR(s->run.driver->trace[epochs - 1].violations, violations, undecided);
  session_free(s);
}

static void check_kernel(const osvm_kernel *kernel, osvm_data_kind kind, int d, int classes, int doubles) {
  problem p = problem_of(61, d, classes, kind, kernel);
  for (int v = 2; v < p.n; v += 7) p.weight[v] = 0;
  for (int k = 0; k < RULES; k++)
    for (int bias = 0; bias < 2; bias++)
      for (int average = 0; average < (k == PERCEPTRON ? 2 : 1); average++)
        for (int epochs = 1; epochs <= 3; epochs += 2) {
          test_about("rule %d, kernel %s, kind %d, d %d, classes %d, doubles %d, bias %d, average %d, epochs %d", k,
                     kernel->info->name, kind, d, classes, doubles, bias, average, epochs);
          check_epochs(&p, &(mistakes){k, 0.4, bias, average}, epochs, doubles);
        }
  problem_free(&p);
}

static void kernels_follow_the_rules(void) {
  check_kernel(&rbf, OSVM_DOUBLES, 2, 2, 1);
  check_kernel(&rbf, OSVM_DOUBLES, 12, 2, 1); /* cached rows */
  check_kernel(&cubic, OSVM_SPARSE, 5, 2, 1);
  check_kernel(&sigmoid, OSVM_DOUBLES, 3, 2, 1); /* k(x, x) of either sign */
  check_kernel(&rbf, OSVM_DOUBLES, 2, 3, 1);
  check_kernel(&rbf, OSVM_SPARSE, 9, 3, 1);
}

static void primal_weights_follow_the_rules(void) {
  check_kernel(&linear, OSVM_DOUBLES, 4, 2, 1);
  check_kernel(&linear, OSVM_SPARSE, 6, 2, 1);
  check_kernel(&linear, OSVM_DOUBLES, 4, 3, 1);
}

static void single_precision_is_near(void) {
  check_kernel(&rbf, OSVM_DOUBLES, 2, 2, 0);
  check_kernel(&rbf, OSVM_SPARSE, 6, 2, 0);
  check_kernel(&linear, OSVM_DOUBLES, 4, 2, 0);
}

static void a_few_examples(void) {
  for (int n = 1; n < 7; n++)
    for (int classes = 2; classes < 4; classes++)
      for (int k = 0; k < RULES; k++) {
        test_about("n %d, classes %d, rule %d", n, classes, k);
        problem p = problem_of(n, 2, classes, OSVM_DOUBLES, &rbf);
        for (int v = 0; v < n; v++) p.class_of[v] = (v + n) % classes;
        check_epochs(&p, &(mistakes){k, 0.3, 1, k == PERCEPTRON}, 9, 1);
        problem_free(&p);
      }
}

static void thousands_of_steps(void) {
  const osvm_kernel *kernels[] = {&rbf, &linear};
  for (int which = 0; which < COUNT(kernels); which++) {
    problem p = problem_of(100, 2, 2, OSVM_DOUBLES, kernels[which]);
    for (int k = 0; k < RULES; k++) {
      test_about("kernel %d, rule %d", which, k);
      check_epochs(&p, &(mistakes){k, 0.1, 1, k == PERCEPTRON}, 100, 1);
    }
    problem_free(&p);
  }
}

/* Each run starts from the model exported by the one before. */
static void check_chunks(const problem *p, const mistakes *r) {
  const int cuts[] = {0, 1, 20, 21, p->n};
  session *before = NULL;
  for (int c = 0; c + 1 < COUNT(cuts); c++) {
    matrix seen = matrix_rows(&p->m, p->rows, cuts[c]);
    osvm_data carried = matrix_view(&seen, p->data.kind);
    session *s = session_for(p, r, 1, 1);
    session_restrict(s, cuts[c], cuts[c + 1]);
    if (before != NULL) session_carry(s, &before->model, &carried);
    CHECK(session_learn(s) == OSVM_OK);
    if (before != NULL) session_free(before);
    before = s;
    matrix_free(&seen);
  }
  for (int m = 0; m < p->machines; m++) {
    reference want = rule_open(r, p, 0);
    epoch(&want, r, p, m);
    check_model(before, m, &want.paper, p, 1e-10);
    paper_close(&want.paper);
  }
  session_free(before);
}

static void chunks_make_one_pass(void) {
  const osvm_kernel *kernels[] = {&rbf, &linear};
  for (int which = 0; which < COUNT(kernels); which++)
    for (int classes = 2; classes < 4; classes++) {
      problem p = problem_of(61, 4, classes, classes == 2 ? OSVM_SPARSE : OSVM_DOUBLES, kernels[which]);
      for (int k = 0; k < RULES; k++) {
        test_about("kernel %d, classes %d, rule %d", which, classes, k);
        check_chunks(&p, &(mistakes){k, 0.4, 1, k == PERCEPTRON});
      }
      problem_free(&p);
    }
}

/* One feature, three examples, two epochs: computed by hand */
typedef struct {
  mistakes rule;
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
  session *s = session_for(&p, &v.rule, 2, 1);
  CHECK(session_learn(s) == OSVM_OK);
  for (int e = 0; e < 2; e++) CHECK(s->run.driver->trace[e].violations == v.violations[e]);
  CHECK(s->run.machine[0].updates == v.updates);
  CHECK(s->model.coef[0] == v.w);
  session_free(s);
}

/* A margin of exactly 0 is a mistake to the perceptron; one of exactly 1 is no loss to Passive-Aggressive. */
static void margins_on_the_bound(void) {
  check_visits((visits){{PERCEPTRON, 1, 0, 0}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}, {3, 2}, 5, 1});
  for (int k = PERCEPTRON; k <= PA; k++)
    check_visits((visits){{k, 1, 0, 0}, {1, -1, 2}, {1, 1, 1}, {1, 0, 1}, {1, 0}, 1, 1});
}

/* A violation without a step: weight 0, or a zero vector. */
static void violations_without_a_step(void) {
  for (int k = PERCEPTRON; k <= PA; k++)
    check_visits((visits){{k, 1, 0, 0}, {1, -1, 2}, {0, 1, 1}, {1, 0, 1}, {2, 0}, 1, 1});
  for (int k = PA_I; k <= PA; k++) check_visits((visits){{k, 1, 0, 0}, {0, -1, 2}, {1, 1, 1}, {1, 0, 1}, {2, 1}, 1, 1});
}

void test_perceptron(void) {
  RUN(kernels_follow_the_rules);
  RUN(primal_weights_follow_the_rules);
  RUN(single_precision_is_near);
  RUN(a_few_examples);
  RUN(thousands_of_steps);
  RUN(chunks_make_one_pass);
  RUN(margins_on_the_bound);
  RUN(violations_without_a_step);
}
