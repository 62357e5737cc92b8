/* See run-live.h. An update is a run that takes over the packed examples and starts from the state of the last one; a
 * solver on support-vector sets takes these over, too, and its kernel rows with them. What the run leaves is put together
 * beside the old state, which is given up when nothing can fail any more. If a run fails its sets are lost, and the next
 * one imports the state. */
#include "run-live.h"

#include <stdlib.h>
#include <string.h>

#include "base-queue.h"
#include "sv-predict.h"

/* ---- the model's arrays ---- */

/* What belongs to the examples of a run, and what it leaves of each machine */
typedef struct {
  osvm_model model;
  double *number;
  osvm_convergence *convergence;
} model_state;

/* In one block, which begins with the coefficients; targets: columns of them; merged: values of merged vectors */
static osvm_status new_model(model_state *state, int size, int machines, int targets, const osvm_state_names *names,
                             size_t merged, osvm_error *error) {
  const size_t values = (size_t)size * machines;
  const size_t ended = machines * sizeof(osvm_convergence) / sizeof(double);
  osvm_model *model = &state->model;
  *model = (osvm_model){.size = size, .machines = machines};
  const size_t row = (size_t)machines * (1 + names->n_columns) + 1 + targets;
  const size_t others = (size_t)machines * (1 + names->n_scalars) + ended + merged;
  model->coef = calloc((size_t)size + others / row + 1, row * sizeof(double)); /* which checks the product */
  model->kept = malloc(((size_t)size + 1) * sizeof(int));
  if (model->coef == NULL || model->kept == NULL) return osvm_no_memory(error);
  model->columns = model->coef + values;
  model->intercept = model->columns + values * names->n_columns;
  model->scalars = model->intercept + machines;
  model->target = model->scalars + (size_t)machines * names->n_scalars;
  state->number = model->target + (size_t)size * targets;
  state->convergence = (osvm_convergence *)(state->number + size);
  model->merged = merged > 0 ? state->number + size + ended : NULL;
  return OSVM_OK;
}

static void free_model(osvm_model *model) {
  free(model->coef);
  free(model->kept);
  memset(model, 0, sizeof *model);
}

