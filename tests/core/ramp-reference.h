/* Wang & Vucetic (2009), Algorithms 1 and 2, in the paper's symbols, with all kernel values at hand. */
#ifndef RAMP_REFERENCE_H
#define RAMP_REFERENCE_H

#include "sv-solvers.h"

enum { REFERENCE_SIZE = 600 }; /* the most examples */

typedef struct {
  double C, tolerance, min_gain, keep, start;
} setting;

typedef struct {
  const problem *p;
  setting by;
  double y[REFERENCE_SIZE], upper[REFERENCE_SIZE], alpha[REFERENCE_SIZE], g[REFERENCE_SIZE];
  int in_i[REFERENCE_SIZE], in_v[REFERENCE_SIZE]; /* the sets I and V */
} reference;

reference *reference_open(const problem *p, const setting *by, int machine); /* to be freed by the caller */
void reference_learn(reference *r, int i);                                   /* Algorithm 1, then Algorithm 2 */
void reference_forget(reference *r, int i);
/* Batch CCCP from the hinge-loss SVM of the first `start` of all examples; returns the objective (7) */
double reference_batch(reference *r);

#endif
