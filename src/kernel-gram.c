/* Base rows and windows; see kernel-gram.h. */
#include "kernel-gram.h"

#include <stdlib.h>
#include <string.h>

#include "base-queue.h"

enum { SLICE = 1024 }; /* values transformed while in the first-level cache */

static size_t row_bytes(const osvm_gram *g) { return g->stride * g->store->simd->size; }
static char *base_row(const osvm_gram *g, int i) { return g->rows + i * row_bytes(g); }

static osvm_status open_source(const osvm_gram *g, const osvm_kernel *kernel, osvm_rows *source, char **block,
                               osvm_error *error) {
  OSVM_TRY(osvm_rows_open(source, kernel, g->store, OSVM_BLOCK_ROUNDING, error));
  *block = calloc(OSVM_QUERIES, row_bytes(g));
  return *block != NULL ? OSVM_OK : osvm_no_memory(error);
}

/* Rows of examples first .. first + count - 1, at most OSVM_QUERIES. An example is at distance 0 from itself, whatever
 * rounding says. */
static void compute(const osvm_gram *g, osvm_rows *source, int first, int count, char *block) {
  const osvm_kernel *kernel = &source->kernel;
  int examples[OSVM_QUERIES] = {0};
  for (int q = 0; q < count; q++) examples[q] = first + q;
  osvm_rows_load(source, g->store, examples, count);
  osvm_rows_compute(source, 0, g->store->n, block, g->stride);
  for (int q = 0; q < count; q++)
    if (kernel->info->base != OSVM_DOTS)
      osvm_set_real(g->store->simd, block + q * row_bytes(g), first + q, osvm_kernel_self(kernel, g->store, first + q));
}

/* ---- the Gram matrix ---- */

enum { ROWS_PER_JOB = 64 };

typedef struct {
  osvm_gram *gram;
  int room;
  double *seconds; /* per job */
} filling;

static osvm_status fill(void *user, int job, const osvm_progress *progress) {
  filling *f = user;
  const osvm_gram *g = f->gram;
  const double start = osvm_cpu_seconds();
  const int begin = job * ROWS_PER_JOB, end = begin + ROWS_PER_JOB < f->room ? begin + ROWS_PER_JOB : f->room;
  if (osvm_poll(progress, 0)) return OSVM_INTERRUPTED;
  osvm_rows source;
  char *block = NULL;
  osvm_error error;
  const osvm_status status = open_source(g, &g->kernel, &source, &block, &error);
  for (int i = begin; i < end && status == OSVM_OK; i += OSVM_QUERIES) {
    const int count = end - i < OSVM_QUERIES ? end - i : OSVM_QUERIES;
    compute(g, &source, i, count, block);
    memcpy(base_row(g, i), block, count * row_bytes(g));
  }
  osvm_rows_close(&source);
  free(block);
  f->seconds[job] = osvm_cpu_seconds() - start;
  return status;
}

osvm_status osvm_gram_open(osvm_gram *g, const osvm_store *store, const osvm_kernel *kernel, int only, size_t bytes,
                           int threads, const osvm_progress *progress, osvm_error *error) {
  memset(g, 0, sizeof *g);
  const size_t width = store->width, n = store->n;
  g->store = store;
  g->kernel = only ? *kernel : osvm_kernel_untransformed(kernel);
  g->stride = (n + width - 1) / width * width + width;
  const size_t fit = bytes / row_bytes(g);
  filling f = {g, fit < n ? (int)fit : (int)n, NULL};
  const int jobs = (f.room + ROWS_PER_JOB - 1) / ROWS_PER_JOB;
  g->rows = malloc(f.room * row_bytes(g) + 1);
  f.seconds = calloc((size_t)jobs + 1, sizeof(double));
  osvm_status status = g->rows && f.seconds ? osvm_queue_run(fill, &f, jobs, threads, progress) : OSVM_NO_MEMORY;
  for (int k = 0; k < jobs && f.seconds != NULL; k++) g->seconds += f.seconds[k];
  free(f.seconds);
  if (status == OSVM_NO_MEMORY) return osvm_no_memory(error);
  if (status != OSVM_OK) return status;
  g->filled = f.room;
  g->evaluations = (double)f.room * store->n;
  return OSVM_OK;
}

size_t osvm_gram_bytes(const osvm_gram *g) { return g->filled * row_bytes(g); }

void osvm_gram_gather(const osvm_gram *g, const osvm_kernel *kernel, int i, const int *columns, int count, void *out) {
  const char *row = base_row(g, i);
  if (g->store->simd->size == sizeof(float))
    for (int k = 0; k < count; k++) ((float *)out)[k] = ((const float *)row)[columns[k] < 0 ? 0 : columns[k]];
  else
    for (int k = 0; k < count; k++) ((double *)out)[k] = ((const double *)row)[columns[k] < 0 ? 0 : columns[k]];
  if (g->kernel.untransformed) osvm_kernel_transform(kernel, g->store->simd, out, count);
}

void osvm_gram_close(osvm_gram *g) {
  free(g->rows);
  memset(g, 0, sizeof *g);
}

/* ---- windows ---- */

osvm_status osvm_window_open(osvm_window *w, const osvm_gram *gram, const osvm_kernel *kernel, int span,
                             osvm_error *error) {
  memset(w, 0, sizeof *w);
  w->gram = gram;
  w->span = span;
  w->rows = malloc(span * row_bytes(gram) + 1);
  if (w->rows == NULL) return osvm_no_memory(error);
  OSVM_TRY(open_source(gram, kernel, &w->source, &w->block, error));
  w->source.evaluations = &w->evaluations;
  return OSVM_OK;
}

void osvm_window_restart(osvm_window *w) { w->first = w->end = 0; }

static char *window_row(const osvm_window *w, int i) { return w->rows + (i % w->span) * row_bytes(w->gram); }

static void transform_row(const osvm_window *w, int i) {
  const osvm_gram *g = w->gram;
  const osvm_simd *simd = g->store->simd;
  const char *from = base_row(g, i);
  char *to = window_row(w, i);
  for (int j = 0; j < g->store->n; j += SLICE) {
    const int count = g->store->n - j < SLICE ? g->store->n - j : SLICE;
    memcpy(to + j * simd->size, from + j * simd->size, count * simd->size);
    if (g->kernel.untransformed) osvm_kernel_transform(&w->source.kernel, simd, to + j * simd->size, count);
  }
}

void osvm_window_move(osvm_window *w, int end) {
  const osvm_gram *g = w->gram;
  int i = w->end;
  for (; i < end && i < g->filled; i++) transform_row(w, i);
  for (; i < end; i += OSVM_QUERIES) {
    const int count = end - i < OSVM_QUERIES ? end - i : OSVM_QUERIES;
    compute(g, &w->source, i, count, w->block);
    for (int q = 0; q < count; q++) memcpy(window_row(w, i + q), w->block + q * row_bytes(g), row_bytes(g));
  }
  w->end = end;
  if (w->first < end - w->span) w->first = end - w->span;
}

void osvm_window_close(osvm_window *w) {
  free(w->rows);
  free(w->block);
  osvm_rows_close(&w->source);
  memset(w, 0, sizeof *w);
}
