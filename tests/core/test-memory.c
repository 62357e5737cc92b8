/* Out of memory, at every allocation in turn: the status says so, everything is freed, and objects stay usable. Unless
 * exhaustive it is every STRIDE-th allocation of a piece of work, from another one on in the next: what all solvers
 * allocate fails in some of them. */
#include "../../src/sv-set.h"

#include "test.h"

enum { N = 24, EXAMPLES = 75, D = 50, MACHINES = 3, STRIDE = 7 }; /* EXAMPLES: of the support-vector sets */
static const int positive[] = {0, 1, 2}, negative[] = {-1, -1, -1};
static const osvm_progress no_progress = {0};
static const osvm_kernel linear = {.info = &osvm_kernel_linear}, rbf = {.info = &osvm_kernel_rbf, .params = {0.2}};

typedef struct {
  matrix m, first, carried, examples;
  osvm_data data, first_data, carried_data, examples_data;
  arguments arguments;
  int class_of[N];
  double weight[N], value[N], *result;
  osvm_model model; /* of a run on `first`: the runs under test start from it */
  int size;         /* of their models */
  int sparse_store; /* of the tests that open one themselves */
  osvm_task task;
  osvm_start start;
  osvm_error error;
} fixture;

/* ---- a model to start from ---- */

static void make_model(fixture *f) {
  osvm_run run;
  f->task.data = &f->first_data;
  CHECK(osvm_run_open(&run, &f->task, &f->error) == OSVM_OK && osvm_run_learn(&run) == OSVM_OK);
  osvm_model whole = model_of(&run);
  CHECK(osvm_run_export(&run, &whole) == OSVM_OK);
  const int primal = run.driver->primal;
  f->model = model_kept(&run, &whole);
  f->carried = model_vectors(&run, &whole, &f->first);
  f->carried_data = matrix_view(&f->carried, f->data.kind);
  f->size = primal ? D : whole.n_kept + osvm_run_size(&run);
  osvm_run_close(&run);
  model_free(&whole);
  f->task.data = &f->data;
  f->task.start = &f->start;
}

/* Averages, listed outputs and selection take memory of their own: half of the fixtures have them. */
static fixture *fixture_within(double budget, int maintenance, int sparse, const osvm_solver_info *info,
                               const osvm_kernel *kernel, const osvm_loss *loss) {
  static const int forgotten[] = {1, 4, 5};
  const argument given[] = {{"average", 1}, {"outputs", sparse}, {"selection", sparse}, {"tolerance", 0.01},
                            {"batch", 5},   {"keep", 4},         {"budget", budget},    {"maintenance", maintenance}};
  const osvm_data_kind kind = sparse ? OSVM_SPARSE : OSVM_DOUBLES;
  fixture *f = calloc(1, sizeof *f);
  f->m = matrix_thin(N, 10, 0.5);
  f->first = matrix_thin(N, 10, 0.5);
  f->examples = matrix_thin(EXAMPLES, 10, 0.5);
  f->sparse_store = sparse;
  f->data = matrix_view(&f->m, kind);
  f->first_data = matrix_view(&f->first, kind);
  f->examples_data = matrix_view(&f->examples, kind);
  f->arguments = arguments_for(info->solver, given, COUNT(given));
  for (int i = 0; i < N; i++) {
    f->class_of[i] = i % MACHINES;
    f->weight[i] = 1;
    f->value[i] = random_normal();
  }
  f->task = (osvm_task){.solver = info->solver,
                        .params = f->arguments.values,
                        .kernel = *kernel,
                        .data = &f->data,
                        .count = N,
                        .loss = hinge,
                        .target = {.class_of = f->class_of, .positive = positive, .negative = negative},
                        .weight = f->weight,
                        .machines = MACHINES,
                        .level = TEST_LEVEL,
                        .cache_bytes = 10000,
                        .threads = 1};
  if (loss != NULL) { f->task.loss = *loss; }
  if (loss != NULL && loss->info->target != OSVM_CLASSES) {
    f->task.machines = 1;
    f->task.target = (osvm_target){.kind = loss->info->target, .value = f->value};
  }
  make_model(f);
  f->result = calloc((size_t)(f->size + 1) * MACHINES + 3 * EXAMPLES, sizeof(double));
  if (info->solver->forget != NULL) {
    f->task.forget = forgotten;
    f->task.n_forget = COUNT(forgotten);
  }
  return f;
}

