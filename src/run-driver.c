/* The driver: everything around an update rule. It orders the visits, counts, polls the host and keeps the trace. */
#include "run.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WORK_PER_VISIT = 1e5; /* besides kernel values, for polling */

/* ---- counting and polling ---- */

/* Static: a visit calls these, and position-independent code does not inline exported functions. */
static double new_target(const osvm_run *run, int m, int i) {
  const osvm_target *target = &run->driver->task->target;
  return osvm_target_of(target, m, osvm_target_value(target, m, i - run->first));
}

static int visit_order(const osvm_run *run, int k) {
  return run->first + (run->driver->order != NULL ? run->driver->order[k] : k);
}

double osvm_run_kept_target(const osvm_run *run, int m, int i) {
  const osvm_task *task = run->driver->task;
  const osvm_model *model = i < run->first ? task->start->model : NULL;
  if (model != NULL) return model->target[osvm_target_column(&task->target, m, model->size) + i];
  return i < run->end ? osvm_target_value(&task->target, m, i - run->first) : NAN;
}

double osvm_run_target(const osvm_run *run, int m, int i) {
  return osvm_target_of(&run->driver->task->target, m, osvm_run_kept_target(run, m, i));
}

osvm_loss_point osvm_run_loss(const osvm_run *run, const osvm_machine *machine, const osvm_example *x, double f,
                              int closed, double rate, int bias) {
  if (run->loss.info->curvature == NULL) return osvm_loss_at(&machine->objective, x->y, f, closed);
  const double self = osvm_kernel_self(&run->kernel, &run->store, x->i) + (bias != 0);
  return osvm_loss_for_step(&machine->objective, x->y, f, closed, rate * self);
}

double osvm_run_weight(const osvm_run *run, int i) { return run->driver->task->weight[i - run->first]; }
int osvm_run_visit_order(const osvm_run *run, int k) { return visit_order(run, k); }

double osvm_run_updates(const osvm_run *run) {
  double sum = 0;
  for (int m = 0; m < run->machines; m++) sum += run->machine[m].updates;
  return sum;
}

double osvm_run_evaluations(const osvm_run *run) {
  double sum = run->context.evaluations;
  for (int m = 0; m < run->machines; m++) sum += run->machine[m].context.evaluations;
  return sum;
}

/* Epochs and, if the solver has one, its finish are equal parts of the progress. */
static void begin_stage(osvm_run *run) {
  const int stages = run->epochs + (run->solver->finish != NULL);
  for (int m = -1; m < run->machines; m++) {
    osvm_context *context = m < 0 ? &run->context : &run->machine[m].context;
    context->from = 0;
    context->by = 1;
    osvm_context_narrow(context, run->epoch, stages);
  }
}

/* Examples that are a support vector of at least one machine. */
static double count_support(const osvm_run *run) {
  double count = 0;
  if (run->driver->sets != NULL) return run->driver->sets->shared.count;
  if (run->driver->budget.limit > 0) return run->driver->shared.count;
  if (run->driver->primal) return 0;
  memset(run->driver->marked, 0, run->store.n);
  for (int m = 0; m < run->machines; m++)
    count += osvm_mark_support(run->machine[m].expansion.coef, run->store.n, 0, run->driver->marked);
  return count;
}

osvm_status osvm_run_diverged(const osvm_run *run) {
  return osvm_fail(run->context.error, OSVM_DIVERGED,
                   "the outputs grew beyond all numbers; try smaller steps (C, rate), a larger lambda, or scaled data");
}

/* ---- visits ---- */

/* By all machines, those whose subproblem the example is not part of included */
static osvm_status record_outputs(osvm_run *run, int i, double *outputs) {
  for (int m = 0; m < run->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    double *output = &outputs[(size_t)m * run->count];
    if (run->solver->output != NULL) OSVM_TRY(run->solver->output(run, machine, output));
    else *output = osvm_expansion_output(&machine->expansion, i);
  }
  return OSVM_OK;
}

