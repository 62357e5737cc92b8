/* What the author of a solver needs. */
#ifndef OSVM_SOLVER_H
#define OSVM_SOLVER_H

#include "sv-expansion.h"
#include "sv-set.h"

/* ---- solvers ---- */

typedef struct {
  const char *name;
  double value;
} osvm_param;

typedef struct {
  int i;
  double y, weight;
} osvm_example; /* its place in the store, label -1 or +1, weight */

/* What goes from a finished run to the model and, when learning goes on, back again */
typedef struct {
  int size, machines;       /* size: examples, or features of a primal model */
  double *coef, *intercept; /* size x machines; machines: what predictions use */
  double *going;     /* size x machines x depth; by default coefficients as they stand, and their sums over all steps */
  double *tally;     /* tallies x machines; by default steps, bias, sum of bias */
  int *kept, n_kept; /* room for size: the examples that go on, in the order they want to come back; -1: all that
                             * have a coefficient, in the order they are in */
} osvm_model;

enum { OSVM_STEPS, OSVM_BIAS, OSVM_BIAS_SUM, OSVM_TALLY };
enum { OSVM_DEPTH = 2 };

static inline double *osvm_model_going(const osvm_model *model, int machine, int layer, int i) {
  return model->going + ((size_t)layer * model->machines + machine) * model->size + i;
}

typedef struct {
  double iterations, gap, objective, finished;
} osvm_convergence; /* how a batch solver ended */

typedef struct {
  osvm_expansion expansion;
  osvm_convergence convergence;
  void *memory;                    /* what else the solver keeps; freed with the machine */
  int partial;                     /* sees only some of the examples (one class against one of several) */
  double taken, updates;           /* in this run */
  double loss, violations, visits; /* in this epoch */
} osvm_machine;

static inline void osvm_machine_count(osvm_machine *machine, double margin, int violates, int updates) {
  if (!(margin >= 1)) machine->loss += 1 - margin; /* a NaN must show */
  machine->violations += violates;
  machine->updates += updates;
}

typedef struct osvm_run osvm_run;

/* A solver is its update rule; slots left empty take the defaults of run-driver.c (expansions, on-line epochs). */
typedef struct {
  const char *const *params; /* names, ending with NULL; run->rule holds their values in the same order, all double */
  int reshuffles; /* a new order of visits every epoch, if the caller shuffles at all; not for faded horizons */
  int dual;       /* works on kernel rows and keeps its examples, even where weights would do */
  int exact;      /* needs double precision */
  /* Works on its members, which come and go (sv-set.h), instead of on an expansion: what it keeps of each */
  const osvm_column_kind *columns;
  int n_columns;
  int depth, tallies; /* numbers per example and machine, and per machine, that its model keeps; 0: the default's */
  osvm_status (*solve)(osvm_run *run, int machine); /* batch solvers: a machine as a whole, instead of learn ... */
  osvm_status (*resume)(osvm_run *run,
                        int machine); /* ... and again after the rule has changed, from its last solution */
  osvm_status (*start)(osvm_run *run);
  osvm_status (*learn)(osvm_run *run, osvm_machine *machine, const osvm_example *example);
  /* With `selection` other than its first choice: which of these places in the store to visit next, and whether that
   * promises anything */
  osvm_status (*choose)(osvm_run *run, const int *candidates, int count, int *chosen, int *promises);
  osvm_status (*end_epoch)(osvm_run *run);
  osvm_status (*forget)(osvm_run *run, osvm_machine *machine, int i); /* as if carried example i had never been there */
  /* What the machine without example i would say of it; the machine stays as it is */
  osvm_status (*leave_out)(osvm_run *run, osvm_machine *machine, int i, double *output);
  osvm_status (*finish)(osvm_run *run);
  osvm_status (*import)(osvm_run *run, const osvm_model *model);
  osvm_status (*export)(osvm_run *run, osvm_model *model);
  void (*close)(osvm_run *run); /* frees what a machine's memory owns */
} osvm_solver;

typedef struct {
  const char *name, *title, *space, *paper; /* space: "linear", "kernel" or "both" */
  int online, forgets;
  const osvm_solver *solver;
} osvm_solver_info;

const osvm_solver_info *osvm_solvers(int *count);
static inline int osvm_solver_depth(const osvm_solver *solver) {
  return solver->depth > 0 ? solver->depth : OSVM_DEPTH;
}
static inline int osvm_solver_tallies(const osvm_solver *solver) {
  return solver->tallies > 0 ? solver->tallies : OSVM_TALLY;
}

