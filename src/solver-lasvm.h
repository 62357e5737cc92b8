/* LASVM's machine, shared by its update rule, its selection of examples and its finish. */
#pragma once

#include "smo-dual.h"
#include "sv-dual.h"

typedef struct {
  double C, epochs, selection, finish, tolerance, shuffle;
} osvm_lasvm_params;

enum { OSVM_SELECT_RANDOM, OSVM_SELECT_GRADIENT, OSVM_SELECT_MARGIN }; /* in the order of R's choices */
enum {
  OSVM_LASVM_UP = OSVM_SV_COLUMNS,
  OSVM_LASVM_LOW,
  OSVM_LASVM_GRADIENT_LOW,
  OSVM_LASVM_DIAGONAL,
  OSVM_LASVM_COLUMNS
};

/* The extreme slope in one direction of the examples checked, and the example outside S that has it, or -1 */
typedef struct {
  double slope;
  int example;
  double gradient;
} osvm_lasvm_extreme;

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_pair_selection selection; /* its arrays are columns of the set */
  double epsilon;                /* smo-dual.h */
  int zeros;                     /* support vectors with coefficient 0 */
  int ended, stalled;            /* the finish ended short of the tolerance: no steps left; rounding decides */
  double finish_steps;           /* of all rounds */
  int entered;                   /* examples that entered S since it was last optimised */
  osvm_lasvm_extreme up, low;    /* gmax and gmin of all examples, as of the last check; NAN: unknown */
} osvm_lasvm;

static inline double *osvm_lasvm_column(const osvm_lasvm *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
double osvm_lasvm_slope_low(const osvm_lasvm *s, int slot);
double osvm_lasvm_bias(const osvm_lasvm *s);         /* (gmax + gmin) / 2 */
double osvm_lasvm_gap(const osvm_lasvm *s);          /* gmax - gmin */
void osvm_lasvm_mark(const osvm_lasvm *s, int slot); /* what follows from its coefficient, for the selection */
void osvm_lasvm_refresh_selection(osvm_lasvm *s);
int osvm_lasvm_first_order_partner(const osvm_lasvm *s);     /* slot of gmin */
osvm_status osvm_lasvm_step(osvm_lasvm *s, int up, int low); /* a_up += t, a_low -= t */
void osvm_lasvm_evict(osvm_lasvm *s, int all);               /* removes blatant non-support vectors, or all zeros */
/* Of run->upcoming[0], an example outside S: its gradient, and the slopes of its coefficient, 0 */
osvm_status osvm_lasvm_slopes(osvm_lasvm *s, const osvm_example *x, double *gradient, double *up, double *low);
osvm_status osvm_lasvm_enter(osvm_lasvm *s, const osvm_example *x, double gradient, int *slot); /* coefficient 0 */

osvm_status osvm_lasvm_epoch(osvm_run *run);  /* solver-lasvm-select.c */
osvm_status osvm_lasvm_finish(osvm_run *run); /* solver-lasvm-finish.c */
