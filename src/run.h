/* One run of a solver: the task it is given, the model it leaves, and the driver around the update rule. */
#pragma once

#include "budget.h"
#include "solver.h"
#include "sv-sets.h"
#include "sv-support.h"

/* ---- registry ---- */

typedef struct {
  const char *name;
  const osvm_solver *solver;
} osvm_solver_info;

const osvm_solver_info *osvm_solvers(int *count);
const osvm_solver *osvm_solver_named(const char *name); /* NULL: unknown */

int osvm_solver_params(const osvm_solver *solver);               /* their number */
int osvm_solver_role(const osvm_solver *solver, osvm_role role); /* index of the parameter, or -1 */
/* The value of the parameter with this role, or `none` */
double osvm_solver_value(const osvm_solver *solver, const double *params, osvm_role role, double none);
int osvm_solver_learns(const osvm_solver *solver, const osvm_loss_info *loss);
int osvm_solver_epochs(const osvm_solver *solver, const double *params);
int osvm_solver_nested(const osvm_solver *solver,
                       const double *params); /* has epochs, and fewer are the beginning of more */
/* One visit to each example, as they came, leaves the model that ends there: outputs before it are known */
int osvm_solver_by_rows(const osvm_solver *solver, const double *params);
int osvm_solver_doubles(const osvm_solver *solver, const double *params);
osvm_repeats osvm_solver_repeats(const osvm_solver *solver, const double *params);
/* The bound of coefficients in units of the tolerance, or 0: how many times the rounding of a kernel value may count */
double osvm_solver_growth(const osvm_solver *solver, const double *params);
int osvm_solver_primal(const osvm_solver *solver, const osvm_kernel *kernel); /* weights instead of support vectors */
/* The most vectors after a step, or 0: any number; and whether it is kept by merging */
int osvm_solver_budget(const osvm_solver *solver, const double *params, const osvm_kernel *kernel);
int osvm_solver_merges(const osvm_solver *solver, const double *params);
/* Places for merged vectors, in a run over so many examples, carried and new */
int osvm_solver_reserve(const osvm_solver *solver, const double *params, const osvm_kernel *kernel, int carried,
                        int examples);

/* ---- model ---- */

enum { OSVM_SCALARS = 16 };

/* Names of what a model keeps besides coefficients: columns per example and machine, scalars per machine */
typedef struct {
  int n_columns, n_scalars;
  const char *column[OSVM_COLUMNS + 2], *scalar[OSVM_SCALARS];
  osvm_column_role role[OSVM_COLUMNS + 2]; /* of columns */
} osvm_state_names;

osvm_state_names osvm_solver_state(const osvm_solver *solver, const double *params);

/* From a finished run to the model and, for a further run, back again */
typedef struct {
  int size, machines;       /* size: examples, or features of a primal model */
  double *coef, *intercept; /* size x machines; machines: what predictions use */
  double *target;           /* size: class numbers from 0, or numbers; NAN: no example. NULL for a primal model */
  double *columns;          /* size x machines x n_columns */
  double *scalars;          /* n_scalars x machines */
  double *merged;    /* NULL, or room for the merged vectors of a budget (their number x d), in the user's units */
  int *kept, n_kept; /* room for size: the examples to keep, in the order in which they are to be carried */
} osvm_model;

static inline double *osvm_model_column(const osvm_model *model, int machine, int column) {
  return model->columns + ((size_t)column * model->machines + machine) * model->size;
}

/* What a run goes on from. The run takes `packed` and `sets` over; when it is closed `packed` is back, with what the run
 * has added behind the examples, and `sets` are gone. */
typedef struct {
  osvm_store packed;       /* the examples of `model`; not open: there are none, or a weight vector in their place */
  const osvm_model *model; /* NULL: nothing is learned yet */
  osvm_sv_sets *sets;      /* NULL, or the sets in which the run before left `model` */
} osvm_start;

/* ---- precision ---- */

/* Of all (scaled) examples a run is about */
typedef struct {
  double largest;        /* absolute value */
  double norm;           /* the largest squared norm, at most */
  double square, spread; /* mean squared norms, of examples and of their deviations from the mean; 0: not known */
  int far;               /* a column is far from zero, for its spread */
} osvm_extent;

/* ---- task: everything the caller decides ---- */

