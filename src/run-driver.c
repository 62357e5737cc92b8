/* The driver: everything around an update rule. It packs the examples, walks the epochs, counts, polls for interrupts,
 * keeps the trace, and supplies the defaults of a solver's slots. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

#define OSVM_SOLVER(name, ...) extern const osvm_solver osvm_solver_##name;
#include "solver-list.h"
#undef OSVM_SOLVER

const osvm_solver_info *osvm_solvers(int *count) {
  static const osvm_solver_info plates[] = {
#define OSVM_SOLVER(name, title, space, online, forgets, paper)                                                        \
  {#name, title, space, paper, online, forgets, &osvm_solver_##name},
#include "solver-list.h"
#undef OSVM_SOLVER
  };
  *count = (int)(sizeof plates / sizeof plates[0]);
  return plates;
}

const osvm_solver *osvm_solver_named(const char *name) {
  int count;
  const osvm_solver_info *plates = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    if (strcmp(plates[s].name, name) == 0) return plates[s].solver;
  return NULL;
}

static const osvm_param *find_param(const osvm_param *params, int n_params, const char *name) {
  for (int p = 0; p < n_params; p++)
    if (strcmp(params[p].name, name) == 0) return &params[p];
  return NULL;
}

/* What the task says of it; 0 if nothing. */
static double value_of(const osvm_task *task, const char *name) {
  const osvm_param *param = find_param(task->params, task->n_params, name);
  return param != NULL ? param->value : 0;
}

osvm_status osvm_run_set_params(osvm_run *run, const osvm_param *params, int n_params) {
  const char *const *names = run->solver->params;
  for (int k = 0; names[k] != NULL; k++) {
    const osvm_param *param = find_param(params, n_params, names[k]);
    if (param == NULL) return osvm_fail(run->error, OSVM_INVALID, "a parameter of the solver is missing");
    run->rule[k] = param->value;
  }
  return OSVM_OK;
}

static osvm_status read_params(osvm_run *run) {
  int count = 0;
  while (run->solver->params[count] != NULL) count++;
  run->rule = calloc((size_t)count + 1, sizeof(double));
  if (run->rule == NULL) return osvm_no_memory(run->error);
  return osvm_run_set_params(run, run->task->params, run->task->n_params);
}

/* ---- defaults: one expansion per machine ---- */

static osvm_status open_expansions(osvm_run *run) {
  const int averaged = value_of(run->task, "average") != 0;
  const int listing = run->solver->solve != NULL || value_of(run->task, "outputs") != 0;
  const osvm_output_mode outputs = run->primal ? OSVM_PRIMAL : (listing ? OSVM_LISTED : OSVM_CACHED);
  const int machines = run->task->machines;
  osvm_status status = OSVM_OK;
  if (!run->primal && run->solver->solve == NULL)
    status = osvm_engine_open(&run->engine, &run->task->kernel, &run->store, outputs == OSVM_LISTED ? 0 : run->first,
                              run->task->cache_bytes, &run->evaluations, run->error);
  run->engine.window = run->task->window;
  if (status == OSVM_OK && outputs == OSVM_CACHED)
    status = osvm_lazy_outputs_open(&run->lazy, &run->engine, machines, run->first, run->error);
  for (int m = 0; m < machines && status == OSVM_OK; m++) {
    osvm_expansion *e = &run->machine[m].expansion;
    status = osvm_expansion_open(e, outputs, &run->store, averaged, run->error);
    e->engine = &run->engine;
    e->lazy = &run->lazy;
    e->machine = m;
    run->machine[m].partial = machines > 1 && run->task->negative[m] >= 0;
  }
  return status;
}

static osvm_status open_circles(osvm_run *run) {
  const osvm_solver *solver = run->solver;
  const int machines = run->task->machines;
  run->shared = calloc(1, sizeof *run->shared);
  run->sv_set = calloc(machines, sizeof *run->sv_set);
  if (run->shared == NULL || run->sv_set == NULL) return osvm_no_memory(run->error);
  osvm_status status = osvm_shared_sv_open(run->shared, &run->task->kernel, &run->store, machines, run->error);
  run->shared->rows.gram = run->task->gram;
  run->shared->rows.evaluations = &run->evaluations;
  for (int m = 0; m < machines && status == OSVM_OK; m++)
    status = osvm_sv_set_open(&run->sv_set[m], run->shared, solver->columns, solver->n_columns,
                              run->task->cache_bytes / machines, run->error);
  return status;
}

