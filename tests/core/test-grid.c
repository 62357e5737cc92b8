/* A grid gives the hold-out outputs of separate runs on the same folds, for any memory and number of threads. */
#include <stdatomic.h>

#include "test.h"

enum { N = 90, FOLDS = 3, KERNELS = 2, SETTINGS = 3, POINTS = KERNELS * SETTINGS, PARAMS = 22, BUDGET = 20 };
enum { EPOCHS = 17 }; /* their index in the parameters */
static const double Cs[SETTINGS] = {3, 0.2, 40}, seeds[FOLDS] = {5, 6, 7};
static const osvm_progress no_progress = {0};

typedef struct {
  matrix m;
  osvm_data data;
  int rows[N], class_of[N], fold[N], machines;
  double weight[N];
  argument params[SETTINGS][PARAMS];
  arguments arguments[SETTINGS];
  const double *settings[SETTINGS]; /* made of `params` by run_grid() */
  osvm_kernel kernels[KERNELS];
  osvm_grid_point points[POINTS];
  osvm_task task;
  osvm_grid grid;
  osvm_point_result result[FOLDS * POINTS];
  double *outputs;
  osvm_error error;
} fixture;

static const int ovr[] = {0, 1, 2}, others[] = {-1, -1, -1}, one[] = {1}, zero[] = {0};

static fixture *fixture_of(const char *solver, const osvm_kernel *kernel, int d, osvm_data_kind kind, int classes) {
  static const argument all[PARAMS] = {{"C", 1},
                                       {"bias", 1},
                                       {"average", 0},
                                       {"regularized", 0},
                                       {"outputs", 0},
                                       {"rate", 0.1},
                                       {"lambda", 0.1},
                                       {"batch", 3},
                                       {"project", 1},
                                       {"start", 3},
                                       {"finish", 1},
                                       {"selection", 0},
                                       {"tolerance", 1e-6},
                                       {"min_gain", 0},
                                       {"keep", INFINITY},
                                       {"shrinking", 1},
                                       {"variant", 1},
                                       {"epochs", 1},
                                       {"shuffle", 1},
                                       {"unit_norm", 0},
                                       {"budget", INFINITY},
                                       {"maintenance", 0}};
  fixture *f = calloc(1, sizeof *f);
  f->m = kind == OSVM_SPARSE ? matrix_thin(N, d, 0.6) : matrix_normal(N, d, 0.6);
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
    f->settings[s] = f->arguments[s].values;
  }
  for (int k = 0; k < KERNELS; k++) {
    f->kernels[k] = *kernel;
    f->kernels[k].params[0] *= 1 + k;
  }
  for (int c = 0; c < POINTS; c++) f->points[c] = (osvm_grid_point){c % KERNELS, c / KERNELS};
  f->outputs = calloc((size_t)N * 3 * POINTS, sizeof(double));
  f->task = (osvm_task){.solver = osvm_solver_named(solver),
                        .kernel = *kernel,
                        .params = f->settings[0],
                        .data = &f->data,
                        .rows = f->rows,
                        .count = N,
                        .loss = hinge,
                        .target = {.class_of = f->class_of,
                                   .positive = classes == 2 ? one : ovr,
                                   .negative = classes == 2 ? zero : others},
                        .weight = f->weight,
                        .machines = f->machines,
                        .doubles = 1,
                        .level = TEST_LEVEL,
                        .cache_bytes = 1 << 20,
                        .threads = 1,
                        .progress = no_progress};
  f->grid = (osvm_grid){.task = &f->task,
                        .fold = f->fold,
                        .folds = FOLDS,
                        .seed = seeds,
                        .kernels = f->kernels,
                        .settings = f->settings,
                        .points = f->points,
                        .n_kernels = KERNELS,
                        .n_settings = SETTINGS,
                        .n_points = POINTS,
                        .outputs = f->outputs,
                        .result = f->result};
  return f;
}

static osvm_status run_grid(fixture *f) {
  for (int s = 0; s < SETTINGS; s++) f->arguments[s] = arguments_for(f->task.solver, f->params[s], PARAMS);
  return osvm_grid_run(&f->grid, &f->error);
}

