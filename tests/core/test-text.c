/* Rows of separated values, and svmlight's format. */
#include <locale.h>

#include "../../src/data-text.h"
#include "test.h"

static osvm_text_rows cut(const char *text, osvm_text_rule rule) { return osvm_text_cut(text, strlen(text), &rule); }

static const osvm_text_rule comma = {',', '"', SIZE_MAX, SIZE_MAX, 0, 0};

static void rows_end_at_line_feeds_outside_quotes(void) {
  const osvm_text_rows plain = cut("a,b\n1,2\n3", comma);
  CHECK(plain.bytes == 8 && plain.rows == 2 && !plain.in_quotes && plain.ascii);
  const osvm_text_rows quoted = cut("a,\"b\nc\"\n\"d\"\"\n\",e\n", comma);
  CHECK(quoted.bytes == 17 && quoted.rows == 2);
  const osvm_text_rows open = cut("a,b\nc,\"d\n", comma);
  CHECK(open.bytes == 4 && open.rows == 1 && open.in_quotes);
  const osvm_text_rows stray = cut("5\" disk,1\nx,2\n", comma);
  CHECK(stray.rows == 2 && !stray.in_quotes);
}

static void the_end_and_blank_rows(void) {
  osvm_text_rule rule = comma;
  rule.at_end = 1;
  CHECK(cut("a,b\n1,2", rule).rows == 2);
  CHECK(cut("a,b\n\r\n \t\n1,2\n\n", rule).rows == 2);
  CHECK(cut("", rule).rows == 0 && cut("", rule).bytes == 0);
  rule.most_rows = 1;
  CHECK(cut("\na,b\n1,2\n", rule).bytes == 5);
  CHECK(!cut("\xc3\xa9,b\n", rule).ascii);
}

static void ragged_rows_are_found(void) {
  osvm_text_rule rule = comma;
  rule.fields = 2;
  CHECK(cut("1,2\n3,4\n", rule).ragged_row == 0);
  const osvm_text_rows few = cut("1,2\n\n3\n4,5,6\n", rule);
  CHECK(few.ragged_row == 2 && few.ragged_fields == 1);
  CHECK(cut("1,\"a,b\"\n1,,\n", rule).ragged_fields == 3);
}

static void long_fields_are_found(void) {
  osvm_text_rule rule = comma;
  rule.longest = 3;
  CHECK(cut("abc,  abc  ,\"ab\"\n1,2,3\n", rule).long_row == 0);
  CHECK(cut("1,2\n\nabc,\"abcd\"\n12345,1\n", rule).long_row == 2);
  CHECK(cut("1,2\nab,abcd", rule).long_row == 2);
  CHECK(cut("1,2\n3,\"\n\n\n\n", rule).long_row == 2 && cut("1,2\n3,    ", rule).long_row == 0);
  rule.at_end = 1;
  CHECK(cut("1,2\nab,abcd", rule).long_row == 2 && cut("abc,def", rule).long_row == 0);
  CHECK(cut("\n1,2,3\n4\n", rule).fields == 3 && cut("", rule).fields == 0);
}

enum { ROOM = 64 };
typedef struct {
  double label[ROOM], value[ROOM];
  int start[ROOM + 1], feature[ROOM];
} room;

static osvm_status parse(const char *text, int first, int features, room *r, osvm_svmlight *out, size_t *line) {
  size_t rows, pairs;
  osvm_error error = {NULL};
  osvm_svmlight_bounds(text, strlen(text), &rows, &pairs);
  CHECK(rows <= ROOM && pairs <= ROOM);
  *out = (osvm_svmlight){r->label, r->start, r->feature, r->value, 0, 0};
  const osvm_status status = osvm_svmlight_parse(text, strlen(text), first, features, out, line, &error);
  CHECK((status == OSVM_OK) == (error.text == NULL));
  CHECK(out->rows <= (int)rows && out->pairs <= (int)pairs);
  return status;
}

