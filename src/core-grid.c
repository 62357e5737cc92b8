/* A grid of settings, cross-validated.
 *
 * One store holds all examples in one order; a fold's machines pass over the examples held out. On-line solvers with kernel
 * expansions walk it in lockstep (core-lockstep.c). The others run one by one, on threads, as chains: a solver that can
 * resume goes through the cells that differ in C alone, from the smallest on, each solution being the next one's start.
 * They find base rows in the gram as far as it reaches. */
#include "core-grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core-queue.h"

osvm_task osvm_grid_task(const osvm_grid_work *w, int cell, int fold) {
  const osvm_grid *grid = w->grid;
  const osvm_setting *setting = &grid->settings[grid->cells[cell].setting];
  osvm_task task = *grid->task;
  task.params = setting->params;
  task.n_params = setting->n_params;
  task.epochs = setting->epochs;
  task.shuffle = setting->shuffle;
  task.kernel = grid->kernels[grid->cells[cell].kernel];
  task.class_of = w->class_of + (size_t)fold * w->n;
  task.seed = grid->seed[fold];
  task.store = &w->store;
  task.gram = w->gram.filled > 0 ? &w->gram : NULL;
  task.threads = 1;
  task.watch = (osvm_watch){0};
  return task;
}

const osvm_kernel *osvm_grid_narrowest(const osvm_grid *grid) {
  const osvm_kernel *narrowest = &grid->kernels[0];
  for (int k = 1; k < grid->n_kernels; k++)
    if (grid->kernels[k].gamma > narrowest->gamma) narrowest = &grid->kernels[k];
  return narrowest;
}

/* Coefficients below the rounding of the largest change no output; models leave such examples out, too. */
static void round_off(double *coef, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(coef[k]));
  for (size_t k = 0; k < count; k++)
    if (fabs(coef[k]) <= DBL_EPSILON * most) coef[k] = 0;
}

int osvm_grid_any(const double *coef, size_t size, int machines, size_t i) {
  for (int m = 0; m < machines; m++)
    if (coef[m * size + i] != 0) return 1;
  return 0;
}

osvm_status osvm_grid_export(osvm_run *run, double *coef, double *intercept, osvm_error *error) {
  const size_t size = osvm_run_size(run), machines = run->task->machines, all = size * machines;
  osvm_model model = {.size = (int)size, .machines = (int)machines, .coef = coef, .intercept = intercept};
  model.going = calloc(all * osvm_solver_depth(run->solver) + 1, sizeof(double));
  model.tally = calloc(machines * osvm_solver_tallies(run->solver) + 1, sizeof(double));
  model.kept = malloc((size + 1) * sizeof(int));
  memset(coef, 0, all * sizeof(double));
  osvm_status status = model.going && model.tally && model.kept ? osvm_run_export(run, &model) : osvm_no_memory(error);
  free(model.going);
  free(model.tally);
  free(model.kept);
  if (!run->primal) round_off(coef, all);
  return status;
}

/* ---- chains: cells that one run goes through, on one fold ---- */

typedef struct {
  osvm_grid_work *work;
  int *order;         /* cells, chain by chain ... */
  int *begin, chains; /* ... each from begin[c] to begin[c + 1] - 1; every chain runs on every fold */
} plan;

static double value_of_C(const osvm_setting *setting) {
  for (int p = 0; p < setting->n_params; p++)
    if (strcmp(setting->params[p].name, "C") == 0) return setting->params[p].value;
  return 0;
}

/* Without it there may be several minima, and which of them is found depends on the start. */
static int is_definite(const osvm_kernel *kernel) {
  return kernel->type != OSVM_SIGMOID && (kernel->type != OSVM_POLYNOMIAL || kernel->coef0 >= 0);
}

/* Do two cells differ in C alone, and is the solution the same wherever one starts? */
static int in_one_chain(const osvm_grid *grid, int a, int b) {
  if (!is_definite(&grid->kernels[grid->cells[a].kernel])) return 0;
  const osvm_setting *s = &grid->settings[grid->cells[a].setting], *t = &grid->settings[grid->cells[b].setting];
  if (grid->cells[a].kernel != grid->cells[b].kernel || s->n_params != t->n_params || s->epochs != t->epochs) return 0;
  for (int p = 0; p < s->n_params; p++)
    if (s->params[p].value != t->params[p].value && strcmp(s->params[p].name, "C") != 0) return 0;
  return 1;
}

static osvm_status link_chains(plan *q, osvm_error *error) {
  const osvm_grid *grid = q->work->grid;
  const int n = grid->n_cells, links = q->work->solver->resume != NULL;
  q->order = malloc(((size_t)n + 1) * sizeof(int));
  q->begin = malloc(((size_t)n + 1) * sizeof(int));
  unsigned char *taken = calloc((size_t)n + 1, 1);
  if (q->order == NULL || q->begin == NULL || taken == NULL) {
    free(taken);
    return osvm_no_memory(error);
  }
  int count = 0;
  for (int a = 0; a < n; a++) {
    if (taken[a]) continue;
    const int first = q->begin[q->chains++] = count;
    for (int b = a; b < n; b++) {
      if (taken[b] || (b != a && (!links || !in_one_chain(grid, a, b)))) continue;
      const double C = value_of_C(&grid->settings[grid->cells[b].setting]);
      int k = count++;
      for (; k > first && value_of_C(&grid->settings[grid->cells[q->order[k - 1]].setting]) > C; k--)
        q->order[k] = q->order[k - 1];
      q->order[k] = b;
      taken[b] = 1;
    }
  }
  q->begin[q->chains] = count;
  free(taken);
  return OSVM_OK;
}

