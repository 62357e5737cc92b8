/* The kernel SGD solvers against Lists 1 to 3 of Kecman & Melki (2016), in every output mode. */
#include "lists.h"

static const osvm_kernel cubic = {&osvm_kernel_polynomial, {0.3, 1, 3}, 0};

static void check_rules(const osvm_kernel *kernel, osvm_data_kind kind, int d, int classes, int listed, int doubles) {
  problem p = problem_of(61, d, classes, kind, kernel);
  for (int l = 0; l < LISTS; l++)
    for (int bias = 0; bias < 2; bias++)
      for (int average = 0; average < 2; average++)
        for (int epochs = 1; epochs <= 3; epochs += 2) {
          test_about(
              "list %d, kernel %s, kind %d, d %d, classes %d, listed %d, doubles %d, bias %d, average %d, epochs %d", l,
              kernel->info->name, kind, d, classes, listed, doubles, bias, average, epochs);
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

/* Epochs long enough for NORMA's coefficients to become negligible before the next visit to an example. */
static void long_epochs(void) {
  for (int classes = 2; classes < 4; classes++) {
    problem p = problem_of(500, 2, classes, OSVM_DOUBLES, &rbf);
    for (int l = 0; l < LISTS; l++) {
      test_about("classes %d, list %d", classes, l);
      check_run(&p, &(rule){l, 1, 0, 0, 0}, 3, 1);
    }
    problem_free(&p);
  }
}

/* The machine of two rare classes takes few steps per epoch: its coefficients become negligible later. */
static void rare_classes(void) {
  problem p = problem_of(500, 2, 3, OSVM_DOUBLES, &rbf);
  for (int v = 0; v < p.n; v++) p.class_of[v] = v % 20 == 3 ? 0 : v % 20 == 13 ? 1 : 2;
  p.machines = 2;
  for (int l = 0; l < LISTS; l++) {
    test_about("list %d", l);
    check_run(&p, &(rule){l, 1, 0, 0, 0}, 3, 1);
  }
  problem_free(&p);
}

/* The common scale falls below the bounds at which it is multiplied out. */
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

/* Each run starts from the model exported by the one before. */
static void check_chunks(problem *p, const rule *rule) {
  const int cuts[] = {0, 1, 20, 21, p->n};
  session *before = NULL;
  for (int c = 0; c + 1 < COUNT(cuts); c++) {
    matrix seen = matrix_rows(&p->m, p->rows, cuts[c]);
    osvm_data carried = matrix_view(&seen, p->data.kind);
    session *s = session_continued(p, rule, cuts[c], cuts[c + 1], before, &carried);
    CHECK(session_learn(s) == OSVM_OK);
    if (before != NULL) session_free(before);
    before = s;
    matrix_free(&seen);
  }
  for (int m = 0; m < p->machines; m++) {
    paper want = paper_open(rule, p->n, p->K);
    paper_epoch(&want, p, m);
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
            test_about("list %d, kernel %s, sparse %d, classes %d, listed %d, average %d", l, kernels[k]->info->name,
                       kind, classes, way % 2, way / 2);
            check_chunks(&p, &(rule){l, 0.7, 1, way / 2, way % 2});
          }
        problem_free(&p);
      }
}

void test_solvers(void) {
  RUN(cached_outputs_follow_the_lists);
  RUN(listed_outputs_follow_the_lists);
  RUN(primal_weights_follow_the_lists);
  RUN(many_classes_follow_the_lists);
  RUN(single_precision_is_near);
  RUN(long_epochs);
  RUN(rare_classes);
  RUN(thousands_of_steps_keep_their_accuracy);
  RUN(a_margin_of_one);
  RUN(chunks_make_one_pass);
  RUN(a_few_examples);
}
