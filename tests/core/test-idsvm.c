/* IDSVM: after whatever was learned, unlearned and left out, the conditions of the batch problem hold, in plain doubles. */
#include "sv-solvers.h"

enum { N = 80, MANY = 600 };
enum { COEF, ERROR, CAP, SET }; /* what its model keeps of an example */
enum { MARGIN = 1, ERRING, RESERVE };
static const osvm_kernel smooth = {OSVM_RBF, 0.01, 0, 0}, cubic = {OSVM_POLYNOMIAL, 0.5, 1, 3};

static way way_of(double C, int bias, osvm_argument *params) {
  params[0] = (osvm_argument){"C", C};
  params[1] = (osvm_argument){"bias", bias};
  return (way){.solver = "idsvm", .params = params, .n_params = 2, .epochs = 1, .doubles = 1, .cache = 1 << 20};
}

/* All of the examples in `in` (all, if NULL), and nobody else. */
static void check_exact(const problem *p, const osvm_model *model, int m, double C, int bias, const int *in,
                        double tolerance) {
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    const double y = problem_label(p, m, i), cap = osvm_model_column(model, m, CAP)[i];
    const double b = osvm_model_column(model, m, COEF)[i], set = osvm_model_column(model, m, SET)[i];
    const int there = y != 0 && p->weight[i] > 0 && (in == NULL || in[i]);
    CHECK_NEAR(cap, there ? y * C * p->weight[i] : 0, 1e-12 * C);
    if (!there) CHECK(b == 0);
    if (!there || cap == 0) continue;
    double e = y - (bias ? model->scalars[3 * m + 1] : 0);
    for (int j = 0; j < p->n; j++) e -= osvm_model_column(model, m, COEF)[j] * p->K[i + (size_t)j * p->n];
    CHECK_NEAR(osvm_model_column(model, m, ERROR)[i], e, tolerance);
    CHECK(y * b >= 0 && y * b <= y * cap);
    CHECK(set == MARGIN || set == ERRING || set == RESERVE);
    if (set == MARGIN) CHECK_NEAR(e, 0, tolerance);
    if (set == ERRING) CHECK(b == cap && y * e >= -tolerance);
    if (set == RESERVE) CHECK(b == 0 && y * e <= tolerance);
    sum += b;
  }
  if (bias) CHECK_NEAR(sum, 0, 1e-9 * C);
}

/* ---- streams ---- */

static void check_streams(problem *p, const char *about) {
  static const double Cs[] = {0.01, 1, 1000};
  for (int c = 0; c < COUNT(Cs); c++)
    for (int bias = 0; bias < 2; bias++) {
      osvm_argument params[2];
      const way w = way_of(Cs[c], bias, params);
      outcome o = learn_pieces(p, &w, (int[]){0, p->n / 3, p->n / 3 + 1, p->n}, 3);
      for (int m = 0; m < p->machines; m++) {
        test_about("%s, kernel %d, C %g, bias %d, machine %d", about, p->kernel.type, Cs[c], bias, m);
        check_exact(p, &o.model, m, Cs[c], bias, NULL, 1e-8);
        CHECK(o.end[m].finished && o.end[m].gap < 1e-8);
      }
      CHECK(o.model.n_kept <= p->n);
      outcome_free(&o);
    }
}

static void streams_end_in_the_batch_solution(void) {
  const osvm_kernel *const kernels[] = {&linear, &rbf, &smooth, &cubic};
  for (int k = 0; k < COUNT(kernels); k++)
    for (int classes = 2; classes < 4; classes++) {
      problem p = problem_of(classes == 2 ? N : 48, 2, classes, k % 2 ? OSVM_SPARSE : OSVM_DOUBLES, kernels[k]);
      leave_some_out(&p);
      check_streams(&p, "stream");
      problem_free(&p);
    }
}

