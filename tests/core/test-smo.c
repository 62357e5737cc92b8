/* SMO: its solutions satisfy the optimality conditions, computed here in plain doubles; the active set behind it. */
#include "../../src/smo-active-set.h"

#include "test.h"

enum { N = 150, D = 24, CARRIED = 20 };
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
  p->model = model_make(CARRIED, 1);
  for (int i = 0; i < CARRIED; i++) {
    p->model.going[i] = random_normal();
    p->model.going[CARRIED + i] = 1;
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
  int carried, doubles;
  size_t cache;
  osvm_progress progress;
} setting;

static osvm_status learn(const problem *p, const osvm_kernel *kernel, const setting *s, osvm_model *model,
                         osvm_convergence *end) {
  const osvm_param params[] = {{"C", s->C},
                               {"tolerance", s->tolerance},
                               {"selection", s->selection},
                               {"shrinking", s->shrinking},
                               {"max_iter", s->max_iter}};
  const osvm_task task = {.solver = "smo",
                          .params = params,
                          .n_params = COUNT(params),
                          .kernel = *kernel,
                          .data = &p->data,
                          .count = p->m.n,
                          .class_of = p->class_of,
                          .weight = p->weight,
                          .machines = 1,
                          .positive = &positive,
                          .negative = &negative,
                          .carried = s->carried ? &p->carried : NULL,
                          .model = s->carried ? &p->model : NULL,
                          .level = TEST_LEVEL,
                          .cache_bytes = s->cache,
                          .doubles = s->doubles,
                          .threads = 1,
                          .epochs = 1,
                          .seed = 5,
                          .progress = s->progress};
  osvm_error error = {NULL};
  osvm_run run;
  osvm_status status = osvm_run_open(&run, &task, &error);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK || status == OSVM_INTERRUPTED) {
    *end = run.machine[0].convergence;
    CHECK(osvm_run_export(&run, model) == OSVM_OK);
  }
  osvm_run_close(&run);
  return status;
}

/* Feasible, and the gap and objective that the solver claims. */
static void check_end(const problem *p, const osvm_kernel *kernel, const setting *s, const osvm_model *model,
                      const osvm_convergence *end) {
  const int first = s->carried ? CARRIED : 0, n = first + p->m.n;
  double sum = 0, highest = -INFINITY, lowest = INFINITY, objective = 0, total = 0;
  for (int i = 0; i < n; i++) {
    const double b = model->going[i], cap = s->C * model->going[n + i];
    const double y = i < first ? (p->model.going[i] > 0 ? 1 : -1) : p->class_of[i - first] == 1 ? 1 : -1;
    double error = y;
    for (int j = 0; j < n; j++)
      if (model->going[j] != 0)
        error -= model->going[j] * plain_kernel(kernel, i < first ? &p->carried : &p->data, i < first ? i : i - first,
                                                j < first ? &p->carried : &p->data, j < first ? j : j - first);
    CHECK(y * b >= 0 && y * b <= cap);
    sum += b;
    total += fabs(b);
    objective -= b * (error + y) / 2;
    if (y > 0 ? b < cap : b < 0) highest = fmax(highest, error);
    if (y > 0 ? b > 0 : b > -cap) lowest = fmin(lowest, error);
  }
  const double slack = 1e-5 + 3e-7 * total * (kernel->type == OSVM_RBF || kernel->type == OSVM_SIGMOID ? 1 : 100);
  CHECK_NEAR(sum, 0, 1e-9 * total);
  CHECK_NEAR(end->gap, fmax(highest - lowest, 0), slack);
  CHECK_NEAR(end->objective, objective, 1e-4 * fabs(objective) + 1e-9);
}

