/* SMO: its solutions satisfy the KKT conditions, recomputed in doubles; the kernel rows of its active set. */
#include "../../src/smo-active-set.h"

#include "test.h"

enum { N = 150, D = 24, CARRIED = 20 };
enum { COEF, WEIGHT }; /* columns of the model */
static const int positive = 1, negative = 0;

typedef struct {
  matrix m, old;
  osvm_data data, carried;
  int class_of[N];
  double weight[N];
  osvm_model model;
} problem;

static problem *problem_of(int sparse, double density, int n) {
  problem *p = calloc(1, sizeof *p);
  const osvm_data_kind kind = sparse ? OSVM_SPARSE : OSVM_DOUBLES;
  p->m = matrix_normal(n, D, density);
  p->old = matrix_normal(CARRIED, D, density);
  p->data = matrix_view(&p->m, kind);
  p->carried = matrix_view(&p->old, kind);
  for (int i = 0; i < n; i++) {
    p->class_of[i] = data_value(&p->data, i, 0) + data_value(&p->data, i, 1) + 0.5 * random_normal() > 0;
    p->weight[i] = 0.5 + random_uniform();
  }
  p->model = model_for(osvm_solver_named("smo"), CARRIED, 1);
  for (int i = 0; i < CARRIED; i++) {
    const double coef = osvm_model_column(&p->model, 0, COEF)[i] = random_normal();
    p->model.target[i] = coef > 0;
    osvm_model_column(&p->model, 0, WEIGHT)[i] = 1;
  }
  return p;
}

static void problem_free(problem *p) {
  matrix_free(&p->m);
  matrix_free(&p->old);
  model_free(&p->model);
  free(p);
}

typedef struct {
  double C, tolerance, selection, shrinking, max_iter;
  int carried, doubles, unbiased;
  size_t cache;
  osvm_progress progress;
} setting;

/* The task points to its arguments: both belong to the caller. */
static osvm_task task_of(const problem *p, const osvm_kernel *kernel, const setting *s, arguments *a) {
  const argument given[] = {{"C", s->C},
                            {"tolerance", s->tolerance},
                            {"selection", s->selection},
                            {"shrinking", s->shrinking},
                            {"max_iter", s->max_iter},
                            {"bias", !s->unbiased}};
  *a = arguments_for(osvm_solver_named("smo"), given, COUNT(given));
  return (osvm_task){.solver = osvm_solver_named("smo"),
                     .params = a->values,
                     .kernel = *kernel,
                     .data = &p->data,
                     .count = p->m.n,
                     .loss = hinge,
                     .target = {.class_of = p->class_of, .positive = &positive, .negative = &negative},
                     .weight = p->weight,
                     .machines = 1,
                     .level = TEST_LEVEL,
                     .cache_bytes = s->cache,
                     .doubles = s->doubles,
                     .threads = 1,
                     .seed = 5,
                     .progress = s->progress};
}

static osvm_status learn(const problem *p, const osvm_kernel *kernel, const setting *s, osvm_model *model,
                         osvm_convergence *end) {
  arguments a;
  osvm_task task = task_of(p, kernel, s, &a);
  osvm_error error = {NULL};
  osvm_run run = {0};
  osvm_start start = {0};
  osvm_status status = s->carried ? osvm_start_open(&start, &task, &p->carried, &p->model, &error) : OSVM_OK;
  if (s->carried) task.start = &start;
  if (status == OSVM_OK) status = osvm_run_open(&run, &task, &error);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) {
    *end = run.machine[0].convergence;
    const osvm_status exported = osvm_run_export(&run, model);
    CHECK(exported == OSVM_OK || exported == OSVM_NO_MEMORY);
    if (exported != OSVM_OK) status = exported;
  }
  osvm_run_close(&run);
  osvm_start_close(&start);
  return status;
}

