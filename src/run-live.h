/* A live model: what a further run goes on from, kept in the core between calls, so that an update packs and exports
 * nothing but what is new. */
#ifndef OSVM_RUN_LIVE_H
#define OSVM_RUN_LIVE_H

#include "run.h"

typedef struct {
  const osvm_solver *solver;
  osvm_kernel kernel;
  int primal, d, trained;
  osvm_store packed, rows; /* the examples the model keeps: scaled, as runs want them; as the user gave them */
  double *number;          /* of each: its place in the order of learning, from 1 on; 0 if merged */
  double seen;             /* examples learned */
  osvm_state_names names;  /* of the model's columns and scalars */
  osvm_model model;
  osvm_sv_sets *sets; /* NULL, or the support-vector sets of `model`, for the next run */
  int n_sv;           /* examples with a coefficient that is not 0 */
  double *weights;    /* NULL, or d x machines: a linear model from support vectors */
} osvm_live;

/* What a model has besides its examples and state */
typedef struct {
  double seen;
  int n_sv;
  const double *number, *weights; /* as in osvm_live, or NULL; model->coef may be NULL if there are weights */
} osvm_live_start;

/* task: as for a run that goes on from task->carried and task->model, if they are given; nothing is learned. */
osvm_status osvm_live_open(osvm_live *live, const osvm_task *task, const osvm_live_start *start, osvm_error *error);
/* Forgets and learns, as a run on `task` from the same state would. `ended` is called before the run is closed; if
 * interrupted, the model has what was learned until then. Any other status than OSVM_OK leaves it as it was. */
osvm_status osvm_live_update(osvm_live *live, osvm_task *task,
                             void (*ended)(void *user, const osvm_run *run, int interrupted), void *user,
                             osvm_error *error);
/* out (data->n x machines) += outputs without the intercepts. unit_norm: examples count as if their norm were 1. */
osvm_status osvm_live_decide(osvm_live *live, const osvm_data *data, int threads, int unit_norm, double *out,
                             osvm_error *error);
void osvm_live_close(osvm_live *live);

#endif
