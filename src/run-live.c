/* See run-live.h. An update is a run that borrows the packed examples and starts from the state of the last one; a solver
 * on support-vector sets takes these over, too, and its kernel rows with them. What the run leaves is put together beside
 * the old state, which is given up when nothing can fail any more. If a run fails its sets are lost, and the next one
 * imports the state. */
#include "run-live.h"

#include <stdlib.h>
#include <string.h>

#include "sv-predict.h"

/* ---- the model's arrays ---- */

static size_t some(size_t n) { return n > 0 ? n : 1; }

static osvm_status new_model(osvm_model *model, int size, int machines, const osvm_state_names *names, size_t merged,
                             osvm_error *error) {
  const size_t values = (size_t)size * machines;
  *model = (osvm_model){.size = size, .machines = machines};
  model->coef = calloc(some(values), sizeof(double));
  model->intercept = calloc(some(machines), sizeof(double));
  model->target = calloc(some(size), sizeof(double));
  model->columns = calloc(some(values * names->n_columns), sizeof(double));
  model->scalars = calloc(some((size_t)machines * names->n_scalars), sizeof(double));
  model->kept = malloc(some(size) * sizeof(int));
  model->merged = merged > 0 ? calloc(merged, sizeof(double)) : NULL;
  const int complete = model->coef != NULL && model->intercept != NULL && model->target != NULL &&
                       model->columns != NULL && model->scalars != NULL && model->kept != NULL &&
                       (merged == 0 || model->merged != NULL);
  return complete ? OSVM_OK : osvm_no_memory(error);
}

static void free_model(osvm_model *model) {
  free(model->coef);
  free(model->intercept);
  free(model->target);
  free(model->columns);
  free(model->scalars);
  free(model->kept);
  free(model->merged);
  memset(model, 0, sizeof *model);
}

static void copy_model(osvm_model *to, const osvm_model *from, const osvm_state_names *names) {
  const size_t values = (size_t)from->size * from->machines;
  if (from->coef != NULL) memcpy(to->coef, from->coef, values * sizeof(double));
  memcpy(to->intercept, from->intercept, from->machines * sizeof(double));
  if (from->target != NULL) memcpy(to->target, from->target, from->size * sizeof(double));
  memcpy(to->columns, from->columns, values * names->n_columns * sizeof(double));
  memcpy(to->scalars, from->scalars, (size_t)from->machines * names->n_scalars * sizeof(double));
}

/* Columns of model->size values become columns of those kept. */
static void gather(double *values, size_t columns, const osvm_model *model, double *column) {
  for (size_t c = 0; c < columns; c++) {
    for (int k = 0; k < model->n_kept; k++) column[k] = values[c * model->size + model->kept[k]];
    memcpy(values + c * model->n_kept, column, model->n_kept * sizeof(double));
  }
}

/* ---- opening ---- */

static int keeps_examples(const osvm_live *live) { return !live->primal; }

/* The examples as they came; zeros of a sparse matrix are not kept. */
static osvm_status open_rows(osvm_live *live, const osvm_task *task, osvm_error *error) {
  const int sparse = task->data->kind == OSVM_SPARSE;
  OSVM_TRY(osvm_store_open(&live->rows, osvm_simd_double(task->level), OSVM_ROWS, sparse, live->d, 0, error));
  if (task->carried == NULL) return OSVM_OK;
  osvm_data plain = *task->carried;
  plain.centre = plain.scale = NULL;
  return osvm_store_append(&live->rows, &plain, NULL, plain.n, error);
}

static osvm_status take_model(osvm_live *live, const osvm_model *model, const osvm_live_start *start,
                              osvm_error *error) {
  const size_t weights = (size_t)live->d * model->machines;
  OSVM_TRY(new_model(&live->model, model->size, model->machines, &live->names, 0, error));
  copy_model(&live->model, model, &live->names);
  live->number = calloc(some(model->size), sizeof(double));
  if (live->number == NULL) return osvm_no_memory(error);
  if (start->number != NULL) memcpy(live->number, start->number, model->size * sizeof(double));
  if (start->weights != NULL) {
    live->weights = malloc(some(weights) * sizeof(double));
    if (live->weights == NULL) return osvm_no_memory(error);
    memcpy(live->weights, start->weights, weights * sizeof(double));
  }
  live->n_sv = start->n_sv;
  live->trained = 1;
  return OSVM_OK;
}

/* Solver, kernel and features of the task are those of the live model, and so is what its state consists of. */
static osvm_status check_fits(const osvm_live *live, const osvm_task *task, osvm_error *error) {
  const int machines = live->trained ? live->model.machines : task->machines;
  const int same = osvm_solver_named(task->solver) == live->solver && osvm_kernel_same(&live->kernel, &task->kernel);
  return same && task->data->d == live->d && task->machines == machines
             ? OSVM_OK
             : osvm_fail(error, OSVM_INVALID, "the task does not fit the model");
}

