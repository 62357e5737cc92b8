/* Warm-start paths: grid points that one run solves one after the other, on one fold.
 *
 * Paths over C, for solvers that declare a warm start (SMO), in ascending C. From the solution alpha for C the next grid
 * point, C', starts at s alpha with 0 <= s <= C'/C. That is feasible: 0 <= s alpha_i <= C'_i, since all bounds C_i scale
 * with C, and sum_i y_i s alpha_i = 0. The gradient is linear in alpha, so it is scaled along; cached kernel rows stay
 * valid.
 *
 * Paths over epochs, for online solvers. Neither the order of visits nor any random number depends on the number of
 * epochs, so a run of E epochs contains the runs of all e < E: their models are its models after epoch e. A path costs
 * as much as its longest grid point. */
#include <stdlib.h>
#include <string.h>

#include "base-queue.h"
#include "tune-internal.h"

/* ---- linking ---- */

/* The parameter along which a path goes: its index */
static int path_param(const osvm_tuning *t) {
  const int warm = osvm_solver_role(t->solver, OSVM_WARM_START);
  return warm >= 0 ? warm : osvm_solver_role(t->solver, OSVM_EPOCHS);
}

static int is_warm(const osvm_tuning *t) { return osvm_solver_role(t->solver, OSVM_WARM_START) >= 0; }

/* A positive definite kernel makes the dual convex: every start leads to the same solution, up to the tolerance. With
 * an indefinite Gram matrix the local minimum reached depends on the start, and a grid point would differ from a
 * separate fit. */
static int on_one_path(const osvm_tuning *t, int a, int b) {
  const osvm_grid_point *point = t->grid->points;
  const double *u = osvm_tuning_params(t, a), *v = osvm_tuning_params(t, b);
  const int varies = path_param(t);
  if (point[a].kernel != point[b].kernel) return 0;
  if (is_warm(t) ? !osvm_kernel_is_definite(&t->grid->kernels[point[a].kernel]) : !osvm_solver_nested(t->solver, u))
    return 0;
  for (int p = 0; t->solver->params[p].name != NULL; p++)
    if (u[p] != v[p] && p != varies) return 0;
  return 1;
}

/* Grid points of a path are in ascending order of this. */
static double path_value(const osvm_tuning *t, int point) {
  const int p = path_param(t);
  return p < 0 ? 0 : osvm_tuning_params(t, point)[p];
}

osvm_status osvm_tuning_link_paths(osvm_tuning *t) {
  const int n = t->grid->n_points;
  t->order = malloc(((size_t)n + 1) * sizeof(int));
  t->begin = malloc(((size_t)n + 1) * sizeof(int));
  unsigned char *linked = calloc((size_t)n + 1, 1);
  if (t->order == NULL || t->begin == NULL || linked == NULL) {
    free(linked);
    return osvm_no_memory(t->error);
  }
  int count = 0;
  for (int a = 0; a < n; a++) {
    if (linked[a]) continue;
    const int first = t->begin[t->paths++] = count;
    for (int b = a; b < n; b++) {
      if (linked[b] || (b != a && !on_one_path(t, a, b))) continue;
      int k = count++;
      for (; k > first && path_value(t, t->order[k - 1]) > path_value(t, b); k--) t->order[k] = t->order[k - 1];
      t->order[k] = b;
      linked[b] = 1;
    }
  }
  t->begin[t->paths] = count;
  free(linked);
  return OSVM_OK;
}

/* ---- running ---- */

/* A path on one fold. With warm starts its binary machines run one after the other, so that only one keeps its kernel
 * rows; support vectors and convergence are collected over all of them. */
typedef struct {
  const int *points;
  int count, fold, size;     /* size: examples and vectors of the solver's own making */
  unsigned char *is_sv;      /* count x size: of any machine so far */
  unsigned char *unfinished; /* count: some machine stopped short of its tolerance */
} fold_path;

/* One run of the machines from `first` on along the path */
typedef struct {
  osvm_tuning *tuning;
  fold_path *path;
  osvm_holdout *holdouts;  /* of its grid points */
  int first, k, evaluated; /* the k-th grid point is next; the first `evaluated` have their outputs */
  osvm_run run;
  osvm_status status;
  osvm_error error;
  double began, updates, evaluations; /* at the end of the grid point before */
} path_run;

/* The machines as they are now are those of the k-th grid point. */
static osvm_status keep_machines(path_run *p) {
  fold_path *path = p->path;
  osvm_holdout *holdout = &p->holdouts[p->k];
  *holdout = (osvm_holdout){path->points[p->k], path->fold, p->first, {0}};
  OSVM_TRY(osvm_holdout_open(holdout, &p->run, &p->error));
  osvm_point_result *result = osvm_grid_result(p->tuning->grid, holdout->point, path->fold);
  if (!p->tuning->primal) result->support += osvm_holdout_support(holdout, path->is_sv + (size_t)p->k * path->size);
  for (int m = 0; m < p->run.machines; m++)
    path->unfinished[p->k] |= p->tuning->solver->dual && !p->run.machine[m].convergence.finished;
  return OSVM_OK;
}

/* Outputs of the grid points reached since the last time: together, they share kernel rows and the time these take. */
static void evaluate_machines(path_run *p) {
  osvm_tuning *t = p->tuning;
  const int first = p->evaluated, count = p->k - first, last = p->first + p->run.machines == t->grid->task->machines;
  osvm_error error;
  const osvm_status status = osvm_holdout_outputs(t, &p->run, p->holdouts + first, count, &error);
  const double now = osvm_cpu_seconds();
  for (; p->evaluated < p->k; p->evaluated++) {
    osvm_point_result *result = osvm_grid_result(t->grid, p->path->points[p->evaluated], p->path->fold);
    if (last && status == OSVM_OK && result->state == OSVM_NOT_RUN)
      result->state = p->path->unfinished[p->evaluated] ? OSVM_UNFINISHED : OSVM_DONE;
    result->seconds += (now - p->began) / count;
    osvm_holdout_close(&p->holdouts[p->evaluated]);
  }
  p->began = now;
  if (status != OSVM_OK) p->status = status;
}

