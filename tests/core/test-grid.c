/* A grid gives what separate runs on the same folds would give, whatever is shared, cut short or spread over threads. */
#include "test.h"

enum { N = 90, FOLDS = 3, KERNELS = 2, SETTINGS = 3, CELLS = KERNELS * SETTINGS, PARAMS = 20 };
enum { EPOCHS = 17 }; /* their index in the parameters */
static const double Cs[SETTINGS] = {3, 0.2, 40}, seeds[FOLDS] = {5, 6, 7};
static const osvm_progress nobody = {NULL, NULL};

typedef struct {
  matrix m;
  osvm_data data;
  int rows[N], class_of[N], fold[N], machines;
  double weight[N];
  osvm_argument params[SETTINGS][PARAMS];
  osvm_setting settings[SETTINGS];
  osvm_kernel kernels[KERNELS];
  osvm_cell cells[CELLS];
  osvm_task task;
  osvm_grid grid;
  osvm_cell_result result[FOLDS * CELLS];
  double *outputs;
  osvm_error error;
} field;

static const int ovr[] = {0, 1, 2}, others[] = {-1, -1, -1}, one[] = {1}, zero[] = {0};

static field *field_of(const char *solver, const osvm_kernel *kernel, int d, osvm_data_kind kind, int classes) {
  static const osvm_argument all[PARAMS] = {
      {"C", 1},         {"bias", 1},      {"average", 0},      {"regularized", 0}, {"outputs", 0},
      {"rate", 0.1},    {"lambda", 0.1},  {"batch", 3},        {"project", 1},     {"start", 3},
      {"finish", 1},    {"selection", 0}, {"tolerance", 1e-6}, {"min_gain", 0},    {"keep", INFINITY},
      {"shrinking", 1}, {"variant", 1},   {"epochs", 1},       {"shuffle", 1},     {"unit_norm", 0}};
  field *f = calloc(1, sizeof *f);
  f->m = matrix_normal(N, d, 0.6);
  f->data = matrix_view(&f->m, kind);
  f->machines = classes == 2 ? 1 : 3;
  random_order(f->rows, N);
  for (int i = 0; i < N; i++) {
    const double x = data_value(&f->data, f->rows[i], 0) + data_value(&f->data, f->rows[i], 1) + random_normal() / 2;
    f->class_of[i] = classes == 2 ? x > 0.3 : (x > -0.5) + (x > 1);
    f->fold[i] = random_below(FOLDS);
    f->weight[i] = 1 + i % 2;
  }
  for (int s = 0; s < SETTINGS; s++) {
    memcpy(f->params[s], all, sizeof all);
    f->params[s][0].value = Cs[s];
    f->params[s][EPOCHS].value = 1 + s % 2;
    f->settings[s] = (osvm_setting){f->params[s], PARAMS};
  }
  for (int k = 0; k < KERNELS; k++) {
    f->kernels[k] = *kernel;
    f->kernels[k].gamma *= 1 + k;
  }
  for (int c = 0; c < CELLS; c++) f->cells[c] = (osvm_cell){c % KERNELS, c / KERNELS};
  f->outputs = calloc((size_t)N * 3 * CELLS, sizeof(double));
  f->task = (osvm_task){.solver = solver,
                        .kernel = *kernel,
                        .params = f->params[0],
                        .n_params = PARAMS,
                        .data = &f->data,
                        .rows = f->rows,
                        .count = N,
                        .class_of = f->class_of,
                        .weight = f->weight,
                        .machines = f->machines,
                        .positive = classes == 2 ? one : ovr,
                        .negative = classes == 2 ? zero : others,
                        .doubles = 1,
                        .level = TEST_LEVEL,
                        .cache_bytes = 1 << 20,
                        .threads = 1,
                        .progress = nobody};
  f->grid = (osvm_grid){.task = &f->task,
                        .fold = f->fold,
                        .folds = FOLDS,
                        .seed = seeds,
                        .kernels = f->kernels,
                        .settings = f->settings,
                        .cells = f->cells,
                        .n_kernels = KERNELS,
                        .n_settings = SETTINGS,
                        .n_cells = CELLS,
                        .outputs = f->outputs,
                        .result = f->result};
  return f;
}

static void field_free(field *f) {
  matrix_free(&f->m);
  free(f->outputs);
  free(f);
}

static double *copy_outputs(const field *f) {
  double *copy = malloc((size_t)N * 3 * CELLS * sizeof(double));
  memcpy(copy, f->outputs, (size_t)N * 3 * CELLS * sizeof(double));
  return copy;
}

/* ---- against separate runs ---- */

