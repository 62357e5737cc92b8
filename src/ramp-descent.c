/* Coordinate steps on the ramp-loss machine's dual, which has bounds alone: each improves the example that gains most
 * by it. While V is the same there is one solution, whatever the order of steps.
 *
 * A step concerns the errors of all examples. Where many steps are needed, they are taken among the few that may move,
 * those with a coefficient and those that violate the conditions, in columns of their own; the others hear of the sum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ramp.h"

/* It pays to look for the few with so many examples in all, so many steps taken among them, and a third of them or fewer
 * that may move. Up to half of them pay, too, if their rows, once picked, will be used again and again. */
enum { MANY = 512, STEPS_AMONG_ALL = 8, AGAIN = 2 };

/* ---- among all, or among the few ---- */

static double *doubles(const osvm_ramp_set *set, int column) { return set->column[column]; }

static double get_real(const osvm_ramp *s, const osvm_ramp_set *set, int column, int k) {
  return osvm_real(s->run->store.simd, set->column[column], k);
}

static void set_real(const osvm_ramp *s, const osvm_ramp_set *set, int column, int k, double x) {
  osvm_set_real(s->run->store.simd, set->column[column], k, x);
}

static double low(const osvm_ramp_set *set, int k) { return osvm_dual_sv_lower(set->column, k); }
static double high(const osvm_ramp_set *set, int k) { return osvm_dual_sv_upper(set->column, k); }

static void mark_bounds(const osvm_ramp *s, const osvm_ramp_set *set, int k) {
  const double b = doubles(set, OSVM_SV_COEF)[k];
  set_real(s, set, OSVM_RAMP_DOWN, k, low(set, k) - b);
  set_real(s, set, OSVM_RAMP_UP, k, high(set, k) - b);
}

static void point_singles(osvm_ramp_set *set) {
  set->selection.gradient = set->column[OSVM_SV_GRADIENT];
  set->selection.down = set->column[OSVM_RAMP_DOWN];
  set->selection.up = set->column[OSVM_RAMP_UP];
  set->selection.inverse = set->column[OSVM_RAMP_INVERSE];
  set->selection.diagonal = set->column[OSVM_RAMP_SELF];
}

/* A step of nothing, for which any numbers will do as a kernel row. */
static void look(const osvm_ramp *s, osvm_ramp_set *set) {
  s->run->store.simd->coordinate_step(&set->selection, set->selection.diagonal, set->padded, 0);
}

/* (14), in signed coefficients; without curvature the bound that the error points to. */
static double best_coef(const osvm_ramp *s, const osvm_ramp_set *set, int k) {
  const double self = get_real(s, set, OSVM_RAMP_SELF, k), error = doubles(set, OSVM_SV_GRADIENT)[k];
  if (!(self > 0)) return osvm_dual_sv_limit(set->column, k, error);
  return fmin(fmax(doubles(set, OSVM_SV_COEF)[k] + error / self, low(set, k)), high(set, k));
}

/* The largest gain, (13), among those who violate (3) by more than the tolerance, where the largest of all does not. */
static void look_closer(const osvm_ramp *s, osvm_ramp_set *set) {
  const double *b = doubles(set, OSVM_SV_COEF), *e = doubles(set, OSVM_SV_GRADIENT);
  set->selection.gain = 0;
  set->selection.best = -1;
  for (int k = 0; k < set->n; k++) {
    if (get_real(s, set, OSVM_RAMP_INVERSE, k) == 0 || fabs(e[k]) <= s->tolerance) continue;
    const double move = best_coef(s, set, k) - b[k],
                 gain = move * (e[k] - get_real(s, set, OSVM_RAMP_SELF, k) * move / 2);
    if (!(gain > set->selection.gain)) continue;
    set->selection.gain = gain;
    set->selection.best = k;
  }
}

/* Is there a step worth taking? It is set->selection.best's. */
static int unsettled(const osvm_ramp *s, osvm_ramp_set *set) {
  const int best = set->selection.best;
  if (best >= 0 && set->selection.gain > s->min_gain && fabs(doubles(set, OSVM_SV_GRADIENT)[best]) <= s->tolerance)
    look_closer(s, set);
  return set->selection.best >= 0 && set->selection.gain > s->min_gain;
}

/* One coefficient to a new value, and all errors of the set with it. */
static void step(osvm_ramp *s, osvm_ramp_set *set, int k, double b, const void *row) {
  const double change = b - doubles(set, OSVM_SV_COEF)[k];
  doubles(set, OSVM_SV_COEF)[k] = b;
  mark_bounds(s, set, k);
  s->run->store.simd->coordinate_step(&set->selection, row, set->padded, change);
  s->machine->updates += 1;
  s->run->work += 4.0 * set->n;
}