/* What is known of a chain's cells on the fold while their machines come in, one group after the other */
typedef struct {
  const int *cells;
  int count, fold;
  unsigned char *is_sv; /* count x examples: of any machine */
  unsigned char *late;  /* count: some machine stopped short */
} progress;

/* The run's machines, of which there may be more before and after `first`, for the k-th cell. */
static osvm_status run_cell(osvm_grid_work *w, osvm_run *run, progress *p, int k, int first, osvm_error *error) {
  const int machines = run->task->machines;
  const size_t size = osvm_run_size(run);
  osvm_cell_result *result = osvm_grid_result(w->grid, p->cells[k], p->fold);
  double *coef = malloc((size * machines + 1) * sizeof(double)), *intercept = malloc((machines + 1) * sizeof(double));
  unsigned char *is_sv = p->is_sv + (size_t)k * w->n;
  osvm_status status = coef && intercept ? OSVM_OK : osvm_no_memory(error);
  if (status == OSVM_OK) status = w->solver->resume != NULL ? w->solver->resume(run, 0) : osvm_run_learn(run);
  if (status == OSVM_OK) status = osvm_grid_export(run, coef, intercept, error);
  for (int m = 0; m < machines && status == OSVM_OK; m++) {
    p->late[k] |= w->solver->dual && !run->machine[m].convergence.finished;
    status = osvm_grid_judge(w, &run->task->kernel, p->fold, coef + m * size, intercept[m],
                             osvm_grid_outputs(w->grid, p->cells[k], first + m), error);
  }
  for (size_t i = 0; i < size && !w->primal && status == OSVM_OK; i++) {
    const unsigned char new = !is_sv[i] && osvm_grid_any(coef, size, machines, i);
    result->support += new;
    is_sv[i] |= new;
  }
  if (status == OSVM_OK && first + machines == w->grid->task->machines && result->state == OSVM_NOT_RUN)
    result->state = p->late[k] ? OSVM_UNFINISHED : OSVM_DONE;
  free(coef);
  free(intercept);
  return status;
}

static double updates_of(const osvm_run *run) {
  double sum = 0;
  for (int m = 0; m < run->task->machines; m++) sum += run->machine[m].updates;
  return sum;
}

/* Some of the machines, for all cells of the chain. When they fail at one, those behind it have nothing to start from. */
static osvm_status run_machines(osvm_grid_work *w, progress *p, int first, int machines, const osvm_watch *watch) {
  const osvm_grid *grid = w->grid;
  osvm_error error = {NULL};
  osvm_task task = osvm_grid_task(w, p->cells[0], p->fold);
  task.machines = machines;
  task.positive += first;
  task.negative += first;
  task.cache_bytes = (w->bytes - osvm_gram_bytes(&w->gram)) / w->threads;
  task.watch = *watch;
  osvm_run run;
  double begin = osvm_worked(), updates = 0, evaluations = 0;
  osvm_status status = osvm_run_open(&run, &task, &error);
  const int opened = status == OSVM_OK;
  for (int k = 0; k < p->count && status != OSVM_INTERRUPTED; k++) {
    osvm_cell_result *result = osvm_grid_result(grid, p->cells[k], p->fold);
    const osvm_setting *setting = &grid->settings[grid->cells[p->cells[k]].setting];
    if (status == OSVM_OK) status = osvm_run_set_params(&run, setting->params, setting->n_params);
    if (status == OSVM_OK) status = run_cell(w, &run, p, k, first, &error);
    if (status != OSVM_OK && status != OSVM_INTERRUPTED) {
      result->state = OSVM_FAILED;
      result->message = error.text;
    }
    const double now = osvm_worked();
    result->seconds += now - begin;
    begin = now;
    if (!opened) continue;
    result->updates += updates_of(&run) - updates;
    result->evaluations += osvm_run_evaluations(&run) - evaluations;
    updates = updates_of(&run);
    evaluations = osvm_run_evaluations(&run);
  }
  osvm_run_close(&run);
  return status == OSVM_NO_MEMORY || status == OSVM_INTERRUPTED ? status : OSVM_OK;
}

static osvm_status run_chain(void *user, int job, const osvm_watch *watch) {
  const plan *q = user;
  osvm_grid_work *w = q->work;
  const int chain = job / w->grid->folds, machines = w->grid->task->machines;
  const int together = w->solver->resume != NULL ? 1 : machines;
  progress p = {.cells = q->order + q->begin[chain], .count = q->begin[chain + 1] - q->begin[chain]};
  p.fold = job % w->grid->folds;
  p.is_sv = calloc((size_t)w->n * p.count + 1, 1);
  p.late = calloc((size_t)p.count + 1, 1);
  osvm_status status = p.is_sv != NULL && p.late != NULL ? OSVM_OK : OSVM_NO_MEMORY;
  for (int m = 0; m < machines && status == OSVM_OK; m += together) status = run_machines(w, &p, m, together, watch);
  free(p.is_sv);
  free(p.late);
  return status;
}