static osvm_status visit(osvm_run *run, int i) {
  struct osvm_driver *driver = run->driver;
  osvm_example example = {.i = i, .weight = driver->task->weight[i - run->first]};
  /* In the last epoch the examples before this one are not visited again. */
  const int last = run->epoch + 1 == run->epochs && !driver->shuffled;
  driver->visited += run->epoch == 0;
  driver->lazy.next = i;
  driver->lazy.reach = last ? run->end - i : run->end - run->first;
  driver->lazy.visits = last ? run->count - driver->at : run->count;
  driver->budget.bounded.next = run->upcoming;
  driver->budget.bounded.n_next = run->n_upcoming;
  if (driver->task->outputs != NULL && run->epoch == 0)
    OSVM_TRY(record_outputs(run, i, driver->task->outputs + driver->visited - 1));
  for (int m = 0; m < run->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    example.y = new_target(run, m, i);
    if (isnan(example.y)) continue;
    machine->visits += 1;
    machine->epoch_visits += 1;
    const osvm_status status = run->solver->learn(run, machine, &example);
    osvm_context_hand_over(&machine->context, &run->context);
    OSVM_TRY(status);
  }
  return driver->budget.limit > 0 ? osvm_budget_maintain(&driver->budget) : OSVM_OK;
}

osvm_status osvm_run_visit(osvm_run *run, int i) { return visit(run, i); }

/* As many of the examples to be visited as are packed at a time */
static osvm_status load_next(osvm_run *run) {
  const int at = run->driver->at, left = run->count - at, count = left < run->store.window ? left : run->store.window;
  int *examples = malloc((size_t)count * sizeof(int));
  if (examples == NULL) return osvm_no_memory(run->context.error);
  for (int k = 0; k < count; k++) examples[k] = visit_order(run, at + k);
  const osvm_status status = osvm_store_load(&run->store, examples, count, run->context.team, run->context.error);
  free(examples);
  return status;
}

osvm_status osvm_run_visit_before(osvm_run *run, int end) {
  struct osvm_driver *driver = run->driver;
  while (driver->at < run->count && visit_order(run, driver->at) < end) {
    const int left = run->count - driver->at;
    run->context.work += WORK_PER_VISIT;
    if (osvm_context_stopped(&run->context, (double)driver->at / run->count)) return OSVM_INTERRUPTED;
    run->n_upcoming = left < OSVM_QUERIES ? left : OSVM_QUERIES;
    for (int q = 0; q < run->n_upcoming; q++) run->upcoming[q] = visit_order(run, driver->at + q);
    if (!osvm_store_has(&run->store, run->upcoming[0])) OSVM_TRY(load_next(run));
    const osvm_status status = visit(run, run->upcoming[0]);
    driver->at++;
    OSVM_TRY(status);
  }
  return OSVM_OK;
}

osvm_status osvm_run_visit_all(osvm_run *run) { return osvm_run_visit_before(run, INT_MAX); }

/* ---- epochs ---- */

/* From the second epoch on: the first follows the caller's order. */
static osvm_status reshuffle(osvm_run *run) {
  struct osvm_driver *driver = run->driver;
  const int shuffle = osvm_solver_value(run->solver, run->params, OSVM_SHUFFLE, 0) != 0;
  if (!run->solver->reshuffles || !shuffle || run->epoch == 0) return OSVM_OK;
  if (driver->order == NULL) {
    driver->order = malloc(sizeof(int) * ((size_t)run->count + 1));
    if (driver->order == NULL) return osvm_no_memory(run->context.error);
    for (int p = 0; p < run->count; p++) driver->order[p] = p;
  }
  osvm_random_shuffle(&run->context.random, driver->order, run->count);
  driver->shuffled = 1;
  return OSVM_OK;
}

osvm_status osvm_run_begin_epoch(osvm_run *run) {
  run->driver->epoch_start = osvm_wall_seconds();
  run->driver->at = 0;
  begin_stage(run);
  return reshuffle(run);
}

static osvm_status end_machines(osvm_run *run) {
  for (int m = 0; m < run->machines && run->solver->end_epoch != NULL; m++)
    OSVM_TRY(run->solver->end_epoch(run, &run->machine[m]));
  return OSVM_OK;
}