/* Feasible, with the gap and objective that the solver reports. */
static void check_end(const problem *p, const osvm_kernel *kernel, const setting *s, const osvm_model *model,
                      const osvm_convergence *end) {
  const int first = s->carried ? CARRIED : 0, n = first + p->m.n;
  const double *coef = osvm_model_column(model, 0, COEF), *weight = osvm_model_column(model, 0, WEIGHT);
  double sum = 0, gmax = s->unbiased ? 0 : -INFINITY, gmin = s->unbiased ? 0 : INFINITY, objective = 0, total = 0;
  for (int i = 0; i < n; i++) {
    const double a = coef[i], w = i < first ? 1 : p->weight[i - first], bound = s->C * w;
    const double y = (i < first ? p->model.target[i] : p->class_of[i - first]) == 1 ? 1 : -1;
    double gradient = y;
    CHECK(weight[i] == w);
    for (int j = 0; j < n; j++)
      if (coef[j] != 0)
        gradient -= coef[j] * plain_kernel(kernel, i < first ? &p->carried : &p->data, i < first ? i : i - first,
                                           j < first ? &p->carried : &p->data, j < first ? j : j - first);
    /* Along a path the bounds are multiplied by C'/C, with rounding: a coefficient at its bound is C_i up to that. */
    const int at_bound = fabs(y * a - bound) <= 1e-14 * bound;
    CHECK(y * a >= 0 && (y * a <= bound || at_bound));
    sum += a;
    total += fabs(a);
    objective -= a * (gradient + y) / 2;
    if (y > 0 ? !at_bound : a < 0) gmax = fmax(gmax, gradient);
    if (y > 0 ? a > 0 : !at_bound) gmin = fmin(gmin, gradient);
  }
  const double slack =
      1e-5 + 3e-7 * total * (kernel->info == &osvm_kernel_linear || kernel->info == &osvm_kernel_polynomial ? 100 : 1);
  if (s->unbiased) CHECK(model->intercept[0] == 0);
  else CHECK_NEAR(sum, 0, 1e-9 * total);
  CHECK_NEAR(end->gap, fmax(gmax - gmin, 0), slack);
  CHECK_NEAR(end->objective, objective, 1e-4 * fabs(objective) + 1e-9);
}

static void solutions(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    problem *p = problem_of(sparse, sparse ? 0.08 : 1, N);
    osvm_model model = model_for(osvm_solver_named("smo"), CARRIED + N, 1);
    for (int k = 0; k < N_KERNELS; k++) {
      osvm_kernel kernel = all_kernels[k];
      kernel.params[0] = 0.05;
      for (int c = 0; c < 16; c++) {
        const setting s = {.C = c & 1 ? 20 : 0.5,
                           .tolerance = 1e-3,
                           .shrinking = (c & 2) != 0,
                           .max_iter = 2e4,
                           .carried = (c & 4) != 0,
                           .cache = c & 1 ? 0 : 1 << 20,
                           .doubles = c == 3 || c == 11,
                           .unbiased = c >= 8};
        osvm_convergence end;
        test_about("sparse %d, kernel %d, case %d", sparse, k, c);
        model.size = s.carried ? CARRIED + N : N;
        CHECK(learn(p, &kernel, &s, &model, &end) == OSVM_OK);
        if (!osvm_kernel_is_linear(&kernel)) CHECK(end.finished && end.gap < 1e-3);
        check_end(p, &kernel, &s, &model, &end);
      }
    }
    model_free(&model);
    problem_free(p);
  }
}

static void random_pairs(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.05}};
  problem *p = problem_of(0, 1, 80);
  osvm_model model = model_for(osvm_solver_named("smo"), 80, 1);
  osvm_convergence end, best;
  setting s = {.C = 2, .tolerance = 1e-6, .selection = 1, .max_iter = 1e6};
  CHECK(learn(p, &kernel, &s, &model, &end) == OSVM_OK);
  CHECK(end.finished == 1);
  check_end(p, &kernel, &s, &model, &end);
  s.selection = 0;
  CHECK(learn(p, &kernel, &s, &model, &best) == OSVM_OK);
  CHECK(best.finished == 1);
  CHECK_NEAR(end.objective, best.objective, 0.01 * fabs(best.objective));
  s.max_iter = 5;
  CHECK(learn(p, &kernel, &s, &model, &best) == OSVM_OK);
  CHECK(!best.finished && best.iterations == 5);
  model_free(&model);
  problem_free(p);
}

static int stop_later(void *user, double done) {
  CHECK(done >= 0 && done <= 1);
  return --*(int *)user < 0;
}

static void interrupts(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.02}};
  problem *p = problem_of(0, 1, N);
  for (int i = 0; i < N; i++) p->class_of[i] = random_below(2); /* random labels: many steps */
  osvm_model model = model_for(osvm_solver_named("smo"), CARRIED + N, 1);
  int stopped = 0;
  for (int k = 0; k < 8; k++) {
    int left = k;
    setting s = {.C = 1e6,
                 .tolerance = 1e-7,
                 .selection = k % 2,
                 .shrinking = 1,
                 .max_iter = 3e4,
                 .carried = 1,
                 .progress = {stop_later, &left, NULL}};
    osvm_convergence end = {0};
    const osvm_status status = learn(p, &kernel, &s, &model, &end);
    stopped += status == OSVM_INTERRUPTED;
    CHECK(status == OSVM_OK || (status == OSVM_INTERRUPTED && !end.finished));
    for (int i = 0; i < CARRIED + N; i++) CHECK(isfinite(model.coef[i]));
    CHECK(isfinite(model.intercept[0]));
  }
  CHECK(stopped > 0);
  model_free(&model);
  problem_free(p);
}

