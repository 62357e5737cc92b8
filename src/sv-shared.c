/* Who is in, and rows ahead of their visits; see sv-shared.h. */
#include "sv-shared.h"

#include "kernel-gram.h"

#include <stdlib.h>
#include <string.h>

/* ---- births ---- */

void osvm_generations_add(osvm_generations *generations, int slot) {
  generations->recent[generations->now % OSVM_RECENT] = slot;
  generations->added[slot] = ++generations->now;
}

int osvm_generations_since(const osvm_generations *generations, uint64_t since, int n, int *which) {
  int count = 0;
  if (generations->now - since <= OSVM_RECENT) {
    for (uint64_t t = since; t < generations->now; t++) which[count++] = generations->recent[t % OSVM_RECENT];
    return count;
  }
  for (int s = 0; s < n; s++)
    if (generations->added[s] > since) which[count++] = s;
  return count;
}

/* ---- members ---- */

/* Rows at hand are laid out by capacity: they are lost. */
static osvm_status grow(osvm_shared_sv *shared, int capacity, osvm_error *error) {
  const size_t size = shared->whole->simd->size, old = shared->capacity, new = capacity;
  osvm_status status = osvm_resize(&shared->who, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->references, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->live, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->rank, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->vacant, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->which, new + OSVM_RECENT, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->generations.added, new, sizeof(uint64_t), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->row, new, size, error);
  if (status == OSVM_OK) status = osvm_resize(&shared->work, new, sizeof(double), error);
  if (status == OSVM_OK) status = osvm_resize(&shared->ahead, new *OSVM_QUERIES, size, error);
  if (status != OSVM_OK) return status;
  memset(shared->generations.added + old, 0, (new - old) * sizeof(uint64_t));
  memset(shared->work + old, 0, (new - old) * sizeof(double));
  memset(shared->ahead, 0, new *OSVM_QUERIES *size);
  memset(shared->row, 0, new *size);
  for (int q = 0; q < OSVM_QUERIES; q++) shared->ahead_of[q] = -1;
  shared->capacity = capacity;
  return OSVM_OK;
}

static int whole_panels(const osvm_shared_sv *shared, int n) {
  const int width = shared->whole->simd->width;
  return (n + width - 1) / width * width;
}

osvm_status osvm_shared_sv_open(osvm_shared_sv *shared, const osvm_kernel *kernel, const osvm_store *whole, int machines,
                           osvm_error *error) {
  memset(shared, 0, sizeof *shared);
  shared->kernel = kernel;
  shared->whole = whole;
  shared->machines = machines;
  shared->slot = malloc(((size_t)whole->n + 1) * sizeof(int));
  shared->query = malloc((size_t)whole->d * OSVM_QUERIES * whole->simd->size + 1);
  if (shared->slot == NULL || shared->query == NULL) return osvm_no_memory(error);
  for (int i = 0; i < whole->n; i++) shared->slot[i] = -1;
  osvm_status status = osvm_store_open(&shared->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, 0, error);
  return status == OSVM_OK ? grow(shared, whole_panels(shared, 64), error) : status;
}

osvm_status osvm_shared_sv_acquire(osvm_shared_sv *shared, int i, int *slot, osvm_error *error) {
  *slot = shared->slot[i];
  if (*slot >= 0) {
    shared->references[*slot]++;
    return OSVM_OK;
  }
  osvm_status status = OSVM_OK;
  const int s = shared->vacancies > 0 ? shared->vacant[shared->vacancies - 1] : shared->store.n;
  if (s >= shared->capacity) status = grow(shared, whole_panels(shared, s + 1 + s / 2), error);
  if (status == OSVM_OK) status = osvm_store_put(&shared->store, s, shared->whole, i, error);
  if (status != OSVM_OK) return status;
  if (shared->vacancies > 0) shared->vacancies--;
  shared->slot[i] = s;
  shared->who[s] = i;
  shared->references[s] = 1;
  shared->rank[s] = shared->count;
  shared->live[shared->count++] = s;
  osvm_generations_add(&shared->generations, s);
  *slot = s;
  return OSVM_OK;
}

void osvm_shared_sv_release(osvm_shared_sv *shared, int s) {
  if (--shared->references[s] > 0) return;
  const int last = shared->live[--shared->count];
  shared->live[shared->rank[s]] = last;
  shared->rank[last] = shared->rank[s];
  shared->slot[shared->who[s]] = -1;
  shared->who[s] = -1;
  shared->vacant[shared->vacancies++] = s;
}

/* ---- rows ---- */

