/* What tests of solvers with members share: problems learned in pieces, each run going on from what the last kept. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "lists.h"

enum { MACHINES = 6, EPOCHS = 3 }; /* at most */

typedef struct {
  const char *solver;
  const osvm_param *params;
  int n_params, epochs, doubles;
  double seed;
  size_t cache;
  osvm_progress progress;
  /* NULL, or instead of osvm_run_learn; visits: by place in the store */
  osvm_status (*learn)(osvm_run *run, const int *visits, void *user);
  void *user;
} way;

typedef struct {
  osvm_status status; /* of the last run, as are all numbers but the model's */
  osvm_model model;   /* by visits */
  osvm_epoch trace[EPOCHS];
  osvm_convergence end[MACHINES];
  double taken[MACHINES], updates;
} outcome;

/* Visits cuts[c] .. cuts[c + 1] - 1 in piece c */
outcome learn_pieces(const problem *p, const way *w, const int *cuts, int pieces);
outcome learn_all(const problem *p, const way *w);
void outcome_free(outcome *o);
void check_same_models(const osvm_model *got, const osvm_model *want, double tolerance);

/* Every seventh example weighs nothing */
void leave_some_out(problem *p);

/* Stops at the given poll */
int stop_later(void *user, double done);

#endif
