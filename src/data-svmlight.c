/* svmlight's format, one pass over the bytes. Numbers of up to 19 digits and a power of ten up to 22 are exact products
 * (Clinger 1990); strtod reads the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data-text.h"

typedef struct {
  const char *at, *end;
} cursor;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
/* Ends a token: the label, an index and its value */
static int is_token_end(const cursor *c) { return c->at == c->end || is_blank(*c->at) || *c->at == '#'; }

static void skip_blanks(cursor *c) {
  while (c->at < c->end && is_blank(*c->at)) c->at++;
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The whole token by strtod; 0 if it is no number */
static int read_slowly(cursor *c, double *value) {
  char token[512];
  size_t length = 0;
  while (!is_token_end(c) && length + 1 < sizeof token) token[length++] = *c->at++;
  token[length] = '\0';
  char *rest;
  *value = strtod(token, &rest);
  return length > 0 && *rest == '\0' && is_token_end(c);
}

static int read_exponent(cursor *c, int *exponent) {
  int sign = 1, digits = 0, value = 0;
  if (c->at < c->end && (*c->at == '+' || *c->at == '-')) sign = *c->at++ == '-' ? -1 : 1;
  for (; c->at < c->end && is_digit(*c->at); c->at++, digits++)
    if (value < 10000) value = 10 * value + (*c->at - '0');
  *exponent += sign * value;
  return digits > 0;
}

/* 0 if the token is no number */
static int read_number(cursor *c, double *value) {
  const cursor from = *c;
  uint64_t mantissa = 0;
  int digits = 0, seen = 0, exponent = 0, negative = 0;
  if (c->at < c->end && (*c->at == '+' || *c->at == '-')) negative = *c->at++ == '-';
  for (; c->at < c->end && is_digit(*c->at); c->at++, seen++)
    if (mantissa > 0 || *c->at != '0') mantissa = mantissa * 10 + (uint64_t)(*c->at - '0'), digits++;
  if (c->at < c->end && *c->at == '.')
    for (c->at++; c->at < c->end && is_digit(*c->at); c->at++, seen++, exponent--)
      if (mantissa > 0 || *c->at != '0') mantissa = mantissa * 10 + (uint64_t)(*c->at - '0'), digits++;
  int plain = seen > 0;
  if (plain && c->at < c->end && (*c->at == 'e' || *c->at == 'E')) {
    c->at++;
    plain = read_exponent(c, &exponent);
  }
  if (plain && is_token_end(c) && digits <= 19 && mantissa <= (UINT64_C(1) << 53) && abs(exponent) <= 22) {
    const double whole = (double)mantissa;
    const double size = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
    *value = negative ? -size : size;
    return 1;
  }
  *c = from;
  return read_slowly(c, value);
}

static int is_word(const cursor *c, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return 0;
  const cursor after = {c->at + length, c->end};
  return is_token_end(&after);
}

static int read_label(cursor *c, double *label) {
  if (is_word(c, "NA") || is_word(c, "?")) {
    c->at += *c->at == '?' ? 1 : 2;
    *label = NAN;
    return 1;
  }
  return read_number(c, label) && isfinite(*label);
}

/* Shell's sort of a row by feature; 0 if a feature occurs twice. */
static int sort_row(int *feature, double *value, int count) {
  for (int gap = count / 2; gap > 0; gap /= 2)
    for (int k = gap; k < count; k++) {
      const int own = feature[k];
      const double its = value[k];
      int to = k;
      for (; to >= gap && feature[to - gap] > own; to -= gap) {
        feature[to] = feature[to - gap];
        value[to] = value[to - gap];
      }
      feature[to] = own;
      value[to] = its;
    }
  for (int k = 1; k < count; k++)
    if (feature[k] == feature[k - 1]) return 0;
  return 1;
}

/* One index:value; qid:number is passed over. NULL, or what is wrong */
static const char *read_pair(cursor *c, int first, int features, osvm_svmlight *out) {
  if (c->end - c->at > 4 && memcmp(c->at, "qid:", 4) == 0) {
    while (!is_token_end(c)) c->at++;
    return NULL;
  }
  int64_t index = 0;
  const char *from = c->at;
  for (; c->at < c->end && is_digit(*c->at); c->at++)
    if (index <= INT32_MAX) index = 10 * index + (*c->at - '0');
  if (c->at == from || c->at == c->end || *c->at != ':') return "an index, a colon and a value are expected";
  if (index < first) return "index 0 occurs, and the first should be 1";
  if (index - first >= features) return "an index is larger than the number of features";
  c->at++;
  double value;
  if (!read_number(c, &value)) return "the value after a colon is not a number";
  if (!isfinite(value)) return "a value is missing or infinite";
  out->feature[out->pairs] = (int)(index - first);
  out->value[out->pairs++] = value;
  return NULL;
}

static const char *read_line(cursor *c, int first, int features, osvm_svmlight *out) {
  skip_blanks(c);
  if (c->at == c->end || *c->at == '#') return NULL; /* blank, or a comment */
  const int from = out->pairs;
  if (!read_label(c, &out->label[out->rows])) return "it must begin with one number, the label";
  int sorted = 1;
  for (skip_blanks(c); c->at < c->end && *c->at != '#'; skip_blanks(c)) {
    const char *trouble = read_pair(c, first, features, out);
    if (trouble != NULL) return trouble;
    if (out->pairs > from + 1 && out->feature[out->pairs - 1] <= out->feature[out->pairs - 2]) sorted = 0;
  }
  if (!sorted && !sort_row(out->feature + from, out->value + from, out->pairs - from)) return "an index occurs twice";
  out->start[++out->rows] = out->pairs;
  return NULL;
}

void osvm_svmlight_bounds(const char *text, size_t size, size_t *rows, size_t *pairs) {
  *rows = 1;
  *pairs = 0;
  for (size_t k = 0; k < size; k++) {
    *rows += text[k] == '\n';
    *pairs += text[k] == ':';
  }
}

osvm_status osvm_svmlight_parse(const char *text, size_t size, int first, int features, osvm_svmlight *out,
                                size_t *line, osvm_error *error) {
  const char *end = text + size;
  out->rows = out->pairs = 0;
  out->start[0] = 0;
  *line = 0;
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    cursor c = {text, stop == NULL ? end : stop};
    ++*line;
    const char *trouble = read_line(&c, first, features, out);
    if (trouble != NULL) return osvm_fail(error, OSVM_INVALID, trouble);
    text = stop == NULL ? end : stop + 1;
  }
  return OSVM_OK;
}
