/* What the files of the tuning layer share: grid and memory (tune-grid.c), warm-start paths (tune-path.c), batches of
 * runs in lockstep (tune-batch.c), hold-out outputs (tune-holdout.c). */
#pragma once

#include "tune.h"

typedef struct {
  osvm_grid *grid;
  const osvm_solver *solver;
  osvm_store store; /* all examples, in the order of visits */
  osvm_gram gram;   /* base rows shared by all runs; empty where computing a row is as fast as reading it */
  /* Warm-start paths (tune-path.c): path p is the grid points order[begin[p]] .. order[begin[p + 1] - 1], one run per
   * fold */
  int *order, *begin, paths;
  int n, threads, primal;
  size_t bytes; /* for kernel values and for the buffers of runs, gram included */
  osvm_error *error;
} osvm_tuning;

/* Parameter values of a grid point, and its number of epochs */
static inline const double *osvm_tuning_params(const osvm_tuning *tuning, int point) {
  return tuning->grid->settings[tuning->grid->points[point].setting];
}
static inline int osvm_tuning_epochs(const osvm_tuning *tuning, int point) {
  return osvm_solver_epochs(tuning->solver, osvm_tuning_params(tuning, point));
}
static inline const int *osvm_tuning_path(const osvm_tuning *tuning, int path, int *count) {
  *count = tuning->begin[path + 1] - tuning->begin[path];
  return tuning->order + tuning->begin[path];
}
/* One grid point on one fold */
static inline osvm_point_result *osvm_grid_result(const osvm_grid *grid, int point, int fold) {
  return &grid->result[(size_t)point * grid->folds + fold];
}
static inline double *osvm_grid_outputs(const osvm_grid *grid, int point, int fold, int machine) {
  const size_t run = grid->whole ? (size_t)point * grid->folds + fold : (size_t)point;
  return grid->outputs + (run * grid->task->machines + machine) * grid->task->count;
}
/* Whether the outputs of example i on this fold are wanted */
static inline int osvm_grid_wants(const osvm_grid *grid, int i, int fold) {
  return grid->whole || grid->fold[i] == fold;
}
osvm_task osvm_grid_task(const osvm_tuning *tuning, int point, int fold);

/* The machines of a run at a grid point: coefficients, negligible ones set to 0, and intercepts. They are kept until
 * their hold-out outputs are computed, together with those of others that share kernel rows. Of a failure, too, the
 * caller closes what there is. */
typedef struct {
  int point, fold, first; /* first: number of its first machine in the task */
  osvm_model model;
} osvm_holdout;

osvm_status osvm_holdout_open(osvm_holdout *holdout, osvm_run *run, osvm_error *error);
void osvm_holdout_close(osvm_holdout *holdout);
int osvm_holdout_support(const osvm_holdout *holdout,
                         unsigned char *marked); /* as osvm_mark_support, of all machines */
/* The one place where hold-out outputs are computed: of `count` examples, from their kernel values with the model's
 * examples from .. from + columns - 1, which are added to those before; rows are not used where the model is weights */
void osvm_holdout_add(const osvm_tuning *tuning, const osvm_holdout *holdout, const int *examples,
                      const void *const *rows, int count, int from, int columns);
/* Outputs of all examples that are wanted, for several grid points of one run */
osvm_status osvm_holdout_outputs(const osvm_tuning *tuning, const osvm_run *run, const osvm_holdout *holdouts,
                                 int count, osvm_error *error);

osvm_status osvm_tuning_link_paths(osvm_tuning *tuning); /* order, begin, paths */
/* All paths on all folds. Each path by itself; or, for online solvers with kernel expansions, in batches that share
 * kernel rows. OSVM_NO_MEMORY leaves no text in tuning->error. */
osvm_status osvm_tune_paths(osvm_tuning *tuning);
osvm_status osvm_tune_batches(osvm_tuning *tuning);
