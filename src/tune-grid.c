/* A grid of settings, cross-validated.
 *
 * One store holds all examples in one order; a fold's machines pass over the examples held out. Cells that differ in C
 * alone, or in epochs alone, are one run (tune.h: chains). On-line solvers with kernel expansions walk the store in
 * lockstep (tune-batch.c). The others run one by one, on threads, and find base rows in the gram as far as it
 * reaches. */
#include "tune.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-queue.h"

osvm_task osvm_grid_task(const osvm_tuning *w, int cell, int fold) {
  const osvm_grid *grid = w->grid;
  const osvm_setting *setting = osvm_grid_setting(grid, cell);
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
  task.progress = (osvm_progress){0};
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

double osvm_grid_updates(const osvm_run *run) {
  double sum = 0;
  for (int m = 0; m < run->task->machines; m++) sum += run->machine[m].updates;
  return sum;
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

/* ---- chains ---- */

static double value_in(const osvm_setting *setting, const char *name) {
  for (int p = 0; p < setting->n_params; p++)
    if (strcmp(setting->params[p].name, name) == 0) return setting->params[p].value;
  return 0;
}

/* Without it there may be several minima, and which of them is found depends on the start. */
static int is_definite(const osvm_kernel *kernel) {
  return kernel->type != OSVM_SIGMOID && (kernel->type != OSVM_POLYNOMIAL || kernel->coef0 >= 0);
}

/* Is the model after some epochs what a longer run passes? Not if there is a finishing touch, or a batch is cut short
 * at the end. */
static int is_passed(const osvm_solver *solver, const osvm_setting *setting) {
  return solver->solve == NULL && value_in(setting, "finish") == 0 && value_in(setting, "batch") <= 1;
}

static int in_one_chain(const osvm_tuning *w, int a, int b) {
  const osvm_cell *cell = w->grid->cells;
  const osvm_setting *s = osvm_grid_setting(w->grid, a), *t = osvm_grid_setting(w->grid, b);
  const int resumes = w->solver->resume != NULL;
  const char *varies = resumes ? "C" : "epochs";
  if (cell[a].kernel != cell[b].kernel || s->n_params != t->n_params || s->shuffle != t->shuffle) return 0;
  if (resumes ? s->epochs != t->epochs || !is_definite(&w->grid->kernels[cell[a].kernel]) : !is_passed(w->solver, s))
    return 0;
  for (int p = 0; p < s->n_params; p++)
    if (s->params[p].value != t->params[p].value && strcmp(s->params[p].name, varies) != 0) return 0;
  return 1;
}

/* Where a cell comes in its chain. */
static double place_in_chain(const osvm_tuning *w, int cell) {
  const osvm_setting *setting = osvm_grid_setting(w->grid, cell);
  return w->solver->resume != NULL ? value_in(setting, "C") : setting->epochs;
}

static osvm_status link_chains(osvm_tuning *w) {
  const int n = w->grid->n_cells;
  w->order = malloc(((size_t)n + 1) * sizeof(int));
  w->begin = malloc(((size_t)n + 1) * sizeof(int));
  unsigned char *taken = calloc((size_t)n + 1, 1);
  if (w->order == NULL || w->begin == NULL || taken == NULL) {
    free(taken);
    return osvm_no_memory(w->error);
  }
  int count = 0;
  for (int a = 0; a < n; a++) {
    if (taken[a]) continue;
    const int first = w->begin[w->chains++] = count;
    for (int b = a; b < n; b++) {
      if (taken[b] || (b != a && !in_one_chain(w, a, b))) continue;
      int k = count++;
      for (; k > first && place_in_chain(w, w->order[k - 1]) > place_in_chain(w, b); k--) w->order[k] = w->order[k - 1];
      w->order[k] = b;
      taken[b] = 1;
    }
  }
  w->begin[w->chains] = count;
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

/* Some of the machines, from `first` on, on their way through the cells. */
typedef struct {
  osvm_tuning *work;
  progress *p;
  int first, k; /* the k-th cell is next */
  osvm_run run;
  osvm_status status;
  osvm_error error;
  double began, updates, evaluations; /* when the way to it began */
} traveller;

/* What the machines are now belongs to the k-th cell. */
static osvm_status take_machines(traveller *t) {
  osvm_tuning *w = t->work;
  progress *p = t->p;
  const int machines = t->run.task->machines, cell = p->cells[t->k];
  const size_t size = osvm_run_size(&t->run);
  osvm_cell_result *result = osvm_grid_result(w->grid, cell, p->fold);
  double *coef = malloc((size * machines + 1) * sizeof(double)), *intercept = malloc((machines + 1) * sizeof(double));
  unsigned char *is_sv = p->is_sv + (size_t)t->k * w->n;
  osvm_status status = coef && intercept ? OSVM_OK : osvm_no_memory(&t->error);
  if (status == OSVM_OK) status = osvm_grid_export(&t->run, coef, intercept, &t->error);
  for (int m = 0; m < machines && status == OSVM_OK; m++) {
    p->late[t->k] |= w->solver->dual && !t->run.machine[m].convergence.finished;
    status = osvm_holdout_outputs(w, &t->run.task->kernel, p->fold, coef + m * size, intercept[m],
                             osvm_grid_outputs(w->grid, cell, t->first + m), &t->error);
  }
  for (size_t i = 0; i < size && !w->primal && status == OSVM_OK; i++) {
    const unsigned char new = !is_sv[i] && osvm_grid_any(coef, size, machines, i);
    result->support += new;
    is_sv[i] |= new;
  }
  if (status == OSVM_OK && t->first + machines == w->grid->task->machines && result->state == OSVM_NOT_RUN)
    result->state = p->late[t->k] ? OSVM_UNFINISHED : OSVM_DONE;
  free(coef);
  free(intercept);
  return status;
}

/* Once something has failed, the cells behind it have nothing to start from. */
static void arrive(traveller *t, int opened) {
  if (t->status == OSVM_OK) t->status = take_machines(t);
  osvm_cell_result *result = osvm_grid_result(t->work->grid, t->p->cells[t->k++], t->p->fold);
  if (t->status != OSVM_OK && t->status != OSVM_INTERRUPTED) {
    result->state = OSVM_FAILED;
    result->message = t->error.text;
  }
  const double now = osvm_cpu_seconds();
  result->seconds += now - t->began;
  t->began = now;
  if (!opened) return;
  const double updates = osvm_grid_updates(&t->run), evaluations = osvm_run_evaluations(&t->run);
  result->updates += updates - t->updates;
  result->evaluations += evaluations - t->evaluations;
  t->updates = updates;
  t->evaluations = evaluations;
}

/* Cells on the way of the last one. */
static void pass_cells(void *user, osvm_run *run) {
  traveller *t = user;
  while (t->k + 1 < t->p->count && osvm_grid_setting(t->work->grid, t->p->cells[t->k])->epochs == run->epoch)
    arrive(t, 1);
}

static void learn_cell(traveller *t) {
  const osvm_solver *solver = t->work->solver;
  if (t->status != OSVM_OK) return;
  if (solver->resume == NULL) {
    const osvm_status status = osvm_run_learn(&t->run);
    if (t->status == OSVM_OK) t->status = status; /* it may have failed at a cell on the way */
    return;
  }
  const osvm_setting *setting = osvm_grid_setting(t->work->grid, t->p->cells[t->k]);
  t->status = osvm_run_set_params(&t->run, setting->params, setting->n_params);
  if (t->status == OSVM_OK) t->status = solver->resume(&t->run, 0);
}

static osvm_status run_machines(osvm_tuning *w, progress *p, int first, int machines, const osvm_progress *watch) {
  traveller t = {.work = w, .p = p, .first = first, .began = osvm_cpu_seconds()};
  osvm_task task = osvm_grid_task(w, p->cells[p->count - 1], p->fold);
  task.machines = machines;
  task.positive += first;
  task.negative += first;
  task.cache_bytes = (w->bytes - osvm_gram_bytes(&w->gram)) / w->threads;
  task.progress = *watch;
  task.epoch_ended = pass_cells;
  task.user = &t;
  t.status = osvm_run_open(&t.run, &task, &t.error);
  const int opened = t.status == OSVM_OK;
  while (t.k < p->count && t.status != OSVM_INTERRUPTED) {
    learn_cell(&t);
    arrive(&t, opened);
  }
  osvm_run_close(&t.run);
  return t.status == OSVM_NO_MEMORY || t.status == OSVM_INTERRUPTED ? t.status : OSVM_OK;
}

static osvm_status run_chain(void *user, int job, const osvm_progress *watch) {
  osvm_tuning *w = user;
  const int machines = w->grid->task->machines, together = w->solver->resume != NULL ? 1 : machines;
  progress p = {.fold = job % w->grid->folds};
  p.cells = osvm_tuning_path(w, job / w->grid->folds, &p.count);
  p.is_sv = calloc((size_t)w->n * p.count + 1, 1);
  p.late = calloc((size_t)p.count + 1, 1);
  osvm_status status = p.is_sv != NULL && p.late != NULL ? OSVM_OK : OSVM_NO_MEMORY;
  for (int m = 0; m < machines && status == OSVM_OK; m += together) status = run_machines(w, &p, m, together, watch);
  free(p.is_sv);
  free(p.late);
  return status;
}

static osvm_status run_chains(osvm_tuning *w) {
  return osvm_queue_run(run_chain, w, w->chains * w->grid->folds, w->threads, &w->grid->task->progress);
}

/* ---- the whole ---- */

/* Up to so many features a kernel row is computed as quickly as it is looked up; in lockstep, where rows are read in
 * order and not picked from, fewer. */
enum { CHEAP_PICKED = 16, CHEAP_READ = 8 };

static osvm_status fill_gram(osvm_tuning *w, int lockstep) {
  osvm_grid *grid = w->grid;
  const int shares = !w->primal && (w->store.sparse || w->store.d > (lockstep ? CHEAP_READ : CHEAP_PICKED));
  osvm_status status = osvm_gram_open(&w->gram, &w->store, osvm_grid_narrowest(grid), grid->n_kernels == 1,
                                      shares ? w->bytes / 3 * 2 : 0, w->threads, &grid->task->progress, w->error);
  grid->shared_evaluations = w->gram.evaluations;
  grid->shared_seconds = w->gram.seconds;
  grid->shared_bytes = (double)osvm_gram_bytes(&w->gram);
  const int runs = grid->folds * grid->n_cells;
  for (int k = 0; k < runs; k++) grid->result[k].seconds = grid->shared_seconds / runs;
  return status;
}

/* What a thread packs for itself is taken from the memory for kernel values: the examples its run works on, once more those
 * set aside or judged by, and what a solver keeps of each. With too little memory for that, fewer threads work. */
static void ration(osvm_tuning *w, int lockstep) {
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

static osvm_status prepare(osvm_tuning *w) {
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
  osvm_tuning w = {.grid = grid, .error = error, .n = task->count, .bytes = task->cache_bytes};
  w.threads = task->threads > 0 ? task->threads : 1;
  w.solver = osvm_solver_named(task->solver);
  for (int k = 0; k < grid->folds * grid->n_cells; k++) grid->result[k] = (osvm_cell_result){0};
  if (w.solver == NULL) return osvm_fail(error, OSVM_INVALID, "there is no solver of this name");
  if (grid->n_cells == 0 || task->count == 0) return OSVM_OK;
  osvm_status status = prepare(&w);
  const int lockstep = !w.primal && w.solver->solve == NULL && w.solver->n_columns == 0 && !w.solver->reshuffles;
  if (status == OSVM_OK) status = link_chains(&w);
  if (status == OSVM_OK) ration(&w, lockstep);
  if (status == OSVM_OK) status = fill_gram(&w, lockstep);
  if (status == OSVM_OK) status = lockstep ? osvm_tune_batches(&w) : run_chains(&w);
  if (status == OSVM_NO_MEMORY) osvm_no_memory(error);
  osvm_gram_close(&w.gram);
  osvm_store_close(&w.store);
  free(w.class_of);
  free(w.order);
  free(w.begin);
  return status;
}
