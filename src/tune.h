/* A grid of settings of one solver, cross-validated: each grid point is evaluated on examples it has not learned. */
#pragma once

#include "run.h"

typedef struct {
  int kernel, setting;
} osvm_grid_point;

typedef enum { OSVM_NOT_RUN, OSVM_DONE, OSVM_UNFINISHED, OSVM_FAILED } osvm_point_state;

typedef struct {
  double support, evaluations, seconds, updates; /* seconds: processor time, its share of shared work included */
  osvm_point_state state;                        /* unfinished: stopped short of its tolerance */
  const char *message;                           /* why it failed */
} osvm_point_result;

typedef struct {
  const osvm_task *task; /* what all grid points share: solver, examples, labels, machines, memory, threads, progress */
  const int *fold;       /* task->count, from 0: the fold in which an example is held out */
  int folds;
  const double *seed; /* per fold */
  const osvm_kernel *kernels;
  const double *const *settings; /* values of the solver's parameters, in the order that it declares */
  const osvm_grid_point *points;
  int whole;
  int n_kernels, n_settings, n_points;
  /* Results, in the caller's memory: */
  double *outputs; /* task->count x machines x grid points: hold-out outputs of every example; or, `whole`, those of all
                    * examples, learned or not, on each fold: task->count x machines x folds x grid points */
  osvm_point_result *result;                               /* folds x grid points */
  double shared_evaluations, shared_seconds, shared_bytes; /* of the Gram matrix */
} osvm_grid;

/* OSVM_INTERRUPTED leaves the grid points that are done. The failure of a grid point does not stop the others. */
osvm_status osvm_grid_run(osvm_grid *grid, osvm_error *error);

/* A grid, its own task, and how it ended */
typedef struct {
  osvm_grid grid;
  osvm_task task;
  osvm_status status; /* OSVM_INTERRUPTED: it was, or its turn did not come */
  osvm_error error;
} osvm_grid_job;

/* Grids side by side, each on one thread; a single one has all threads. Their tasks get the progress of this call. */
void osvm_grids_run(osvm_grid_job *jobs, int count, int threads, const osvm_progress *progress);
