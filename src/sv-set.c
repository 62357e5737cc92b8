/* A member's row is kept when it comes, from the row computed to judge it. Later members enter that row only when it is
 * next asked for, and then mostly out of their own rows: k(a, b) = k(b, a). */
#include "sv-set.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_ROWS = 2 }; /* a pair must fit, whatever the bound */

static int at_most(int a, int b) { return a < b ? a : b; }

static size_t real_size(const osvm_sv_set *c) { return c->shared->store.simd->size; }
static size_t column_size(const osvm_sv_set *c, int k) { return c->kinds[k].real ? real_size(c) : sizeof(double); }

static double get(const osvm_sv_set *c, const void *row, int k) { return osvm_real(c->shared->store.simd, row, k); }
static void set(const osvm_sv_set *c, void *row, int k, double x) { osvm_set_real(c->shared->store.simd, row, k, x); }

static void make_idle(osvm_sv_set *c, int slot) {
  for (int k = 0; k < c->columns; k++) {
    if (c->kinds[k].real) set(c, c->column[k], slot, c->kinds[k].idle);
    else ((double *)c->column[k])[slot] = c->kinds[k].idle;
  }
}

/* ---- rows: room for them ---- */

static void drop_row(osvm_sv_set *c, int slot) {
  c->rows -= c->row[slot] != NULL;
  free(c->row[slot]);
  c->row[slot] = NULL;
}

/* The first row the hand meets that nobody asked for since it last passed; none is pinned but one. */
static void *evict(osvm_sv_set *c) {
  for (;; c->hand = (c->hand + 1) % c->n) {
    if (c->hand >= c->n) c->hand = 0;
    if (c->row[c->hand] == NULL || c->hand == c->pinned) continue;
    if (!c->asked[c->hand]) break;
    c->asked[c->hand] = 0;
  }
  void *row = c->row[c->hand];
  c->row[c->hand] = NULL;
  c->rows--;
  return row;
}

static int most_rows(const osvm_sv_set *c) {
  const size_t fit = c->bytes / ((size_t)c->capacity * real_size(c));
  return fit < FEWEST_ROWS ? FEWEST_ROWS : fit > (size_t)c->capacity ? c->capacity : (int)fit;
}

static osvm_status place_row(osvm_sv_set *c, int slot, osvm_error *error) {
  void *row = c->rows >= most_rows(c) ? evict(c) : calloc(c->capacity, real_size(c));
  if (row == NULL) return osvm_no_memory(error);
  c->row[slot] = row;
  c->rows++;
  return OSVM_OK;
}

/* ---- members ---- */

/* Rows become longer, and fewer if they must; one that cannot grow is given up. */
static void lengthen_rows(osvm_sv_set *c, int capacity) {
  const size_t size = real_size(c), old = c->capacity * size, new = capacity *size;
  c->capacity = capacity;
  while (c->rows > most_rows(c)) free(evict(c));
  for (int s = 0; s < c->n; s++) {
    if (c->row[s] == NULL) continue;
    void *grown = realloc(c->row[s], new);
    if (grown == NULL) {
      drop_row(c, s);
      continue;
    }
    memset((char *)grown + old, 0, new - old);
    c->row[s] = grown;
  }
}

static osvm_status grow(osvm_sv_set *c, int capacity, osvm_error *error) {
  const size_t old = c->capacity, new = capacity;
  osvm_status status = osvm_resize(&c->member, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&c->vacant, new, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&c->which, new + OSVM_RECENT, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&c->generations.added, new, sizeof(uint64_t), error);
  if (status == OSVM_OK) status = osvm_resize(&c->row, new, sizeof(void *), error);
  if (status == OSVM_OK) status = osvm_resize(&c->synced, new, sizeof(uint64_t), error);
  if (status == OSVM_OK) status = osvm_resize(&c->asked, new, 1, error);
  if (status == OSVM_OK) status = osvm_resize(&c->fresh, new, real_size(c), error);
  for (int k = 0; k < c->columns && status == OSVM_OK; k++)
    status = osvm_resize(&c->column[k], new, column_size(c, k), error);
  if (status != OSVM_OK) return status;
  memset(c->generations.added + old, 0, (new - old) * sizeof(uint64_t));
  memset(c->asked + old, 0, new - old);
  memset((char *)c->fresh + old * real_size(c), 0, (new - old) * real_size(c));
  for (int s = (int)old; s < capacity; s++) {
    c->member[s] = -1;
    c->row[s] = NULL;
    make_idle(c, s);
  }
  lengthen_rows(c, capacity);
  return OSVM_OK;
}

