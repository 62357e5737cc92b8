/* What the two ways through a grid share: chains (tune-grid.c) and lockstep (tune-batch.c). */
#ifndef OSVM_CORE_GRID_H
#define OSVM_CORE_GRID_H

#include "osvm.h"

typedef struct {
  osvm_grid *grid;
  const osvm_solver *solver;
  osvm_store store; /* all examples, in the order of visits */
  osvm_gram gram;   /* what is shared of their kernel values; empty where computing is as quick */
  int *class_of;    /* folds x examples, those of the fold itself held out */
  /* Cells that one run goes through, on one fold: chain c has order[begin[c]] .. order[begin[c + 1] - 1], whose
   * settings differ in one thing. A solver that resumes has them by C, and each solution is the next one's start;
   * another by epochs, and the model after a few is what it passes on its way. */
  int *order, *begin, chains;
  int n, threads, primal;
  size_t bytes; /* for kernel values and what runs keep beside them, gram included */
  osvm_error *error;
} osvm_tuning;

static inline const osvm_setting *osvm_grid_setting(const osvm_grid *grid, int cell) {
  return &grid->settings[grid->cells[cell].setting];
}
static inline const int *osvm_tuning_path(const osvm_tuning *work, int chain, int *count) {
  *count = work->begin[chain + 1] - work->begin[chain];
  return work->order + work->begin[chain];
}
/* One cell on one fold */
static inline osvm_cell_result *osvm_grid_result(const osvm_grid *grid, int cell, int fold) {
  return &grid->result[(size_t)cell * grid->folds + fold];
}
static inline double *osvm_grid_outputs(const osvm_grid *grid, int cell, int machine) {
  return grid->outputs + ((size_t)cell * grid->task->machines + machine) * grid->task->count;
}
osvm_task osvm_grid_task(const osvm_tuning *work, int cell, int fold);
/* A run's coefficients (size x machines) and intercepts; and whether any machine has one of example i */
osvm_status osvm_grid_export(osvm_run *run, double *coef, double *intercept, osvm_error *error);
int osvm_grid_any(const double *coef, size_t size, int machines, size_t i);
double osvm_grid_updates(const osvm_run *run); /* by all its machines, until now */
/* One machine's outputs for the examples held out in its fold, at their places */
osvm_status osvm_holdout_outputs(const osvm_tuning *work, const osvm_kernel *kernel, int fold, const double *coef,
                            double intercept, double *outputs, osvm_error *error);
/* The narrowest kernel of all, which asks most of the precision of distances */
const osvm_kernel *osvm_grid_narrowest(const osvm_grid *grid);

/* On-line solvers with kernel expansions: all chains of a kernel visit the same examples together */
osvm_status osvm_tune_batches(osvm_tuning *work);

#endif
