/* k-means on a sample, and the nearest centre of every example. Distances come from the kernel-row service, blocks of
 * examples are taken by threads; sums are in the order of the sample, so that no number depends on threads. */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

#include "base-queue.h"

enum { SAMPLE_PER_CENTRE = 100, BLOCK = 1024 };
static const double NEAR_MEAN = 0.1; /* of the way from the mean to an example */

typedef struct {
  const osvm_store *examples, *centres;
  const int *which; /* NULL, or the examples concerned */
  int count;
  int *nearest;
  const osvm_kernel *distance;
} search;

static osvm_kernel squared_distance(void) {
  const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {1}};
  return osvm_kernel_untransformed(&rbf);
}

static int smallest(const osvm_simd *simd, const void *values, int n) {
  int best = 0;
  for (int c = 1; c < n; c++)
    if (osvm_real(simd, values, c) < osvm_real(simd, values, best)) best = c;
  return best;
}

static osvm_status search_block(const search *s, osvm_rows *rows, void *values, size_t stride, int begin, int end) {
  const osvm_store *centres = s->centres;
  const int group = centres->sparse ? 1 : OSVM_QUERIES;
  for (int k = begin; k < end; k += group) {
    int example[OSVM_QUERIES];
    const int count = end - k < group ? end - k : group;
    for (int q = 0; q < count; q++) example[q] = s->which != NULL ? s->which[k + q] : k + q;
    osvm_rows_load(rows, s->examples, example, count);
    osvm_rows_compute(rows, 0, centres->n, values, stride);
    for (int q = 0; q < count; q++)
      s->nearest[k + q] = smallest(centres->simd, (char *)values + q * stride * centres->simd->size, centres->n);
  }
  return OSVM_OK;
}

static osvm_status search_job(void *user, int job, const osvm_progress *progress) {
  const search *s = user;
  const osvm_store *centres = s->centres;
  const int begin = job * BLOCK, end = s->count - begin < BLOCK ? s->count : begin + BLOCK;
  const size_t stride = ((size_t)centres->n / centres->width + 1) * centres->width;
  if (osvm_poll(progress, 0)) return OSVM_INTERRUPTED;
  osvm_rows rows;
  osvm_status status = osvm_rows_open(&rows, s->distance, centres, OSVM_BLOCK_ROUNDING, NULL);
  void *values = calloc(stride * OSVM_QUERIES, centres->simd->size);
  if (values == NULL) status = OSVM_NO_MEMORY;
  if (status == OSVM_OK) status = search_block(s, &rows, values, stride, begin, end);
  osvm_rows_close(&rows);
  free(values);
  return status;
}

/* centres: a view; they are packed for the search. */
static osvm_status find_nearest(const osvm_cells_task *task, const osvm_store *examples, const osvm_data *centres,
                                const int *which, int count, int *nearest, osvm_error *error) {
  static const osvm_progress none = {0};
  const osvm_progress *progress = task->data->progress != NULL ? task->data->progress : &none;
  const osvm_kernel distance = squared_distance();
  osvm_store packed;
  osvm_status status =
      osvm_store_open(&packed, examples->simd, OSVM_PANELS, examples->sparse, examples->d, centres->n, error);
  if (status == OSVM_OK) status = osvm_store_append(&packed, centres, NULL, centres->n, error);
  if (status == OSVM_OK) status = osvm_store_index(&packed, error);
  search s = {examples, &packed, which, count, nearest, &distance};
  if (status == OSVM_OK) status = osvm_queue_run(search_job, &s, (count + BLOCK - 1) / BLOCK, task->threads, progress);
  if (status == OSVM_NO_MEMORY) osvm_no_memory(error);
  osvm_store_close(&packed);
  return status;
}

static osvm_status pack(const osvm_cells_task *task, osvm_store *store, osvm_error *error) {
  const osvm_simd *simd = task->doubles ? osvm_simd_double(task->level) : osvm_simd_single(task->level);
  const int dense = osvm_data_prefers_dense(task->data, NULL, OSVM_ROWS, simd);
  OSVM_TRY(osvm_store_open(store, simd, OSVM_ROWS, !dense, task->data->d, task->count, error));
  return osvm_store_append(store, task->data, task->rows, task->count, error);
}

osvm_status osvm_cells_assign(const osvm_cells_task *task, const osvm_data *centres, int *cell, osvm_error *error) {
  if (centres->d != task->data->d) return osvm_fail(error, OSVM_INVALID, "the examples do not fit the centres");
  if (centres->n < 1) return osvm_fail(error, OSVM_INVALID, "there are no centres");
  osvm_store store;
  osvm_status status = pack(task, &store, error);
  if (status == OSVM_OK) status = find_nearest(task, &store, centres, NULL, task->count, cell, error);
  osvm_store_close(&store);
  return status;
}

