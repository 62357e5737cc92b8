/* The driver: everything around an update rule. It packs the examples, walks the epochs, counts, polls for interrupts,
 * keeps the trace, and supplies the defaults of a solver's slots. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core-circle.h"

#define OSVM_SOLVER(name, ...) extern const osvm_solver osvm_solver_##name;
#include "solver-list.h"
#undef OSVM_SOLVER

const osvm_door_plate *osvm_solvers(int *count) {
  static const osvm_door_plate plates[] = {
#define OSVM_SOLVER(name, title, space, online, forgets, paper)                                                        \
  {#name, title, space, paper, online, forgets, &osvm_solver_##name},
#include "solver-list.h"
#undef OSVM_SOLVER
  };
  *count = (int)(sizeof plates / sizeof plates[0]);
  return plates;
}

static const osvm_solver *find_solver(const char *name) {
  int count;
  const osvm_door_plate *plates = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    if (strcmp(plates[s].name, name) == 0) return plates[s].solver;
  return NULL;
}

static const osvm_param *find_param(const osvm_run *run, const char *name) {
  for (int p = 0; p < run->task->n_params; p++)
    if (strcmp(run->task->params[p].name, name) == 0) return &run->task->params[p];
  return NULL;
}

static osvm_status read_params(osvm_run *run) {
  const char *const *names = run->solver->params;
  int count = 0;
  while (names[count] != NULL) count++;
  run->rule = calloc((size_t)count + 1, sizeof(double));
  if (run->rule == NULL) return osvm_no_memory(run->error);
  for (int k = 0; k < count; k++) {
    const osvm_param *param = find_param(run, names[k]);
    if (param == NULL) return osvm_fail(run->error, OSVM_INVALID, "a parameter of the solver is missing");
    run->rule[k] = param->value;
  }
  return OSVM_OK;
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- defaults: one expansion per machine ---- */

static osvm_status open_expansions(osvm_run *run) {
  const osvm_param *average = find_param(run, "average"), *listed = find_param(run, "outputs");
  const int listing = run->solver->solve != NULL || (listed != NULL && listed->value != 0);
  const osvm_outputs outputs = run->primal ? OSVM_PRIMAL : (listing ? OSVM_LISTED : OSVM_CACHED);
  const int machines = run->task->machines;
  osvm_status status = OSVM_OK;
  if (!run->primal)
    status = osvm_engine_open(&run->engine, &run->task->kernel, &run->store, outputs == OSVM_LISTED ? 0 : run->first,
                              run->solver->solve != NULL ? OSVM_KEEP_LATEST : OSVM_KEEP_EARLIEST,
                              run->task->cache_bytes, run->error);
  if (status == OSVM_OK && outputs == OSVM_CACHED)
    status = osvm_ledger_open(&run->ledger, &run->engine, machines, run->first, run->error);
  for (int m = 0; m < machines && status == OSVM_OK; m++) {
    osvm_expansion *e = &run->machine[m].expansion;
    status = osvm_expansion_open(e, outputs, &run->store, average != NULL && average->value != 0, run->error);
    e->engine = &run->engine;
    e->ledger = &run->ledger;
    e->machine = m;
    run->machine[m].partial = machines > 1 && run->task->negative[m] >= 0;
  }
  return status;
}

