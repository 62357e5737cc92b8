/* The ramp-loss solvers against Wang & Vucetic (2009), Algorithms 1 and 2, written out with all kernel values at hand;
 * and KKT conditions that hold of any of their models. */
#include "../../src/ramp.h"

#include "ramp-reference.h"

enum { N = 61, MANY = REFERENCE_SIZE }; /* MANY: enough for steps within a working set */

static double state_of(const osvm_model *model, int m, int column, int i) {
  return osvm_model_column(model, m, column)[i];
}

static void check_reference(const outcome *o, int m, const reference *want, double tolerance) {
  for (int i = 0; i < want->p->n; i++) {
    CHECK_NEAR(o->model.coef[(size_t)m * o->model.size + i], want->y[i] * want->alpha[i], tolerance);
    CHECK((state_of(&o->model, m, OSVM_SV_COST, i) != 0) == want->in_i[i]);
    if (want->in_i[i]) CHECK_NEAR(state_of(&o->model, m, OSVM_SV_GRADIENT, i), want->y[i] * want->g[i], tolerance);
  }
}

/* ---- runs ---- */

static way way_of(const char *solver, const setting *by, osvm_argument *params) {
  const int cccp = strcmp(solver, "cccp") == 0;
  params[0] = (osvm_argument){"C", by->C};
  params[1] = (osvm_argument){"tolerance", by->tolerance};
  params[2] = (osvm_argument){"min_gain", by->min_gain};
  params[3] = cccp ? (osvm_argument){"start", by->start} : (osvm_argument){"keep", by->keep};
  return (way){.solver = solver, .params = params, .n_params = 4, .epochs = 1, .doubles = 1, .cache = 1 << 20};
}

static void check_stream(const osvm_kernel *kernel, osvm_data_kind kind, int classes, size_t cache) {
  static const double keeps[] = {INFINITY, 7, 0}, Cs[] = {0.3, 8};
  /* 14 features: two empty rows, whose equal gains may be taken in either order, do not occur in practice */
  problem p = problem_of(N, kind == OSVM_SPARSE ? 14 : 4, classes, kind, kernel);
  leave_some_out(&p);
  for (int k = 0; k < COUNT(keeps); k++)
    for (int c = 0; c < COUNT(Cs); c++) {
      const setting by = {.C = Cs[c], .tolerance = 1e-3, .min_gain = 1e-5, .keep = keeps[k]};
      osvm_argument params[4];
      way w = way_of("ramp", &by, params);
      w.cache = cache;
      outcome whole = learn_all(&p, &w), parts = learn_pieces(&p, &w, (int[]){0, 20, 21, N}, 3);
      for (int m = 0; m < p.machines; m++) {
        test_about("kernel %s, kind %d, classes %d, keep %g, C %g, machine %d", kernel->info->name, kind, classes,
                   by.keep, by.C, m);
        reference *want = reference_open(&p, &by, m);
        for (int i = 0; i < N; i++) reference_learn(want, i);
        check_reference(&whole, m, want, 1e-9 * (1 + by.C));
        check_reference(&parts, m, want, 1e-9 * (1 + by.C));
        free(want);
      }
      outcome_free(&whole);
      outcome_free(&parts);
    }
  problem_free(&p);
}

static void streams_follow_algorithm_1(void) {
  const osvm_kernel square = {&osvm_kernel_polynomial, {0.3, 1, 2}, 0};
  check_stream(&rbf, OSVM_DOUBLES, 2, 1 << 20);
  check_stream(&rbf, OSVM_DOUBLES, 2, 0);
  check_stream(&rbf, OSVM_SPARSE, 3, 1 << 20);
  check_stream(&square, OSVM_DOUBLES, 3, 0);
  check_stream(&linear, OSVM_SPARSE, 2, 1 << 20);
}

static const int forgotten[] = {3, 30, 31, 0, 12};

/* Before the last piece; some are in V, some are not, and each is forgotten twice. */
static osvm_status forget_some(osvm_run *run, const int *visits, void *user) {
  (void)user;
  for (int k = 0; k < COUNT(forgotten) && run->first > 40; k++)
    for (int i = 0; i < run->first; i++)
      for (int m = 0; m < run->machines && visits[i] == forgotten[k]; m++) {
        CHECK(run->solver->forget(run, &run->machine[m], i) == OSVM_OK);
        CHECK(run->solver->forget(run, &run->machine[m], i) == OSVM_OK);
      }
  return osvm_run_learn(run);
}