static void fixture_free(fixture *f) {
  matrix_free(&f->m);
  free(f->outputs);
  free(f);
}

static double *copy_outputs(const fixture *f) {
  double *copy = malloc((size_t)N * 3 * POINTS * sizeof(double));
  memcpy(copy, f->outputs, (size_t)N * 3 * POINTS * sizeof(double));
  return copy;
}

static void clear_outputs(fixture *f) { memset(f->outputs, 0, (size_t)N * 3 * POINTS * sizeof(double)); }

/* ---- against separate runs ---- */

static void check_fold(const fixture *f, int c, int fold, double tolerance) {
  int rows[N], class_of[N], count = 0, support = 0;
  double weight[N];
  for (int i = 0; i < N; i++) {
    if (f->fold[i] == fold) continue;
    rows[count] = f->rows[i];
    class_of[count] = f->class_of[i];
    weight[count++] = f->weight[i];
  }
  osvm_task task = f->task;
  task.params = f->settings[f->points[c].setting];
  task.seed = seeds[fold];
  task.kernel = f->kernels[f->points[c].kernel];
  task.rows = rows;
  task.count = count;
  task.target.class_of = class_of;
  task.weight = weight;
  osvm_run run;
  osvm_error error;
  CHECK(osvm_run_open(&run, &task, &error) == OSVM_OK && osvm_run_learn(&run) == OSVM_OK);
  const int size = osvm_run_size(&run), primal = run.driver->primal;
  osvm_model model = model_of(&run);
  CHECK(osvm_run_export(&run, &model) == OSVM_OK);
  matrix examples = matrix_rows(&f->m, rows, count);
  matrix vectors = primal ? examples : model_vectors(&run, &model, &examples);
  const osvm_data view = matrix_view(&vectors, OSVM_DOUBLES);
  for (int i = 0; i < N; i++) {
    if (f->fold[i] != fold) continue;
    for (int m = 0; m < f->machines; m++) {
      double want = model.intercept[m];
      for (int j = 0; j < size && primal; j++) want += model.coef[j + m * size] * data_value(&f->data, f->rows[i], j);
      for (int k = 0; k < model.n_kept; k++)
        want += model.coef[model.kept[k] + m * size] * plain_kernel(&task.kernel, &f->data, f->rows[i], &view, k);
      CHECK_NEAR(f->outputs[i + N * (m + (size_t)f->machines * c)], want, tolerance * fmax(1, fabs(want)));
    }
  }
  if (!primal) matrix_free(&vectors);
  matrix_free(&examples);
  double most = 0;
  for (int k = 0; k < size * f->machines; k++) most = fmax(most, fabs(model.coef[k]));
  for (int j = 0; j < size && !primal; j++) {
    int any = 0;
    for (int m = 0; m < f->machines; m++) any |= fabs(model.coef[j + m * size]) > 2.3e-16 * most;
    support += any;
  }
  const osvm_point_result *result = &f->result[c * FOLDS + fold];
  CHECK(result->state == OSVM_DONE && result->seconds >= 0 && result->message == NULL);
  CHECK(tolerance > 1e-5 || result->support == support);
  model_free(&model);
  osvm_run_close(&run);
}

static const struct {
  const char *name;
  double tolerance; /* of outputs; warm starts reach another point within the solver's tolerance */
} solvers[] = {{"norma", 1e-9}, {"pegaz", 1e-9},      {"olsvm", 1e-9},  {"sgd", 1e-6},  {"pegasos", 1e-6},
               {"smo", 1e-4},   {"perceptron", 1e-9}, {"pa", 1e-9},     {"ramp", 1e-9}, {"cccp", 1e-9},
               {"lasvm", 1e-6}, {"idsvm", 1e-6},      {"huller", 1e-9}, {"dcd", 1e-2}};

static int is_linear(const char *solver) { return strcmp(osvm_solver_named(solver)->space, "linear") == 0; }