static osvm_status open_circles(osvm_run *run) {
  const osvm_solver *solver = run->solver;
  const int machines = run->task->machines;
  run->pool = calloc(1, sizeof *run->pool);
  run->circle = calloc(machines, sizeof *run->circle);
  if (run->pool == NULL || run->circle == NULL) return osvm_no_memory(run->error);
  osvm_status status = osvm_pool_open(run->pool, &run->task->kernel, &run->store, machines, run->error);
  for (int m = 0; m < machines && status == OSVM_OK; m++)
    status = osvm_circle_open(&run->circle[m], run->pool, solver->columns, solver->n_columns,
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
  for (int j = 0; j < model->size && run->ledger.output != NULL; j++) {
    for (int m = 0; m < model->machines; m++) {
      const double coef = model->going[j + m * size];
      if (coef != 0) osvm_ledger_change(&run->ledger, m, j, coef, INT_MAX);
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

void osvm_run_export_members(const osvm_run *run, osvm_model *model) {
  const osvm_pool *pool = run->pool;
  model->n_kept = 0;
  if (run->solver->forget == NULL)
    for (int k = 0; k < pool->count; k++) model->kept[model->n_kept++] = pool->who[pool->live[k]];
  else
    for (int i = 0; i < run->store.n; i++)
      if (pool->slot[i] >= 0) model->kept[model->n_kept++] = i;
}

/* ---- a run ---- */

static osvm_status pack(osvm_run *run) {
  const osvm_task *task = run->task;
  const osvm_simd *simd =
      task->doubles || run->solver->exact ? osvm_simd_double(task->level) : osvm_simd_single(task->level);
  const int carried = task->carried != NULL && !run->primal ? task->carried->n : 0;
  osvm_status status =
      osvm_store_open(&run->store, simd, run->primal ? OSVM_ROWS : OSVM_PANELS, task->data->kind == OSVM_SPARSE,
                      task->data->d, carried + task->count, run->error);
  if (status == OSVM_OK && carried > 0)
    status = osvm_store_append(&run->store, task->carried, NULL, carried, run->error);
  if (status == OSVM_OK) status = osvm_store_append(&run->store, task->data, task->rows, task->count, run->error);
  const osvm_param *unit_norm = find_param(run, "unit_norm");
  if (status == OSVM_OK && unit_norm != NULL && unit_norm->value != 0) osvm_store_normalise(&run->store);
  run->first = carried;
  return status;
}

osvm_status osvm_run_open(osvm_run *run, const osvm_task *task, osvm_error *error) {
  memset(run, 0, sizeof *run);
  run->task = task;
  run->error = error;
  run->solver = find_solver(task->solver);
  if (run->solver == NULL) return osvm_fail(error, OSVM_INVALID, "there is no solver of this name");
  run->primal = task->kernel.type == OSVM_LINEAR && !run->solver->dual;
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
  if (status == OSVM_OK) status = pack(run);
  if (status == OSVM_OK) status = run->solver->n_columns > 0 ? open_circles(run) : open_expansions(run);
  if (status == OSVM_OK && run->solver->start != NULL) status = run->solver->start(run);
  if (status == OSVM_OK && task->model != NULL)
    status = (run->solver->import ? run->solver->import : import_expansions)(run, task->model);
  return status;
}

double osvm_run_label(const osvm_run *run, int m, int visit) {
  const osvm_task *task = run->task;
  const int class = task->class_of[visit];
  if (class == task->positive[m]) return 1;
  return task->negative[m] < 0 || class == task->negative[m] ? -1 : 0;
}

/* Examples that are a support vector of at least one machine. */
static double count_support(const osvm_run *run) {
  double count = 0;
  if (run->pool != NULL) return run->pool->count;
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
  const int last = run->epoch + 1 == task->epochs && run->order == NULL;
  run->visited += run->epoch == 0;
  run->ledger.next = example.i;
  run->ledger.reach = last ? task->count - p : task->count;
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

double osvm_run_evaluations(const osvm_run *run) {
  return run->engine.evaluations + (run->pool != NULL ? run->pool->evaluations : 0);
}

int osvm_run_stopped(osvm_run *run, double done) {
  const osvm_task *task = run->task;
  const double work = osvm_run_evaluations(run) * (run->store.sparse ? 32 : run->store.d + 8) + run->worked;
  if (task->watch.poll == NULL || work - run->polled < WORK_PER_POLL) return 0;
  run->polled = work;
  const int stages = task->epochs + (run->solver->finish != NULL);
  return task->watch.poll(task->watch.user, (run->epoch + done) / stages);
}

/* From the second epoch on; the first follows the rows as they came. */
static osvm_status reshuffle(osvm_run *run) {
  const int count = run->task->count;
  if (!run->solver->reshuffles || !run->task->shuffle || run->epoch == 0) return OSVM_OK;
  if (run->order == NULL) {
    run->order = malloc(sizeof(int) * ((size_t)count + 1));
    if (run->order == NULL) return osvm_no_memory(run->error);
    for (int p = 0; p < count; p++) run->order[p] = p;
  }
  osvm_random_shuffle(&run->random, run->order, count);
  return OSVM_OK;
}

static osvm_status visit_in_order(osvm_run *run) {
  const int count = run->task->count;
  osvm_status status = OSVM_OK;
  for (int p = 0; p < count && status == OSVM_OK; p++) {
    run->worked += WORK_PER_VISIT;
    if (osvm_run_stopped(run, (double)p / count)) return OSVM_INTERRUPTED;
    run->nexts = count - p < OSVM_QUERIES ? count - p : OSVM_QUERIES;
    for (int q = 0; q < run->nexts; q++) run->next[q] = run->first + (run->order ? run->order[p + q] : p + q);
    status = visit(run, run->next[0] - run->first);
  }
  return status;
}

enum { CANDIDATES = 50 }; /* the best of so many is among the best twentieth, nine times in ten */
enum { PATIENCE = 20 };   /* a young model may be sure of itself, and wrong */

/* Of some candidates the solver's choice, again and again. Once several in a row have promised little, and then have not
 * become members, choosing is not worth its cost: the other candidates are visited as they are. */
static osvm_status visit_by_choice(osvm_run *run) {
  const int count = run->task->count;
  int *left = malloc(((size_t)count + 1) * sizeof(int)), lefts = count, in_vain = 0;
  osvm_status status = left != NULL ? OSVM_OK : osvm_no_memory(run->error);
  for (int p = 0; p < count && status == OSVM_OK; p++) left[p] = run->first + p;
  while (lefts > 0 && status == OSVM_OK) {
    const int some = lefts < CANDIDATES ? lefts : CANDIDATES;
    int *candidates = left + lefts - some, chosen, promises;
    run->worked += WORK_PER_VISIT;
    if (osvm_run_stopped(run, 1 - (double)lefts / count)) status = OSVM_INTERRUPTED;
    for (int k = 0; k < some; k++) {
      const int at = osvm_random_below(&run->random, lefts - k), other = lefts - 1 - k, i = left[at];
      left[at] = left[other];
      left[other] = i;
    }
    if (status == OSVM_OK) status = run->solver->choose(run, candidates, some, &chosen, &promises);
    if (status != OSVM_OK) break;
    run->next[0] = candidates[chosen];
    run->nexts = 1;
    candidates[chosen] = left[--lefts];
    status = visit(run, run->next[0] - run->first);
    in_vain = promises || run->pool->slot[run->next[0]] >= 0 ? 0 : in_vain + 1;
    for (int k = 1; k < some && in_vain > PATIENCE && status == OSVM_OK; k++) {
      run->next[0] = left[--lefts];
      status = visit(run, run->next[0] - run->first);
    }
  }
  free(left);
  return status;
}

static osvm_status learn_epoch(osvm_run *run) {
  const osvm_param *selection = find_param(run, "selection");
  const int chooses = run->solver->choose != NULL && selection != NULL && selection->value != 0;
  const double begin = now();
  osvm_status status = reshuffle(run);
  if (status == OSVM_OK) status = chooses ? visit_by_choice(run) : visit_in_order(run);
  if (status != OSVM_OK && status != OSVM_INTERRUPTED) return status;
  const osvm_status closed = close_epoch(run, now() - begin);
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
    run->worked += WORK_PER_VISIT;
    if (osvm_run_stopped(run, (double)i / run->first)) return OSVM_INTERRUPTED;
    for (int m = 0; m < run->task->machines && status == OSVM_OK; m++)
      status = run->solver->leave_out(run, &run->machine[m], i, &outputs[(size_t)m * run->store.n + i]);
  }
  return status;
}

osvm_status osvm_run_learn(osvm_run *run) {
  osvm_status status = forget(run);
  if (run->solver->solve != NULL) {
    run->visited = run->task->count;
    for (int m = 0; m < run->task->machines && status == OSVM_OK; m++) status = run->solver->solve(run, m);
    return status;
  }
  if (run->task->count == 0) return status; /* nothing but forgetting */
  for (run->epoch = 0; run->epoch < run->task->epochs && status == OSVM_OK; run->epoch++) status = learn_epoch(run);
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
  for (int m = 0; run->circle != NULL && m < run->task->machines; m++) osvm_circle_close(&run->circle[m]);
  if (run->pool != NULL) osvm_pool_close(run->pool);
  free(run->circle);
  free(run->pool);
  osvm_ledger_close(&run->ledger);
  osvm_engine_close(&run->engine);
  osvm_store_close(&run->store);
  free(run->machine);
  free(run->rule);
  free(run->trace);
  free(run->order);
  memset(run, 0, sizeof *run);
}
