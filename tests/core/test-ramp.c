/* The ramp-loss solvers: conditions that hold of any of their models. test-reference.c has their steps. */
#include "../../src/ramp.h"

#include "sv-solvers.h"

enum { MANY = 600 }; /* enough for steps within a working set */

typedef struct {
  double C, tolerance, min_gain, keep, start;
} setting;

static double state_of(const osvm_model *model, int m, int column, int i) {
  return osvm_model_column(model, m, column)[i];
}

/* ---- runs ---- */

static way way_of(const char *solver, const setting *by, argument *params) {
  const int cccp = strcmp(solver, "cccp") == 0;
  params[0] = (argument){"C", by->C};
  params[1] = (argument){"tolerance", by->tolerance};
  params[2] = (argument){"min_gain", by->min_gain};
  params[3] = cccp ? (argument){"start", by->start} : (argument){"keep", by->keep};
  return (way){.solver = solver, .params = params, .n_params = 4, .epochs = 1, .doubles = 1, .cache = 1 << 20};
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
      argument params[4];
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
    argument params[4];
    way w = way_of(solvers[s], &by, params);
    osvm_status status = OSVM_INTERRUPTED;
    int polls = 0;
    for (; status == OSVM_INTERRUPTED && polls < 8; polls++) {
      test_about("%s, polls %d", solvers[s], polls);
      int left = polls;
      w.progress = host_progress(stop_later, &left);
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
  argument params[4];
  for (int polls = 0; polls < 9; polls += 3) {
    first_piece interrupt = {polls, 0};
    way w = way_of("ramp", &by, params);
    w.progress = host_progress(stop_first_piece, &interrupt);
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
  const osvm_kernel sigmoid = {.info = &osvm_kernel_sigmoid, .params = {0.5, -0.5}};
  problem p = problem_of(200, 2, 2, OSVM_DOUBLES, &sigmoid);
  const setting by = {.C = 10, .tolerance = 1e-3, .min_gain = 1e-5, .keep = INFINITY};
  argument params[4];
  const way w = way_of("ramp", &by, params);
  outcome o = learn_all(&p, &w);
  CHECK(o.updates < 1e6);
  CHECK(o.end[0].finished == 1);
  check_consistent(&p, &o, by.C, 1e-8);
  outcome_free(&o);
  problem_free(&p);
}

void test_ramp(void) {
  RUN(steps_in_a_working_set_reach_kkt);
  RUN(an_interrupt_leaves_a_consistent_model);
  RUN(the_next_run_restores_v);
  RUN(cccp_ends_with_an_indefinite_kernel);
}