static void the_grid_equals_separate_runs(void) {
  static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.3}}, linear = {.info = &osvm_kernel_linear};
  for (int s = 0; s < COUNT(solvers); s++)
    for (int d = 3; d <= 20; d += 17)
      for (int kind = 0; kind < 2; kind++) {
        const char *name = solvers[s].name;
        const int classes = 2 + (s + d) % 2;
        test_about("%s, d %d, %s, %d classes", name, d, kind ? "sparse" : "dense", classes);
        fixture *f = fixture_of(name, is_linear(name) ? &linear : &rbf, d, kind ? OSVM_SPARSE : OSVM_DOUBLES, classes);
        if (osvm_solver_named(name)->solve != NULL)
          for (int p = 0; p < SETTINGS; p++) {
            f->params[p][7] = (argument){"max_iter", 1e6};
            f->params[p][EPOCHS].value = 1;
          }
        for (int p = 0; p < SETTINGS; p++)
          if (strcmp(name, "ramp") == 0 || strcmp(name, "cccp") == 0 || strcmp(name, "idsvm") == 0)
            f->params[p][EPOCHS].value = 1;
        for (int p = 0; p < SETTINGS && strcmp(name, "cccp") == 0; p++) f->params[p][9].value = 0.2;
        CHECK(run_grid(f) == OSVM_OK);
        for (int c = 0; c < POINTS; c++)
          for (int fold = 0; fold < FOLDS; fold++) check_fold(f, c, fold, solvers[s].tolerance);
        fixture_free(f);
      }
}

/* Grid points that differ in epochs alone. `ends`: the end of a run changes the model, by a finishing step or a
 * mini-batch cut short, so that runs of different lengths do not nest. */
static fixture *fixture_epochs(const char *name, const osvm_kernel *kernel, int d, int ends) {
  fixture *f = fixture_of(name, kernel, d, OSVM_DOUBLES, 3);
  for (int s = 0; s < SETTINGS; s++) {
    f->params[s][0].value = 3;
    f->params[s][7].value = ends ? 4 : 1;
    f->params[s][10].value = ends;
    f->params[s][EPOCHS].value = s == 0 ? 3 : s;
  }
  return f;
}

static double all_updates(const fixture *f) {
  double sum = 0;
  for (int r = 0; r < FOLDS * f->grid.n_points; r++) sum += f->result[r].updates;
  return sum;
}

static void smaller_numbers_of_epochs_are_checkpoints(void) {
  static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.3}}, linear = {.info = &osvm_kernel_linear};
  static const char *const names[] = {"norma",  "pegaz", "olsvm",   "perceptron", "pa",
                                      "huller", "sgd",   "pegasos", "lasvm"};
  for (int s = 0; s < COUNT(names); s++)
    for (int ends = 0; ends < (s < COUNT(names) - 2 ? 1 : 2); ends++) { /* only the last two */
      test_about("%s, %s", names[s], ends ? "separate runs" : "nested runs");
      fixture *f = fixture_epochs(names[s], is_linear(names[s]) ? &linear : &rbf, 20, ends);
      f->grid.n_points = KERNELS; /* the longest runs alone */
      CHECK(run_grid(f) == OSVM_OK);
      const double updates = all_updates(f);
      f->grid.n_points = POINTS;
      CHECK(run_grid(f) == OSVM_OK);
      CHECK((all_updates(f) > updates) == ends);
      for (int c = 0; c < POINTS; c++)
        for (int fold = 0; fold < FOLDS; fold++) check_fold(f, c, fold, 1e-6);
      fixture_free(f);
    }
}

/* Several grids, each on one thread, have the numbers of each alone. */
static void grids_run_side_by_side(void) {
  enum { GRIDS = 3 };
  static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.3}};
  fixture *f[GRIDS];
  osvm_grid_job jobs[GRIDS];
  double *alone[GRIDS];
  for (int k = 0; k < GRIDS; k++) {
    f[k] = fixture_of("olsvm", &rbf, 3 + k, OSVM_DOUBLES, 2 + k % 2);
    CHECK(run_grid(f[k]) == OSVM_OK);
    alone[k] = copy_outputs(f[k]);
    clear_outputs(f[k]);
    jobs[k] = (osvm_grid_job){.grid = f[k]->grid, .task = f[k]->task};
  }
  for (int threads = 1; threads < 4; threads += 2) {
    osvm_grids_run(jobs, GRIDS, threads, &no_progress);
    for (int k = 0; k < GRIDS; k++) {
      CHECK(jobs[k].status == OSVM_OK);
      CHECK(memcmp(alone[k], f[k]->outputs, (size_t)N * f[k]->machines * POINTS * sizeof(double)) == 0);
      clear_outputs(f[k]);
    }
  }
  for (int k = 0; k < GRIDS; k++) {
    free(alone[k]);
    fixture_free(f[k]);
  }
}

