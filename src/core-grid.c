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
static double largest(const double *coef, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(coef[k]));
  return most;
}

static int matters(const double *coef, size_t size, size_t machines, size_t i, double least) {
  for (size_t m = 0; m < machines; m++)
    if (fabs(coef[m * size + i]) > least) return 1;
  return 0;
}

osvm_status osvm_grid_export(osvm_run *run, double *coef, double *intercept, int *support, osvm_error *error) {
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
  *support = 0;
  const double least = DBL_EPSILON * largest(coef, all);
  for (size_t i = 0; i < size && !run->primal; i++) *support += matters(coef, size, machines, i, least);
  return status;
}

/* ---- judging what was held out ---- */

/* The support vectors of a finished machine, packed, with their coefficients. */
typedef struct {
  osvm_store store;
  double *coef, *work;
  char *queries, *values; /* OSVM_QUERIES of each */
  size_t stride;
} jury;

static osvm_status swear_in(jury *j, const osvm_store *whole, const double *coef, osvm_error *error) {
  memset(j, 0, sizeof *j);
  int count = 0;
  for (int i = 0; i < whole->n; i++) count += coef[i] != 0;
  j->stride = (size_t)count + whole->width;
  j->coef = malloc(((size_t)count + 1) * sizeof(double));
  j->work = calloc(j->stride, sizeof(double));
  j->queries = calloc((size_t)whole->d * OSVM_QUERIES + 1, whole->simd->size);
  j->values = calloc(j->stride * OSVM_QUERIES, whole->simd->size);
  if (!j->coef || !j->work || !j->queries || !j->values) return osvm_no_memory(error);
  osvm_status status = osvm_store_open(&j->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, count, error);
  for (int i = 0, k = 0; i < whole->n && status == OSVM_OK; i++) {
    if (coef[i] == 0) continue;
    j->coef[k] = coef[i];
    status = osvm_store_put(&j->store, k++, whole, i, error);
  }
  return status == OSVM_OK ? osvm_store_index(&j->store, error) : status;
}

static void dismiss(jury *j) {
  osvm_store_close(&j->store);
  free(j->coef);
  free(j->work);
  free(j->queries);
  free(j->values);
}

/* Kernel values of up to OSVM_QUERIES examples of `whole` with the support vectors, `stride` apart. */
static void summon(jury *j, const osvm_kernel *kernel, const osvm_store *whole, const int *who, int count) {
  const osvm_store *sv = &j->store;
  const size_t size = sv->simd->size;
  if (sv->sparse) {
    for (int q = 0; q < count; q++) {
      const osvm_query query = osvm_store_query(whole, who[q], NULL);
      osvm_kernel_row(kernel, sv, &query, 0, sv->n, j->work, j->values + q * j->stride * size);
    }
    return;
  }
  enum { SLICE = 1024 };
  const int panels = (sv->n + sv->width - 1) / sv->width, step = SLICE / sv->width;
  double norms[OSVM_QUERIES] = {0};
  for (int q = 0; q < count; q++)
    norms[q] = osvm_store_query(whole, who[q], j->queries + (size_t)q * whole->d * size).norm;
  for (int p = 0; p < panels; p += step)
    osvm_kernel_block(kernel, sv, j->queries, norms, p, panels - p < step ? panels - p : step,
                      j->values + (size_t)p * sv->width * size, j->stride);
}

