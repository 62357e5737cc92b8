/* Batches: runs of one kernel in lockstep over a window of kernel rows.
 *
 * A batch is some warm-start paths of one kernel on all folds, one run each; batches are independent jobs of the queue.
 * All runs visit the examples in the order of the store, so a pass over it goes block by block: the kernel rows of a
 * block are computed once into the window, and every run visits the block before the window moves on.
 *
 * The output of a held-out example, f(x_i) = b + sum_j beta_j k(x_i, x_j), is its kernel row times the coefficients of
 * a checkpoint. It is evaluated in the pass after the checkpoint, when the row is in the window anyway; only the last
 * checkpoint needs a pass of its own. */
#include <stdlib.h>
#include <string.h>

#include "base-queue.h"
#include "tune-internal.h"

enum { MOST_ROWS = 64 }; /* of a block */

/* A grid point on the path of a run: its machines after so many epochs, kept until their hold-out evaluation */
typedef struct {
  osvm_holdout holdout;
  double support, evaluations, updates, seconds; /* the last three since the checkpoint before */
} checkpoint;

typedef struct {
  osvm_task task;
  osvm_run run;
  osvm_error error;
  osvm_status status;
  checkpoint *checkpoints;
  int fold, count, reached;    /* count: checkpoints, of which `reached` are behind */
  int evaluated, pending;      /* hold-out evaluations finished, and those of this pass */
  double clock;                /* wall seconds in this pass */
  double evaluations, updates; /* of the run, at the last checkpoint */
} batch_run;

typedef struct {
  osvm_tuning *tuning;
  osvm_window window;
  batch_run *runs;
  checkpoint *checkpoints; /* of all runs */
  unsigned char *marked;   /* n: room to mark support vectors in */
  int n_runs, n_checkpoints, block;
  double clock, seconds, evaluations; /* of kernel rows: in this pass, since the last report, at the last report */
  const osvm_progress *progress;
} batch;

typedef struct {
  osvm_tuning *tuning;
  int *paths; /* by kernel */
  int *begin; /* batch b is paths[begin[b]] .. paths[begin[b + 1] - 1], all of one kernel */
  int batches;
} schedule;

/* ---- runs ---- */

/* The window replaces the row cache. A run that cannot open fails alone, unless memory is short. */
static osvm_status open_runs(batch *b) {
  for (int k = 0; k < b->n_runs; k++) {
    batch_run *r = &b->runs[k];
    r->task = osvm_grid_task(b->tuning, r->checkpoints[r->count - 1].holdout.point, r->fold);
    r->task.window = &b->window;
    r->task.cache_bytes = 0;
    r->status = osvm_run_open(&r->run, &r->task, &r->error);
    if (r->status == OSVM_NO_MEMORY) return OSVM_NO_MEMORY;
  }
  return OSVM_OK;
}

static void close_run(batch_run *r) {
  if (r->run.driver != NULL) osvm_run_close(&r->run);
}

static int is_active(const batch_run *r) { return r->status == OSVM_OK && r->reached < r->count; }

static osvm_status export_checkpoint(const batch *b, batch_run *r, checkpoint *c, int last) {
  if (last) OSVM_TRY(osvm_run_finish(&r->run));
  OSVM_TRY(osvm_holdout_open(&c->holdout, &r->run, &r->error));
  memset(b->marked, 0, b->tuning->n);
  c->support = osvm_holdout_support(&c->holdout, b->marked);
  return OSVM_OK;
}

/* The last checkpoint is the end of the run. */
static void reach_checkpoint(const batch *b, batch_run *r) {
  const int last = r->reached + 1 == r->count;
  checkpoint *c = &r->checkpoints[r->reached];
  r->status = export_checkpoint(b, r, c, last);
  c->updates = osvm_run_updates(&r->run) - r->updates;
  c->evaluations = osvm_run_evaluations(&r->run) - r->evaluations;
  r->updates += c->updates;
  r->evaluations += c->evaluations;
  r->reached += r->status == OSVM_OK;
  if (last) close_run(r);
}

static int at_checkpoint(const batch *b, const batch_run *r) {
  return is_active(r) && r->run.epoch == osvm_tuning_epochs(b->tuning, r->checkpoints[r->reached].holdout.point);
}

/* An epoch begins with the first block and ends with the last. */
static osvm_status visit_block(const batch *b, batch_run *r, int from, int to) {
  if (from == 0) OSVM_TRY(osvm_run_begin_epoch(&r->run));
  OSVM_TRY(osvm_run_visit_before(&r->run, to));
  return to == b->tuning->n ? osvm_run_end_epoch(&r->run) : OSVM_OK;
}

static void run_block(const batch *b, batch_run *r, int from, int to) {
  if (!is_active(r)) return;
  r->status = visit_block(b, r, from, to);
  while (to == b->tuning->n && at_checkpoint(b, r)) reach_checkpoint(b, r);
}

