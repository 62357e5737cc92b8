/* ffi_tune: grids of settings, each evaluated on examples it has not learned. */
#include <string.h>

#include "r-glue.h"

static const char *read_folds(SEXP labels, SEXP seed, osvm_grid *grid) {
  SEXP fold = r_field(labels, "fold");
  if (!r_is(seed, REALSXP, -1) || !r_is(fold, INTSXP, grid->task->count)) return "the folds are damaged";
  grid->fold = INTEGER_RO(fold);
  grid->seed = REAL_RO(seed);
  grid->folds = (int)Rf_xlength(seed);
  for (int k = 0; k < grid->task->count; k++)
    if (grid->fold[k] < -1 || grid->fold[k] >= grid->folds) return "the folds are damaged";
  return NULL;
}

static const char *read_kernels(SEXP kernels, osvm_grid *grid) {
  grid->n_kernels = (int)Rf_xlength(kernels);
  osvm_kernel *all = r_zeros(grid->n_kernels, sizeof *all);
  grid->kernels = all;
  for (int k = 0; k < grid->n_kernels; k++) {
    R_TRY(r_kernel(VECTOR_ELT(kernels, k), &all[k]));
    if (all[k].info != all[0].info) return "the kernels of a grid must be of one kind";
  }
  return NULL;
}

static const char *read_settings(SEXP solvers, osvm_grid *grid) {
  const int count = grid->n_settings = (int)Rf_xlength(solvers);
  const double **all = r_zeros(count, sizeof *all);
  grid->settings = all;
  for (int k = 0; k < count; k++) {
    const osvm_solver *solver;
    R_TRY(r_solver(VECTOR_ELT(solvers, k), &solver, &all[k]));
    if (solver != grid->task->solver) return "the settings of a grid must be of one solver";
  }
  return NULL;
}

static const char *read_points(SEXP points, osvm_grid *grid) {
  if (!r_is(points, INTSXP, -1) || Rf_xlength(points) % 2 != 0) return "the grid points are damaged";
  grid->n_points = (int)(Rf_xlength(points) / 2);
  osvm_grid_point *all = r_zeros(grid->n_points, sizeof *all);
  grid->points = all;
  for (int c = 0; c < grid->n_points; c++) {
    all[c] = (osvm_grid_point){INTEGER_RO(points)[2 * c], INTEGER_RO(points)[2 * c + 1]};
    if (all[c].kernel < 0 || all[c].kernel >= grid->n_kernels || all[c].setting < 0 ||
        all[c].setting >= grid->n_settings)
      return "the grid points are damaged";
  }
  return NULL;
}

static SEXP named_results(const osvm_grid *grid, int interrupted, SEXP outputs) {
  static const char *const names[] = {"outputs", "counts", "state", "message", "interrupted", "shared"};
  static const char *const counts[] = {"support", "evaluations", "seconds", "updates"};
  static const char *const shared[] = {"evaluations", "seconds", "bytes"};
  static const char *const states[] = {
      [OSVM_NOT_RUN] = "not run", [OSVM_DONE] = "done", [OSVM_UNFINISHED] = "unfinished", [OSVM_FAILED] = "failed"};
  const int runs = grid->folds * grid->n_points;
  SEXP parts[] = {outputs,
                  PROTECT(r_named_matrix(counts, 4, runs, 0)),
                  PROTECT(Rf_allocVector(STRSXP, runs)),
                  PROTECT(Rf_allocVector(STRSXP, runs)),
                  PROTECT(Rf_ScalarInteger(interrupted)),
                  PROTECT(r_named_reals(shared, 3))};
  for (int k = 0; k < runs; k++) {
    const osvm_point_result *result = &grid->result[k];
    const double column[] = {result->support, result->evaluations, result->seconds, result->updates};
    memcpy(REAL(parts[1]) + 4 * (size_t)k, column, sizeof column);
    SET_STRING_ELT(parts[2], k, Rf_mkChar(states[result->state]));
    SET_STRING_ELT(parts[3], k, Rf_mkChar(result->message != NULL ? result->message : ""));
  }
  const double totals[] = {grid->shared_evaluations, grid->shared_seconds, grid->shared_bytes};
  memcpy(REAL(parts[5]), totals, sizeof totals);
  SEXP result = r_list(names, parts, (int)(sizeof names / sizeof names[0]));
  UNPROTECT(5);
  return result;
}