static fixture *fixture_of(int sparse, const osvm_solver_info *info, const osvm_kernel *kernel) {
  return fixture_within(INFINITY, 0, sparse, info, kernel, NULL);
}

static void fixture_free(fixture *f) {
  matrix_free(&f->m);
  matrix_free(&f->first);
  matrix_free(&f->carried);
  matrix_free(&f->examples);
  model_free(&f->model);
  free(f->result);
  free(f);
}

/* ---- the work: each function opens, computes and closes, and leaves its numbers in f->result ---- */

static osvm_status export_result(fixture *f, osvm_run *run) {
  memset(f->result, 0, (size_t)(f->size + 1) * MACHINES * sizeof(double));
  CHECK(osvm_run_size(run) == f->size);
  return osvm_run_result(run, f->result, f->result + (size_t)f->size * MACHINES);
}

/* The whole model is exported, too: it allocates. Its blocks are the caller's, allocated while nothing fails. */
static osvm_status export_model(osvm_run *run) {
  const memory_counts now = memory;
  memory_fail(-1, -1);
  osvm_model model = model_of(run);
  memory.calls = now.calls;
  memory.fail_from = now.fail_from;
  memory.fail_to = now.fail_to;
  const osvm_status status = osvm_run_export(run, &model);
  model_free(&model);
  return status;
}

static osvm_status open_run(fixture *f, osvm_run *run) {
  memset(run, 0, sizeof *run);
  OSVM_TRY(osvm_start_open(&f->start, &f->task, &f->carried_data, &f->model, &f->error));
  return osvm_run_open(run, &f->task, &f->error);
}

static void close_run(fixture *f, osvm_run *run) {
  osvm_run_close(run);
  osvm_start_close(&f->start);
}

static osvm_status learn(fixture *f) {
  osvm_run run;
  osvm_status status = open_run(f, &run);
  if (status == OSVM_OK) status = osvm_run_learn(&run);
  if (status == OSVM_OK) status = export_result(f, &run);
  if (status == OSVM_OK) status = export_model(&run);
  close_run(f, &run);
  return status;
}

static osvm_status solve_again(fixture *f) {
  osvm_run run;
  osvm_status status = open_run(f, &run);
  for (int t = 0; t < 2 && status == OSVM_OK; t++) {
    double rule[MAX_ARGUMENTS];
    memcpy(rule, run.params, f->arguments.count * sizeof(double));
    rule[osvm_solver_role(run.solver, OSVM_WARM_START)] *= 1 + t;
    status = osvm_run_solve_again(&run, rule);
  }
  if (status == OSVM_OK) status = export_result(f, &run);
  close_run(f, &run);
  return status;
}

static osvm_status open_store(fixture *f, osvm_store *store, const osvm_simd *simd, int capacity) {
  return osvm_store_open(store, simd, OSVM_PANELS, f->sparse_store, D, capacity, &f->error);
}

static osvm_status decide(fixture *f) {
  osvm_store store;
  const int n = f->carried.n;
  memset(f->result, 0, N * MACHINES * sizeof(double));
  osvm_status status = open_store(f, &store, osvm_simd_single(TEST_LEVEL), n);
  if (status == OSVM_OK) status = osvm_store_append(&store, &f->carried_data, NULL, n, &f->error);
  if (status == OSVM_OK) status = osvm_store_index(&store, &f->error);
  if (status == OSVM_OK)
    status = osvm_decision_values(&f->task.kernel, &store, f->model.coef, MACHINES, &f->data, 2, &no_progress,
                                  f->result, &f->error);
  osvm_store_close(&store);
  return status;
}