static int whole_panels(const osvm_sv_set *c, int n) {
  const int width = c->shared->store.simd->width;
  return (n + width - 1) / width * width;
}

osvm_status osvm_sv_set_open(osvm_sv_set *c, osvm_shared_sv *shared, const osvm_column *kinds, int columns, size_t bytes,
                             osvm_error *error) {
  memset(c, 0, sizeof *c);
  c->shared = shared;
  c->kinds = kinds;
  c->columns = columns;
  c->bytes = bytes;
  c->pinned = -1;
  return grow(c, whole_panels(c, 64), error);
}

int osvm_sv_set_slot(const osvm_sv_set *c, int i) {
  const int p = c->shared->slot[i];
  return p >= 0 && p < c->owns ? c->own[p] : -1;
}

static osvm_status follow_pool(osvm_sv_set *c, osvm_error *error) {
  const int owns = c->shared->capacity;
  if (owns <= c->owns) return OSVM_OK;
  osvm_status status = osvm_resize(&c->own, owns, sizeof(int), error);
  for (int p = c->owns; p < owns && status == OSVM_OK; p++) c->own[p] = -1;
  if (status == OSVM_OK) c->owns = owns;
  return status;
}

osvm_status osvm_sv_set_add(osvm_sv_set *c, int i, int *slot, osvm_error *error) {
  int p;
  osvm_status status = osvm_shared_sv_acquire(c->shared, i, &p, error);
  if (status != OSVM_OK) return status;
  status = follow_pool(c, error);
  const int alone = c->shared->machines == 1;
  const int s = alone ? p : c->vacancies > 0 ? c->vacant[c->vacancies - 1] : c->n;
  if (status == OSVM_OK && s >= c->capacity) status = grow(c, whole_panels(c, s + 1 + s / 2), error);
  if (status != OSVM_OK) {
    osvm_shared_sv_release(c->shared, p);
    return status;
  }
  if (!alone && c->vacancies > 0) c->vacancies--;
  if (s >= c->n) c->n = s + 1;
  c->count++;
  c->member[s] = p;
  c->own[p] = s;
  osvm_generations_add(&c->generations, s);
  *slot = s;
  return OSVM_OK;
}

osvm_status osvm_sv_set_insert(osvm_sv_set *c, int i, int *slot, osvm_error *error) {
  osvm_status status = osvm_sv_set_add(c, i, slot, error);
  const void *fresh;
  if (status == OSVM_OK) status = osvm_sv_set_candidate_row(c, &i, 1, &fresh, error);
  if (status == OSVM_OK) status = place_row(c, *slot, error);
  if (status != OSVM_OK) return status;
  memcpy(c->row[*slot], fresh, c->n * real_size(c));
  c->synced[*slot] = c->generations.now;
  c->asked[*slot] = 1;
  c->pinned = *slot;
  return OSVM_OK;
}

void osvm_sv_set_remove(osvm_sv_set *c, int slot) {
  const int p = c->member[slot];
  drop_row(c, slot);
  make_idle(c, slot);
  c->member[slot] = -1;
  c->own[p] = -1;
  c->count--;
  if (c->shared->machines > 1) c->vacant[c->vacancies++] = slot;
  osvm_shared_sv_release(c->shared, p);
}

/* ---- rows: what is in them ---- */

/* Out of a row by the pool's slots. */
static void gather(const osvm_sv_set *c, const void *from, void *to) {
  const int *member = c->member;
  if (real_size(c) == sizeof(float))
    for (int s = 0; s < c->n; s++) ((float *)to)[s] = member[s] < 0 ? 0 : ((const float *)from)[member[s]];
  else
    for (int s = 0; s < c->n; s++) ((double *)to)[s] = member[s] < 0 ? 0 : ((const double *)from)[member[s]];
}

