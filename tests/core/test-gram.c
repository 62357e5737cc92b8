/* Base rows shared by kernels of a kind, windows over them, and the queue that fills them. */
#include "../../src/kernel-gram.h"
#include "../../src/base-queue.h"

#include "test.h"

enum { N = 83, D = 11 };
static const osvm_progress no_poll = {0};

typedef struct {
  matrix m;
  osvm_data data;
  osvm_store store;
  osvm_error error;
} fixture;

static void fixture_open(fixture *s, const osvm_simd *simd, osvm_data_kind kind) {
  s->m = matrix_normal(N, D, 0.6);
  s->data = matrix_view(&s->m, kind);
  CHECK(osvm_store_open(&s->store, simd, OSVM_PANELS, kind == OSVM_SPARSE, D, N, &s->error) == OSVM_OK);
  CHECK(osvm_store_append(&s->store, &s->data, NULL, N, &s->error) == OSVM_OK);
  CHECK(osvm_store_index(&s->store, &s->error) == OSVM_OK);
}

static void fixture_close(fixture *s) {
  osvm_store_close(&s->store);
  matrix_free(&s->m);
}

static double tolerance(const osvm_simd *simd) { return 2000 * value_epsilon(simd); }

/* A narrower kernel of the kind, whose base rows must serve this one. */
static osvm_kernel narrower(osvm_kernel kernel) {
  kernel.params[0] *= 3;
  return kernel;
}

static void check_gathered(const fixture *s, const osvm_gram *gram, const osvm_kernel *kernel, int i) {
  const int which[] = {5, -1, i, 0, N - 1, 17};
  void *out = values_normal(s->store.simd, COUNT(which));
  osvm_gram_gather(gram, kernel, i, which, COUNT(which), out);
  for (int k = 0; k < COUNT(which); k++) {
    const double got = value_get(s->store.simd, out, k);
    CHECK(isfinite(got));
    if (which[k] >= 0) CHECK_NEAR(got, plain_kernel(kernel, &s->data, i, &s->data, which[k]), tolerance(s->store.simd));
  }
  free(out);
}

static void check_row(const fixture *s, const osvm_kernel *kernel, const void *row, int i) {
  for (int j = 0; j < N; j++)
    CHECK_NEAR(value_get(s->store.simd, row, j), plain_kernel(kernel, &s->data, i, &s->data, j),
               tolerance(s->store.simd));
}

static void try_gram(fixture *s, const osvm_kernel *kernel, int only, int rows) {
  const osvm_kernel first = only ? *kernel : narrower(*kernel);
  const size_t row = ((N + s->store.width - 1) / s->store.width + 1) * s->store.width * s->store.simd->size;
  osvm_gram gram;
  CHECK(osvm_gram_open(&gram, &s->store, &first, only, rows * row + 3, 2, &no_poll, &s->error) == OSVM_OK);
  CHECK(gram.filled == (rows < N ? rows : N));
  CHECK(osvm_gram_bytes(&gram) <= rows * row + 3);
  CHECK(gram.evaluations == (double)gram.filled * N);
  CHECK(osvm_gram_complete(&gram) == (rows >= N));
  for (int i = 0; i < gram.filled; i += 9) check_gathered(s, &gram, kernel, i);
  CHECK(!osvm_gram_has(&gram, gram.filled) && !osvm_gram_has(NULL, 0));

  osvm_window window;
  CHECK(osvm_window_open(&window, &gram, kernel, 16, &s->error) == OSVM_OK);
  for (int epoch = 0; epoch < 2; epoch++) {
    osvm_window_restart(&window);
    CHECK(osvm_window_row(&window, 0) == NULL);
    for (int end = 8; end < N + 8; end += 8) {
      const int to = end < N ? end : N;
      osvm_window_move(&window, to);
      CHECK(osvm_window_row(&window, to) == NULL);
      CHECK(to <= 16 || osvm_window_row(&window, to - 17) == NULL);
      for (int i = to > 16 ? to - 16 : 0; i < to; i += 3) check_row(s, kernel, osvm_window_row(&window, i), i);
    }
  }
  CHECK(window.evaluations == 2.0 * (N - gram.filled) * N);
  osvm_window_close(&window);
  osvm_gram_close(&gram);
}

