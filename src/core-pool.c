/* Who is in, and rows ahead of their visits; see core-pool.h. */
#include "core-pool.h"

#include "core-gram.h"

#include <stdlib.h>
#include <string.h>

/* ---- births ---- */

void osvm_births_note(osvm_births *births, int slot) {
  births->recent[births->now % OSVM_RECENT] = slot;
  births->born[slot] = ++births->now;
}

int osvm_births_since(const osvm_births *births, uint64_t since, int n, int *which) {
  int count = 0;
  if (births->now - since <= OSVM_RECENT) {
    for (uint64_t t = since; t < births->now; t++) which[count++] = births->recent[t % OSVM_RECENT];
    return count;
  }
  for (int s = 0; s < n; s++)
    if (births->born[s] > since) which[count++] = s;
  return count;
}

/* ---- members ---- */

/* Rows at hand are laid out by capacity: they are lost. */
static osvm_status grow(osvm_pool *pool, int capacity, osvm_error *error) {
  const size_t size = pool->whole->simd->size, old = pool->capacity, new = capacity;
  osvm_status status = osvm_resize(&pool->who, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->holders, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->live, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->rank, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->vacant, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->which, new + OSVM_RECENT, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->births.born, new, sizeof(uint64_t), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->row, new, size, error);
  if (status == OSVM_OK) status = osvm_resize(&pool->work, new, sizeof(double), error);
  if (status == OSVM_OK) status = osvm_resize(&pool->ahead, new *OSVM_QUERIES, size, error);
  if (status != OSVM_OK) return status;
  memset(pool->births.born + old, 0, (new - old) * sizeof(uint64_t));
  memset(pool->work + old, 0, (new - old) * sizeof(double));
  memset(pool->ahead, 0, new *OSVM_QUERIES *size);
  memset(pool->row, 0, new *size);
  for (int q = 0; q < OSVM_QUERIES; q++) pool->ahead_of[q] = -1;
  pool->capacity = capacity;
  return OSVM_OK;
}

static int whole_panels(const osvm_pool *pool, int n) {
  const int width = pool->whole->simd->width;
  return (n + width - 1) / width * width;
}

osvm_status osvm_pool_open(osvm_pool *pool, const osvm_kernel *kernel, const osvm_store *whole, int machines,
                           osvm_error *error) {
  memset(pool, 0, sizeof *pool);
  pool->kernel = kernel;
  pool->whole = whole;
  pool->machines = machines;
  pool->slot = malloc(((size_t)whole->n + 1) * sizeof(int));
  pool->query = malloc((size_t)whole->d * OSVM_QUERIES * whole->simd->size + 1);
  if (pool->slot == NULL || pool->query == NULL) return osvm_no_memory(error);
  for (int i = 0; i < whole->n; i++) pool->slot[i] = -1;
  osvm_status status = osvm_store_open(&pool->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, 0, error);
  return status == OSVM_OK ? grow(pool, whole_panels(pool, 64), error) : status;
}

osvm_status osvm_pool_admit(osvm_pool *pool, int i, int *slot, osvm_error *error) {
  *slot = pool->slot[i];
  if (*slot >= 0) {
    pool->holders[*slot]++;
    return OSVM_OK;
  }
  osvm_status status = OSVM_OK;
  const int s = pool->vacancies > 0 ? pool->vacant[pool->vacancies - 1] : pool->store.n;
  if (s >= pool->capacity) status = grow(pool, whole_panels(pool, s + 1 + s / 2), error);
  if (status == OSVM_OK) status = osvm_store_put(&pool->store, s, pool->whole, i, error);
  if (status != OSVM_OK) return status;
  if (pool->vacancies > 0) pool->vacancies--;
  pool->slot[i] = s;
  pool->who[s] = i;
  pool->holders[s] = 1;
  pool->rank[s] = pool->count;
  pool->live[pool->count++] = s;
  osvm_births_note(&pool->births, s);
  *slot = s;
  return OSVM_OK;
}

void osvm_pool_release(osvm_pool *pool, int s) {
  if (--pool->holders[s] > 0) return;
  const int last = pool->live[--pool->count];
  pool->live[pool->rank[s]] = last;
  pool->rank[last] = pool->rank[s];
  pool->slot[pool->who[s]] = -1;
  pool->who[s] = -1;
  pool->vacant[pool->vacancies++] = s;
}

/* ---- rows ---- */

