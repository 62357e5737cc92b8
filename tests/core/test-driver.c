/* The driver around the update rules: kernel values are computed once, interrupts, divergence, invalid tasks. */
#include "lists.h"

/* ---- kernel values ---- */

/* Of each example with a coefficient in any machine, values with all examples visited later; its own visit and the one at
 * which its change is flushed may need one more each. */
static double values_needed(const session *s, const problem *p) {
  double values = 0;
  for (int v = 0; v < p->n; v++) {
    int used = 0;
    for (int m = 0; m < s->task.machines; m++) used |= s->model.coef[v + (size_t)m * s->model.size] != 0;
    if (used) values += p->n - v - 1 + 2;
  }
  return values;
}

static void only_violations_cost_kernel_values(void) {
  for (int classes = 2; classes < 4; classes++) {
    problem p = problem_of(61, 2, classes, OSVM_DOUBLES, &rbf);
    session *s = session_of(&p, &(rule){OLSVM, 1, 1, 0, 0}, 1, 1);
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(s->run.machine[0].updates < p.n);
    CHECK(s->run.machine[0].updates == s->run.driver->trace[0].violations || classes > 2);
    CHECK(osvm_run_evaluations(&s->run) <= values_needed(s, &p)); /* machines share them */
    session_free(s);
    s = session_of(&p, &(rule){OLSVM, 1, 1, 0, 1}, 1, 1); /* listed: every row once */
    CHECK(session_learn(s) == OSVM_OK);
    CHECK(osvm_run_evaluations(&s->run) == (double)p.n * p.n);
    session_free(s);
    problem_free(&p);
  }
}

static void later_epochs_find_their_rows_cached(void) {
  problem p = problem_of(61, 12, 2, OSVM_DOUBLES, &rbf);
  session *s = session_of(&p, &(rule){PEGAZ, 100, 0, 0, 1}, 5, 1);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(osvm_run_evaluations(&s->run) == (double)p.n * p.n);
  session_free(s);
  s = session_of(&p, &(rule){PEGAZ, 100, 0, 0, 1}, 5, 1);
  s->task.cache_bytes = 0;
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(osvm_run_evaluations(&s->run) == 5.0 * p.n * p.n);
  session_free(s);
  problem_free(&p);
}

/* An update: one row for each carried example, shared by all machines ... */
static void carried_examples_cost_one_row_each(void) {
  for (int d = 2; d <= 12; d += 10) {
    test_about("d %d", d);
    problem p = problem_of(61, d, 3, OSVM_DOUBLES, &rbf);
    const rule plain = {OLSVM, 1, 0, 0, 0};
    session *first = session_continued(&p, &plain, 0, 30, NULL, NULL);
    CHECK(session_learn(first) == OSVM_OK);
    matrix seen = matrix_rows(&p.m, p.rows, 30);
    osvm_data carried = matrix_view(&seen, OSVM_DOUBLES);
    session *s = session_continued(&p, &plain, 30, 61, first, &carried);
    s->task.cache_bytes = 0;
    CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_OK); /* which restores the outputs of the new examples */
    CHECK(osvm_run_evaluations(&s->run) > 0 && osvm_run_evaluations(&s->run) <= 30 * 31);
    session_free(s);
    session_free(first);
    matrix_free(&seen);
    problem_free(&p);
  }
}

/* ... which is not cached: only new examples are visited again. With so small a C every visit is a violation. */
static void rows_of_carried_examples_are_not_cached(void) {
  problem p = problem_of(61, 12, 2, OSVM_DOUBLES, &rbf);
  const rule plain = {OLSVM, 1e-6, 0, 0, 0};
  const osvm_simd *simd = osvm_simd_double(TEST_LEVEL);
  session *first = session_continued(&p, &plain, 0, 30, NULL, NULL);
  CHECK(session_learn(first) == OSVM_OK);
  matrix seen = matrix_rows(&p.m, p.rows, 30);
  osvm_data carried = matrix_view(&seen, OSVM_DOUBLES);
  session *s = session_continued(&p, &plain, 30, 61, first, &carried);
  s->task.cache_bytes = 31 * (61 + simd->width) * simd->size;
  arguments_set(&s->arguments, "epochs", 4);
  CHECK(session_learn(s) == OSVM_OK);
  CHECK(osvm_run_evaluations(&s->run) <=
        30 * 31 + 31 * 31 + 4 * 31 * OSVM_QUERIES); /* rows, and values with pending changes */
  session_free(s);
  session_free(first);
  matrix_free(&seen);
  problem_free(&p);
}