static void forgetting_follows_the_reference(void) {
  for (int classes = 2; classes < 4; classes++) {
    problem p = problem_of(N, 2, classes, OSVM_DOUBLES, &rbf);
    const setting by = {.C = 4, .tolerance = 1e-3, .min_gain = 1e-5, .keep = INFINITY};
    osvm_argument params[4];
    way w = way_of("ramp", &by, params);
    w.learn = forget_some;
    outcome o = learn_pieces(&p, &w, (int[]){0, 20, 50, N}, 3);
    for (int m = 0; m < p.machines; m++) {
      test_about("classes %d, machine %d", classes, m);
      reference *want = reference_open(&p, &by, m);
      for (int i = 0; i < 50; i++) reference_learn(want, i);
      for (int k = 0; k < COUNT(forgotten); k++) reference_forget(want, forgotten[k]);
      for (int i = 50; i < N; i++) reference_learn(want, i);
      check_reference(&o, m, want, 1e-8);
      free(want);
    }
    CHECK(o.model.n_kept == N - COUNT(forgotten));
    for (int k = 1; k < o.model.n_kept; k++) CHECK(o.model.kept[k] > o.model.kept[k - 1]);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* Hinge loss on the first examples, then CCCP on all; the model keeps the support vectors. */
static void batch_cccp_follows_the_reference(void) {
  static const double starts[] = {0.1, 0.5, 1};
  for (int k = 0; k < COUNT(starts); k++) {
    problem p = problem_of(N, 2, 2, OSVM_DOUBLES, &rbf);
    const setting by = {.C = 4, .tolerance = 1e-3, .min_gain = 1e-5, .start = starts[k]};
    osvm_argument params[4];
    const way w = way_of("cccp", &by, params);
    outcome o = learn_all(&p, &w);
    reference *want = reference_open(&p, &by, 0);
    const double minimum = reference_batch(want);
    test_about("start %g", starts[k]);
    for (int i = 0; i < N; i++) want->in_i[i] = want->alpha[i] != 0;
    check_reference(&o, 0, want, 1e-8);
    CHECK(o.end[0].finished);
    CHECK_NEAR(o.end[0].objective, minimum, 1e-8 * minimum);
    free(want);
    outcome_free(&o);
    problem_free(&p);
  }
}

/* alpha within its bounds, and the gradients that follow from alpha */
static void check_consistent(const problem *p, const outcome *o, double C, double tolerance) {
  for (int i = 0; i < p->n; i++) {
    const double cost = state_of(&o->model, 0, OSVM_SV_COST, i), y = problem_label(p, 0, i);
    const double alpha = o->model.coef[i];
    if (cost == 0) continue;
    CHECK_NEAR(cost, C * p->weight[i], 1e-12);
    CHECK(y * alpha >= 0 && y * alpha <= cost);
    double gradient = y;
    for (int j = 0; j < p->n; j++) gradient -= o->model.coef[j] * p->K[i + (size_t)j * p->n];
    CHECK_NEAR(state_of(&o->model, 0, OSVM_SV_GRADIENT, i), gradient, tolerance);
  }
}

/* (3) in V, and alpha = 0 outside */
static void check_kkt(const problem *p, const outcome *o, double tolerance) {
  for (int i = 0; i < p->n; i++) {
    const double upper = state_of(&o->model, 0, OSVM_SV_COST, i), y = problem_label(p, 0, i);
    const double alpha = y * o->model.coef[i], g = y * state_of(&o->model, 0, OSVM_SV_GRADIENT, i);
    if (g > 2) CHECK(alpha == 0);
    else CHECK((g >= -tolerance || alpha == 0) && (g <= tolerance || alpha == upper));
  }
}

static void steps_in_a_working_set_reach_kkt(void) {
  static const double Cs[] = {2, 50};
  for (int k = 0; k < COUNT(Cs); k++)
    for (int doubles = 0; doubles < 2; doubles++) {
      problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
      const setting by = {.C = Cs[k], .tolerance = 1e-3, .min_gain = 0, .keep = INFINITY};
      osvm_argument params[4];
      way w = way_of("ramp", &by, params);
      w.doubles = doubles;
      test_about("C %g, doubles %d", by.C, doubles);
      outcome o = learn_all(&p, &w);
      check_consistent(&p, &o, by.C, doubles ? 1e-8 : 1e-3);
      check_kkt(&p, &o, by.tolerance);
      outcome_free(&o);
      problem_free(&p);
    }
}

static void an_interrupt_leaves_a_consistent_model(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  static const char *const solvers[] = {"ramp", "cccp"};
  for (int s = 0; s < COUNT(solvers); s++) {
    const setting by = {.C = 30, .tolerance = 1e-4, .min_gain = 1e-7, .keep = INFINITY, .start = 0.2};
    osvm_argument params[4];
    way w = way_of(solvers[s], &by, params);
    osvm_status status = OSVM_INTERRUPTED;
    int polls = 0;
    for (; status == OSVM_INTERRUPTED && polls < 8; polls++) {
      test_about("%s, polls %d", solvers[s], polls);
      int left = polls;
      w.progress = (osvm_progress){stop_later, &left};
      outcome o = learn_all(&p, &w);
      status = o.status;
      check_consistent(&p, &o, by.C, 1e-6);
      outcome_free(&o);
    }
    CHECK(polls > 1);
  }
  problem_free(&p);
}

typedef struct {
  int polls, pieces; /* left until the interrupt; begun so far */
} first_piece;

static int stop_first_piece(void *user, double done) {
  first_piece *f = user;
  (void)done;
  return f->pieces == 1 && --f->polls < 0;
}

static osvm_status count_pieces(osvm_run *run, const int *visits, void *user) {
  (void)visits;
  ((first_piece *)user)->pieces++;
  return osvm_run_learn(run);
}

/* An example that an interrupt leaves with alpha other than 0 outside V loses it in the next run, once that takes a
 * step: new examples with g outside [0, 2] start no CCCP. */
static void the_next_run_restores_v(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  const setting by = {.C = 30, .tolerance = 1e-3, .min_gain = 1e-7, .keep = INFINITY};
  osvm_argument params[4];
  for (int polls = 0; polls < 9; polls += 3) {
    first_piece interrupt = {polls, 0};
    way w = way_of("ramp", &by, params);
    w.progress = (osvm_progress){stop_first_piece, &interrupt};
    w.learn = count_pieces;
    w.user = &interrupt;
    test_about("polls %d", polls);
    outcome o = learn_pieces(&p, &w, (int[]){0, MANY - 50, MANY}, 2);
    CHECK(o.status == OSVM_OK);
    for (int i = 0; i < p.n; i++) {
      const double g = problem_label(&p, 0, i) * state_of(&o.model, 0, OSVM_SV_GRADIENT, i);
      CHECK(g <= 2 + 1e-9 || o.model.coef[i] == 0 || o.updates == 0);
    }
    outcome_free(&o);
  }
  problem_free(&p);
}

/* With an indefinite kernel V may cycle. */
static void cccp_ends_with_an_indefinite_kernel(void) {
  const osvm_kernel sigmoid = {&osvm_kernel_sigmoid, {0.5, -0.5}, 0};
  problem p = problem_of(200, 2, 2, OSVM_DOUBLES, &sigmoid);
  const setting by = {.C = 10, .tolerance = 1e-3, .min_gain = 1e-5, .keep = INFINITY};
  osvm_argument params[4];
  const way w = way_of("ramp", &by, params);
  outcome o = learn_all(&p, &w);
  CHECK(o.updates < 1e6);
  CHECK(o.end[0].finished);
  check_consistent(&p, &o, by.C, 1e-8);
  outcome_free(&o);
  problem_free(&p);
}

void test_ramp(void) {
  RUN(streams_follow_algorithm_1);
  RUN(forgetting_follows_the_reference);
  RUN(batch_cccp_follows_the_reference);
  RUN(steps_in_a_working_set_reach_kkt);
  RUN(an_interrupt_leaves_a_consistent_model);
  RUN(the_next_run_restores_v);
  RUN(cccp_ends_with_an_indefinite_kernel);
}
