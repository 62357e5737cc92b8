/* From a task to a run: its examples packed, its expansions or support-vector sets, its machines; and the end of it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { LEAST_WINDOW = 1024 }; /* rows that are mapped together, whatever memory they take */

int osvm_task_unit_norm(const osvm_task *task) {
  return osvm_solver_value(task->solver, task->params, OSVM_UNIT_NORM, 0) != 0;
}

static osvm_status append_new(const osvm_task *task, osvm_store *store, osvm_error *error) {
  const int first = store->n;
  OSVM_TRY(osvm_store_append(store, task->data, task->rows, task->count, error));
  if (osvm_task_unit_norm(task)) osvm_store_normalise(store, first);
  return OSVM_OK;
}

/* With the carried examples, if there are any, and room for the new ones */
static osvm_status open_packed(const osvm_task *task, const osvm_data *carried, osvm_store *store, osvm_error *error) {
  const osvm_simd *simd = osvm_task_simd(task);
  const int primal = osvm_solver_primal(task->solver, &task->kernel);
  const int count = carried != NULL ? carried->n : 0;
  const osvm_layout layout = primal ? OSVM_ROWS : OSVM_PANELS;
  const int dense = osvm_data_prefers_dense(task->data, count > 0 ? carried : NULL, layout, simd);
  OSVM_TRY(osvm_store_open(store, simd, layout, !dense, osvm_data_width(task->data), count + task->count, error));
  if (count > 0) OSVM_TRY(osvm_store_append(store, carried, NULL, count, error));
  if (osvm_task_unit_norm(task)) osvm_store_normalise(store, 0);
  return OSVM_OK;
}

/* Rows whose features take so much memory */
static double mapped_rows(const osvm_task *task, size_t bytes) {
  return (double)bytes / (osvm_task_simd(task)->size * (double)task->data->map->width);
}

/* The rows whose features fit into the run's memory, or 0: all of them do, or the run needs all of them at once. The work
 * of a solver that is not nested may refer to rows before. */
static int window_of(const osvm_run *run, const osvm_task *task) {
  if (task->data->map == NULL || !run->driver->primal) return 0;
  if (run->solver->solve == NULL && !osvm_solver_nested(run->solver, run->params)) return 0;
  const double fit = mapped_rows(task, task->cache_bytes);
  return fit >= task->count ? 0 : fit < LEAST_WINDOW ? LEAST_WINDOW : (int)fit;
}

/* Rows whose features stay when others are loaded; those that are visited once need not. */
static int kept_rows(const osvm_run *run, const osvm_task *task, int window) {
  if (run->solver->solve == NULL && run->epochs == 1) return 0;
  const double fit = mapped_rows(task, task->spare_bytes);
  return fit >= task->count ? task->count : fit > window ? (int)fit - window : 0;
}

osvm_status osvm_task_pack(const osvm_task *task, osvm_store *store, osvm_error *error) {
  OSVM_TRY(open_packed(task, NULL, store, error));
  return append_new(task, store, error);
}

osvm_status osvm_start_open(osvm_start *start, const osvm_task *task, const osvm_data *carried, const osvm_model *model,
                            osvm_error *error) {
  *start = (osvm_start){.model = model};
  if (carried == NULL || osvm_solver_primal(task->solver, &task->kernel)) return OSVM_OK;
  return open_packed(task, carried, &start->packed, error);
}

void osvm_start_close(osvm_start *start) {
  osvm_store_close(&start->packed);
  osvm_sv_sets_close(start->sets);
  memset(start, 0, sizeof *start);
}

/* NULL: the run begins anew */
static const osvm_model *model_before(const osvm_task *task) { return task->start != NULL ? task->start->model : NULL; }