/* The kernel matrix after the examples have been changed */
static void look_anew(problem *p) {
  for (int v = 0; v < p->n; v++)
    for (int u = 0; u < p->n; u++)
      p->K[u + (size_t)v * p->n] = plain_kernel(&p->kernel, &p->data, p->rows[u], &p->data, p->rows[v]);
}

/* Whole numbers: points meet, lines run through many of them, and labels contradict each other. */
static void ties_and_duplicates(void) {
  const osvm_kernel *const kernels[] = {&linear, &rbf, &smooth, &cubic};
  for (int k = 0; k < COUNT(kernels); k++) {
    problem p = problem_of(N, 2, 2, OSVM_DOUBLES, kernels[k]);
    for (int i = 0; i < 2 * N; i++) p.m.x[i] = random_below(4);
    for (int i = 0; i < N; i++) p.class_of[i] = random_below(2);
    for (int i = 0; i < N; i++) p.weight[i] = 1;
    look_anew(&p);
    check_streams(&p, "grid");
    for (int i = 0; i < N; i++) p.class_of[i] = i >= N / 2; /* one class first: all errors are 0 when the other comes */
    check_streams(&p, "one class first");
    for (int i = 0; i < 2 * N; i++) p.m.x[i] = 1;
    look_anew(&p);
    check_streams(&p, "one point");
    problem_free(&p);
  }
}

/* ---- learning, unlearning, leaving out ---- */

typedef struct {
  int in[MANY], rounds;
} memory_of;

/* In one run: whoever is carried is forgotten or not by a coin, again and again; the rest is learned. */
static osvm_status toss(osvm_run *run, const int *visits, void *user) {
  memory_of *memory = user;
  osvm_status status = OSVM_OK;
  for (int i = 0; i < run->first && status == OSVM_OK; i++) {
    if (random_below(3) > 0) continue;
    for (int m = 0; m < run->machines && status == OSVM_OK; m++)
      status = run->solver->forget(run, &run->machine[m], i);
    memory->in[visits[i]] = 0;
  }
  return status == OSVM_OK ? osvm_run_learn(run) : status;
}

static void forgetting_is_never_having_seen(void) {
  const osvm_kernel *const kernels[] = {&linear, &rbf, &smooth};
  for (int k = 0; k < COUNT(kernels); k++)
    for (int classes = 2; classes < 4; classes++)
      for (int bias = 0; bias < 2; bias++) {
        problem p = problem_of(N, 2, classes, OSVM_DOUBLES, kernels[k]);
        memory_of memory;
        for (int i = 0; i < N; i++) memory.in[i] = 1;
        osvm_argument params[2];
        way w = way_of(20, bias, params);
        w.learn = toss;
        w.user = &memory;
        outcome o = learn_pieces(&p, &w, (int[]){0, 20, 40, 41, 60, N}, 5);
        for (int m = 0; m < p.machines; m++) {
          test_about("kernel %d, classes %d, bias %d, machine %d", kernels[k]->type, classes, bias, m);
          check_exact(&p, &o.model, m, 20, bias, memory.in, 1e-8);
        }
        outcome_free(&o);
        problem_free(&p);
      }
}

/* Thousands of events in one run: forgotten and learned again, which is what leaving out does. */
static osvm_status leave_out_often(osvm_run *run, const int *visits, void *user) {
  double *outputs = user;
  (void)visits;
  osvm_status status = osvm_run_learn(run);
  run->first = run->store.n; /* all are known by now */
  for (int turn = 0; turn < 10 && status == OSVM_OK; turn++) status = osvm_run_leave_out(run, outputs);
  return status;
}