static void copy_model(osvm_model *to, const osvm_model *from, int targets, const osvm_state_names *names) {
  const size_t values = (size_t)from->size * from->machines;
  if (from->coef != NULL) memcpy(to->coef, from->coef, values * sizeof(double));
  memcpy(to->intercept, from->intercept, from->machines * sizeof(double));
  if (from->target != NULL) memcpy(to->target, from->target, (size_t)from->size * targets * sizeof(double));
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

static int is_trained(const osvm_live *live) { return live->start.model != NULL; }

/* The examples as they came; zeros of a sparse matrix are not kept. */
static osvm_status open_rows(osvm_live *live, const osvm_task *task, const osvm_data *carried, osvm_error *error) {
  const int sparse = task->data->kind == OSVM_SPARSE, count = carried != NULL ? carried->n : 0;
  OSVM_TRY(osvm_store_open(&live->rows, osvm_simd_double(task->level), OSVM_ROWS, sparse, task->data->d, count, error));
  if (count == 0) return OSVM_OK;
  const osvm_data plain = osvm_data_as_given(carried);
  return osvm_store_append(&live->rows, &plain, NULL, count, error);
}

static osvm_status take_model(osvm_live *live, const osvm_live_start *from, osvm_error *error) {
  const osvm_model *model = from->model;
  const size_t weights = (size_t)live->d * model->machines;
  model_state state;
  const osvm_status status = new_model(&state, model->size, model->machines, live->targets, &live->names, 0, error);
  live->model = state.model;
  OSVM_TRY(status);
  live->number = state.number;
  copy_model(&live->model, model, live->targets, &live->names);
  if (from->number != NULL) memcpy(live->number, from->number, model->size * sizeof(double));
  live->given = from->weights != NULL;
  if (live->given) {
    OSVM_TRY(osvm_resize(&live->weights, weights, sizeof(double), error));
    memcpy(live->weights, from->weights, weights * sizeof(double));
  }
  OSVM_TRY(osvm_resize(&live->trace, from->n_trace, sizeof *live->trace, error));
  if (from->n_trace > 0) memcpy(live->trace, from->trace, from->n_trace * sizeof *live->trace);
  live->n_trace = from->n_trace;
  return OSVM_OK;
}

osvm_status osvm_live_open(osvm_live *live, const osvm_task *task, const osvm_live_start *start, osvm_error *error) {
  memset(live, 0, sizeof *live);
  live->solver = task->solver;
  live->kernel = task->kernel;
  live->primal = osvm_solver_primal(live->solver, &live->kernel);
  live->d = osvm_data_width(task->data);
  live->targets = osvm_target_columns(&task->target, task->machines);
  live->counts = start->counts;
  const osvm_data *carried = live->primal ? NULL : start->carried;
  live->names = osvm_solver_state(task->solver, task->params);
  if (!live->primal) OSVM_TRY(open_rows(live, task, carried, error));
  if (start->model == NULL) return OSVM_OK;
  if (start->model->size != (live->primal ? live->d : live->rows.n) || start->model->machines != task->machines)
    return osvm_fail(error, OSVM_INVALID, "the model does not fit its examples");
  OSVM_TRY(osvm_start_open(&live->start, task, carried, NULL, error));
  OSVM_TRY(take_model(live, start, error));
  live->start.model = &live->model;
  return OSVM_OK;
}

void osvm_live_close(osvm_live *live) {
  osvm_start_close(&live->start);
  osvm_store_close(&live->rows);
  free_model(&live->model);
  free(live->trace);
  free(live->weights);
  memset(live, 0, sizeof *live);
}

/* ---- updates ---- */

enum { MOST_EPOCHS = 1000 }; /* of the trace, unless the last run had more */

/* What an update prepares, and room for an entry per example */
typedef struct {
  model_state state;
  double *column;        /* in one block with the others */
  int *place;            /* of the examples of the run: where they are in live->rows, if they are kept */
  int *order;            /* of examples: those kept, then the others */
  unsigned char *marked; /* examples */
} next_state;

static osvm_status open_next(next_state *next, const osvm_run *run, const osvm_state_names *names, osvm_error *error) {
  const size_t size = osvm_run_size(run), merged = (size_t)(run->store.n - run->end) * run->store.d;
  const int targets = osvm_target_columns(&run->driver->task->target, run->machines);
  OSVM_TRY(new_model(&next->state, (int)size, run->machines, targets, names, merged, error));
  next->column = malloc(size * (sizeof(double) + 2 * sizeof(int) + 1) + 1);
  if (next->column == NULL) return osvm_no_memory(error);
  next->place = (int *)(next->column + size);
  next->order = next->place + size;
  next->marked = (unsigned char *)(next->order + size);
  return OSVM_OK;
}

/* Of examples from .. to - 1 of the run, which are rows of `data`, those that the model keeps */
static osvm_status append_kept(osvm_live *live, next_state *next, int from, int to, const osvm_data *data,
                               const int *rows, osvm_error *error) {
  int count = 0;
  for (int k = 0; k < next->state.model.n_kept; k++) {
    const int i = next->state.model.kept[k];
    if (i < from || i >= to) continue;
    next->place[i] = live->rows.n + count;
    next->order[count++] = rows != NULL ? rows[i - from] : i - from;
  }
  return osvm_store_append(&live->rows, data, next->order, count, error);
}

/* The new examples and the merged vectors that are kept, as the user would give them */
static osvm_status append_rows(osvm_live *live, const osvm_run *run, next_state *next, osvm_error *error) {
  const osvm_task *task = run->driver->task;
  const osvm_data merged = {
      .kind = OSVM_DOUBLES, .n = run->store.n - run->end, .d = live->rows.d, .x = next->state.model.merged};
  osvm_data plain = osvm_data_as_given(task->data);
  plain.progress = NULL; /* the run has ended: too late for an interrupt */
  for (int i = 0; i < run->first; i++) next->place[i] = i;
  OSVM_TRY(append_kept(live, next, run->first, run->end, &plain, task->rows, error));
  return append_kept(live, next, run->end, run->store.n, &merged, NULL, error);
}

/* place: NULL, or where the examples of the run are in the store */
static void select_kept(osvm_store *store, const next_state *next, const int *place) {
  const int kept = next->state.model.n_kept;
  int count = kept;
  memset(next->marked, 0, store->n);
  for (int k = 0; k < kept; k++) {
    const int i = next->state.model.kept[k];
    next->order[k] = place != NULL ? place[i] : i;
    next->marked[next->order[k]] = 1;
  }
  for (int i = 0; i < store->n; i++)
    if (!next->marked[i]) next->order[count++] = i;
  osvm_store_select(store, next->order, kept);
}

/* 0: a merged vector, or an example that is learned again */
static double number_of(const osvm_live *live, const osvm_run *run, int i) {
  const osvm_task *task = run->driver->task;
  const int k = i - run->first;
  if (i < run->first) return live->number[i];
  if (i >= run->end || (task->times != NULL && task->times[k] == 0)) return 0;
  return live->counts.seen + (task->rows != NULL ? task->rows[k] : k) + 1;
}

/* The examples that are kept, in their order, with what belongs to them */
static void take_examples(osvm_live *live, osvm_run *run, next_state *next) {
  const osvm_task *task = run->driver->task;
  osvm_model *model = &next->state.model;
  live->start.sets = osvm_run_take_sets(run, model);
  for (int k = 0; k < model->n_kept; k++) next->state.number[k] = number_of(live, run, model->kept[k]);
  gather(model->coef, model->machines, model, next->column);
  gather(model->target, live->targets, model, next->column);
  gather(model->columns, (size_t)model->machines * live->names.n_columns, model, next->column);
  select_kept(&live->rows, next, next->place);
  select_kept(&run->store, next, NULL);
  for (int k = 0; k < task->n_forget; k++) live->counts.forgotten += !next->marked[task->forget[k]];
  model->size = model->n_kept;
  memset(next->marked, 0, model->size);
  live->counts.n_sv = 0;
  for (int m = 0; m < model->machines; m++)
    live->counts.n_sv += osvm_mark_support(model->coef + (size_t)m * model->size, model->size, 0, next->marked);
}

/* All rows of this run, and of those before it as many as make MOST_EPOCHS */
static void take_trace(osvm_live *live, const struct osvm_driver *driver) {
  const int added = driver->epochs_done, total = live->n_trace + added;
  const int kept = added > MOST_EPOCHS ? added : MOST_EPOCHS, gone = total > kept ? total - kept : 0;
  memcpy(live->trace + live->n_trace, driver->trace, added * sizeof *live->trace);
  if (gone > 0) memmove(live->trace, live->trace + gone, (size_t)kept * sizeof *live->trace);
  live->n_trace = total - gone;
  live->counts.epoch += gone;
}

static void take_counts(osvm_live *live, const osvm_run *run, next_state *next) {
  const osvm_task *task = run->driver->task;
  osvm_live_counts *counts = &live->counts;
  for (int m = 0; m < run->machines; m++) {
    next->state.convergence[m] = run->machine[m].convergence;
    counts->steps += run->machine[m].visits;
  }
  counts->updates += osvm_run_updates(run);
  counts->evaluations += osvm_run_evaluations(run);
  counts->seen += task->times == NULL ? run->driver->visited : 0;
  for (int k = 0; k < run->driver->visited && task->times != NULL; k++) counts->seen += task->times[k];
  if (task->trace) take_trace(live, run->driver);
}

/* Nothing fails from here on. The run's store goes back to live->start when it is closed. */
static void take_next(osvm_live *live, osvm_run *run, next_state *next) {
  if (!live->primal) take_examples(live, run, next);
  take_counts(live, run, next);
  free_model(&live->model);
  free(live->weights);
  live->model = next->state.model;
  live->number = next->state.number;
  live->convergence = next->state.convergence;
  live->weights = NULL;
  live->given = 0;
  live->start.model = &live->model;
  memset(&next->state, 0, sizeof next->state);
}

static osvm_status learn(osvm_live *live, osvm_run *run, next_state *next, osvm_error *error) {
  const osvm_task *task = run->driver->task;
  OSVM_TRY(open_next(next, run, &live->names, error));
  OSVM_TRY(osvm_resize(&live->trace, (size_t)live->n_trace + run->epochs, sizeof *live->trace, error));
  const osvm_status status = osvm_run_learn(run);
  if (status != OSVM_OK && status != OSVM_INTERRUPTED) return status;
  OSVM_TRY(osvm_run_export(run, &next->state.model));
  if (task->epoch_ended != NULL) task->epoch_ended(task->user, run);
  if (!live->primal) OSVM_TRY(append_rows(live, run, next, error));
  live->interrupted = status == OSVM_INTERRUPTED;
  return OSVM_OK;
}

/* Solver, kernel and features of the task are those of the live model, and so is what its state consists of. */
static osvm_status check_fits(const osvm_live *live, const osvm_task *task, osvm_error *error) {
  const int machines = is_trained(live) ? live->model.machines : task->machines;
  const int same = task->solver == live->solver && osvm_kernel_same(&live->kernel, &task->kernel);
  const osvm_state_names names = osvm_solver_state(task->solver, task->params);
  if (!same || osvm_data_width(task->data) != live->d || task->machines != machines)
    return osvm_fail(error, OSVM_INVALID, "the task does not fit the model");
  if (names.n_columns != live->names.n_columns || names.n_scalars != live->names.n_scalars)
    return osvm_fail(error, OSVM_INVALID, "the solver's parameters do not fit the model's state");
  return OSVM_OK;
}

/* Examples that are packed in another precision than the task needs are packed anew, and sets of them are lost. */
static osvm_status fit_precision(osvm_live *live, const osvm_task *task, osvm_error *error) {
  if (live->start.packed.simd == NULL || live->start.packed.simd == osvm_task_simd(task)) return OSVM_OK;
  osvm_data rows = *task->data;
  osvm_start anew;
  OSVM_TRY(osvm_store_unpack(&live->rows, &rows, error));
  const osvm_status status = osvm_start_open(&anew, task, &rows, live->start.model, error);
  free((void *)rows.x);
  osvm_start_close(status == OSVM_OK ? &live->start : &anew);
  if (status == OSVM_OK) live->start = anew;
  return status;
}

osvm_status osvm_live_update(osvm_live *live, osvm_task *task, osvm_error *error) {
  const double began = osvm_wall_seconds();
  const int kept = live->rows.n;
  OSVM_TRY(check_fits(live, task, error));
  OSVM_TRY(fit_precision(live, task, error));
  task->start = &live->start;
  osvm_run run;
  next_state next = {0};
  osvm_status status = osvm_run_open(&run, task, error);
  if (status == OSVM_OK) status = learn(live, &run, &next, error);
  if (status == OSVM_OK) take_next(live, &run, &next);
  osvm_run_close(&run);
  free_model(&next.state.model);
  free(next.column);
  if (status != OSVM_OK) {
    osvm_store_truncate(&live->start.packed, kept);
    osvm_store_truncate(&live->rows, kept);
    return status;
  }
  live->counts.seconds += osvm_wall_seconds() - began;
  return OSVM_OK;
}

static osvm_status update_job(void *user, int job, const osvm_progress *progress) {
  osvm_live_job *this = (osvm_live_job *)user + job;
  this->task.progress = *progress;
  this->status = osvm_live_update(this->live, &this->task, &this->error);
  if (this->status == OSVM_OK && this->live->interrupted) this->status = OSVM_INTERRUPTED;
  return this->status == OSVM_INTERRUPTED ? OSVM_INTERRUPTED : OSVM_OK;
}

void osvm_live_update_all(osvm_live_job *jobs, int count, int threads, const osvm_progress *progress) {
  for (int k = 0; k < count; k++) {
    jobs[k].task.threads = 1;
    jobs[k].status = OSVM_INTERRUPTED;
  }
  osvm_queue_run(update_job, jobs, count, threads, progress);
}

osvm_status osvm_live_leave_out(osvm_live *live, osvm_task *task, double *outputs, osvm_error *error) {
  osvm_run run;
  OSVM_TRY(check_fits(live, task, error));
  OSVM_TRY(fit_precision(live, task, error));
  task->start = &live->start;
  osvm_status status = osvm_run_open(&run, task, error);
  if (status == OSVM_OK) status = osvm_run_leave_out(&run, outputs);
  osvm_run_close(&run);
  return status;
}

/* ---- decision values ---- */

/* sum of coef_i x_i of examples as they are packed: mapped, or of norm 1 */
static void add_packed(osvm_live *live, void *example) {
  const osvm_store *packed = &live->start.packed;
  const osvm_model *model = &live->model;
  for (int i = 0; i < model->size; i++) {
    const void *x = packed->sparse ? NULL : osvm_store_query(packed, i, example).dense;
    for (int m = 0; m < model->machines; m++) {
      const double coef = model->coef[i + (size_t)m * model->size];
      double *weights = live->weights + (size_t)m * live->d;
      if (packed->sparse) osvm_store_add(packed, i, coef, weights);
      else packed->simd->add(x, live->d, coef, weights);
    }
  }
}

/* weights += coef x_i, warped as `data` is */
static void add_row(const osvm_live *live, const osvm_data *data, int i, double coef, double *weights) {
  if (data->warp.kind == OSVM_NO_WARP) {
    osvm_store_add(&live->rows, i, coef, weights);
    return;
  }
  const double *row = osvm_store_query(&live->rows, i, NULL).dense;
  for (int f = 0; f < live->d; f++) {
    double x = row[f];
    osvm_warp_apply(&data->warp, f, &x, 1);
    weights[f] += coef * x;
  }
}

/* sum of coef_i x_i, with x_i scaled as `data` is */
static osvm_status make_weights(osvm_live *live, const osvm_data *data, osvm_error *error) {
  const osvm_model *model = &live->model;
  live->weights = calloc((size_t)live->d + 1, model->machines * sizeof(double));
  if (live->weights == NULL) return osvm_no_memory(error);
  if (data->map != NULL || data->unit_norm) {
    void *example = malloc((size_t)live->d * sizeof(double));
    if (example != NULL) add_packed(live, example);
    free(example);
    return example != NULL ? OSVM_OK : osvm_no_memory(error);
  }
  for (int m = 0; m < model->machines; m++) {
    const double *coef = model->coef + (size_t)m * model->size;
    double *weights = live->weights + (size_t)m * live->d, total = 0;
    for (int i = 0; i < model->size; i++) {
      add_row(live, data, i, coef[i], weights);
      total += coef[i];
    }
    for (int f = 0; f < live->d; f++) {
      if (data->centre != NULL) weights[f] -= total * data->centre[f];
      if (data->scale != NULL) weights[f] /= data->scale[f];
    }
  }
  return OSVM_OK;
}

osvm_status osvm_live_decide(osvm_live *live, const osvm_task *task, double *out, osvm_error *error) {
  const osvm_model *model = &live->model;
  const osvm_data *data = task->data;
  if (osvm_data_width(data) != live->d) return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model");
  if (osvm_kernel_is_linear(&live->kernel)) {
    if (!live->primal && live->weights == NULL) OSVM_TRY(make_weights(live, data, error));
    return osvm_linear_decision_values(data, osvm_task_simd(task), live->primal ? model->coef : live->weights,
                                       model->machines, osvm_task_unit_norm(task), out, error);
  }
  OSVM_TRY(fit_precision(live, task, error));
  OSVM_TRY(osvm_store_index(&live->start.packed, error));
  return osvm_decision_values(&live->kernel, &live->start.packed, model->coef, model->machines, data, task->threads,
                              &task->progress, out, error);
}
