/* See sv-support.h. */
#include "sv-support.h"

#include <float.h>
#include <math.h>

double osvm_negligible(const double *coef, size_t count) {
  double largest = 0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(coef[k]));
  return DBL_EPSILON * largest;
}

int osvm_mark_support(const double *coef, int n, double least, unsigned char *marked) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    const unsigned char is_new = !marked[i] && fabs(coef[i]) > least;
    marked[i] |= is_new;
    found += is_new;
  }
  return found;
}
