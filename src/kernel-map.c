/* See kernel-map.h. */
#include "kernel-map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data-pack.h"

/* BATCH: rows that a thread maps together; CHUNK: rows between polls; TILES: panels that every block product takes
 * without a rest, and of which a block of the root consists */
enum { BATCH = 64, CHUNK = 64 * BATCH, TILES = 8 };

/* ---- packing ---- */

static void unpack(osvm_low_rank *map) {
  for (int b = 0; b < map->blocks; b++) osvm_store_close(&map->block[b]);
  osvm_store_close(&map->packed);
  free(map->block);
  free(map->columns);
  map->block = NULL;
  map->columns = NULL;
  map->simd = NULL;
  map->blocks = 0;
}

static osvm_status pack_directions(osvm_low_rank *map, const osvm_simd *simd, osvm_error *error) {
  const osvm_data *data = &map->directions;
  if (map->by_column) {
    const size_t count = (size_t)data->n * data->d;
    OSVM_TRY(osvm_resize(&map->columns, count + 1, simd->size, error));
    for (size_t k = 0; k < count; k++) osvm_set_real(simd, map->columns, k, data->x[k]);
    return OSVM_OK;
  }
  const int dense = osvm_data_prefers_dense(data, NULL, OSVM_PANELS, simd);
  OSVM_TRY(osvm_store_open(&map->packed, simd, OSVM_PANELS, !dense, data->d, data->n, error));
  OSVM_TRY(osvm_store_append(&map->packed, data, NULL, data->n, error));
  return osvm_store_index(&map->packed, error);
}

/* Block b has the features b * size .. as examples; the last of them needs so many landmarks as it has features. */
static osvm_status pack_root(osvm_low_rank *map, const osvm_simd *simd, osvm_error *error) {
  const int n = map->map.width, size = TILES * simd->width, blocks = (n + size - 1) / size;
  int rows[TILES * 64];
  map->block = calloc((size_t)blocks + 1, sizeof *map->block);
  if (map->block == NULL) return osvm_no_memory(error);
  for (map->blocks = 0; map->blocks < blocks; map->blocks++) {
    const int begin = map->blocks * size, end = n - begin < size ? n : begin + size;
    const osvm_data view = {.kind = OSVM_DOUBLES, .n = n, .d = end, .x = map->root};
    osvm_store *block = &map->block[map->blocks];
    for (int j = begin; j < end; j++) rows[j - begin] = j;
    OSVM_TRY(osvm_store_open(block, simd, OSVM_PANELS, 0, end, size, error));
    const osvm_status status = osvm_store_append(block, &view, rows, end - begin, error);
    if (status != OSVM_OK) map->blocks++; /* it is to be closed, too */
    OSVM_TRY(status);
  }
  return OSVM_OK;
}

osvm_status osvm_low_rank_pack(osvm_low_rank *map, const osvm_simd *simd, osvm_error *error) {
  if (map->simd == simd) return OSVM_OK;
  unpack(map);
  OSVM_TRY(pack_directions(map, simd, error));
  if (map->root != NULL) OSVM_TRY(pack_root(map, simd, error));
  map->simd = simd;
  return OSVM_OK;
}

/* ---- mapping ---- */

/* Memory of one thread */
typedef struct {
  osvm_store batch; /* rows, packed as the directions are */
  osvm_rows rows;
  char *values;  /* BATCH x stride: kernel values, or products with directions */
  char *queries; /* OSVM_QUERIES beginnings of them, one after the other */
  char *out;     /* OSVM_QUERIES x features of a block */
  double *sums;  /* by column: one per direction */
} scratch;

typedef struct {
  osvm_low_rank *map;
  osvm_store *store; /* row k becomes example store->n + k */
  const osvm_data *data;
  const int *rows;
  int count, chunk; /* chunk: where that being mapped begins */
  size_t stride;
  osvm_team *team;
  scratch *scratches;
  atomic_int status; /* an osvm_status: of a batch that failed, or whose thread was asked to stop */
} mapping;

