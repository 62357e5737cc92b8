/* What an example is to be: its target. */
#ifndef OSVM_LOSS_H
#define OSVM_LOSS_H

#include <math.h>
#include <stddef.h>

typedef enum { OSVM_CLASSES, OSVM_NUMBERS, OSVM_NO_TARGET } osvm_target_kind;

/* The targets of the new examples, in the order of visits */
typedef struct {
  osvm_target_kind kind;
  const int *class_of;            /* classes: numbers from 0; below 0: held out */
  const int *positive, *negative; /* machine m: class positive[m] against negative[m], or against the rest if < 0 */
  const double *value;            /* numbers; NAN: held out */
} osvm_target;

/* The target of the k-th of them, as models keep it: the class number or the number; NAN: held out */
static inline double osvm_target_value(const osvm_target *target, int k) {
  if (target->kind == OSVM_CLASSES) return target->class_of[k] < 0 ? NAN : target->class_of[k];
  return target->value != NULL ? target->value[k] : 0;
}

/* What machine m makes of that: +1 or -1 for classes, else the number. NAN: the example is not part of its subproblem */
static inline double osvm_target_of(const osvm_target *target, int m, double value) {
  if (target->kind != OSVM_CLASSES) return value;
  if (value == target->positive[m]) return 1;
  return value == target->negative[m] || (target->negative[m] < 0 && value >= 0) ? -1 : NAN;
}

#endif