static void check_fold(const field *f, int c, int fold, double tolerance) {
  const osvm_setting *setting = &f->settings[f->cells[c].setting];
  int rows[N], class_of[N], count = 0, support = 0;
  double weight[N];
  for (int i = 0; i < N; i++) {
    if (f->fold[i] == fold) continue;
    rows[count] = f->rows[i];
    class_of[count] = f->class_of[i];
    weight[count++] = f->weight[i];
  }
  osvm_task task = f->task;
  task.params = setting->params;
  task.n_params = setting->n_params;
  task.seed = seeds[fold];
  task.kernel = f->kernels[f->cells[c].kernel];
  task.rows = rows;
  task.count = count;
  task.class_of = class_of;
  task.weight = weight;
  osvm_run run;
  osvm_error error;
  CHECK(osvm_run_open(&run, &task, &error) == OSVM_OK && osvm_run_learn(&run) == OSVM_OK);
  const int size = osvm_run_size(&run), primal = run.driver->primal;
  osvm_model model = model_for(run.solver, size, f->machines);
  CHECK(osvm_run_export(&run, &model) == OSVM_OK);
  for (int i = 0; i < N; i++) {
    if (f->fold[i] != fold) continue;
    for (int m = 0; m < f->machines; m++) {
      double want = model.intercept[m];
      for (int j = 0; j < size; j++)
        want +=
            model.coef[j + m * size] * (primal ? data_value(&f->data, f->rows[i], j)
                                               : plain_kernel(&task.kernel, &f->data, f->rows[i], &f->data, rows[j]));
      CHECK_NEAR(f->outputs[i + N * (m + (size_t)f->machines * c)], want, tolerance * fmax(1, fabs(want)));
    }
  }
  double most = 0;
  for (int k = 0; k < size * f->machines; k++) most = fmax(most, fabs(model.coef[k]));
  for (int j = 0; j < size && !primal; j++) {
    int any = 0;
    for (int m = 0; m < f->machines; m++) any |= fabs(model.coef[j + m * size]) > 2.3e-16 * most;
    support += any;
  }
  const osvm_cell_result *result = &f->result[c * FOLDS + fold];
  CHECK(result->state == OSVM_DONE && result->seconds >= 0 && result->message == NULL);
  CHECK(tolerance > 1e-5 || result->support == support);
  model_free(&model);
  osvm_run_close(&run);
}

static const struct {
  const char *name;
  double tolerance; /* of outputs: warm starts end elsewhere within their own tolerance */
} solvers[] = {{"norma", 1e-9}, {"pegaz", 1e-9},      {"olsvm", 1e-9}, {"sgd", 1e-6},  {"pegasos", 1e-6},
               {"smo", 1e-4},   {"perceptron", 1e-9}, {"pa", 1e-9},    {"ramp", 1e-9}, {"cccp", 1e-9},
               {"lasvm", 1e-6}, {"idsvm", 1e-6},      {"huller", 1e-9}};

static int is_linear(const char *solver) { return strcmp(solver, "sgd") == 0 || strcmp(solver, "pegasos") == 0; }

static void the_grid_is_what_separate_runs_are(void) {
  static const osvm_kernel rbf = {OSVM_RBF, 0.3, 0, 0}, linear = {OSVM_LINEAR, 1, 0, 0};
  for (int s = 0; s < COUNT(solvers); s++)
    for (int d = 3; d <= 20; d += 17)
      for (int kind = 0; kind < 2; kind++) {
        const char *name = solvers[s].name;
        const int classes = 2 + (s + d) % 2;
        test_about("%s, d %d, %s, %d classes", name, d, kind ? "sparse" : "dense", classes);
        field *f = field_of(name, is_linear(name) ? &linear : &rbf, d, kind ? OSVM_SPARSE : OSVM_DOUBLES, classes);
        if (strcmp(name, "smo") == 0)
          for (int p = 0; p < SETTINGS; p++) {
            f->params[p][7] = (osvm_argument){"max_iter", 1e6};
            f->params[p][EPOCHS].value = 1;
          }
        for (int p = 0; p < SETTINGS; p++)
          if (strcmp(name, "ramp") == 0 || strcmp(name, "cccp") == 0 || strcmp(name, "idsvm") == 0)
            f->params[p][EPOCHS].value = 1;
        for (int p = 0; p < SETTINGS && strcmp(name, "cccp") == 0; p++) f->params[p][9].value = 0.2;
        CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
        for (int c = 0; c < CELLS; c++)
          for (int fold = 0; fold < FOLDS; fold++) check_fold(f, c, fold, solvers[s].tolerance);
        field_free(f);
      }
}

