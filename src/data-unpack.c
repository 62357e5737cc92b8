/* A store's examples as a matrix of the caller's. */
#include <stdlib.h>
#include <string.h>

#include "data.h"

static void unpack_dense(const osvm_store *store, double *x) {
  for (int i = 0; i < store->n; i++) {
    const double *example = osvm_store_query(store, i, NULL).dense;
    for (int f = 0; f < store->d; f++) x[i + (size_t)f * store->n] = example[f];
  }
}

/* start has d + 1 elements, which are 0 */
static void unpack_sparse(const osvm_store *store, double *x, int *start, int *row) {
  for (int i = 0; i < store->n; i++) {
    const osvm_query example = osvm_store_query(store, i, NULL);
    for (int k = 0; k < example.length; k++) start[example.column[k] + 1]++;
  }
  for (int f = 0; f < store->d; f++) start[f + 1] += start[f];
  for (int i = 0; i < store->n; i++) {
    const osvm_query example = osvm_store_query(store, i, NULL);
    for (int k = 0; k < example.length; k++) {
      const int at = start[example.column[k]]++;
      row[at] = i;
      x[at] = ((const double *)example.value)[k];
    }
  }
  memmove(start + 1, start, (size_t)store->d * sizeof(int));
  start[0] = 0;
}

osvm_status osvm_store_unpack(const osvm_store *store, osvm_data *data, osvm_error *error) {
  size_t values = (size_t)store->n * store->d;
  if (store->sparse) {
    values = 0;
    for (int i = 0; i < store->n; i++) values += osvm_store_query(store, i, NULL).length;
  }
  const size_t ints = store->sparse ? values + store->d + 1 : 0;
  double *x = calloc(values * sizeof *x + ints * sizeof(int) + 1, 1);
  if (x == NULL) return osvm_no_memory(error);
  data->kind = store->sparse ? OSVM_SPARSE : OSVM_DOUBLES;
  data->n = store->n;
  data->d = store->d;
  data->x = x;
  if (!store->sparse) {
    unpack_dense(store, x);
    return OSVM_OK;
  }
  int *start = (int *)(x + values);
  data->start = start;
  data->row = start + store->d + 1;
  unpack_sparse(store, x, start, start + store->d + 1);
  return OSVM_OK;
}