static osvm_status scratch_open(scratch *s, const mapping *m, osvm_error *error) {
  const osvm_low_rank *map = m->map;
  const size_t size = map->simd->size, block = (size_t)TILES * map->simd->width;
  const int sparse = map->by_column || map->packed.sparse;
  s->values = calloc(m->stride * BATCH, size);
  s->queries = calloc(m->stride * OSVM_QUERIES, size);
  s->out = calloc(block * OSVM_QUERIES, size);
  s->sums = calloc(m->stride, sizeof(double));
  if (s->values == NULL || s->queries == NULL || s->out == NULL || s->sums == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_store_open(&s->batch, map->simd, OSVM_ROWS, sparse, map->directions.d, BATCH, error));
  return map->by_column ? OSVM_OK : osvm_rows_open(&s->rows, &map->kernel, &map->packed, OSVM_BLOCK_ROUNDING, error);
}

static void scratch_close(scratch *s) {
  osvm_store_close(&s->batch);
  osvm_rows_close(&s->rows);
  free(s->values);
  free(s->queries);
  free(s->out);
  free(s->sums);
}

/* Products of the directions with a row's non-zeros */
static void multiply_columns(const osvm_low_rank *map, scratch *s, int i, char *values) {
  const osvm_query x = osvm_store_query(&s->batch, i, NULL);
  const int n = map->directions.n;
  const size_t size = map->simd->size;
  memset(s->sums, 0, n * sizeof(double));
  for (int k = 0; k < x.length; k++)
    map->simd->add((const char *)map->columns + (size_t)x.column[k] * n * size, n, osvm_real(map->simd, x.value, k),
                   s->sums);
  for (int j = 0; j < n; j++) osvm_set_real(map->simd, values, j, s->sums[j]);
}

static void compute_values(const mapping *m, scratch *s, int count) {
  const osvm_low_rank *map = m->map;
  const size_t row = m->stride * map->simd->size;
  const int n = map->directions.n;
  for (int i = 0; i < count && map->by_column; i++) multiply_columns(map, s, i, s->values + i * row);
  for (int i = 0; i < count && !map->by_column; i += OSVM_QUERIES) {
    int examples[OSVM_QUERIES];
    const int queries = count - i < OSVM_QUERIES ? count - i : OSVM_QUERIES;
    for (int q = 0; q < queries; q++) examples[q] = i + q;
    osvm_rows_load(&s->rows, &s->batch, examples, queries);
    osvm_rows_compute_range(&s->rows, 0, n, s->values + i * row, m->stride);
  }
  for (int i = 0; i < count && map->phase != NULL; i++)
    map->simd->cosines(s->values + i * row, n, sqrt(2.0 / n), map->phase);
}

/* Features `first` .. of an example */
static void put(const mapping *m, int place, int first, const void *values, int count) {
  osvm_store *store = m->store;
  const size_t at = osvm_dense_offset(store, place) + (size_t)first * store->width;
  double norm[4] = {0, 0, 0, 0};
  osvm_copy_strided(store->simd->size, (char *)store->dense + at * store->simd->size, store->width, values, 1, count);
  if (store->simd->size == sizeof(float))
    for (int k = 0; k < count; k++) norm[k % 4] += (double)((const float *)values)[k] * ((const float *)values)[k];
  else
    for (int k = 0; k < count; k++) norm[k % 4] += ((const double *)values)[k] * ((const double *)values)[k];
  store->norm[place] += (norm[0] + norm[1]) + (norm[2] + norm[3]);
}

/* The product with L^-1, a block of features at a time, which stays in the second-level cache for the batch */
static void put_products(const mapping *m, scratch *s, int place, int count) {
  const osvm_low_rank *map = m->map;
  const size_t size = map->simd->size, row = m->stride * size, block_size = (size_t)TILES * map->simd->width;
  for (int b = 0; b < map->blocks; b++) {
    const osvm_store *block = &map->block[b];
    const size_t bytes = block->d * size;
    for (int i = 0; i < count; i += OSVM_QUERIES) {
      for (int q = 0; q < OSVM_QUERIES; q++) memcpy(s->queries + q * bytes, s->values + (i + q) * row, bytes);
      map->simd->block_dots(block->dense, block->d, TILES, s->queries, s->out, block_size);
      for (int q = 0; q < OSVM_QUERIES && i + q < count; q++)
        put(m, place + i + q, b * (int)block_size, s->out + q * block_size * size, block->n);
    }
  }
}

