/* See kernel-cache.h. */
#include "kernel-cache.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64 };

/* Huge pages, where the system has them: the first writing of rows then costs a page fault per 2 MB, not per 4 KB. */
static void use_huge_pages(char *slab, size_t bytes) {
#ifdef MADV_HUGEPAGE
  enum { LARGE = 4 << 20, PAGE = 4096 };
  if (bytes < LARGE) return;
  char *begin = slab + (PAGE - (uintptr_t)slab % PAGE) % PAGE;
  (void)madvise(begin, bytes - PAGE, MADV_HUGEPAGE);
#else
  (void)slab;
  (void)bytes;
#endif
}

/* Much of a cache may never be used. calloc() writes zeros where it gives out memory that was in use before; pages of
 * their own are zero, and cost nothing until they are used. */
enum { OWN_PAGES = 1 << 18 };

static char *zeros(size_t bytes) {
#ifdef MAP_ANONYMOUS
  if (bytes >= OWN_PAGES) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
  }
#endif
  return calloc(bytes, 1);
}

static void free_zeros(char *memory, size_t bytes) {
#ifdef MAP_ANONYMOUS
  if (memory != NULL && bytes >= OWN_PAGES) {
    munmap(memory, bytes);
    return;
  }
#endif
  (void)bytes;
  free(memory);
}

static void unpin_all(osvm_cache *cache) {
  for (int k = 0; k < OSVM_TOGETHER; k++) cache->pinned[k] = -1;
}

static int is_pinned(const osvm_cache *cache, int slot) {
  for (int k = 0; k < cache->together - 1; k++)
    if (cache->pinned[k] == slot) return 1;
  return 0;
}

osvm_status osvm_cache_open(osvm_cache *cache, int together, size_t bytes, size_t longest, int most_rows,
                            osvm_error *error) {
  memset(cache, 0, sizeof *cache);
  const size_t most = longest * most_rows;
  if (bytes > most) bytes = most;
  if (bytes < together * longest) bytes = together * longest;
  cache->together = together;
  cache->bytes = bytes;
  cache->free_slot = -1;
  unpin_all(cache);
  cache->memory = zeros(bytes + CACHE_LINE);
  if (cache->memory == NULL) return osvm_no_memory(error);
  cache->slab = cache->memory + (CACHE_LINE - (uintptr_t)cache->memory % CACHE_LINE) % CACHE_LINE;
  use_huge_pages(cache->slab, bytes);
  return OSVM_OK;
}

/* CLOCK; pinned rows are skipped. */
static int evict(osvm_cache *cache) {
  for (;; cache->hand++) {
    if (cache->hand >= cache->filled) cache->hand = 0;
    if (cache->key_of[cache->hand] < 0 || is_pinned(cache, cache->hand)) continue;
    if (!cache->recent[cache->hand]) break;
    cache->recent[cache->hand] = 0;
  }
  cache->slot_of[cache->key_of[cache->hand]] = -1;
  return cache->hand++;
}

static osvm_status add_keys(osvm_cache *cache, int keys, osvm_error *error) {
  OSVM_TRY(osvm_resize(&cache->slot_of, keys, sizeof(int), error));
  OSVM_TRY(osvm_resize(&cache->key_of, keys, sizeof(int), error));
  OSVM_TRY(osvm_resize(&cache->stamp, keys, sizeof(uint64_t), error));
  OSVM_TRY(osvm_resize(&cache->recent, keys, 1, error));
  for (int k = cache->keys; k < keys; k++) cache->slot_of[k] = -1;
  cache->keys = keys;
  return OSVM_OK;
}

/* First all rows close together from the first slot on, then, if they become longer, apart from the last one on. */
static void move_rows(osvm_cache *cache, size_t row_bytes) {
  const size_t old = cache->row_bytes, tight = row_bytes < old ? row_bytes : old;
  int kept = 0;
  for (int s = 0; s < cache->filled; s++) {
    if (cache->key_of[s] < 0) continue;
    memmove(cache->slab + kept * tight, cache->slab + s * old, tight);
    cache->key_of[kept] = cache->key_of[s];
    cache->stamp[kept] = cache->stamp[s];
    cache->recent[kept] = cache->recent[s];
    cache->slot_of[cache->key_of[kept]] = kept;
    kept++;
  }
  for (int s = kept - 1; s >= 0 && row_bytes > old; s--) {
    memmove(cache->slab + s * row_bytes, cache->slab + s * old, old);
    memset(cache->slab + s * row_bytes + old, 0, row_bytes - old);
  }
  cache->filled = kept;
  cache->free_slot = -1;
  cache->hand = 0;
}

osvm_status osvm_cache_reshape(osvm_cache *cache, int keys, size_t row_bytes, osvm_error *error) {
  if (keys > cache->keys) OSVM_TRY(add_keys(cache, keys, error));
  const size_t fit = row_bytes > 0 ? cache->bytes / row_bytes : 0;
  const int slots = fit < (size_t)cache->keys ? (int)fit : cache->keys;
  int rows = 0;
  unpin_all(cache);
  for (int s = 0; s < cache->filled; s++) rows += cache->key_of[s] >= 0;
  for (; rows > slots; rows--) cache->key_of[evict(cache)] = -1;
  move_rows(cache, row_bytes);
  cache->slots = slots;
  cache->row_bytes = row_bytes;
  return OSVM_OK;
}

static char *use(osvm_cache *cache, int slot) {
  cache->recent[slot] = 1;
  for (int k = OSVM_TOGETHER - 1; k > 0; k--) cache->pinned[k] = cache->pinned[k - 1];
  cache->pinned[0] = slot;
  return osvm_cache_row(cache, slot);
}

char *osvm_cache_find(osvm_cache *cache, int key) {
  const int slot = cache->slot_of[key];
  return slot >= 0 ? use(cache, slot) : NULL;
}

char *osvm_cache_place(osvm_cache *cache, int key) {
  int slot = cache->free_slot;
  if (slot >= 0) cache->free_slot = -2 - cache->key_of[slot];
  else if (cache->filled < cache->slots) slot = cache->filled++;
  else if (cache->together > 0) slot = evict(cache);
  else return NULL;
  cache->slot_of[key] = slot;
  cache->key_of[slot] = key;
  cache->stamp[slot] = 0;
  return use(cache, slot);
}

void osvm_cache_drop(osvm_cache *cache, int key) {
  const int slot = cache->slot_of[key];
  if (slot < 0) return;
  cache->slot_of[key] = -1;
  cache->key_of[slot] = -2 - cache->free_slot;
  cache->free_slot = slot;
  for (int k = 0; k < OSVM_TOGETHER; k++)
    if (cache->pinned[k] == slot) cache->pinned[k] = -1;
}

void osvm_cache_rename(osvm_cache *cache, const int *former, int count) {
  for (int k = 0; k < count; k++) {
    const int slot = cache->slot_of[former[k]];
    if (slot >= 0) cache->key_of[slot] = k;
  }
  for (int k = 0; k < cache->keys; k++) cache->slot_of[k] = -1;
  for (int s = 0; s < cache->filled; s++)
    if (cache->key_of[s] >= 0) cache->slot_of[cache->key_of[s]] = s;
}

void osvm_cache_close(osvm_cache *cache) {
  free(cache->slot_of);
  free(cache->key_of);
  free(cache->stamp);
  free(cache->recent);
  free_zeros(cache->memory, cache->bytes + CACHE_LINE);
  memset(cache, 0, sizeof *cache);
}
