/* ffi_text_cut: where the rows of a block of text end; ffi_svmlight: the examples in a block of svmlight's format. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "data-text.h"
#include "r-glue.h"

static char one_byte(SEXP text) { return r_is(text, STRSXP, 1) ? CHAR(STRING_ELT(text, 0))[0] : '\0'; }

/* rule: list(separator, quote, most_rows, fields, at_end). c(bytes, rows, ragged row, its fields, in_quotes, position of
 * the first zero byte, ascii); 0: none. */
SEXP ffi_text_cut(SEXP block, SEXP rule) {
  if (!r_is(block, RAWSXP, -1)) return Rf_mkString("the block must be raw bytes");
  const size_t size = (size_t)Rf_xlength(block);
  const char *text = size > 0 ? (const char *)RAW_RO(block) : "";
  const char *zero = memchr(text, 0, size);
  const double most = r_number(rule, "most_rows", R_PosInf), fields = r_number(rule, "fields", 0);
  const osvm_text_rule how = {.separator = one_byte(r_field(rule, "separator")),
                              .quote = one_byte(r_field(rule, "quote")),
                              .most_rows = most >= 0 && most < 0x1p31 ? (size_t)most : SIZE_MAX,
                              .fields = fields >= 0 && fields < 0x1p31 ? (size_t)fields : 0,
                              .at_end = r_number(rule, "at_end", 0) == 1};
  const osvm_text_rows cut = osvm_text_cut(text, size, &how);
  const double numbers[] = {(double)cut.bytes,
                            (double)cut.rows,
                            (double)cut.ragged_row,
                            (double)cut.ragged_fields,
                            cut.in_quotes,
                            zero == NULL ? 0 : (double)(zero - text) + 1,
                            cut.ascii};
  SEXP out = Rf_allocVector(REALSXP, 7);
  memcpy(REAL(out), numbers, sizeof numbers);
  return out;
}

static SEXP shortened(SEXP x, int length) { return Rf_xlength(x) == length ? x : Rf_xlengthgets(x, length); }

/* list(label, start, feature, value, lines), features from 0; list(trouble, line) if a line cannot be read. */
SEXP ffi_svmlight(SEXP block, SEXP first, SEXP features) {
  static const char *const names[] = {"label", "start", "feature", "value", "lines"};
  static const char *const failed[] = {"trouble", "line"};
  if (!r_is(block, RAWSXP, -1) || !r_is(first, INTSXP, 1) || !r_is(features, INTSXP, 1))
    return Rf_mkString("the block must be raw bytes, the numbers integers");
  const int from = INTEGER_RO(first)[0], d = INTEGER_RO(features)[0];
  if (from < 0 || from > 1 || d < 0) return Rf_mkString("the number of features must not be negative");
  const size_t size = (size_t)Rf_xlength(block);
  const char *text = size > 0 ? (const char *)RAW_RO(block) : "";
  size_t rows, pairs, line;
  osvm_svmlight_bounds(text, size, &rows, &pairs);
  if (rows >= INT_MAX || pairs >= INT_MAX) return Rf_mkString("the block is too large");
  SEXP label = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)rows));
  SEXP start = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)rows + 1));
  SEXP feature = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)pairs));
  SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)pairs));
  osvm_svmlight parsed = {REAL(label), INTEGER(start), INTEGER(feature), REAL(value), 0, 0};
  osvm_error error = {NULL};
  const osvm_status status = osvm_svmlight_parse(text, size, from, d, &parsed, &line, &error);
  SEXP out;
  if (status == OSVM_OK) {
    for (int i = 0; i < parsed.rows; i++)
      if (isnan(parsed.label[i])) parsed.label[i] = NA_REAL;
    SEXP parts[5];
    parts[0] = PROTECT(shortened(label, parsed.rows));
    parts[1] = PROTECT(shortened(start, parsed.rows + 1));
    parts[2] = PROTECT(shortened(feature, parsed.pairs));
    parts[3] = PROTECT(shortened(value, parsed.pairs));
    parts[4] = PROTECT(Rf_ScalarReal((double)line));
    out = r_list(names, parts, 5);
    UNPROTECT(5);
  } else {
    SEXP parts[2] = {PROTECT(r_sentence(&error)), PROTECT(Rf_ScalarReal((double)line))};
    out = r_list(failed, parts, 2);
    UNPROTECT(2);
  }
  UNPROTECT(4);
  return out;
}
