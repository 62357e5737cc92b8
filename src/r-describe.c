/* ffi_describe: columns of a matrix; ffi_shape: its size; ffi_fold: equal examples; ffi_warp: columns on their curves; ffi_processor: instruction set and
 * processors. */
#include "r-glue.h"

/* A row per column of x: lowest, highest, mean, standard deviation; the last two only if moments are wanted. */
SEXP ffi_describe(SEXP data, SEXP moments) {
  static const char *const names[] = {"low", "high", "mean", "sd"};
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = PROTECT(r_named_matrix(names, 4, view.d, 1));
  osvm_column_summary *columns = r_zeros((size_t)view.d, sizeof *columns);
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  const osvm_status status = osvm_data_describe(&view, Rf_asLogical(moments) == TRUE, columns, &error);
  for (int j = 0; j < view.d && status == OSVM_OK; j++) {
    REAL(out)[j] = columns[j].low;
    REAL(out)[j + view.d] = columns[j].high;
    REAL(out)[j + 2 * (size_t)view.d] = columns[j].mean;
    REAL(out)[j + 3 * (size_t)view.d] = columns[j].sd;
  }
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}

/* Rows and columns of x, which must be readable and finite. */
SEXP ffi_shape(SEXP data) {
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text == NULL && !osvm_data_finite(&view)) error.text = "it has missing or infinite values";
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = Rf_allocVector(INTSXP, 2);
  INTEGER(out)[0] = view.n;
  INTEGER(out)[1] = view.d;
  return out;
}

/* The entry, from 0, that each example belongs to (osvm_data_fold); of length 0 if fewer than half are repeats.
 * data: list(x, rows), labels: list(class, weight); weight may be NULL. */
SEXP ffi_fold(SEXP data, SEXP labels) {
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text != NULL) return r_sentence(&error);
  SEXP rows = r_field(data, "rows"), class = r_field(labels, "class"), weight = r_field(labels, "weight");
  const R_xlen_t count = Rf_xlength(rows);
  if (count > view.n || !r_are_indices(rows, view.n)) error.text = "the order of visits is damaged";
  if (!r_is(class, INTSXP, count) || !(Rf_isNull(weight) || r_is(weight, REALSXP, count)))
    error.text = "labels and weights do not fit the examples";
  if (error.text != NULL) return r_sentence(&error);
  SEXP entry = PROTECT(Rf_allocVector(INTSXP, count)), none = PROTECT(Rf_allocVector(INTSXP, 0));
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  const osvm_examples all = {&view, INTEGER_RO(rows), (int)count, INTEGER_RO(class),
                             Rf_isNull(weight) ? NULL : REAL_RO(weight)};
  osvm_folding folding = {INTEGER(entry), r_zeros((size_t)count, sizeof(int)), 0};
  const osvm_status status = osvm_data_fold(&all, &folding, &error);
  UNPROTECT(2);
  if (status != OSVM_OK) return r_failure(status, &error);
  return folding.count < count ? entry : none;
}

/* The columns of x as their curves have them, or as they were before. data: list(x, warp), of a dense x */
SEXP ffi_warp(SEXP data, SEXP invert) {
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text == NULL && view.kind == OSVM_SPARSE) error.text = "it is sparse";
  if (error.text != NULL) return r_sentence(&error);
  const osvm_warp warp = view.warp;
  const int back = Rf_asLogical(invert) == TRUE;
  if (back) view.warp.kind = OSVM_NO_WARP;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, view.n, view.d));
  for (int f = 0; f < view.d; f++) {
    double *column = REAL(out) + (size_t)f * view.n;
    osvm_data_column(&view, f, NULL, 0, view.n, column);
    if (back) osvm_warp_invert(&warp, f, column, view.n);
  }
  UNPROTECT(1);
  return out;
}

/* The instruction set in use and the number of processors. */
SEXP ffi_processor(void) {
  static const char *const names[] = {"simd", "processors", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
  SET_VECTOR_ELT(out, 0, Rf_mkString(osvm_simd_single(OSVM_BEST)->name));
  SET_VECTOR_ELT(out, 1, Rf_ScalarInteger(r_processors()));
  UNPROTECT(1);
  return out;
}
