#include "r-glue.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef entries[] = {{"ffi_fit", (DL_FUNC)&ffi_fit, 6},
                                          {"ffi_leave_out", (DL_FUNC)&ffi_leave_out, 6},
                                          {"ffi_tune", (DL_FUNC)&ffi_tune, 6},
                                          {"ffi_decide", (DL_FUNC)&ffi_decide, 4},
                                          {"ffi_describe", (DL_FUNC)&ffi_describe, 2},
                                          {"ffi_shape", (DL_FUNC)&ffi_shape, 1},
                                          {"ffi_solvers", (DL_FUNC)&ffi_solvers, 0},
                                          {"ffi_traits", (DL_FUNC)&ffi_traits, 1},
                                          {"ffi_machine", (DL_FUNC)&ffi_machine, 0},
                                          {"ffi_fold", (DL_FUNC)&ffi_fold, 2},
                                          {NULL, NULL, 0}};

void attribute_visible R_init_onlinesvm(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  r_note_forks();
}
