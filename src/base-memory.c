/* Reallocation with an overflow check. */
#include <stdlib.h>
#include <string.h>

#include "base.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

osvm_status osvm_resize(void *pointer, size_t count, size_t size, osvm_error *error) {
  void *block;
  if (size != 0 && count > SIZE_MAX / size) return osvm_no_memory(error);
  memcpy(&block, pointer, sizeof block); /* *pointer may be a pointer to any type: no aliasing through void ** */
  block = realloc(block, count * size > 0 ? count * size : 1);
  if (block == NULL) return osvm_no_memory(error);
  memcpy(pointer, &block, sizeof block);
  return OSVM_OK;
}

void osvm_large_pages(void *block, size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const size_t page = 1 << 16, least = 1 << 22; /* of any processor; below that, pages of the usual size */
  const size_t skip = (page - (uintptr_t)block % page) % page;
  if (block != NULL && bytes >= least) madvise((char *)block + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#else
  (void)block, (void)bytes;
#endif
}