static void *ahead_row(const osvm_shared_sv *shared, int q) {
  return shared->ahead + (size_t)q * shared->capacity * shared->whole->simd->size;
}

static void set_self(const osvm_shared_sv *shared, int i, void *row) {
  const int s = shared->slot[i];
  const double self = osvm_kernel_self(shared->kernel, shared->whole->norm[i]);
  if (s < 0) return;
  osvm_set_real(shared->whole->simd, row, s, self);
}

static void compute_dense(osvm_shared_sv *shared, const int *next, int count) {
  const osvm_store *store = &shared->store, *whole = shared->whole;
  const size_t size = store->simd->size;
  const int panels = (store->n + store->width - 1) / store->width;
  double norms[OSVM_QUERIES] = {0};
  char *queries = shared->query;
  memset(queries, 0, (size_t)whole->d * OSVM_QUERIES * size);
  for (int q = 0; q < count; q++) {
    norms[q] = whole->norm[next[q]];
    osvm_store_query(whole, next[q], queries + (size_t)q * whole->d * size);
  }
  osvm_kernel_block(shared->kernel, store, queries, norms, 0, panels, shared->ahead, shared->capacity);
}

static osvm_status compute_rows(osvm_shared_sv *shared, const int *next, int count, osvm_error *error) {
  const int known = osvm_gram_has(shared->gram, next[0]);
  osvm_status status = known ? OSVM_OK : osvm_store_index(&shared->store, error);
  if (status != OSVM_OK) return status;
  if (known) {
    count = 1; /* nothing is gained by looking ahead */
    osvm_gram_gather(shared->gram, shared->kernel, next[0], shared->who, shared->store.n, shared->ahead);
  } else if (!shared->store.sparse && count > 1) {
    compute_dense(shared, next, count);
  } else {
    for (int q = 0; q < count; q++) {
      const osvm_query query = osvm_store_query(shared->whole, next[q], shared->query);
      osvm_kernel_row(shared->kernel, &shared->store, &query, 0, shared->store.n, shared->work, ahead_row(shared, q));
    }
  }
  for (int q = 0; q < OSVM_QUERIES; q++) {
    shared->ahead_of[q] = q < count ? next[q] : -1;
    shared->made[q] = shared->generations.now;
    if (q < count) set_self(shared, next[q], ahead_row(shared, q));
  }
  if (!known) shared->evaluations += (double)count * shared->count;
  return OSVM_OK;
}

/* What has come since the row was made. */
static void complete(osvm_shared_sv *shared, int q) {
  const int i = shared->ahead_of[q];
  if (shared->made[q] == shared->generations.now) return;
  const int count = osvm_generations_since(&shared->generations, shared->made[q], shared->store.n, shared->which);
  const osvm_query query = osvm_store_query(shared->whole, i, shared->query);
  for (int k = 0; k < count; k++)
    osvm_kernel_row(shared->kernel, &shared->store, &query, shared->which[k], shared->which[k] + 1, shared->work,
                    ahead_row(shared, q));
  set_self(shared, i, ahead_row(shared, q));
  shared->made[q] = shared->generations.now;
  shared->evaluations += count;
}

osvm_status osvm_shared_sv_row(osvm_shared_sv *shared, const int *next, int count, const void **row, osvm_error *error) {
  int q = 0;
  while (q < OSVM_QUERIES && shared->ahead_of[q] != next[0]) q++;
  if (q < OSVM_QUERIES) {
    complete(shared, q);
  } else {
    q = 0;
    osvm_status status = compute_rows(shared, next, count < OSVM_QUERIES ? count : OSVM_QUERIES, error);
    if (status != OSVM_OK) return status;
  }
  *row = ahead_row(shared, q);
  return OSVM_OK;
}

void osvm_shared_sv_own_row(osvm_shared_sv *shared, int slot, int from, int to) {
  const osvm_query query = osvm_store_query(&shared->store, slot, shared->query);
  osvm_kernel_row(shared->kernel, &shared->store, &query, from, to, shared->work, shared->row);
  if (slot >= from && slot < to) set_self(shared, shared->who[slot], shared->row);
}

void osvm_shared_sv_close(osvm_shared_sv *shared) {
  osvm_store_close(&shared->store);
  free(shared->slot);
  free(shared->who);
  free(shared->references);
  free(shared->live);
  free(shared->rank);
  free(shared->vacant);
  free(shared->which);
  free(shared->generations.added);
  free(shared->ahead);
  free(shared->query);
  free(shared->row);
  free(shared->work);
  memset(shared, 0, sizeof *shared);
}
