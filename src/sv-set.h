/* One machine's own members: what it keeps of each, in columns by slot, and the kernel rows among them within a hard byte
 * bound. Slots behave as in sv-shared.h, and with a single machine they are the pool's. */
#ifndef OSVM_CORE_CIRCLE_H
#define OSVM_CORE_CIRCLE_H

#include "sv-shared.h"

enum { OSVM_COLUMNS = 8 };

/* What a solver keeps per support vector. With a name it is part of the model and holds doubles. */
typedef struct {
  const char *name;
  int real;    /* values of the store's precision, else doubles */
  double idle; /* the value in a free slot */
} osvm_column;

typedef struct {
  osvm_shared_sv *shared;
  const osvm_column *kinds; /* of `columns` columns */
  int columns, n, capacity;      /* slots ever used; room, whole panels */
  int count;
  int *member;    /* slot -> the pool's, or -1: vacant */
  int *own, owns; /* the pool's slot (below owns) -> slot, or -1 */
  int vacancies, *vacant, *which;
  osvm_generations generations;
  void *column[OSVM_COLUMNS]; /* `capacity` numbers each */
  size_t bytes;               /* the most for rows */
  void **row;                 /* slot -> its kernel row, right about all who came until `synced`; or NULL */
  uint64_t *synced;
  unsigned char *asked; /* since the hand last passed */
  int rows, hand, pinned;
  void *fresh; /* row of an example from outside */
} osvm_sv_set;

osvm_status osvm_sv_set_open(osvm_sv_set *circle, osvm_shared_sv *shared, const osvm_column *kinds, int columns,
                             size_t bytes, osvm_error *error);
static inline double *osvm_sv_set_doubles(const osvm_sv_set *circle, int column) { return circle->column[column]; }
/* Of the support vector in this slot, its index in the whole store */
static inline int osvm_sv_set_example(const osvm_sv_set *set, int slot) { return set->shared->who[set->member[slot]]; }
int osvm_sv_set_slot(const osvm_sv_set *circle, int i); /* of example i of the whole store, or -1 */
static inline int osvm_sv_set_padded(const osvm_sv_set *circle) {
  const int width = circle->shared->store.width;
  return (circle->n + width - 1) / width * width;
}

/* Row, by slot, of next[0]; see osvm_shared_sv_row */
osvm_status osvm_sv_set_candidate_row(osvm_sv_set *circle, const int *next, int count, const void **row, osvm_error *error);
/* Example i becomes a member, all its columns idle. insert: its row, which was asked for just now, is kept as well */
osvm_status osvm_sv_set_add(osvm_sv_set *circle, int i, int *slot, osvm_error *error);
osvm_status osvm_sv_set_insert(osvm_sv_set *circle, int i, int *slot, osvm_error *error);
void osvm_sv_set_remove(osvm_sv_set *circle, int slot);
/* Row of a member, valid until the second next call or the next newcomer; what stands in vacant slots, up to whole panels,
 * is finite */
osvm_status osvm_sv_set_row(osvm_sv_set *circle, int slot, const void **row, osvm_error *error);
void osvm_sv_set_drop_rows(osvm_sv_set *circle); /* they are computed anew when asked for */
int osvm_sv_set_draw(const osvm_sv_set *circle, double seed, double step, int stream); /* a member, all alike likely */
void osvm_sv_set_close(osvm_sv_set *circle);

#endif
