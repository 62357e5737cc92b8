/* See sv-expansion.h. */
#include <stdlib.h>
#include <string.h>

#include "sv-expansion.h"

osvm_status osvm_lazy_outputs_open(osvm_lazy_outputs *lazy, osvm_engine *engine, int machines, int first,
                                   osvm_error *error) {
  memset(lazy, 0, sizeof *lazy);
  lazy->engine = engine;
  lazy->machines = machines;
  lazy->n = engine->rows.store->n;
  lazy->first = lazy->next = first;
  lazy->reach = lazy->visits = lazy->n - first;
  lazy->at = -1;
  lazy->output = calloc((size_t)lazy->n + 1, machines * sizeof(double));
  lazy->change = calloc((size_t)OSVM_QUERIES * machines + 1, sizeof(double));
  return lazy->output != NULL && lazy->change != NULL ? OSVM_OK : osvm_no_memory(error);
}

/* The kernel values of a few new examples with all carried ones are computed together. */
osvm_status osvm_lazy_outputs_import(osvm_lazy_outputs *lazy, const double *coef, int from, int to, osvm_error *error) {
  osvm_rows *rows = &lazy->engine->rows;
  const osvm_simd *simd = rows->store->simd;
  const size_t stride = ((size_t)lazy->first / simd->width + 1) * simd->width;
  char *values = calloc(stride * OSVM_QUERIES, simd->size);
  if (values == NULL) return osvm_no_memory(error);
  for (int i = from; i < to; i += OSVM_QUERIES) {
    int examples[OSVM_QUERIES], count = 0;
    while (count < OSVM_QUERIES && i + count < to) {
      examples[count] = i + count;
      count++;
    }
    osvm_rows_load(rows, rows->store, examples, count);
    osvm_rows_compute(rows, 0, lazy->first, values, stride);
    for (int q = 0; q < count; q++)
      for (int m = 0; m < lazy->machines; m++)
        lazy->output[i + q + (size_t)m * lazy->n] =
            simd->weigh(values + q * stride * simd->size, lazy->first, coef + (size_t)m * lazy->first);
  }
  free(values);
  return OSVM_OK;
}

typedef struct {
  osvm_lazy_outputs *lazy;
  const void *rows[OSVM_QUERIES];
  int from;
} flushing;

static void add_changes(void *user, int part, int begin, int end) {
  const flushing *f = user;
  const osvm_lazy_outputs *lazy = f->lazy;
  const osvm_simd *simd = lazy->engine->rows.store->simd;
  const void *rows[OSVM_QUERIES];
  (void)part;
  for (int q = 0; q < OSVM_QUERIES; q++) rows[q] = (const char *)f->rows[q] + (size_t)(f->from + begin) * simd->size;
  for (int m = 0; m < lazy->machines; m++) {
    const double *change = lazy->change + (size_t)m * OSVM_QUERIES;
    int any = 0;
    for (int q = 0; q < OSVM_QUERIES; q++) any |= change[q] != 0;
    if (any) simd->combine(rows, end - begin, change, lazy->output + (size_t)m * lazy->n + f->from + begin);
  }
}

/* Parts begin at multiples of GRAIN, a whole number of vectors: all but the last values are computed as vectors. */
static void flush_range(osvm_lazy_outputs *lazy, int from, int to) {
  enum { GRAIN = 64 };
  if (from >= to || lazy->pending == 0) return;
  osvm_team *team = lazy->engine->rows.team;
  flushing f = {.lazy = lazy, .from = from};
  osvm_engine_rows(lazy->engine, lazy->example, lazy->pending, from, to, f.rows);
  for (int q = lazy->pending; q < OSVM_QUERIES; q++) f.rows[q] = f.rows[0]; /* its change is 0 */
  const int parts = osvm_team_parts(team, (double)OSVM_QUERIES * lazy->machines * (to - from));
  osvm_team_split(team, add_changes, &f, to - from, GRAIN, parts, NULL);
}

/* Only for examples that will be visited before the changes have decayed: from `next` to the end, then from `first`
 * on. */
static void flush(osvm_lazy_outputs *lazy) {
  const int reach = lazy->reach < lazy->horizon ? lazy->reach : lazy->horizon;
  const int to_end = lazy->n - lazy->next;
  if (reach >= lazy->n - lazy->first) {
    flush_range(lazy, lazy->first, lazy->n);
  } else {
    flush_range(lazy, lazy->next, lazy->next + (reach < to_end ? reach : to_end));
    if (reach > to_end) flush_range(lazy, lazy->first, lazy->first + reach - to_end);
  }
  memset(lazy->change, 0, (size_t)OSVM_QUERIES * lazy->machines * sizeof(double));
  lazy->pending = lazy->known = lazy->spent = lazy->horizon = 0;
}

/* The pending examples' kernel values with example i are computed once for all machines. Once more of these have been
 * computed than a flush needs, the changes are flushed; those of sparse examples at once, since computing several
 * sparse rows together saves nothing. */
double osvm_lazy_outputs_get(osvm_lazy_outputs *lazy, int machine, int i) {
  if (lazy->at != i) {
    if (lazy->spent > lazy->visits || (lazy->engine->rows.store->sparse && lazy->pending > 0)) flush(lazy);
    lazy->at = i;
    lazy->known = 0;
  }
  if (lazy->known < lazy->pending) {
    const int unknown = lazy->pending - lazy->known;
    osvm_engine_values(lazy->engine, i, lazy->example + lazy->known, unknown, lazy->kernel + lazy->known);
    lazy->known = lazy->pending;
    lazy->spent += unknown;
  }
  const double *change = lazy->change + (size_t)machine * OSVM_QUERIES;
  double output = lazy->output[i + (size_t)machine * lazy->n];
  for (int q = 0; q < lazy->known; q++) output += change[q] * lazy->kernel[q];
  return output;
}

void osvm_lazy_outputs_change(osvm_lazy_outputs *lazy, int machine, int i, double change, int horizon) {
  int q = 0;
  while (q < lazy->pending && lazy->example[q] != i) q++;
  if (q == OSVM_QUERIES) {
    flush(lazy);
    q = 0;
  }
  if (q == lazy->pending) lazy->example[lazy->pending++] = i;
  lazy->change[q + (size_t)machine * OSVM_QUERIES] += change;
  if (horizon > lazy->horizon) lazy->horizon = horizon;
}

void osvm_lazy_outputs_scale(osvm_lazy_outputs *lazy, int machine, double factor) {
  double *output = lazy->output + (size_t)machine * lazy->n;
  for (int i = 0; i < lazy->n; i++) output[i] *= factor;
  for (int q = 0; q < OSVM_QUERIES; q++) lazy->change[q + (size_t)machine * OSVM_QUERIES] *= factor;
}

void osvm_lazy_outputs_close(osvm_lazy_outputs *lazy) {
  free(lazy->output);
  free(lazy->change);
  memset(lazy, 0, sizeof *lazy);
}
