/* Memory runs out, at every allocation in turn: each time the core says so, frees everything and breaks nothing. */
#include "../../src/sv-set.h"

#include "test.h"

enum { N = 24, CROWD = 75, D = 10, MACHINES = 3, EPOCHS = 2 };
static const int positive[] = {0, 1, 2}, negative[] = {-1, -1, -1};
static const osvm_progress nobody = {NULL, NULL};

typedef struct {
  matrix m, sv, crowd;
  osvm_data data, sv_data, crowd_data;
  osvm_kernel kernel;
  int class_of[N];
  double weight[N], *result;
  osvm_model model; /* of a finished run: what the next goes on from */
  osvm_model fresh; /* of the next */
  int size;
  osvm_task task;
  osvm_error error;
} scene;

static const osvm_param params[] = {
    {"C", 1},      {"bias", 1},      {"average", 1},      {"regularized", 0}, {"outputs", 0},
    {"rate", 0.1}, {"lambda", 0.1},  {"batch", 5},        {"project", 1},     {"start", 3},
    {"finish", 1}, {"selection", 1}, {"tolerance", 0.01}, {"min_gain", 1e-6}, {"keep", 4}};

static const osvm_solver *solver_called(const char *name) {
  int count;
  const osvm_solver_info *plates = osvm_solvers(&count);
  while (--count > 0 && strcmp(plates[count].name, name) != 0) continue;
  return plates[count].solver;
}

/* Of those who learn an example once and for all */
static int epochs_of(const char *solver) {
  static const char *const once[] = {"ramp", "cccp", "idsvm"};
  for (int k = 0; k < COUNT(once); k++)
    if (strcmp(once[k], solver) == 0) return 1;
  return EPOCHS;
}

/* Solvers with members want a model of their own making. */
static void make_model(scene *s) {
  osvm_run run;
  s->task.data = &s->sv_data;
  s->task.carried = NULL;
  s->task.model = NULL;
  CHECK(osvm_run_open(&run, &s->task, &s->error) == OSVM_OK);
  CHECK(osvm_run_learn(&run) == OSVM_OK && osvm_run_export(&run, &s->model) == OSVM_OK);
  osvm_run_close(&run);
  s->task.data = &s->data;
  s->task.carried = &s->sv_data;
  s->task.model = &s->model;
}

static scene *scene_of(int sparse, const char *solver, const osvm_kernel *kernel) {
  scene *s = calloc(1, sizeof *s);
  const osvm_data_kind kind = sparse ? OSVM_SPARSE : OSVM_DOUBLES;
  s->m = matrix_normal(N, D, 0.5);
  s->sv = matrix_normal(N, D, 0.5);
  s->data = matrix_view(&s->m, kind);
  s->sv_data = matrix_view(&s->sv, kind);
  s->crowd = matrix_normal(CROWD, D, 0.5);
  s->crowd_data = matrix_view(&s->crowd, kind);
  s->kernel = *kernel;
  for (int i = 0; i < N; i++) {
    s->class_of[i] = i % 3;
    s->weight[i] = 1;
  }
  s->size = kernel->type == OSVM_LINEAR ? D : 2 * N;
  s->result = calloc((size_t)2 * N * MACHINES + 3 * CROWD, sizeof(double));
  s->model = model_for(solver_called(solver), kernel->type == OSVM_LINEAR ? D : N, MACHINES);
  s->fresh = model_for(solver_called(solver), s->size, MACHINES);
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
                        .epochs = epochs_of(solver),
                        .shuffle = 1};
  if (solver_called(solver)->n_columns > 0) {
    static const int forgotten[] = {1, 7, 8};
    make_model(s);
    if (solver_called(solver)->forget != NULL) {
      s->task.forget = forgotten;
      s->task.n_forget = COUNT(forgotten);
    }
    return s;
  }
  for (int k = 0; k < s->model.size * MACHINES; k++) s->model.going[k] = random_normal();
  for (int m = 0; m < MACHINES; m++) s->model.tally[m * OSVM_TALLY + OSVM_STEPS] = N;
  return s;
}

static void scene_free(scene *s) {
  matrix_free(&s->m);
  matrix_free(&s->sv);
  matrix_free(&s->crowd);
  model_free(&s->model);
  model_free(&s->fresh);
  free(s->result);
  free(s);
}

/* ---- what is tried: each opens, works and closes, and leaves its numbers in s->result ---- */

