/* Rows lie in one slab, so that a smaller choice, with its shorter rows, has room for more of them. */
#include "smo-active-set.h"

#include "kernel-gram.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 1024 }; /* values computed while they are close at hand */

enum { LARGE_STORE = 2 << 20 }; /* bytes; from here on a row is bound by reading the panels, which several can share */

static size_t round_up(size_t n, size_t width) { return (n + width - 1) / width * width; }
static size_t row_bytes(const osvm_active_set *a) { return a->stride * a->store.simd->size; }
static size_t at_least(size_t a, size_t b) { return a > b ? a : b; }

osvm_status osvm_active_set_open(osvm_active_set *a, const osvm_kernel *kernel, const osvm_store *whole, size_t bytes,
                             osvm_error *error) {
  memset(a, 0, sizeof *a);
  a->kernel = kernel;
  a->whole = whole;
  a->store.simd = whole->simd;
  const size_t n = whole->n > 0 ? whole->n : 1, size = whole->simd->size;
  const size_t row = round_up(n, whole->width) * size, most = row * at_least(n, 2);
  a->bytes = at_least(bytes < most ? bytes : most, 2 * row);
  a->who = malloc(n * sizeof(int));
  a->place = malloc(n * sizeof(int));
  a->slot_of = malloc(n * sizeof(int));
  a->key_of = malloc(n * sizeof(int));
  a->length = malloc(n * sizeof(int));
  a->recent = calloc(n, 1);
  a->query = malloc((size_t)whole->d * OSVM_QUERIES * size + 1);
  a->block = malloc(at_least(row, (size_t)SLICE * OSVM_QUERIES * size));
  a->work = calloc(whole->sparse ? n : 1, sizeof(double));
  /* Zeros: values behind a row's end are read, and must be numbers. Untouched pages cost nothing. */
  a->slab = calloc(a->bytes, 1);
  if (!a->who || !a->place || !a->slot_of || !a->key_of || !a->length || !a->recent || !a->query || !a->block ||
      !a->work || !a->slab)
    return osvm_no_memory(error);
  for (int i = 0; i < whole->n; i++) a->slot_of[i] = a->place[i] = -1;
  return OSVM_OK;
}

/* ---- the packed store ---- */

static osvm_status pack(osvm_active_set *a, osvm_error *error) {
  const osvm_store *whole = a->whole;
  osvm_store_close(&a->store);
  osvm_status status = osvm_store_open(&a->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, a->n, error);
  for (int k = 0; k < a->n && status == OSVM_OK; k++) status = osvm_store_put(&a->store, k, whole, a->who[k], error);
  return status == OSVM_OK ? osvm_store_index(&a->store, error) : status;
}

/* ---- the rows ---- */

/* The values of the examples that stay move to the row's front; from[k], increasing, is where the k-th was. */
static int squeeze(char *row, int length, const int *from, int stay, size_t size) {
  int k = 0;
  if (size == sizeof(float))
    for (float *v = (float *)row; k < stay && from[k] < length; k++) v[k] = v[from[k]];
  else
    for (double *v = (double *)row; k < stay && from[k] < length; k++) v[k] = v[from[k]];
  return k;
}

/* First the rows that stay, close together; then, if rows have become longer, apart again from the last one on. */
static void move_rows(osvm_active_set *a, const unsigned char *wanted, const int *from, int stay, size_t stride) {
  const size_t size = a->whole->simd->size, old = a->stride * size, new = stride *size, tight = new < old ? new : old;
  const size_t fit = a->bytes / new;
  const int slots = fit < (size_t)a->n ? (int)fit : a->n;
  int kept = 0;
  for (int s = 0; s < a->filled; s++) {
    const int key = a->key_of[s];
    a->slot_of[key] = -1;
    if (!wanted[key] || kept == slots) continue;
    const int length = squeeze(a->slab + s * old, a->length[s], from, stay, size);
    memmove(a->slab + kept * tight, a->slab + s * old, length * size);
    a->key_of[kept] = key;
    a->length[kept] = length;
    a->recent[kept] = a->recent[s];
    a->slot_of[key] = kept++;
  }
  for (int s = kept - 1; s > 0 && new > old; s--) memmove(a->slab + s * new, a->slab + s * old, a->length[s] * size);
  a->slots = slots;
  a->filled = kept;
  a->stride = stride;
  a->hand = 0;
  a->pinned = -1;
}

osvm_status osvm_active_set_select(osvm_active_set *a, const unsigned char *wanted, osvm_error *error) {
  int *from = malloc(((size_t)a->n + 1) * sizeof(int));
  if (from == NULL) return osvm_no_memory(error);
  int stay = 0;
  for (int k = 0; k < a->n; k++) {
    const int i = a->who[k];
    a->place[i] = -1;
    if (!wanted[i]) continue;
    from[stay] = k;
    a->who[stay] = i;
    a->place[i] = stay++;
  }
  a->n = stay;
  for (int i = 0; i < a->whole->n; i++) {
    if (!wanted[i] || a->place[i] >= 0) continue;
    a->place[i] = a->n;
    a->who[a->n++] = i;
  }
  move_rows(a, wanted, from, stay, round_up(at_least(a->n, 1), a->whole->width));
  free(from);
  return pack(a, error);
}

/* A slot never used, or the first one the hand meets that nobody asked for since it last passed. */
static int take_slot(osvm_active_set *a) {
  if (a->filled < a->slots) return a->filled++;
  while (a->hand == a->pinned || a->recent[a->hand]) {
    a->recent[a->hand] = 0;
    a->hand = (a->hand + 1) % a->slots;
  }
  const int slot = a->hand;
  a->hand = (a->hand + 1) % a->slots;
  a->slot_of[a->key_of[slot]] = -1;
  return slot;
}