static osvm_status read_names(const osvm_solver *solver, const osvm_task *task, osvm_state_names *names, int *unit_norm,
                              osvm_error *error) {
  double *params = malloc((osvm_solver_params(solver) + 1) * sizeof(double));
  if (params == NULL) return osvm_no_memory(error);
  const osvm_status status = osvm_solver_read(solver, task->params, task->n_params, params, error);
  if (status == OSVM_OK) {
    *names = osvm_solver_state(solver, params);
    *unit_norm = osvm_solver_value(solver, params, OSVM_UNIT_NORM, 0) != 0;
  }
  free(params);
  return status;
}

osvm_status osvm_live_open(osvm_live *live, const osvm_task *task, const osvm_live_start *start, osvm_error *error) {
  memset(live, 0, sizeof *live);
  live->solver = osvm_solver_named(task->solver);
  if (live->solver == NULL) return osvm_fail(error, OSVM_INVALID, "there is no solver of this name");
  if (live->solver->batch) return osvm_fail(error, OSVM_INVALID, "this solver is not on-line");
  live->kernel = task->kernel;
  live->primal = osvm_solver_primal(live->solver, &live->kernel);
  live->d = task->data->d;
  live->seen = start->seen;
  int unit_norm = 0;
  OSVM_TRY(read_names(live->solver, task, &live->names, &unit_norm, error));
  if (keeps_examples(live)) OSVM_TRY(open_rows(live, task, error));
  if (task->model == NULL) return OSVM_OK;
  const int kept = keeps_examples(live) ? live->rows.n : live->d;
  if (task->model->size != kept || task->model->machines != task->machines)
    return osvm_fail(error, OSVM_INVALID, "the model does not fit its examples");
  if (keeps_examples(live)) OSVM_TRY(osvm_task_open_store(task, live->solver, unit_norm, &live->packed, error));
  return take_model(live, task->model, start, error);
}

void osvm_live_close(osvm_live *live) {
  osvm_store_close(&live->packed);
  osvm_store_close(&live->rows);
  osvm_sv_sets_close(live->sets);
  free_model(&live->model);
  free(live->number);
  free(live->weights);
  memset(live, 0, sizeof *live);
}

/* ---- updates ---- */

/* What an update prepares */
typedef struct {
  osvm_model model;
  double *number, *column;
  int *order;            /* of the examples: those kept, then the others */
  unsigned char *marked; /* support vectors */
} next_state;

static void free_next(next_state *next) {
  free_model(&next->model);
  free(next->number);
  free(next->column);
  free(next->order);
  free(next->marked);
}

static osvm_status open_next(next_state *next, const osvm_run *run, const osvm_state_names *names, osvm_error *error) {
  const int size = osvm_run_size(run);
  const size_t merged = (size_t)(run->store.n - run->end) * run->store.d;
  OSVM_TRY(new_model(&next->model, size, run->machines, names, merged, error));
  next->number = calloc(some(size), sizeof(double));
  next->column = malloc(some(size) * sizeof(double));
  next->order = malloc(some(size) * sizeof(int));
  next->marked = calloc(some(size), 1);
  const int complete = next->number != NULL && next->column != NULL && next->order != NULL && next->marked != NULL;
  return complete ? OSVM_OK : osvm_no_memory(error);
}

/* New examples, and merged vectors (n x d in columns), as the user would give them */
static osvm_status append_rows(osvm_live *live, const osvm_run *run, const double *merged, osvm_error *error) {
  const osvm_task *task = run->driver->task;
  osvm_data plain = *task->data;
  plain.centre = plain.scale = NULL;
  plain.progress = NULL; /* the run has ended: too late for an interrupt */
  OSVM_TRY(osvm_store_append(&live->rows, &plain, task->rows, task->count, error));
  if (merged == NULL) return OSVM_OK;
  const osvm_data vectors = {.kind = OSVM_DOUBLES, .n = run->store.n - run->end, .d = live->d, .x = merged};
  return osvm_store_append(&live->rows, &vectors, NULL, vectors.n, error);
}

/* Of a weight vector everything is kept. */
static void order_examples(const osvm_live *live, const osvm_run *run, next_state *next) {
  osvm_model *model = &next->model;
  int *order = next->order, count = model->n_kept;
  if (!keeps_examples(live)) return;
  for (int i = 0; i < model->size; i++)
    next->column[i] = i < run->first ? live->number[i] : i < run->end ? live->seen + (i - run->first) + 1 : 0;
  for (int k = 0; k < model->n_kept; k++) {
    order[k] = model->kept[k];
    next->number[k] = next->column[order[k]];
  }
  for (int i = 0; i < model->size; i++) next->column[i] = 1;
  for (int k = 0; k < model->n_kept; k++) next->column[order[k]] = 0;
  for (int i = 0; i < model->size; i++)
    if (next->column[i] != 0) order[count++] = i;
}