static void *ahead_row(const osvm_pool *pool, int q) {
  return pool->ahead + (size_t)q * pool->capacity * pool->whole->simd->size;
}

static void set_self(const osvm_pool *pool, int i, void *row) {
  const int s = pool->slot[i];
  const double self = osvm_kernel_self(pool->kernel, pool->whole->norm[i]);
  if (s < 0) return;
  osvm_set_real(pool->whole->simd, row, s, self);
}

static void compute_dense(osvm_pool *pool, const int *next, int count) {
  const osvm_store *store = &pool->store, *whole = pool->whole;
  const size_t size = store->simd->size;
  const int panels = (store->n + store->width - 1) / store->width;
  double norms[OSVM_QUERIES] = {0};
  char *queries = pool->query;
  memset(queries, 0, (size_t)whole->d * OSVM_QUERIES * size);
  for (int q = 0; q < count; q++) {
    norms[q] = whole->norm[next[q]];
    osvm_store_query(whole, next[q], queries + (size_t)q * whole->d * size);
  }
  osvm_kernel_block(pool->kernel, store, queries, norms, 0, panels, pool->ahead, pool->capacity);
}

static osvm_status compute_rows(osvm_pool *pool, const int *next, int count, osvm_error *error) {
  const int known = osvm_gram_has(pool->gram, next[0]);
  osvm_status status = known ? OSVM_OK : osvm_store_index(&pool->store, error);
  if (status != OSVM_OK) return status;
  if (known) {
    count = 1; /* nothing is gained by looking ahead */
    osvm_gram_gather(pool->gram, pool->kernel, next[0], pool->who, pool->store.n, pool->ahead);
  } else if (!pool->store.sparse && count > 1) {
    compute_dense(pool, next, count);
  } else {
    for (int q = 0; q < count; q++) {
      const osvm_query query = osvm_store_query(pool->whole, next[q], pool->query);
      osvm_kernel_row(pool->kernel, &pool->store, &query, 0, pool->store.n, pool->work, ahead_row(pool, q));
    }
  }
  for (int q = 0; q < OSVM_QUERIES; q++) {
    pool->ahead_of[q] = q < count ? next[q] : -1;
    pool->made[q] = pool->births.now;
    if (q < count) set_self(pool, next[q], ahead_row(pool, q));
  }
  if (!known) pool->evaluations += (double)count * pool->count;
  return OSVM_OK;
}

/* What has come since the row was made. */
static void complete(osvm_pool *pool, int q) {
  const int i = pool->ahead_of[q];
  if (pool->made[q] == pool->births.now) return;
  const int count = osvm_births_since(&pool->births, pool->made[q], pool->store.n, pool->which);
  const osvm_query query = osvm_store_query(pool->whole, i, pool->query);
  for (int k = 0; k < count; k++)
    osvm_kernel_row(pool->kernel, &pool->store, &query, pool->which[k], pool->which[k] + 1, pool->work,
                    ahead_row(pool, q));
  set_self(pool, i, ahead_row(pool, q));
  pool->made[q] = pool->births.now;
  pool->evaluations += count;
}

osvm_status osvm_pool_row(osvm_pool *pool, const int *next, int count, const void **row, osvm_error *error) {
  int q = 0;
  while (q < OSVM_QUERIES && pool->ahead_of[q] != next[0]) q++;
  if (q < OSVM_QUERIES) {
    complete(pool, q);
  } else {
    q = 0;
    osvm_status status = compute_rows(pool, next, count < OSVM_QUERIES ? count : OSVM_QUERIES, error);
    if (status != OSVM_OK) return status;
  }
  *row = ahead_row(pool, q);
  return OSVM_OK;
}

void osvm_pool_member_row(osvm_pool *pool, int slot, int from, int to) {
  const osvm_query query = osvm_store_query(&pool->store, slot, pool->query);
  osvm_kernel_row(pool->kernel, &pool->store, &query, from, to, pool->work, pool->row);
  if (slot >= from && slot < to) set_self(pool, pool->who[slot], pool->row);
}

void osvm_pool_close(osvm_pool *pool) {
  osvm_store_close(&pool->store);
  free(pool->slot);
  free(pool->who);
  free(pool->holders);
  free(pool->live);
  free(pool->rank);
  free(pool->vacant);
  free(pool->which);
  free(pool->births.born);
  free(pool->ahead);
  free(pool->query);
  free(pool->row);
  free(pool->work);
  memset(pool, 0, sizeof *pool);
}
