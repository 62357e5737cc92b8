/* The contract of a solver. CONTRIBUTING.md has the recipe; the verbs on a machine's state are in
 *   sv-expansion.h  osvm_expansion_output, _coef, _add, _push, _shrink, _step
 *   sv-set.h        osvm_sv_set_candidate_row, _insert, _add, _remove, _row, _slot, _draw */
#pragma once

#include "loss.h"
#include "sv-expansion.h"
#include "sv-set.h"

typedef struct osvm_run osvm_run;
typedef struct {
  int i;            /* index in run->store */
  double y, weight; /* y: the machine's target */
} osvm_example;

typedef struct {
  double iterations, gap, objective, finished, stalled;
} osvm_convergence; /* gap: violation of KKT, or NAN; objective: to be minimised; stalled: rounding prevents a finish */

/* A binary machine: a one-vs-rest or one-vs-one subproblem. Its state is an expansion or, for a solver that declares
 * columns, a set of support vectors. Columns and scalars with a name are kept in the model and restored from it. */
typedef struct {
  int index, partial;  /* partial: some of the examples are not part of its subproblem */
  osvm_loss objective; /* that of the run, with the machine's own parameter */
  osvm_expansion expansion;
  osvm_sv_set *sv_set;
  double *column[OSVM_COLUMNS]; /* of an expansion: per example, as declared */
  double *scalars;              /* as declared, in that order: read them through a struct of doubles */
  void *state;          /* `state_size` bytes, zeroed, or allocated by open; freed by the run; not in the model */
  osvm_context context; /* base.h */
  osvm_convergence convergence;
  double visits, updates, epoch_visits, violations, loss; /* two of this run, three of this epoch */
} osvm_machine;

typedef osvm_status osvm_machine_work(osvm_run *run, osvm_machine *machine);

static inline void osvm_machine_count(osvm_machine *machine, double loss, int violates, int updates) {
  machine->loss += loss, machine->violations += violates, machine->updates += updates;
}

/* What a parameter means to others than its solver. The run and R read parameters by role, never by name. */
typedef enum {
  OSVM_RULE,    /* nothing: the solver's own */
  OSVM_COST,    /* of errors: with larger values the model fits the examples more closely ... */
  OSVM_PENALTY, /* ... with larger values less closely ... */
  OSVM_RATE,    /* ... in larger steps */
  OSVM_EPOCHS,
  OSVM_SHUFFLE,
  OSVM_AVERAGE,    /* not 0: the model is the mean over all steps */
  OSVM_OUTPUTS,    /* not 0: outputs are computed when needed, from all coefficients */
  OSVM_UNIT_NORM,  /* not 0: examples are scaled to norm 1 */
  OSVM_TOLERANCE,  /* of outputs; kernel values need a precision to match */
  OSVM_BOUND,      /* a cost, and the bound of coefficients */
  OSVM_WARM_START, /* such a bound: solve() can start from the solution for a smaller value */
  OSVM_BUDGET,     /* of an expansion's vectors; infinite: none */
  OSVM_MAINTENANCE /* what keeps it: budget.h */
} osvm_role;

typedef struct {
  const char *name;
  osvm_role role;
} osvm_param;

typedef struct {
  const char *title, *summary, *paper;
  const char *space;        /* "linear", "kernel" or "both" */
  const osvm_param *params; /* as in R's constructor, ending with {0}; run->params has their values in this order */
  int batch;                /* needs the whole training set at once: not online */
  int dual;                 /* reports convergence, and keeps its examples under any kernel if it takes several */
  int losses;               /* a sum of osvm_learning, loss.h; 0: the hinge alone */
  int averages_late, doubles, reshuffles; /* averages count step t t times; double precision; new orders */
  size_t state_size;
  const osvm_column *columns; /* of a support-vector set; or (on_expansion) beside an expansion's coefficients */
  int n_columns, on_expansion;
  const char *const *scalars;                    /* names, ending with NULL; x_positive, x_negative: of either side */
  osvm_repeats (*repeats)(const double *params); /* data.h; NULL: kept */
  int (*optimal)(const double *params); /* ends at the optimum of a convex dual, and keeps support vectors only */
  osvm_machine_work *open, *end_epoch, *restore; /* restore: columns and scalars are back, derive the rest */
  osvm_status (*learn)(osvm_run *run, osvm_machine *machine, const osvm_example *example);
  osvm_status (*solve)(osvm_run *run, osvm_machine *machine, int again); /* instead of learn: the whole machine */
  osvm_status (*epoch)(osvm_run *run);   /* visits in an order of its own; NULL: osvm_run_visit_all */
  osvm_status (*finish)(osvm_run *run);  /* after the last epoch, all machines */
  int (*nested)(const double *params);   /* is a run of e epochs the beginning of a longer one? NULL: without finish */
  int (*in_order)(const double *params); /* visits the examples as they came? NULL: without an epoch of its own */
  /* f(x) of run->upcoming[0]; NULL: the expansion's, or, of a support-vector set, none before the end of the run */
  osvm_status (*output)(osvm_run *run, osvm_machine *machine, double *output);
  osvm_status (*forget)(osvm_run *run, osvm_machine *machine, int i);
  osvm_status (*leave_out)(osvm_run *run, osvm_machine *machine, int i, double *output); /* f(x_i) without example i */
  /* NULL: the expansion's coefficients, averaged if asked, and bias. Convergence is set here. */
  void (*result)(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept);
  void (*close)(osvm_machine *machine); /* frees what machine->state owns */
} osvm_solver;

struct osvm_run {
  const osvm_solver *solver;
  double *params, seed;
  osvm_store store; /* carried examples, then the new ones in the order of visits */
  osvm_kernel kernel;
  osvm_loss loss;
  const osvm_gram *gram; /* NULL, or known kernel values of the store */
  osvm_machine *machine;
  int machines, first, count; /* first: index of the first new example; count: new examples to learn */
  int end, epochs, epoch;     /* end: behind the examples, where merged vectors are; epochs: in all; epoch: done */
  int upcoming[OSVM_QUERIES], n_upcoming; /* the example being visited and those after it */
  osvm_context context;                   /* of what all machines share */
  size_t cache_bytes;
  struct osvm_driver *driver; /* run.h */
};

osvm_loss_point osvm_run_loss(const osvm_run *run, const osvm_machine *machine, const osvm_example *x, double f,
                              int closed, double rate, int bias); /* of an output; rate: of a step by the slope */
double osvm_run_target(const osvm_run *run, int machine, int i);  /* carried or new; NAN: not part of its subproblem */
double osvm_run_weight(const osvm_run *run, int i);               /* of a new example */
osvm_status osvm_run_visit(osvm_run *run, int i);                 /* by all machines; they share its kernel row */
osvm_status osvm_run_visit_all(osvm_run *run);                    /* in order */
int osvm_run_visit_order(const osvm_run *run, int k);             /* index of the k-th visit of the epoch */
/* For each machine, side by side where there are threads and memory for it. The work changes nothing that machines
 * share. bytes: what each allocates for kernel values, at most; 0: its part of the run's memory */
osvm_status osvm_run_machines(osvm_run *run, osvm_machine_work *work, double bytes);
double osvm_run_kernel_bytes(const osvm_run *run, const osvm_machine *machine); /* for all rows among its examples */