static void examples_are_read(void) {
  room r;
  osvm_svmlight out;
  size_t line;
  CHECK(parse("# head\n+1 qid:4 3:0.5 1:-2e-3#x\n\n? 2:7\r\n-1", 1, 3, &r, &out, &line) == OSVM_OK);
  CHECK(line == 5 && out.rows == 3 && out.pairs == 3);
  CHECK(r.label[0] == 1 && isnan(r.label[1]) && r.label[2] == -1);
  CHECK(r.start[1] == 2 && r.start[2] == 3 && r.start[3] == 3);
  CHECK(r.feature[0] == 0 && r.value[0] == -2e-3 && r.feature[1] == 2 && r.value[1] == 0.5 && r.feature[2] == 1);
}

static void malformed_lines_are_refused(void) {
  static const char *const bad[] = {
      "x 1:2",     "1 0:2",  "1 4:2",     "1 1:",    "1 1:x", "1 1", "1 :1", "1 1:1:1",
      "1 1:2 1:3", "1 -1:2", "1 1:1e999", "inf 1:1", "nan",   "1,2", "--1",  "1 99999999999999999999:1",
      "1 1:1e",    "1 1:.",  "1 1:+",     "1 1:0x"};
  for (int k = 0; k < COUNT(bad); k++) {
    room r;
    osvm_svmlight out;
    size_t line;
    char text[64];
    test_about("%s", bad[k]);
    strcpy(text, "1 1:1\n");
    strcat(text, bad[k]);
    CHECK(parse(text, 1, 3, &r, &out, &line) == OSVM_INVALID);
    CHECK(line == 2);
  }
}

/* The fields of one row, joined by bars */
static const char *fields_of(const char *text, size_t fields) {
  static char joined[256];
  osvm_text_rule rule = comma;
  osvm_text_field field[8];
  rule.fields = fields;
  rule.at_end = 1;
  CHECK(osvm_text_cut(text, strlen(text), &rule).rows == 1 && fields <= COUNT(field));
  osvm_text_fields(text, strlen(text), &rule, field);
  size_t n = 0;
  for (size_t k = 0; k < fields; k++) {
    if (k > 0) joined[n++] = '|';
    const char *from = text + field[k].at;
    if (field[k].quoted) {
      n += osvm_text_unquote(from, field[k].length, '"', joined + n);
    } else {
      memcpy(joined + n, from, field[k].length);
      n += field[k].length;
    }
  }
  joined[n] = '\0';
  return joined;
}

static void fields_are_found(void) {
  CHECK(strcmp(fields_of("a,b,c\r\n", 3), "a|b|c") == 0);
  CHECK(strcmp(fields_of("\n  a b ,, \t", 3), "a b||") == 0);
  CHECK(strcmp(fields_of("\"a,b\", \"say \"\"so\"\"\" ,\"\"", 3), "a,b|say \"so\"|") == 0);
  CHECK(strcmp(fields_of("5\" disk,\"a\"b,\"c\nd\"", 3), "5\" disk|ab|c\nd") == 0);
  const osvm_text_rows alone = cut("a,b\r1,2\r\n3,4\r", comma);
  CHECK(alone.rows == 2 && alone.bytes == 9); /* a line feed may follow the last return */
  osvm_text_rule rule = comma;
  rule.at_end = 1;
  CHECK(cut("a,b\r1,2\r\n3,4\r", rule).rows == 3);
}

static int number_of(const char *text, char point, double *value) {
  return osvm_text_number(text, text + strlen(text), point, value);
}