/* ---- budgets ---- */

/* Some settings have one, kept in each way; the others run beside them. */
static void budgets_are_settings(void) {
  static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.3}};
  static const char *const names[] = {"norma", "pegaz", "olsvm", "perceptron", "pa"};
  for (int s = 0; s < COUNT(names); s++)
    for (int maintenance = OSVM_MERGE; maintenance <= OSVM_REMOVE; maintenance++)
      for (int kind = 0; kind < 2; kind++) {
        test_about("%s, maintenance %d, kind %d", names[s], maintenance, kind);
        fixture *f = fixture_of(names[s], &rbf, 6, kind ? OSVM_SPARSE : OSVM_DOUBLES, 3);
        for (int p = 0; p < SETTINGS; p++) {
          f->params[p][BUDGET].value = p == 0 ? INFINITY : 5 * p;
          f->params[p][BUDGET + 1].value = maintenance;
        }
        CHECK(run_grid(f) == OSVM_OK);
        for (int c = 0; c < POINTS; c++)
          for (int fold = 0; fold < FOLDS; fold++) {
            check_fold(f, c, fold, 1e-6);
            const int setting = f->points[c].setting;
            CHECK(setting == 0 || f->result[c * FOLDS + fold].support <= 5 * setting);
          }
        fixture_free(f);
      }
}

/* ---- threads, memory, interrupts, failures ---- */

static const char *const kinds[] = {"olsvm", "lasvm", "sgd"}; /* batches; paths: support-vector sets, primal */
static const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {0.3}}, linear = {.info = &osvm_kernel_linear};

static fixture *fixture_kind(int k, int d) { return fixture_of(kinds[k], k == 2 ? &linear : &rbf, d, OSVM_DOUBLES, 3); }

static void threads_and_memory_do_not_matter(void) {
  static const size_t bytes[] = {1 << 20, 20000, 0};
  for (int k = 0; k < COUNT(kinds); k++) {
    fixture *f = fixture_kind(k, 20);
    CHECK(run_grid(f) == OSVM_OK);
    double *first = copy_outputs(f);
    for (int threads = 1; threads <= 3; threads++)
      for (int b = 0; b < COUNT(bytes); b++) {
        test_about("%s, %d threads, %d bytes", kinds[k], threads, (int)bytes[b]);
        f->task.threads = threads;
        f->task.cache_bytes = bytes[b];
        clear_outputs(f);
        CHECK(run_grid(f) == OSVM_OK);
        CHECK(f->grid.shared_bytes <= bytes[b]);
        for (int i = 0; i < N * 3 * POINTS; i++) CHECK_NEAR(f->outputs[i], first[i], 1e-9);
      }
    free(first);
    fixture_free(f);
  }
}

static void distances_are_computed_once(void) {
  for (int k = 0; k < 2; k++) {
    fixture *f = fixture_kind(k, 20);
    CHECK(run_grid(f) == OSVM_OK);
    CHECK(f->grid.shared_evaluations == (double)N * N);
    /* In lockstep a run computes rows only for updates pending from one epoch to the next, which are flushed then. */
    for (int r = 0; r < FOLDS * POINTS && k == 0; r++) {
      const double epochs = f->params[f->points[r / FOLDS].setting][EPOCHS].value;
      CHECK(f->result[r].evaluations <= (epochs - 1.0) * OSVM_QUERIES * N);
    }
    fixture_free(f);
  }
}

typedef struct {
  atomic_int polls;
  int stop_at;
} poll_count;

static int count_poll(void *user, double done) {
  poll_count *c = user;
  CHECK(done >= 0 && done <= 1);
  return ++c->polls == c->stop_at;
}

