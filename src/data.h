/* The caller's matrix as a read-only view, and the store: the examples packed as the arithmetic wants them. */
#pragma once

#include "base.h"
#include "simd.h"

/* ---- view: n examples by d features, column by column ---- */

typedef enum { OSVM_DOUBLES, OSVM_INTEGERS, OSVM_SPARSE } osvm_data_kind;

typedef struct osvm_map osvm_map;

/* A monotone function of a column, before its scaling: linear between quantiles, constant beyond; or, of (x - from) / to,
 * the identity bent smoothly to within +-OSVM_CLIP_LIMIT */
typedef enum { OSVM_NO_WARP, OSVM_QUANTILES, OSVM_SOFT_CLIP } osvm_warp_kind;

#define OSVM_CLIP_LIMIT 3.0

typedef struct {
  osvm_warp_kind kind;
  const int *start;        /* knots start[f] .. start[f + 1] - 1 are of column f, which stays as it is if it has none */
  const double *from, *to; /* of quantiles: increasing values, and what they become; of a soft clip: one of each */
} osvm_warp;

typedef struct {
  osvm_data_kind kind;
  int n, d;
  const double *x;               /* OSVM_DOUBLES: n * d values; OSVM_SPARSE: the non-zeros */
  const int *integers;           /* OSVM_INTEGERS: n * d values */
  const int *start;              /* OSVM_SPARSE: column j's non-zeros are start[j] .. start[j + 1] - 1 ... */
  const int *row;                /* ... and their rows, increasing within a column */
  osvm_warp warp;                /* w, of dense data */
  const double *centre;          /* NULL, or d: examples are (w(x) - centre) / scale; NULL if sparse */
  const double *scale;           /* NULL, or d */
  int unit_norm;                 /* packed examples are divided by their norm, after the scaling */
  const osvm_progress *progress; /* NULL, or polled while the matrix is read: OSVM_INTERRUPTED */
  osvm_map *map;   /* NULL, or what makes other features of the (scaled) columns when they are packed ... */
  int threads;     /* ... on so many threads, or ... */
  osvm_team *team; /* ... with a team that is at work */
} osvm_data;

int osvm_data_width(const osvm_data *data); /* number of features of the packed examples */

typedef struct {
  double low, high, mean, sd;
} osvm_column_summary;

osvm_status osvm_data_check(const osvm_data *data, size_t length, osvm_error *error); /* slots of a sparse matrix */
/* Fails on NaN and Inf. moments = 0: range only, mean and sd are 0. */
osvm_status osvm_data_describe(const osvm_data *data, int moments, osvm_column_summary *columns, osvm_error *error);
/* Where osvm_data_describe() fails: marks the examples with missing values, NaN; their number, and whether a value is
 * infinite. marked: zeros */
void osvm_data_gaps(const osvm_data *data, unsigned char *marked, int *missing, int *infinite);
int osvm_data_finite(const osvm_data *data); /* no value is NaN, Inf or R's missing integer */
/* out (n x machines) += <weights (d x machines), scaled x_i>: outputs of linear models, from the caller's memory */
osvm_status osvm_data_multiply(const osvm_data *data, const double *weights, int machines, double *out,
                               osvm_error *error);
osvm_status osvm_data_norms(const osvm_data *data, double *out); /* squared norms of the scaled examples */
/* Has the host asked for a stop? Polled after some milliseconds of work; *work: values read since the last poll. */
int osvm_data_stopped(const osvm_data *data, double *work, double more);

osvm_data osvm_data_as_given(const osvm_data *data); /* neither warped, scaled nor mapped */
/* Values of column f of a dense matrix, warped: of rows[0 .. count - 1], or (NULL) of rows first .. first + count - 1 */
void osvm_data_column(const osvm_data *data, int f, const int *rows, int first, int count, double *out);

/* ---- warping ---- */

osvm_status osvm_warp_check(const osvm_warp *warp, int d, size_t length,
                            osvm_error *error); /* length: of from and to */
void osvm_warp_apply(const osvm_warp *warp, int f, double *x, int count);
void osvm_warp_invert(const osvm_warp *warp, int f, double *z, int count); /* values of w, or between two of them */
/* From values of w to the derivatives of its inverse there, at a knot the mean of both sides, beyond the last the last */
void osvm_warp_slopes(const osvm_warp *warp, int f, double *z, int count);

/* ---- equal examples ---- */

typedef struct {
  const osvm_data *data;
  const int *rows; /* all different */
  int count;
  const int *class_of;  /* count */
  const double *weight; /* NULL, or count */
} osvm_examples;

/* Entries: examples equal in values, class and (if given) weight. entry, first: room for `count` each */
typedef struct {
  int *entry; /* of every example */
  int *first; /* the first example of every entry; entries are numbered in the order of these */
  int count;
} osvm_folding;

/* out->count is that of the examples, and the rest undefined, where fewer than half of them are repeats. */
osvm_status osvm_data_fold(const osvm_examples *all, osvm_folding *out, osvm_error *error);

/* What equal examples of one class mean to a solver */
typedef enum {
  OSVM_REPEATS_APART,   /* each is an example of its own */
  OSVM_REPEATS_VISITED, /* several visits to one example: the rule reads outputs and adds to coefficients, no more */
  OSVM_REPEATS_WEIGHED  /* one example with the sum of their weights, at the solution */
} osvm_repeats;

static inline osvm_repeats osvm_repeats_visited(const double *params) {
  (void)params;
  return OSVM_REPEATS_VISITED;
}