static osvm_status import_expansions(osvm_run *run, const osvm_model *model) {
  const size_t size = model->size, all = size * model->machines;
  for (int m = 0; m < model->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    const double *tally = model->tally + (size_t)m * OSVM_TALLY;
    osvm_expansion_import(&machine->expansion, model->going + m * size, model->going + all + m * size, model->size);
    machine->expansion.steps = tally[OSVM_STEPS];
    machine->expansion.bias = tally[OSVM_BIAS];
    machine->expansion.bias_sum = tally[OSVM_BIAS_SUM];
  }
  /* Example by example, so that the machines share its kernel row. */
  for (int j = 0; j < model->size && run->lazy.output != NULL; j++) {
    for (int m = 0; m < model->machines; m++) {
      const double coef = model->going[j + m * size];
      if (coef != 0) osvm_lazy_outputs_change(&run->lazy, m, j, coef, INT_MAX);
    }
  }
  return OSVM_OK;
}

static osvm_status export_expansions(osvm_run *run, osvm_model *model) {
  const size_t size = model->size, all = size * model->machines;
  for (int m = 0; m < model->machines; m++) {
    const osvm_expansion *e = &run->machine[m].expansion;
    double *tally = model->tally + (size_t)m * OSVM_TALLY;
    osvm_expansion_export(e, model->going + m * size, model->going + all + m * size, model->coef + m * size);
    model->intercept[m] = e->averaged && e->steps > 0 ? e->bias_sum / e->steps : e->bias;
    tally[OSVM_STEPS] = e->steps;
    tally[OSVM_BIAS] = e->bias;
    tally[OSVM_BIAS_SUM] = e->bias_sum;
  }
  return OSVM_OK;
}

void osvm_run_export_support(const osvm_run *run, osvm_model *model) {
  const osvm_shared_sv *pool = run->shared;
  model->n_kept = 0;
  if (run->solver->forget == NULL)
    for (int k = 0; k < pool->count; k++) model->kept[model->n_kept++] = pool->who[pool->live[k]];
  else
    for (int i = 0; i < run->store.n; i++)
      if (pool->slot[i] >= 0) model->kept[model->n_kept++] = i;
}

/* ---- a run ---- */

int osvm_task_primal(const osvm_task *task) {
  return task->kernel.type == OSVM_LINEAR && !osvm_solver_named(task->solver)->dual;
}

osvm_status osvm_task_pack(const osvm_task *task, osvm_store *store, osvm_error *error) {
  const int exact = task->doubles || osvm_solver_named(task->solver)->exact, primal = osvm_task_primal(task);
  const osvm_simd *simd = exact ? osvm_simd_double(task->level) : osvm_simd_single(task->level);
  const int carried = task->carried != NULL && !primal ? task->carried->n : 0;
  osvm_status status = osvm_store_open(store, simd, primal ? OSVM_ROWS : OSVM_PANELS, task->data->kind == OSVM_SPARSE,
                                       task->data->d, carried + task->count, error);
  if (status == OSVM_OK && carried > 0) status = osvm_store_append(store, task->carried, NULL, carried, error);
  if (status == OSVM_OK) status = osvm_store_append(store, task->data, task->rows, task->count, error);
  if (status == OSVM_OK && value_of(task, "unit_norm") != 0) osvm_store_normalise(store);
  return status;
}

static osvm_status take_store(osvm_run *run) {
  const osvm_task *task = run->task;
  run->borrowed = task->store != NULL;
  if (run->borrowed) run->store = *task->store;
  osvm_status status = run->borrowed ? OSVM_OK : osvm_task_pack(task, &run->store, run->error);
  run->first = run->store.n - task->count;
  return status;
}

/* Examples held out are passed over. */
static osvm_status list_visits(osvm_run *run) {
  const osvm_task *task = run->task;
  for (int p = 0; p < task->count; p++) run->count += task->class_of[p] >= 0;
  if (run->count == task->count) return OSVM_OK;
  run->order = malloc(((size_t)run->count + 1) * sizeof(int));
  if (run->order == NULL) return osvm_no_memory(run->error);
  for (int p = 0, k = 0; p < task->count; p++)
    if (task->class_of[p] >= 0) run->order[k++] = p;
  return OSVM_OK;
}

