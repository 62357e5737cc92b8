/* Examples of a store rearranged and dropped in place: no memory is needed, so that nothing can fail. */
#include <string.h>

#include "data-pack.h"

static char *dense_values(const osvm_store *store, int i) {
  return (char *)store->dense + osvm_dense_offset(store, i) * store->simd->size;
}

static void copy_dense(const osvm_store *store, int to, int from) {
  osvm_copy_strided(store->simd->size, dense_values(store, to), store->width, dense_values(store, from), store->width,
                    store->d);
}

static void swap_dense(const osvm_store *store, int i, int j) {
  const size_t size = store->simd->size, step = store->width * size;
  char *a = dense_values(store, i), *b = dense_values(store, j), value[sizeof(double)];
  for (int f = 0; f < store->d; f++) {
    memcpy(value, a + f * step, size);
    memcpy(a + f * step, b + f * step, size);
    memcpy(b + f * step, value, size);
  }
}

/* The non-zeros of a sparse example stay where they are. */
static void copy_example(osvm_store *store, int to, int from) {
  store->norm[to] = store->norm[from];
  if (store->sparse) {
    store->row_start[to] = store->row_start[from];
    store->row_length[to] = store->row_length[from];
    store->absolute[to] = store->absolute[from];
  } else {
    copy_dense(store, to, from);
  }
}

static void swap_examples(osvm_store *store, int i, int j) {
  const double norm = store->norm[i];
  store->norm[i] = store->norm[j];
  store->norm[j] = norm;
  if (store->sparse) {
    const size_t start = store->row_start[i];
    const int length = store->row_length[i];
    const double absolute = store->absolute[i];
    store->row_start[i] = store->row_start[j];
    store->row_length[i] = store->row_length[j];
    store->absolute[i] = store->absolute[j];
    store->row_start[j] = start;
    store->row_length[j] = length;
    store->absolute[j] = absolute;
  } else {
    swap_dense(store, i, j);
  }
}

/* Cycle by cycle. A place that has its example is marked by the complement of its number. */
static void permute(osvm_store *store, int *order) {
  for (int start = 0; start < store->n; start++) {
    for (int k = start; order[k] >= 0;) {
      const int next = order[k];
      order[k] = ~next;
      if (next != start) swap_examples(store, k, next);
      k = next;
    }
  }
  for (int k = 0; k < store->n; k++) order[k] = ~order[k];
}

/* An index holds all examples but those appended after it was built, which are among the stale ones. */
static void shorten_index(osvm_store *store, int count) {
  if (store->index_start == NULL) return;
  if (count < store->indexed) {
    osvm_store_drop_index(store);
    return;
  }
  int stales = 0;
  for (int k = 0; k < store->stales; k++)
    if (store->stale[k] < count) store->stale[stales++] = store->stale[k];
  store->stales = stales;
}

void osvm_store_truncate(osvm_store *store, int count) {
  if (count >= store->n) return;
  shorten_index(store, count);
  for (int i = count; i < store->n && !store->sparse; i++)
    for (int f = 0; f < store->d; f++)
      memset(dense_values(store, i) + (size_t)f * store->width * store->simd->size, 0, store->simd->size);
  store->n = count;
}

void osvm_store_remove(osvm_store *store, int i) {
  const int last = store->n - 1;
  if (i < last) {
    copy_example(store, i, last);
    osvm_error ignored;
    if (osvm_store_mark_stale(store, i, &ignored) != OSVM_OK) osvm_store_drop_index(store);
  }
  osvm_store_truncate(store, last);
}

void osvm_store_select(osvm_store *store, int *order, int count) {
  int moved = 0, downwards = 1;
  for (int k = 0; k < count; k++) {
    moved |= order[k] != k;
    downwards &= order[k] >= k;
  }
  if (moved) osvm_store_drop_index(store);
  if (moved && downwards) {
    for (int k = 0; k < count; k++)
      if (order[k] != k) copy_example(store, k, order[k]);
  } else if (moved) {
    permute(store, order);
  }
  osvm_store_truncate(store, count);
}
