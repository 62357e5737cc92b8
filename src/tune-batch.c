/* Runs that visit the examples together: the kernel rows of the next few are computed once, stand in a window, and
 * every run works through them while they are close at hand. A party is some chains of one kernel, on all folds; parties
 * are independent of each other and go to whichever thread is free.
 *
 * An example's output by the machine that has not learned it is the product of its kernel row with that machine's
 * coefficients, taken when the rows come by the next time: in the next epoch, or on one more walk after the last. */
#include <stdlib.h>
#include <string.h>

#include "tune.h"
#include "base-queue.h"

/* A cell on the way of a run: what the machines were after its epochs, until they have been judged */
typedef struct {
  int cell;
  double *coef, *intercept;
  double support, evaluations, updates, seconds; /* since the stop before */
} stop;

typedef struct {
  osvm_task task;
  osvm_run run;
  osvm_error error;
  osvm_status status;
  stop *stops;
  int fold, count, reached;           /* stops, and how many of them are behind */
  int judged, due;                    /* and how many have been judged, will have been after this pass */
  double clock, evaluations, updates; /* seconds in this pass; of the run, until the last stop */
} walker;

typedef struct {
  osvm_tuning *work;
  osvm_window window;
  walker *walkers;
  stop *stops; /* of all */
  int count, all_stops, block;
  double clock, shared, evaluations; /* the same for rows, which are for all, until the last report */
  const osvm_progress *progress;
} party;

typedef struct {
  osvm_tuning *work;
  int *chains; /* in the order of kernels */
  int *begin;  /* party p takes chains[begin[p]] .. chains[begin[p + 1] - 1] */
  int parties; /* none has cells of two kernels */
} trip;

/* ---- one party ---- */