osvm_status osvm_run_open(osvm_run *run, const osvm_task *task, osvm_error *error) {
  memset(run, 0, sizeof *run);
  run->task = task;
  run->error = error;
  run->solver = osvm_solver_named(task->solver);
  if (run->solver == NULL) return osvm_fail(error, OSVM_INVALID, "there is no solver of this name");
  run->primal = osvm_task_primal(task);
  osvm_random_seed(&run->random, task->seed);
  run->machine = calloc(task->machines > 0 ? task->machines : 1, sizeof *run->machine);
  run->trace = calloc(task->epochs > 0 ? task->epochs : 1, sizeof *run->trace);
  if (run->machine == NULL || run->trace == NULL) return osvm_no_memory(error);
  if (task->model != NULL) {
    const int kept = run->primal ? task->data->d : (task->carried ? task->carried->n : 0);
    if (task->model->size != kept || task->model->machines != task->machines)
      return osvm_fail(error, OSVM_INVALID, "the model does not fit its examples");
  }
  if (task->n_forget > 0 && run->solver->forget == NULL)
    return osvm_fail(error, OSVM_INVALID, "this solver cannot forget");
  for (int k = 0; k < task->n_forget; k++)
    if (task->model == NULL || task->forget[k] < 0 || task->forget[k] >= task->model->size)
      return osvm_fail(error, OSVM_INVALID, "there is no such example to forget");
  osvm_status status = read_params(run);
  if (status == OSVM_OK) status = take_store(run);
  if (status == OSVM_OK) status = list_visits(run);
  if (status == OSVM_OK) status = run->solver->n_columns > 0 ? open_circles(run) : open_expansions(run);
  if (status == OSVM_OK && run->solver->start != NULL) status = run->solver->start(run);
  if (status == OSVM_OK && task->model != NULL)
    status = (run->solver->import ? run->solver->import : import_expansions)(run, task->model);
  return status;
}

double osvm_run_label(const osvm_run *run, int m, int visit) {
  const osvm_task *task = run->task;
  const int class = task->class_of[visit];
  if (class < 0) return 0;
  if (class == task->positive[m]) return 1;
  return task->negative[m] < 0 || class == task->negative[m] ? -1 : 0;
}

/* Examples that are a support vector of at least one machine. */
static double count_support(const osvm_run *run) {
  double count = 0;
  if (run->shared != NULL) return run->shared->count;
  for (int i = 0; i < run->store.n && !run->primal; i++) {
    for (int m = 0; m < run->task->machines; m++) {
      if (run->machine[m].expansion.coef[i] == 0) continue;
      count++;
      break;
    }
  }
  return count;
}

static osvm_status diverged(osvm_run *run) {
  return osvm_fail(run->error, OSVM_DIVERGED,
                   "the outputs grew beyond all numbers; try smaller steps (C, rate), a larger lambda, or scaled data");
}

static osvm_status close_epoch(osvm_run *run, double seconds) {
  double loss = 0, visits = 0, violations = 0;
  const osvm_status status = run->solver->end_epoch != NULL ? run->solver->end_epoch(run) : OSVM_OK;
  if (status != OSVM_OK && status != OSVM_INTERRUPTED) return status;
  for (int m = 0; m < run->task->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    loss += machine->loss;
    visits += machine->visits;
    violations += machine->violations;
    machine->loss = machine->visits = machine->violations = 0;
  }
  if (visits == 0) return status; /* interrupted before it began */
  run->trace[run->epoch] = (osvm_epoch){loss / visits, violations, count_support(run), seconds};
  run->epochs_done = run->epoch + 1;
  return isfinite(loss) ? status : diverged(run);
}

/* One visit by all machines, so that they share the example's kernel row. */
static osvm_status visit(osvm_run *run, int p) {
  const osvm_task *task = run->task;
  osvm_example example = {.i = run->first + p, .weight = task->weight[p]};
  /* In the last epoch nobody comes back to the examples behind this one. */
  const int last = run->epoch + 1 == task->epochs && !run->shuffled;
  run->visited += run->epoch == 0;
  run->lazy.next = example.i;
  run->lazy.reach = last ? task->count - p : task->count;
  run->lazy.visits = last ? run->count - run->at : run->count;
  for (int m = 0; m < task->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    example.y = osvm_run_label(run, m, p);
    if (example.y == 0) continue;
    machine->taken += 1;
    machine->visits += 1;
    osvm_status status = run->solver->learn(run, machine, &example);
    if (status != OSVM_OK) return status;
  }
  return OSVM_OK;
}