static void leaving_out_is_forgetting(void) {
  for (int bias = 0; bias < 2; bias++) {
    problem p = problem_of(N, 2, 2, OSVM_DOUBLES, &rbf);
    for (int i = 0; i < N; i++) p.weight[i] = 1 + 0.1 * random_uniform();
    double outputs[N] = {0};
    osvm_argument params[2];
    way w = way_of(10, bias, params);
    w.learn = leave_out_often;
    w.user = outputs;
    outcome o = learn_all(&p, &w);
    check_exact(&p, &o.model, 0, 10, bias, NULL, 1e-9);
    for (int i = 0; i < N; i += 9) {
      test_about("bias %d, without %d", bias, i);
      const double weight = p.weight[i];
      p.weight[i] = 0;
      w.learn = NULL;
      outcome less = learn_all(&p, &w);
      double f = less.model.intercept[0];
      for (int j = 0; j < N; j++) f += less.model.coef[j] * p.K[i + (size_t)j * N];
      CHECK_NEAR(outputs[i], f, 1e-7);
      p.weight[i] = weight;
      outcome_free(&less);
    }
    outcome_free(&o);
    problem_free(&p);
  }
}

/* ---- interrupts ---- */

static void after_an_interrupt_it_goes_on(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  osvm_argument params[2];
  int polls = 0, stopped = 0;
  osvm_status status = OSVM_INTERRUPTED;
  for (; status == OSVM_INTERRUPTED && polls < 40; polls++) {
    way w = way_of(100, 1, params);
    int left = polls;
    w.progress = (osvm_progress){stop_later, &left};
    test_about("polls %d", polls);
    outcome o = learn_all(&p, &w);
    status = o.status;
    stopped += status == OSVM_INTERRUPTED;
    double sum = 0;
    for (int i = 0; i < p.n; i++) {
      CHECK(fabs(o.model.coef[i]) <= 100 * p.weight[i]);
      sum += o.model.coef[i];
    }
    CHECK_NEAR(sum, 0, 1e-9);
    outcome_free(&o);
  }
  CHECK(stopped > 1 && status == OSVM_OK);
  problem_free(&p);
}

typedef struct {
  int polls;
  int pieces; /* begun so far */
} patience;

/* The watch of the first piece only */
static int stop_first(void *user, double done) {
  patience *p = user;
  (void)done;
  return p->pieces == 1 && --p->polls < 0;
}

static osvm_status count_pieces(osvm_run *run, const int *visits, void *user) {
  (void)visits;
  ((patience *)user)->pieces++;
  return osvm_run_learn(run);
}

/* Whoever was on its way is brought to its place by the next run. */
static void stragglers_are_brought_in(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  for (int polls = 0; polls < 8; polls++) {
    osvm_argument params[2];
    patience patience = {polls, 0};
    way w = way_of(100, 1, params);
    w.progress = (osvm_progress){stop_first, &patience};
    w.learn = count_pieces;
    w.user = &patience;
    test_about("polls %d", polls);
    outcome o = learn_pieces(&p, &w, (int[]){0, MANY - 20, MANY}, 2);
    int in[MANY];
    for (int i = 0; i < MANY; i++) in[i] = osvm_model_column(&o.model, 0, CAP)[i] != 0;
    CHECK(o.status == OSVM_OK);
    check_exact(&p, &o.model, 0, 100, 1, in, 1e-8);
    outcome_free(&o);
  }
  problem_free(&p);
}

static void indefinite_kernels_stay_finite(void) {
  const osvm_kernel sigmoid = {OSVM_SIGMOID, 0.5, -0.5, 0};
  problem p = problem_of(N, 2, 2, OSVM_DOUBLES, &sigmoid);
  for (int bias = 0; bias < 2; bias++) {
    osvm_argument params[2];
    const way w = way_of(10, bias, params);
    outcome o = learn_all(&p, &w);
    for (int i = 0; i < N; i++) CHECK(fabs(o.model.coef[i]) <= 10 * p.weight[i]);
    CHECK(isfinite(o.model.intercept[0]));
    outcome_free(&o);
  }
  problem_free(&p);
}

void test_idsvm(void) {
  RUN(streams_end_in_the_batch_solution);
  RUN(ties_and_duplicates);
  RUN(forgetting_is_never_having_seen);
  RUN(leaving_out_is_forgetting);
  RUN(after_an_interrupt_it_goes_on);
  RUN(stragglers_are_brought_in);
  RUN(indefinite_kernels_stay_finite);
}