/* An append that failed has changed nothing, and succeeds when there is memory again. */
static osvm_status grow(fixture *f) {
  osvm_store store;
  osvm_status status = open_store(f, &store, osvm_simd_double(TEST_LEVEL), 0);
  if (status == OSVM_OK) status = osvm_store_append(&store, &f->data, NULL, 5, &f->error);
  if (status == OSVM_OK) {
    int rows[N];
    for (int i = 0; i < N; i++) rows[i] = i;
    osvm_status late = osvm_store_append(&store, &f->data, rows + 5, N - 5, &f->error);
    if (late != OSVM_OK) {
      CHECK(late == OSVM_NO_MEMORY);
      CHECK(store.n == 5);
      memory_fail(-1, -1);
      CHECK(osvm_store_append(&store, &f->data, rows + 5, N - 5, &f->error) == OSVM_OK);
    }
    if (store.n == N) {
      double buffer[D];
      for (int i = 0; i < N; i++) {
        const osvm_query q = osvm_store_query(&store, i, buffer);
        f->result[i] = q.norm;
        for (int k = 0; k < q.length; k++) f->result[i] += value_get(store.simd, store.sparse ? q.value : q.dense, k);
      }
    }
    status = late;
  }
  osvm_store_close(&store);
  return status;
}

static double row_sum(const osvm_sv_set *set, const void *row) {
  double sum = 0;
  for (int k = 0; k < set->n; k++)
    if (set->shared_slot[k] >= 0)
      sum += value_get(set->shared->store.simd, row, k) * (1 + osvm_sv_set_example(set, k) % 7);
  return sum;
}

/* A support vector is removed, any other example inserted; then a row is computed. */
static osvm_status change_set(fixture *f, osvm_sv_set *set, int i, double *result) {
  const int next[] = {i, (i + 7) % EXAMPLES, (i + 14) % EXAMPLES};
  int slot = osvm_sv_set_slot(set, i);
  const void *row;
  if (slot >= 0) {
    osvm_sv_set_remove(set, slot);
    return OSVM_OK;
  }
  OSVM_TRY(osvm_sv_set_candidate_row(set, next, COUNT(next), &row, &f->error));
  OSVM_TRY(osvm_sv_set_insert(set, i, &slot, &f->error));
  OSVM_TRY(osvm_sv_set_row(set, osvm_sv_set_draw(set, 1, i, 0), &row, &f->error));
  *result = row_sum(set, row);
  return OSVM_OK;
}

static void check_references(const osvm_shared_sv *shared, const osvm_sv_set set[2]) {
  for (int i = 0; i < EXAMPLES; i++) {
    const int slot = shared->slot[i], references = slot < 0 ? 0 : shared->references[slot];
    CHECK(references == (osvm_sv_set_slot(&set[0], i) >= 0) + (osvm_sv_set_slot(&set[1], i) >= 0));
  }
}

/* A change that failed has left both sets valid: the others follow when there is memory again. */
static osvm_status change_sets(fixture *f) {
  static const osvm_column columns[] = {{.idle = 0}, {.real = 1, .idle = 1}};
  osvm_store whole;
  osvm_shared_sv shared = {0};
  osvm_sv_set set[2] = {{0}};
  osvm_status late = OSVM_OK;
  memset(f->result, 0, 3 * EXAMPLES * sizeof(double));
  osvm_status status = open_store(f, &whole, osvm_simd_single(TEST_LEVEL), EXAMPLES);
  if (status == OSVM_OK) status = osvm_store_append(&whole, &f->examples_data, NULL, EXAMPLES, &f->error);
  if (status == OSVM_OK) status = osvm_shared_sv_open(&shared, &f->task.kernel, &whole, 2, &f->error);
  for (int m = 0; m < 2 && status == OSVM_OK; m++)
    status = osvm_sv_set_open(&set[m], &shared, columns, COUNT(columns), 9000, &f->error);
  for (int t = 0; t < 3 * EXAMPLES && status == OSVM_OK; t++) {
    const int i = t * 7 % EXAMPLES, m = t % 3 == 0;
    const int count = set[m].count;
    const osvm_status here = change_set(f, &set[m], i, &f->result[t]);
    if (here == OSVM_OK) continue;
    CHECK(here == OSVM_NO_MEMORY && late == OSVM_OK);
    CHECK(set[m].count == count + (osvm_sv_set_slot(&set[m], i) >= 0));
    check_references(&shared, set);
    memory_fail(-1, -1);
    late = here;
  }
  CHECK(status != OSVM_OK || shared.capacity > 64);
  for (int m = 0; m < 2; m++) osvm_sv_set_close(&set[m]);
  osvm_shared_sv_close(&shared);
  osvm_store_close(&whole);
  return status == OSVM_OK ? late : status;
}

