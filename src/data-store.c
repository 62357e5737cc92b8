/* The store: dense examples in panels (or rows), sparse ones by row and, once indexed, also by column (CSR and CSC). */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data-pack.h"

static int single(const osvm_store *store) { return store->simd->size == sizeof(float); }

static void set_value(const osvm_store *store, void *values, size_t k, double x) {
  osvm_set_real(store->simd, values, k, x);
}

static double get_value(const osvm_store *store, const void *values, size_t k) {
  return osvm_real(store->simd, values, k);
}

static osvm_status grow(osvm_store *store, int capacity, osvm_error *error) {
  OSVM_TRY(osvm_resize(&store->norm, capacity, sizeof(double), error));
  if (store->sparse) {
    OSVM_TRY(osvm_resize(&store->absolute, capacity, sizeof(double), error));
    OSVM_TRY(osvm_resize(&store->row_start, capacity, sizeof(size_t), error));
    OSVM_TRY(osvm_resize(&store->row_length, capacity, sizeof(int), error));
  } else {
    const size_t panels = ((size_t)capacity + store->width - 1) / store->width;
    const size_t old = ((size_t)store->capacity + store->width - 1) / store->width;
    const size_t bytes = (size_t)store->d * store->width * store->simd->size;
    OSVM_TRY(osvm_resize(&store->dense, panels, bytes, error));
    osvm_large_pages(store->dense, panels * bytes);
    if (store->width > 1) memset((char *)store->dense + old * bytes, 0, (panels - old) * bytes);
  }
  store->capacity = capacity;
  return OSVM_OK;
}

osvm_status osvm_store_open(osvm_store *store, const osvm_simd *simd, osvm_layout layout, int sparse, int d,
                            int capacity, osvm_error *error) {
  memset(store, 0, sizeof *store);
  store->simd = simd;
  store->sparse = sparse;
  store->d = d;
  store->width = layout == OSVM_ROWS ? 1 : simd->width;
  return grow(store, capacity, error);
}

void osvm_store_drop_index(osvm_store *store) {
  free(store->index_start);
  free(store->index_row);
  free(store->index_value);
  free(store->stale);
  store->index_start = NULL;
  store->index_row = NULL;
  store->index_value = NULL;
  store->stale = NULL;
  store->stales = store->stale_room = store->indexed = 0;
}

void osvm_store_clear(osvm_store *store) {
  osvm_store_drop_index(store);
  store->n = 0;
  store->used = 0;
}

osvm_status osvm_store_mark_stale(osvm_store *store, int slot, osvm_error *error) {
  if (store->index_start == NULL) return OSVM_OK;
  if (store->stales == store->stale_room) {
    const int room = 2 * store->stale_room + 64;
    OSVM_TRY(osvm_resize(&store->stale, room, sizeof(int), error));
    store->stale_room = room;
  }
  store->stale[store->stales++] = slot;
  return OSVM_OK;
}

/* Kernel rows handle stale examples one by one; beyond a quarter of all, rebuilding the index is cheaper. */
static int most_stale(const osvm_store *store) { return 32 + store->n / 4; }

osvm_status osvm_store_append(osvm_store *store, const osvm_data *data, const int *rows, int count, osvm_error *error) {
  if (osvm_data_width(data) != store->d || (data->map != NULL && data->map->d != data->d))
    return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model's store");
  if (count == 0) return OSVM_OK;
  if (count > INT_MAX - store->n) return osvm_no_memory(error);
  const int needed = store->n + count;
  if (needed > store->capacity) {
    const int half = store->n / 2;
    OSVM_TRY(grow(store, needed > INT_MAX - half ? needed : needed + half, error));
  }
  if (store->stales + count > most_stale(store)) osvm_store_drop_index(store);
  for (int k = 0; k < count; k++) store->norm[store->n + k] = 0;
  OSVM_TRY(osvm_store_fill(store, data, rows, count, error));
  for (int i = store->n; i < needed; i++) OSVM_TRY(osvm_store_mark_stale(store, i, error));
  const int first = store->n;
  store->n = needed;
  if (data->unit_norm && data->map == NULL) osvm_store_normalise(store, first);
  return OSVM_OK;
}

