/* Shared by the tests of solvers: those of Lists 1 to 3 of Kecman & Melki (2016), a random problem, a run on it. */
#ifndef LISTS_H
#define LISTS_H

#include "test.h"

/* ---- the solvers of Lists 1, 2, 3b, 3a ---- */

typedef enum { NORMA, PEGAZ, OLSVM, OLSVM_REGULARIZED, LISTS } list;

typedef struct {
  list list;
  double C;
  int bias, average, listed;
} rule;

/* ---- a random problem: examples in the order of visits, labels, weights, kernel matrix ---- */

typedef struct {
  matrix m;
  osvm_data data;
  int n, classes, machines, *rows, *class_of;
  const int *positive, *negative;
  double *weight, *K; /* K in the order of visits */
  osvm_kernel kernel;
} problem;

/* Two classes: one machine, class 1 against class 0. Three: the one-vs-one machines, then the one-vs-rest machines. */
problem problem_of(int n, int d, int classes, osvm_data_kind kind, const osvm_kernel *kernel);
double problem_label(const problem *p, int machine, int visit);
void problem_free(problem *p);

/* ---- a run ---- */

typedef struct {
  osvm_task task;
  osvm_start start;
  arguments arguments;
  osvm_run run;
  osvm_model model;
  osvm_error error;
} session;

session *session_of(const problem *p, const rule *rule, int epochs, int doubles);
/* Any solver; parameters not given have the defaults of arguments_for() */
session *session_with(const problem *p, const char *solver, const argument *given, int n_given, int doubles);
/* Visits from .. to - 1 as new examples */
void session_restrict(session *s, int from, int to);
/* Another loss than the hinge, of targets by visit number, from the one given on */
void session_set_loss(session *s, const osvm_loss *loss, const double *value, int from);
/* From a model and its examples, when all else of the task is set */
void session_carry(session *s, const osvm_model *model, const osvm_data *carried);
/* One epoch over visits from .. to - 1; the model and carried examples are those of `before`, if not NULL */
session *session_continued(const problem *p, const rule *rule, int from, int to, const session *before,
                           const osvm_data *carried);
osvm_status session_learn(session *s);
void session_free(session *s);

static const osvm_kernel linear = {.info = &osvm_kernel_linear}, rbf = {.info = &osvm_kernel_rbf, .params = {0.5}};

#endif
