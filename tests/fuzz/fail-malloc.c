/* Preloaded into R: makes one allocation of the package fail, and counts the blocks it holds. */
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

static atomic_int armed, countdown, failed, held;
static char *library_from, *library_to;

static int ours(void *caller) { return (char *)caller >= library_from && (char *)caller < library_to; }

static int fails(void *caller) {
  if (!atomic_load(&armed) || !ours(caller)) return 0;
  if (atomic_fetch_sub(&countdown, 1) != 1) return 0;
  atomic_store(&failed, 1);
  return 1;
}

static void *given(void *block, void *caller) {
  if (block && ours(caller)) atomic_fetch_add(&held, 1);
  return block;
}

void *malloc(size_t size) {
  void *caller = __builtin_return_address(0);
  return fails(caller) ? NULL : given(__libc_malloc(size), caller);
}

void *calloc(size_t count, size_t size) {
  void *caller = __builtin_return_address(0);
  return fails(caller) ? NULL : given(__libc_calloc(count, size), caller);
}

void *realloc(void *block, size_t size) {
  void *caller = __builtin_return_address(0);
  if (fails(caller)) return NULL;
  void *grown = __libc_realloc(block, size);
  return block ? grown : given(grown, caller);
}

void free(void *block) {
  if (block && ours(__builtin_return_address(0))) atomic_fetch_sub(&held, 1);
  __libc_free(block);
}

/* For .C(): the addresses of the package's code, from /proc/self/maps; arming; what happened. */
void fail_range(double *range) { library_from = (char *)(size_t)range[0], library_to = (char *)(size_t)range[1]; }
void fail_arm(int *nth) { failed = 0, countdown = *nth, armed = 1; }
void fail_disarm(int *result) { armed = 0, result[0] = failed, result[1] = held; }
