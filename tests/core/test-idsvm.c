/* IDSVM: after any sequence of learning, unlearning and leave-one-out, the Kuhn-Tucker conditions of the batch problem
 * hold, by gradients computed here in plain doubles. */
#include "../../src/incremental.h"

#include "sv-solvers.h"

enum { N = 80, MANY = 600 };
enum { STATE_SET = OSVM_SV_COST + 1 }; /* of the named columns */
static const osvm_kernel smooth = {.info = &osvm_kernel_rbf, .params = {0.01}},
                         cubic = {.info = &osvm_kernel_polynomial, .params = {0.5, 1, 3}};

static way way_of(double C, int bias, argument *params) {
  params[0] = (argument){"C", C};
  params[1] = (argument){"bias", bias};
  return (way){.solver = "idsvm", .params = params, .n_params = 2, .epochs = 1, .doubles = 1, .cache = 1 << 20};
}

static double state_of(const osvm_model *model, int m, int column, int i) {
  return osvm_model_column(model, m, column)[i];
}

static double bias_of(const osvm_model *model, int m) { return model->scalars[3 * m + 1]; }

static double gradient_of(const problem *p, const osvm_model *model, int m, int bias, int i) {
  double g = problem_label(p, m, i) - (bias ? bias_of(model, m) : 0);
  for (int j = 0; j < p->n; j++) g -= state_of(model, m, OSVM_SV_COEF, j) * p->K[i + (size_t)j * p->n];
  return g;
}

static double largest_kernel_value(const problem *p) {
  double largest = 0;
  for (size_t k = 0; k < (size_t)p->n * p->n; k++) largest = fmax(largest, fabs(p->K[k]));
  return largest;
}

/* The model is optimal for the examples with in[i] (NULL: for all), but for vectors in transit: their number.
 * precision: of gradients, beside 1e-12 of the largest C k_ij, to which rounding errors are proportional */
static int check_optimal(const problem *p, const osvm_model *model, int m, double C, int bias, const int *in,
                         double precision) {
  const double tolerance = precision + 1e-12 * C * largest_kernel_value(p);
  double sum = 0;
  int in_transit = 0;
  for (int i = 0; i < p->n; i++) {
    const double y = problem_label(p, m, i), upper = y * state_of(model, m, OSVM_SV_COST, i);
    const double alpha = state_of(model, m, OSVM_SV_COEF, i), set = state_of(model, m, STATE_SET, i);
    const int learned = y != 0 && p->weight[i] > 0 && (in == NULL || in[i]);
    CHECK_NEAR(upper, learned ? y * C * p->weight[i] : 0, 1e-12 * C);
    if (!learned) CHECK(alpha == 0);
    if (!learned || upper == 0) continue;
    const double g = gradient_of(p, model, m, bias, i);
    CHECK_NEAR(state_of(model, m, OSVM_SV_GRADIENT, i), g, tolerance);
    CHECK(y * alpha >= 0 && y * alpha <= y * upper);
    if (set == OSVM_IN_MARGIN) CHECK_NEAR(g, 0, tolerance);
    else if (set == OSVM_IN_ERROR) CHECK(alpha == upper && y * g >= -tolerance);
    else if (set == OSVM_IN_RESERVE) CHECK(alpha == 0 && y * g <= tolerance);
    else in_transit++;
    sum += alpha;
  }
  if (bias) CHECK_NEAR(sum, 0, 1e-9 * C);
  return in_transit;
}

/* ---- streams ---- */