osvm_status osvm_store_reserve_nonzeros(osvm_store *store, size_t more, osvm_error *error) {
  if (store->used + more <= store->room) return OSVM_OK;
  const size_t size = store->simd->size;
  size_t live = more;
  for (int i = 0; i < store->n; i++) live += store->row_length[i];
  const size_t room = store->used == 0 ? live : live + live / 2;
  int *column = malloc((room + 1) * sizeof(int));
  char *value = malloc((room + 1) * size);
  if (column == NULL || value == NULL) {
    free(column);
    free(value);
    return osvm_no_memory(error);
  }
  size_t used = 0;
  for (int i = 0; i < store->n; i++) {
    const size_t begin = store->row_start[i], length = store->row_length[i];
    if (length > 0) {
      memcpy(column + used, store->column + begin, length * sizeof(int));
      memcpy(value + used * size, (const char *)store->value + begin * size, length * size);
    }
    store->row_start[i] = used;
    used += length;
  }
  free(store->column);
  free(store->value);
  store->column = column;
  store->value = value;
  store->used = used;
  store->room = room;
  return OSVM_OK;
}

static osvm_status put_sparse(osvm_store *store, int slot, const osvm_store *from, int i, osvm_error *error) {
  const size_t size = store->simd->size, begin = from->row_start[i], length = from->row_length[i];
  OSVM_TRY(osvm_store_reserve_nonzeros(store, length, error));
  OSVM_TRY(osvm_store_mark_stale(store, slot, error));
  store->row_start[slot] = store->used;
  store->row_length[slot] = (int)length;
  store->absolute[slot] = from->absolute[i];
  if (length > 0) {
    memcpy(store->column + store->used, from->column + begin, length * sizeof(int));
    memcpy((char *)store->value + store->used * size, (const char *)from->value + begin * size, length * size);
  }
  store->used += length;
  return OSVM_OK;
}

static void put_dense(osvm_store *store, int slot, const osvm_store *from, int i) {
  const size_t size = store->simd->size;
  char *to = (char *)store->dense + osvm_dense_offset(store, slot) * size;
  const char *x = (const char *)from->dense + osvm_dense_offset(from, i) * size;
  osvm_copy_strided(size, to, store->width, x, from->width, store->d);
}

osvm_status osvm_store_put(osvm_store *store, int slot, const osvm_store *from, int i, osvm_error *error) {
  if (slot >= store->capacity) OSVM_TRY(grow(store, slot + 1 + slot / 2, error));
  if (store->sparse) OSVM_TRY(put_sparse(store, slot, from, i, error));
  else put_dense(store, slot, from, i);
  store->norm[slot] = from->norm[i];
  if (slot == store->n) store->n++;
  return OSVM_OK;
}

void osvm_store_normalise(osvm_store *store, int from) {
  osvm_store_drop_index(store);
  for (int i = from; i < store->n; i++) {
    if (store->norm[i] == 0) continue;
    const double length = sqrt(store->norm[i]);
    const size_t first = store->sparse ? store->row_start[i] : osvm_dense_offset(store, i),
                 step = store->sparse ? 1 : store->width;
    const int count = store->sparse ? store->row_length[i] : store->d;
    void *values = store->sparse ? store->value : store->dense;
    store->norm[i] = 0;
    if (store->sparse) store->absolute[i] = 0;
    for (int k = 0; k < count; k++) {
      const double x = osvm_as_real(store->simd, get_value(store, values, first + k * step) / length);
      set_value(store, values, first + k * step, x);
      store->norm[i] += x * x;
      if (store->sparse) store->absolute[i] += fabs(x);
    }
  }
}

static int mostly_indexed(const osvm_store *store) {
  return store->index_start != NULL && store->stales <= most_stale(store);
}

