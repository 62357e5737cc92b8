/* Kernel values of a store's examples among themselves, for several runs over the same store.
 *
 * Kernels that differ in their parameters are functions of the same base values. The Gram matrix keeps such base rows
 * for as many examples as there is room for, from the first on; runs only read them.
 *
 * A window holds complete kernel rows, which cost one pass over a base row, and moves along the order of visits: runs
 * that visit the same examples at about the same time find all rows there. */
#pragma once

#include "kernel-rows.h"

struct osvm_gram {
  const osvm_store *store;
  osvm_kernel kernel; /* whose values are kept */
  size_t stride;      /* values per row */
  int filled;
  char *rows;
  double evaluations, seconds; /* to fill it: kernel values, and work of all threads */
};

/* Room for `bytes` of base rows. kernel: the narrowest of its kind; only: there is no other, and base rows are its
 * values. */
osvm_status osvm_gram_open(osvm_gram *gram, const osvm_store *store, const osvm_kernel *kernel, int only, size_t bytes,
                           int threads, const osvm_progress *progress, osvm_error *error);
size_t osvm_gram_bytes(const osvm_gram *gram);
static inline int osvm_gram_has(const osvm_gram *gram, int i) { return gram != NULL && i < gram->filled; }
static inline int osvm_gram_complete(const osvm_gram *gram) { return gram != NULL && gram->filled == gram->store->n; }
/* Kernel values of example i, whose base row is there, with examples columns[0 .. count - 1] (below 0: any value will
 * do) */
void osvm_gram_gather(const osvm_gram *gram, const osvm_kernel *kernel, int i, const int *columns, int count,
                      void *out);
void osvm_gram_close(osvm_gram *gram);

typedef struct {
  const osvm_gram *gram;
  int span, first, end; /* examples first .. end - 1, each at its number modulo `span` */
  char *rows;
  osvm_rows source; /* of rows that the Gram matrix lacks, and OSVM_QUERIES rows to compute them in */
  char *block;
  double evaluations;
} osvm_window;

osvm_status osvm_window_open(osvm_window *window, const osvm_gram *gram, const osvm_kernel *kernel, int span,
                             osvm_error *error);
void osvm_window_restart(osvm_window *window);       /* empty, at the first example */
void osvm_window_move(osvm_window *window, int end); /* forward, to end here; rows `span` behind are lost */
/* The kernel row of example i, if it is in the window; else NULL */
static inline const void *osvm_window_row(const osvm_window *window, int i) {
  if (window == NULL || i < window->first || i >= window->end) return NULL;
  return window->rows + (size_t)(i % window->span) * window->gram->stride * window->gram->store->simd->size;
}
void osvm_window_close(osvm_window *window);
