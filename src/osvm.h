/* onlinesvm: the core's whole public face. Plain C11: no R, no globals, no printing, no exit.
 *
 * Functions that can fail return a status and leave one sentence in the caller's osvm_error; whatever they had allocated
 * is reachable from the object they were filling, so that the object's _close() always suffices. */
#ifndef OSVM_H
#define OSVM_H

#include <stddef.h>
#include <stdint.h>

#include "core-simd.h"

typedef enum { OSVM_OK, OSVM_NO_MEMORY, OSVM_INVALID, OSVM_DIVERGED, OSVM_INTERRUPTED } osvm_status;
typedef struct {
  const char *text;
} osvm_error;

osvm_status osvm_fail(osvm_error *error, osvm_status status, const char *text);
osvm_status osvm_no_memory(osvm_error *error);
/* realloc of the block whose address is in *pointer; if it fails, the block stays as it was */
osvm_status osvm_resize(void *pointer, size_t count, size_t size, osvm_error *error);
double osvm_now(void);    /* seconds by the clock ... */
double osvm_worked(void); /* ... and that this thread has worked, where the system counts them */

/* ---- random numbers, from the caller's seed ---- */

typedef struct {
  uint64_t state[4];
} osvm_random;

void osvm_random_seed(osvm_random *random, double seed);
int osvm_random_below(osvm_random *random, int n); /* 0 .. n - 1 */
void osvm_random_shuffle(osvm_random *random, int *items, int n);
/* 0 .. n - 1, a function of its arguments: what is drawn at a step does not depend on how the steps were run */
int osvm_random_at(double seed, double step, int stream, int try, int n);

/* ---- data: a read-only view of the caller's matrix, n examples by d features, column by column ---- */

typedef enum { OSVM_DOUBLES, OSVM_INTEGERS, OSVM_SPARSE } osvm_data_kind;

typedef struct {
  osvm_data_kind kind;
  int n, d;
  const double *x;      /* OSVM_DOUBLES: n * d values; OSVM_SPARSE: the non-zeros */
  const int *integers;  /* OSVM_INTEGERS: n * d values */
  const int *start;     /* OSVM_SPARSE: column j's non-zeros are start[j] .. start[j + 1] - 1 ... */
  const int *row;       /* ... and their rows, increasing within a column */
  const double *centre; /* NULL, or d: every example is seen as (x - centre) / scale; NULL if sparse */
  const double *scale;  /* NULL, or d */
} osvm_data;

typedef struct {
  double low, high, mean, sd;
} osvm_column;

osvm_status osvm_data_check(const osvm_data *data, size_t length, osvm_error *error); /* sparse slots in order? */
/* Fails on NaN and Inf. moments = 0: range only, mean and sd are left 0 */
osvm_status osvm_data_describe(const osvm_data *data, int moments, osvm_column *columns, osvm_error *error);
/* out[i] += sum over features of weights * (scaled) x: a linear model's outputs straight from the caller's memory */
void osvm_data_multiply(const osvm_data *data, const double *weights, double *out);
void osvm_data_norms(const osvm_data *data, double *out); /* squared norms of the (scaled) examples */

/* ---- store: the examples a model works with, in the layout its arithmetic wants ---- */

typedef enum { OSVM_PANELS, OSVM_ROWS } osvm_layout;

typedef struct {
  const osvm_simd *simd; /* fixes the precision of all values */
  int sparse, d, width;  /* width: examples per panel, 1 for rows */
  int n, capacity;
  double *norm;      /* squared norms */
  void *dense;       /* panels of `width` examples, d x width each; unused lanes are 0 */
  size_t *row_start; /* sparse: example i's non-zeros are row_length[i] from row_start[i] on */
  int *row_length;
  int *column;
  void *value;
  size_t used, room;   /* of column and value */
  size_t *index_start; /* the same non-zeros by column, made by osvm_store_index; NULL when there is none */
  int *index_row;
  void *index_value;
  int *stale, stales, stale_room; /* examples put in place since then, which the index does not know */
} osvm_store;