/* The example's slot, new or old. */
static int slot_for(osvm_active_set *a, int k) {
  const int key = a->who[k];
  int slot = a->slot_of[key];
  if (slot >= 0) return slot;
  slot = take_slot(a);
  a->slot_of[key] = slot;
  a->key_of[slot] = key;
  a->length[slot] = 0;
  return slot;
}

const void *osvm_active_set_row(osvm_active_set *a, int k) {
  const int slot = slot_for(a, k);
  char *row = a->slab + slot * row_bytes(a);
  const int known = a->length[slot];
  if (known < a->n && osvm_gram_has(a->gram, a->who[k])) {
    osvm_gram_gather(a->gram, a->kernel, a->who[k], a->who + known, a->n - known, row + known * a->whole->simd->size);
  } else if (known < a->n) {
    const osvm_query query = osvm_store_query(&a->store, k, a->query);
    osvm_kernel_row(a->kernel, &a->store, &query, known, a->n, a->work, row);
    a->evaluations += a->n - known;
  }
  a->length[slot] = a->n;
  a->recent[slot] = 1;
  a->pinned = slot;
  return row;
}

int osvm_active_set_lacks(const osvm_active_set *a, int k) { return a->slot_of[a->who[k]] < 0; }

int osvm_active_set_fetches(const osvm_active_set *a) {
  const size_t bytes = (size_t)a->n * a->store.d * a->store.simd->size;
  return !osvm_gram_complete(a->gram) && !a->store.sparse && bytes >= LARGE_STORE &&
         a->filled + OSVM_QUERIES <= a->slots;
}

/* Slice by slice of a->query's rows: each(a, begin, n, ...) sees them in a->block, SLICE values apart. */
typedef void slice_user(osvm_active_set *a, int begin, int n, const void *const *rows, void *user);

static void walk_slices(osvm_active_set *a, slice_user *each, void *user) {
  const osvm_store *store = &a->store;
  const int width = store->width, panels = (a->n + width - 1) / width, step = SLICE / width;
  const void *rows[OSVM_QUERIES];
  for (int q = 0; q < OSVM_QUERIES; q++) rows[q] = (char *)a->block + (size_t)q * SLICE * store->simd->size;
  for (int p = 0; p < panels; p += step) {
    const int begin = p * width, some = panels - p < step ? panels - p : step;
    osvm_kernel_rows(a->kernel, store, a->query, p, some, a->block, SLICE);
    each(a, begin, a->n - begin < some * width ? a->n - begin : some * width, rows, user);
  }
}

static void *query_at(const osvm_active_set *a, int q) {
  return (char *)a->query + (size_t)q * a->store.d * a->store.simd->size;
}

static void keep_slice(osvm_active_set *a, int begin, int n, const void *const *rows, void *user) {
  const size_t size = a->store.simd->size;
  for (const int *slot = user; *slot >= 0; slot++)
    memcpy(a->slab + *slot * row_bytes(a) + begin * size, *rows++, n * size);
}

void osvm_active_set_fetch(osvm_active_set *a, const int *ks, int count) {
  int slot[OSVM_QUERIES + 1];
  memset(a->query, 0, (size_t)a->store.d * OSVM_QUERIES * a->store.simd->size);
  for (int q = 0; q < count; q++) {
    osvm_store_query(&a->store, ks[q], query_at(a, q));
    slot[q] = slot_for(a, ks[q]);
    a->length[slot[q]] = a->n;
    a->recent[slot[q]] = 1;
  }
  slot[count] = -1;
  walk_slices(a, keep_slice, slot);
  a->evaluations += (double)count * a->n;
}

typedef struct {
  double factor[OSVM_QUERIES], *out;
} addition;

static void add_slice(osvm_active_set *a, int begin, int n, const void *const *rows, void *user) {
  const addition *sum = user;
  a->store.simd->combine(rows, n, sum->factor, sum->out + begin);
}

static void add_four(osvm_active_set *a, const int *who, const double *factor, int count, double *out) {
  addition sum = {.out = out};
  memset(a->query, 0, (size_t)a->store.d * OSVM_QUERIES * a->store.simd->size);
  for (int q = 0; q < count; q++) {
    sum.factor[q] = factor[q];
    osvm_store_query(a->whole, who[q], query_at(a, q));
  }
  walk_slices(a, add_slice, &sum);
}

void osvm_active_set_add(osvm_active_set *a, const int *who, const double *factor, int count, double *out) {
  for (int k = 0; k < count && a->store.sparse; k++) {
    if (osvm_gram_has(a->gram, who[k])) {
      osvm_gram_gather(a->gram, a->kernel, who[k], a->who, a->n, a->block);
    } else {
      const osvm_query query = osvm_store_query(a->whole, who[k], a->query);
      osvm_kernel_row(a->kernel, &a->store, &query, 0, a->n, a->work, a->block);
      a->evaluations += a->n;
    }
    a->store.simd->add(a->block, a->n, factor[k], out);
  }
  if (!a->store.sparse) a->evaluations += (double)count * a->n;
  for (int k = 0; k < count && !a->store.sparse; k += OSVM_QUERIES)
    add_four(a, who + k, factor + k, count - k < OSVM_QUERIES ? count - k : OSVM_QUERIES, out);
}

void osvm_active_set_close(osvm_active_set *a) {
  osvm_store_close(&a->store);
  free(a->who);
  free(a->place);
  free(a->slab);
  free(a->slot_of);
  free(a->key_of);
  free(a->length);
  free(a->recent);
  free(a->query);
  free(a->block);
  free(a->work);
  memset(a, 0, sizeof *a);
}
