/* Runs that visit the examples together: the kernel rows of the next few are computed once, stand in a window, and every
 * run works through them while they are close at hand. A party is some cells of one kernel, on all folds; parties are
 * independent of each other and go to whichever thread is free.
 *
 * An example's output by the machine that has not learned it is the product of its kernel row with that machine's
 * coefficients: one more walk, when they have all been learned. */
#include <stdlib.h>
#include <string.h>

#include "core-grid.h"
#include "core-queue.h"

typedef struct {
  osvm_task task;
  osvm_run run;
  osvm_error error;
  osvm_status status;
  int cell, fold, support;
  double *coef, *intercept; /* once learned */
  double evaluations, updates;
  double clock, seconds; /* in this pass, by the clock; of work, until then */
} walker;

typedef struct {
  osvm_grid_work *work;
  osvm_window window;
  walker *walkers;
  int count, block;
  double clock, shared; /* the same for rows, which are for all */
  const osvm_watch *watch;
} party;

typedef struct {
  osvm_grid_work *work;
  int *cells;  /* in the order of kernels */
  int *begin;  /* party p takes cells[begin[p]] .. cells[begin[p + 1] - 1] */
  int parties; /* none has cells of two kernels */
} trip;

/* ---- one party ---- */

static osvm_status set_out(party *p) {
  for (int k = 0; k < p->count; k++) {
    walker *s = &p->walkers[k];
    s->task = osvm_grid_task(p->work, s->cell, s->fold);
    s->task.window = &p->window;
    s->task.cache_bytes = 0;
    s->status = osvm_run_open(&s->run, &s->task, &s->error);
    if (s->status == OSVM_NO_MEMORY) return OSVM_NO_MEMORY;
  }
  return OSVM_OK;
}

static void close_run(walker *s) {
  if (s->run.task != NULL) osvm_run_close(&s->run);
}

static void arrive(party *p, walker *s) {
  const size_t machines = s->task.machines;
  s->coef = malloc((p->work->n * machines + 1) * sizeof(double));
  s->intercept = malloc((machines + 1) * sizeof(double));
  s->status = s->coef && s->intercept ? OSVM_OK : osvm_no_memory(&s->error);
  if (s->status == OSVM_OK && s->run.solver->finish != NULL) s->status = s->run.solver->finish(&s->run);
  s->evaluations = osvm_run_evaluations(&s->run);
  for (size_t m = 0; m < machines; m++) s->updates += s->run.machine[m].updates;
  if (s->status == OSVM_OK) s->status = osvm_grid_export(&s->run, s->coef, s->intercept, &s->error);
  for (int i = 0; i < p->work->n && s->status == OSVM_OK; i++)
    s->support += osvm_grid_any(s->coef, p->work->n, s->task.machines, i);
  close_run(s);
}

/* One run's visits to one block; beginning and end of an epoch are at the first and the last. */
static void walk(party *p, walker *s, int from, int to) {
  if (s->status != OSVM_OK || s->run.task == NULL) return;
  if (from == 0) s->status = osvm_run_begin_epoch(&s->run);
  if (s->status == OSVM_OK) s->status = osvm_run_visit_before(&s->run, to);
  if (s->status == OSVM_OK && to == p->work->n) s->status = osvm_run_end_epoch(&s->run);
  if (s->status == OSVM_OK && to == p->work->n && s->run.epoch == s->task.epochs) arrive(p, s);
}

static void judge(party *p, walker *s, int from, int to) {
  const osvm_grid_work *w = p->work;
  for (int i = from; i < to && s->status == OSVM_OK; i++) {
    if (s->fold != w->grid->fold[i]) continue;
    for (int m = 0; m < s->task.machines; m++)
      osvm_grid_outputs(w->grid, s->cell, m)[i] =
          s->intercept[m] + w->store.simd->weigh(osvm_window_row(&p->window, i), w->n, s->coef + (size_t)m * w->n);
  }
}

/* The clock is read at every block and is quick; work done is asked for once, and tells what the clock's seconds were worth. */
static void settle_time(party *p, double clocked, double worked) {
  const double rate = clocked > 0 ? worked / clocked : 1;
  for (int k = 0; k < p->count; k++) {
    p->walkers[k].seconds += rate * p->walkers[k].clock;
    p->walkers[k].clock = 0;
  }
  p->shared += rate * p->clock;
  p->clock = 0;
}

/* Past all examples once, to learn them or to say what they are; `done` and `part`: of the party's way. */
static osvm_status pass(party *p, void (*each)(party *, walker *, int, int), double done, double part) {
  const int n = p->work->n;
  const double start = osvm_now(), worked = osvm_worked();
  osvm_window_restart(&p->window);
  for (int from = 0; from < n; from += p->block) {
    const int to = n - from < p->block ? n : from + p->block;
    if (p->watch->poll(p->watch->user, done + part * from / n)) return OSVM_INTERRUPTED;
    double time = osvm_now();
    osvm_window_move(&p->window, to);
    p->clock += osvm_now() - time;
    for (int k = 0; k < p->count; k++) {
      time = osvm_now();
      each(p, &p->walkers[k], from, to);
      p->walkers[k].clock += osvm_now() - time;
    }
  }
  settle_time(p, osvm_now() - start, osvm_worked() - worked);
  return OSVM_OK;
}

