/* Preloaded into R: makes one allocation of the package fail, and counts the blocks it holds.
 *
 * Counted are the blocks that malloc(), calloc() and realloc() return to code of the package, by their addresses: a block
 * is gone when it is freed or moved, whoever does that. R's own vectors and R_alloc() are not counted; R frees them. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

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

/* Addresses of the blocks held, open addressing; a place once used stays GONE, so that a search does not end at it. */
enum { PLACES = 1 << 20 };
static uintptr_t place[PLACES];
static const uintptr_t GONE = 1;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static size_t begin_at(uintptr_t address) { return (size_t)(address >> 4) * 2654435761u % PLACES; }

static void note(void *block) {
  const uintptr_t address = (uintptr_t)block;
  size_t at = begin_at(address);
  while (atomic_flag_test_and_set(&busy)) {}
  while (place[at] > GONE) at = (at + 1) % PLACES;
  place[at] = address;
  held++;
  atomic_flag_clear(&busy);
}

static int drop(void *block) {
  const uintptr_t address = (uintptr_t)block;
  size_t at = begin_at(address);
  if (atomic_load(&held) == 0) return 0;
  while (atomic_flag_test_and_set(&busy)) {}
  while (place[at] != 0 && place[at] != address) at = (at + 1) % PLACES;
  const int found = place[at] == address;
  if (found) place[at] = GONE;
  held -= found;
  if (held == 0 && found) __builtin_memset(place, 0, sizeof place);
  atomic_flag_clear(&busy);
  return found;
}

static void *given(void *block, void *caller) {
  if (block && ours(caller)) note(block);
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
  const int known = block && drop(block);
  void *grown = __libc_realloc(block, size);
  if (!grown && known) note(block);
  return grown && (known || ours(caller)) ? (note(grown), grown) : grown;
}

void free(void *block) {
  if (block) drop(block);
  __libc_free(block);
}

/* For .C(): the addresses of the package's code, from /proc/self/maps; arming; what happened. */
void fail_range(double *range) { library_from = (char *)(size_t)range[0], library_to = (char *)(size_t)range[1]; }
void fail_arm(int *nth) { failed = 0, countdown = *nth, armed = 1; }
void fail_disarm(int *result) { armed = 0, result[0] = failed, result[1] = held; }