/* ---- k-means ---- */

typedef struct {
  osvm_store store;   /* the examples to divide */
  int *sample, *cell; /* examples, and their nearest centres */
  int size, k;
  double *mean, *centres;  /* mean: one after the other; centres: the same as the caller has them */
  int *members, *renumber; /* of each centre */
} kmeans;

/* Column by column, with the centres that there are now as its rows */
static osvm_data view_centres(kmeans *km) {
  const int d = km->store.d;
  for (int c = 0; c < km->k; c++)
    for (int f = 0; f < d; f++) km->centres[c + (size_t)f * km->k] = km->mean[(size_t)c * d + f];
  return (osvm_data){.kind = OSVM_DOUBLES, .n = km->k, .d = d, .x = km->centres};
}

/* The means of their members become the centres; those with fewer than `least` are given up, unless all are. */
static void move_centres(kmeans *km, double least) {
  const int d = km->store.d;
  int kept = 0;
  memset(km->members, 0, km->k * sizeof(int));
  for (int s = 0; s < km->size; s++) km->members[km->cell[s]]++;
  for (int c = 0; c < km->k; c++) km->renumber[c] = km->members[c] > 0 && km->members[c] >= least ? kept++ : -1;
  if (kept == 0) {
    km->renumber[km->cell[0]] = 0;
    kept = 1;
  }
  memset(km->mean, 0, (size_t)kept * d * sizeof(double));
  for (int s = 0; s < km->size; s++) {
    const int c = km->renumber[km->cell[s]];
    if (c >= 0) osvm_store_add(&km->store, km->sample[s], 1.0 / km->members[km->cell[s]], km->mean + (size_t)c * d);
  }
  km->k = kept;
}

static osvm_status open_kmeans(kmeans *km, const osvm_cells_task *task, const osvm_kmeans_options *options,
                               osvm_error *error) {
  const int n = task->count, d = task->data->d, k = options->k;
  OSVM_TRY(pack(task, &km->store, error));
  km->sample = malloc(((size_t)n + 1) * sizeof(int));
  km->mean = calloc((size_t)k * d + 1, sizeof(double));
  km->members = malloc(((size_t)k + 1) * sizeof(int));
  km->renumber = malloc(((size_t)k + 1) * sizeof(int));
  if (km->sample == NULL || km->mean == NULL || km->members == NULL || km->renumber == NULL)
    return osvm_no_memory(error);
  for (int i = 0; i < n; i++) km->sample[i] = i;
  osvm_random random;
  osvm_random_seed(&random, options->seed);
  osvm_random_shuffle(&random, km->sample, n);
  km->k = k;
  km->size = n / k > SAMPLE_PER_CENTRE ? SAMPLE_PER_CENTRE * k : n;
  return OSVM_OK;
}

/* The first examples of the sample, or points near the mean in their directions */
static void start_centres(kmeans *km, int near_mean) {
  const int d = km->store.d;
  const double step = near_mean ? NEAR_MEAN : 1, rest = near_mean ? (1 - NEAR_MEAN) / km->size : 0;
  for (int s = 0; s < km->size && near_mean; s++) osvm_store_add(&km->store, km->sample[s], rest, km->mean);
  for (int c = km->k - 1; c >= 0; c--) {
    double *centre = km->mean + (size_t)c * d;
    if (c > 0) memcpy(centre, km->mean, d * sizeof(double));
    osvm_store_add(&km->store, km->sample[c], step, centre);
  }
}

/* Small clusters are given up once they have settled; the others then settle anew. */
static osvm_status iterate(kmeans *km, const osvm_cells_task *task, const osvm_kmeans_options *options,
                           osvm_error *error) {
  for (int i = 0; i < options->iterations; i++) {
    const osvm_data centres = view_centres(km);
    OSVM_TRY(find_nearest(task, &km->store, &centres, km->sample, km->size, km->cell, error));
    move_centres(km, i < options->iterations / 2 ? 0 : options->least * km->size);
  }
  const osvm_data centres = view_centres(km);
  return find_nearest(task, &km->store, &centres, NULL, task->count, km->cell, error);
}

osvm_status osvm_cells_split(const osvm_cells_task *task, const osvm_kmeans_options *options, double *centres,
                             int *found, int *cell, osvm_error *error) {
  if (options->k < 1 || options->k > task->count)
    return osvm_fail(error, OSVM_INVALID, "there are fewer examples than centres");
  kmeans km = {.centres = centres, .cell = cell};
  osvm_status status = open_kmeans(&km, task, options, error);
  if (status == OSVM_OK) {
    start_centres(&km, options->iterations == 0);
    status = iterate(&km, task, options, error);
  }
  *found = km.k;
  osvm_store_close(&km.store);
  free(km.sample);
  free(km.mean);
  free(km.members);
  free(km.renumber);
  return status;
}