/* Cells that differ in epochs alone; with `touch` a finishing touch, or a batch to be cut short, comes after the last. */
static field *field_epochs(const char *name, const osvm_kernel *kernel, int d, int touch) {
  field *f = field_of(name, kernel, d, OSVM_DOUBLES, 3);
  for (int s = 0; s < SETTINGS; s++) {
    f->params[s][0].value = 3;
    f->params[s][7].value = touch ? 4 : 1;
    f->params[s][10].value = touch;
    f->params[s][EPOCHS].value = s == 0 ? 3 : s;
  }
  return f;
}

static double all_updates(const field *f) {
  double sum = 0;
  for (int r = 0; r < FOLDS * f->grid.n_cells; r++) sum += f->result[r].updates;
  return sum;
}

static void epochs_are_stops_on_one_way(void) {
  static const osvm_kernel rbf = {OSVM_RBF, 0.3, 0, 0}, linear = {OSVM_LINEAR, 1, 0, 0};
  static const char *const names[] = {"norma",  "pegaz", "olsvm",   "perceptron", "pa",
                                      "huller", "sgd",   "pegasos", "lasvm"};
  for (int s = 0; s < COUNT(names); s++)
    for (int touch = 0; touch < (s < COUNT(names) - 2 ? 1 : 2); touch++) { /* only the last two have one */
      test_about("%s, %s", names[s], touch ? "with a touch" : "plain");
      field *f = field_epochs(names[s], is_linear(names[s]) ? &linear : &rbf, 20, touch);
      f->grid.n_cells = KERNELS; /* the longest way alone */
      CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
      const double updates = all_updates(f);
      f->grid.n_cells = CELLS;
      CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
      CHECK((all_updates(f) > updates) == touch);
      for (int c = 0; c < CELLS; c++)
        for (int fold = 0; fold < FOLDS; fold++) check_fold(f, c, fold, 1e-6);
      field_free(f);
    }
}

/* ---- what must not matter, and what must ---- */

static const char *const kinds[] = {"olsvm", "lasvm", "sgd"}; /* lockstep, chains with members, chains with weights */
static const osvm_kernel rbf = {OSVM_RBF, 0.3, 0, 0}, linear = {OSVM_LINEAR, 1, 0, 0};

static field *field_kind(int k, int d) { return field_of(kinds[k], k == 2 ? &linear : &rbf, d, OSVM_DOUBLES, 3); }

static void threads_and_memory_do_not_matter(void) {
  static const size_t bytes[] = {1 << 20, 20000, 0};
  for (int k = 0; k < COUNT(kinds); k++) {
    field *f = field_kind(k, 20);
    CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
    double *first = copy_outputs(f);
    for (int threads = 1; threads <= 3; threads++)
      for (int b = 0; b < COUNT(bytes); b++) {
        test_about("%s, %d threads, %d bytes", kinds[k], threads, (int)bytes[b]);
        f->task.threads = threads;
        f->task.cache_bytes = bytes[b];
        memset(f->outputs, 0, (size_t)N * 3 * CELLS * sizeof(double));
        CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
        CHECK(f->grid.shared_bytes <= bytes[b]);
        for (int i = 0; i < N * 3 * CELLS; i++) CHECK_NEAR(f->outputs[i], first[i], 1e-9);
      }
    free(first);
    field_free(f);
  }
}

static void distances_are_computed_once(void) {
  for (int k = 0; k < 2; k++) {
    field *f = field_kind(k, 20);
    CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
    CHECK(f->grid.shared_evaluations == (double)N * N);
    /* In lockstep nobody computes rows for himself, but for those he owes from one epoch to the next. */
    for (int r = 0; r < FOLDS * CELLS && k == 0; r++) {
      const double epochs = f->params[f->cells[r / FOLDS].setting][EPOCHS].value;
      CHECK(f->result[r].evaluations <= (epochs - 1.0) * OSVM_QUERIES * N);
    }
    field_free(f);
  }
}

typedef struct {
  int polls, stop_at;
} clock;

static int tick(void *user, double done) {
  clock *c = user;
  CHECK(done >= 0 && done <= 1);
  return ++c->polls == c->stop_at;
}

