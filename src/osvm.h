/* What the glue needs of the core. */
#ifndef OSVM_H
#define OSVM_H

#include "solver.h"
#include "sv-predict.h"

/* ---- grid: many settings of one solver, each judged on examples it has not learned ---- */

typedef struct {
  const osvm_param *params;
  int n_params, epochs, shuffle;
} osvm_setting;

typedef struct {
  int kernel, setting;
} osvm_cell;

typedef enum { OSVM_NOT_RUN, OSVM_DONE, OSVM_UNFINISHED, OSVM_FAILED } osvm_cell_state;

typedef struct {
  double support, evaluations, seconds, updates; /* seconds of work, its share of what is done for all included */
  osvm_cell_state state;                         /* unfinished: stopped short of its tolerance */
  const char *message;                           /* why it failed */
} osvm_cell_result;

typedef struct {
  const osvm_task *task; /* what all have in common: solver, examples, labels, machines, memory, threads, watch */
  const int *fold; /* task->count, from 0: each example is held out once, and learned by the other folds' machines */
  int folds;
  const double *seed; /* per fold */
  const osvm_kernel *kernels;
  const osvm_setting *settings;
  const osvm_cell *cells;
  int n_kernels, n_cells;
  /* What comes out of it, in the caller's memory: */
  double *outputs;          /* task->count x machines x cells: of every example, by machines that have not learned it */
  osvm_cell_result *result; /* folds x cells */
  double shared_evaluations, shared_seconds, shared_bytes; /* kernel values for all; cells' seconds hold their share */
} osvm_grid;

/* OSVM_INTERRUPTED leaves the cells that are done. A cell that fails does so by itself. */
osvm_status osvm_grid_run(osvm_grid *grid, osvm_error *error);

#endif