osvm_status osvm_store_open(osvm_store *store, const osvm_simd *simd, osvm_layout layout, int sparse, int d,
                            int capacity, osvm_error *error);
/* Appends examples rows[0 .. count - 1] of data, all different, in that order; rows = NULL: the first `count` */
osvm_status osvm_store_append(osvm_store *store, const osvm_data *data, const int *rows, int count, osvm_error *error);
/* Example i of another store of the same kind into a place in use, or (slot = n) behind the last */
osvm_status osvm_store_put(osvm_store *store, int slot, const osvm_store *from, int i, osvm_error *error);
void osvm_store_normalise(osvm_store *store); /* every example to norm 1, but for zeros */
osvm_status osvm_store_index(osvm_store *store,
                             osvm_error *error); /* makes the index, if it is missing or out of date */
void osvm_store_close(osvm_store *store);

/* One example as the other side of a product: d values, or its non-zeros */
typedef struct {
  const void *dense;
  const int *column;
  const void *value;
  int length;
  double norm;
} osvm_query;

/* buffer: d values, where a dense example is copied to; NULL will do for sparse ones and for rows */
osvm_query osvm_store_query(const osvm_store *store, int i, void *buffer);
double osvm_store_weigh(const osvm_store *store, int i, const double *weights);      /* <weights, example i> */
void osvm_store_add(const osvm_store *store, int i, double factor, double *weights); /* weights += factor x_i */

/* ---- kernels ---- */

/* The last is what RBF is made of; no solver is given it */
typedef enum { OSVM_LINEAR, OSVM_POLYNOMIAL, OSVM_RBF, OSVM_SIGMOID, OSVM_DISTANCE } osvm_kernel_type;

typedef struct {
  osvm_kernel_type type;
  double gamma, coef0;
  int degree;
} osvm_kernel;

double osvm_kernel_self(const osvm_kernel *kernel, double norm); /* k(x, x) from <x, x> */
/* In place: from values of the base kernel to the kernel's own */
void osvm_kernel_transform(const osvm_kernel *kernel, const osvm_simd *simd, void *values, int n);
osvm_kernel osvm_kernel_base(const osvm_kernel *kernel); /* squared distances or dot products */
/* out[j - j % width ..]: kernel values of the query against examples from .. to - 1 of the store, at their own places.
 * work: store->n doubles, sparse stores only; all 0 before and after. */
void osvm_kernel_row(const osvm_kernel *kernel, const osvm_store *store, const osvm_query *query, int from, int to,
                     double *work, void *out);
/* OSVM_QUERIES dense queries (d values each, one behind the other) against panels first .. first + count - 1; out is
 * OSVM_QUERIES rows of `stride` values, beginning with the first panel's. norms: of the queries */
void osvm_kernel_block(const osvm_kernel *kernel, const osvm_store *store, const void *queries, const double *norms,
                       int first, int count, void *out, size_t stride);
/* The same, number for number what osvm_kernel_row gives; whole panels are transformed */
void osvm_kernel_rows(const osvm_kernel *kernel, const osvm_store *store, const void *queries, int first, int count,
                      void *out, size_t stride);

/* ---- cache: rows of kernel values within a hard byte bound ---- */

/* LATEST: a new row takes the place of the one unused longest. EARLIEST: rows stay and later ones find no place, which is
 * what helps when the same rows come round in the same order. */
typedef enum { OSVM_KEEP_LATEST, OSVM_KEEP_EARLIEST } osvm_cache_policy;

typedef struct {
  osvm_cache_policy policy;
  size_t row_bytes;
  int keys, slots, filled;
  int *slot_of;       /* key -> slot, or -1 */
  int *key_of;        /* slot -> key */
  int *newer, *older; /* slots by last use, a ring through slot `slots` */
  void **rows;        /* slot -> row; allocated when first used */
} osvm_cache;

osvm_status osvm_cache_open(osvm_cache *cache, osvm_cache_policy policy, int keys, size_t row_bytes, size_t bytes,
                            osvm_error *error);
void *osvm_cache_find(osvm_cache *cache, int key);  /* the row, or NULL */
void *osvm_cache_place(osvm_cache *cache, int key); /* where to write the row; NULL: no place for it */
void osvm_cache_forget(osvm_cache *cache, int key);
void osvm_cache_close(osvm_cache *cache);

