/* See smo-active-set.h. A smaller set has shorter rows, and the cache room for more of them. */
#include "smo-active-set.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 1024 }; /* columns computed while in the first-level cache */

enum { LARGE_STORE = 2 << 20 }; /* bytes; from here on a row is bound by reading the panels, which several can share */

/* Rows of so few features are computed about as fast as memory is cleared for them, or read where no cache has them: of
 * these a cache within the processor's keeps the latest, but no fewer than a thousand. */
enum { CHEAP_FEATURES = 24, CHEAP_ROWS = 1000, CHEAP_BYTES = 32 << 20 };

static size_t value_size(const osvm_active_set *a) { return a->whole->simd->size; }
static size_t round_up(size_t n, size_t width) { return (n + width - 1) / width * width; }
static size_t at_least(size_t a, size_t b) { return a > b ? a : b; }
static size_t cache_bytes(const osvm_store *store, size_t row, size_t bytes) {
  const size_t enough = at_least(CHEAP_BYTES, row * CHEAP_ROWS);
  return !store->sparse && store->d <= CHEAP_FEATURES && enough < bytes ? enough : bytes;
}

static int at_most(int a, int b) { return a < b ? a : b; }
static size_t block_bytes(const osvm_active_set *a) { return (size_t)SLICE * OSVM_QUERIES * value_size(a); }

osvm_status osvm_active_set_open(osvm_active_set *a, const osvm_kernel *kernel, const osvm_store *whole, size_t bytes,
                                 osvm_team *team, osvm_error *error) {
  memset(a, 0, sizeof *a);
  a->whole = whole;
  const size_t n = whole->n > 0 ? whole->n : 1, row = round_up(n, whole->width) * value_size(a);
  a->example = malloc(n * sizeof(int));
  a->position = malloc(n * sizeof(int));
  a->block = malloc(at_least(row, block_bytes(a) * osvm_team_most_parts(team)));
  if (!a->example || !a->position || !a->block) return osvm_no_memory(error);
  for (int i = 0; i < whole->n; i++) a->position[i] = -1;
  OSVM_TRY(osvm_store_open(&a->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, 0, error));
  OSVM_TRY(osvm_rows_open(&a->rows, kernel, &a->store, OSVM_ROW_ROUNDING, error));
  OSVM_TRY(osvm_rows_reserve(&a->rows, 0, (int)n, error));
  a->rows.gram_column = a->example;
  a->rows.team = team;
  OSVM_TRY(osvm_cache_open(&a->cache, 2, cache_bytes(whole, row, bytes), row, (int)n, error));
  return osvm_cache_reshape(&a->cache, (int)n, row, error);
}

/* ---- which examples ---- */

static osvm_status pack(osvm_active_set *a, osvm_error *error) {
  const osvm_store *whole = a->whole;
  osvm_store_close(&a->store);
  OSVM_TRY(osvm_store_open(&a->store, whole->simd, OSVM_PANELS, whole->sparse, whole->d, a->n, error));
  for (int k = 0; k < a->n; k++) OSVM_TRY(osvm_store_put(&a->store, k, whole, a->example[k], error));
  return osvm_store_index(&a->store, error);
}

/* The values of the examples that stay move to the row's front; from[k], increasing, is where the k-th was. */
static int squeeze(char *row, int length, const int *from, int stay, size_t size) {
  int k = 0;
  if (size == sizeof(float))
    for (float *v = (float *)row; k < stay && from[k] < length; k++) v[k] = v[from[k]];
  else
    for (double *v = (double *)row; k < stay && from[k] < length; k++) v[k] = v[from[k]];
  return k;
}

/* A row of the Gram matrix is gathered as fast as it is squeezed, and only where it is used again. */
static void squeeze_rows(osvm_active_set *a, const int *from, int stay) {
  osvm_cache *cache = &a->cache;
  for (int i = 0; i < a->whole->n; i++) {
    if (!osvm_cache_has(cache, i)) continue;
    uint64_t *length = osvm_cache_stamp(cache, i);
    if (a->position[i] < 0 || osvm_gram_complete(a->rows.gram)) osvm_cache_drop(cache, i);
    else *length = squeeze(osvm_cache_row(cache, cache->slot_of[i]), (int)*length, from, stay, value_size(a));
  }
}

static int is_same(const osvm_active_set *a, const unsigned char *is_active) {
  for (int i = 0; i < a->whole->n; i++)
    if ((is_active[i] != 0) != (a->position[i] >= 0)) return 0;
  return 1;
}

osvm_status osvm_active_set_select(osvm_active_set *a, const unsigned char *is_active, osvm_error *error) {
  if (a->n > 0 && is_same(a, is_active)) return OSVM_OK;
  int *from = malloc(((size_t)a->n + 1) * sizeof(int));
  if (from == NULL) return osvm_no_memory(error);
  int stay = 0;
  for (int k = 0; k < a->n; k++) {
    const int i = a->example[k];
    a->position[i] = -1;
    if (!is_active[i]) continue;
    from[stay] = k;
    a->example[stay] = i;
    a->position[i] = stay++;
  }
  squeeze_rows(a, from, stay);
  free(from);
  a->n = stay;
  for (int i = 0; i < a->whole->n; i++) {
    if (!is_active[i] || a->position[i] >= 0) continue;
    a->position[i] = a->n;
    a->example[a->n++] = i;
  }
  a->stride = round_up(at_least(a->n, 1), a->whole->width);
  OSVM_TRY(osvm_cache_reshape(&a->cache, a->cache.keys, a->stride * value_size(a), error));
  return pack(a, error);
}

