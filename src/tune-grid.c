/* A grid of settings, cross-validated.
 *
 * One store holds all examples in the order of visits; a fold's hold-out set is labelled -1 and skipped by its runs.
 * Grid points are linked to warm-start paths (tune-path.c). Online solvers with kernel expansions run in lockstep
 * batches that share complete kernel rows (tune-batch.c); all others run path by path and take base rows from the
 * gram. */
#include "tune-internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-queue.h"

static int reserve(const osvm_tuning *t, int point) {
  const osvm_grid *grid = t->grid;
  return osvm_solver_reserve(t->solver, osvm_tuning_params(t, point), &grid->kernels[grid->points[point].kernel], 0,
                             t->n);
}

osvm_task osvm_grid_task(const osvm_tuning *t, int point, int fold) {
  const osvm_grid *grid = t->grid;
  osvm_task task = *grid->task;
  task.params = osvm_tuning_params(t, point);
  task.kernel = grid->kernels[grid->points[point].kernel];
  task.target.fold = grid->fold;
  task.target.held_out = fold;
  task.seed = grid->seed[fold];
  task.store = reserve(t, point) == 0 ? &t->store : NULL; /* vectors that are not examples need a store of their own */
  task.gram = t->gram.filled > 0 ? &t->gram : NULL;
  task.threads = 1;
  task.progress = (osvm_progress){0};
  return task;
}

/* ---- memory and shared kernel values ---- */

/* Dense rows of at most this many features are computed as fast as base rows are read: scattered reads of single values
 * (paths), or sequential reads of whole rows (lockstep). Measured. */
enum { CHEAP_GATHERED = 16, CHEAP_SEQUENTIAL = 8 };

/* A run of one machine computes few rows beyond those of its support vectors. Where it is the only one on a fold, all
 * rows cost more than those of all folds. */
static int shares_rows(const osvm_tuning *t) { return !t->primal && t->paths * t->grid->task->machines > 1; }

/* Base rows of the narrowest kernel, which needs the most accurate distances, serve all others. They get two thirds of
 * the memory; each grid point is charged an equal share of the time. */
static osvm_status fill_gram(osvm_tuning *t, int lockstep) {
  osvm_grid *grid = t->grid;
  const osvm_kernel *narrowest = &grid->kernels[0];
  for (int k = 1; k < grid->n_kernels; k++)
    if (fabs(osvm_kernel_slope(&grid->kernels[k], 0)) > fabs(osvm_kernel_slope(narrowest, 0)))
      narrowest = &grid->kernels[k];
  const int shares = shares_rows(t) && (t->store.sparse || t->store.d > (lockstep ? CHEAP_SEQUENTIAL : CHEAP_GATHERED));
  osvm_status status = osvm_gram_open(&t->gram, &t->store, narrowest, grid->n_kernels == 1,
                                      shares ? t->bytes / 3 * 2 : 0, t->threads, &grid->task->progress, t->error);
  grid->shared_evaluations = t->gram.evaluations;
  grid->shared_seconds = t->gram.seconds;
  grid->shared_bytes = (double)osvm_gram_bytes(&t->gram);
  const int runs = grid->folds * grid->n_points;
  for (int k = 0; k < runs; k++) grid->result[k].seconds = grid->shared_seconds / runs;
  return status;
}

/* Subtracts from the memory for kernel values what each thread allocates besides: up to COPIES packed copies of the
 * examples (active set, shrunk examples or shared support vectors, support vectors of the hold-out outputs) and the
 * solver's columns. Fewer threads run where these would take more than half. Batches bound their number of runs
 * instead. */
