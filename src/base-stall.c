/* See base.h. */
#include <float.h>

#include "base.h"

/* Steps between two looks. A shorter descent is not looked at; the cost of a look is that of a step. */
enum { STEPS_PER_LOOK = 10000 };

int osvm_stall_due(osvm_stall *stall, int n) {
  const int due = ++stall->steps >= (n > STEPS_PER_LOOK ? n : STEPS_PER_LOOK);
  if (due) stall->steps = 0;
  return due;
}

int osvm_stall_look(osvm_stall *stall, double gain, double terms) {
  stall->stalled = !(gain > DBL_EPSILON * terms);
  return stall->stalled;
}
