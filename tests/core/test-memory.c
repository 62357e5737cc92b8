/* Memory runs out, at every allocation in turn: each time the core says so, frees everything and breaks nothing. */
#include "test.h"

enum { N = 24, D = 10, MACHINES = 3, EPOCHS = 2 };
static const int positive[] = {0, 1, 2}, negative[] = {-1, -1, -1};
static const osvm_watch nobody = {NULL, NULL};

typedef struct {
  matrix m, sv;
  osvm_data data, sv_data;
  osvm_kernel kernel;
  int class_of[N];
  double weight[N], *result;
  osvm_model model; /* of a finished run: what the next goes on from */
  int size;
  osvm_task task;
  osvm_error error;
} scene;

static const osvm_param params[] = {{"C", 1},      {"bias", 1},     {"average", 1}, {"regularized", 0}, {"outputs", 0},
                                    {"rate", 0.1}, {"lambda", 0.1}, {"batch", 5},   {"project", 1}};

static scene *scene_of(int sparse, const char *solver, const osvm_kernel *kernel) {
  scene *s = calloc(1, sizeof *s);
  const osvm_data_kind kind = sparse ? OSVM_SPARSE : OSVM_DOUBLES;
  s->m = matrix_normal(N, D, 0.5);
  s->sv = matrix_normal(N, D, 0.5);
  s->data = matrix_view(&s->m, kind);
  s->sv_data = matrix_view(&s->sv, kind);
  s->kernel = *kernel;
  for (int i = 0; i < N; i++) {
    s->class_of[i] = i % 3;
    s->weight[i] = 1;
  }
  s->size = kernel->type == OSVM_LINEAR ? D : 2 * N;
  s->result = calloc((size_t)2 * N * MACHINES, sizeof(double));
  s->model = model_make(kernel->type == OSVM_LINEAR ? D : N, MACHINES);
  for (int k = 0; k < s->model.size * MACHINES; k++) s->model.going[k] = random_normal();
  for (int m = 0; m < MACHINES; m++) s->model.tally[m * OSVM_TALLY + OSVM_STEPS] = N;
  s->task = (osvm_task){.solver = solver,
                        .params = params,
                        .n_params = COUNT(params),
                        .kernel = *kernel,
                        .data = &s->data,
                        .count = N,
                        .class_of = s->class_of,
                        .weight = s->weight,
                        .machines = MACHINES,
                        .positive = positive,
                        .negative = negative,
                        .carried = &s->sv_data,
                        .model = &s->model,
                        .level = TEST_LEVEL,
                        .cache_bytes = 10000,
                        .threads = 1,
                        .epochs = EPOCHS,
                        .shuffle = 1};
  return s;
}

static void scene_free(scene *s) {
  matrix_free(&s->m);
  matrix_free(&s->sv);
  model_free(&s->model);
  free(s->result);
  free(s);
}

/* ---- what is tried: each opens, works and closes, and leaves its numbers in s->result ---- */

static osvm_status learn(scene *s) {
  osvm_run run;
  static double going[2 * 2 * N * MACHINES], intercept[MACHINES], tally[MACHINES * OSVM_TALLY];
  osvm_model model = {s->size, MACHINES, s->result, intercept, going, tally};
  osvm_status status = osvm_run_open(&run, &s->task, &s->error);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK) CHECK(osvm_run_size(&run) == s->size);
  if (status == OSVM_OK) status = osvm_run_export(&run, &model);
  osvm_run_close(&run);
  return status;
}

static osvm_status opened(scene *s, osvm_store *store, const osvm_simd *simd, int capacity) {
  return osvm_store_open(store, simd, OSVM_PANELS, s->data.kind == OSVM_SPARSE, D, capacity, &s->error);
}

