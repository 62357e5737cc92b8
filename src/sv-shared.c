/* See sv-shared.h. */
#include "sv-shared.h"

#include <stdlib.h>
#include <string.h>

/* ---- generations ---- */

void osvm_generations_add(osvm_generations *generations, int slot) {
  generations->recent[generations->now % OSVM_RECENT] = slot;
  generations->added[slot] = ++generations->now;
}

int osvm_generations_since(const osvm_generations *generations, uint64_t since, int n, int *slots) {
  int count = 0;
  if (generations->now - since <= OSVM_RECENT) {
    for (uint64_t t = since; t < generations->now; t++) {
      const int slot = generations->recent[t % OSVM_RECENT];
      if (slot < n) slots[count++] = slot;
    }
    return count;
  }
  for (int s = 0; s < n; s++)
    if (generations->added[s] > since) slots[count++] = s;
  return count;
}

/* ---- slots ---- */

/* Lookahead rows are `capacity` values apart: they are lost. */
static osvm_status grow(osvm_shared_sv *shared, int capacity, osvm_error *error) {
  const size_t size = shared->whole->simd->size, old = shared->capacity, new = capacity;
  OSVM_TRY(osvm_resize(&shared->example, new, sizeof(int), error));
  shared->rows.gram_column = shared->example;
  OSVM_TRY(osvm_resize(&shared->references, new, sizeof(int), error));
  OSVM_TRY(osvm_resize(&shared->order, new, sizeof(int), error));
  OSVM_TRY(osvm_resize(&shared->rank, new, sizeof(int), error));
  OSVM_TRY(osvm_resize(&shared->free_slots, new, sizeof(int), error));
  OSVM_TRY(osvm_resize(&shared->changed_slots, new + OSVM_RECENT, sizeof(int), error));
  OSVM_TRY(osvm_resize(&shared->generations.added, new, sizeof(uint64_t), error));
  OSVM_TRY(osvm_resize(&shared->row, new, size, error));
  OSVM_TRY(osvm_rows_reserve(&shared->rows, shared->capacity, capacity, error));
  OSVM_TRY(osvm_resize(&shared->lookahead, new *OSVM_QUERIES, size, error));
  for (int q = 0; q < OSVM_QUERIES; q++) shared->lookahead_of[q] = -1;
  memset(shared->generations.added + old, 0, (new - old) * sizeof(uint64_t));
  memset(shared->lookahead, 0, new *OSVM_QUERIES *size);
  memset(shared->row, 0, new *size);
  shared->capacity = capacity;
  return OSVM_OK;
}

static int whole_panels(const osvm_shared_sv *shared, int n) {
  const int width = shared->whole->simd->width;
  return (n + width - 1) / width * width;
}

osvm_status osvm_shared_sv_open(osvm_shared_sv *shared, const osvm_kernel *kernel, const osvm_store *whole,
                                int machines, osvm_error *error) {
  memset(shared, 0, sizeof *shared);
  shared->whole = whole;
  shared->machines = machines;
  shared->most = whole->n;
  shared->slot = malloc(((size_t)whole->n + 1) * sizeof(int));
  if (shared->slot == NULL) return osvm_no_memory(error);
  for (int i = 0; i < whole->n; i++) shared->slot[i] = -1;
  OSVM_TRY(osvm_store_open(&shared->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, 0, error));
  OSVM_TRY(osvm_rows_open(&shared->rows, kernel, &shared->store, OSVM_MIXED_ROUNDING, error));
  return grow(shared, whole_panels(shared, 64), error);
}