static osvm_status run_chains(osvm_grid_work *w) {
  plan q = {.work = w};
  osvm_status status = link_chains(&q, w->error);
  if (status == OSVM_OK)
    status = osvm_queue_run(run_chain, &q, q.chains * w->grid->folds, w->threads, &w->grid->task->watch);
  free(q.order);
  free(q.begin);
  return status;
}

/* ---- the whole ---- */

/* Up to so many features a kernel row is computed as quickly as it is looked up; in lockstep, where rows are read in
 * order and not picked from, fewer. */
enum { CHEAP_PICKED = 16, CHEAP_READ = 8 };

static osvm_status fill_gram(osvm_grid_work *w, int lockstep) {
  osvm_grid *grid = w->grid;
  const int shares = !w->primal && (w->store.sparse || w->store.d > (lockstep ? CHEAP_READ : CHEAP_PICKED));
  osvm_status status = osvm_gram_open(&w->gram, &w->store, osvm_grid_narrowest(grid), grid->n_kernels == 1,
                                      shares ? w->bytes / 3 * 2 : 0, w->threads, &grid->task->watch, w->error);
  grid->shared_evaluations = w->gram.evaluations;
  grid->shared_seconds = w->gram.seconds;
  grid->shared_bytes = (double)osvm_gram_bytes(&w->gram);
  const int runs = grid->folds * grid->n_cells;
  for (int k = 0; k < runs; k++) grid->result[k].seconds = grid->shared_seconds / runs;
  return status;
}

/* What a thread packs for itself is taken from the memory for kernel values: the examples its run works on, once more those
 * set aside or judged by, and what a solver keeps of each. With too little memory for that, fewer threads work. */
static void ration(osvm_grid_work *w, int lockstep) {
  if (w->primal || lockstep) return; /* which counts its runs itself */
  enum { COPIES = 3, KEPT_OF_EACH = 24 };
  const osvm_store *store = &w->store;
  const size_t values = store->sparse ? 2 * store->used * (sizeof(int) + store->simd->size)
                                      : (size_t)store->n * store->d * store->simd->size;
  const size_t each = COPIES * values + (size_t)store->n * KEPT_OF_EACH * sizeof(double);
  while (w->threads > 1 && w->threads * each > w->bytes / 2) w->threads--;
  const size_t all = w->threads * each;
  w->bytes -= all < w->bytes / 4 * 3 ? all : w->bytes / 4 * 3;
  /* Rows of members are freed one by one, and an allocator may keep them for a while. */
  if (w->solver->n_columns > 0) w->bytes -= w->bytes / 3;
}

static osvm_status prepare(osvm_grid_work *w) {
  const osvm_grid *grid = w->grid;
  const osvm_task *task = grid->task;
  w->class_of = malloc(((size_t)grid->folds * w->n + 1) * sizeof(int));
  if (w->class_of == NULL) return osvm_no_memory(w->error);
  for (int f = 0; f < grid->folds; f++)
    for (int p = 0; p < w->n; p++) w->class_of[(size_t)f * w->n + p] = grid->fold[p] == f ? -1 : task->class_of[p];
  osvm_task any = osvm_grid_task(w, 0, 0);
  any.store = NULL;
  w->primal = osvm_task_primal(&any);
  osvm_status status = osvm_task_pack(&any, &w->store, w->error);
  return status == OSVM_OK && !w->primal ? osvm_store_index(&w->store, w->error) : status;
}

osvm_status osvm_grid_run(osvm_grid *grid, osvm_error *error) {
  const osvm_task *task = grid->task;
  osvm_grid_work w = {.grid = grid, .error = error, .n = task->count, .bytes = task->cache_bytes};
  w.threads = task->threads > 0 ? task->threads : 1;
  w.solver = osvm_solver_named(task->solver);
  for (int k = 0; k < grid->folds * grid->n_cells; k++) grid->result[k] = (osvm_cell_result){0};
  if (w.solver == NULL) return osvm_fail(error, OSVM_INVALID, "there is no solver of this name");
  if (grid->n_cells == 0 || task->count == 0) return OSVM_OK;
  osvm_status status = prepare(&w);
  const int lockstep = !w.primal && w.solver->solve == NULL && w.solver->n_columns == 0 && !w.solver->reshuffles;
  if (status == OSVM_OK) ration(&w, lockstep);
  if (status == OSVM_OK) status = fill_gram(&w, lockstep);
  if (status == OSVM_OK) status = lockstep ? osvm_lockstep(&w) : run_chains(&w);
  if (status == OSVM_NO_MEMORY) osvm_no_memory(error);
  osvm_gram_close(&w.gram);
  osvm_store_close(&w.store);
  free(w.class_of);
  return status;
}
