/* ffi_adwin: values into ADWIN's window. */
#include <string.h>

#include "drift.h"
#include "r-glue.h"

/* list(state, at, width, before, after); at is 0 without a detection. The state is that of drift.h, as numbers; NULL: that of an
 * empty window. */
SEXP ffi_adwin(SEXP state, SEXP delta, SEXP values) {
  static const char *const names[] = {"state", "at", "width", "before", "after"};
  osvm_error error = {NULL};
  osvm_adwin window;
  const int empty = Rf_isNull(state);
  if (!empty && !r_is(state, REALSXP, OSVM_ADWIN_NUMBERS)) error.text = "the detector's state is damaged";
  if (!r_is(delta, REALSXP, 1) || !r_is(values, REALSXP, -1)) error.text = "delta and the values must be numbers";
  if (error.text != NULL) return r_sentence(&error);
  SEXP after = PROTECT(Rf_allocVector(REALSXP, OSVM_ADWIN_NUMBERS));
  SEXP numbers[5] = {after};
  for (int k = 1; k < 5; k++) numbers[k] = PROTECT(Rf_allocVector(REALSXP, 1));
  SEXP out = PROTECT(r_list(names, numbers, 5));
  memset(&window, 0, sizeof window);
  if (!empty) memcpy(&window, REAL_RO(state), sizeof window);
  osvm_adwin_change change;
  const double none = 0;
  const size_t n = (size_t)Rf_xlength(values);
  const osvm_status status =
      osvm_adwin_add(&window, REAL_RO(delta)[0], n > 0 ? REAL_RO(values) : &none, n, &change, &error);
  if (status == OSVM_OK) {
    memcpy(REAL(after), &window, sizeof window);
    REAL(numbers[1])[0] = (double)change.at;
    REAL(numbers[2])[0] = change.width;
    REAL(numbers[3])[0] = change.before;
    REAL(numbers[4])[0] = change.after;
  }
  UNPROTECT(6);
  return status == OSVM_OK ? out : r_failure(status, &error);
}