/* list(data, labels, kernels, solvers, points, seed, whole) */
static const char *read_grid(SEXP list, SEXP control, osvm_grid_job *job, osvm_data *view) {
  SEXP labels = r_field(list, "labels"), kernels = r_field(list, "kernels"), solvers = r_field(list, "solvers");
  osvm_grid *grid = &job->grid;
  *job = (osvm_grid_job){.grid.task = &job->task};
  if (!r_is(kernels, VECSXP, -1) || Rf_xlength(kernels) == 0 || !r_is(solvers, VECSXP, -1) || Rf_xlength(solvers) == 0)
    return "a grid needs a kernel and a solver";
  R_TRY(
      r_task(r_field(list, "data"), labels, VECTOR_ELT(kernels, 0), VECTOR_ELT(solvers, 0), control, &job->task, view));
  view->progress = &job->task.progress;
  grid->whole = r_number(list, "whole", 0) != 0;
  R_TRY(read_folds(labels, r_field(list, "seed"), grid));
  R_TRY(read_kernels(kernels, grid));
  R_TRY(read_settings(solvers, grid));
  return read_points(r_field(list, "points"), grid);
}

static SEXP new_grid_outputs(osvm_grid_job *job) {
  osvm_grid *grid = &job->grid;
  const R_xlen_t size =
      (R_xlen_t)job->task.count * job->task.machines * grid->n_points * (grid->whole ? grid->folds : 1);
  SEXP outputs = PROTECT(Rf_allocVector(REALSXP, size));
  grid->outputs = REAL(outputs);
  if (size > 0) memset(grid->outputs, 0, size * sizeof(double));
  grid->result = r_zeros((size_t)grid->folds * grid->n_points, sizeof *grid->result);
  UNPROTECT(1);
  return outputs;
}

/* A list of grids, see above, side by side if there are several: of each its results, or a sentence. No grid point has run
 * where an interrupt came before a grid's turn. */
SEXP ffi_tune(SEXP grids, SEXP control) {
  const int count = r_is(grids, VECSXP, -1) ? (int)Rf_xlength(grids) : 0;
  osvm_grid_job *jobs = r_zeros(count, sizeof *jobs);
  osvm_data *views = r_zeros(count, sizeof *views);
  osvm_error error = {NULL};
  for (int k = 0; k < count && error.text == NULL; k++)
    error.text = read_grid(VECTOR_ELT(grids, k), control, &jobs[k], &views[k]);
  if (error.text != NULL) return r_sentence(&error);
  SEXP outputs = PROTECT(Rf_allocVector(VECSXP, count)), results = PROTECT(Rf_allocVector(VECSXP, count));
  for (int k = 0; k < count; k++) SET_VECTOR_ELT(outputs, k, new_grid_outputs(&jobs[k]));
  r_host host;
  const osvm_progress progress = r_progress(&host, r_field(control, "progress"));
  osvm_grids_run(jobs, count, r_threads(control), &progress);
  for (int k = 0; k < count; k++) {
    const int usable = jobs[k].status == OSVM_OK || jobs[k].status == OSVM_INTERRUPTED;
    SET_VECTOR_ELT(results, k,
                   usable ? named_results(&jobs[k].grid, jobs[k].status == OSVM_INTERRUPTED, VECTOR_ELT(outputs, k))
                          : r_sentence(&jobs[k].error));
  }
  UNPROTECT(2);
  return results;
}