static void what_is_done_when_interrupted_stays(void) {
  for (int k = 0; k < COUNT(kinds); k++) {
    field *f = field_kind(k, 3);
    CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
    double *whole = copy_outputs(f);
    int some = 0;
    for (int stop = 1; stop < 400; stop += 1 + stop / 4) {
      test_about("%s, stopped at poll %d", kinds[k], stop);
      clock c = {0, stop};
      f->task.progress = (osvm_progress){tick, &c};
      const osvm_status status = osvm_grid_run(&f->grid, &f->error);
      CHECK(status == (c.polls < stop ? OSVM_OK : OSVM_INTERRUPTED));
      int done = 0;
      for (int r = 0; r < FOLDS * CELLS; r++) done += f->result[r].state == OSVM_DONE;
      CHECK(status == OSVM_OK ? done == FOLDS * CELLS : done < FOLDS * CELLS);
      some |= done > 0 && done < FOLDS * CELLS;
      for (int cell = 0; cell < CELLS; cell++)
        for (int i = 0; i < N; i++)
          if (f->result[cell * FOLDS + f->fold[i]].state == OSVM_DONE)
            CHECK(f->outputs[i + (size_t)N * f->machines * cell] == whole[i + (size_t)N * f->machines * cell]);
    }
    CHECK(some || k > 0); /* work between polls is long beside these little sets */
    free(whole);
    field_free(f);
  }
}

static void a_cell_fails_by_itself(void) {
  for (int k = 0; k < COUNT(kinds); k += 2) {
    field *f = field_kind(k, 3);
    f->params[1][k == 0 ? 0 : 5].value = 1e308;
    f->params[1][EPOCHS].value = 3;
    test_about("%s", kinds[k]);
    CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
    for (int c = 0; c < CELLS; c++)
      for (int fold = 0; fold < FOLDS; fold++) {
        const osvm_cell_result *r = &f->result[c * FOLDS + fold];
        CHECK(r->state == (f->cells[c].setting == 1 ? OSVM_FAILED : OSVM_DONE));
        CHECK((r->message != NULL) == (r->state == OSVM_FAILED));
      }
    field_free(f);
  }
}

static void running_out_of_iterations_shows(void) {
  field *f = field_of("smo", &rbf, 3, OSVM_DOUBLES, 2);
  for (int p = 0; p < SETTINGS; p++) f->params[p][7] = (osvm_argument){"max_iter", p == 1 ? 2 : 1e6};
  CHECK(osvm_grid_run(&f->grid, &f->error) == OSVM_OK);
  for (int r = 0; r < FOLDS * CELLS; r++)
    CHECK(f->result[r].state == (f->cells[r / FOLDS].setting == 1 ? OSVM_UNFINISHED : OSVM_DONE));
  field_free(f);
}

/* Refused at every allocation in turn: an error or failed cells, and nothing is left behind. */
static void memory_may_run_out(void) {
  static const char *const names[] = {"olsvm", "lasvm", "sgd", "smo"};
  for (int k = 0; k < COUNT(names); k++)
    for (int d = 3; d <= 20; d += 17) {
      field *f = field_of(names[k], k == 2 ? &linear : &rbf, d, d > 3 ? OSVM_SPARSE : OSVM_DOUBLES, 2);
      f->grid.n_cells = 2 * KERNELS;
      f->params[1][0].value = Cs[0]; /* so that settings 0 and 1 are on one way */
      f->params[0][10].value = f->params[1][10].value = 0;
      f->params[0][7].value = f->params[1][7].value = 1;
      for (int p = 0; p < SETTINGS && k == 3; p++) f->params[p][7] = (osvm_argument){"max_iter", 1e6};
      long refusals = 0;
      for (long at = 0;; at += 1 + at / 50) {
        test_about("%s, d %d, allocation %ld", names[k], d, at);
        const long live = memory.live;
        memory_fail(at, at + 1);
        const osvm_status status = osvm_grid_run(&f->grid, &f->error);
        const int reached = memory.calls > at;
        memory_fail(-1, -1);
        CHECK(memory.live == live);
        if (!reached) {
          CHECK(status == OSVM_OK);
          break;
        }
        refusals++;
        int failed = 0;
        for (int r = 0; r < FOLDS * f->grid.n_cells; r++) failed += f->result[r].state == OSVM_FAILED;
        CHECK(status == OSVM_NO_MEMORY || (status == OSVM_OK && failed > 0));
      }
      CHECK(refusals > 20);
      field_free(f);
    }
}

void test_grid(void) {
  RUN(the_grid_is_what_separate_runs_are);
  RUN(epochs_are_stops_on_one_way);
  RUN(threads_and_memory_do_not_matter);
  RUN(distances_are_computed_once);
  RUN(what_is_done_when_interrupted_stays);
  RUN(a_cell_fails_by_itself);
  RUN(running_out_of_iterations_shows);
  RUN(memory_may_run_out);
}