static void solutions(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    problem *p = problem_of(sparse, sparse ? 0.08 : 1, N);
    osvm_model model = model_make(CARRIED + N, 1);
    for (int k = 0; k < 4; k++) {
      osvm_kernel kernel = all_kernels[k];
      kernel.gamma = 0.05;
      for (int c = 0; c < 8; c++) {
        const setting s = {.C = c & 1 ? 20 : 0.5,
                           .tolerance = 1e-3,
                           .shrinking = (c & 2) != 0,
                           .max_iter = 2e4,
                           .carried = (c & 4) != 0,
                           .cache = c & 1 ? 0 : 1 << 20,
                           .doubles = c == 3};
        osvm_convergence end;
        test_about("sparse %d, kernel %d, case %d", sparse, k, c);
        model.size = s.carried ? CARRIED + N : N;
        CHECK(learn(p, &kernel, &s, &model, &end) == OSVM_OK);
        if (kernel.type != OSVM_LINEAR) CHECK(end.finished && end.gap < 1e-3);
        check_end(p, &kernel, &s, &model, &end);
      }
    }
    model_free(&model);
    problem_free(p);
  }
}

static void random_pairs(void) {
  const osvm_kernel kernel = {OSVM_RBF, 0.05, 0, 0};
  problem *p = problem_of(0, 1, 80);
  osvm_model model = model_make(80, 1);
  osvm_convergence end, best;
  setting s = {.C = 2, .tolerance = 1e-6, .selection = 1, .max_iter = 1e6};
  CHECK(learn(p, &kernel, &s, &model, &end) == OSVM_OK);
  CHECK(end.finished);
  check_end(p, &kernel, &s, &model, &end);
  s.selection = 0;
  CHECK(learn(p, &kernel, &s, &model, &best) == OSVM_OK);
  CHECK(best.finished);
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
  const osvm_kernel kernel = {OSVM_RBF, 0.02, 0, 0};
  problem *p = problem_of(0, 1, N);
  for (int i = 0; i < N; i++) p->class_of[i] = random_below(2); /* noise takes long */
  osvm_model model = model_make(CARRIED + N, 1);
  int stopped = 0;
  for (int k = 0; k < 8; k++) {
    int patience = k;
    setting s = {.C = 1e6,
                 .tolerance = 1e-7,
                 .selection = k % 2,
                 .shrinking = 1,
                 .max_iter = 3e4,
                 .carried = 1,
                 .progress = {stop_later, &patience}};
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
  const osvm_kernel kernel = {OSVM_RBF, 0.05, 0, 0};
  for (int sparse = 0; sparse < 2; sparse++) {
    problem *p = problem_of(sparse, 0.3, 100);
    osvm_model model = model_make(CARRIED + 100, 1);
    const setting s = {.C = 20, .tolerance = 1e-4, .shrinking = 1, .max_iter = 1e5, .carried = 1, .cache = 1 << 16};
    osvm_convergence end;
    const long live = memory.live;
    osvm_status status = OSVM_NO_MEMORY;
    for (long k = 0; status != OSVM_OK; k++) {
      memory_fail(memory.calls + k, memory.calls + k + 1);
      status = learn(p, &kernel, &s, &model, &end);
      memory_fail(-1, -1);
      CHECK(status == OSVM_OK || status == OSVM_NO_MEMORY);
      CHECK(memory.order == live);
    }
    model_free(&model);
    problem_free(p);
  }
}

/* Choices that shrink and grow: rows stay what the kernel says. */
static void active_rows(void) {
  const osvm_kernel kernel = {OSVM_RBF, 0.1, 0, 0};
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
    int who[6];
    test_about("%s, %d bytes, sparse %d", tables[t / 2]->name, (int)tables[t / 2]->size, sparse);
    CHECK(osvm_store_open(&store, tables[t / 2], OSVM_PANELS, sparse, D, n, &error) == OSVM_OK);
    CHECK(osvm_store_append(&store, &p->data, NULL, n, &error) == OSVM_OK);
    CHECK(osvm_active_set_open(&active, &kernel, &store, 9000, &error) == OSVM_OK);
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
        (void)osvm_active_set_row(&active, other); /* leaves the one before alone */
        for (int j = 0; j < active.n; j++) {
          const double want = plain_kernel(&kernel, &p->data, active.example[l], &p->data, active.example[j]);
          CHECK_NEAR(value_get(store.simd, row, j), want, 1e-5);
        }
        for (size_t j = active.n; j < active.stride; j++) CHECK(isfinite(value_get(store.simd, row, j)));
      }
      for (int k = 0; k < 6; k++) {
        who[k] = random_below(n);
        factor[k] = random_normal();
      }
      memset(sums, 0, sizeof sums);
      osvm_active_set_add(&active, who, factor, 6, sums);
      for (int j = 0; j < active.n; j++) {
        double want = 0;
        for (int k = 0; k < 6; k++)
          want += factor[k] * plain_kernel(&kernel, &p->data, who[k], &p->data, active.example[j]);
        CHECK_NEAR(sums[j], want, 1e-4);
      }
    }
    osvm_active_set_close(&active);
    osvm_store_close(&store);
    problem_free(p);
  }
}

