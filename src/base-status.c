#include "base.h"

osvm_status osvm_fail(osvm_error *error, osvm_status status, const char *text) {
  if (error != NULL) error->text = text;
  return status;
}

osvm_status osvm_no_memory(osvm_error *error) {
  return osvm_fail(error, OSVM_NO_MEMORY, "there is not enough memory for this; try fewer rows or a smaller cache");
}