static osvm_status check_task(const osvm_run *run, const osvm_task *task) {
  if (strcmp(run->solver->space, "linear") == 0 && !osvm_kernel_is_linear(&task->kernel))
    return osvm_fail(run->context.error, OSVM_INVALID, "this solver needs a linear kernel");
  if (task->kernel.info->base == OSVM_GIVEN && osvm_task_unit_norm(task))
    return osvm_fail(run->context.error, OSVM_INVALID, "given kernel values are not those of examples of norm 1");
  if (task->loss.info == NULL) return osvm_fail(run->context.error, OSVM_INVALID, "there is no loss to learn by");
  if (!osvm_solver_learns(run->solver, task->loss.info))
    return osvm_fail(run->context.error, OSVM_INVALID, "this solver does not learn this loss");
  if (task->loss.info->target != task->target.kind)
    return osvm_fail(run->context.error, OSVM_INVALID, "the loss does not fit the targets");
  const osvm_model *model = model_before(task);
  if (model != NULL) {
    const int kept = run->driver->primal ? osvm_data_width(task->data) : task->start->packed.n;
    if (model->size != kept || model->machines != task->machines ||
        (kept > 0 && model->target == NULL && !run->driver->primal))
      return osvm_fail(run->context.error, OSVM_INVALID, "the model does not fit its examples");
  }
  if (task->outputs != NULL && !osvm_solver_by_rows(run->solver, run->params))
    return osvm_fail(run->context.error, OSVM_INVALID, "this solver does not learn row by row");
  if (task->n_forget > 0 && run->solver->forget == NULL)
    return osvm_fail(run->context.error, OSVM_INVALID, "this solver cannot forget");
  for (int k = 0; k < task->n_forget; k++)
    if (model == NULL || task->forget[k] < 0 || task->forget[k] >= model->size)
      return osvm_fail(run->context.error, OSVM_INVALID, "there is no such example to forget");
  return OSVM_OK;
}

/* The examples of the start are the run's until it is closed. */
static osvm_status open_store(osvm_run *run, const osvm_task *task) {
  if (task->store != NULL) {
    run->store = *task->store;
    run->first = run->store.n - task->count;
    return OSVM_OK;
  }
  const int window = window_of(run, task);
  if (window > 0)
    return osvm_store_open_window(&run->store, osvm_task_simd(task), task->data, task->rows, task->count, window,
                                  kept_rows(run, task, window), osvm_task_unit_norm(task), run->context.error);
  if (task->start != NULL) {
    run->store = task->start->packed;
    memset(&task->start->packed, 0, sizeof run->store);
  }
  if (run->store.simd == NULL) OSVM_TRY(open_packed(task, NULL, &run->store, run->context.error));
  run->first = run->store.n;
  return append_new(task, &run->store, run->context.error);
}

static void close_store(osvm_run *run, const osvm_task *task) {
  if (run->store.simd == NULL || task->store != NULL) return;
  if (task->start != NULL && !run->driver->primal) task->start->packed = run->store;
  else osvm_store_close(&run->store);
}

/* Visits in an order that is not that of the store: as after a reshuffle, any example may be visited again. */
static osvm_status copy_visits(osvm_run *run, const osvm_task *task) {
  const size_t bytes = (size_t)task->n_visits * sizeof(int);
  int *order = run->driver->order = malloc(bytes + sizeof(int));
  if (order == NULL) return osvm_no_memory(run->context.error);
  if (bytes > 0) memcpy(order, task->visits, bytes);
  run->count = task->n_visits;
  run->driver->shuffled = 1;
  return OSVM_OK;
}

/* Held-out examples are not visited. */
static osvm_status order_visits(osvm_run *run, const osvm_task *task) {
  if (task->visits != NULL) return copy_visits(run, task);
  for (int p = 0; p < task->count; p++) run->count += !isnan(osvm_target_value(&task->target, 0, p));
  if (run->count == task->count) return OSVM_OK;
  int *order = run->driver->order = malloc(((size_t)run->count + 1) * sizeof(int));
  if (order == NULL) return osvm_no_memory(run->context.error);
  for (int p = 0, k = 0; p < task->count; p++)
    if (!isnan(osvm_target_value(&task->target, 0, p))) order[k++] = p;
  return OSVM_OK;
}

/* slots: of a bounded expansion */
static osvm_status open_expansion(osvm_run *run, osvm_machine *machine, osvm_output_mode mode, int slots) {
  struct osvm_driver *driver = run->driver;
  const int averaged = osvm_solver_value(run->solver, run->params, OSVM_AVERAGE, 0) != 0;
  OSVM_TRY(osvm_expansion_open(&machine->expansion, mode, &run->store, slots, averaged, run->context.error));
  machine->expansion.engine = &driver->engine;
  machine->expansion.late = run->solver->averages_late;
  if (mode == OSVM_BOUNDED) {
    machine->expansion.bounded = &driver->budget.bounded;
    driver->budget.expansion[machine->index] = &machine->expansion;
  }
  machine->expansion.lazy = &driver->lazy;
  machine->expansion.machine = machine->index;
  for (int k = 0; k < run->solver->n_columns; k++) {
    machine->column[k] = calloc((size_t)run->store.n + 1, sizeof(double));
    if (machine->column[k] == NULL) return osvm_no_memory(run->context.error);
    for (int i = 0; i < run->store.n; i++) machine->column[k][i] = run->solver->columns[k].idle;
  }
  return OSVM_OK;
}