static osvm_status diverged(const osvm_ramp *s) {
  return osvm_fail(s->run->error, OSVM_DIVERGED, "the kernel values grew beyond all numbers; scale the data");
}

/* ---- among all ---- */

void osvm_ramp_update_pointers(osvm_ramp *s) {
  memcpy(s->all.column, s->sv_set->column, sizeof s->all.column);
  point_singles(&s->all);
  s->all.n = s->sv_set->n;
  s->all.padded = osvm_sv_set_padded(s->sv_set);
}

/* Without curvature a move goes as far as it may. */
void osvm_ramp_set_membership(osvm_ramp *s, int slot, int in_v) {
  const double self = get_real(s, &s->all, OSVM_RAMP_SELF, slot);
  mark_bounds(s, &s->all, slot);
  set_real(s, &s->all, OSVM_RAMP_INVERSE, slot, !in_v ? 0 : self > 1e-30 ? 1 / self : 1e30);
}

osvm_status osvm_ramp_set_coef(osvm_ramp *s, int slot, double b) {
  if (b == doubles(&s->all, OSVM_SV_COEF)[slot]) return OSVM_OK;
  const void *row;
  osvm_status status = osvm_sv_set_row(s->sv_set, slot, &row, s->run->error);
  if (status == OSVM_OK) status = osvm_ramp_update_nonzero(s, slot, b);
  if (status == OSVM_OK) step(s, &s->all, slot, b, row);
  return status;
}

osvm_status osvm_ramp_optimise(osvm_ramp *s, int slot) {
  const double best = best_coef(s, &s->all, slot);
  return isfinite(best) ? osvm_ramp_set_coef(s, slot, best) : diverged(s);
}

/* ---- among the few ---- */

static int may_move(const osvm_ramp *s, int k) {
  if (!osvm_ramp_in_v(s, k)) return 0;
  const double b = doubles(&s->all, OSVM_SV_COEF)[k];
  return b != 0 || best_coef(s, &s->all, k) != b;
}

static osvm_status make_room(osvm_ramp *s, int count) {
  const size_t real = s->run->store.simd->size;
  osvm_status status = OSVM_OK;
  if (count <= s->working_room) return OSVM_OK;
  const int room = count + count / 2;
  for (int c = 0; c < OSVM_RAMP_COLUMNS && status == OSVM_OK; c++)
    status = osvm_resize(&s->working.column[c], room, osvm_ramp_columns[c].real ? real : sizeof(double), s->run->error);
  if (status == OSVM_OK) status = osvm_resize(&s->working_slot, room, sizeof(int), s->run->error);
  if (status == OSVM_OK) status = osvm_resize(&s->working_known, room, 1, s->run->error);
  if (status != OSVM_OK) return status;
  point_singles(&s->working);
  s->working_room = room;
  return OSVM_OK;
}

/* dst[k] = src[which[k]], and 0 from n to padded */
static void pick(const void *src, size_t size, const int *which, int n, int padded, void *dst) {
  if (size == sizeof(float))
    for (int k = 0; k < n; k++) ((float *)dst)[k] = ((const float *)src)[which[k]];
  else
    for (int k = 0; k < n; k++) ((double *)dst)[k] = ((const double *)src)[which[k]];
  memset((char *)dst + n * size, 0, (padded - n) * size);
}

static size_t row_bytes(const osvm_ramp *s) { return s->working.padded * s->run->store.simd->size; }
static size_t rows_kept(const osvm_ramp *s) { return s->working_most / row_bytes(s); }

static osvm_status make_room_for_rows(osvm_ramp *s) {
  const size_t rows = rows_kept(s) < (size_t)s->working.n ? rows_kept(s) : (size_t)s->working.n;
  const size_t bytes = (rows + 1) * row_bytes(s);
  memset(s->working_known, 0, s->working.n);
  if (bytes <= s->working_bytes) return OSVM_OK;
  s->working_bytes = 0;
  free(s->working_rows);
  s->working_rows = malloc(bytes);
  if (s->working_rows == NULL) return osvm_no_memory(s->run->error);
  s->working_bytes = bytes;
  return OSVM_OK;
}

static int are_few(const osvm_ramp *s, int count) {
  return count <= s->all.n / 3 || (count <= s->all.n / 2 && s->last_steps > AGAIN * count);
}