static void map_batch(mapping *m, scratch *s, int begin, int count) {
  int rows[BATCH];
  const int place = m->store->n + begin;
  for (int k = 0; k < count; k++) rows[k] = m->rows != NULL ? m->rows[begin + k] : begin + k;
  osvm_store_clear(&s->batch);
  const osvm_status status = osvm_store_append(&s->batch, m->data, rows, count, NULL);
  if (status != OSVM_OK) {
    m->status = (int)status;
    return;
  }
  compute_values(m, s, count);
  if (m->map->root != NULL) put_products(m, s, place, count);
  for (int k = 0; k < count && m->map->root == NULL; k++)
    put(m, place + k, 0, s->values + k * m->stride * m->map->simd->size, m->map->map.width);
}

static void map_part(void *user, int part, int begin, int end) {
  mapping *m = user;
  (void)part;
  scratch *s = &m->scratches[m->team->threads > 1 ? osvm_team_thread() : 0];
  for (int k = begin; k < end; k += BATCH) map_batch(m, s, m->chunk + k, end - k < BATCH ? end - k : BATCH);
}

static void map_all(void *user) {
  mapping *m = user;
  const double work = (double)m->map->directions.n * (m->map->directions.d + m->map->map.width / 2.0);
  for (m->chunk = 0; m->chunk < m->count && m->status == OSVM_OK; m->chunk += CHUNK) {
    const int rows = m->count - m->chunk < CHUNK ? m->count - m->chunk : CHUNK;
    if (osvm_poll(m->data->progress, 0)) m->status = OSVM_INTERRUPTED;
    else osvm_team_split(m->team, map_part, m, rows, BATCH, osvm_team_parts(m->team, work * rows), NULL);
  }
}

static osvm_status fill(osvm_map *base, osvm_store *store, const osvm_data *data, const int *rows, int count,
                        osvm_error *error) {
  osvm_low_rank *map = (osvm_low_rank *)base; /* its first member */
  osvm_data plain = *data;
  plain.map = NULL;
  OSVM_TRY(osvm_low_rank_pack(map, store->simd, error));
  osvm_team own = {0};
  const int at_work = data->team != NULL && data->team->threads > 0, width = store->simd->width;
  const int wanted = at_work ? data->team->threads : data->threads, threads = wanted > 1 && count > BATCH ? wanted : 1;
  mapping m = {.map = map, .store = store, .data = &plain, .rows = rows, .count = count};
  m.team = at_work && threads > 1 ? data->team : &own;
  m.stride = ((size_t)map->directions.n + width - 1) / width * width;
  m.scratches = calloc(threads, sizeof *m.scratches);
  if (m.scratches == NULL) return osvm_no_memory(error);
  for (int t = 0; t < threads && m.status == OSVM_OK; t++) m.status = scratch_open(&m.scratches[t], &m, error);
  if (m.status == OSVM_OK && m.team != &own) map_all(&m);
  else if (m.status == OSVM_OK) osvm_team_run(&own, threads, map_all, &m);
  if (m.status == OSVM_NO_MEMORY) osvm_no_memory(error);
  for (int t = 0; t < threads; t++) scratch_close(&m.scratches[t]);
  free(m.scratches);
  return (osvm_status)m.status;
}

/* ---- the whole ---- */

osvm_status osvm_low_rank_open(osvm_low_rank *map, const osvm_kernel *kernel, const osvm_data *directions,
                               const double *root, const double *phase, int by_column, osvm_error *error) {
  memset(map, 0, sizeof *map);
  if ((root == NULL) == (phase == NULL) || (by_column && (directions->kind != OSVM_DOUBLES || phase == NULL)))
    return osvm_fail(error, OSVM_INVALID, "the feature map is damaged");
  map->map = (osvm_map){directions->d, directions->n, fill};
  map->kernel = *kernel;
  map->directions = *directions;
  map->root = root;
  map->phase = phase;
  map->by_column = by_column;
  return OSVM_OK;
}

void osvm_low_rank_close(osvm_low_rank *map) {
  unpack(map);
  memset(map, 0, sizeof *map);
}

void osvm_low_rank_expand(const osvm_low_rank *map, const double *weights, int machines, double *coef) {
  const size_t n = map->map.width;
  for (int m = 0; m < machines; m++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = i; j < n; j++) sum += map->root[j + i * n] * weights[j + m * n];
      coef[i + m * n] = sum;
    }
}
