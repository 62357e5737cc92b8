/* ffi_describe: columns of a matrix; ffi_shape: its size; ffi_fold: equal examples; ffi_warp: columns on their curves; ffi_processor: instruction set and
 * processors. */
#include "r-glue.h"

static SEXP column_table(const osvm_column_summary *columns, int count) {
  static const char *const names[] = {"low", "high", "mean", "sd"};
  SEXP out = r_named_matrix(names, 4, count, 1);
  for (int j = 0; j < count; j++) {
    const double row[] = {columns[j].low, columns[j].high, columns[j].mean, columns[j].sd};
    for (int k = 0; k < 4; k++) REAL(out)[j + (size_t)k * count] = row[k];
  }
  return out;
}

/* Rows with missing values */
static SEXP missing_rows(const osvm_data *data, int *infinite) {
  unsigned char *marked = r_zeros((size_t)data->n, sizeof *marked);
  int missing;
  osvm_data_gaps(data, marked, &missing, infinite);
  SEXP rows = Rf_allocVector(INTSXP, missing);
  for (int i = 0, at = 0; i < data->n; i++)
    if (marked[i]) INTEGER(rows)[at++] = i + 1;
  return rows;
}

/* list(columns, missing, infinite). columns: a row per column of x: lowest, highest, mean, standard deviation; the last two
 * only if moments are wanted. Instead, where values are not finite: the rows in which one is missing, and whether one is
 * infinite. */
SEXP ffi_describe(SEXP data, SEXP moments) {
  static const char *const names[] = {"columns", "missing", "infinite"};
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text != NULL) return r_sentence(&error);
  osvm_column_summary *columns = r_zeros((size_t)view.d, sizeof *columns);
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  const osvm_status status = osvm_data_describe(&view, Rf_asLogical(moments) == TRUE, columns, &error);
  if (status != OSVM_OK && status != OSVM_INVALID) return r_failure(status, &error);
  const int known = status == OSVM_OK;
  int infinite = 0;
  SEXP parts[3] = {PROTECT(known ? column_table(columns, view.d) : R_NilValue)};
  parts[1] = PROTECT(known ? R_NilValue : missing_rows(&view, &infinite));
  parts[2] = PROTECT(Rf_ScalarLogical(infinite));
  SEXP out = r_list(names, parts, 3);
  UNPROTECT(3);
  return out;
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

/* The columns of x as their curves have them, as they were before, or the slopes of the latter. data: list(x, warp), of a
 * dense x; way: one of the three */
SEXP ffi_warp(SEXP data, SEXP way) {
  static void (*const ways[])(const osvm_warp *, int, double *, int) = {osvm_warp_apply, osvm_warp_invert,
                                                                        osvm_warp_slopes};
  const int chosen = Rf_asInteger(way) - 1;
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text == NULL && view.kind == OSVM_SPARSE) error.text = "it is sparse";
  if (error.text == NULL && (chosen < 0 || chosen > 2)) error.text = "there is no such way";
  if (error.text != NULL) return r_sentence(&error);
  const osvm_warp warp = view.warp;
  view.warp.kind = OSVM_NO_WARP;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, view.n, view.d));
  for (int f = 0; f < view.d; f++) {
    double *column = REAL(out) + (size_t)f * view.n;
    osvm_data_column(&view, f, NULL, 0, view.n, column);
    ways[chosen](&warp, f, column, view.n);
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