static void an_interrupt_keeps_finished_points(void) {
  for (int k = 0; k < COUNT(kinds); k++) {
    fixture *f = fixture_kind(k, 3);
    CHECK(run_grid(f) == OSVM_OK);
    double *whole = copy_outputs(f);
    int some = 0;
    for (int stop = 1; stop < 400; stop += 1 + stop / 4) {
      test_about("%s, stopped at poll %d", kinds[k], stop);
      poll_count c = {0, stop};
      f->task.progress = host_progress(count_poll, &c);
      clear_outputs(f);
      const osvm_status status = run_grid(f);
      CHECK(status == (c.polls < stop ? OSVM_OK : OSVM_INTERRUPTED));
      int done = 0;
      for (int r = 0; r < FOLDS * POINTS; r++) done += f->result[r].state == OSVM_DONE;
      CHECK(status == OSVM_OK ? done == FOLDS * POINTS : done < FOLDS * POINTS);
      some |= done > 0 && done < FOLDS * POINTS;
      for (int point = 0; point < POINTS; point++)
        for (int i = 0; i < N; i++)
          if (f->result[point * FOLDS + f->fold[i]].state == OSVM_DONE)
            CHECK(f->outputs[i + (size_t)N * f->machines * point] == whole[i + (size_t)N * f->machines * point]);
    }
    CHECK(some || k > 0); /* paths poll by work done, which is less than one interval on such small sets */
    free(whole);
    fixture_free(f);
  }
}

/* Results are what the call left, not what was in the memory before. */
static void grids_side_by_side_are_stopped(void) {
  enum { GRIDS = COUNT(kinds) };
  fixture *f[GRIDS];
  osvm_grid_job jobs[GRIDS];
  double *whole[GRIDS];
  for (int k = 0; k < GRIDS; k++) {
    f[k] = fixture_kind(k, 3);
    CHECK(run_grid(f[k]) == OSVM_OK);
    whole[k] = copy_outputs(f[k]);
  }
  for (int threads = 1; threads < 4; threads++)
    for (int stop = 1, stopped = 1; stopped; stop += 1 + stop / 4) {
      test_about("%d threads, stopped at poll %d", threads, stop);
      poll_count c = {0, stop};
      const osvm_progress progress = host_progress(count_poll, &c);
      for (int k = 0; k < GRIDS; k++) {
        jobs[k] = (osvm_grid_job){.grid = f[k]->grid, .task = f[k]->task};
        memset(jobs[k].grid.result, 0x55, FOLDS * POINTS * sizeof(osvm_point_result));
        clear_outputs(f[k]);
      }
      osvm_grids_run(jobs, GRIDS, threads, &progress);
      stopped = c.polls >= stop;
      for (int k = 0; k < GRIDS; k++) {
        int done = 0;
        for (int r = 0; r < FOLDS * POINTS; r++) {
          const osvm_point_result *result = &jobs[k].grid.result[r];
          CHECK(result->message == NULL && (result->state == OSVM_DONE || result->state == OSVM_NOT_RUN));
          done += result->state == OSVM_DONE;
        }
        CHECK(jobs[k].status == (done == FOLDS * POINTS ? OSVM_OK : OSVM_INTERRUPTED));
        for (int i = 0; i < N * POINTS; i++)
          if (jobs[k].grid.result[i / N * FOLDS + f[k]->fold[i % N]].state == OSVM_DONE)
            CHECK(f[k]->outputs[i % N + (size_t)N * f[k]->machines * (i / N)] ==
                  whole[k][i % N + (size_t)N * f[k]->machines * (i / N)]);
      }
    }
  for (int k = 0; k < GRIDS; k++) {
    free(whole[k]);
    fixture_free(f[k]);
  }
}

static void a_point_fails_by_itself(void) {
  for (int k = 0; k < COUNT(kinds); k += 2) {
    fixture *f = fixture_kind(k, 3);
    f->params[1][k == 0 ? 0 : 5].value = 1e308;
    f->params[1][EPOCHS].value = 3;
    test_about("%s", kinds[k]);
    CHECK(run_grid(f) == OSVM_OK);
    for (int c = 0; c < POINTS; c++)
      for (int fold = 0; fold < FOLDS; fold++) {
        const osvm_point_result *r = &f->result[c * FOLDS + fold];
        CHECK(r->state == (f->points[c].setting == 1 ? OSVM_FAILED : OSVM_DONE));
        CHECK((r->message != NULL) == (r->state == OSVM_FAILED));
      }
    fixture_free(f);
  }
}

