/* The window of a store whose examples are packed as they are needed. */
#include <stdlib.h>
#include <string.h>

#include "data-pack.h"

osvm_status osvm_store_open_window(osvm_store *store, const osvm_simd *simd, const osvm_data *data, const int *rows,
                                   int count, int window, int unit_norm, osvm_error *error) {
  OSVM_TRY(osvm_store_open(store, simd, OSVM_ROWS, 0, osvm_data_width(data), window, error));
  OSVM_TRY(osvm_resize(&store->norm, count, sizeof(double), error));
  OSVM_TRY(osvm_resize(&store->place, count, sizeof(int), error));
  for (int i = 0; i < count; i++) store->place[i] = -1;
  store->n = count;
  store->window = window;
  store->source = data;
  store->source_rows = rows;
  store->unit_norm = unit_norm;
  return OSVM_OK;
}

/* Places in the order of examples, whatever that of the list: rows of the source are read forwards. */
static void place_examples(osvm_store *store, const int *examples, int count, int *rows) {
  int placed = 0;
  for (int i = 0; i < store->n; i++) store->place[i] = -1;
  for (int k = 0; k < count; k++) store->place[examples[k]] = 0;
  for (int i = 0; i < store->n; i++) {
    if (store->place[i] < 0) continue;
    rows[placed] = store->source_rows[i];
    store->place[i] = placed++;
  }
}

static osvm_status fill_window(osvm_store *store, double *norm, const int *rows, int count, osvm_team *team,
                               osvm_error *error) {
  osvm_data data = *store->source;
  osvm_store part = *store; /* the window alone */
  data.team = team;
  part.norm = norm;
  part.place = NULL;
  part.n = 0;
  OSVM_TRY(osvm_store_append(&part, &data, rows, count, error));
  if (store->unit_norm) osvm_store_normalise(&part, 0);
  for (int i = 0; i < store->n; i++)
    if (store->place[i] >= 0) store->norm[i] = norm[store->place[i]];
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
    place_examples(store, examples, count, rows);
    status = fill_window(store, norm, rows, count, team, error);
    for (int i = 0; i < store->n && status != OSVM_OK; i++) store->place[i] = -1;
  }
  free(rows);
  free(norm);
  return status;
}