/* A step and a choice, in every table, against loops that say what they mean. */
static void pairs_by_hand(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++) {
    const osvm_simd *simd = tables[t];
    const int n = 16 * (1 + random_below(9));
    double *error = malloc(n * sizeof(double));
    void *a = values_normal(simd, n), *b = values_normal(simd, n), *self = values_normal(simd, n);
    void *rises = values_normal(simd, n), *falls = values_normal(simd, n), *falling = values_normal(simd, n);
    osvm_pair_selection pairs = {.gradient = error, .up = rises, .low = falls, .gradient_low = falling, .diagonal = self};
    test_about("%s, %d bytes, n = %d", simd->name, (int)simd->size, n);
    for (int i = 0; i < n; i++) {
      error[i] = random_below(3) ? random_normal() : 0.5; /* some are equal */
      value_set(simd, rises, i, random_below(3) ? 0 : -INFINITY);
      value_set(simd, falls, i, random_below(3) ? 0 : INFINITY);
      value_set(simd, self, i, 1 + random_uniform());
    }
    value_set(simd, rises, 3, 0);
    for (int round = 0; round < 20; round++) {
      const double change = round % 4 == 0 ? 0 : random_normal();
      double highest = -INFINITY, lowest = INFINITY, most = 0;
      int first = -1;
      double *want = malloc(n * sizeof(double));
      for (int i = 0; i < n; i++) want[i] = error[i] - change * (value_get(simd, a, i) - value_get(simd, b, i));
      simd->pair_step(&pairs, a, b, n, change);
      for (int i = 0; i < n; i++) {
        CHECK_NEAR(error[i], want[i], 1e-13 * (1 + fabs(want[i])));
        if (error[i] + value_get(simd, rises, i) > highest) highest = error[i] + value_get(simd, rises, first = i);
        lowest = fmin(lowest, error[i] + value_get(simd, falls, i));
        CHECK_NEAR(value_get(simd, falling, i), error[i] + value_get(simd, falls, i), 1e-6 * fabs(error[i]));
      }
      free(want);
      CHECK(pairs.gmax == highest && pairs.gmin == lowest && pairs.first == first);
      const int second = simd->pair_partner(&pairs, a, n);
      for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
          const double gap = error[first] - error[i];
          const double curvature = value_get(simd, self, first) + value_get(simd, self, i) - 2 * value_get(simd, a, i);
          const double gain = value_get(simd, falls, i) == 0 && gap > 0 ? gap * gap / fmax(curvature, 1e-12) : 0;
          if (pass == 0) most = fmax(most, gain);
          else if (i == second) CHECK_NEAR(gain, most, 1e-4 * most);
        }
      }
      CHECK((second >= 0) == (most > 0));
    }
    free(error);
    free(a);
    free(b);
    free(self);
    free(rises);
    free(falls);
    free(falling);
  }
}

void test_smo(void) {
  RUN(pairs_by_hand);
  RUN(active_rows);
  RUN(solutions);
  RUN(random_pairs);
  RUN(interrupts);
  RUN(no_memory);
}
