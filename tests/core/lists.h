/* What tests of solvers share: the lists of paper 000 written out step by step, a problem to learn, and a run on it. */
#ifndef LISTS_H
#define LISTS_H

#include "test.h"

/* ---- Lists 1, 2, 3b, 3a in their own symbols: all kernel values at hand, every output a plain sum ---- */

typedef enum { NORMA, PEGAZ, OLSVM, OLSVM_REGULARIZED, LISTS } list;

typedef struct {
  list list;
  double C;
  int bias, average, listed;
} rule;

typedef struct {
  rule rule;
  int n;
  const double *K;
  double t, b, beta_0, b_sum;
  double *a, *beta, *a_sum;
  double loss, violations, steps; /* of one epoch */
} paper;

paper paper_open(const rule *rule, int n, const double *K);
void paper_step(paper *p, int i, double y, double w);
void paper_close(paper *p);

/* ---- a problem: examples in the order of visits, and everything a task needs ---- */

typedef struct {
  matrix m;
  osvm_data data;
  int n, classes, machines, *rows, *class_of;
  const int *positive, *negative;
  double *weight, *K; /* K in the order of visits */
  osvm_kernel kernel;
} problem;

/* Two classes: one machine, class 1 against class 0. Three: one against one, then one against the rest. */
problem problem_of(int n, int d, int classes, osvm_data_kind kind, const osvm_kernel *kernel);
double problem_label(const problem *p, int machine, int visit);
void problem_free(problem *p);

void paper_epoch(paper *reference, const problem *p, int machine); /* one lap over the problem */

/* ---- a run ---- */

typedef struct {
  osvm_task task;
  osvm_param params[5];
  osvm_run run;
  osvm_model model;
  osvm_error error;
} session;

session *session_of(const problem *p, const rule *rule, int epochs, int doubles);
/* The visits from .. to - 1 alone, as new examples, those before them being carried; before = NULL: beginning anew */
session *session_going_on(const problem *p, const rule *rule, int from, int to, const session *before,
                          const osvm_data *carried);
osvm_status session_learn(session *s);
void session_free(session *s);

/* The model's machine m is the paper's: coefficients, or for a primal model the weights they make. */
void check_model(const session *s, int m, const paper *want, const problem *p, double tolerance);
/* A whole run against the paper's: model and trace */
void check_run(const problem *p, const rule *rule, int epochs, int doubles);

static const osvm_kernel linear = {OSVM_LINEAR, 0, 0, 0}, rbf = {OSVM_RBF, 0.5, 0, 0};

#endif