osvm_status osvm_store_index(osvm_store *store, osvm_error *error) {
  if (!store->sparse || mostly_indexed(store)) return OSVM_OK;
  osvm_store_drop_index(store);
  size_t total = 0;
  for (int i = 0; i < store->n; i++) total += store->row_length[i];
  store->index_start = calloc((size_t)store->d + 1, sizeof(size_t));
  store->index_row = malloc((total > 0 ? total : 1) * sizeof(int));
  store->index_value = malloc((total > 0 ? total : 1) * store->simd->size);
  if (store->index_start == NULL || store->index_row == NULL || store->index_value == NULL) {
    osvm_store_drop_index(store);
    return osvm_no_memory(error);
  }
  store->indexed = store->n;
  /* Counting sort by column. Filling moves each start to the end of its column, which is the start of the next. */
  size_t *start = store->index_start;
  for (int i = 0; i < store->n; i++)
    for (int k = 0; k < store->row_length[i]; k++) start[store->column[store->row_start[i] + k]]++;
  size_t before = 0;
  for (int f = 0; f <= store->d; f++) {
    const size_t here = start[f];
    start[f] = before;
    before += here;
  }
  for (int i = 0; i < store->n; i++) {
    for (int k = 0; k < store->row_length[i]; k++) {
      const size_t from = store->row_start[i] + k, to = start[store->column[from]]++;
      store->index_row[to] = i;
      set_value(store, store->index_value, to, get_value(store, store->value, from));
    }
  }
  memmove(start + 1, start, (size_t)store->d * sizeof *start);
  start[0] = 0;
  return OSVM_OK;
}

void osvm_store_close(osvm_store *store) {
  osvm_store_drop_index(store);
  free(store->norm);
  free(store->absolute);
  free(store->dense);
  free(store->row_start);
  free(store->row_length);
  free(store->column);
  free(store->value);
  free(store->place);
  memset(store, 0, sizeof *store);
}

osvm_query osvm_store_query(const osvm_store *store, int i, void *buffer) {
  osvm_query query = {.norm = store->norm[i]};
  const size_t size = store->simd->size;
  if (store->sparse) {
    query.column = store->column + store->row_start[i];
    query.value = (const char *)store->value + store->row_start[i] * size;
    query.length = store->row_length[i];
    query.absolute = store->absolute[i];
    return query;
  }
  const char *from = (const char *)store->dense + osvm_dense_offset(store, i) * size;
  query.length = store->d;
  query.dense = from;
  if (buffer != NULL) {
    osvm_copy_strided(size, buffer, 1, from, store->width, store->d);
    query.dense = buffer;
  }
  return query;
}

/* Primal models; their dense stores have the layout OSVM_ROWS. */
static const void *dense_row(const osvm_store *store, int i) {
  return (const char *)store->dense + osvm_dense_offset(store, i) * store->simd->size;
}

double osvm_store_weigh(const osvm_store *store, int i, const double *weights) {
  if (!store->sparse) return store->simd->weigh(dense_row(store, i), store->d, weights);
  const osvm_query x = osvm_store_query(store, i, NULL);
  double sum = 0;
  if (single(store))
    for (int k = 0; k < x.length; k++) sum += weights[x.column[k]] * ((const float *)x.value)[k];
  else
    for (int k = 0; k < x.length; k++) sum += weights[x.column[k]] * ((const double *)x.value)[k];
  return sum;
}

void osvm_store_add(const osvm_store *store, int i, double factor, double *weights) {
  if (!store->sparse) {
    store->simd->add(dense_row(store, i), store->d, factor, weights);
    return;
  }
  const osvm_query x = osvm_store_query(store, i, NULL);
  for (int k = 0; k < x.length; k++) weights[x.column[k]] += factor * get_value(store, x.value, k);
}

void osvm_store_prefetch(const osvm_store *store, int i) {
  const size_t size = store->simd->size;
  if (!store->sparse) {
    osvm_prefetch(dense_row(store, i), store->d * size);
    return;
  }
  osvm_prefetch(store->column + store->row_start[i], store->row_length[i] * sizeof(int));
  osvm_prefetch((const char *)store->value + store->row_start[i] * size, store->row_length[i] * size);
}
