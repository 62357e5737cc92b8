/* A new support vector's row is the candidate row that its output was computed from. Support vectors added later enter
 * an older row when it is next used, mostly from their own rows: k(a, b) = k(b, a). */
#include "sv-set.h"

#include <stdlib.h>
#include <string.h>

static size_t real_size(const osvm_sv_set *set) { return set->shared->store.simd->size; }
static size_t column_size(const osvm_sv_set *set, int k) {
  return set->kinds[k].real ? real_size(set) : sizeof(double);
}

static double get(const osvm_sv_set *set, const void *row, int k) { return osvm_real(set->shared->store.simd, row, k); }
static void put(const osvm_sv_set *set, void *row, int k, double x) {
  osvm_set_real(set->shared->store.simd, row, k, x);
}

static void make_idle(osvm_sv_set *set, int slot) {
  for (int k = 0; k < set->columns; k++) {
    if (set->kinds[k].real) put(set, set->column[k], slot, set->kinds[k].idle);
    else ((double *)set->column[k])[slot] = set->kinds[k].idle;
  }
}

static int whole_panels(const osvm_sv_set *set, int n) {
  const int width = set->shared->store.simd->width;
  return (n + width - 1) / width * width;
}

/* More slots than examples are never needed. */
static int most_slots(const osvm_sv_set *set) {
  const int most = whole_panels(set, set->shared->most), least = whole_panels(set, 64);
  return most > least ? most : least;
}

/* ---- slots ---- */

static int has_cache(const osvm_sv_set *set) { return set->cache.slab != NULL; }

static osvm_status open_cache(osvm_sv_set *set, osvm_error *error) {
  const int most = most_slots(set);
  OSVM_TRY(osvm_cache_open(&set->cache, OSVM_TOGETHER, set->bytes, most * real_size(set), most, error));
  const osvm_status status = osvm_cache_reshape(&set->cache, set->capacity, set->capacity * real_size(set), error);
  if (status != OSVM_OK) osvm_cache_close(&set->cache);
  return status;
}

static osvm_status grow(osvm_sv_set *set, int capacity, osvm_error *error) {
  const size_t old = set->capacity, new = capacity, real = real_size(set);
  OSVM_TRY(osvm_resize(&set->shared_slot, new, sizeof(int), error));
  OSVM_TRY(osvm_resize(&set->free_slots, new, sizeof(int), error));
  OSVM_TRY(osvm_resize(&set->changed_slots, new + OSVM_RECENT, sizeof(int), error));
  OSVM_TRY(osvm_resize(&set->generations.added, new, sizeof(uint64_t), error));
  OSVM_TRY(osvm_resize(&set->candidate_row, new, real, error));
  for (int k = 0; k < set->columns; k++) OSVM_TRY(osvm_resize(&set->column[k], new, column_size(set, k), error));
  if (has_cache(set)) OSVM_TRY(osvm_cache_reshape(&set->cache, capacity, new *real, error));
  memset(set->generations.added + old, 0, (new - old) * sizeof(uint64_t));
  memset((char *)set->candidate_row + old * real, 0, (new - old) * real);
  for (int s = (int)old; s < capacity; s++) {
    set->shared_slot[s] = -1;
    make_idle(set, s);
  }
  set->capacity = capacity;
  return OSVM_OK;
}

osvm_status osvm_sv_set_open(osvm_sv_set *set, osvm_shared_sv *shared, const osvm_column *kinds, int columns,
                             size_t bytes, osvm_error *error) {
  memset(set, 0, sizeof *set);
  set->shared = shared;
  set->kinds = kinds;
  set->columns = columns;
  set->bytes = bytes;
  return grow(set, whole_panels(set, 64), error);
}

int osvm_sv_set_slot(const osvm_sv_set *set, int i) {
  const int p = set->shared->slot[i];
  return p >= 0 && p < set->shared_slots ? set->slot_of[p] : -1;
}

/* Room for all slots of shared. */
static osvm_status reserve_shared(osvm_sv_set *set, osvm_error *error) {
  const int shared_slots = set->shared->capacity;
  if (shared_slots <= set->shared_slots) return OSVM_OK;
  OSVM_TRY(osvm_resize(&set->slot_of, shared_slots, sizeof(int), error));
  for (; set->shared_slots < shared_slots; set->shared_slots++) set->slot_of[set->shared_slots] = -1;
  return OSVM_OK;
}

/* One more slot: a free one, or the next. */
static osvm_status reserve(osvm_sv_set *set, int p, int *slot, osvm_error *error) {
  const int alone = set->shared->machines == 1;
  OSVM_TRY(reserve_shared(set, error));
  const int s = alone ? p : set->n_free > 0 ? set->free_slots[set->n_free - 1] : set->n;
  const int wanted = whole_panels(set, s + 1 + s / 2), most = most_slots(set);
  if (s >= set->capacity) OSVM_TRY(grow(set, wanted < most ? wanted : most, error));
  if (!alone && set->n_free > 0) set->n_free--;
  if (s >= set->n) set->n = s + 1;
  *slot = s;
  return OSVM_OK;
}

