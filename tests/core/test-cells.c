/* Cells: nearest centres against plain loops, k-means by its fixed point, models that learn side by side. */
#include "lists.h"

static const osvm_progress no_poll = {0};

static double distance(const osvm_data *data, int i, const osvm_data *centres, int c) {
  double sum = 0;
  for (int f = 0; f < data->d; f++) {
    const double difference = data_value(data, i, f) - data_value(centres, c, f);
    sum += difference * difference;
  }
  return sum;
}

static osvm_cells_task task_of(const osvm_data *data, const int *rows, int count, int doubles) {
  return (osvm_cells_task){
      .data = data, .rows = rows, .count = count, .doubles = doubles, .threads = 1, .level = TEST_LEVEL};
}

static void the_nearest_centre_is_found(void) {
  enum { N = 2100, K = 13 };
  for (int way = 0; way < 8; way++) {
    const int sparse = way % 2, doubles = way / 2 % 2, d = way / 4 ? 60 : 5;
    test_about("sparse %d, doubles %d, d %d", sparse, doubles, d);
    matrix m = sparse ? matrix_thin(N, d, 0.1) : matrix_normal(N, d, 1);
    osvm_data data = matrix_view(&m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
    matrix c = matrix_normal(K, m.d, sparse ? 0.3 : 1);
    const osvm_data centres = matrix_view(&c, way % 4 == 1 ? OSVM_SPARSE : OSVM_DOUBLES);
    int *rows = malloc(N * sizeof(int)), *cell = malloc(N * sizeof(int)), *other = malloc(N * sizeof(int));
    for (int i = 0; i < N; i++) rows[i] = i;
    random_order(rows, N);
    osvm_cells_task task = task_of(&data, rows, N, doubles);
    data.progress = &no_poll;
    CHECK(osvm_cells_assign(&task, &centres, cell, NULL) == OSVM_OK);
    for (int i = 0; i < N; i += 7) {
      double least = INFINITY;
      for (int k = 0; k < K; k++) least = fmin(least, distance(&data, rows[i], &centres, k));
      CHECK_NEAR(distance(&data, rows[i], &centres, cell[i]), least, 1e-4 * (1 + least));
    }
    task.threads = 3;
    CHECK(osvm_cells_assign(&task, &centres, other, NULL) == OSVM_OK);
    CHECK(memcmp(cell, other, N * sizeof(int)) == 0);
    free(rows);
    free(cell);
    free(other);
    matrix_free(&m);
    matrix_free(&c);
  }
}

/* Three clouds far apart, the last of three points */
enum { CLOUDS = 120 };
static matrix clouds(void) {
  matrix m = matrix_normal(CLOUDS, 4, 1);
  for (int i = 0; i < CLOUDS; i++) m.x[i] += i < 60 ? -50 : i < 117 ? 50 : 150;
  return m;
}

static void kmeans_finds_clouds(void) {
  matrix m = clouds();
  const osvm_data data = matrix_view(&m, OSVM_DOUBLES);
  int rows[CLOUDS], cell[CLOUDS], other[CLOUDS], found;
  double centres[8 * 4], again[8 * 4];
  for (int i = 0; i < CLOUDS; i++) rows[i] = i;
  osvm_cells_task task = task_of(&data, rows, CLOUDS, 1);
  for (double seed = 1; seed < 6; seed++) {
    osvm_kmeans_options options = {.k = 8, .iterations = 30, .seed = seed};
    CHECK(osvm_cells_split(&task, &options, centres, &found, cell, NULL) == OSVM_OK);
    CHECK(found >= 2 && found <= 8);
    /* Every example is nearest to its own centre, and every centre is the mean of its examples. */
    const osvm_data view = {.kind = OSVM_DOUBLES, .n = found, .d = 4, .x = centres};
    for (int c = 0; c < found; c++) {
      double mean[4] = {0}, members = 0;
      for (int i = 0; i < CLOUDS; i++) members += cell[i] == c;
      for (int i = 0; i < CLOUDS; i++)
        for (int f = 0; f < 4; f++) mean[f] += cell[i] == c ? m.x[i + f * CLOUDS] / members : 0;
      CHECK(members > 0);
      for (int f = 0; f < 4; f++) CHECK_NEAR(centres[c + f * found], mean[f], 1e-8);
    }
    for (int i = 0; i < CLOUDS; i++)
      for (int c = 0; c < found; c++) CHECK(distance(&data, i, &view, cell[i]) <= distance(&data, i, &view, c) + 1e-9);
    task.threads = 3;
    int same;
    CHECK(osvm_cells_split(&task, &options, again, &same, other, NULL) == OSVM_OK);
    CHECK(same == found && memcmp(cell, other, sizeof cell) == 0 &&
          memcmp(centres, again, found * 4 * sizeof(double)) == 0);
    options.least = 0.1; /* more than the three points of the last cloud */
    CHECK(osvm_cells_split(&task, &options, centres, &found, cell, NULL) == OSVM_OK);
    int members[8] = {0};
    for (int i = 0; i < CLOUDS; i++) members[cell[i]]++;
    for (int c = 0; c < found; c++) CHECK(members[c] >= 12);
    CHECK(cell[117] == cell[118] && cell[118] == cell[119]);
  }
  matrix_free(&m);
}

/* Without iterations: many features, of which k-means would make one large cell */
static void directions_divide_evenly(void) {
  enum { N = 600, D = 400 };
  matrix m = matrix_normal(N, D, 0.05);
  const osvm_data data = matrix_view(&m, OSVM_SPARSE);
  int rows[N], cell[N], found, members[4] = {0};
  double *centres = malloc(4 * D * sizeof(double));
  for (int i = 0; i < N; i++) rows[i] = i;
  const osvm_cells_task task = task_of(&data, rows, N, 0);
  const osvm_kmeans_options options = {.k = 4, .seed = 7};
  CHECK(osvm_cells_split(&task, &options, centres, &found, cell, NULL) == OSVM_OK);
  CHECK(found == 4);
  for (int i = 0; i < N; i++) members[cell[i]]++;
  for (int c = 0; c < 4; c++) CHECK(members[c] > N / 20 && members[c] < 3 * N / 4);
  free(centres);
  matrix_free(&m);
}

static void equal_examples_are_one_cell(void) {
  matrix m = matrix_normal(50, 3, 1);
  for (int i = 0; i < 150; i++) m.x[i] = 1;
  const osvm_data data = matrix_view(&m, OSVM_DOUBLES);
  int rows[50], cell[50], found;
  double centres[15];
  osvm_error error = {NULL};
  for (int i = 0; i < 50; i++) rows[i] = i;
  const osvm_cells_task task = task_of(&data, rows, 50, 0);
  osvm_kmeans_options options = {.k = 5, .iterations = 4};
  CHECK(osvm_cells_split(&task, &options, centres, &found, cell, &error) == OSVM_OK && found == 1);
  options.k = 51;
  CHECK(osvm_cells_split(&task, &options, centres, &found, cell, &error) == OSVM_INVALID && error.text != NULL);
  const osvm_data wide = {.kind = OSVM_DOUBLES, .n = 1, .d = 4, .x = centres};
  CHECK(osvm_cells_assign(&task, &wide, cell, &error) == OSVM_INVALID);
  matrix_free(&m);
}

static void memory_may_run_out(void) {
  for (int sparse = 0; sparse < 2; sparse++) {
    matrix m = sparse ? matrix_thin(CLOUDS, 4, 0.5) : clouds();
    const osvm_data data = matrix_view(&m, sparse ? OSVM_SPARSE : OSVM_DOUBLES);
    int rows[CLOUDS], cell[CLOUDS], found;
    double *centres = malloc((size_t)3 * m.d * sizeof(double));
    for (int i = 0; i < CLOUDS; i++) rows[i] = i;
    const osvm_cells_task task = task_of(&data, rows, CLOUDS, 0);
    const osvm_kmeans_options options = {.k = 3, .iterations = 3};
    for (long at = 0;; at++) {
      osvm_error error = {NULL};
      const long live = memory.live;
      memory_fail(at, at + 1);
      const osvm_status status = osvm_cells_split(&task, &options, centres, &found, cell, &error);
      const int reached = memory.calls > at;
      memory_fail(-1, -1);
      CHECK(memory.live == live);
      CHECK(status == OSVM_OK || (status == OSVM_NO_MEMORY && error.text != NULL));
      if (!reached) break;
    }
    free(centres);
    matrix_free(&m);
  }
}

static int count_down(void *user, double done) {
  CHECK(done >= 0 && done <= 1);
  return --*(int *)user <= 0;
}

/* The same models as one after the other; after an interrupt those that are not done say so. */
static void models_learn_side_by_side(void) {
  enum { MODELS = 5 };
  const rule rule = {.list = OLSVM, .C = 2, .bias = 1};
  problem *problems = malloc(MODELS * sizeof *problems);
  session *sessions[MODELS];
  osvm_live one[MODELS], all[MODELS];
  osvm_live_job jobs[MODELS];
  const osvm_live_start start = {.counts.epoch = 1};
  for (int k = 0; k < MODELS; k++) {
    problems[k] = problem_of(60 + 20 * k, 3, 2, OSVM_DOUBLES, &rbf);
    sessions[k] = session_of(&problems[k], &rule, 3, 1);
    osvm_task task = sessions[k]->task;
    CHECK(osvm_live_open(&one[k], &task, &start, NULL) == OSVM_OK);
    CHECK(osvm_live_open(&all[k], &task, &start, NULL) == OSVM_OK);
    CHECK(osvm_live_update(&one[k], &task, NULL) == OSVM_OK);
    jobs[k] = (osvm_live_job){.live = &all[k], .task = sessions[k]->task};
  }
  for (int threads = 1; threads < 4; threads++)
    for (int polls = 1, left = 0; left <= 0; polls++) {
      test_about("%d threads, stopped at poll %d", threads, polls);
      left = polls;
      const osvm_progress stops = host_progress(count_down, &left);
      osvm_live_update_all(jobs, MODELS, threads, &stops);
      int done = 0;
      for (int k = 0; k < MODELS; k++) {
        CHECK(jobs[k].error.text == NULL);
        done += jobs[k].status == OSVM_OK;
        if (jobs[k].status == OSVM_OK)
          CHECK(memcmp(all[k].model.coef, one[k].model.coef, one[k].model.size * sizeof(double)) == 0);
        else CHECK(jobs[k].status == OSVM_INTERRUPTED);
        osvm_live_close(&all[k]);
        CHECK(osvm_live_open(&all[k], &sessions[k]->task, &start, NULL) == OSVM_OK);
        jobs[k] = (osvm_live_job){.live = &all[k], .task = sessions[k]->task};
      }
      CHECK(done == MODELS || left <= 0);
      /* Others may have done all before the thread that polls takes a model, or when its last poll comes. */
      if (threads == 1) CHECK((done < MODELS || left > 0) && (polls > 1 || left <= 0));
    }
  osvm_live_update_all(jobs, MODELS, 3, &no_poll);
  for (int k = 0; k < MODELS; k++) {
    CHECK(jobs[k].status == OSVM_OK && all[k].model.size == one[k].model.size);
    CHECK(memcmp(all[k].model.coef, one[k].model.coef, one[k].model.size * sizeof(double)) == 0);
    osvm_live_close(&one[k]);
    osvm_live_close(&all[k]);
    session_free(sessions[k]);
    problem_free(&problems[k]);
  }
  free(problems);
}

void test_cells(void) {
  RUN(the_nearest_centre_is_found);
  RUN(kmeans_finds_clouds);
  RUN(directions_divide_evenly);
  RUN(equal_examples_are_one_cell);
  RUN(memory_may_run_out);
  RUN(models_learn_side_by_side);
}
