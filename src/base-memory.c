/* Reallocation with an overflow check. */
#include <stdlib.h>
#include <string.h>

#include "base.h"

osvm_status osvm_resize(void *pointer, size_t count, size_t size, osvm_error *error) {
  void *block;
  if (size != 0 && count > SIZE_MAX / size) return osvm_no_memory(error);
  memcpy(&block, pointer, sizeof block); /* *pointer may be a pointer to any type: no aliasing through void ** */
  block = realloc(block, count * size > 0 ? count * size : 1);
  if (block == NULL) return osvm_no_memory(error);
  memcpy(pointer, &block, sizeof block);
  return OSVM_OK;
}