osvm_status osvm_sv_set_add(osvm_sv_set *set, int i, int *slot, osvm_error *error) {
  int p;
  OSVM_TRY(osvm_shared_sv_acquire(set->shared, i, &p, error));
  const osvm_status status = reserve(set, p, slot, error);
  if (status != OSVM_OK) {
    osvm_shared_sv_release(set->shared, p);
    return status;
  }
  set->count++;
  set->shared_slot[*slot] = p;
  set->slot_of[p] = *slot;
  osvm_generations_add(&set->generations, *slot);
  return OSVM_OK;
}

osvm_status osvm_sv_set_insert(osvm_sv_set *set, int i, int *slot, osvm_error *error) {
  const void *candidate;
  OSVM_TRY(osvm_sv_set_add(set, i, slot, error));
  OSVM_TRY(osvm_sv_set_candidate_row(set, &i, 1, &candidate, error));
  if (!has_cache(set)) OSVM_TRY(open_cache(set, error));
  memcpy(osvm_cache_place(&set->cache, *slot), candidate, set->n * real_size(set));
  *osvm_cache_stamp(&set->cache, *slot) = set->generations.now;
  return OSVM_OK;
}

void osvm_sv_set_remove(osvm_sv_set *set, int slot) {
  const int p = set->shared_slot[slot];
  if (has_cache(set)) osvm_cache_drop(&set->cache, slot);
  make_idle(set, slot);
  set->shared_slot[slot] = -1;
  set->slot_of[p] = -1;
  set->count--;
  if (set->shared->machines > 1) set->free_slots[set->n_free++] = slot;
  osvm_shared_sv_release(set->shared, p);
}

/* ---- slots in another order ---- */

static void rearrange_columns(osvm_sv_set *set, const int *former, int count, double *column) {
  for (int c = 0; c < set->columns; c++) {
    if (set->kinds[c].name == NULL) continue;
    double *values = osvm_sv_set_doubles(set, c);
    for (int k = 0; k < count; k++) column[k] = values[former[k]];
    memcpy(values, column, count * sizeof(double));
  }
}

static void idle_columns(osvm_sv_set *set, int count) {
  for (int c = 0; c < set->columns; c++) {
    const double idle = set->kinds[c].idle;
    const int from = set->kinds[c].name == NULL ? 0 : count, to = osvm_sv_set_padded(set);
    if (set->kinds[c].real)
      for (int s = from; s < to; s++) put(set, set->column[c], s, idle);
    else
      for (int s = from; s < to; s++) osvm_sv_set_doubles(set, c)[s] = idle;
  }
}

osvm_status osvm_sv_set_rearrange(osvm_sv_set *set, const int *shared_slot, const int *former, int count) {
  int moved = 0;
  OSVM_TRY(reserve_shared(set, NULL));
  for (int k = 0; k < count; k++) moved |= former[k] != k;
  if (moved) {
    double *column = malloc(count * sizeof(double));
    if (column == NULL) return osvm_no_memory(NULL);
    rearrange_columns(set, former, count, column);
    free(column);
    if (has_cache(set)) osvm_cache_rename(&set->cache, former, count);
  }
  idle_columns(set, count);
  for (int p = 0; p < set->shared_slots; p++) set->slot_of[p] = -1;
  for (int s = 0; s < set->n; s++) set->shared_slot[s] = s < count ? shared_slot[s] : -1;
  for (int k = 0; k < count; k++) {
    set->slot_of[shared_slot[k]] = k;
    if (former[k] != k) osvm_generations_add(&set->generations, k);
  }
  set->n = set->count = count;
  set->n_free = 0;
  return OSVM_OK;
}

/* ---- rows ---- */

/* From a row by the shared slots */
static void gather(const osvm_sv_set *set, const void *from, void *to) {
  const int *slot = set->shared_slot;
  if (real_size(set) == sizeof(float))
    for (int s = 0; s < set->n; s++) ((float *)to)[s] = slot[s] < 0 ? 0 : ((const float *)from)[slot[s]];
  else
    for (int s = 0; s < set->n; s++) ((double *)to)[s] = slot[s] < 0 ? 0 : ((const double *)from)[slot[s]];
}

osvm_status osvm_sv_set_candidate_row(osvm_sv_set *set, const int *next, int count, const void **row,
                                      osvm_error *error) {
  OSVM_TRY(osvm_shared_sv_row(set->shared, next, count, row, error));
  if (set->shared->machines == 1) return OSVM_OK;
  gather(set, *row, set->candidate_row);
  *row = set->candidate_row;
  return OSVM_OK;
}

