/* Examples in text files: rows and fields of separated values, numbers, rows of svmlight's format. */
#pragma once

#include "base.h"

/* ---- rows of separated values ---- */

typedef struct {
  char separator, quote; /* quote: 0 if there is none */
  size_t most_rows;
  size_t longest; /* field: bytes as in osvm_text_field */
  size_t fields;  /* of every row; 0: any number */
  int at_end;     /* what follows the last line end is a row, too */
} osvm_text_rule;

typedef struct {
  size_t bytes;                     /* of the complete rows at the beginning of the text */
  size_t rows;                      /* that are not blank, among them */
  size_t fields;                    /* of the first row */
  size_t ragged_row, ragged_fields; /* the first row, from 1, with another number of fields; 0: none */
  size_t long_row;                  /* the first row, from 1, with a field above the longest; 0: none */
  int in_quotes;                    /* the text ends within a quoted field */
  int ascii;                        /* no byte of the complete rows is above 127 */
} osvm_text_rows;

/* Rows end with a line feed, or a carriage return that none follows. A quote opens a field only at its beginning; within
 * quotes a line end ends no row, and a doubled quote is one character. Blank rows are passed over. */
osvm_text_rows osvm_text_cut(const char *text, size_t size, const osvm_text_rule *rule);

/* Bytes of the text, without blanks around them; of a quoted field those after the opening quote */
typedef struct {
  uint32_t at, length : 31, quoted : 1;
} osvm_text_field;

/* Of all rows of a text that consists of complete rows of rule->fields fields each: the fields, row by row. */
void osvm_text_fields(const char *text, size_t size, const osvm_text_rule *rule, osvm_text_field *field);

/* A quoted field as it reads, in `out`, which has room for its length; returns the length. */
size_t osvm_text_unquote(const char *from, size_t length, char quote, char *out);

/* Whether the text is a number: digits, a decimal point and an exponent, or what C has for hexadecimal numbers,
 * infinity and NaN. */
int osvm_text_number(const char *from, const char *end, char point, double *value);

/* The checksum of gzip, of bytes that follow on those with the checksum crc (0: none) */
uint32_t osvm_crc32(uint32_t crc, const unsigned char *bytes, size_t size);

/* ---- rows of svmlight: label index:value index:value ... # comment ---- */

typedef struct {
  double *label; /* NaN: NA or ? */
  int *start;    /* rows + 1 */
  int *feature;  /* from 0, increasing within a row */
  double *value;
  int rows, pairs;
} osvm_svmlight;

/* Upper bounds of rows and pairs of a text, for the arrays of osvm_svmlight. */
void osvm_svmlight_bounds(const char *text, size_t size, size_t *rows, size_t *pairs);

/* Whole lines; indices from `first` on (0 or 1) to first + features - 1. `line` is the number of lines read: if it
 * fails, of the one at fault. */
osvm_status osvm_svmlight_parse(const char *text, size_t size, int first, int features, osvm_svmlight *out,
                                size_t *line, osvm_error *error);
