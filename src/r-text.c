/* ffi_text_cut: where the rows of a block of text end; ffi_text_read: the columns of such rows; ffi_svmlight: the
 * examples in a block of svmlight's format; ffi_crc32. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "data-text.h"
#include "r-glue.h"

static char one_byte(SEXP text) { return r_is(text, STRSXP, 1) ? CHAR(STRING_ELT(text, 0))[0] : '\0'; }

/* A count of the list, `none` where it has none */
static size_t read_count(SEXP list, const char *name, size_t none) {
  const double count = r_number(list, name, -1);
  return count >= 0 && count < 0x1p31 ? (size_t)count : none;
}

/* list(separator, quote, most_rows, longest, fields, at_end) */
static osvm_text_rule read_rule(SEXP rule) {
  return (osvm_text_rule){.separator = one_byte(r_field(rule, "separator")),
                          .quote = one_byte(r_field(rule, "quote")),
                          .most_rows = read_count(rule, "most_rows", SIZE_MAX),
                          .longest = read_count(rule, "longest", SIZE_MAX),
                          .fields = read_count(rule, "fields", 0),
                          .at_end = r_number(rule, "at_end", 0) == 1};
}

/* Numbers by name, see osvm_text_rows; `zero`: position of the first zero byte, 0 if there is none */
SEXP ffi_text_cut(SEXP block, SEXP rule) {
  if (!r_is(block, RAWSXP, -1)) return Rf_mkString("the block must be raw bytes");
  const size_t size = (size_t)Rf_xlength(block);
  const char *text = size > 0 ? (const char *)RAW_RO(block) : "";
  const char *zero = memchr(text, 0, size);
  const osvm_text_rule how = read_rule(rule);
  const osvm_text_rows cut = osvm_text_cut(text, size, &how);
  const struct {
    const char *name;
    double value;
  } found[] = {{"bytes", (double)cut.bytes},
               {"rows", (double)cut.rows},
               {"fields", (double)cut.fields},
               {"ragged_row", (double)cut.ragged_row},
               {"ragged_fields", (double)cut.ragged_fields},
               {"long_row", (double)cut.long_row},
               {"in_quotes", cut.in_quotes},
               {"zero", zero == NULL ? 0 : (double)(zero - text) + 1},
               {"ascii", cut.ascii}};
  enum { COUNT = sizeof found / sizeof *found };
  const char *names[COUNT];
  SEXP values[COUNT];
  for (int k = 0; k < COUNT; k++) {
    names[k] = found[k].name;
    values[k] = PROTECT(Rf_ScalarReal(found[k].value));
  }
  SEXP out = r_list(names, values, COUNT);
  UNPROTECT(COUNT);
  return out;
}

/* ---- columns ---- */

/* A table of fields, row by row; `room` for an unquoted field */
typedef struct {
  const char *text;
  osvm_text_field *field;
  size_t rows, fields;
  osvm_text_rule rule;
  char point, *room;
  SEXP na;
} table;

/* The bytes of a field as it reads; NULL if it is missing */
static const char *read_field(const table *t, size_t row, size_t column, size_t *length) {
  const osvm_text_field field = t->field[row * t->fields + column];
  const char *bytes = t->text + field.at;
  *length = field.length;
  if (field.quoted) {
    *length = osvm_text_unquote(bytes, field.length, t->rule.quote, t->room);
    bytes = t->room;
  }
  if (*length == 0) return NULL;
  for (R_xlen_t k = 0; k < Rf_xlength(t->na); k++) {
    SEXP na = STRING_ELT(t->na, k);
    if ((size_t)LENGTH(na) == *length && memcmp(CHAR(na), bytes, *length) == 0) return NULL;
  }
  return bytes;
}

