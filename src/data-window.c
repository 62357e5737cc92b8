/* The window of a store whose examples are packed as they are needed. Those packed first stay, as many as there is room
 * for: in passes over all examples the ones used last are those needed last. The driver loads the next visits; dual
 * coordinate descent loads parts of its active examples, and visits each part several times. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "data-pack.h"

enum { WANTED = INT_MAX }; /* in place of a place */

static osvm_status open_places(osvm_store *store, const osvm_simd *simd, const osvm_data *data, int count, int places,
                               osvm_error *error) {
  OSVM_TRY(osvm_store_open(store, simd, OSVM_ROWS, 0, osvm_data_width(data), places, error));
  OSVM_TRY(osvm_resize(&store->norm, count, sizeof(double), error));
  return osvm_resize(&store->place, count, sizeof(int), error);
}

osvm_status osvm_store_open_window(osvm_store *store, const osvm_simd *simd, const osvm_data *data, const int *rows,
                                   int count, int window, int keep, int unit_norm, osvm_error *error) {
  osvm_status status = open_places(store, simd, data, count, keep < count ? keep + window : count, error);
  if (status == OSVM_NO_MEMORY && keep > 0) { /* then without what only saves time */
    osvm_store_close(store);
    keep = 0;
    status = open_places(store, simd, data, count, window, error);
  }
  OSVM_TRY(status);
  for (int i = 0; i < count; i++) store->place[i] = -1;
  store->n = count;
  store->window = window;
  store->keep = keep;
  store->source = data;
  store->source_rows = rows;
  store->unit_norm = unit_norm;
  return OSVM_OK;
}

/* Places from `first` on for examples of the list that have none, or one that is to be used again, in the order of
 * examples, whatever that of the list: rows of the source are read forwards. Returns their number. */
static int place_examples(osvm_store *store, const int *examples, int count, int first, int *rows) {
  int placed = 0;
  for (int i = 0; i < store->n; i++)
    if (store->place[i] >= store->keep) store->place[i] = -1;
  for (int k = 0; k < count; k++)
    if (store->place[examples[k]] < 0) store->place[examples[k]] = WANTED;
  for (int i = 0; i < store->n; i++) {
    if (store->place[i] != WANTED) continue;
    rows[placed] = store->source_rows[i];
    store->place[i] = first + placed++;
  }
  return placed;
}

/* The rows at places from `first` on */
static osvm_status fill_places(osvm_store *store, int first, double *norm, const int *rows, int count, osvm_team *team,
                               osvm_error *error) {
  osvm_data data = *store->source;
  osvm_store part = *store;
  data.team = team;
  part.norm = norm;
  part.place = NULL;
  part.dense = (char *)store->dense + (size_t)first * store->d * store->simd->size;
  part.capacity -= first;
  part.n = 0;
  OSVM_TRY(osvm_store_append(&part, &data, rows, count, error));
  if (store->unit_norm) osvm_store_normalise(&part, 0);
  for (int i = 0; i < store->n; i++)
    if (store->place[i] >= first) store->norm[i] = norm[store->place[i] - first];
  return OSVM_OK;
}

osvm_status osvm_store_load(osvm_store *store, const int *examples, int count, osvm_team *team, osvm_error *error) {
  int there = store->window == 0;
  for (int k = 0; k < count && !there; k++) {
    if (store->place[examples[k]] < 0) break;
    there = k == count - 1;
  }
  if (there || count == 0) return OSVM_OK;
  int *rows = malloc((size_t)count * sizeof(int));
  double *norm = malloc((size_t)count * sizeof(double));
  osvm_status status = rows != NULL && norm != NULL ? OSVM_OK : osvm_no_memory(error);
  if (status == OSVM_OK) {
    const int first = store->kept, placed = place_examples(store, examples, count, first, rows);
    status = fill_places(store, first, norm, rows, placed, team, error);
    for (int i = 0; i < store->n && status != OSVM_OK; i++)
      if (store->place[i] >= first) store->place[i] = -1;
    if (status == OSVM_OK) store->kept = first + placed < store->keep ? first + placed : store->keep;
  }
  free(rows);
  free(norm);
  return status;
}