static void no_memory(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.05}};
  for (int sparse = 0; sparse < 2; sparse++) {
    problem *p = problem_of(sparse, sparse ? 0.08 : 0.3, 100);
    osvm_model model = model_for(osvm_solver_named("smo"), CARRIED + 100, 1);
    const setting s = {.C = 20, .tolerance = 1e-4, .shrinking = 1, .max_iter = 1e5, .carried = 1, .cache = 1 << 16};
    osvm_convergence end;
    const long live = memory.live;
    osvm_status status = OSVM_NO_MEMORY;
    long k = 0;
    for (; status != OSVM_OK; k++) {
      test_about("sparse %d, allocation %ld", sparse, k);
      memory_fail(k, k + 1);
      status = learn(p, &kernel, &s, &model, &end);
      memory_fail(-1, -1);
      CHECK(status == OSVM_OK || status == OSVM_NO_MEMORY);
      CHECK(memory.live == live);
    }
    CHECK(k > 20);
    model_free(&model);
    problem_free(p);
  }
}

/* Active sets that shrink and grow: kernel rows are those of the active examples. */
static void active_rows(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.1}};
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count * 2; t++) {
    const int sparse = t % 2, n = 90;
    problem *p = problem_of(sparse, t % 4 < 2 ? 1 : 0.05, n);
    osvm_error error = {NULL};
    osvm_store store;
    osvm_active_set active;
    unsigned char wanted[90];
    double sums[90 + 16], factor[6];
    int examples[6];
    test_about("%s, %d bytes, sparse %d", tables[t / 2]->name, (int)tables[t / 2]->size, sparse);
    CHECK(osvm_store_open(&store, tables[t / 2], OSVM_PANELS, sparse, D, n, &error) == OSVM_OK);
    CHECK(osvm_store_append(&store, &p->data, NULL, n, &error) == OSVM_OK);
    CHECK(osvm_active_set_open(&active, &kernel, &store, 9000, NULL, &error) == OSVM_OK);
    for (int round = 0; round < 30; round++) {
      for (int i = 0; i < n; i++) wanted[i] = round % 7 == 0 || random_below(round % 3 + 2) > 0;
      wanted[0] = wanted[1] = 1;
      CHECK(osvm_active_set_select(&active, wanted, &error) == OSVM_OK);
      for (int k = 0; k < 8; k++) {
        const int l = random_below(active.n), other = random_below(active.n);
        const int room = active.cache.filled + OSVM_QUERIES <= active.cache.slots;
        if (k % 5 == 0 && osvm_active_set_lacks(&active, l) && room && !active.store.sparse)
          osvm_active_set_fetch(&active, &l, 1);
        const void *row = osvm_active_set_row(&active, l);
        (void)osvm_active_set_row(&active, other); /* the row before stays valid */
        for (int j = 0; j < active.n; j++) {
          const double want = plain_kernel(&kernel, &p->data, active.example[l], &p->data, active.example[j]);
          CHECK_NEAR(value_get(store.simd, row, j), want, 1e-5);
        }
        for (size_t j = active.n; j < active.stride; j++) CHECK(isfinite(value_get(store.simd, row, j)));
      }
      for (int k = 0; k < 6; k++) {
        examples[k] = random_below(n);
        factor[k] = random_normal();
      }
      memset(sums, 0, sizeof sums);
      osvm_active_set_add(&active, examples, factor, 6, sums);
      for (int j = 0; j < active.n; j++) {
        double want = 0;
        for (int k = 0; k < 6; k++)
          want += factor[k] * plain_kernel(&kernel, &p->data, examples[k], &p->data, active.example[j]);
        CHECK_NEAR(sums[j], want, 1e-4);
      }
    }
    osvm_active_set_close(&active);
    osvm_store_close(&store);
    problem_free(p);
  }
}

