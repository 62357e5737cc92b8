/* Shared by the tests of solvers on support-vector sets: a problem learned in pieces, each run from the model before. */
#ifndef SV_SOLVERS_H
#define SV_SOLVERS_H

#include "lists.h"

enum { MACHINES = 6, EPOCHS = 3 }; /* at most */

typedef struct {
  const char *solver;
  const argument *params; /* parameters not given have the defaults of arguments_for() */
  int n_params, epochs, doubles;
  double seed;
  size_t cache;
  const osvm_loss *loss; /* NULL: the problem's classes */
  const double *value;   /* the targets of other losses, by visit number */
  osvm_progress progress;
  /* NULL, or instead of osvm_run_learn; visits: visit number by index in the store */
  osvm_status (*learn)(osvm_run *run, const int *visits, void *user);
  void *user;
} way;

typedef struct {
  osvm_status status; /* of the last run, as are all numbers but the model's */
  osvm_model model;   /* by visit number */
  osvm_epoch trace[EPOCHS];
  osvm_convergence end[MACHINES];
  double visits[MACHINES], updates;
} outcome;

/* Visits cuts[c] .. cuts[c + 1] - 1 in piece c */
outcome learn_pieces(const problem *p, const way *w, const int *cuts, int pieces);
outcome learn_all(const problem *p, const way *w);
void outcome_free(outcome *o);
void check_same_models(const osvm_model *got, const osvm_model *want, double tolerance);

/* Every seventh example gets weight 0 */
void leave_some_out(problem *p);

/* Stops at the given poll */
int stop_later(void *user, double done);

#endif