static const double WORK_PER_POLL = 2e7; /* some milliseconds */
static const double WORK_PER_VISIT = 1e5;

double osvm_run_evaluations(const osvm_run *run) { return run->evaluations; }

int osvm_run_stopped(osvm_run *run, double done) {
  const osvm_task *task = run->task;
  const double work = osvm_run_evaluations(run) * (run->store.sparse ? 32 : run->store.d + 8) + run->work;
  if (task->progress.poll == NULL || work - run->polled < WORK_PER_POLL) return 0;
  run->polled = work;
  const int stages = task->epochs + (run->solver->finish != NULL);
  return task->progress.poll(task->progress.user, (run->epoch + done) / stages);
}

/* From the second epoch on; the first follows the rows as they came. */
static osvm_status reshuffle(osvm_run *run) {
  if (!run->solver->reshuffles || !run->task->shuffle || run->epoch == 0) return OSVM_OK;
  if (run->order == NULL) {
    run->order = malloc(sizeof(int) * ((size_t)run->count + 1));
    if (run->order == NULL) return osvm_no_memory(run->error);
    for (int p = 0; p < run->count; p++) run->order[p] = p;
  }
  osvm_random_shuffle(&run->random, run->order, run->count);
  run->shuffled = 1;
  return OSVM_OK;
}

static int visit_at(const osvm_run *run, int k) { return run->order != NULL ? run->order[k] : k; }

osvm_status osvm_run_visit_before(osvm_run *run, int end) {
  osvm_status status = OSVM_OK;
  while (run->at < run->count && run->first + visit_at(run, run->at) < end && status == OSVM_OK) {
    const int left = run->count - run->at;
    run->work += WORK_PER_VISIT;
    if (osvm_run_stopped(run, (double)run->at / run->count)) return OSVM_INTERRUPTED;
    run->n_upcoming = left < OSVM_QUERIES ? left : OSVM_QUERIES;
    for (int q = 0; q < run->n_upcoming; q++) run->next[q] = run->first + visit_at(run, run->at + q);
    status = visit(run, run->next[0] - run->first);
    run->at++;
  }
  return status;
}

enum { CANDIDATES = 50 }; /* the best of so many is among the best twentieth, nine times in ten */
enum { PATIENCE = 20 };   /* a young model may be sure of itself, and wrong */

/* Of some candidates the solver's choice, again and again. Once several in a row have promised little, and then have not
 * become members, choosing is not worth its cost: the other candidates are visited as they are. */
static osvm_status visit_by_choice(osvm_run *run) {
  const int count = run->count;
  int *left = malloc(((size_t)count + 1) * sizeof(int)), lefts = count, in_vain = 0;
  osvm_status status = left != NULL ? OSVM_OK : osvm_no_memory(run->error);
  for (int k = 0; k < count && status == OSVM_OK; k++) left[k] = run->first + visit_at(run, k);
  while (lefts > 0 && status == OSVM_OK) {
    const int some = lefts < CANDIDATES ? lefts : CANDIDATES;
    int *candidates = left + lefts - some, chosen, promises;
    run->work += WORK_PER_VISIT;
    if (osvm_run_stopped(run, 1 - (double)lefts / count)) status = OSVM_INTERRUPTED;
    for (int k = 0; k < some; k++) {
      const int at = osvm_random_below(&run->random, lefts - k), other = lefts - 1 - k, i = left[at];
      left[at] = left[other];
      left[other] = i;
    }
    if (status == OSVM_OK) status = run->solver->choose(run, candidates, some, &chosen, &promises);
    if (status != OSVM_OK) break;
    run->next[0] = candidates[chosen];
    run->n_upcoming = 1;
    candidates[chosen] = left[--lefts];
    status = visit(run, run->next[0] - run->first);
    in_vain = promises || run->shared->slot[run->next[0]] >= 0 ? 0 : in_vain + 1;
    for (int k = 1; k < some && in_vain > PATIENCE && status == OSVM_OK; k++) {
      run->next[0] = left[--lefts];
      status = visit(run, run->next[0] - run->first);
    }
  }
  free(left);
  return status;
}