static void bound_threads(osvm_tuning *t, int lockstep) {
  if (t->primal || lockstep) return;
  enum { COPIES = 3, DOUBLES_PER_EXAMPLE = 24 };
  const osvm_store *store = &t->store;
  /* Sparse copies hold their non-zeros by row and by column. */
  const size_t values = store->sparse ? 2 * store->used * (sizeof(int) + store->simd->size)
                                      : (size_t)store->n * store->d * store->simd->size;
  const size_t each = COPIES * values + (size_t)store->n * DOUBLES_PER_EXAMPLE * sizeof(double);
  while (t->threads > 1 && t->threads * each > t->bytes / 2) t->threads--;
  const size_t all = t->threads * each;
  t->bytes -= all < t->bytes / 4 * 3 ? all : t->bytes / 4 * 3;
}

/* ---- the grid ---- */

static osvm_status prepare(osvm_tuning *t) {
  osvm_task any = osvm_grid_task(t, 0, 0);
  any.store = NULL;
  t->primal = osvm_solver_primal(t->solver, &any.kernel);
  OSVM_TRY(osvm_task_pack(&any, &t->store, t->error));
  return t->primal ? OSVM_OK : osvm_store_index(&t->store, t->error);
}

/* Lockstep needs runs that all visit the examples in the order of the store, and whose vectors are examples. */
static int runs_in_lockstep(const osvm_tuning *t) {
  const osvm_solver *solver = t->solver;
  const osvm_grid *grid = t->grid;
  if (!shares_rows(t) || solver->solve != NULL || solver->n_columns > 0 || solver->reshuffles) return 0;
  for (int c = 0; c < grid->n_points; c++) {
    const osvm_kernel *kernel = &grid->kernels[grid->points[c].kernel];
    if (reserve(t, c) > 0 || osvm_solver_budget(solver, osvm_tuning_params(t, c), kernel) > 0) return 0;
  }
  return 1;
}

static osvm_status run_grid(osvm_tuning *t) {
  OSVM_TRY(prepare(t));
  OSVM_TRY(osvm_tuning_link_paths(t));
  const int lockstep = runs_in_lockstep(t);
  bound_threads(t, lockstep);
  OSVM_TRY(fill_gram(t, lockstep));
  return lockstep ? osvm_tune_batches(t) : osvm_tune_paths(t);
}

static void clear_results(osvm_grid *grid) {
  for (int k = 0; k < grid->folds * grid->n_points; k++) grid->result[k] = (osvm_point_result){0};
  grid->shared_evaluations = grid->shared_seconds = grid->shared_bytes = 0;
}

osvm_status osvm_grid_run(osvm_grid *grid, osvm_error *error) {
  const osvm_task *task = grid->task;
  osvm_tuning t = {.grid = grid, .solver = task->solver, .error = error, .n = task->count, .bytes = task->cache_bytes};
  t.threads = task->threads > 0 ? task->threads : 1;
  clear_results(grid);
  if (grid->n_points == 0 || task->count == 0) return OSVM_OK;
  osvm_status status = run_grid(&t);
  if (status == OSVM_NO_MEMORY) osvm_no_memory(error);
  osvm_gram_close(&t.gram);
  osvm_store_close(&t.store);
  free(t.order);
  free(t.begin);
  return status;
}

/* ---- several grids ---- */

static osvm_status run_grid_job(void *user, int job, const osvm_progress *progress) {
  osvm_grid_job *this = (osvm_grid_job *)user + job;
  this->task.progress = *progress;
  this->status = osvm_grid_run(&this->grid, &this->error);
  return this->status == OSVM_INTERRUPTED ? OSVM_INTERRUPTED : OSVM_OK;
}

void osvm_grids_run(osvm_grid_job *jobs, int count, int threads, const osvm_progress *progress) {
  for (int k = 0; k < count; k++) {
    jobs[k].grid.task = &jobs[k].task;
    jobs[k].task.threads = count > 1 ? 1 : threads;
    jobs[k].status = OSVM_INTERRUPTED;
    clear_results(&jobs[k].grid);
  }
  if (count == 1) run_grid_job(jobs, 0, progress);
  else osvm_queue_run(run_grid_job, jobs, count, threads, progress);
}