/* An interrupted epoch is recorded as far as it got. */
static osvm_status record_epoch(osvm_run *run) {
  struct osvm_driver *driver = run->driver;
  const osvm_status status = end_machines(run);
  if (status != OSVM_OK && status != OSVM_INTERRUPTED) return status;
  const double seconds = osvm_wall_seconds() - driver->epoch_start;
  double loss = 0, visits = 0, violations = 0;
  for (int m = 0; m < run->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    loss += machine->loss;
    visits += machine->epoch_visits;
    violations += machine->violations;
    machine->loss = machine->epoch_visits = machine->violations = 0;
  }
  if (visits == 0) return status;
  driver->trace[run->epoch] = (osvm_epoch){loss / visits, violations, count_support(run), seconds};
  driver->epochs_done = run->epoch + 1;
  return isfinite(loss) ? status : osvm_run_diverged(run);
}

osvm_status osvm_run_end_epoch(osvm_run *run) {
  const osvm_task *task = run->driver->task;
  OSVM_TRY(record_epoch(run));
  run->epoch++;
  if (task->epoch_ended != NULL && run->epoch < run->epochs) task->epoch_ended(task->user, run);
  return OSVM_OK;
}

static osvm_status learn_epoch(osvm_run *run) {
  OSVM_TRY(osvm_run_begin_epoch(run));
  const osvm_status status = (run->solver->epoch != NULL ? run->solver->epoch : osvm_run_visit_all)(run);
  if (status == OSVM_OK) return osvm_run_end_epoch(run);
  if (status == OSVM_INTERRUPTED) OSVM_TRY(record_epoch(run));
  return status;
}

osvm_status osvm_run_finish(osvm_run *run) {
  if (run->solver->finish == NULL) return OSVM_OK;
  begin_stage(run);
  return run->solver->finish(run);
}

/* ---- the whole ---- */

static osvm_status solve_machine(osvm_run *run, osvm_machine *machine) { return run->solver->solve(run, machine, 0); }

static double largest_need(const osvm_run *run) {
  double most = 0;
  for (int m = 0; m < run->machines; m++) most = fmax(most, osvm_run_kernel_bytes(run, &run->machine[m]));
  return most;
}

static osvm_status forget_and_learn(osvm_run *run) {
  const osvm_task *task = run->driver->task;
  for (int k = 0; k < task->n_forget; k++)
    for (int m = 0; m < run->machines; m++) OSVM_TRY(run->solver->forget(run, &run->machine[m], task->forget[k]));
  if (run->solver->solve != NULL) {
    run->driver->visited = run->count;
    const double need = run->store.window > 0 ? INFINITY : run->driver->primal ? 0 : largest_need(run);
    return osvm_run_machines(run, solve_machine, need); /* rows that are packed as needed have one user at a time */
  }
  if (run->count == 0) return OSVM_OK; /* nothing but forgetting */
  while (run->epoch < run->epochs) OSVM_TRY(learn_epoch(run));
  return osvm_run_finish(run);
}

typedef struct {
  osvm_run *run;
  osvm_status status;
} learning;

static void learn_in_team(void *user) {
  learning *l = user;
  l->status = forget_and_learn(l->run);
}

/* A team is worth starting where a kernel row is worth dividing, or where machines of some size work side by side. */
osvm_status osvm_run_learn(osvm_run *run) {
  double examples = run->store.n;
  if (run->solver->solve != NULL && run->machines > 1) {
    examples = 0;
    for (int m = 0; m < run->machines; m++) examples += osvm_run_members(run, &run->machine[m]);
  }
  const double work = run->context.value_cost * examples;
  osvm_team *team = run->context.team;
  learning l = {.run = run};
  osvm_team_run(team, osvm_team_worth(team, work) ? run->driver->task->threads : 1, learn_in_team, &l);
  return l.status;
}

osvm_status osvm_run_solve_again(osvm_run *run, const double *params) {
  memcpy(run->params, params, osvm_solver_params(run->solver) * sizeof(double));
  for (int m = 0; m < run->machines; m++) OSVM_TRY(run->solver->solve(run, &run->machine[m], 1));
  return OSVM_OK;
}

osvm_status osvm_run_leave_out(osvm_run *run, double *outputs) {
  for (int i = 0; i < run->first; i++) {
    run->context.work += WORK_PER_VISIT;
    if (osvm_context_stopped(&run->context, (double)i / run->first)) return OSVM_INTERRUPTED;
    for (int m = 0; m < run->machines; m++)
      OSVM_TRY(run->solver->leave_out(run, &run->machine[m], i, &outputs[(size_t)m * run->store.n + i]));
  }
  return OSVM_OK;
}