/* pair_step and pair_partner of every table against plain loops. */
static void pair_selection(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++) {
    const osvm_simd *simd = tables[t];
    const int n = 16 * (1 + random_below(9));
    double *gradient = malloc(n * sizeof(double));
    void *row_up = values_normal(simd, n), *row_low = values_normal(simd, n), *diagonal = values_normal(simd, n);
    void *up = values_normal(simd, n), *low = values_normal(simd, n), *gradient_low = values_normal(simd, n);
    osvm_pair_selection selection = {
        .gradient = gradient, .up = up, .low = low, .gradient_low = gradient_low, .diagonal = diagonal};
    test_about("%s, %d bytes, n = %d", simd->name, (int)simd->size, n);
    for (int i = 0; i < n; i++) {
      gradient[i] = random_below(3) ? random_normal() : 0.5; /* some are equal */
      value_set(simd, up, i, random_below(3) ? 0 : -INFINITY);
      value_set(simd, low, i, random_below(3) ? 0 : INFINITY);
      value_set(simd, diagonal, i, 1 + random_uniform());
    }
    value_set(simd, up, 3, 0);
    for (int round = 0; round < 20; round++) {
      const double change = round % 4 == 0 ? 0 : random_normal();
      double gmax = -INFINITY, gmin = INFINITY, most = 0;
      int first = -1;
      double *want = malloc(n * sizeof(double));
      for (int i = 0; i < n; i++)
        want[i] = gradient[i] - change * (value_get(simd, row_up, i) - value_get(simd, row_low, i));
      simd->pair_step(&selection, row_up, row_low, 0, n, change);
      for (int i = 0; i < n; i++) {
        CHECK_NEAR(gradient[i], want[i], 1e-13 * (1 + fabs(want[i])));
        if (gradient[i] + value_get(simd, up, i) > gmax) gmax = gradient[i] + value_get(simd, up, first = i);
        gmin = fmin(gmin, gradient[i] + value_get(simd, low, i));
        CHECK_NEAR(value_get(simd, gradient_low, i), gradient[i] + value_get(simd, low, i), 1e-6 * fabs(gradient[i]));
      }
      free(want);
      CHECK(selection.gmax == gmax && selection.gmin == gmin && selection.first == first);
      const int second = osvm_pair_partner(simd, &selection, row_up, n, NULL);
      for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
          const double gap = gradient[first] - gradient[i];
          const double curvature =
              value_get(simd, diagonal, first) + value_get(simd, diagonal, i) - 2 * value_get(simd, row_up, i);
          const double gain = value_get(simd, low, i) == 0 && gap > 0 ? gap * gap / fmax(curvature, 1e-12) : 0;
          if (pass == 0) most = fmax(most, gain);
          else if (i == second) CHECK_NEAR(gain, most, 1e-4 * most);
        }
      }
      CHECK((second >= 0) == (most > 0));
    }
    free(gradient);
    free(row_up);
    free(row_low);
    free(diagonal);
    free(up);
    free(low);
    free(gradient_low);
  }
}

/* ---- osvm_run_solve_again ---- */

/* Every solution along a path of C satisfies the conditions, warm start or not. */
static void warm_starts(void) {
  static const double Cs[] = {0.5, 2, 20, 1};
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.05}};
  for (int k = 0; k < 6; k++) {
    const int sparse = k % 2;
    setting s = {.C = Cs[0],
                 .tolerance = 1e-3,
                 .selection = k / 2 == 1,
                 .shrinking = 1,
                 .max_iter = 2e5,
                 .cache = 1 << 20,
                 .unbiased = k / 2 == 2};
    problem *p = problem_of(sparse, sparse ? 0.3 : 1, 80);
    arguments a;
    const osvm_task task = task_of(p, &kernel, &s, &a);
    osvm_error error = {NULL};
    osvm_run run;
    CHECK(osvm_run_open(&run, &task, &error) == OSVM_OK);
    osvm_model model = model_of(&run);
    for (int c = 0; c < COUNT(Cs); c++) {
      test_about("sparse %d, case %d, C %g", sparse, k / 2, Cs[c]);
      s.C = Cs[c];
      arguments_set(&a, "C", s.C);
      CHECK(osvm_run_solve_again(&run, a.values) == OSVM_OK && osvm_run_export(&run, &model) == OSVM_OK);
      CHECK(run.machine[0].convergence.finished == 1);
      check_end(p, &kernel, &s, &model, &run.machine[0].convergence);
    }
    osvm_run_close(&run);
    model_free(&model);
    problem_free(p);
  }
}

static void kernel_values_are_counted(void) {
  const osvm_kernel kernel = {.info = &osvm_kernel_rbf, .params = {0.05}};
  const setting s = {.C = 2, .tolerance = 1e-3, .max_iter = 1e6, .cache = 1 << 20};
  problem *p = problem_of(0, 1, N);
  arguments a;
  const osvm_task task = task_of(p, &kernel, &s, &a);
  for (int again = 0; again < 2; again++) {
    osvm_error error = {NULL};
    osvm_run run;
    test_about("%s", again ? "osvm_run_solve_again" : "osvm_run_learn");
    CHECK(osvm_run_open(&run, &task, &error) == OSVM_OK && osvm_run_evaluations(&run) == 0);
    CHECK((again ? osvm_run_solve_again(&run, run.params) : osvm_run_learn(&run)) == OSVM_OK);
    CHECK(osvm_run_evaluations(&run) > 0 && osvm_run_evaluations(&run) <= 2.0 * N * N);
    osvm_run_close(&run);
  }
  problem_free(p);
}

void test_smo(void) {
  RUN(pair_selection);
  RUN(active_rows);
  RUN(solutions);
  RUN(random_pairs);
  RUN(interrupts);
  RUN(no_memory);
  RUN(warm_starts);
  RUN(kernel_values_are_counted);
}