/* An update that failed has changed nothing: the same update gives the same model when there is memory again. */
static osvm_status update_live(osvm_live *live, fixture *f, const osvm_task *task) {
  const int rows = live->rows.n, size = live->model.size;
  const double seen = live->counts.seen;
  osvm_task mine = *task; /* the live model adds to it */
  const osvm_status status = osvm_live_update(live, &mine, &f->error);
  if (status == OSVM_OK) return OSVM_OK;
  CHECK(status == OSVM_NO_MEMORY);
  CHECK(live->rows.n == rows && live->start.packed.n == rows && live->model.size == size && live->counts.seen == seen);
  memory_fail(-1, -1);
  mine = *task;
  CHECK(osvm_live_update(live, &mine, &f->error) == OSVM_OK);
  return status;
}

/* All examples but the last two, then these one by one: each update takes over the sets of the one before. */
static osvm_status update_in_turn(osvm_live *live, fixture *f) {
  osvm_status late = OSVM_OK;
  int rows[N];
  for (int i = 0; i < N; i++) rows[i] = i;
  for (int from = 0, to; from < N; from = to) {
    osvm_task task = f->task;
    to = from < N - 2 ? N - 2 : from + 1;
    task.rows = rows + from;
    task.count = to - from;
    if (task.target.class_of != NULL) task.target.class_of += from;
    if (task.target.value != NULL) task.target.value += from;
    task.weight += from;
    if (from > 0) task.n_forget = 0;
    const osvm_status status = update_live(live, f, &task);
    if (status != OSVM_OK) late = status;
  }
  return late;
}

static osvm_status learn_live(fixture *f) {
  const osvm_live_start start = {
      .carried = &f->carried_data, .model = &f->model, .counts = {.seen = N, .n_sv = f->model.size}};
  osvm_live live;
  osvm_status status = osvm_live_open(&live, &f->task, &start, &f->error);
  if (status == OSVM_OK) {
    status = update_in_turn(&live, f);
    memset(f->result, 0, (size_t)(f->size + 1) * MACHINES * sizeof(double));
    memcpy(f->result, live.model.coef, (size_t)live.model.size * live.model.machines * sizeof(double));
    for (int i = 0; i < live.rows.n; i++) f->result[(size_t)f->size * MACHINES] += (i + 1) * live.rows.norm[i];
    CHECK(live.primal || (live.rows.n == live.model.size && live.start.packed.n == live.model.size));
  }
  osvm_live_close(&live);
  return status;
}

/* ---- every allocation in turn fails alone, or with all after it ---- */

static int turns;

static void check_failures(const char *name, osvm_status (*work)(fixture *f), fixture *f, int results) {
  double *want = malloc(results * sizeof(double));
  const long live = memory.live;
  memory_fail(-1, -1);
  CHECK(work(f) == OSVM_OK);
  CHECK(memory.live == live);
  memcpy(want, f->result, results * sizeof(double));
  const long calls = memory.calls;
  CHECK(calls > 3);
  for (int onwards = 0; onwards < 2; onwards++) {
    const int stride = exhaustive() ? 1 : STRIDE;
    for (long k = turns++ % stride; k < calls; k += stride) {
      test_about("%s, allocation %ld of %ld%s", name, k, calls, onwards ? " and all after it" : "");
      f->error.text = NULL;
      memory_fail(k, onwards ? calls + 1000 : k + 1);
      const osvm_status status = work(f);
      memory_fail(-1, -1);
      CHECK(status == OSVM_OK || status == OSVM_NO_MEMORY);
      CHECK(memory.live == live);
      if (status == OSVM_NO_MEMORY) CHECK(f->error.text != NULL);
      else CHECK(memcmp(want, f->result, results * sizeof(double)) == 0); /* a smaller cache is no failure */
    }
  }
  free(want);
}

