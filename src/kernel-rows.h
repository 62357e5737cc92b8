/* Kernel rows: the values of up to OSVM_QUERIES examples with the columns of a store, computed together.
 *
 * Every kernel value of a run comes from here, whether it goes to an output, a cached row or a Gram matrix, and is
 * counted here. Rows of sparse examples are computed one after the other, those of dense ones in a block product. */
#pragma once

#include "kernel.h"

/* How dense RBF values of more than 32 features are rounded: by squared differences (the rounding of a single row), or
 * from norms and dot products (the block product, which needs half of the arithmetic). MIXED: a single row the first
 * way, several the second. */
typedef enum { OSVM_ROW_ROUNDING, OSVM_BLOCK_ROUNDING, OSVM_MIXED_ROUNDING } osvm_rounding;

typedef struct osvm_gram osvm_gram;

typedef struct {
  osvm_kernel kernel;
  const osvm_store *store; /* the columns */
  osvm_rounding rounding;
  const osvm_gram *gram;  /* NULL, or known kernel values among the examples of which store's columns are some: ... */
  const int *gram_column; /* ... column -> example there; below 0: any finite value will do */
  double *evaluations;    /* NULL, or the counter of kernel values computed: rows times columns */
  int unused_columns;     /* of store (free slots); a whole row computes but does not count them */
  osvm_team *team;        /* NULL, or threads among which ranges of columns are divided */
  int loaded, gathered;   /* examples, and whether all of their rows are in the Gram matrix */
  int example[OSVM_QUERIES];
  osvm_query query[OSVM_QUERIES];
  char *queries; /* dense: OSVM_QUERIES examples, d values each */
  double *work;  /* sparse: one per column, all 0 */
} osvm_rows;

/* store is not copied. One that grows: osvm_rows_reserve before it does */
osvm_status osvm_rows_open(osvm_rows *rows, const osvm_kernel *kernel, const osvm_store *store, osvm_rounding rounding,
                           osvm_error *error);
osvm_status osvm_rows_reserve(osvm_rows *rows, int old_columns, int columns, osvm_error *error);
/* Whose rows are computed next: up to OSVM_QUERIES examples of `from`, which stays unchanged until then. The Gram
 * matrix is not asked for the store's own examples (from == rows->store). */
void osvm_rows_load(osvm_rows *rows, const osvm_store *from, const int *examples, int count);
/* Columns begin .. end - 1 of the loaded rows, `stride` values apart. out[0] is the first column of begin's panel;
 * dense rows are written in whole panels, and as OSVM_QUERIES rows if more than one is loaded or the rounding is a
 * block's. */
void osvm_rows_compute(osvm_rows *rows, int begin, int end, void *out, size_t stride);
/* The same on the caller's thread, without a count: threads may compute different columns of the loaded rows at once. */
void osvm_rows_compute_range(const osvm_rows *rows, int begin, int end, void *out, size_t stride);
void osvm_rows_count(osvm_rows *rows, int begin, int end);
int osvm_rows_parts(const osvm_rows *rows, int columns); /* in how many parts that is worth dividing */
/* One example with chosen columns, each at row[column], computed with the rounding of a single row. Values of the
 * columns' panels, too, are written. */
void osvm_rows_values(osvm_rows *rows, const osvm_store *from, int example, const int *columns, int count, void *row);
void osvm_rows_close(osvm_rows *rows);