/* Nothing fails from here on. The run's store goes back to live->packed when it is closed. */
static void take_next(osvm_live *live, osvm_run *run, next_state *next) {
  osvm_model *model = &next->model;
  if (keeps_examples(live)) {
    live->sets = osvm_run_take_sets(run, model);
    order_examples(live, run, next);
    gather(model->coef, model->machines, model, next->column);
    gather(model->target, 1, model, next->column);
    gather(model->columns, (size_t)model->machines * live->names.n_columns, model, next->column);
    osvm_store_select(&run->store, next->order, model->n_kept);
    osvm_store_select(&live->rows, next->order, model->n_kept);
    model->size = model->n_kept;
    live->n_sv = 0;
    for (int m = 0; m < model->machines; m++)
      live->n_sv += osvm_mark_support(model->coef + (size_t)m * model->size, model->size, 0, next->marked);
  }
  free_model(&live->model);
  free(live->number);
  free(live->weights);
  live->model = *model;
  live->number = next->number;
  live->weights = NULL;
  live->seen += run->driver->visited;
  live->trained = 1;
  memset(model, 0, sizeof *model);
  next->number = NULL;
}

static osvm_status learn(osvm_live *live, osvm_run *run, next_state *next, osvm_error *error) {
  OSVM_TRY(open_next(next, run, &live->names, error));
  const osvm_status status = osvm_run_learn(run);
  if (status != OSVM_OK && status != OSVM_INTERRUPTED) return status;
  OSVM_TRY(osvm_run_export(run, &next->model));
  if (keeps_examples(live)) OSVM_TRY(append_rows(live, run, next->model.merged, error));
  return status;
}

osvm_status osvm_live_update(osvm_live *live, osvm_task *task,
                             void (*ended)(void *user, const osvm_run *run, int interrupted), void *user,
                             osvm_error *error) {
  const int kept = live->rows.n;
  int unit_norm;
  osvm_state_names names;
  OSVM_TRY(check_fits(live, task, error));
  OSVM_TRY(read_names(live->solver, task, &names, &unit_norm, error));
  if (names.n_columns != live->names.n_columns || names.n_scalars != live->names.n_scalars)
    return osvm_fail(error, OSVM_INVALID, "the solver's parameters do not fit the model's state");
  if (keeps_examples(live)) {
    if (live->packed.simd == NULL) OSVM_TRY(osvm_task_open_store(task, live->solver, 0, &live->packed, error));
    task->kept = &live->packed;
  }
  if (live->trained) task->model = &live->model;
  task->sets = &live->sets;
  osvm_run run;
  next_state next = {0};
  osvm_status status = osvm_run_open(&run, task, error);
  const int opened = status == OSVM_OK;
  if (opened) status = learn(live, &run, &next, error);
  if (opened && (status == OSVM_OK || status == OSVM_INTERRUPTED)) {
    ended(user, &run, status == OSVM_INTERRUPTED);
    take_next(live, &run, &next);
    osvm_run_close(&run);
    status = OSVM_OK;
  } else {
    osvm_run_close(&run);
    osvm_store_truncate(&live->packed, kept);
    osvm_store_truncate(&live->rows, kept);
  }
  free_next(&next);
  return status;
}

/* ---- decision values ---- */

/* sum of coef_i x_i, with x_i scaled as `data` is */
static osvm_status make_weights(osvm_live *live, const osvm_data *data, osvm_error *error) {
  const osvm_model *model = &live->model;
  live->weights = calloc(some((size_t)live->d * model->machines), sizeof(double));
  if (live->weights == NULL) return osvm_no_memory(error);
  for (int m = 0; m < model->machines; m++) {
    const double *coef = model->coef + (size_t)m * model->size;
    double *weights = live->weights + (size_t)m * live->d, total = 0;
    for (int i = 0; i < model->size; i++) {
      osvm_store_add(&live->rows, i, coef[i], weights);
      total += coef[i];
    }
    for (int f = 0; f < live->d; f++) {
      if (data->centre != NULL) weights[f] -= total * data->centre[f];
      if (data->scale != NULL) weights[f] /= data->scale[f];
    }
  }
  return OSVM_OK;
}

osvm_status osvm_live_decide(osvm_live *live, const osvm_data *data, int threads, int unit_norm, double *out,
                             osvm_error *error) {
  const osvm_model *model = &live->model;
  if (data->d != live->d) return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model");
  if (osvm_kernel_is_linear(&live->kernel)) {
    if (!live->primal && live->weights == NULL) OSVM_TRY(make_weights(live, data, error));
    return osvm_linear_decision_values(data, live->primal ? model->coef : live->weights, model->machines, unit_norm,
                                       out, error);
  }
  OSVM_TRY(osvm_store_index(&live->packed, error));
  return osvm_decision_values(&live->kernel, &live->packed, model->coef, model->machines, data, threads, data->progress,
                              out, error);
}
