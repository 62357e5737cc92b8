/* Rows of separated values, and svmlight's format. */
#include "../../src/data-text.h"
#include "test.h"

static osvm_text_rows cut(const char *text, osvm_text_rule rule) { return osvm_text_cut(text, strlen(text), &rule); }

static const osvm_text_rule comma = {',', '"', SIZE_MAX, 0, 0};

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
    const osvm_text_rule rule = {',', '"', SIZE_MAX, 2, try % 2};
    CHECK(osvm_text_cut(text, size, &rule).bytes <= size);
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
  RUN(examples_are_read);
  RUN(malformed_lines_are_refused);
  RUN(random_bytes_are_read_within_bounds);
}
