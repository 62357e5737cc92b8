/* The store: dense examples in panels (or plain rows), sparse ones by row and, once indexed, by column as well. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

static int single(const osvm_store *store) { return store->simd->size == sizeof(float); }

static void set_value(const osvm_store *store, void *values, size_t k, double x) {
  osvm_set_real(store->simd, values, k, x);
}

static double get_value(const osvm_store *store, const void *values, size_t k) {
  return osvm_real(store->simd, values, k);
}

/* Norms are of the numbers as stored: they meet dot products of those. */
static double rounded(const osvm_store *store, double x) { return single(store) ? (float)x : x; }

/* Where feature 0 of example i lies; its next feature is `width` further on. */
static size_t dense_place(const osvm_store *store, int i) {
  const size_t panel = i / store->width, lane = i % store->width;
  return panel * store->d * store->width + lane;
}

static osvm_status grow(osvm_store *store, int capacity, osvm_error *error) {
  osvm_status status = osvm_resize(&store->norm, capacity, sizeof(double), error);
  if (status == OSVM_OK && store->sparse) {
    status = osvm_resize(&store->row_start, capacity, sizeof(size_t), error);
    if (status == OSVM_OK) status = osvm_resize(&store->row_length, capacity, sizeof(int), error);
  } else if (status == OSVM_OK) {
    const size_t panels = ((size_t)capacity + store->width - 1) / store->width;
    const size_t old = ((size_t)store->capacity + store->width - 1) / store->width;
    const size_t bytes = (size_t)store->d * store->width * store->simd->size;
    status = osvm_resize(&store->dense, panels, bytes, error);
    if (status == OSVM_OK) memset((char *)store->dense + old * bytes, 0, (panels - old) * bytes);
  }
  if (status == OSVM_OK) store->capacity = capacity;
  return status;
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

static void drop_index(osvm_store *store) {
  free(store->index_start);
  free(store->index_row);
  free(store->index_value);
  free(store->stale);
  store->index_start = NULL;
  store->index_row = NULL;
  store->index_value = NULL;
  store->stale = NULL;
  store->stales = store->stale_room = 0;
}

static osvm_status note_stale(osvm_store *store, int slot, osvm_error *error) {
  if (store->stales == store->stale_room) {
    const int room = 2 * store->stale_room + 64;
    osvm_status status = osvm_resize(&store->stale, room, sizeof(int), error);
    if (status != OSVM_OK) return status;
    store->stale_room = room;
  }
  store->stale[store->stales++] = slot;
  return OSVM_OK;
}

/* Feature by feature, so that the caller's column is read while it is in the cache. */
static void append_dense(osvm_store *store, const osvm_data *data, const int *rows, int count) {
  for (int f = 0; f < store->d; f++) {
    const double shift = data->centre ? data->centre[f] : 0, unit = data->scale ? data->scale[f] : 1;
    const size_t column = (size_t)f * data->n;
    for (int k = 0; k < count; k++) {
      const size_t from = column + (rows ? rows[k] : k);
      const double raw = data->kind == OSVM_INTEGERS ? data->integers[from] : data->x[from];
      const double x = rounded(store, (raw - shift) / unit);
      set_value(store, store->dense, dense_place(store, store->n + k) + (size_t)f * store->width, x);
      store->norm[store->n + k] += x * x;
    }
  }
}

/* From columns to rows: place[r] is where data's row r goes, or -1. Walking the columns in order leaves every row sorted. */
static osvm_status append_sparse(osvm_store *store, const osvm_data *data, const int *rows, int count,
                                 osvm_error *error) {
  int *place = malloc(sizeof(int) * (data->n > 0 ? data->n : 1));
  if (place == NULL) return osvm_no_memory(error);
  for (int r = 0; r < data->n; r++) place[r] = -1;
  for (int k = 0; k < count; k++) place[rows ? rows[k] : k] = store->n + k;

  const int nonzeros = data->start[data->d];
  size_t total = store->used;
  for (int k = 0; k < count; k++) store->row_length[store->n + k] = 0;
  for (int k = 0; k < nonzeros; k++)
    if (place[data->row[k]] >= 0) store->row_length[place[data->row[k]]]++;
  for (int k = 0; k < count; k++) {
    store->row_start[store->n + k] = total;
    total += store->row_length[store->n + k];
    store->row_length[store->n + k] = 0;
  }

  osvm_status status = OSVM_OK;
  if (total > store->room) {
    const size_t room = store->used == 0 ? total : total + total / 2;
    status = osvm_resize(&store->column, room, sizeof(int), error);
    if (status == OSVM_OK) status = osvm_resize(&store->value, room, store->simd->size, error);
    if (status == OSVM_OK) store->room = room;
  }
  if (status == OSVM_OK) {
    for (int f = 0; f < data->d; f++) {
      const double unit = data->scale ? data->scale[f] : 1;
      for (int k = data->start[f]; k < data->start[f + 1]; k++) {
        const int i = place[data->row[k]];
        if (i < 0) continue;
        const size_t to = store->row_start[i] + store->row_length[i]++;
        const double x = rounded(store, data->x[k] / unit);
        store->column[to] = f;
        set_value(store, store->value, to, x);
        store->norm[i] += x * x;
      }
    }
    store->used = total;
  }
  free(place);
  return status;
}

osvm_status osvm_store_append(osvm_store *store, const osvm_data *data, const int *rows, int count, osvm_error *error) {
  if ((data->kind == OSVM_SPARSE) != store->sparse || data->d != store->d)
    return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model's store");
  if (count == 0) return OSVM_OK;
  if (count > INT_MAX - store->n) return osvm_no_memory(error);
  osvm_status status = OSVM_OK;
  const int needed = store->n + count;
  if (needed > store->capacity) {
    const int half = store->n / 2;
    status = grow(store, needed > INT_MAX - half ? needed : needed + half, error);
  }
  if (status != OSVM_OK) return status;
  drop_index(store);
  for (int k = 0; k < count; k++) store->norm[store->n + k] = 0;
  if (store->sparse) status = append_sparse(store, data, rows, count, error);
  else append_dense(store, data, rows, count);
  if (status == OSVM_OK) store->n = needed;
  return status;
}

/* Room for `more` non-zeros; the holes that overwritten examples left are closed on the way. */
static osvm_status make_room(osvm_store *store, size_t more, osvm_error *error) {
  if (store->used + more <= store->room) return OSVM_OK;
  const size_t size = store->simd->size;
  size_t live = more;
  for (int i = 0; i < store->n; i++) live += store->row_length[i];
  const size_t room = live + live / 2;
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
  osvm_status status = make_room(store, length, error);
  if (status == OSVM_OK && store->index_start != NULL) status = note_stale(store, slot, error);
  if (status != OSVM_OK) return status;
  store->row_start[slot] = store->used;
  store->row_length[slot] = (int)length;
  if (length > 0) {
    memcpy(store->column + store->used, from->column + begin, length * sizeof(int));
    memcpy((char *)store->value + store->used * size, (const char *)from->value + begin * size, length * size);
  }
  store->used += length;
  return OSVM_OK;
}

static void put_dense(osvm_store *store, int slot, const osvm_store *from, int i) {
  const size_t size = store->simd->size, step = store->width * size, their_step = from->width * size;
  char *to = (char *)store->dense + dense_place(store, slot) * size;
  const char *x = (const char *)from->dense + dense_place(from, i) * size;
  for (int f = 0; f < store->d; f++) memcpy(to + f * step, x + f * their_step, size);
}

osvm_status osvm_store_put(osvm_store *store, int slot, const osvm_store *from, int i, osvm_error *error) {
  osvm_status status = OSVM_OK;
  if (slot >= store->capacity) status = grow(store, slot + 1 + slot / 2, error);
  if (status == OSVM_OK && store->sparse) status = put_sparse(store, slot, from, i, error);
  if (status != OSVM_OK) return status;
  if (!store->sparse) put_dense(store, slot, from, i);
  store->norm[slot] = from->norm[i];
  if (slot == store->n) store->n++;
  return OSVM_OK;
}

void osvm_store_normalise(osvm_store *store) {
  drop_index(store);
  for (int i = 0; i < store->n; i++) {
    if (store->norm[i] == 0) continue;
    const double length = sqrt(store->norm[i]);
    const size_t from = store->sparse ? store->row_start[i] : dense_place(store, i),
                 step = store->sparse ? 1 : store->width;
    const int count = store->sparse ? store->row_length[i] : store->d;
    void *values = store->sparse ? store->value : store->dense;
    store->norm[i] = 0;
    for (int k = 0; k < count; k++) {
      const double x = rounded(store, get_value(store, values, from + k * step) / length);
      set_value(store, values, from + k * step, x);
      store->norm[i] += x * x;
    }
  }
}

/* So many examples may be missing from the index before it is worth making anew. */
static int mostly_indexed(const osvm_store *store) {
  return store->index_start != NULL && store->stales <= 32 + store->n / 4;
}

osvm_status osvm_store_index(osvm_store *store, osvm_error *error) {
  if (!store->sparse || mostly_indexed(store)) return OSVM_OK;
  drop_index(store);
  size_t total = 0;
  for (int i = 0; i < store->n; i++) total += store->row_length[i];
  store->index_start = calloc((size_t)store->d + 1, sizeof(size_t));
  store->index_row = malloc((total > 0 ? total : 1) * sizeof(int));
  store->index_value = malloc((total > 0 ? total : 1) * store->simd->size);
  if (store->index_start == NULL || store->index_row == NULL || store->index_value == NULL) {
    drop_index(store);
    return osvm_no_memory(error);
  }
  /* Count, sum up, fill; filling moves every start to its column's end, that is, to the next column's start. */
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
  drop_index(store);
  free(store->norm);
  free(store->dense);
  free(store->row_start);
  free(store->row_length);
  free(store->column);
  free(store->value);
  memset(store, 0, sizeof *store);
}

osvm_query osvm_store_query(const osvm_store *store, int i, void *buffer) {
  osvm_query query = {.norm = store->norm[i]};
  const size_t size = store->simd->size;
  if (store->sparse) {
    query.column = store->column + store->row_start[i];
    query.value = (const char *)store->value + store->row_start[i] * size;
    query.length = store->row_length[i];
    return query;
  }
  const char *from = (const char *)store->dense + dense_place(store, i) * size;
  query.length = store->d;
  query.dense = from;
  if (buffer != NULL) {
    for (int f = 0; f < store->d; f++) memcpy((char *)buffer + f * size, from + (size_t)f * store->width * size, size);
    query.dense = buffer;
  }
  return query;
}

/* The primal pair; dense examples are in rows here. */
static const void *row_of(const osvm_store *store, int i) {
  return (const char *)store->dense + (size_t)i * store->d * store->simd->size;
}

double osvm_store_weigh(const osvm_store *store, int i, const double *weights) {
  if (!store->sparse) return store->simd->weigh(row_of(store, i), store->d, weights);
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
    store->simd->add(row_of(store, i), store->d, factor, weights);
    return;
  }
  const osvm_query x = osvm_store_query(store, i, NULL);
  for (int k = 0; k < x.length; k++) weights[x.column[k]] += factor * get_value(store, x.value, k);
}