/* Outputs wait for those of other grid points while the coefficients take no more memory than that. */
static int is_evaluation_due(const path_run *p) {
  enum { WAITING_BYTES = 16 << 20 };
  const double each = (double)osvm_run_size(&p->run) * p->run.machines * sizeof(double);
  return (p->k - p->evaluated + 1) * each > WAITING_BYTES;
}

static void record_cost(path_run *p, osvm_point_result *result) {
  const double updates = osvm_run_updates(&p->run), evaluations = osvm_run_evaluations(&p->run);
  const double now = osvm_cpu_seconds();
  result->seconds += now - p->began;
  result->updates += updates - p->updates;
  result->evaluations += evaluations - p->evaluations;
  p->began = now;
  p->updates = updates;
  p->evaluations = evaluations;
}

/* The k-th grid point is reached, or not. */
static void record_point(path_run *p) {
  if (p->status == OSVM_OK) p->status = keep_machines(p);
  record_cost(p, osvm_grid_result(p->tuning->grid, p->path->points[p->k], p->path->fold));
  if (p->status != OSVM_OK) return;
  p->k++;
  if (is_evaluation_due(p)) evaluate_machines(p);
}

/* After a failure all grid points behind it fail, too: they have no start. */
static void record_failure(const path_run *p) {
  for (int k = p->k; k < p->path->count; k++) {
    osvm_point_result *result = osvm_grid_result(p->tuning->grid, p->path->points[k], p->path->fold);
    result->state = OSVM_FAILED;
    result->message = p->error.text;
  }
}

/* Grid points with as many epochs as are over; the last grid point is recorded at the end of the run. */
static void record_epoch(void *user, osvm_run *run) {
  path_run *p = user;
  while (p->k + 1 < p->path->count && osvm_tuning_epochs(p->tuning, p->path->points[p->k]) == run->epoch &&
         p->status == OSVM_OK)
    record_point(p);
}

/* The next grid point of a path with warm starts; all grid points of a path over epochs. */
static osvm_status learn_point(path_run *p) {
  const osvm_tuning *t = p->tuning;
  return is_warm(t) ? osvm_run_solve_again(&p->run, osvm_tuning_params(t, p->path->points[p->k]))
                    : osvm_run_learn(&p->run);
}

static osvm_status run_machines(osvm_tuning *t, fold_path *path, int first, int machines,
                                const osvm_progress *progress) {
  path_run p = {.tuning = t, .path = path, .first = first, .began = osvm_cpu_seconds()};
  osvm_task task = osvm_grid_task(t, path->points[path->count - 1], path->fold);
  task.machines = machines;
  task.target.positive += first;
  task.target.negative += first;
  if (task.loss.each != NULL) task.loss.each += first;
  if (task.target.value != NULL) task.target.value += osvm_target_column(&task.target, first, task.target.n);
  task.cache_bytes = (t->bytes - osvm_gram_bytes(&t->gram)) / t->threads;
  task.progress = *progress;
  task.epoch_ended = record_epoch;
  task.user = &p;
  p.holdouts = calloc(path->count, sizeof *p.holdouts);
  p.status = p.holdouts != NULL ? osvm_run_open(&p.run, &task, &p.error) : OSVM_NO_MEMORY;
  const int opened = p.status == OSVM_OK;
  while (p.k < path->count && p.status == OSVM_OK) {
    const osvm_status status = learn_point(&p);
    if (p.status == OSVM_OK) p.status = status; /* record_epoch() may have failed before */
    record_point(&p);
  }
  if (opened) evaluate_machines(&p);
  if (p.status != OSVM_OK && p.status != OSVM_INTERRUPTED) record_failure(&p);
  if (p.k < path->count && p.holdouts != NULL) osvm_holdout_close(&p.holdouts[p.k]); /* one that could not be kept */
  free(p.holdouts);
  osvm_run_close(&p.run);
  return p.status == OSVM_NO_MEMORY || p.status == OSVM_INTERRUPTED ? p.status : OSVM_OK;
}

static osvm_status run_path_job(void *user, int job, const osvm_progress *progress) {
  osvm_tuning *t = user;
  const int machines = t->grid->task->machines, together = is_warm(t) ? 1 : machines;
  fold_path path = {.fold = job % t->grid->folds};
  if (osvm_poll(progress, 0)) return OSVM_INTERRUPTED;
  path.points = osvm_tuning_path(t, job / t->grid->folds, &path.count);
  path.size = t->n + osvm_solver_reserve(t->solver, osvm_tuning_params(t, path.points[path.count - 1]),
                                         &t->grid->kernels[t->grid->points[path.points[0]].kernel], 0, t->n);
  path.is_sv = calloc((size_t)path.size + 1, path.count);
  path.unfinished = calloc((size_t)path.count + 1, 1);
  osvm_status status = path.is_sv != NULL && path.unfinished != NULL ? OSVM_OK : OSVM_NO_MEMORY;
  for (int m = 0; m < machines && status == OSVM_OK; m += together)
    status = run_machines(t, &path, m, together, progress);
  free(path.is_sv);
  free(path.unfinished);
  return status;
}

osvm_status osvm_tune_paths(osvm_tuning *t) {
  return osvm_queue_run(run_path_job, t, t->paths * t->grid->folds, t->threads, &t->grid->task->progress);
}