static osvm_status decide(scene *s) {
  osvm_store store;
  memset(s->result, 0, N * MACHINES * sizeof(double));
  osvm_status status = opened(s, &store, osvm_simd_single(TEST_LEVEL), N);
  if (status == OSVM_OK) status = osvm_store_append(&store, &s->sv_data, NULL, N, &s->error);
  if (status == OSVM_OK) status = osvm_store_index(&store, &s->error);
  if (status == OSVM_OK)
    status = osvm_decide(&s->kernel, &store, s->model.going, MACHINES, &s->data, 2, &nobody, s->result, &s->error);
  osvm_store_close(&store);
  return status;
}

/* An append that failed has changed nothing, and works when there is memory again. */
static osvm_status grow(scene *s) {
  osvm_store store;
  osvm_status status = opened(s, &store, osvm_simd_double(TEST_LEVEL), 0);
  if (status == OSVM_OK) status = osvm_store_append(&store, &s->data, NULL, 5, &s->error);
  if (status == OSVM_OK) {
    int rows[N];
    for (int i = 0; i < N; i++) rows[i] = i;
    osvm_status late = osvm_store_append(&store, &s->data, rows + 5, N - 5, &s->error);
    if (late != OSVM_OK) {
      CHECK(late == OSVM_NO_MEMORY);
      CHECK(store.n == 5);
      memory_fail(-1, -1);
      CHECK(osvm_store_append(&store, &s->data, rows + 5, N - 5, &s->error) == OSVM_OK);
    }
    if (store.n == N) {
      double buffer[D];
      for (int i = 0; i < N; i++) {
        const osvm_query q = osvm_store_query(&store, i, buffer);
        s->result[i] = q.norm;
        for (int k = 0; k < q.length; k++) s->result[i] += value_get(store.simd, store.sparse ? q.value : q.dense, k);
      }
    }
    status = late;
  }
  osvm_store_close(&store);
  return status;
}

/* ---- every allocation in turn: it alone fails, or all from there on do ---- */

static void check_failures(osvm_status (*work)(scene *s), scene *s, int results) {
  double *want = malloc(results * sizeof(double));
  const long live = memory.live;
  memory_fail(-1, -1);
  CHECK(work(s) == OSVM_OK);
  CHECK(memory.live == live);
  memcpy(want, s->result, results * sizeof(double));
  const long calls = memory.calls;
  CHECK(calls > 3);
  for (int onwards = 0; onwards < 2; onwards++) {
    for (long k = 0; k < calls; k++) {
      test_about("allocation %ld of %ld%s", k, calls, onwards ? " and all after it" : "");
      s->error.text = NULL;
      memory_fail(k, onwards ? calls + 1000 : k + 1);
      const osvm_status status = work(s);
      memory_fail(-1, -1);
      CHECK(status == OSVM_OK || status == OSVM_NO_MEMORY);
      CHECK(memory.live == live);
      if (status == OSVM_NO_MEMORY) CHECK(s->error.text != NULL);
      else CHECK(memcmp(want, s->result, results * sizeof(double)) == 0); /* a cache may do without */
    }
  }
  free(want);
}

static const osvm_kernel linear = {OSVM_LINEAR, 0, 0, 0}, rbf = {OSVM_RBF, 0.2, 0, 0};

static void learning(void) {
  static const struct {
    const char *solver;
    const osvm_kernel *kernel;
  } ways[] = {{"norma", &rbf}, {"olsvm", &rbf}, {"olsvm", &linear}, {"sgd", &linear}, {"pegasos", &linear}};
  for (int sparse = 0; sparse < 2; sparse++)
    for (int w = 0; w < COUNT(ways); w++) {
      scene *s = scene_of(sparse, ways[w].solver, ways[w].kernel);
      check_failures(learn, s, s->size * MACHINES);
      scene_free(s);
    }
}

static void deciding(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    scene *s = scene_of(sparse, "olsvm", &rbf);
    check_failures(decide, s, N * MACHINES);
    scene_free(s);
  }
}

static void growing(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    scene *s = scene_of(sparse, "olsvm", &rbf);
    check_failures(grow, s, N);
    scene_free(s);
  }
}

void test_memory(void) {
  RUN(learning);
  RUN(deciding);
  RUN(growing);
}
