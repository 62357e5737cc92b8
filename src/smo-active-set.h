/* A changing choice of the store's examples, packed together, and the kernel rows among them within a hard byte bound.
 * For batch solvers that leave examples aside and come back to them. */
#ifndef OSVM_CORE_ACTIVE_H
#define OSVM_CORE_ACTIVE_H

#include "kernel-engine.h"

typedef struct {
  const osvm_kernel *kernel;
  const osvm_store *whole;
  const osvm_gram *gram; /* NULL, or what is known already of kernel values in `whole` */
  osvm_store store;      /* the chosen examples; those chosen longest come first */
  int n, *who;           /* their number, and their places in `whole` */
  int *place;            /* a place in `whole` -> its place here, or -1 */
  char *slab;            /* `slots` rows of `stride` values, one behind the other */
  size_t bytes, stride;
  int slots, filled;
  int *slot_of, *key_of; /* a place in `whole` -> its row's slot, or -1; and back */
  int *length;           /* slot -> how many values of the row are known: a choice that grows makes rows incomplete */
  unsigned char *recent; /* slot -> asked for since the hand last passed */
  int hand, pinned;      /* the row last given away stays where it is */
  void *query, *block;   /* OSVM_QUERIES examples; OSVM_QUERIES slices of rows */
  double *work;
  double evaluations;
} osvm_active_set;

/* Nothing is chosen yet. kernel and whole are not copied. */
osvm_status osvm_active_set_open(osvm_active_set *active, const osvm_kernel *kernel, const osvm_store *whole, size_t bytes,
                             osvm_error *error);
/* From now on the examples with wanted[i] != 0. Those that stay keep their order, rows and all. */
osvm_status osvm_active_set_select(osvm_active_set *active, const unsigned char *wanted, osvm_error *error);
/* Row of chosen example k, `stride` values, valid until the second next call; what follows the n-th is finite */
const void *osvm_active_set_row(osvm_active_set *active, int k);
int osvm_active_set_lacks(const osvm_active_set *active, int k); /* would that row have to be computed from scratch? */
/* Computes rows of up to OSVM_QUERIES chosen examples that lack theirs, together: little more work than one, for many
 * features. Whether that is worth while, and there is room for rows nobody asked for: */
void osvm_active_set_fetch(osvm_active_set *active, const int *ks, int count);
int osvm_active_set_fetches(const osvm_active_set *active);
/* out[j] += sum over `count` places who[] of `whole` of factor * k(example, j-th of the choice) */
void osvm_active_set_add(osvm_active_set *active, const int *who, const double *factor, int count, double *out);
void osvm_active_set_close(osvm_active_set *active);

#endif