/* ---- engine: kernel rows of the store's own examples, each computed once for all machines that ask ---- */

typedef struct osvm_gram osvm_gram; /* core-gram.h */
typedef struct osvm_window osvm_window;

typedef struct {
  osvm_kernel kernel;
  osvm_store *store;
  const osvm_window *window; /* NULL, or where rows may be found that several runs share */
  osvm_cache cache;
  int caching, base; /* base: no row is ever asked for before this place */
  void *query, *row; /* buffers: OSVM_QUERIES examples, one row ... */
  void *block;       /* ... and OSVM_QUERIES rows, each `stride` values long */
  size_t stride;
  double *work;
  const void *latest; /* the row last asked for, its example, and where it begins */
  int latest_of, latest_from;
  double evaluations; /* kernel values computed so far */
} osvm_engine;

osvm_status osvm_engine_open(osvm_engine *engine, const osvm_kernel *kernel, osvm_store *store, int base,
                             osvm_cache_policy policy, size_t cache_bytes, osvm_error *error);
const void *osvm_engine_row(osvm_engine *engine, int i,
                            int from); /* values of the store's precision, valid from `from` */
/* Rows of up to OSVM_QUERIES examples at once, valid in from .. to - 1; computed together, they cost little more than one */
void osvm_engine_rows(osvm_engine *engine, const int *who, int count, int from, int to, const void **rows);
void osvm_engine_subset(osvm_engine *engine, int i, const int *which, int count, double *out);
void osvm_engine_close(osvm_engine *engine);

/* ---- decide: outputs of finished models ---- */

typedef struct {
  int (*poll)(void *user, double done);
  void *user;
} osvm_watch; /* poll: non-zero means stop */

/* out (data->n x machines) += sum over the store, which holds the support vectors, of coef (store->n x machines) * k */
osvm_status osvm_decide(const osvm_kernel *kernel, const osvm_store *store, const double *coef, int machines,
                        const osvm_data *data, int threads, const osvm_watch *watch, double *out, osvm_error *error);

/* ---- ledger: outputs K a of all machines, for the visits to come ---- */

/* A changed coefficient concerns every output, but an output is wanted only when its example is visited. So changes wait
 * until there are OSVM_QUERIES of them and are posted together; until then an output is what has been posted plus the few
 * kernel values with the waiting examples. */
typedef struct {
  osvm_engine *engine;
  int machines, n, first; /* examples before `first` are never visited */
  double *output;         /* n x machines, as posted */
  double *change;         /* OSVM_QUERIES x machines, waiting */
  int who[OSVM_QUERIES], waiting;
  int at, known; /* kernel values of the first `known` waiting examples with example `at` */
  int spent;     /* such values computed since the last posting */
  double kernel[OSVM_QUERIES];
  int next, reach; /* visits are to come in `reach` places, beginning at `next` and going round to `first` ... */
  int visits;      /* ... and their number: fewer, where examples are held out */
  int horizon;     /* visits after which the waiting changes will have faded */
} osvm_ledger;

osvm_status osvm_ledger_open(osvm_ledger *ledger, osvm_engine *engine, int machines, int first, osvm_error *error);
double osvm_ledger_output(osvm_ledger *ledger, int machine, int i);
void osvm_ledger_change(osvm_ledger *ledger, int machine, int i, double change, int horizon);
void osvm_ledger_scale(osvm_ledger *ledger, int machine, double factor);
void osvm_ledger_close(osvm_ledger *ledger);

/* ---- expansion: f = sum of coefficients a_i k(x_i, .) + bias ---- */

typedef enum { OSVM_CACHED, OSVM_LISTED, OSVM_PRIMAL } osvm_outputs;