osvm_status osvm_shared_sv_acquire(osvm_shared_sv *shared, int i, int *slot, osvm_error *error) {
  *slot = shared->slot[i];
  if (*slot >= 0) {
    shared->references[*slot]++;
    return OSVM_OK;
  }
  const int s = shared->n_free > 0 ? shared->free_slots[shared->n_free - 1] : shared->store.n;
  if (s >= shared->capacity) OSVM_TRY(grow(shared, whole_panels(shared, s + 1 + s / 2), error));
  OSVM_TRY(osvm_store_put(&shared->store, s, shared->whole, i, error));
  if (shared->n_free > 0) shared->n_free--;
  shared->rows.unused_columns = shared->n_free;
  shared->slot[i] = s;
  shared->example[s] = i;
  shared->references[s] = 1;
  shared->rank[s] = shared->count;
  shared->order[shared->count++] = s;
  osvm_generations_add(&shared->generations, s);
  *slot = s;
  return OSVM_OK;
}

void osvm_shared_sv_release(osvm_shared_sv *shared, int s) {
  if (--shared->references[s] > 0) return;
  const int last = shared->order[--shared->count];
  shared->order[shared->rank[s]] = last;
  shared->rank[last] = shared->rank[s];
  shared->slot[shared->example[s]] = -1;
  shared->example[s] = -1;
  shared->free_slots[shared->n_free++] = s;
  shared->rows.unused_columns = shared->n_free;
}

void osvm_shared_sv_remove(osvm_shared_sv *shared, int s) {
  const int last = --shared->count;
  shared->slot[shared->example[s]] = -1;
  osvm_store_remove(&shared->store, s);
  if (s == last) return;
  shared->example[s] = shared->example[last];
  shared->slot[shared->example[s]] = s;
  osvm_generations_add(&shared->generations, s);
}

void osvm_shared_sv_replace(osvm_shared_sv *shared, int s, int i) {
  shared->slot[shared->example[s]] = -1;
  shared->slot[i] = s;
  shared->example[s] = i;
  osvm_generations_add(&shared->generations, s);
}

/* ---- from one run to the next ---- */

osvm_status osvm_shared_sv_rearrange(osvm_shared_sv *shared, const int *former, int count) {
  int *references = shared->changed_slots;
  for (int k = 0; k < count; k++) {
    references[k] = shared->references[former[k]];
    if (former[k] != k) OSVM_TRY(osvm_store_put(&shared->store, k, shared->whole, shared->example[former[k]], NULL));
  }
  osvm_store_truncate(&shared->store, count);
  if (count > 0) memcpy(shared->references, references, count * sizeof(int));
  for (int k = 0; k < count; k++) shared->example[k] = shared->order[k] = shared->rank[k] = k;
  shared->count = count;
  shared->n_free = shared->rows.unused_columns = 0;
  return OSVM_OK;
}

/* Room for half as many again: the next runs have an example or a few more each. */
osvm_status osvm_shared_sv_resume(osvm_shared_sv *shared, const osvm_store *whole, osvm_error *error) {
  if (whole->n > shared->most) {
    const int most = whole->n + whole->n / 2;
    OSVM_TRY(osvm_resize(&shared->slot, (size_t)most + 1, sizeof(int), error));
    shared->most = most;
  }
  shared->whole = whole;
  for (int i = 0; i < whole->n; i++) shared->slot[i] = i < shared->count ? i : -1;
  for (int q = 0; q < OSVM_QUERIES; q++) shared->lookahead_of[q] = -1;
  return OSVM_OK;
}

/* ---- rows ---- */

static void *lookahead_row(const osvm_shared_sv *shared, int q) {
  return shared->lookahead + (size_t)q * shared->capacity * shared->whole->simd->size;
}

/* k(x, x) from the norm, free of a distance's rounding */
static void set_self(const osvm_shared_sv *shared, int i, void *row) {
  const int s = shared->slot[i];
  if (s < 0) return;
  osvm_set_real(shared->whole->simd, row, s, osvm_kernel_self(&shared->rows.kernel, &shared->store, s));
}