static osvm_status open_bounded(osvm_run *run, int limit) {
  struct osvm_driver *driver = run->driver;
  const osvm_maintenance maintenance =
      (osvm_maintenance)osvm_solver_value(run->solver, run->params, OSVM_MAINTENANCE, 0);
  OSVM_TRY(osvm_shared_sv_open(&driver->shared, &run->kernel, &run->store, run->machines, run->context.error));
  driver->shared.rows.evaluations = &run->context.evaluations;
  driver->shared.rows.team = run->context.team;
  if (limit > run->end) limit = run->end; /* there will not be more vectors than examples */
  const int vectors = (run->first > limit ? run->first : limit) + 1;
  OSVM_TRY(osvm_budget_open(&driver->budget, &driver->shared, limit, vectors, maintenance, run->machines, run->end,
                            run->context.error));
  driver->budget.keeps_zeros = driver->task->data->kind == OSVM_SPARSE;
  for (int m = 0; m < run->machines; m++) OSVM_TRY(open_expansion(run, &run->machine[m], OSVM_BOUNDED, vectors));
  return OSVM_OK;
}

/* A batch solver computes its kernel rows itself, over the examples that are active, and needs no engine. */
static osvm_status open_expansions(osvm_run *run, const osvm_task *task) {
  struct osvm_driver *driver = run->driver;
  const int limit = osvm_solver_budget(run->solver, run->params, &run->kernel);
  if (limit > 0) return open_bounded(run, limit);
  driver->marked = malloc((size_t)run->store.n + 1);
  if (driver->marked == NULL) return osvm_no_memory(run->context.error);
  const int listed = run->solver->solve != NULL || osvm_solver_value(run->solver, run->params, OSVM_OUTPUTS, 0) != 0;
  const osvm_output_mode mode = driver->primal ? OSVM_PRIMAL : (listed ? OSVM_LISTED : OSVM_CACHED);
  if (!driver->primal && run->solver->solve == NULL)
    OSVM_TRY(osvm_engine_open(&driver->engine, &run->kernel, &run->store, listed ? 0 : run->first, run->cache_bytes,
                              &run->context.evaluations, run->context.error));
  driver->engine.window = task->window;
  driver->engine.rows.team = run->context.team;
  if (mode == OSVM_CACHED)
    OSVM_TRY(osvm_lazy_outputs_open(&driver->lazy, &driver->engine, run->machines, run->first, run->context.error));
  for (int m = 0; m < run->machines; m++) OSVM_TRY(open_expansion(run, &run->machine[m], mode, 0));
  return OSVM_OK;
}

static osvm_status open_sets(osvm_run *run, const osvm_task *task) {
  struct osvm_driver *driver = run->driver;
  driver->resumed = task->start != NULL && task->start->sets != NULL;
  if (driver->resumed) {
    driver->sets = task->start->sets;
    task->start->sets = NULL;
    OSVM_TRY(osvm_sv_sets_resume(driver->sets, &run->store, run->cache_bytes, run->context.error));
    if (task->count > 1) osvm_sv_sets_drop_rows(driver->sets);
  } else {
    OSVM_TRY(osvm_sv_sets_open(&driver->sets, &run->kernel, &run->store, run->machines, run->solver->columns,
                               run->solver->n_columns, run->cache_bytes, run->context.error));
  }
  driver->sets->shared.rows.gram = run->gram;
  driver->sets->shared.rows.evaluations = &run->context.evaluations;
  driver->sets->shared.rows.team = run->context.team;
  for (int m = 0; m < run->machines; m++) run->machine[m].sv_set = &driver->sets->set[m];
  return OSVM_OK;
}

static osvm_status open_machine(osvm_run *run, osvm_machine *machine) {
  const osvm_state_names names = osvm_solver_state(run->solver, run->params);
  machine->scalars = calloc(names.n_scalars, sizeof(double));
  if (machine->scalars == NULL) return osvm_no_memory(run->context.error);
  if (run->solver->state_size > 0) {
    machine->state = calloc(1, run->solver->state_size);
    if (machine->state == NULL) return osvm_no_memory(run->context.error);
  }
  return run->solver->open != NULL ? run->solver->open(run, machine) : OSVM_OK;
}

