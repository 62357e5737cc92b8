/* Where the rows and fields of separated values end: one pass over the bytes. */
#include "data-text.h"

enum { FIELD_BEGINS, FIELD, QUOTED, QUOTE_CLOSED };

/* The row and the field being read */
typedef struct {
  int state, blank, quoted;
  size_t fields, begin, end; /* begin, end: of the field's bytes, without blanks around them */
} position;

static void end_field(osvm_text_rows *out, const osvm_text_rule *rule, const position *p, osvm_text_field *field) {
  const size_t length = p->end > p->begin ? p->end - p->begin : 0;
  if (length > rule->longest && out->long_row == 0) out->long_row = out->rows + 1;
  if (field == NULL || p->blank || p->fields > rule->fields) return;
  field[out->rows * rule->fields + p->fields - 1] =
      (osvm_text_field){.at = (uint32_t)p->begin, .length = (uint32_t)length, .quoted = p->quoted != 0};
}

static void begin_field(position *p, size_t at) {
  p->state = FIELD_BEGINS;
  p->quoted = 0;
  p->begin = p->end = at;
}

static void end_row(osvm_text_rows *out, const osvm_text_rule *rule, const position *p, size_t bytes) {
  out->bytes = bytes;
  if (p->blank) return;
  if (out->rows++ == 0) out->fields = p->fields;
  if (rule->fields > 0 && p->fields != rule->fields && out->ragged_row == 0) {
    out->ragged_row = out->rows;
    out->ragged_fields = p->fields;
  }
}

static osvm_text_rows scan(const char *text, size_t size, const osvm_text_rule *rule, osvm_text_field *field) {
  osvm_text_rows out = {0};
  const char separator = rule->separator, quote = rule->quote;
  position p = {.state = FIELD_BEGINS, .blank = 1, .fields = 1};
  for (size_t k = 0; k < size && out.rows < rule->most_rows; k++) {
    const char c = text[k];
    if (p.state == QUOTED) {
      if (c == quote) p.state = QUOTE_CLOSED;
      p.end = k + 1;
      continue;
    }
    const int alone = c == '\r' && (k + 1 < size ? text[k + 1] != '\n' : rule->at_end);
    if (c == '\n' || alone) {
      end_field(&out, rule, &p, field);
      end_row(&out, rule, &p, k + 1);
      p.fields = p.blank = 1;
      begin_field(&p, k + 1);
    } else if (c == separator) {
      p.blank = 0;
      end_field(&out, rule, &p, field);
      p.fields++;
      begin_field(&p, k + 1);
    } else if (c == quote && quote != 0 && (p.state == FIELD_BEGINS || p.state == QUOTE_CLOSED)) {
      if (p.state == FIELD_BEGINS) p.begin = k + 1, p.quoted = 1;
      p.end = k + 1;
      p.blank = 0;
      p.state = QUOTED;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      if (p.state == FIELD_BEGINS) p.begin = k;
      p.end = k + 1;
      p.blank = 0;
      p.state = FIELD;
    } else if (p.state == QUOTE_CLOSED) {
      p.state = FIELD;
    }
  }
  if (out.rows < rule->most_rows && out.bytes < size) {
    out.in_quotes = p.state == QUOTED;
    end_field(&out, rule, &p, rule->at_end ? field : NULL);
    if (rule->at_end) end_row(&out, rule, &p, size);
  }
  return out;
}

osvm_text_rows osvm_text_cut(const char *text, size_t size, const osvm_text_rule *rule) {
  osvm_text_rows out = scan(text, size, rule, NULL);
  unsigned char bits = 0;
  for (size_t k = 0; k < out.bytes; k++) bits |= (unsigned char)text[k];
  out.ascii = bits < 128;
  return out;
}

void osvm_text_fields(const char *text, size_t size, const osvm_text_rule *rule, osvm_text_field *field) {
  scan(text, size, rule, field);
}

size_t osvm_text_unquote(const char *from, size_t length, char quote, char *out) {
  size_t n = 0, k = 0;
  for (; k < length; k++) {
    if (from[k] == quote && (k + 1 == length || from[k + 1] != quote)) break;
    k += from[k] == quote;
    out[n++] = from[k];
  }
  for (k++; k < length; k++) out[n++] = from[k]; /* behind the closing quote */
  return n;
}

uint32_t osvm_crc32(uint32_t crc, const unsigned char *bytes, size_t size) {
  uint32_t table[16];
  for (uint32_t k = 0; k < 16; k++) {
    table[k] = k;
    for (int bit = 0; bit < 4; bit++) table[k] = table[k] & 1 ? table[k] >> 1 ^ UINT32_C(0xedb88320) : table[k] >> 1;
  }
  crc = ~crc;
  for (size_t k = 0; k < size; k++) {
    crc ^= bytes[k];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}
