#include "r-glue.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef entries[] = {{"ffi_tune", (DL_FUNC)&ffi_tune, 2},
                                          {"ffi_cells_split", (DL_FUNC)&ffi_cells_split, 2},
                                          {"ffi_cells_assign", (DL_FUNC)&ffi_cells_assign, 3},
                                          {"ffi_live_update_all", (DL_FUNC)&ffi_live_update_all, 3},
                                          {"ffi_decide", (DL_FUNC)&ffi_decide, 4},
                                          {"ffi_describe", (DL_FUNC)&ffi_describe, 2},
                                          {"ffi_shape", (DL_FUNC)&ffi_shape, 1},
                                          {"ffi_solvers", (DL_FUNC)&ffi_solvers, 0},
                                          {"ffi_traits", (DL_FUNC)&ffi_traits, 1},
                                          {"ffi_kernels", (DL_FUNC)&ffi_kernels, 0},
                                          {"ffi_kernel_values", (DL_FUNC)&ffi_kernel_values, 3},
                                          {"ffi_map_open", (DL_FUNC)&ffi_map_open, 1},
                                          {"ffi_map_rows", (DL_FUNC)&ffi_map_rows, 2},
                                          {"ffi_median_distance", (DL_FUNC)&ffi_median_distance, 2},
                                          {"ffi_processor", (DL_FUNC)&ffi_processor, 0},
                                          {"ffi_fold", (DL_FUNC)&ffi_fold, 2},
                                          {"ffi_text_cut", (DL_FUNC)&ffi_text_cut, 2},
                                          {"ffi_text_read", (DL_FUNC)&ffi_text_read, 4},
                                          {"ffi_crc32", (DL_FUNC)&ffi_crc32, 2},
                                          {"ffi_svmlight", (DL_FUNC)&ffi_svmlight, 3},
                                          {"ffi_adwin", (DL_FUNC)&ffi_adwin, 3},
                                          {"ffi_live_open", (DL_FUNC)&ffi_live_open, 3},
                                          {"ffi_live_update", (DL_FUNC)&ffi_live_update, 4},
                                          {"ffi_live_leave_out", (DL_FUNC)&ffi_live_leave_out, 2},
                                          {"ffi_live_decide", (DL_FUNC)&ffi_live_decide, 3},
                                          {"ffi_live_read", (DL_FUNC)&ffi_live_read, 1},
                                          {"ffi_live_numbers", (DL_FUNC)&ffi_live_numbers, 1},
                                          {"ffi_live_state", (DL_FUNC)&ffi_live_state, 1},
                                          {"ffi_live_set", (DL_FUNC)&ffi_live_set, 2},
                                          {"ffi_live_close", (DL_FUNC)&ffi_live_close, 1},
                                          {"ffi_deadline", (DL_FUNC)&ffi_deadline, 1},
                                          {NULL, NULL, 0}};

void attribute_visible R_init_onlinesvm(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  r_note_forks();
}
