/* The ramp-loss SVM without bias: its examples, the active set V of CCCP, and coordinate descent on the dual of V.
 * Wang & Vucetic (2009), Fast online training of ramp loss support vector machines, Algorithms 1 and 2; equation
 * numbers are theirs. CCCP for ramp loss: Collobert, Sinz, Weston & Bottou (2006), Trading convexity for scalability.
 *
 * Problem   min over f of |f|^2 / 2 + sum_i C_i R(y_i f(x_i)),  R = min(max(1 - y f, 0), 2)   (7)
 * Round     of CCCP: V = {i: y_i f(x_i) >= -1}, that is, g_i <= 2 (10); then the hinge-loss SVM of V, whose dual (11)
 *           has bounds only, 0 <= alpha_i <= C_i, and alpha_i = 0 outside V. Until V does not change: a stationary
 *           point of (7)
 * Step      of coordinate descent: the i in V with the largest gain in the dual (13) among those that violate the KKT
 *           conditions (3) gets its optimal alpha_i for fixed others (14), and all gradients follow (15)
 *
 * Signs     Columns hold the paper's y_i alpha_i as alpha_i, between 0 and y_i C_i, and the gradient of the dual in it,
 *           y_i - f(x_i). The paper's g_i = 1 - y_i f(x_i), osvm_ramp_g, is y_i times that gradient.
 *
 * Support vectors, alpha other than 0, are also in an osvm_shared_sv of their own, `nonzero`: the output of a new
 * example costs kernel values with them alone. */
#pragma once

#include "solver.h"
#include "sv-dual.h"

/* Columns for osvm_coordinate_selection (simd.h): how far alpha_i may fall and rise, 1 / k_ii (0 outside V), k_ii */
enum { OSVM_RAMP_DOWN = OSVM_SV_COLUMNS, OSVM_RAMP_UP, OSVM_RAMP_INVERSE, OSVM_RAMP_DIAGONAL, OSVM_RAMP_COLUMNS };
extern const osvm_column osvm_ramp_columns[OSVM_RAMP_COLUMNS];

/* The examples among which steps are taken: all, in the columns of sv_set, or a working set with a copy of theirs */
typedef struct {
  void *column[OSVM_RAMP_COLUMNS];
  osvm_coordinate_selection selection; /* points into column */
  int n, padded;                       /* padded: to whole panels */
} osvm_ramp_set;

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_shared_sv nonzero;
  double *nonzero_coef; /* alpha by slot of `nonzero` */
  int nonzero_capacity;
  osvm_ramp_set all, working;
  int working_capacity, *working_slot; /* of the working set: slot in sv_set, ... */
  unsigned char *working_cached;       /* ... is its kernel row within the working set cached, ... */
  char *working_rows;                  /* ... and these rows: as many as fit, and one that is overwritten */
  size_t working_bytes, working_bytes_max;
  double last_steps; /* of the last descent */
  double last_step;  /* of this descent at the latest, as a count of updates */
  double C, tolerance, min_gain;
  double least_gain; /* of all its examples */
  double objective;  /* of the dual, at the last look */
  osvm_stall stall;
  int unsettled;       /* the last rounds ended before V ceased to change */
  double removed_loss; /* of examples removed from the set: part of the objective */
} osvm_ramp;

osvm_status osvm_ramp_open(osvm_run *run, osvm_machine *machine, double C, double tolerance, double min_gain);
static inline double *osvm_ramp_column(const osvm_ramp *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
/* g_i = 1 - y_i f(x_i) of (3): the argument of hinge and ramp loss */
static inline double osvm_ramp_g(const osvm_ramp *s, int slot) {
  return osvm_ramp_column(s, OSVM_SV_LINEAR)[slot] * osvm_ramp_column(s, OSVM_SV_GRADIENT)[slot];
}

/* ---- ramp-descent.c: coordinate descent ---- */

void osvm_ramp_update_pointers(osvm_ramp *s); /* after sv_set has grown: its columns may have moved */
void osvm_ramp_set_membership(osvm_ramp *s, int slot, int in_v); /* columns DOWN, UP and INVERSE, from the others */
static inline int osvm_ramp_in_v(const osvm_ramp *s, int slot) {
  return osvm_real(s->run->store.simd, s->sv_set->column[OSVM_RAMP_INVERSE], slot) != 0;
}
osvm_status osvm_ramp_set_coef(osvm_ramp *s, int slot, double alpha); /* and all gradients, (15) */
osvm_status osvm_ramp_optimise(osvm_ramp *s, int slot);               /* alpha by (14) */
/* Steps on V until no example that violates (3) by more than the tolerance has a gain (13) above its least gain; or until
 * the run's steps are used up, or rounding decides */
osvm_status osvm_ramp_descend(osvm_ramp *s);
int osvm_ramp_is_stationary(osvm_ramp *s); /* would descend take no step? s->all.selection.gain: the largest gain */
double osvm_ramp_least_gain(const osvm_ramp *s, int slot);
void osvm_ramp_free_working_set(osvm_ramp *s);

/* ---- ramp-machine.c: examples and CCCP ---- */

osvm_status osvm_ramp_update_nonzero(osvm_ramp *s, int slot, double alpha); /* `nonzero` follows a change of alpha */
/* Example next[0] of the store joins with alpha = 0; next, count: see osvm_shared_sv_row */
osvm_status osvm_ramp_output(osvm_ramp *s, const int *next, int count, double *output); /* f of next[0] */
osvm_status osvm_ramp_add(osvm_ramp *s, const int *next, int count, double y, double weight, int *slot);
/* Before a change: V as a run has it that goes on from the model, also if the last rounds ended before V ceased to change */
void osvm_ramp_settle(osvm_ramp *s);
osvm_status osvm_ramp_remove(osvm_ramp *s, int slot); /* alpha = 0, gradients follow, the example leaves */
osvm_status osvm_ramp_cccp(osvm_ramp *s);             /* descend, update V, until V does not change */

osvm_status osvm_ramp_restore(osvm_run *run, osvm_machine *machine);
void osvm_ramp_result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept);
void osvm_ramp_close(osvm_machine *machine);
