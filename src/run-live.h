/* A model in training: everything it consists of, kept in the core between calls. A fit is one that was opened, updated
 * and read. An osvm_live owns all that was learned: the examples packed and as the user gave them, the exported state,
 * support-vector sets, counts, convergence and trace. For the time of a run the packed examples and the sets are the
 * run's (osvm_start); the runs of a grid share a store instead, which none of them owns. The order of examples and of
 * sums is the same for fits and live models, and so are the numbers. */
#pragma once

#include "run.h"

/* Since the first example. epoch: of the first row of the trace, from 1 on */
typedef struct {
  double seen, n_sv, forgotten, steps, updates, evaluations, seconds, epoch;
} osvm_live_counts;

typedef struct {
  const osvm_solver *solver;
  osvm_kernel kernel;
  int primal, d;          /* d: features, of a map those it makes */
  osvm_start start;       /* of the next run: the examples the model keeps, scaled and packed; `model`; its sets */
  osvm_store rows;        /* the same examples as the user gave them */
  double *number;         /* of each: its row, from 1 on, behind the examples learned before; 0 if merged */
  int targets;            /* columns of the targets that are kept */
  osvm_state_names names; /* of the model's columns and scalars */
  osvm_model model;       /* kept: where the examples were among those of the last run */
  osvm_live_counts counts;
  osvm_convergence *convergence; /* of each machine, in the last run; NULL: there was none */
  osvm_epoch *trace;             /* of the last epochs */
  int n_trace;
  int interrupted; /* the last run was */
  double *weights; /* NULL, or d x machines: a linear model from support vectors ... */
  int given;       /* ... as it was opened */
} osvm_live;

/* What a model consists of. Without `model` nothing is learned yet. */
typedef struct {
  const osvm_data *carried; /* its examples; NULL for a weight vector */
  const osvm_model *model;  /* coef may be NULL if there are weights */
  const double *number, *weights;
  osvm_live_counts counts;
  const osvm_epoch *trace;
  int n_trace;
} osvm_live_start;

/* task: as for the first update, of which nothing is learned yet */
osvm_status osvm_live_open(osvm_live *live, const osvm_task *task, const osvm_live_start *start, osvm_error *error);
/* Forgets, then learns. If interrupted, the model has what was learned until then; any other status than OSVM_OK leaves
 * it as it was. task->epoch_ended is called after the last epoch, too. */
osvm_status osvm_live_update(osvm_live *live, osvm_task *task, osvm_error *error);
/* A live model, what it is to learn, and how that ended */
typedef struct {
  osvm_live *live;
  osvm_task task;
  osvm_status
      status; /* OSVM_INTERRUPTED: the model has a part of it, or nothing; other than OSVM_OK: it is as it was */
  osvm_error error;
} osvm_live_job;

/* Updates of different models side by side, each on one thread. Their tasks get the progress of this call. */
void osvm_live_update_all(osvm_live_job *jobs, int count, int threads, const osvm_progress *progress);
/* outputs (examples x machines): of each example by the machines without it */
osvm_status osvm_live_leave_out(osvm_live *live, osvm_task *task, double *outputs, osvm_error *error);
/* out (examples x machines) += outputs, without the intercepts, of all examples of task->data. Of the task it reads, too,
 * solver, kernel, what precision depends on, threads and progress. */
osvm_status osvm_live_decide(osvm_live *live, const osvm_task *task, double *out, osvm_error *error);
void osvm_live_close(osvm_live *live);