static osvm_status open_driver(osvm_run *run, const osvm_task *task) {
  struct osvm_driver *driver = run->driver = calloc(1, sizeof *run->driver);
  if (driver == NULL) return osvm_no_memory(run->context.error);
  driver->task = task;
  run->params = malloc(((size_t)osvm_solver_params(run->solver) + 1) * sizeof(double));
  run->machine = calloc(task->machines > 0 ? task->machines : 1, sizeof *run->machine);
  if (run->params == NULL || run->machine == NULL) return osvm_no_memory(run->context.error);
  run->machines = task->machines;
  memcpy(run->params, task->params, osvm_solver_params(run->solver) * sizeof(double));
  run->epochs = osvm_solver_epochs(run->solver, run->params);
  if (run->epochs < 1) return osvm_fail(run->context.error, OSVM_INVALID, "there must be at least one epoch");
  driver->trace = calloc(run->epochs, sizeof *driver->trace);
  if (driver->trace == NULL) return osvm_no_memory(run->context.error);
  driver->primal = osvm_solver_primal(run->solver, &task->kernel);
  for (int m = 0; m < run->machines; m++) {
    run->machine[m].index = m;
    run->machine[m].objective = osvm_loss_of_machine(&task->loss, m);
    run->machine[m].partial = run->machines > 1 && task->target.negative[m] >= 0;
  }
  return OSVM_OK;
}

/* The first machine draws as the run does, so that two classes have the same numbers in either; so do all machines of
 * numbers, and each has the numbers that it would have alone. */
static void open_contexts(osvm_run *run, const osvm_task *task) {
  run->context = (osvm_context){.error = run->context.error,
                                .progress = &task->progress,
                                .stopped = &run->driver->stopped,
                                .by = 1,
                                .team = &run->driver->team,
                                .value_cost = run->store.sparse ? 32 : run->store.d + 8};
  osvm_random_seed(&run->context.random, task->seed);
  for (int m = 0; m < run->machines; m++) {
    run->machine[m].context = run->context;
    osvm_random_seed(&run->machine[m].context.random, task->target.each ? task->seed : task->seed + m);
  }
}

osvm_status osvm_run_open(osvm_run *run, const osvm_task *task, osvm_error *error) {
  memset(run, 0, sizeof *run);
  run->context.error = error;
  run->solver = task->solver;
  run->kernel = task->kernel;
  run->loss = task->loss;
  run->gram = task->gram;
  run->cache_bytes = task->cache_bytes;
  run->seed = task->seed;
  OSVM_TRY(open_driver(run, task));
  OSVM_TRY(check_task(run, task));
  OSVM_TRY(open_store(run, task));
  OSVM_TRY(osvm_kernel_check(&run->kernel, &run->store, error));
  open_contexts(run, task);
  OSVM_TRY(osvm_run_reserve(run));
  OSVM_TRY(order_visits(run, task));
  const int sets = run->solver->n_columns > 0 && !run->solver->on_expansion;
  OSVM_TRY(sets ? open_sets(run, task) : open_expansions(run, task));
  for (int m = 0; m < run->machines; m++) OSVM_TRY(open_machine(run, &run->machine[m]));
  return model_before(task) != NULL ? osvm_run_import(run, model_before(task)) : OSVM_OK;
}

void osvm_run_close(osvm_run *run) {
  struct osvm_driver *driver = run->driver;
  for (int m = 0; run->machine != NULL && m < run->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    if (run->solver->close != NULL && machine->state != NULL) run->solver->close(machine);
    osvm_expansion_close(&machine->expansion);
    for (int k = 0; k < OSVM_COLUMNS; k++) free(machine->column[k]);
    free(machine->scalars);
    free(machine->state);
  }
  if (driver != NULL) {
    osvm_sv_sets_close(driver->sets);
    osvm_budget_close(&driver->budget);
    osvm_shared_sv_close(&driver->shared);
    osvm_lazy_outputs_close(&driver->lazy);
    osvm_engine_close(&driver->engine);
    close_store(run, driver->task);
    free(driver->order);
    free(driver->trace);
    free(driver->marked);
  }
  free(run->machine);
  free(run->params);
  free(driver);
  memset(run, 0, sizeof *run);
}
