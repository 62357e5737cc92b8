/* ADWIN's window. tests/testthat/test-drift.R compares it with its definition. */
#include "../../src/drift.h"
#include "test.h"

static osvm_status add(osvm_adwin *window, const double *values, size_t n, osvm_adwin_change *change) {
  osvm_error error = {NULL};
  const osvm_status status = osvm_adwin_add(window, 0.002, values, n, change, &error);
  CHECK((status == OSVM_OK) == (error.text == NULL));
  return status;
}

static void the_window_grows_while_nothing_changes(void) {
  osvm_adwin window = {0};
  osvm_adwin_change change;
  for (int k = 0; k < 5000; k++) {
    const double value = 0.25;
    CHECK(add(&window, &value, 1, &change) == OSVM_OK);
    CHECK(change.at == 0 && change.width == k + 1);
  }
}

static void an_increase_is_found_and_a_decrease_is_not_told(void) {
  double values[2000];
  osvm_adwin_change change;
  for (int up = 0; up < 2; up++) {
    osvm_adwin window = {0};
    for (int k = 0; k < 2000; k++) values[k] = random_uniform() < ((k < 1000) == up ? 0.1 : 0.6);
    CHECK(add(&window, values, 2000, &change) == OSVM_OK);
    CHECK(change.width < 1400);
    CHECK(up ? change.at > 1000 && change.at < 1100 && change.after > change.before : change.at == 0);
  }
}

static void chunks_make_no_difference(void) {
  double values[3000];
  osvm_adwin whole = {0}, parts = {0};
  osvm_adwin_change change;
  for (int k = 0; k < 3000; k++) values[k] = random_uniform() < (k < 1500 ? 0.2 : 0.5);
  CHECK(add(&whole, values, 3000, &change) == OSVM_OK);
  for (int k = 0; k < 3000; k += 10) CHECK(add(&parts, values + k, 10, &change) == OSVM_OK);
  CHECK(memcmp(&whole, &parts, sizeof whole) == 0);
}

static void damaged_windows_and_values_are_refused(void) {
  static const double bad[] = {-1, 0.5, 7, 1e300, NAN, INFINITY};
  osvm_adwin window = {0};
  osvm_adwin_change change;
  double values[300];
  for (int k = 0; k < 300; k++) values[k] = random_uniform();
  CHECK(add(&window, values, 300, &change) == OSVM_OK);
  for (int k = 0; k < COUNT(bad); k++) {
    osvm_adwin damaged = window;
    damaged.count[1] = bad[k];
    CHECK(add(&damaged, values, 1, &change) == OSVM_INVALID);
  }
  /* Any numbers: an error or a result, never an endless loop or a write out of bounds */
  for (int try = 0; try < 2000; try++) {
    osvm_adwin damaged = window;
    double *numbers = (double *)&damaged;
    for (int k = 0; k < 3; k++)
      numbers[random_below(OSVM_ADWIN_NUMBERS)] = (double)random_below(6) * (try % 3 ? 1 : 1e200);
    osvm_error error = {NULL};
    osvm_adwin_add(&damaged, 0.1, values, 64, &change, &error);
  }
  const double wrong[] = {NAN, INFINITY, 1e200};
  for (int k = 0; k < COUNT(wrong); k++) CHECK(add(&window, &wrong[k], 1, &change) == OSVM_INVALID);
}

void test_drift(void) {
  RUN(the_window_grows_while_nothing_changes);
  RUN(an_increase_is_found_and_a_decrease_is_not_told);
  RUN(chunks_make_no_difference);
  RUN(damaged_windows_and_values_are_refused);
}