static osvm_status learn(scene *s) {
  osvm_run run;
  osvm_model model = s->fresh;
  model.coef = s->result;
  memset(s->result, 0, (size_t)s->size * MACHINES * sizeof(double));
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
    status = osvm_decision_values(&s->kernel, &store, s->model.going, MACHINES, &s->data, 2, &nobody, s->result, &s->error);
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

static double row_sum(const osvm_sv_set *c, const void *row) {
  double sum = 0;
  for (int k = 0; k < c->n; k++)
    if (c->shared_slot[k] >= 0) sum += value_get(c->shared->store.simd, row, k) * (1 + c->shared->example[c->shared_slot[k]] % 7);
  return sum;
}

/* One who is in leaves, one who is not comes in; and somebody's row is asked for. */
static osvm_status come_or_go(scene *s, osvm_sv_set *c, int i, double *result) {
  const int next[] = {i, (i + 7) % CROWD, (i + 14) % CROWD};
  int slot = osvm_sv_set_slot(c, i);
  const void *row;
  if (slot >= 0) {
    osvm_sv_set_remove(c, slot);
    return OSVM_OK;
  }
  osvm_status status = osvm_sv_set_candidate_row(c, next, 3, &row, &s->error);
  if (status != OSVM_OK) return status;
  status = osvm_sv_set_insert(c, i, &slot, &s->error);
  if (status == OSVM_OK) status = osvm_sv_set_row(c, osvm_sv_set_draw(c, 1, i, 0), &row, &s->error);
  if (status == OSVM_OK) *result = row_sum(c, row);
  return status;
}

static void check_holders(const osvm_shared_sv *pool, const osvm_sv_set circle[2]) {
  for (int i = 0; i < CROWD; i++) {
    const int slot = pool->slot[i], holders = slot < 0 ? 0 : pool->references[slot];
    CHECK(holders == (osvm_sv_set_slot(&circle[0], i) >= 0) + (osvm_sv_set_slot(&circle[1], i) >= 0));
  }
}

/* What failed has cost nobody a place: all goes on when there is memory again. */
static osvm_status mingle(scene *s) {
  static const osvm_column_kind kinds[] = {{0, 0}, {1, 1}};
  osvm_store whole;
  osvm_shared_sv pool = {0};
  osvm_sv_set circle[2] = {{0}};
  osvm_status late = OSVM_OK;
  memset(s->result, 0, 3 * CROWD * sizeof(double));
  osvm_status status = osvm_store_open(&whole, osvm_simd_single(TEST_LEVEL), OSVM_PANELS,
                                       s->crowd_data.kind == OSVM_SPARSE, D, CROWD, &s->error);
  if (status == OSVM_OK) status = osvm_store_append(&whole, &s->crowd_data, NULL, CROWD, &s->error);
  if (status == OSVM_OK) status = osvm_shared_sv_open(&pool, &s->kernel, &whole, 2, &s->error);
  for (int m = 0; m < 2 && status == OSVM_OK; m++)
    status = osvm_sv_set_open(&circle[m], &pool, kinds, 2, 9000, &s->error);
  for (int t = 0; t < 3 * CROWD && status == OSVM_OK; t++) {
    const int i = t * 7 % CROWD, m = t % 3 == 0;
    const int members = circle[m].count;
    const osvm_status here = come_or_go(s, &circle[m], i, &s->result[t]);
    if (here == OSVM_OK) continue;
    CHECK(here == OSVM_NO_MEMORY && late == OSVM_OK);
    CHECK(circle[m].count == members + (osvm_sv_set_slot(&circle[m], i) >= 0));
    check_holders(&pool, circle);
    memory_fail(-1, -1);
    late = here;
  }
  CHECK(status != OSVM_OK || pool.capacity > 64);
  for (int m = 0; m < 2; m++) osvm_sv_set_close(&circle[m]);
  osvm_shared_sv_close(&pool);
  osvm_store_close(&whole);
  return status == OSVM_OK ? late : status;
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
  } ways[] = {{"norma", &rbf},  {"olsvm", &rbf}, {"olsvm", &linear}, {"sgd", &linear}, {"pegasos", &linear},
              {"huller", &rbf}, {"lasvm", &rbf}, {"ramp", &rbf},     {"cccp", &rbf},   {"idsvm", &rbf}};
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

static void mingling(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    scene *s = scene_of(sparse, "olsvm", &rbf);
    check_failures(mingle, s, 3 * CROWD);
    scene_free(s);
  }
}

static void resizing(void) {
  double *block = NULL, *before;
  osvm_error error = {NULL};
  CHECK(osvm_resize(&block, 0, sizeof(double), &error) == OSVM_OK && block != NULL);
  CHECK(osvm_resize(&block, 2, sizeof(double), &error) == OSVM_OK);
  block[1] = 3;
  before = block;
  CHECK(osvm_resize(&block, SIZE_MAX / 4, sizeof(double), &error) == OSVM_NO_MEMORY && error.text != NULL);
  memory_fail(0, 1);
  CHECK(osvm_resize(&block, 100, sizeof(double), &error) == OSVM_NO_MEMORY);
  memory_fail(-1, -1);
  CHECK(block == before && block[1] == 3);
  CHECK(osvm_resize(&block, 100, sizeof(double), &error) == OSVM_OK && block[1] == 3);
  free(block);
}

void test_memory(void) {
  RUN(resizing);
  RUN(learning);
  RUN(deciding);
  RUN(growing);
  RUN(mingling);
}