static void base_rows_serve_every_kernel_of_a_kind(void) {
  static const int rooms[] = {0, 6, 40, N, 1000};
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int k = 0; k < N_KERNELS; k++)
      for (int r = 0; r < COUNT(rooms); r++) {
        test_about("table %d, kernel %d, room for %d", t, k, rooms[r]);
        fixture s;
        fixture_open(&s, tables[t], r % 2 ? OSVM_SPARSE : OSVM_DOUBLES);
        try_gram(&s, &all_kernels[k], r % 3 == 0, rooms[r]);
        fixture_close(&s);
      }
}

/* ---- the queue ---- */

enum { JOBS = 40 };
typedef struct {
  int done[JOBS], stop_at, fail_at, polls;
} job_counts;

static osvm_status work(void *user, int job, const osvm_progress *progress) {
  job_counts *o = user;
  o->done[job]++;
  if (job == o->fail_at) return OSVM_NO_MEMORY;
  return osvm_poll(progress, 0.5) ? OSVM_INTERRUPTED : OSVM_OK;
}

static int count_polls(void *user, double done) {
  job_counts *o = user;
  CHECK(done >= 0 && done <= 1);
  return ++o->polls == o->stop_at;
}

static int jobs_done(const job_counts *o) {
  int count = 0;
  for (int k = 0; k < JOBS; k++) {
    CHECK(o->done[k] <= 1);
    count += o->done[k];
  }
  return count;
}

static void every_job_is_done_once(void) {
  for (int threads = 1; threads <= 4; threads++) {
    job_counts o = {.fail_at = -1, .stop_at = -1};
    const osvm_progress progress = host_progress(count_polls, &o);
    CHECK(osvm_queue_run(work, &o, JOBS, threads, &progress) == OSVM_OK && jobs_done(&o) == JOBS);
    o = (job_counts){.fail_at = -1};
    CHECK(osvm_queue_run(work, &o, JOBS, threads, &no_poll) == OSVM_OK && jobs_done(&o) == JOBS);
    CHECK(osvm_queue_run(work, &o, 0, threads, &no_poll) == OSVM_OK);
  }
}

static void a_queue_can_be_stopped_and_can_fail(void) {
  job_counts o = {.fail_at = -1, .stop_at = 7};
  const osvm_progress progress = host_progress(count_polls, &o);
  CHECK(osvm_queue_run(work, &o, JOBS, 1, &progress) == OSVM_INTERRUPTED && jobs_done(&o) == 7);
  for (int threads = 1; threads <= 3; threads += 2) {
    o = (job_counts){.fail_at = 11, .stop_at = -1};
    CHECK(osvm_queue_run(work, &o, JOBS, threads, &progress) == OSVM_NO_MEMORY && o.done[11] == 1);
    CHECK(threads > 1 || jobs_done(&o) == 12);
  }
}

/* Job 1 fails; the others work until they are stopped; the status is that of the failure. */
static osvm_status wait_or_fail(void *user, int job, const osvm_progress *progress) {
  (void)user;
  if (job == 1) return OSVM_NO_MEMORY;
  for (int polls = 0; polls < 2000; polls++) {
    if (osvm_poll(progress, 0.5)) return OSVM_INTERRUPTED;
    osvm_sleep(1e-4);
  }
  return OSVM_OK;
}

static void the_first_failure_is_the_one_reported(void) {
  for (int threads = 1; threads <= 4; threads++)
    CHECK(osvm_queue_run(wait_or_fail, NULL, JOBS, threads, &no_poll) == OSVM_NO_MEMORY);
}

void test_gram(void) {
  RUN(base_rows_serve_every_kernel_of_a_kind);
  RUN(every_job_is_done_once);
  RUN(a_queue_can_be_stopped_and_can_fail);
  RUN(the_first_failure_is_the_one_reported);
}