/* ---- interrupts, divergence, invalid tasks ---- */

typedef struct {
  int left;
  double last;
} poll_count;

static int stop_at(void *user, double done) {
  poll_count *p = user;
  CHECK(done >= p->last && done < 1);
  p->last = done;
  return p->left-- == 0;
}

/* In the first epoch: the model of a run over as many visits. In the last: that of the whole run. */
static void check_interrupted(const session *s, const problem *p, const rule *rule, int visits) {
  session *want = session_of(p, rule, visits <= p->n ? 1 : 2, 1);
  if (visits < p->n) session_restrict(want, 0, visits);
  CHECK(session_learn(want) == OSVM_OK);
  CHECK(s->model.scalars[0] == visits);
  if (visits <= p->n || visits == 2 * p->n) {
    CHECK_NEAR(s->model.intercept[0], want->model.intercept[0], 1e-8);
    for (int j = 0; j < want->model.size; j++) CHECK_NEAR(s->model.coef[j], want->model.coef[j], 1e-8);
  }
  session_free(want);
}

/* Polls come after a certain amount of work; the run has counted the visits until then. */
static void an_interrupt_keeps_what_was_learned(void) {
  problem p = problem_of(600, 2, 2, OSVM_DOUBLES, &rbf);
  for (int l = 0; l < LISTS; l++) {
    const rule rule = {l, 1, 1, 0, 0};
    osvm_status status = OSVM_INTERRUPTED;
    int visits = 0, polls = 0;
    for (; status == OSVM_INTERRUPTED; polls++) {
      test_about("list %d, polls %d", l, polls);
      poll_count count = {polls, 0};
      session *s = session_of(&p, &rule, 2, 1);
      s->task.progress = host_progress(stop_at, &count);
      status = session_learn(s);
      CHECK(status == OSVM_INTERRUPTED || status == OSVM_OK);
      CHECK(s->run.machine[0].visits > visits);
      visits = (int)s->run.machine[0].visits;
      check_interrupted(s, &p, &rule, visits);
      CHECK(s->run.driver->epochs_done == (visits + 599) / 600);
      CHECK(s->run.driver->visited == (visits < 600 ? visits : 600));
      session_free(s);
    }
    CHECK(visits == 1200 && polls > 4);
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

static void models_that_do_not_fit_are_refused(void) {
  problem p = problem_of(20, 2, 2, OSVM_DOUBLES, &rbf);
  session *first = session_of(&p, &(rule){NORMA, 1, 0, 0, 0}, 1, 1),
          *s = session_of(&p, &(rule){NORMA, 1, 0, 0, 0}, 1, 1);
  CHECK(session_learn(first) == OSVM_OK);
  session_carry(s, &first->model, NULL); /* without its examples */
  CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_INVALID);
  CHECK(s->error.text != NULL);
  osvm_run_close(&s->run);
  session_carry(s, &first->model, &p.data);
  first->model.machines = 2;
  CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_INVALID);
  session_free(s);
  session_free(first);
  problem_free(&p);
}

static void zero_epochs_are_refused(void) {
  problem p = problem_of(5, 2, 2, OSVM_DOUBLES, &rbf);
  session *s = session_of(&p, &(rule){NORMA, 1, 0, 0, 0}, 0, 1);
  CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_INVALID && s->error.text != NULL);
  osvm_run_close(&s->run);
  free(s);
  problem_free(&p);
}

void test_driver(void) {
  RUN(only_violations_cost_kernel_values);
  RUN(later_epochs_find_their_rows_cached);
  RUN(carried_examples_cost_one_row_each);
  RUN(rows_of_carried_examples_are_not_cached);
  RUN(an_interrupt_keeps_what_was_learned);
  RUN(divergence_is_reported);
  RUN(finite_outputs_are_no_divergence);
  RUN(models_that_do_not_fit_are_refused);
  RUN(zero_epochs_are_refused);
}