static osvm_status set_out(party *p) {
  for (int k = 0; k < p->count; k++) {
    walker *s = &p->walkers[k];
    s->task = osvm_grid_task(p->work, s->stops[s->count - 1].cell, s->fold);
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

/* At the next stop; the last is the end of the run. */
static void arrive(party *p, walker *s) {
  const size_t machines = s->task.machines;
  const int last = s->reached + 1 == s->count;
  stop *at = &s->stops[s->reached];
  at->coef = malloc((p->work->n * machines + 1) * sizeof(double));
  at->intercept = malloc((machines + 1) * sizeof(double));
  s->status = at->coef && at->intercept ? OSVM_OK : osvm_no_memory(&s->error);
  if (s->status == OSVM_OK && last && s->run.solver->finish != NULL) s->status = s->run.solver->finish(&s->run);
  if (s->status == OSVM_OK) s->status = osvm_grid_export(&s->run, at->coef, at->intercept, &s->error);
  for (int i = 0; i < p->work->n && s->status == OSVM_OK; i++)
    at->support += osvm_grid_any(at->coef, p->work->n, s->task.machines, i);
  at->updates = osvm_grid_updates(&s->run) - s->updates;
  at->evaluations = osvm_run_evaluations(&s->run) - s->evaluations;
  s->updates += at->updates;
  s->evaluations += at->evaluations;
  s->reached += s->status == OSVM_OK;
  if (last) close_run(s);
}

static int walks(const walker *s) { return s->status == OSVM_OK && s->reached < s->count; }

static int is_there(const party *p, const walker *s) {
  return walks(s) && s->run.epoch == osvm_grid_setting(p->work->grid, s->stops[s->reached].cell)->epochs;
}

/* One run's visits to one block; beginning and end of an epoch are at the first and the last. */
static void walk(party *p, walker *s, int from, int to) {
  if (!walks(s)) return;
  if (from == 0) s->status = osvm_run_begin_epoch(&s->run);
  if (s->status == OSVM_OK) s->status = osvm_run_visit_before(&s->run, to);
  if (s->status == OSVM_OK && to == p->work->n) s->status = osvm_run_end_epoch(&s->run);
  while (to == p->work->n && is_there(p, s)) arrive(p, s);
}

static void judge(party *p, walker *s, int from, int to) {
  const osvm_tuning *w = p->work;
  if (s->judged == s->due) return;
  for (int i = from; i < to; i++) {
    if (s->fold != w->grid->fold[i]) continue;
    const void *row = osvm_window_row(&p->window, i);
    for (int k = s->judged; k < s->due; k++)
      for (int m = 0; m < s->task.machines; m++)
        osvm_grid_outputs(w->grid, s->stops[k].cell, m)[i] =
            s->stops[k].intercept[m] + w->store.simd->weigh(row, w->n, s->stops[k].coef + (size_t)m * w->n);
  }
}

/* The clock is read at every block and is quick; work done is asked for once, and tells what its seconds were worth. */
static void settle_time(party *p, double clocked, double worked) {
  const double rate = clocked > 0 ? worked / clocked : 1;
  for (int k = 0; k < p->count; k++) {
    walker *s = &p->walkers[k];
    const int toward = s->due < s->count ? s->due : s->count - 1; /* or judged, after the last */
    s->stops[toward].seconds += rate * s->clock;
    s->clock = 0;
  }
  p->shared += rate * p->clock;
  p->clock = 0;
}

/* Past all examples once, the e-th time of `most`, to learn them and to say what they are. */
static osvm_status pass(party *p, int e, int most) {
  const int n = p->work->n;
  const double start = osvm_wall_seconds(), worked = osvm_cpu_seconds();
  osvm_window_restart(&p->window);
  for (int k = 0; k < p->count; k++) p->walkers[k].due = p->walkers[k].reached;
  for (int from = 0; from < n; from += p->block) {
    const int to = n - from < p->block ? n : from + p->block;
    if (p->progress->poll(p->progress->user, (e + (double)from / n) / most)) return OSVM_INTERRUPTED;
    double time = osvm_wall_seconds();
    osvm_window_move(&p->window, to);
    p->clock += osvm_wall_seconds() - time;
    for (int k = 0; k < p->count; k++) {
      time = osvm_wall_seconds();
      judge(p, &p->walkers[k], from, to);
      walk(p, &p->walkers[k], from, to);
      p->walkers[k].clock += osvm_wall_seconds() - time;
    }
  }
  settle_time(p, osvm_wall_seconds() - start, osvm_cpu_seconds() - worked);
  return OSVM_OK;
}

static void free_stop(stop *at) {
  free(at->coef);
  free(at->intercept);
  at->coef = at->intercept = NULL;
}

static void report_judged(party *p, walker *s, int all) {
  for (; s->judged < s->due; s->judged++) {
    stop *at = &s->stops[s->judged];
    osvm_cell_result *result = osvm_grid_result(p->work->grid, at->cell, s->fold);
    result->support = at->support;
    result->evaluations = at->evaluations + (p->window.evaluations - p->evaluations) / all;
    result->updates = at->updates;
    result->seconds += at->seconds + p->shared / all;
    result->state = OSVM_DONE;
    free_stop(at);
  }
}

/* A run that failed reaches no further cell. */
static void report_failed(const party *p, const walker *s) {
  for (int k = s->reached; k < s->count; k++) {
    osvm_cell_result *result = osvm_grid_result(p->work->grid, s->stops[k].cell, s->fold);
    result->state = OSVM_FAILED;
    result->message = s->error.text;
  }
}

/* What was done for all since the last report counts with the cells judged now. */
static void report(party *p) {
  int all = 0;
  for (int k = 0; k < p->count; k++) all += p->walkers[k].due - p->walkers[k].judged;
  for (int k = 0; k < p->count; k++) {
    if (all > 0) report_judged(p, &p->walkers[k], all);
    if (p->walkers[k].status != OSVM_OK) report_failed(p, &p->walkers[k]);
  }
  if (all == 0) return;
  p->shared = 0;
  p->evaluations = p->window.evaluations;
}

static int anything_left(const party *p) {
  for (int k = 0; k < p->count; k++)
    if (walks(&p->walkers[k]) || p->walkers[k].judged < p->walkers[k].reached) return 1;
  return 0;
}

static osvm_status go(party *p) {
  int most = 1;
  for (int k = 0; k < p->count; k++)
    if (p->walkers[k].task.epochs > most) most = p->walkers[k].task.epochs;
  most++; /* to be judged by */
  osvm_status status = OSVM_OK;
  report(p); /* who could not set out */
  for (int e = 0; e < most && status == OSVM_OK && anything_left(p); e++) {
    status = pass(p, e, most);
    if (status == OSVM_OK) report(p);
  }
  return status;
}

/* So many rows that a block stays in the second-level cache, if that can be more than a few. */
static int rows_per_block(const osvm_tuning *w) {
  enum { BLOCK_BYTES = 512 << 10, LEAST = 2 * OSVM_QUERIES, MOST = 64 };
  const size_t rows = BLOCK_BYTES / ((w->n + 1) * w->store.simd->size) / OSVM_QUERIES * OSVM_QUERIES;
  return rows < LEAST ? LEAST : rows > MOST ? MOST : (int)rows;
}

/* Walkers and their stops: chain by chain, on each fold. */
static osvm_status gather(party *p, const int *chains, int count) {
  const osvm_tuning *w = p->work;
  const int folds = w->grid->folds;
  for (int c = 0; c < count; c++) p->all_stops += folds * (w->begin[chains[c] + 1] - w->begin[chains[c]]);
  p->walkers = calloc((size_t)count * folds, sizeof *p->walkers);
  p->stops = calloc(p->all_stops, sizeof *p->stops);
  if (p->walkers == NULL || p->stops == NULL) return OSVM_NO_MEMORY;
  p->count = count * folds;
  stop *next = p->stops;
  for (int k = 0; k < p->count; k++) {
    walker *s = &p->walkers[k];
    const int *cells = osvm_tuning_path(w, chains[k / folds], &s->count);
    s->fold = k % folds;
    s->stops = next;
    next += s->count;
    for (int j = 0; j < s->count; j++) s->stops[j].cell = cells[j];
  }
  return OSVM_OK;
}

static void disband(party *p) {
  for (int k = 0; k < p->count; k++) close_run(&p->walkers[k]);
  for (int k = 0; k < p->all_stops && p->stops != NULL; k++) free_stop(&p->stops[k]);
  free(p->walkers);
  free(p->stops);
  osvm_window_close(&p->window);
}

static int kernel_of(const osvm_tuning *w, int chain) { return w->grid->cells[w->order[w->begin[chain]]].kernel; }

static osvm_status send_out(void *user, int job, const osvm_progress *watch) {
  const trip *t = user;
  osvm_tuning *w = t->work;
  const int *chains = t->chains + t->begin[job];
  const osvm_kernel *kernel = &w->grid->kernels[kernel_of(w, chains[0])];
  party p = {.work = w, .block = rows_per_block(w), .progress = watch};
  osvm_error error = {NULL};
  osvm_status status = osvm_window_open(&p.window, &w->gram, kernel, 2 * p.block, &error);
  if (status == OSVM_OK) status = gather(&p, chains, t->begin[job + 1] - t->begin[job]);
  if (status == OSVM_OK) status = set_out(&p);
  if (status == OSVM_OK) status = go(&p);
  disband(&p);
  return status;
}

/* ---- all parties ---- */

/* Bytes of a run: outputs, coefficients and their averages for each machine, the coefficients to be judged, and the
 * engine's buffers */
static size_t bytes_per_run(const osvm_tuning *w) {
  const size_t per_machine = 5 * sizeof(double), buffers = (OSVM_QUERIES + 1) * w->store.simd->size;
  return (size_t)w->n * (w->grid->task->machines * per_machine + buffers + (w->store.sparse ? sizeof(double) : 0));
}

/* A kernel's chains stay together, unless memory is short, or threads would have nothing to do. */
static void form_parties(trip *t) {
  const osvm_tuning *w = t->work;
  const int kernels = w->grid->n_kernels, each = (w->threads + kernels - 1) / kernels; /* parties per kernel */
  const size_t fit = w->bytes / 4 / w->threads / (bytes_per_run(w) * w->grid->folds);
  int count = 0;
  for (int k = 0; k < kernels; k++) {
    int all = 0, in = 0;
    for (int c = 0; c < w->chains; c++) all += kernel_of(w, c) == k;
    const int even = (all + each - 1) / each, most = fit < 1 ? 1 : fit < (size_t)even ? (int)fit : even;
    for (int c = 0; c < w->chains; c++) {
      if (kernel_of(w, c) != k) continue;
      if (in++ % most == 0) t->begin[t->parties++] = count;
      t->chains[count++] = c;
    }
  }
  t->begin[t->parties] = count;
}

osvm_status osvm_tune_batches(osvm_tuning *w) {
  trip t = {.work = w};
  t.chains = malloc(((size_t)w->chains + 1) * sizeof(int));
  t.begin = malloc(((size_t)w->chains + 1) * sizeof(int));
  osvm_status status = t.chains != NULL && t.begin != NULL ? OSVM_OK : OSVM_NO_MEMORY;
  if (status == OSVM_OK) {
    form_parties(&t);
    status = osvm_queue_run(send_out, &t, t.parties, w->threads, &w->grid->task->progress);
  }
  free(t.chains);
  free(t.begin);
  return status;
}
