/* The ramp-loss machine without bias: its examples, who of them counts, and coordinate steps until the conditions hold.
 *
 * Problem   min over f of |f|^2/2 + sum_i C_i R(y_i f(x_i)), R = min(max(1 - y f, 0), 2)                             (7)
 * Round     (CCCP) V = examples with g_i = 1 - y_i f(x_i) <= 2; the hinge-loss machine of V, whose dual has only bounds:
 *           0 <= a_i <= C_i; examples outside V have a_i = 0. Rounds until V stays: then no step lowers (7).
 *
 * Signed coefficients b_i = y_i a_i and errors e_i = y_i - f(x_i), so that g_i = y_i e_i, are the machine's columns. Those
 * with b other than 0 stand in a pool of their own, the front: the output of an example from outside costs kernel values
 * with them alone. */
#ifndef OSVM_CORE_RAMP_H
#define OSVM_CORE_RAMP_H

#include "solver.h"
#include "sv-dual.h"

/* What a step wants to know of each example besides, for simd.h's singles. Who is in V has an INVERSE. */
enum { OSVM_RAMP_DOWN = OSVM_SV_COLUMNS, OSVM_RAMP_UP, OSVM_RAMP_INVERSE, OSVM_RAMP_SELF, OSVM_RAMP_COLUMNS };
extern const osvm_column osvm_ramp_columns[OSVM_RAMP_COLUMNS];

/* Examples among which steps are taken: all of them, in the circle's columns, or a few of them in columns of their own */
typedef struct {
  void *column[OSVM_RAMP_COLUMNS];
  osvm_coordinate_selection selection; /* its arrays are among the columns */
  int n, padded;        /* padded: to whole panels */
} osvm_ramp_set;

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_shared_sv nonzero;
  double *nonzero_coef; /* by the front's slots */
  int nonzero_room;
  osvm_ramp_set all, working;
  int working_room, *working_slot;  /* of the few: where they are among all ... */
  unsigned char *working_known; /* ... whose kernel row among the few is known, ... */
  char *working_rows;           /* ... and the rows, as many as there is room for, and one more */
  size_t working_bytes, working_most;
  double last_steps; /* that the last settling took */
  double C, tolerance, min_gain;
  double removed_loss; /* of examples removed from the set: part of the objective */
} osvm_ramp;

osvm_status osvm_ramp_open(osvm_run *run, osvm_machine *machine, double C, double tolerance, double min_gain);
static inline double *osvm_ramp_column(const osvm_ramp *s, int k) { return osvm_sv_set_doubles(s->sv_set, k); }
static inline double osvm_ramp_g(const osvm_ramp *s, int slot) {
  return osvm_dual_sv_label(s->sv_set->column, slot) * osvm_ramp_column(s, OSVM_SV_GRADIENT)[slot];
}

/* ---- ramp-descent.c: steps ---- */

void osvm_ramp_update_pointers(osvm_ramp *s); /* the circle's columns move when it grows */
void osvm_ramp_set_membership(osvm_ramp *s, int slot,
                    int in_v); /* what the singles want to know follows from the other columns */
static inline int osvm_ramp_in_v(const osvm_ramp *s, int slot) {
  return osvm_real(s->run->store.simd, s->sv_set->column[OSVM_RAMP_INVERSE], slot) != 0;
}
osvm_status osvm_ramp_set_coef(osvm_ramp *s, int slot, double b); /* and all errors with it */
osvm_status osvm_ramp_optimise(osvm_ramp *s, int slot);            /* the best b for all others as they are, (14) */
/* The examples of V until none violates (3) by more than the tolerance, or the best step gains less than min_gain */
osvm_status osvm_ramp_descend(osvm_ramp *s);
int osvm_ramp_is_stationary(osvm_ramp *s); /* is there nothing to do? s->all.selection.gain: what there is */
void osvm_ramp_free_working_set(osvm_ramp *s);

/* ---- ramp-machine.c: examples ---- */

osvm_status osvm_ramp_update_nonzero(osvm_ramp *s, int slot, double b); /* b of an example is a new one */
/* next[0] of the store becomes an example, with b = 0; next: see osvm_shared_sv_row */
osvm_status osvm_ramp_add(osvm_ramp *s, const int *next, int count, double y, double weight, int *slot);
osvm_status osvm_ramp_remove(osvm_ramp *s, int slot); /* b = 0, and gone */
osvm_status osvm_ramp_cccp(osvm_ramp *s);          /* settle, new V, and again until V stays */

osvm_status osvm_ramp_restore(osvm_run *run, osvm_machine *machine);
void osvm_ramp_result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept);
void osvm_ramp_close(osvm_machine *machine);

#endif