osvm_status osvm_sv_set_candidate_row(osvm_sv_set *c, const int *next, int count, const void **row, osvm_error *error) {
  osvm_status status = osvm_shared_sv_row(c->shared, next, count, row, error);
  if (status != OSVM_OK || c->shared->machines == 1) return status;
  gather(c, *row, c->fresh);
  *row = c->fresh;
  return OSVM_OK;
}

/* Can k(slot, other) be read from the other's row? */
static int told_by(const osvm_sv_set *c, int other, int slot) {
  return c->row[other] != NULL && c->synced[other] >= c->generations.added[slot];
}

static void compute(osvm_sv_set *c, int slot) {
  osvm_shared_sv *shared = c->shared;
  osvm_shared_sv_own_row(shared, c->member[slot], 0, shared->store.n);
  shared->evaluations += shared->count;
  if (shared->machines > 1) gather(c, shared->row, c->row[slot]);
  else memcpy(c->row[slot], shared->row, c->n * real_size(c));
}

/* The members that came since the row was last right. A value nobody can tell is computed with its whole panel, in which
 * the next one missing often is as well; where that would be most of the panels, the whole row is computed at once. */
static void complete(osvm_sv_set *c, int slot, uint64_t since) {
  osvm_shared_sv *shared = c->shared;
  const int count = osvm_generations_since(&c->generations, since, c->n, c->which), width = shared->store.width;
  int lacking = 0, panels = 0, panel = -1;
  for (int k = 0; k < count; k++) {
    const int p = c->member[c->which[k]];
    if (p < 0 || told_by(c, c->which[k], slot)) continue;
    lacking++;
    panels += p / width != panel;
    panel = p / width;
  }
  if (2 * panels * width > shared->store.n) {
    compute(c, slot);
    return;
  }
  panel = -1;
  for (int k = 0; k < count; k++) {
    const int other = c->which[k], p = c->member[other];
    if (p < 0) continue;
    if (other != slot && told_by(c, other, slot)) {
      set(c, c->row[slot], other, get(c, c->row[other], slot));
      continue;
    }
    if (p / width != panel) {
      panel = p / width;
      osvm_shared_sv_own_row(shared, c->member[slot], panel * width, at_most((panel + 1) * width, shared->store.n));
    }
    set(c, c->row[slot], other, get(c, shared->row, p));
  }
  shared->evaluations += lacking;
}

osvm_status osvm_sv_set_row(osvm_sv_set *c, int slot, const void **row, osvm_error *error) {
  uint64_t since = c->synced[slot];
  if (c->row[slot] == NULL) {
    osvm_status status = place_row(c, slot, error);
    if (status != OSVM_OK) return status;
    since = 0;
    c->synced[slot] = 0;
  }
  if (since < c->generations.now) {
    complete(c, slot, since);
    c->synced[slot] = c->generations.now;
  }
  c->asked[slot] = 1;
  c->pinned = slot;
  *row = c->row[slot];
  return OSVM_OK;
}

void osvm_sv_set_drop_rows(osvm_sv_set *c) {
  for (int s = 0; s < c->n; s++) drop_row(c, s);
}

/* By the pool's order, which a model that is saved and read back keeps; so do the draws. */
int osvm_sv_set_draw(const osvm_sv_set *c, double seed, double step, int stream) {
  for (int try = 0;; try++) {
    const int p = c->shared->live[osvm_random_at(seed, step, stream, try, c->shared->count)];
    if (p < c->owns && c->own[p] >= 0) return c->own[p];
  }
}

void osvm_sv_set_close(osvm_sv_set *c) {
  for (int s = 0; s < c->n && c->row != NULL; s++) free(c->row[s]);
  for (int k = 0; k < OSVM_COLUMNS; k++) free(c->column[k]);
  free(c->member);
  free(c->own);
  free(c->vacant);
  free(c->which);
  free(c->generations.added);
  free(c->row);
  free(c->synced);
  free(c->asked);
  free(c->fresh);
  memset(c, 0, sizeof *c);
}