static void too_few_iterations_are_unfinished(void) {
  fixture *f = fixture_of("smo", &rbf, 3, OSVM_DOUBLES, 2);
  for (int p = 0; p < SETTINGS; p++) f->params[p][7] = (argument){"max_iter", p == 1 ? 2 : 1e6};
  CHECK(run_grid(f) == OSVM_OK);
  for (int r = 0; r < FOLDS * POINTS; r++)
    CHECK(f->result[r].state == (f->points[r / FOLDS].setting == 1 ? OSVM_UNFINISHED : OSVM_DONE));
  fixture_free(f);
}

/* Grid points that are done, as in an undisturbed run */
static void check_done(const fixture *f, const double *whole) {
  for (int point = 0; point < f->grid.n_points; point++)
    for (int i = 0; i < N; i++) {
      const size_t k = i + (size_t)N * f->machines * point;
      if (f->result[point * FOLDS + f->fold[i]].state != OSVM_DONE) continue;
      CHECK_NEAR(f->outputs[k], whole[k], 1e-6 * (1 + fabs(whole[k])));
    }
}

/* One allocation after the other is refused. The grid or some of its points fail, unless a cached row alone was lost;
 * points that are done are right, and nothing leaks. */
static void memory_may_run_out(void) {
  static const char *const names[] = {"olsvm", "lasvm", "sgd", "smo"};
  for (int k = 0; k < COUNT(names); k++)
    for (int d = 3; d <= 20; d += 17) {
      fixture *f = fixture_of(names[k], k == 2 ? &linear : &rbf, d, d > 3 ? OSVM_SPARSE : OSVM_DOUBLES, 2);
      f->grid.n_points = 2 * KERNELS;
      f->params[1][0].value = Cs[0]; /* settings 0 and 1 are one path */
      f->params[0][10].value = f->params[1][10].value = 0;
      f->params[0][7].value = f->params[1][7].value = 1;
      for (int p = 0; p < SETTINGS && k == 3; p++) f->params[p][7] = (argument){"max_iter", 1e6};
      CHECK(run_grid(f) == OSVM_OK);
      double *whole = copy_outputs(f);
      long refusals = 0, lost = 0;
      for (long at = 0;; at += 1 + at / 50) {
        test_about("%s, d %d, allocation %ld", names[k], d, at);
        clear_outputs(f);
        const long live = memory.live;
        memory_fail(at, at + 1);
        const osvm_status status = run_grid(f);
        const int reached = memory.calls > at;
        memory_fail(-1, -1);
        CHECK(memory.live == live);
        if (!reached) {
          CHECK(status == OSVM_OK);
          break;
        }
        refusals++;
        int done = 0, failed = 0;
        for (int r = 0; r < FOLDS * f->grid.n_points; r++) {
          done += f->result[r].state == OSVM_DONE;
          failed += f->result[r].state == OSVM_FAILED;
        }
        CHECK(status == OSVM_NO_MEMORY || (status == OSVM_OK && done + failed == FOLDS * f->grid.n_points));
        check_done(f, whole);
        lost += failed > 0 || status == OSVM_NO_MEMORY;
      }
      CHECK(refusals > 20 && lost > refusals / 2);
      free(whole);
      fixture_free(f);
    }
}

void test_grid(void) {
  RUN(budgets_are_settings);
  RUN(the_grid_equals_separate_runs);
  RUN(grids_run_side_by_side);
  RUN(smaller_numbers_of_epochs_are_checkpoints);
  RUN(threads_and_memory_do_not_matter);
  RUN(distances_are_computed_once);
  RUN(an_interrupt_keeps_finished_points);
  RUN(grids_side_by_side_are_stopped);
  RUN(a_point_fails_by_itself);
  RUN(too_few_iterations_are_unfinished);
  RUN(memory_may_run_out);
}