/* degenerate: many duplicates and ties. A candidate may then cycle and be left in transit; the run says so. */
static void check_streams(problem *p, const char *about, int degenerate) {
  static const double Cs[] = {0.01, 1, 1000};
  for (int c = 0; c < COUNT(Cs); c++)
    for (int bias = 0; bias < 2; bias++) {
      argument params[2];
      const way w = way_of(Cs[c], bias, params);
      outcome o = learn_pieces(p, &w, (int[]){0, p->n / 3, p->n / 3 + 1, p->n}, 3);
      for (int m = 0; m < p->machines; m++) {
        test_about("%s, kernel %s, C %g, bias %d, machine %d", about, p->kernel.info->name, Cs[c], bias, m);
        const int in_transit = check_optimal(p, &o.model, m, Cs[c], bias, NULL, 1e-8);
        CHECK(o.end[m].finished || degenerate);
        if (in_transit > 0) CHECK(!o.end[m].finished);
        else CHECK(o.end[m].gap < 1e-8);
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
      check_streams(&p, "stream", p.data.kind == OSVM_SPARSE); /* of two features, some rows are empty */
      problem_free(&p);
    }
}

static void recompute_kernel(problem *p) {
  for (int v = 0; v < p->n; v++)
    for (int u = 0; u < p->n; u++)
      p->K[u + (size_t)v * p->n] = plain_kernel(&p->kernel, &p->data, p->rows[u], &p->data, p->rows[v]);
}

/* Whole numbers: duplicates, many points on a line, and equal points with different labels */
static void ties_and_duplicates(void) {
  const osvm_kernel *const kernels[] = {&linear, &rbf, &smooth, &cubic};
  for (int k = 0; k < COUNT(kernels); k++) {
    problem p = problem_of(N, 2, 2, OSVM_DOUBLES, kernels[k]);
    for (int i = 0; i < 2 * N; i++) p.m.x[i] = random_below(4);
    for (int i = 0; i < N; i++) p.class_of[i] = random_below(2);
    for (int i = 0; i < N; i++) p.weight[i] = 1;
    recompute_kernel(&p);
    check_streams(&p, "grid", 1);
    for (int i = 0; i < N; i++) p.class_of[i] = i >= N / 2; /* every g is 0 when the second class begins */
    check_streams(&p, "one class first", 1);
    for (int i = 0; i < 2 * N; i++) p.m.x[i] = 1;
    recompute_kernel(&p);
    check_streams(&p, "one point", 1);
    problem_free(&p);
  }
}

/* ---- learning, unlearning, leave-one-out ---- */

/* In each run a random third of the examples learned so far is unlearned, then the new ones are learned. user: in[] */
static osvm_status forget_third(osvm_run *run, const int *visits, void *user) {
  int *in = user;
  for (int i = 0; i < run->first; i++) {
    if (random_below(3) > 0) continue;
    for (int m = 0; m < run->machines; m++) OSVM_TRY(run->solver->forget(run, &run->machine[m], i));
    in[visits[i]] = 0;
  }
  return osvm_run_learn(run);
}

static void forgetting_is_never_having_learned(void) {
  const osvm_kernel *const kernels[] = {&linear, &rbf, &smooth};
  for (int k = 0; k < COUNT(kernels); k++)
    for (int classes = 2; classes < 4; classes++)
      for (int bias = 0; bias < 2; bias++) {
        problem p = problem_of(N, 2, classes, OSVM_DOUBLES, kernels[k]);
        int in[N];
        for (int i = 0; i < N; i++) in[i] = 1;
        argument params[2];
        way w = way_of(20, bias, params);
        w.learn = forget_third;
        w.user = in;
        outcome o = learn_pieces(&p, &w, (int[]){0, 20, 40, 41, 60, N}, 5);
        for (int m = 0; m < p.machines; m++) {
          test_about("kernel %s, classes %d, bias %d, machine %d", kernels[k]->info->name, classes, bias, m);
          CHECK(check_optimal(&p, &o.model, m, 20, bias, in, 1e-8) == 0);
        }
        outcome_free(&o);
        problem_free(&p);
      }
}

/* Thousands of steps in one run: leave-one-out unlearns every example and learns it again. */
static osvm_status leave_out_often(osvm_run *run, const int *visits, void *user) {
  double *outputs = user;
  (void)visits;
  OSVM_TRY(osvm_run_learn(run));
  run->first = run->store.n; /* as if all were carried examples */
  osvm_status status = OSVM_OK;
  for (int turn = 0; turn < 10 && status == OSVM_OK; turn++) status = osvm_run_leave_out(run, outputs);
  run->first = 0;
  return status;
}

static void leaving_out_is_forgetting(void) {
  for (int bias = 0; bias < 2; bias++) {
    problem p = problem_of(N, 2, 2, OSVM_DOUBLES, &rbf);
    for (int i = 0; i < N; i++) p.weight[i] = 1 + 0.1 * random_uniform();
    double outputs[N] = {0};
    argument params[2];
    way w = way_of(10, bias, params);
    w.learn = leave_out_often;
    w.user = outputs;
    outcome o = learn_all(&p, &w);
    CHECK(check_optimal(&p, &o.model, 0, 10, bias, NULL, 1e-9) == 0);
    for (int i = 0; i < N; i += 9) {
      test_about("bias %d, without %d", bias, i);
      const double weight = p.weight[i];
      p.weight[i] = 0;
      w.learn = NULL;
      outcome without = learn_all(&p, &w);
      double f = without.model.intercept[0];
      for (int j = 0; j < N; j++) f += without.model.coef[j] * p.K[i + (size_t)j * N];
      CHECK_NEAR(outputs[i], f, 1e-7);
      p.weight[i] = weight;
      outcome_free(&without);
    }
    outcome_free(&o);
    problem_free(&p);
  }
}

/* ---- interrupts ---- */

static void an_interrupt_leaves_a_feasible_model(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  argument params[2];
  int polls = 0, stopped = 0;
  osvm_status status = OSVM_INTERRUPTED;
  for (; status == OSVM_INTERRUPTED && polls < 40; polls++) {
    way w = way_of(100, 1, params);
    int left = polls;
    w.progress = host_progress(stop_later, &left);
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

/* The candidate that an interrupt leaves in transit is moved on by the next run. */
static void the_next_run_finishes_transit(void) {
  problem p = problem_of(MANY, 2, 2, OSVM_DOUBLES, &rbf);
  for (int polls = 0; polls < 8; polls++) {
    argument params[2];
    first_piece interrupt = {polls, 0};
    way w = way_of(100, 1, params);
    w.progress = host_progress(stop_first_piece, &interrupt);
    w.learn = count_pieces;
    w.user = &interrupt;
    test_about("polls %d", polls);
    outcome o = learn_pieces(&p, &w, (int[]){0, MANY - 20, MANY}, 2);
    int in[MANY];
    for (int i = 0; i < MANY; i++) in[i] = state_of(&o.model, 0, OSVM_SV_COST, i) != 0;
    CHECK(o.status == OSVM_OK);
    CHECK(check_optimal(&p, &o.model, 0, 100, 1, in, 1e-8) == 0);
    outcome_free(&o);
  }
  problem_free(&p);
}

static void indefinite_kernels_stay_finite(void) {
  const osvm_kernel sigmoid = {.info = &osvm_kernel_sigmoid, .params = {0.5, -0.5}};
  problem p = problem_of(N, 2, 2, OSVM_DOUBLES, &sigmoid);
  for (int bias = 0; bias < 2; bias++) {
    argument params[2];
    const way w = way_of(10, bias, params);
    outcome o = learn_all(&p, &w);
    for (int i = 0; i < N; i++) CHECK(fabs(o.model.coef[i]) <= 10 * p.weight[i]);
    CHECK(isfinite(o.model.intercept[0]));
    outcome_free(&o);
  }
  problem_free(&p);
}

/* ---- R from the Cholesky factor of K ---- */

/* Fills Q with a smooth kernel of `size` random points on a line, of which the last may be the first again. */
static void fill(osvm_inverse *s, int size, int twice) {
  double at[40], row[40];
  for (int i = 0; i < size; i++) at[i] = twice && i == size - 1 ? at[0] : 3 * i + random_uniform();
  while (s->capacity < size) {
    s->size = s->capacity;
    CHECK(osvm_inverse_reserve(s, NULL) == OSVM_OK);
  }
  s->size = size;
  for (int i = 0; i < size; i++) s->slot[i] = i;
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) row[j] = exp(-0.1 * (at[i] - at[j]) * (at[i] - at[j]));
    osvm_inverse_set(s, i, row, row[i]);
  }
}

static int factor(osvm_inverse *s) {
  for (int k = 0; k < s->size; k++)
    if (!osvm_inverse_factor_row(s, k)) return 0;
  for (int k = s->size - 1; k >= 0; k--) osvm_inverse_invert_row(s, k);
  for (int k = 0; k < s->size; k++) osvm_inverse_multiply_row(s, k);
  osvm_inverse_border(s);
  return 1;
}

static void the_factor_gives_the_inverse(void) {
  const int sizes[] = {0, 1, 2, 5, 16, 33, 40};
  for (int t = 0; t < 14; t++) {
    const int size = sizes[t / 2], biased = t % 2;
    test_about("size %d, bias %d", size, biased);
    osvm_inverse s;
    CHECK(osvm_inverse_open(&s, osvm_simd_double(TEST_LEVEL), biased, NULL) == OSVM_OK);
    fill(&s, size, 0);
    CHECK(factor(&s));
    for (int i = !biased; i <= size && size > 0; i++)
      for (int j = !biased; j <= size; j++) {
        double sum = 0;
        for (int k = 0; k <= size; k++)
          sum += s.jacobian[i * (s.capacity + 1) + k] * s.inverse[k * (s.capacity + 1) + j];
        CHECK_NEAR(sum, i == j, 1e-11);
        CHECK_NEAR(s.inverse[i * (s.capacity + 1) + j], s.inverse[j * (s.capacity + 1) + i], 1e-11);
      }
    if (size > 1) {
      fill(&s, size, 1);
      CHECK(!factor(&s));
    }
    osvm_inverse_close(&s);
  }
}

void test_idsvm(void) {
  RUN(streams_end_in_the_batch_solution);
  RUN(ties_and_duplicates);
  RUN(forgetting_is_never_having_learned);
  RUN(leaving_out_is_forgetting);
  RUN(an_interrupt_leaves_a_feasible_model);
  RUN(the_next_run_finishes_transit);
  RUN(indefinite_kernels_stay_finite);
  RUN(the_factor_gives_the_inverse);
}