static void numbers_are_those_of_c(void) {
  static const char *const good[] = {"1",        "-0.5",
                                     "+1e3",     ".5",
                                     "5.",       "18446744073709551616",
                                     "1e400",    "-1e400",
                                     "0x1F",     "0.1234567890123456789",
                                     "4.9e-324", "1e22",
                                     "1e23",     "inf",
                                     "0x1.8p3"};
  static const char *const bad[] = {"", " 1", "1 ", "1,5", "1e", "--1", "0x", "a", ".", "1.2.3", "1_0"};
  double value;
  for (int k = 0; k < COUNT(good); k++) {
    test_about("%s", good[k]);
    CHECK(number_of(good[k], '.', &value) && value == strtod(good[k], NULL));
  }
  for (int k = 0; k < COUNT(bad); k++) {
    test_about("%s", bad[k]);
    CHECK(!number_of(bad[k], '.', &value));
  }
  CHECK(number_of("1,5", ',', &value) && value == 1.5 && !number_of("1.5", ',', &value));
  CHECK(number_of("1,23456789012345678901", ',', &value) && value == 1.23456789012345678901);
  /* In a locale with a decimal comma */
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL || setlocale(LC_NUMERIC, "fr_FR.UTF-8") != NULL) {
    CHECK(number_of("1.23456789012345678901", '.', &value) && value == 1.23456789012345678901);
    CHECK(!number_of("1,5", '.', &value));
    setlocale(LC_NUMERIC, "C");
  }
}

static void checksums_are_those_of_gzip(void) {
  const unsigned char *text = (const unsigned char *)"123456789";
  CHECK(osvm_crc32(0, text, 9) == 0xcbf43926);
  CHECK(osvm_crc32(osvm_crc32(0, text, 4), text + 4, 5) == 0xcbf43926);
}

/* The complete rows, if all have as many fields as the rule says */
static void read_fields_within_bounds(const char *text, size_t size, osvm_text_rule rule) {
  const osvm_text_rows rows = osvm_text_cut(text, size, &rule);
  if (rows.ragged_row > 0 || rows.rows == 0) return;
  osvm_text_field *field = malloc(rows.rows * rule.fields * sizeof *field);
  rule.at_end = 1;
  osvm_text_fields(text, rows.bytes, &rule, field);
  for (size_t k = 0; k < rows.rows * rule.fields; k++) {
    CHECK(field[k].at + field[k].length <= rows.bytes);
    char *out = malloc(field[k].length + 1);
    if (field[k].quoted) CHECK(osvm_text_unquote(text + field[k].at, field[k].length, '"', out) <= field[k].length);
    free(out);
  }
  free(field);
}

/* Blocks of exactly the text's size: AddressSanitizer finds overruns. */
static void random_bytes_are_read_within_bounds(void) {
  static const char letters[] = "0123456789:. +-eE#\n\tqid:NA?\"x,";
  for (int try = 0; try < 3000; try++) {
    const size_t size = (size_t)random_below(60) + 1;
    char *text = malloc(size);
    for (size_t k = 0; k < size; k++) text[k] = letters[random_below((int)sizeof letters)];
    size_t rows, pairs, line;
    osvm_error error = {NULL};
    osvm_svmlight_bounds(text, size, &rows, &pairs);
    osvm_svmlight out = {malloc(rows * sizeof(double)),
                         malloc((rows + 1) * sizeof(int)),
                         malloc((pairs + 1) * sizeof(int)),
                         malloc((pairs + 1) * sizeof(double)),
                         0,
                         0};
    const osvm_status status = osvm_svmlight_parse(text, size, try % 2, 20, &out, &line, &error);
    CHECK((status == OSVM_OK) == (error.text == NULL));
    for (int i = 0; i < out.rows; i++)
      for (int k = out.start[i] + 1; k < out.start[i + 1]; k++) CHECK(out.feature[k] > out.feature[k - 1]);
    osvm_text_rule rule = {',', '"', SIZE_MAX, SIZE_MAX, 2, try % 2};
    CHECK(osvm_text_cut(text, size, &rule).bytes <= size);
    read_fields_within_bounds(text, size, rule);
    free(out.label);
    free(out.start);
    free(out.feature);
    free(out.value);
    free(text);
  }
}

void test_text(void) {
  RUN(rows_end_at_line_feeds_outside_quotes);
  RUN(the_end_and_blank_rows);
  RUN(ragged_rows_are_found);
  RUN(long_fields_are_found);
  RUN(fields_are_found);
  RUN(numbers_are_those_of_c);
  RUN(checksums_are_those_of_gzip);
  RUN(examples_are_read);
  RUN(malformed_lines_are_refused);
  RUN(random_bytes_are_read_within_bounds);
}
