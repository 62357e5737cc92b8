/* The support vectors of one machine: what it keeps of each, in columns by slot, and the kernel rows among them within
 * a hard byte bound. Slots behave as in sv-shared.h, and with a single machine they are the same. */
#pragma once

#include "sv-shared.h"

enum { OSVM_COLUMNS = 14 };

/* What a named column means to those who change a model by other means than its solver */
typedef enum {
  OSVM_COLUMN_UNSIGNED, /* stays the same when the two classes change sides ... */
  OSVM_COLUMN_COST,     /* ... C times the example's weight, too */
  OSVM_COLUMN_SIGNED,   /* changes its sign then, and so do ... */
  OSVM_COLUMN_COEF,     /* ... signed coefficients ... */
  OSVM_COLUMN_SUM       /* ... and their sums over all steps, for averages */
} osvm_column_role;

/* What a solver keeps per support vector. With a name it is part of the model and holds doubles. */
typedef struct {
  const char *name;
  osvm_column_role role;
  int real;    /* values of the store's precision, else doubles */
  double idle; /* the value in a free slot */
} osvm_column;

typedef struct {
  osvm_shared_sv *shared;
  const osvm_column *kinds; /* of `columns` columns */
  int columns, n, capacity; /* n: slots ever used; capacity: room, whole panels */
  int count;
  int *shared_slot;           /* slot -> slot in shared, or -1: free */
  int *slot_of, shared_slots; /* slot in shared, below shared_slots -> slot, or -1 */
  int n_free, *free_slots, *changed_slots;
  osvm_generations generations;
  void *column[OSVM_COLUMNS]; /* `capacity` numbers each */
  size_t bytes;               /* the bound of `cache`, which is opened when the first row is placed */
  osvm_cache cache;           /* slot -> its kernel row; stamp: complete for additions up to this generation */
  void *candidate_row;        /* by slot; several machines */
} osvm_sv_set;

osvm_status osvm_sv_set_open(osvm_sv_set *set, osvm_shared_sv *shared, const osvm_column *kinds, int columns,
                             size_t bytes, osvm_error *error);
static inline double *osvm_sv_set_doubles(const osvm_sv_set *set, int column) { return set->column[column]; }
/* Of the support vector in this slot, its index in the whole store */
static inline int osvm_sv_set_example(const osvm_sv_set *set, int slot) {
  return set->shared->example[set->shared_slot[slot]];
}
int osvm_sv_set_slot(const osvm_sv_set *set, int i); /* of example i of the whole store, or -1 */
static inline int osvm_sv_set_padded(const osvm_sv_set *set) {
  const int width = set->shared->store.width;
  return (set->n + width - 1) / width * width;
}

/* Row, by slot, of next[0]; see osvm_shared_sv_row */
osvm_status osvm_sv_set_candidate_row(osvm_sv_set *set, const int *next, int count, const void **row,
                                      osvm_error *error);
/* Example i becomes a support vector, all its columns idle. insert: its candidate row, computed just before, is cached */
osvm_status osvm_sv_set_add(osvm_sv_set *set, int i, int *slot, osvm_error *error);
osvm_status osvm_sv_set_insert(osvm_sv_set *set, int i, int *slot, osvm_error *error);
void osvm_sv_set_remove(osvm_sv_set *set, int slot);
/* Slot k gets the support vector of slot former[k], k < count, which is in slot shared_slot[k] of shared from now on; the
 * others leave, and columns without a name become idle. A cached row is completed for it as for one that is added. */
osvm_status osvm_sv_set_rearrange(osvm_sv_set *set, const int *shared_slot, const int *former, int count);
/* Row of a support vector, valid for OSVM_TOGETHER - 1 more calls, until the next addition; values of free slots, up to
 * whole panels, are finite */
osvm_status osvm_sv_set_row(osvm_sv_set *set, int slot, const void **row, osvm_error *error);
/* target[i] += sum over k < count of factors[k] times value i of the row of slots[k], for all slots i */
osvm_status osvm_sv_set_add_rows(osvm_sv_set *set, const int *slots, int count, const double *factors, double *target,
                                 osvm_error *error);
void osvm_sv_set_drop_rows(osvm_sv_set *set); /* frees their memory; rows are computed again when needed */
int osvm_sv_set_draw(const osvm_sv_set *set, double seed, double step, int stream); /* a slot in use, drawn uniformly */
void osvm_sv_set_close(osvm_sv_set *set);