/* ---- rows ---- */

static char *row_of(osvm_active_set *a, int k) {
  char *row = osvm_cache_find(&a->cache, a->example[k]);
  return row != NULL ? row : osvm_cache_place(&a->cache, a->example[k]);
}

const void *osvm_active_set_row(osvm_active_set *a, int k) {
  char *row = row_of(a, k);
  uint64_t *known = osvm_cache_stamp(&a->cache, a->example[k]);
  if ((int)*known < a->n) {
    const size_t panel = *known / a->store.width * a->store.width;
    osvm_rows_load(&a->rows, a->whole, &a->example[k], 1);
    osvm_rows_compute(&a->rows, (int)*known, a->n, row + panel * value_size(a), a->stride);
    *known = a->n;
  }
  return row;
}

int osvm_active_set_lacks(const osvm_active_set *a, int k) { return !osvm_cache_has(&a->cache, a->example[k]); }

int osvm_active_set_fetches(const osvm_active_set *a) {
  const size_t bytes = (size_t)a->n * a->store.d * value_size(a);
  return !osvm_gram_complete(a->rows.gram) && !a->store.sparse && bytes >= LARGE_STORE &&
         a->cache.filled + OSVM_QUERIES <= at_most(a->cache.slots, a->n);
}

/* A slice of the loaded rows at a time, in the first-level cache: it is copied to the rows, or added to `out`. Each part
 * has a block of its own. */
typedef struct {
  const osvm_active_set *active;
  char *row[OSVM_QUERIES]; /* NULL: added */
  int count;
  double factor[OSVM_QUERIES];
  double *out;
} slices;

static void compute_slices(void *user, int part, int begin, int end) {
  const slices *s = user;
  const osvm_active_set *a = s->active;
  const osvm_simd *simd = a->whole->simd;
  const size_t size = simd->size;
  char *block = a->block + part * block_bytes(a);
  const void *rows[OSVM_QUERIES];
  for (int q = 0; q < OSVM_QUERIES; q++) rows[q] = block + (q < s->count ? q : 0) * SLICE * size;
  for (int from = begin; from < end; from += SLICE) {
    const int to = at_most(end, from + SLICE);
    osvm_rows_compute_range(&a->rows, from, to, block, SLICE);
    if (s->out != NULL) simd->combine(rows, to - from, s->factor, s->out + from);
    for (int q = 0; q < s->count && s->out == NULL; q++) memcpy(s->row[q] + from * size, rows[q], (to - from) * size);
  }
}

static void run_slices(osvm_active_set *a, slices *s, const int *examples) {
  osvm_rows_load(&a->rows, a->whole, examples, s->count);
  osvm_rows_count(&a->rows, 0, a->n);
  const int parts = osvm_rows_parts(&a->rows, a->n);
  osvm_team_split(a->rows.team, compute_slices, s, a->n, a->store.width, parts, NULL);
}

void osvm_active_set_fetch(osvm_active_set *a, const int *ks, int count) {
  int examples[OSVM_QUERIES] = {0};
  slices s = {.active = a, .count = count};
  for (int q = 0; q < count; q++) {
    examples[q] = a->example[ks[q]];
    s.row[q] = row_of(a, ks[q]);
    *osvm_cache_stamp(&a->cache, examples[q]) = a->n;
  }
  run_slices(a, &s, examples);
}

/* Sparse rows are computed at full length, which saves searching the index for a slice. */
static void add_sparse(osvm_active_set *a, int example, double factor, double *out) {
  osvm_rows_load(&a->rows, a->whole, &example, 1);
  osvm_rows_compute(&a->rows, 0, a->n, a->block, a->stride);
  a->whole->simd->add(a->block, a->n, factor, out);
}

void osvm_active_set_add(osvm_active_set *a, const int *examples, const double *factor, int count, double *out) {
  for (int k = 0; k < count && a->store.sparse; k++) add_sparse(a, examples[k], factor[k], out);
  for (int k = 0; k < count && !a->store.sparse; k += OSVM_QUERIES) {
    slices s = {.active = a, .count = at_most(OSVM_QUERIES, count - k), .out = out};
    memcpy(s.factor, factor + k, s.count * sizeof(double));
    run_slices(a, &s, examples + k);
  }
}

void osvm_active_set_close(osvm_active_set *a) {
  osvm_store_close(&a->store);
  osvm_rows_close(&a->rows);
  osvm_cache_close(&a->cache);
  free(a->example);
  free(a->position);
  free(a->block);
  memset(a, 0, sizeof *a);
}