/* Does the cached row of `other` hold k(other, slot)? */
static int is_known(const osvm_sv_set *set, int other, int slot) {
  return osvm_cache_has(&set->cache, other) && *osvm_cache_stamp(&set->cache, other) >= set->generations.added[slot];
}

static void compute_row(osvm_sv_set *set, int slot, void *row) {
  osvm_shared_sv_own_row(set->shared, set->shared_slot[slot]);
  if (set->shared->machines > 1) gather(set, set->shared->row, row);
  else memcpy(row, set->shared->row, set->n * real_size(set));
}

/* Values with the support vectors added after generation `since`. Those in no other row are computed, a panel at a
 * time; where that would be most of the panels, the whole row is. */
static void complete(osvm_sv_set *set, int slot, uint64_t since, void *row) {
  osvm_shared_sv *shared = set->shared;
  const int width = shared->store.width, vacant = set->n - set->count;
  if (since == 0 && 2 * (set->count - set->cache.filled) > shared->store.n) { /* of a new row all slots are missing */
    compute_row(set, slot, row);
    return;
  }
  const int count = osvm_generations_since(&set->generations, since, set->n, set->changed_slots);
  if (2 * (count - vacant - set->cache.filled) > shared->store.n) { /* a cached row knows one value at most */
    compute_row(set, slot, row);
    return;
  }
  int *missing = shared->changed_slots; /* slots in shared */
  int lacking = 0, panels = 0, panel = -1;
  for (int k = 0; k < count; k++) {
    const int p = set->shared_slot[set->changed_slots[k]];
    if (p < 0 || is_known(set, set->changed_slots[k], slot)) continue;
    missing[lacking++] = p;
    panels += p / width != panel;
    panel = p / width;
  }
  if (2 * panels * width > shared->store.n) {
    compute_row(set, slot, row);
    return;
  }
  osvm_shared_sv_own_values(shared, set->shared_slot[slot], missing, lacking);
  for (int k = 0; k < count; k++) {
    const int other = set->changed_slots[k], p = set->shared_slot[other];
    if (p < 0) continue;
    const int known = is_known(set, other, slot);
    put(set, row, other,
        known ? get(set, osvm_cache_row(&set->cache, set->cache.slot_of[other]), slot) : get(set, shared->row, p));
  }
}

osvm_status osvm_sv_set_row(osvm_sv_set *set, int slot, const void **row, osvm_error *error) {
  if (!has_cache(set)) OSVM_TRY(open_cache(set, error));
  char *cached = osvm_cache_find(&set->cache, slot);
  if (cached == NULL) cached = osvm_cache_place(&set->cache, slot);
  uint64_t *stamp = osvm_cache_stamp(&set->cache, slot);
  if (*stamp < set->generations.now) {
    complete(set, slot, *stamp, cached);
    *stamp = set->generations.now;
  }
  *row = cached;
  return OSVM_OK;
}

osvm_status osvm_sv_set_add_rows(osvm_sv_set *set, const int *slots, int count, const double *factors, double *target,
                                 osvm_error *error) {
  const osvm_simd *simd = set->shared->store.simd;
  const void *rows[OSVM_QUERIES];
  int k = 0;
  for (; k + OSVM_QUERIES <= count; k += OSVM_QUERIES) {
    for (int q = 0; q < OSVM_QUERIES; q++) OSVM_TRY(osvm_sv_set_row(set, slots[k + q], &rows[q], error));
    simd->combine(rows, set->n, factors + k, target);
  }
  for (; k < count; k++) {
    OSVM_TRY(osvm_sv_set_row(set, slots[k], rows, error));
    simd->add(rows[0], set->n, factors[k], target);
  }
  return OSVM_OK;
}

void osvm_sv_set_drop_rows(osvm_sv_set *set) { osvm_cache_close(&set->cache); }

/* By the order in shared, which survives export and import; so do the draws. */
int osvm_sv_set_draw(const osvm_sv_set *set, double seed, double step, int stream) {
  for (int try = 0;; try++) {
    const int p = set->shared->order[osvm_random_at(seed, step, stream, try, set->shared->count)];
    if (p < set->shared_slots && set->slot_of[p] >= 0) return set->slot_of[p];
  }
}

void osvm_sv_set_close(osvm_sv_set *set) {
  for (int k = 0; k < OSVM_COLUMNS; k++) free(set->column[k]);
  osvm_cache_close(&set->cache);
  free(set->shared_slot);
  free(set->slot_of);
  free(set->free_slots);
  free(set->changed_slots);
  free(set->generations.added);
  free(set->candidate_row);
  memset(set, 0, sizeof *set);
}
