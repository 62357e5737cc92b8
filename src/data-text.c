/* Where the rows of separated values end: one pass over the bytes. */
#include "data-text.h"

enum { FIELD_BEGINS, FIELD, QUOTED, QUOTE_CLOSED };

static void end_row(osvm_text_rows *out, const osvm_text_rule *rule, size_t bytes, size_t fields, int blank) {
  out->bytes = bytes;
  if (blank) return;
  out->rows++;
  if (rule->fields > 0 && fields != rule->fields && out->ragged_row == 0) {
    out->ragged_row = out->rows;
    out->ragged_fields = fields;
  }
}

osvm_text_rows osvm_text_cut(const char *text, size_t size, const osvm_text_rule *rule) {
  osvm_text_rows out = {0};
  const char separator = rule->separator, quote = rule->quote;
  int state = FIELD_BEGINS, blank = 1;
  size_t fields = 1;
  for (size_t k = 0; k < size && out.rows < rule->most_rows; k++) {
    const char c = text[k];
    if (state == QUOTED) {
      if (c == quote) state = QUOTE_CLOSED;
    } else if (c == '\n') {
      end_row(&out, rule, k + 1, fields, blank);
      state = FIELD_BEGINS;
      fields = blank = 1;
    } else if (c == separator) {
      fields++;
      blank = 0;
      state = FIELD_BEGINS;
    } else if (c == quote && quote != 0 && (state == FIELD_BEGINS || state == QUOTE_CLOSED)) {
      blank = 0;
      state = QUOTED;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      blank = 0;
      state = FIELD;
    }
  }
  if (out.rows < rule->most_rows && out.bytes < size) {
    out.in_quotes = state == QUOTED;
    if (rule->at_end) end_row(&out, rule, size, fields, blank);
  }
  unsigned char bits = 0;
  for (size_t k = 0; k < out.bytes; k++) bits |= (unsigned char)text[k];
  out.ascii = bits < 128;
  return out;
}