/* Hold-out outputs of the block's examples for the pending checkpoints. */
static void evaluate_block(const batch *b, const batch_run *r, int from, int to) {
  const osvm_tuning *t = b->tuning;
  const void *rows[MOST_ROWS];
  int examples[MOST_ROWS], count = 0;
  if (r->pending == 0) return;
  for (int i = from; i < to; i++) {
    if (!osvm_grid_wants(t->grid, i, r->fold)) continue;
    rows[count] = osvm_window_row(&b->window, i);
    examples[count++] = i;
  }
  for (int k = r->evaluated; k < r->evaluated + r->pending; k++)
    osvm_holdout_add(t, &r->checkpoints[k].holdout, examples, rows, count, 0, t->n);
}

/* ---- passes ---- */

/* The wall clock is cheap enough to be read at every block, CPU time is not: it is read once per pass and fixes how
 * many CPU seconds a second of the wall clock stands for. A run's time counts for the checkpoint it is heading for. */
static void record_seconds(batch *b, double wall, double cpu) {
  const double rate = wall > 0 ? cpu / wall : 1;
  for (int k = 0; k < b->n_runs; k++) {
    batch_run *r = &b->runs[k];
    const int next = r->evaluated + r->pending;
    r->checkpoints[next < r->count ? next : r->count - 1].seconds += rate * r->clock;
    r->clock = 0;
  }
  b->seconds += rate * b->clock;
  b->clock = 0;
}

/* Pass e of `passes` over all examples. */
static osvm_status run_pass(batch *b, int e, int passes) {
  const int n = b->tuning->n;
  const double wall = osvm_wall_seconds(), cpu = osvm_cpu_seconds();
  osvm_window_restart(&b->window);
  for (int k = 0; k < b->n_runs; k++) b->runs[k].pending = b->runs[k].reached - b->runs[k].evaluated;
  for (int from = 0; from < n; from += b->block) {
    const int to = n - from < b->block ? n : from + b->block;
    if (osvm_poll(b->progress, (e + (double)from / n) / passes)) return OSVM_INTERRUPTED;
    double time = osvm_wall_seconds();
    osvm_window_move(&b->window, to);
    b->clock += osvm_wall_seconds() - time;
    for (int k = 0; k < b->n_runs; k++) {
      time = osvm_wall_seconds();
      evaluate_block(b, &b->runs[k], from, to);
      run_block(b, &b->runs[k], from, to);
      b->runs[k].clock += osvm_wall_seconds() - time;
    }
  }
  record_seconds(b, osvm_wall_seconds() - wall, osvm_cpu_seconds() - cpu);
  return OSVM_OK;
}

static void record_evaluated(const batch *b, batch_run *r, int points) {
  for (; r->pending > 0; r->pending--) {
    checkpoint *c = &r->checkpoints[r->evaluated++];
    osvm_point_result *result = osvm_grid_result(b->tuning->grid, c->holdout.point, r->fold);
    result->support = c->support;
    result->evaluations = c->evaluations + (b->window.evaluations - b->evaluations) / points;
    result->updates = c->updates;
    result->seconds += c->seconds + b->seconds / points;
    result->state = OSVM_DONE;
    osvm_holdout_close(&c->holdout);
  }
}

/* A failed run reaches no further checkpoint. */
static void record_failed(const batch *b, const batch_run *r) {
  for (int k = r->reached; k < r->count; k++) {
    osvm_point_result *result = osvm_grid_result(b->tuning->grid, r->checkpoints[k].holdout.point, r->fold);
    result->state = OSVM_FAILED;
    result->message = r->error.text;
  }
}

/* The grid points evaluated in this pass share the cost of kernel rows since the last report equally. */
static void report(batch *b) {
  int points = 0;
  for (int k = 0; k < b->n_runs; k++) points += b->runs[k].pending;
  for (int k = 0; k < b->n_runs; k++) {
    record_evaluated(b, &b->runs[k], points);
    if (b->runs[k].status != OSVM_OK) record_failed(b, &b->runs[k]);
  }
  if (points == 0) return;
  b->seconds = 0;
  b->evaluations = b->window.evaluations;
}

static int is_finished(const batch *b) {
  for (int k = 0; k < b->n_runs; k++)
    if (is_active(&b->runs[k]) || b->runs[k].evaluated < b->runs[k].reached) return 0;
  return 1;
}

/* As many passes as the longest run has epochs, and one for its hold-out evaluation. */
static osvm_status run_batch(batch *b) {
  int passes = 1;
  for (int k = 0; k < b->n_runs; k++)
    if (b->runs[k].run.epochs > passes) passes = b->runs[k].run.epochs;
  passes++;
  report(b); /* runs that could not open */
  for (int e = 0; e < passes && !is_finished(b); e++) {
    OSVM_TRY(run_pass(b, e, passes));
    report(b);
  }
  return OSVM_OK;
}

/* ---- a batch ---- */