static osvm_status judge(const osvm_grid_work *w, const osvm_kernel *kernel, int fold, const double *coef,
                         double intercept, double *outputs, osvm_error *error) {
  const int *held = w->grid->fold;
  if (w->primal) {
    for (int i = 0; i < w->n; i++)
      if (held[i] == fold) outputs[i] = osvm_store_weigh(&w->store, i, coef) + intercept;
    return OSVM_OK;
  }
  jury j;
  osvm_status status = swear_in(&j, &w->store, coef, error);
  int who[OSVM_QUERIES], count = 0;
  for (int i = 0; i <= w->n && status == OSVM_OK; i++) {
    if (i < w->n && held[i] == fold) who[count++] = i;
    if (count < OSVM_QUERIES && (i < w->n || count == 0)) continue;
    summon(&j, kernel, &w->store, who, count);
    for (int q = 0; q < count; q++)
      outputs[who[q]] =
          intercept + w->store.simd->weigh(j.values + q * j.stride * w->store.simd->size, j.store.n, j.coef);
    count = 0;
  }
  dismiss(&j);
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

/* One run of all machines, or of one machine for solvers that resume. */
static osvm_status run_cell(osvm_grid_work *w, osvm_run *run, int cell, int fold, int machine, unsigned char *is_sv,
                            osvm_error *error) {
  const int machines = run->task->machines, single = w->solver->resume != NULL;
  const size_t size = osvm_run_size(run);
  osvm_cell_result *result = osvm_grid_result(w->grid, cell, fold);
  double *coef = malloc((size * machines + 1) * sizeof(double)), *intercept = malloc((machines + 1) * sizeof(double));
  int support = 0;
  osvm_status status = coef && intercept ? OSVM_OK : osvm_no_memory(error);
  if (status == OSVM_OK) status = single ? w->solver->resume(run, 0) : osvm_run_learn(run);
  if (status == OSVM_OK) status = osvm_grid_export(run, coef, intercept, &support, error);
  for (int m = 0; m < machines && status == OSVM_OK; m++)
    status = judge(w, &run->task->kernel, fold, coef + m * size, intercept[m],
                   osvm_grid_outputs(w->grid, cell, machine + m), error);
  if (status == OSVM_OK && single) {
    for (size_t i = 0; i < size; i++) {
      result->support += coef[i] != 0 && !is_sv[i];
      is_sv[i] |= coef[i] != 0;
    }
  } else if (status == OSVM_OK) {
    result->support = support;
  }
  for (int m = 0; m < machines && status == OSVM_OK; m++)
    if (w->solver->dual && !run->machine[m].convergence.finished) result->state = OSVM_UNFINISHED;
  free(coef);
  free(intercept);
  return status;
}

static double updates_of(const osvm_run *run) {
  double sum = 0;
  for (int m = 0; m < run->task->machines; m++) sum += run->machine[m].updates;
  return sum;
}

/* Machines `first` to `first + machines - 1` of all cells of the chain; a failure is the cell's own. */
static osvm_status run_machines(const plan *q, const osvm_watch *watch, int chain, int fold, int first, int machines,
                                unsigned char *is_sv) {
  osvm_grid_work *w = q->work;
  const osvm_grid *grid = w->grid;
  const int *cells = q->order + q->begin[chain], count = q->begin[chain + 1] - q->begin[chain];
  osvm_error error = {NULL};
  osvm_task task = osvm_grid_task(w, cells[0], fold);
  task.machines = machines;
  task.positive += first;
  task.negative += first;
  task.cache_bytes = (w->bytes - osvm_gram_bytes(&w->gram)) / w->threads;
  task.watch = *watch;
  osvm_run run;
  double begin = osvm_worked(), updates = 0, evaluations = 0;
  osvm_status status = osvm_run_open(&run, &task, &error);
  for (int k = 0; k < count && status != OSVM_INTERRUPTED; k++) {
    osvm_cell_result *result = osvm_grid_result(grid, cells[k], fold);
    const osvm_setting *setting = &grid->settings[grid->cells[cells[k]].setting];
    if (status == OSVM_OK) status = osvm_run_set_params(&run, setting->params, setting->n_params);
    if (status == OSVM_OK) status = run_cell(w, &run, cells[k], fold, first, is_sv + (size_t)k * w->n, &error);
    if (status != OSVM_OK && status != OSVM_INTERRUPTED) {
      result->state = OSVM_FAILED;
      result->message = error.text;
    }
    const double now = osvm_worked();
    if (run.machine != NULL && run.solver != NULL) {
      result->updates += updates_of(&run) - updates;
      result->evaluations += osvm_run_evaluations(&run) - evaluations;
      updates = updates_of(&run);
      evaluations = osvm_run_evaluations(&run);
    }
    result->seconds += now - begin;
    begin = now;
  }
  osvm_run_close(&run);
  return status;
}

static osvm_status run_chain(void *user, int job, const osvm_watch *watch) {
  const plan *q = user;
  osvm_grid_work *w = q->work;
  const int chain = job / w->grid->folds, fold = job % w->grid->folds;
  const int *cells = q->order + q->begin[chain], count = q->begin[chain + 1] - q->begin[chain];
  const int machines = w->grid->task->machines, each = w->solver->resume != NULL ? 1 : machines;
  unsigned char *is_sv = calloc((size_t)w->n * count + 1, 1);
  if (is_sv == NULL) return OSVM_NO_MEMORY;
  osvm_status status = OSVM_OK;
  for (int m = 0; m < machines && status == OSVM_OK; m += each)
    status = run_machines(q, watch, chain, fold, m, each, is_sv);
  for (int k = 0; k < count && status != OSVM_INTERRUPTED; k++) {
    osvm_cell_result *result = osvm_grid_result(w->grid, cells[k], fold);
    if (result->state == OSVM_NOT_RUN) result->state = OSVM_DONE;
  }
  free(is_sv);
  return status == OSVM_NO_MEMORY || status == OSVM_INTERRUPTED ? status : OSVM_OK;
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
  w->bytes -= all < w->bytes / 2 ? all : w->bytes / 2;
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