typedef struct {
  const osvm_solver *solver;
  const double *params; /* in the order that the solver declares */
  osvm_kernel kernel;
  const osvm_data *data; /* new examples ... */
  const int *rows;       /* ... in the order of visits (rows of data); count of them */
  int count;
  osvm_target target; /* loss.h */
  osvm_loss loss;
  const double *weight; /* count */
  const int *visits;    /* NULL, or the visits of an epoch, offsets among these examples; each may have several */
  int n_visits;
  const int *times; /* NULL, or how many examples each of these stands for; 0: one that is learned again */
  int machines;
  osvm_start *start; /* NULL, or what the run goes on from */
  const int *forget; /* examples of `start` to be removed before any is learned */
  int n_forget;
  const osvm_store *store;   /* NULL, or instead of `start` the examples packed beforehand, for several runs */
  const osvm_gram *gram;     /* NULL, or known kernel values of that store ... */
  const osvm_window *window; /* ... and complete kernel rows of the examples visited next */
  const osvm_extent *extent; /* NULL, or that of the data: double precision where it and the parameters need it ... */
  const osvm_kernel *approximated; /* ... NULL, or the kernel that the map of `data` approximates */
  int doubles;                     /* double precision in any case */
  osvm_simd_level level;
  size_t cache_bytes;
  size_t spare_bytes; /* for features that would be computed again; changes no number */
  double *outputs;    /* NULL, or visits x machines: before an example is learned. Solvers by rows only */
  int threads, trace; /* trace: a live model keeps the epochs */
  double seed;
  osvm_progress progress;
  void (*epoch_ended)(void *user, osvm_run *run); /* NULL, or called after every epoch but the last; may export */
  void *user;
} osvm_task;

/* The arithmetic of its runs, in the precision that the data, the kernel and the solver need */
const osvm_simd *osvm_task_simd(const osvm_task *task);
int osvm_task_unit_norm(const osvm_task *task); /* whether examples count as if their norm were 1 */
/* The new examples, in a store of the solver's precision and layout */
osvm_status osvm_task_pack(const osvm_task *task, osvm_store *store, osvm_error *error);
/* carried: NULL, or the examples of `model`, which are packed as the task wants them */
osvm_status osvm_start_open(osvm_start *start, const osvm_task *task, const osvm_data *carried, const osvm_model *model,
                            osvm_error *error);
void osvm_start_close(osvm_start *start);

/* ---- run ---- */

typedef struct {
  double loss, violations, support, seconds;
} osvm_epoch;

/* What solvers do not need to know of a run */
struct osvm_driver {
  const osvm_task *task;
  osvm_team team; /* at work while the run learns */
  osvm_engine engine;
  osvm_lazy_outputs lazy;
  osvm_sv_sets *sets; /* NULL, or of a solver on support-vector sets; ... */
  int resumed;        /* ... taken over from the run before, with the columns of its model */
  osvm_budget budget;
  osvm_shared_sv shared;    /* the support vectors within the budget */
  int primal;               /* linear kernel: weights instead of support vectors */
  int *order, at, shuffled; /* visits of this epoch, as offsets from run->first; NULL: in order; at: visits made */
  int epochs_done, visited; /* visited: new examples learned at least once */
  double epoch_start;
  int stopped;           /* the host has asked for a stop */
  osvm_epoch *trace;     /* run->epochs */
  unsigned char *marked; /* of the store's examples: room to mark support vectors in */
};

/* OSVM_INTERRUPTED leaves a usable run: everything learned until then. */
osvm_status osvm_run_open(osvm_run *run, const osvm_task *task, osvm_error *error);
double osvm_run_members(const osvm_run *run, const osvm_machine *machine); /* examples of its subproblem, at most */
osvm_status osvm_run_learn(osvm_run *run);                                 /* forgets, then learns */
/* The same in pieces, for online solvers: begin, visit indices before `end` until none is left, end; finish */
osvm_status osvm_run_begin_epoch(osvm_run *run);
osvm_status osvm_run_visit_before(osvm_run *run, int end);
osvm_status osvm_run_end_epoch(osvm_run *run);
osvm_status osvm_run_finish(osvm_run *run);
/* A solver with a warm-start parameter: solves again for other parameter values, from the last solution */
osvm_status osvm_run_solve_again(osvm_run *run, const double *params);
osvm_status osvm_run_leave_out(osvm_run *run, double *outputs); /* each carried example in turn; store.n x machines */
osvm_status osvm_run_diverged(const osvm_run *run);
double osvm_run_updates(const osvm_run *run);                   /* of all machines */
double osvm_run_evaluations(const osvm_run *run);               /* kernel values computed */
int osvm_run_size(const osvm_run *run);                         /* of the model to export */
double osvm_run_kept_target(const osvm_run *run, int m, int i); /* as a model keeps it */
/* Coefficients and intercepts alone; OSVM_DIVERGED if one is not finite */
osvm_status osvm_run_result(osvm_run *run, double *coef, double *intercept);
osvm_status osvm_run_export(osvm_run *run, osvm_model *model);
osvm_status osvm_run_import(osvm_run *run, const osvm_model *model);
/* After osvm_run_export: the sets, settled in the order of model->kept, which the caller closes; NULL: there are none */
osvm_sv_sets *osvm_run_take_sets(osvm_run *run, const osvm_model *model);
osvm_status osvm_run_reserve(osvm_run *run);                      /* places for merged vectors */
osvm_status osvm_run_place_merged(osvm_run *run);                 /* put there */
void osvm_run_export_merged(const osvm_run *run, double *merged); /* their number x d, in the user's units */
void osvm_run_close(osvm_run *run);