/* As many rows as stay in the second-level cache while all runs visit them, in whole blocks of OSVM_QUERIES. */
static int rows_per_block(const osvm_tuning *t) {
  enum { BLOCK_BYTES = 512 << 10, LEAST = 2 * OSVM_QUERIES };
  const size_t rows = BLOCK_BYTES / ((t->n + 1) * t->store.simd->size) / OSVM_QUERIES * OSVM_QUERIES;
  return rows < LEAST ? LEAST : rows > MOST_ROWS ? MOST_ROWS : (int)rows;
}

static int kernel_of(const osvm_tuning *t, int path) { return t->grid->points[t->order[t->begin[path]]].kernel; }

/* Window, runs and their checkpoints: path by path, on each fold. The window spans two blocks, since outputs kept
 * lazily may still ask for rows of the block before. */
static osvm_status open_batch(batch *b, const int *paths, int count) {
  const osvm_tuning *t = b->tuning;
  const int folds = t->grid->folds;
  OSVM_TRY(osvm_window_open(&b->window, &t->gram, &t->grid->kernels[kernel_of(t, paths[0])], 2 * b->block, NULL));
  for (int p = 0; p < count; p++) b->n_checkpoints += folds * (t->begin[paths[p] + 1] - t->begin[paths[p]]);
  b->runs = calloc((size_t)count * folds, sizeof *b->runs);
  b->checkpoints = calloc(b->n_checkpoints, sizeof *b->checkpoints);
  b->marked = malloc((size_t)t->n + 1);
  if (b->runs == NULL || b->checkpoints == NULL || b->marked == NULL) return OSVM_NO_MEMORY;
  b->n_runs = count * folds;
  checkpoint *next = b->checkpoints;
  for (int k = 0; k < b->n_runs; k++) {
    batch_run *r = &b->runs[k];
    const int *points = osvm_tuning_path(t, paths[k / folds], &r->count);
    r->fold = k % folds;
    r->checkpoints = next;
    next += r->count;
    for (int j = 0; j < r->count; j++) r->checkpoints[j].holdout = (osvm_holdout){points[j], r->fold, 0, {0}};
  }
  return open_runs(b);
}

static void close_batch(batch *b) {
  for (int k = 0; k < b->n_runs; k++) close_run(&b->runs[k]);
  for (int k = 0; k < b->n_checkpoints && b->checkpoints != NULL; k++) osvm_holdout_close(&b->checkpoints[k].holdout);
  free(b->runs);
  free(b->checkpoints);
  free(b->marked);
  osvm_window_close(&b->window);
}

static osvm_status run_batch_job(void *user, int job, const osvm_progress *progress) {
  const schedule *s = user;
  batch b = {.tuning = s->tuning, .block = rows_per_block(s->tuning), .progress = progress};
  osvm_status status = open_batch(&b, s->paths + s->begin[job], s->begin[job + 1] - s->begin[job]);
  if (status == OSVM_OK) status = run_batch(&b);
  close_batch(&b);
  return status;
}

/* ---- the schedule ---- */

/* Per machine: outputs, coefficients, their sums, and the coefficients of a checkpoint; and the engine's buffers. */
static size_t bytes_per_run(const osvm_tuning *t) {
  const size_t per_machine = 5 * sizeof(double), buffers = (OSVM_QUERIES + 1) * t->store.simd->size;
  return (size_t)t->n * (t->grid->task->machines * per_machine + buffers + (t->store.sparse ? sizeof(double) : 0));
}

/* One batch per kernel computes its rows once. There are more where threads outnumber kernels, or where the runs of all
 * threads would take more than a quarter of the memory. */
static void form_batches(schedule *s) {
  const osvm_tuning *t = s->tuning;
  const int kernels = t->grid->n_kernels, per_kernel = (t->threads + kernels - 1) / kernels;
  const size_t fit = t->bytes / 4 / t->threads / (bytes_per_run(t) * t->grid->folds); /* paths per batch */
  int count = 0;
  for (int k = 0; k < kernels; k++) {
    int all = 0, in = 0;
    for (int p = 0; p < t->paths; p++) all += kernel_of(t, p) == k;
    const int even = (all + per_kernel - 1) / per_kernel, most = fit < 1 ? 1 : fit < (size_t)even ? (int)fit : even;
    for (int p = 0; p < t->paths; p++) {
      if (kernel_of(t, p) != k) continue;
      if (in++ % most == 0) s->begin[s->batches++] = count;
      s->paths[count++] = p;
    }
  }
  s->begin[s->batches] = count;
}

osvm_status osvm_tune_batches(osvm_tuning *t) {
  schedule s = {.tuning = t};
  s.paths = malloc(((size_t)t->paths + 1) * sizeof(int));
  s.begin = malloc(((size_t)t->paths + 1) * sizeof(int));
  osvm_status status = s.paths != NULL && s.begin != NULL ? OSVM_OK : OSVM_NO_MEMORY;
  if (status == OSVM_OK) {
    form_batches(&s);
    status = osvm_queue_run(run_batch_job, &s, s.batches, t->threads, &t->grid->task->progress);
  }
  free(s.paths);
  free(s.begin);
  return status;
}