static inline osvm_repeats osvm_repeats_weighed(const double *params) {
  (void)params;
  return OSVM_REPEATS_WEIGHED;
}

/* ---- store ---- */

typedef enum { OSVM_PANELS, OSVM_ROWS } osvm_layout;

/* Whether the examples of these matrices (more: NULL, or of the same features) belong in a dense store: those of dense
 * matrices do, those of sparse ones by their density. Training, tuning and prediction decide by it. */
int osvm_data_prefers_dense(const osvm_data *data, const osvm_data *more, osvm_layout layout, const osvm_simd *simd);

typedef struct {
  const osvm_simd *simd; /* fixes the precision of all values */
  int sparse, d, width;  /* width: examples per panel, 1 for rows */
  int n, capacity;
  double *norm;      /* squared norms */
  double *absolute;  /* sparse: sums of absolute values */
  void *dense;       /* panels of `width` examples, d x width each; unused lanes are 0 */
  size_t *row_start; /* sparse: example i's non-zeros are row_length[i] from row_start[i] on */
  int *row_length;
  int *column;
  void *value;
  size_t used, room;   /* of column and value */
  size_t *index_start; /* the same non-zeros by column, built by osvm_store_index; NULL: none */
  int *index_row;
  void *index_value;
  int *stale, stales, stale_room, indexed; /* stale: replaced or appended since; indexed: number at that time */
  int window, *place; /* window > 0: at most so many are loaded together, to these places; below 0: it is not ... */
  int keep, kept;     /* places of examples that stay, and those in use */
  const osvm_data *source; /* ... until it is loaded: examples are rows of the source */
  const int *source_rows;
  int unit_norm;
} osvm_store;

/* A map of d columns to `width` features, which writes `count` rows of the data behind the last example of a dense store,
 * where there is room for them; norms are 0 before. */
struct osvm_map {
  int d, width;
  osvm_status (*fill)(osvm_map *map, osvm_store *store, const osvm_data *data, const int *rows, int count,
                      osvm_error *error);
};

osvm_status osvm_store_open(osvm_store *store, const osvm_simd *simd, osvm_layout layout, int sparse, int d,
                            int capacity, osvm_error *error);
/* Examples rows[0 .. count - 1] of data with a map, in the layout OSVM_ROWS, with room for `window` and, if there is
 * memory, `keep` more: osvm_store_load packs these, different ones, at most `window`, unless all are there. The first
 * `keep` to be packed stay, others have the place of others. Norms stay known. */
osvm_status osvm_store_open_window(osvm_store *store, const osvm_simd *simd, const osvm_data *data, const int *rows,
                                   int count, int window, int keep, int unit_norm, osvm_error *error);
osvm_status osvm_store_load(osvm_store *store, const int *examples, int count, osvm_team *team, osvm_error *error);
static inline int osvm_store_has(const osvm_store *store, int i) {
  return store->place == NULL || store->place[i] >= 0;
}
/* Appends examples rows[0 .. count - 1] of data, all different, in that order; rows = NULL: the first `count`. The data
 * may be dense or sparse, whatever the store is. After an interrupt the store has the examples it had. */
osvm_status osvm_store_append(osvm_store *store, const osvm_data *data, const int *rows, int count, osvm_error *error);
/* Copies example i of another store of the same kind to a place in use, or (slot = n) behind the last */
osvm_status osvm_store_put(osvm_store *store, int slot, const osvm_store *from, int i, osvm_error *error);
/* Example k becomes the former order[k], a permutation of all; the first `count` stay. No copy is made. */
void osvm_store_select(osvm_store *store, int *order, int count);
void osvm_store_truncate(osvm_store *store, int count); /* the first `count` stay */
void osvm_store_remove(osvm_store *store, int i);       /* the last example takes its place */
/* Example i becomes a x_i + b x_j; of a sparse store it has the non-zeros of both */
osvm_status osvm_store_combine(osvm_store *store, int i, double a, int j, double b, osvm_error *error);
/* Example i has these d values, or as many as it has non-zeros, in place of its own. A sparse store loses its index. */
void osvm_store_write(osvm_store *store, int i, const double *values);
void osvm_store_clear(osvm_store *store);               /* no examples, the same room */
void osvm_store_normalise(osvm_store *store, int from); /* every example from there on but zeros to norm 1 */
osvm_status osvm_store_index(osvm_store *store, osvm_error *error); /* builds the index if missing or outdated */
void osvm_store_close(osvm_store *store);

/* The examples of a store of doubles and OSVM_ROWS, in one block: free((void *)data->x). Other fields of `data` stay. */
osvm_status osvm_store_unpack(const osvm_store *store, osvm_data *data, osvm_error *error);

/* One example as the left side of a product: d values, or its non-zeros */
typedef struct {
  const void *dense;
  const int *column;
  const void *value;
  int length;
  double norm, absolute; /* absolute: of a sparse example */
} osvm_query;

/* buffer: d values, filled with a dense example; NULL suffices for sparse stores and rows */
osvm_query osvm_store_query(const osvm_store *store, int i, void *buffer);
double osvm_store_weigh(const osvm_store *store, int i, const double *weights);      /* <weights, x_i> */
void osvm_store_add(const osvm_store *store, int i, double factor, double *weights); /* weights += factor x_i */
void osvm_store_prefetch(const osvm_store *store, int i);                            /* x_i will be needed soon */
