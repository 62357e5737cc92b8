/* Shared by the files of the store. */
#pragma once

#include "data.h"

/* Offset of feature 0 of example i; the next feature is `width` further on. */
static inline size_t osvm_dense_offset(const osvm_store *store, int i) {
  if (store->place != NULL) i = store->place[i];
  const size_t panel = i / store->width, lane = i % store->width;
  return panel * store->d * store->width + lane;
}

/* `count` values of one precision, each a fixed number of values after the one before */
static inline void osvm_copy_strided(size_t size, void *to, size_t to_step, const void *from, size_t from_step,
                                     int count) {
  if (size == sizeof(float))
    for (int k = 0; k < count; k++) ((float *)to)[k * to_step] = ((const float *)from)[k * from_step];
  else
    for (int k = 0; k < count; k++) ((double *)to)[k * to_step] = ((const double *)from)[k * from_step];
}

void osvm_store_drop_index(osvm_store *store);
osvm_status osvm_store_mark_stale(osvm_store *store, int slot, osvm_error *error); /* the index no longer has it */
/* Room for `more` non-zeros. Reallocation compacts: those of examples overwritten or dropped are left behind. */
osvm_status osvm_store_reserve_nonzeros(osvm_store *store, size_t more, osvm_error *error);
/* Writes `count` rows of the data behind the last example, where there is room for them; norms are 0 before. */
osvm_status osvm_store_fill(osvm_store *store, const osvm_data *data, const int *rows, int count, osvm_error *error);