static osvm_status go(party *p) {
  int most = 1;
  for (int k = 0; k < p->count; k++)
    if (p->walkers[k].task.epochs > most) most = p->walkers[k].task.epochs;
  const double part = 1 / (most + 1.0);
  osvm_status status = OSVM_OK;
  for (int e = 0; e < most && status == OSVM_OK; e++) status = pass(p, walk, e * part, part);
  return status == OSVM_OK ? pass(p, judge, most * part, part) : status;
}

static void report(const party *p) {
  for (int k = 0; k < p->count; k++) {
    const walker *s = &p->walkers[k];
    osvm_cell_result *result = osvm_grid_result(p->work->grid, s->cell, s->fold);
    result->support = s->support;
    result->evaluations = s->evaluations + p->window.evaluations / p->count;
    result->seconds += s->seconds + p->shared / p->count;
    result->updates = s->updates;
    result->state = s->status == OSVM_OK ? OSVM_DONE : OSVM_FAILED;
    result->message = s->error.text;
  }
}

/* So many rows that a block stays in the second-level cache, if that can be more than a few. */
static int rows_per_block(const osvm_grid_work *w) {
  enum { BLOCK_BYTES = 512 << 10, LEAST = 2 * OSVM_QUERIES, MOST = 64 };
  const size_t rows = BLOCK_BYTES / ((w->n + 1) * w->store.simd->size) / OSVM_QUERIES * OSVM_QUERIES;
  return rows < LEAST ? LEAST : rows > MOST ? MOST : (int)rows;
}

static osvm_status send_out(void *user, int job, const osvm_watch *watch) {
  const trip *t = user;
  osvm_grid_work *w = t->work;
  const osvm_grid *grid = w->grid;
  const int *cells = t->cells + t->begin[job], count = t->begin[job + 1] - t->begin[job];
  const osvm_kernel *kernel = &grid->kernels[grid->cells[cells[0]].kernel];
  party p = {.work = w, .count = count * grid->folds, .block = rows_per_block(w), .watch = watch};
  osvm_error error = {NULL};
  p.walkers = calloc(p.count, sizeof *p.walkers);
  osvm_status status =
      p.walkers != NULL ? osvm_window_open(&p.window, &w->gram, kernel, 2 * p.block, &error) : OSVM_NO_MEMORY;
  for (int k = 0; k < p.count && p.walkers != NULL; k++) {
    p.walkers[k].cell = cells[k / grid->folds];
    p.walkers[k].fold = k % grid->folds;
  }
  if (status == OSVM_OK) status = set_out(&p);
  if (status == OSVM_OK) status = go(&p);
  if (status == OSVM_OK) report(&p);
  for (int k = 0; k < p.count && p.walkers != NULL; k++) {
    close_run(&p.walkers[k]);
    free(p.walkers[k].coef);
    free(p.walkers[k].intercept);
  }
  free(p.walkers);
  osvm_window_close(&p.window);
  return status;
}

/* ---- all parties ---- */

/* Bytes a run keeps while it learns: outputs, coefficients and their averages for each machine, and the engine's buffers */
static size_t bytes_per_run(const osvm_grid_work *w) {
  const size_t per_machine = 5 * sizeof(double), buffers = (OSVM_QUERIES + 1) * w->store.simd->size;
  return (size_t)w->n * (w->grid->task->machines * per_machine + buffers + (w->store.sparse ? sizeof(double) : 0));
}

static int cells_of(const osvm_grid *grid, int kernel) {
  int count = 0;
  for (int c = 0; c < grid->n_cells; c++) count += grid->cells[c].kernel == kernel;
  return count;
}

/* A kernel's cells stay together, unless memory is short, or threads would have nothing to do. */
static void form_parties(trip *t) {
  const osvm_grid_work *w = t->work;
  const osvm_grid *grid = w->grid;
  const size_t fit = w->bytes / 4 / w->threads / (bytes_per_run(w) * grid->folds);
  const int each = (w->threads + grid->n_kernels - 1) / grid->n_kernels; /* parties per kernel */
  int count = 0;
  for (int k = 0; k < grid->n_kernels; k++) {
    const int all = cells_of(grid, k), even = (all + each - 1) / each;
    const int most = fit < 1 ? 1 : fit < (size_t)even ? (int)fit : even;
    for (int c = 0, in = 0; c < grid->n_cells; c++) {
      if (grid->cells[c].kernel != k) continue;
      if (in++ % most == 0) t->begin[t->parties++] = count;
      t->cells[count++] = c;
    }
  }
  t->begin[t->parties] = count;
}

osvm_status osvm_lockstep(osvm_grid_work *w) {
  trip t = {.work = w};
  t.cells = malloc(((size_t)w->grid->n_cells + 1) * sizeof(int));
  t.begin = malloc(((size_t)w->grid->n_cells + 1) * sizeof(int));
  osvm_status status = t.cells != NULL && t.begin != NULL ? OSVM_OK : OSVM_NO_MEMORY;
  if (status == OSVM_OK) {
    form_parties(&t);
    status = osvm_queue_run(send_out, &t, t.parties, w->threads, &w->grid->task->watch);
  }
  free(t.cells);
  free(t.begin);
  return status;
}