/* Returns the first row that is no number, `rows` if there is none. */
static size_t read_numbers(const table *t, size_t column, double *out) {
  for (size_t i = 0; i < t->rows; i++) {
    size_t length;
    const char *bytes = read_field(t, i, column, &length);
    out[i] = NA_REAL;
    if (bytes != NULL && !osvm_text_number(bytes, bytes + length, t->point, &out[i])) return i;
  }
  return t->rows;
}

static SEXP read_string(const table *t, size_t row, size_t column) {
  size_t length;
  const char *bytes = read_field(t, row, column, &length);
  return bytes == NULL ? NA_STRING : Rf_mkCharLenCE(bytes, (int)length, CE_UTF8);
}

static SEXP read_strings(const table *t, size_t column, size_t from, size_t count) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++) SET_STRING_ELT(out, (R_xlen_t)i, read_string(t, from + i, column));
  UNPROTECT(1);
  return out;
}

enum { LEAVE_OUT, NUMBERS, TEXT, EITHER };

/* list(row, value) in place of a column of numbers that has something else */
static SEXP read_column(const table *t, size_t column, int kind) {
  static const char *const names[] = {"row", "value"};
  if (kind == LEAVE_OUT) return R_NilValue;
  if (kind == TEXT) return read_strings(t, column, 0, t->rows);
  SEXP numbers = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)t->rows)), out = numbers;
  const size_t bad = read_numbers(t, column, REAL(numbers));
  if (bad < t->rows && kind == EITHER) {
    out = read_strings(t, column, 0, t->rows);
  } else if (bad < t->rows) {
    SEXP parts[] = {PROTECT(Rf_ScalarReal((double)bad + 1)), PROTECT(read_strings(t, column, bad, 1))};
    out = r_list(names, parts, 2);
    UNPROTECT(2);
  }
  UNPROTECT(1);
  return out;
}

/* The columns of a block of complete rows with as many fields as there are `kinds`. rule: as for ffi_text_cut, with the
 * number of rows and the decimal point `dec`; na: strings that are missing values, as an empty field is. */
SEXP ffi_text_read(SEXP block, SEXP rule, SEXP kinds, SEXP na) {
  if (!r_is(block, RAWSXP, -1) || !r_is(kinds, INTSXP, -1) || !r_is(na, STRSXP, -1))
    return Rf_mkString("the block must be raw bytes, the kinds integers, the missing values strings");
  table t = {
      .text = (const char *)RAW_RO(block), .fields = (size_t)Rf_xlength(kinds), .rule = read_rule(rule), .na = na};
  const size_t size = (size_t)Rf_xlength(block);
  t.rule.fields = t.fields;
  t.point = one_byte(r_field(rule, "dec"));
  if (size >= INT_MAX || t.fields == 0) return Rf_mkString("the block is too large");
  const osvm_text_rows cut = osvm_text_cut(t.text, size, &t.rule);
  if (cut.ragged_row > 0 || cut.bytes != size) return Rf_mkString("the block must be complete rows");
  t.rows = cut.rows;
  t.field = r_zeros(t.rows * t.fields, sizeof *t.field);
  t.room = R_alloc(size + 1, 1);
  osvm_text_fields(t.text, size, &t.rule, t.field);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)t.fields));
  for (size_t k = 0; k < t.fields; k++) SET_VECTOR_ELT(out, (R_xlen_t)k, read_column(&t, k, INTEGER_RO(kinds)[k]));
  UNPROTECT(1);
  return out;
}

/* crc: a number of 32 bits */
SEXP ffi_crc32(SEXP crc, SEXP bytes) {
  if (!r_is(crc, REALSXP, 1) || !r_is(bytes, RAWSXP, -1)) return Rf_mkString("the checksum must be of raw bytes");
  const double before = REAL_RO(crc)[0];
  if (!(before >= 0 && before < 0x1p32)) return Rf_mkString("the checksum must have 32 bits");
  return Rf_ScalarReal(osvm_crc32((uint32_t)before, RAW_RO(bytes), (size_t)Rf_xlength(bytes)));
}

/* ---- svmlight ---- */

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