osvm_status osvm_run_begin_epoch(osvm_run *run) {
  run->began = osvm_wall_seconds();
  run->at = 0;
  return reshuffle(run);
}

osvm_status osvm_run_end_epoch(osvm_run *run) {
  const osvm_task *task = run->task;
  const osvm_status status = close_epoch(run, osvm_wall_seconds() - run->began);
  if (status != OSVM_OK) return status;
  run->epoch++;
  if (task->epoch_ended != NULL && run->epoch < task->epochs) task->epoch_ended(task->user, run);
  return OSVM_OK;
}

static osvm_status learn_epoch(osvm_run *run) {
  const int chooses = run->solver->choose != NULL && value_of(run->task, "selection") != 0;
  osvm_status status = osvm_run_begin_epoch(run);
  if (status == OSVM_OK) status = chooses ? visit_by_choice(run) : osvm_run_visit_before(run, INT_MAX);
  if (status == OSVM_OK) return osvm_run_end_epoch(run);
  if (status != OSVM_INTERRUPTED) return status;
  const osvm_status closed = close_epoch(run, osvm_wall_seconds() - run->began);
  return closed == OSVM_OK ? status : closed;
}

static osvm_status forget(osvm_run *run) {
  const osvm_task *task = run->task;
  osvm_status status = OSVM_OK;
  for (int k = 0; k < task->n_forget && status == OSVM_OK; k++)
    for (int m = 0; m < task->machines && status == OSVM_OK; m++)
      status = run->solver->forget(run, &run->machine[m], task->forget[k]);
  return status;
}

osvm_status osvm_run_leave_out(osvm_run *run, double *outputs) {
  osvm_status status = OSVM_OK;
  for (int i = 0; i < run->first && status == OSVM_OK; i++) {
    run->work += WORK_PER_VISIT;
    if (osvm_run_stopped(run, (double)i / run->first)) return OSVM_INTERRUPTED;
    for (int m = 0; m < run->task->machines && status == OSVM_OK; m++)
      status = run->solver->leave_out(run, &run->machine[m], i, &outputs[(size_t)m * run->store.n + i]);
  }
  return status;
}

osvm_status osvm_run_learn(osvm_run *run) {
  osvm_status status = forget(run);
  if (run->solver->solve != NULL) {
    run->visited = run->count;
    for (int m = 0; m < run->task->machines && status == OSVM_OK; m++) status = run->solver->solve(run, m);
    return status;
  }
  if (run->count == 0) return status; /* nothing but forgetting */
  while (run->epoch < run->task->epochs && status == OSVM_OK) status = learn_epoch(run);
  if (status == OSVM_OK && run->solver->finish != NULL) status = run->solver->finish(run);
  return status;
}

int osvm_run_size(const osvm_run *run) { return run->primal ? run->store.d : run->store.n; }

osvm_status osvm_run_export(osvm_run *run, osvm_model *model) {
  model->n_kept = -1;
  osvm_status status = (run->solver->export ? run->solver->export : export_expansions)(run, model);
  for (size_t k = 0; k < (size_t)model->size * model->machines && status == OSVM_OK; k++)
    if (!isfinite(model->coef[k])) status = diverged(run);
  for (int m = 0; m < model->machines && status == OSVM_OK; m++)
    if (!isfinite(model->intercept[m])) status = diverged(run);
  return status;
}

void osvm_run_close(osvm_run *run) {
  if (run->solver != NULL && run->solver->close != NULL && run->machine != NULL) run->solver->close(run);
  for (int m = 0; run->machine != NULL && m < run->task->machines; m++) {
    osvm_expansion_close(&run->machine[m].expansion);
    free(run->machine[m].memory);
  }
  for (int m = 0; run->sv_set != NULL && m < run->task->machines; m++) osvm_sv_set_close(&run->sv_set[m]);
  if (run->shared != NULL) osvm_shared_sv_close(run->shared);
  free(run->sv_set);
  free(run->shared);
  osvm_lazy_outputs_close(&run->lazy);
  osvm_engine_close(&run->engine);
  if (!run->borrowed) osvm_store_close(&run->store);
  free(run->machine);
  free(run->rule);
  free(run->trace);
  free(run->order);
  memset(run, 0, sizeof *run);
}