typedef struct {
  osvm_outputs outputs;
  osvm_store *store;
  osvm_engine *engine; /* OSVM_LISTED */
  osvm_ledger *ledger; /* OSVM_CACHED, and which of its machines this is */
  int machine;
  int size, averaged; /* size: of weights if primal, else of coef */
  int horizon;        /* visits after which a change made now will have faded */
  double scale;       /* a = scale * coef, so that shrinking all of a costs one multiplication */
  double *coef;       /* one per example */
  double *weights;    /* OSVM_PRIMAL: one per feature; in units of scale ... */
  double norm;        /* ... and their squared norm */
  double product;     /* <weights, example product_of>, from the latest output; product_of -1: out of date */
  int product_of;
  double bias;
  /* Sums over all steps, for averages: sum(a) = settled + scale_sum * coef - lag (primal: of weights) */
  double steps, scale_sum, bias_sum; /* steps: over all updates of the model */
  double *settled, *lag;
} osvm_expansion;

osvm_status osvm_expansion_open(osvm_expansion *e, osvm_outputs outputs, osvm_store *store, int averaged,
                                osvm_error *error);
double osvm_expansion_output(osvm_expansion *e, int i);
static inline double osvm_expansion_coef(const osvm_expansion *e, int i) { return e->scale * e->coef[i]; }
void osvm_expansion_add(osvm_expansion *e, int i, double change); /* a_i += change */
void osvm_expansion_shrink(osvm_expansion *e, double factor);     /* a *= factor */
static inline void osvm_expansion_push(osvm_expansion *e, int i, double change,
                                       int bias) { /* a_i, and the bias if wanted */
  osvm_expansion_add(e, i, change);
  if (bias) e->bias += change;
}
void osvm_expansion_step(osvm_expansion *e); /* a step is over: its a enters the averages */
/* Coefficients (primal: weights) as they stand and their sums over all steps, for the first `count` places. Outputs are
 * not touched. */
void osvm_expansion_import(osvm_expansion *e, const double *going, const double *sums, int count);
void osvm_expansion_export(const osvm_expansion *e, double *going, double *sums, double *returned);
void osvm_expansion_close(osvm_expansion *e);

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
typedef struct osvm_pool osvm_pool;     /* core-pool.h */
typedef struct osvm_circle osvm_circle; /* core-circle.h */
typedef struct osvm_column_kind osvm_column_kind;

/* A solver is its update rule; slots left empty take the defaults of core-driver.c (expansions, on-line epochs). */
typedef struct {
  const char *const *params; /* names, ending with NULL; run->rule holds their values in the same order, all double */
  int reshuffles; /* a new order of visits every epoch, if the caller shuffles at all; not for faded horizons */
  int dual;       /* works on kernel rows and keeps its examples, even where weights would do */
  int exact;      /* needs double precision */
  /* Works on its members, which come and go (core-circle.h), instead of on an expansion: what it keeps of each */
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
} osvm_door_plate;

const osvm_door_plate *osvm_solvers(int *count);
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
  osvm_watch watch;
  void (*epoch_ended)(void *user, osvm_run *run); /* NULL, or told of every epoch but the last; it may export */
  void *user;
} osvm_task;

struct osvm_run {
  const osvm_task *task;
  const osvm_solver *solver;
  double *rule;     /* values of solver->params */
  osvm_store store; /* the carried examples, then the new ones in the order of visits */
  osvm_engine engine;
  osvm_ledger ledger;
  osvm_pool *pool;     /* of solvers with members ... */
  osvm_circle *circle; /* ... and each machine's own */
  osvm_random random;
  int borrowed;                  /* the store is the task's */
  int *order;                    /* NULL: one after the other; or the visits of this epoch, `count` new examples */
  int count, at, shuffled;       /* at: how many of the visits of this epoch have been made */
  int next[OSVM_QUERIES], nexts; /* the example being visited, and those to come after it */
  int primal;                    /* linear kernel: weights instead of support vectors */
  int first;                     /* place of the first new example */
  int epoch, epochs_done;
  int visited;           /* new examples seen at least once */
  double began;          /* when this epoch did */
  double worked, polled; /* multiplications beside kernel values, or thereabouts; all of them at the last poll */
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
void osvm_run_export_members(const osvm_run *run, osvm_model *model);
osvm_status osvm_run_export(osvm_run *run, osvm_model *model);
void osvm_run_close(osvm_run *run);

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