typedef struct {
  double loss, violations, support, seconds;
} osvm_epoch;

/* Everything the caller decides */
typedef struct {
  const char *solver;
  const osvm_param *params;
  int n_params;
  osvm_kernel kernel;
  const osvm_data *data; /* new examples ... */
  const int *rows;       /* ... in the order of visits (positions in data); count of them */
  int count;
  const int *class_of;  /* count: class numbers from 0, in the order of visits; below 0: held out, not to be learned */
  const double *weight; /* count */
  int machines;
  const int *positive, *negative; /* machine m: class positive[m] against negative[m], or against all others if < 0 */
  const osvm_data *carried;       /* NULL, or the examples of `model`, which goes on learning */
  const osvm_model *model;
  const int *forget; /* carried examples to be forgotten before anything is learned */
  int n_forget;
  const osvm_store *store;   /* NULL, or the examples packed beforehand, for several runs */
  const osvm_gram *gram;     /* NULL, or what is known of their kernel values ... */
  const osvm_window *window; /* ... and of those of the examples visited next */
  int doubles;               /* work in double precision */
  osvm_simd_level level;
  size_t cache_bytes;
  int threads, epochs;
  int shuffle; /* rows come in random order; what else is random follows seed */
  double seed;
  osvm_progress progress;
  void (*epoch_ended)(void *user, osvm_run *run); /* NULL, or told of every epoch but the last; it may export */
  void *user;
} osvm_task;

struct osvm_run {
  const osvm_task *task;
  const osvm_solver *solver;
  double *rule;     /* values of solver->params */
  osvm_store store; /* the carried examples, then the new ones in the order of visits */
  osvm_engine engine;        /* of on-line solvers with kernel expansions */
  osvm_lazy_outputs lazy;
  osvm_shared_sv *shared;     /* of solvers with members ... */
  osvm_sv_set *sv_set; /* ... and each machine's own */
  osvm_random random;
  int borrowed;                  /* the store is the task's */
  int *order;                    /* NULL: one after the other; or the visits of this epoch, `count` new examples */
  int count, at, shuffled;       /* at: how many of the visits of this epoch have been made */
  int next[OSVM_QUERIES], n_upcoming; /* the example being visited, and those to come after it */
  int primal;                    /* linear kernel: weights instead of support vectors */
  int first;                     /* place of the first new example */
  int epoch, epochs_done;
  int visited;           /* new examples seen at least once */
  double began;          /* when this epoch did */
  double evaluations;  /* kernel values computed */
  double work, polled; /* multiplications beside kernel values, or thereabouts; all of them at the last poll */
  osvm_machine *machine;
  osvm_epoch *trace; /* task->epochs */
  osvm_error *error;
};

const osvm_solver *osvm_solver_named(const char *name); /* NULL: there is none */
int osvm_task_primal(const osvm_task *task);            /* weights instead of support vectors? */
/* The carried examples and then the new ones, in the precision and layout the solver wants */
osvm_status osvm_task_pack(const osvm_task *task, osvm_store *store, osvm_error *error);

/* OSVM_INTERRUPTED leaves a usable run: everything learned until then. */
osvm_status osvm_run_open(osvm_run *run, const osvm_task *task, osvm_error *error);
osvm_status osvm_run_set_params(osvm_run *run, const osvm_param *params, int n_params); /* other values of the rule */
osvm_status osvm_run_learn(osvm_run *run);                                              /* forgets, then learns */
/* The same piece by piece, for on-line solvers: begin, visit places before `end` until there are no more, end; finish */
osvm_status osvm_run_begin_epoch(osvm_run *run);
osvm_status osvm_run_visit_before(osvm_run *run, int end);
osvm_status osvm_run_end_epoch(osvm_run *run);
osvm_status osvm_run_leave_out(osvm_run *run, double *outputs); /* each carried example in turn; store.n x machines */
double osvm_run_label(const osvm_run *run, int machine, int visit); /* +1, -1, or 0: not this machine's business */
int osvm_run_size(const osvm_run *run);                             /* of the model to export */
double osvm_run_evaluations(const osvm_run *run);                   /* kernel values computed */
/* Does the caller, asked every few milliseconds, want to stop? done: of the epoch, or of what the solver does after them */
int osvm_run_stopped(osvm_run *run, double done);
/* Fills model->kept from the pool: in the order learned if examples are to be forgotten by number, else in the pool's */
void osvm_run_export_support(const osvm_run *run, osvm_model *model);
osvm_status osvm_run_export(osvm_run *run, osvm_model *model);
void osvm_run_close(osvm_run *run);

#endif
