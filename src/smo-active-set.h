/* A changing subset of the store's examples, packed together, and the kernel rows among them within a hard byte bound:
 * the active set of a batch solver that shrinks. */
#pragma once

#include "kernel-engine.h"

typedef struct {
  const osvm_store *whole;
  osvm_store store; /* the active examples, those active longest first */
  osvm_rows rows;   /* of examples of `whole` against the store */
  int n, *example;  /* active examples, by their places in `whole` */
  int *position;    /* example of `whole` -> its place here, or -1 */
  osvm_cache cache; /* example of `whole` -> its row; stamp: columns known, fewer than n after the set has grown */
  size_t stride;    /* values of a row: n, up to whole panels */
  char *block;      /* per part of a loop OSVM_QUERIES slices of rows; or one row */
} osvm_active_set;

/* The set is empty. whole is not copied. The caller sets rows.gram and rows.evaluations, if there are any. */
osvm_status osvm_active_set_open(osvm_active_set *active, const osvm_kernel *kernel, const osvm_store *whole,
                                 size_t bytes, osvm_team *team, osvm_error *error);
/* From now on the examples with is_active[i] != 0. Those that stay keep their order and their rows. */
osvm_status osvm_active_set_select(osvm_active_set *active, const unsigned char *is_active, osvm_error *error);
/* Row of the k-th active example, `stride` values, valid until the second next call; values from n on are finite */
const void *osvm_active_set_row(osvm_active_set *active, int k);
int osvm_active_set_lacks(const osvm_active_set *active, int k); /* is that row not cached? */
/* Computes rows of up to OSVM_QUERIES active examples that lack theirs: for many examples and features little more work
 * than one. fetches: does that pay, and is there room? */
void osvm_active_set_fetch(osvm_active_set *active, const int *ks, int count);
int osvm_active_set_fetches(const osvm_active_set *active);
/* out[j] += sum over `count` examples of `whole` of factor * k(example, j-th active one) */
void osvm_active_set_add(osvm_active_set *active, const int *examples, const double *factor, int count, double *out);
void osvm_active_set_close(osvm_active_set *active);