static void every_solver(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int k = 0; k < 4; k++) {
      const osvm_kernel *kernel = k / 2 ? &linear : &rbf;
      if (!solver_takes(info[s].solver, kernel)) continue;
      fixture *f = fixture_of(k % 2, &info[s], kernel);
      check_failures(info[s].name, learn, f, (f->size + 1) * MACHINES);
      if (osvm_solver_role(info[s].solver, OSVM_WARM_START) >= 0)
        check_failures("again", solve_again, f, (f->size + 1) * MACHINES);
      check_failures("live", learn_live, f, (f->size + 1) * MACHINES);
      fixture_free(f);
    }
}

/* Solvers on support-vector sets, with the other losses that they declare */
static void other_losses(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int l = 0; l < N_LOSSES; l++) {
      const osvm_solver *solver = info[s].solver;
      if (solver->n_columns == 0 || solver->on_expansion || l == loss_hinge) continue;
      if (!osvm_solver_learns(solver, all_losses[l].info)) continue;
      fixture *f = fixture_within(INFINITY, 0, l % 2, &info[s], &rbf, &all_losses[l]);
      check_failures(info[s].name, learn, f, f->size);
      check_failures("live", learn_live, f, f->size);
      fixture_free(f);
    }
}

static void budgets(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int k = 0; k < 6; k++) {
      if (osvm_solver_role(info[s].solver, OSVM_BUDGET) < 0) continue;
      fixture *f = fixture_within(6, k / 2, k % 2, &info[s], &rbf, NULL);
      check_failures(info[s].name, learn, f, (f->size + 1) * MACHINES);
      check_failures("live", learn_live, f, (f->size + 1) * MACHINES);
      fixture_free(f);
    }
}

/* A budget smaller than the model it starts from */
static void compression(void) {
  const osvm_solver_info olsvm = {"olsvm", osvm_solver_named("olsvm")};
  for (int k = 0; k < 6; k++) {
    fixture *f = fixture_of(k % 2, &olsvm, &rbf);
    arguments_set(&f->arguments, "average", 0);
    arguments_set(&f->arguments, "budget", 5);
    arguments_set(&f->arguments, "maintenance", k / 2);
    f->size += k / 2 == OSVM_MERGE ? f->model.size / 8 * 5 + 5 : 0;
    f->result = realloc(f->result, ((size_t)(f->size + 1) * MACHINES + 3 * EXAMPLES) * sizeof(double));
    f->model.columns = realloc(f->model.columns, (size_t)f->model.size * MACHINES * sizeof(double));
    check_failures("compression", learn, f, (f->size + 1) * MACHINES);
    fixture_free(f);
  }
}

static void check_work(const char *name, osvm_status (*work)(fixture *f), int results) {
  const osvm_solver_info olsvm = {"olsvm", osvm_solver_named("olsvm")};
  for (int t = 0; t < 4; t++) { /* data and store are dense or sparse */
    fixture *f = fixture_of(t % 2, &olsvm, &rbf);
    f->sparse_store = t / 2;
    check_failures(name, work, f, results);
    fixture_free(f);
  }
}

static void decision_values(void) { check_work("decision values", decide, N * MACHINES); }

static void stores(void) { check_work("store", grow, N); }

static void support_vector_sets(void) { check_work("sets", change_sets, 3 * EXAMPLES); }

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
  RUN(every_solver);
  RUN(other_losses);
  RUN(budgets);
  RUN(compression);
  RUN(decision_values);
  RUN(stores);
  RUN(support_vector_sets);
}
