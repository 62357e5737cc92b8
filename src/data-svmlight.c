/* svmlight's format, one pass over the bytes. */
#include <math.h>
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

/* 0 if the token is no number */
static int read_number(cursor *c, double *value) {
  const char *from = c->at;
  while (!is_token_end(c)) c->at++;
  return osvm_text_number(from, c->at, '.', value);
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