static osvm_status compute_rows(osvm_shared_sv *shared, const int *next, int count, osvm_error *error) {
  if (osvm_gram_has(shared->rows.gram, next[0])) count = 1; /* rows gathered together cost as much as one by one */
  else OSVM_TRY(osvm_store_index(&shared->store, error));
  osvm_rows_load(&shared->rows, shared->whole, next, count);
  osvm_rows_compute(&shared->rows, 0, shared->store.n, shared->lookahead, shared->capacity);
  for (int q = 0; q < OSVM_QUERIES; q++) {
    shared->lookahead_of[q] = q < count ? next[q] : -1;
    shared->lookahead_synced[q] = shared->generations.now;
    if (q < count) set_self(shared, next[q], lookahead_row(shared, q));
  }
  return OSVM_OK;
}

/* Values with the support vectors added since the row was computed */
static void complete(osvm_shared_sv *shared, int q) {
  const int i = shared->lookahead_of[q];
  if (shared->lookahead_synced[q] == shared->generations.now) return;
  const int count =
      osvm_generations_since(&shared->generations, shared->lookahead_synced[q], shared->store.n, shared->changed_slots);
  osvm_rows_values(&shared->rows, shared->whole, i, shared->changed_slots, count, lookahead_row(shared, q));
  set_self(shared, i, lookahead_row(shared, q));
  shared->lookahead_synced[q] = shared->generations.now;
}

osvm_status osvm_shared_sv_row(osvm_shared_sv *shared, const int *next, int count, const void **row,
                               osvm_error *error) {
  int q = 0;
  while (q < OSVM_QUERIES && shared->lookahead_of[q] != next[0]) q++;
  if (q < OSVM_QUERIES) {
    complete(shared, q);
  } else {
    q = 0;
    OSVM_TRY(compute_rows(shared, next, count < OSVM_QUERIES ? count : OSVM_QUERIES, error));
  }
  *row = lookahead_row(shared, q);
  return OSVM_OK;
}

void osvm_shared_sv_own_row(osvm_shared_sv *shared, int slot) {
  osvm_rows_load(&shared->rows, &shared->store, &slot, 1);
  osvm_rows_compute(&shared->rows, 0, shared->store.n, shared->row, shared->capacity);
  set_self(shared, shared->example[slot], shared->row);
}

void osvm_shared_sv_own_values(osvm_shared_sv *shared, int slot, const int *slots, int count) {
  osvm_rows_values(&shared->rows, &shared->store, slot, slots, count, shared->row);
  set_self(shared, shared->example[slot], shared->row);
}

void osvm_shared_sv_close(osvm_shared_sv *shared) {
  osvm_store_close(&shared->store);
  osvm_rows_close(&shared->rows);
  free(shared->slot);
  free(shared->example);
  free(shared->references);
  free(shared->order);
  free(shared->rank);
  free(shared->free_slots);
  free(shared->changed_slots);
  free(shared->generations.added);
  free(shared->lookahead);
  free(shared->row);
  memset(shared, 0, sizeof *shared);
}

osvm_status osvm_shared_sv_view(osvm_shared_sv *view, const osvm_shared_sv *shared, osvm_error *error) {
  *view = *shared;
  view->changed_slots = malloc(((size_t)shared->capacity + OSVM_RECENT) * sizeof(int));
  view->row = calloc(shared->capacity, shared->whole->simd->size);
  OSVM_TRY(osvm_rows_open(&view->rows, &shared->rows.kernel, &shared->store, shared->rows.rounding, error));
  OSVM_TRY(osvm_rows_reserve(&view->rows, 0, shared->capacity, error));
  view->rows.store = &view->store;
  view->rows.gram = shared->rows.gram;
  view->rows.gram_column = shared->rows.gram_column;
  view->rows.unused_columns = shared->rows.unused_columns;
  return view->changed_slots != NULL && view->row != NULL ? OSVM_OK : osvm_no_memory(error);
}

void osvm_shared_sv_close_view(osvm_shared_sv *view) {
  osvm_rows_close(&view->rows);
  free(view->changed_slots);
  free(view->row);
}