/* Too many are none: then steps may as well be taken among all. */
static osvm_status pick_few(osvm_ramp *s) {
  const int n = s->all.n, width = s->run->store.width;
  int count = s->nonzero.count; /* a first guess */
  if (are_few(s, count)) {
    count = 0;
    for (int k = 0; k < n; k++) count += may_move(s, k);
  }
  s->working.n = are_few(s, count) ? count : 0;
  s->working.padded = (s->working.n + width - 1) / width * width;
  if (s->working.n == 0) return OSVM_OK;
  osvm_status status = make_room(s, s->working.padded);
  if (status == OSVM_OK) status = make_room_for_rows(s);
  if (status != OSVM_OK) return status;
  for (int k = 0, j = 0; k < n; k++)
    if (may_move(s, k)) s->working_slot[j++] = k;
  for (int c = 0; c < OSVM_RAMP_COLUMNS; c++)
    pick(s->all.column[c], osvm_ramp_columns[c].real ? s->run->store.simd->size : sizeof(double), s->working_slot, s->working.n,
         s->working.padded, s->working.column[c]);
  return OSVM_OK;
}

/* The kernel row of one of the few, among them; the last place is for those that there is no room to keep. */
static osvm_status few_row(osvm_ramp *s, int k, const void **row) {
  const size_t kept = rows_kept(s);
  char *place = s->working_rows + ((size_t)k < kept ? (size_t)k : kept) * row_bytes(s);
  *row = place;
  if (s->working_known[k]) return OSVM_OK;
  const void *whole;
  osvm_status status = osvm_sv_set_row(s->sv_set, s->working_slot[k], &whole, s->run->error);
  if (status != OSVM_OK) return status;
  pick(whole, s->run->store.simd->size, s->working_slot, s->working.n, s->working.padded, place);
  s->working_known[k] = (size_t)k < kept;
  return OSVM_OK;
}

/* What the few have become, and what that means for all. */
static osvm_status tell_all(osvm_ramp *s) {
  const osvm_simd *simd = s->run->store.simd;
  double *coef = doubles(&s->all, OSVM_SV_COEF);
  osvm_status status = OSVM_OK;
  for (int j = 0; j < s->working.n && status == OSVM_OK; j++) {
    const int slot = s->working_slot[j];
    const double b = doubles(&s->working, OSVM_SV_COEF)[j], change = b - coef[slot];
    const void *row;
    if (change == 0) continue;
    status = osvm_sv_set_row(s->sv_set, slot, &row, s->run->error);
    if (status == OSVM_OK) status = osvm_ramp_update_nonzero(s, slot, b);
    if (status != OSVM_OK) break;
    coef[slot] = b;
    mark_bounds(s, &s->all, slot);
    simd->add(row, s->all.padded, -change, s->all.selection.gradient);
    s->run->work += s->all.n;
  }
  return status;
}

static osvm_status settle_few(osvm_ramp *s) {
  osvm_status status = OSVM_OK;
  look(s, &s->working);
  while (status == OSVM_OK && unsettled(s, &s->working)) {
    const int k = s->working.selection.best;
    const double b = best_coef(s, &s->working, k);
    const void *row = NULL;
    if (osvm_run_stopped(s->run, 0)) status = OSVM_INTERRUPTED;
    else if (!isfinite(b)) status = diverged(s);
    else status = few_row(s, k, &row);
    if (status == OSVM_OK) step(s, &s->working, k, b, row);
  }
  const osvm_status told = tell_all(s);
  return told == OSVM_OK ? status : told;
}

/* ---- the whole ---- */

int osvm_ramp_is_stationary(osvm_ramp *s) {
  look(s, &s->all);
  return !unsettled(s, &s->all);
}

osvm_status osvm_ramp_descend(osvm_ramp *s) {
  osvm_status status = OSVM_OK;
  const double before = s->machine->updates;
  int among_all = STEPS_AMONG_ALL;
  look(s, &s->all);
  for (int steps = 0; status == OSVM_OK && unsettled(s, &s->all); steps++) {
    if (osvm_run_stopped(s->run, 0)) return OSVM_INTERRUPTED;
    if (s->all.n < MANY || steps < among_all) {
      status = osvm_ramp_optimise(s, s->all.selection.best);
      continue;
    }
    status = pick_few(s);
    if (status == OSVM_OK && s->working.n > 0) {
      status = settle_few(s);
      look(s, &s->all);
    }
    among_all += s->working.n > 0 ? STEPS_AMONG_ALL : steps;
  }
  s->last_steps = s->machine->updates - before;
  return status;
}

void osvm_ramp_free_working_set(osvm_ramp *s) {
  for (int c = 0; c < OSVM_RAMP_COLUMNS; c++) free(s->working.column[c]);
  free(s->working_slot);
  free(s->working_known);
  free(s->working_rows);
}
