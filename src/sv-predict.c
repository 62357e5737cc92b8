/* Decision values of a finished model on new data. Dense: OSVM_QUERIES examples at a time against a slice of support
 * vectors that stays in the second-level cache. Sparse: each example through the support vectors' columns. The support
 * vectors' store decides which, new examples of either class are packed to fit. Batches of examples are independent and
 * run on threads; the result does not depend on how many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-queue.h"
#include "sv-predict.h"

/* BATCHES_PER_JOB: at most. WHOLE_TILES: panels that every table's block product takes without a rest. MAPPED:
 * examples whose features are held at once */
enum { BATCH = 64, BATCHES_PER_JOB = 16, SLICE_BYTES = 256 * 1024, WHOLE_TILES = 12, MAPPED = 1024 };
static const double WORTH_THREADS = 4e6; /* multiplications; below, starting threads takes longer than the work */
static const double WORK_PER_JOB = 1e8;  /* after which a thread polls: some milliseconds */

typedef struct {
  const osvm_kernel *kernel;
  const osvm_store *store;
  const double *coef;
  int machines, slice; /* slice: support vectors, whole panels */
  const osvm_data *data;
  double *out;
  int n; /* rows of `out` */
} job;

/* Memory of one thread */
typedef struct {
  osvm_store batch; /* examples, packed as the support vectors are */
  osvm_rows rows;
  char *values;
} scratch;

/* Several sparse rows cost as much as one by one, and more memory. */
static int rows_at_once(const job *job) { return job->store->sparse ? 1 : OSVM_QUERIES; }

static osvm_status scratch_open(scratch *scratch, const job *job, osvm_error *error) {
  const osvm_store *sv = job->store;
  memset(scratch, 0, sizeof *scratch);
  scratch->values = calloc((size_t)job->slice * rows_at_once(job), sv->simd->size);
  if (scratch->values == NULL) return osvm_no_memory(error);
  OSVM_TRY(osvm_store_open(&scratch->batch, sv->simd, OSVM_ROWS, sv->sparse, sv->d, BATCH, error));
  return osvm_rows_open(&scratch->rows, job->kernel, sv, OSVM_BLOCK_ROUNDING, error);
}

static void scratch_close(scratch *scratch) {
  osvm_store_close(&scratch->batch);
  osvm_rows_close(&scratch->rows);
  free(scratch->values);
}

/* The output of an example of the store is at its number there plus `shift`. */
static void add_outputs(const job *job, scratch *scratch, const osvm_store *store, const int *examples, int count,
                        int shift) {
  const osvm_store *sv = job->store;
  const int group = rows_at_once(job);
  for (int s = 0; s < sv->n; s += job->slice) {
    const int filled = sv->n - s < job->slice ? sv->n - s : job->slice;
    for (int i = 0; i < count; i += group) {
      const int queries = count - i < group ? count - i : group;
      osvm_rows_load(&scratch->rows, store, examples + i, queries);
      osvm_rows_compute(&scratch->rows, s, s + filled, scratch->values, job->slice);
      for (int q = 0; q < queries; q++)
        for (int m = 0; m < job->machines; m++)
          job->out[examples[i + q] + shift + (size_t)m * job->n] += sv->simd->weigh(
              scratch->values + (size_t)q * job->slice * sv->simd->size, filled, job->coef + s + (size_t)m * sv->n);
    }
  }
}

/* Batches are packed one by one, but sparse data that stays sparse is turned into rows as a whole, once. */
static osvm_status decide_batch(const job *job, scratch *scratch, const osvm_store *sparse, int batch) {
  const int begin = batch * BATCH, end = job->data->n - begin < BATCH ? job->data->n : begin + BATCH;
  int rows[BATCH];
  for (int k = 0; k < end - begin; k++) rows[k] = begin + k;
  if (sparse != NULL) {
    add_outputs(job, scratch, sparse, rows, end - begin, 0);
    return OSVM_OK;
  }
  osvm_store_clear(&scratch->batch);
  OSVM_TRY(osvm_store_append(&scratch->batch, job->data, rows, end - begin, NULL));
  for (int k = 0; k < end - begin; k++) rows[k] = k;
  add_outputs(job, scratch, &scratch->batch, rows, end - begin, begin);
  return OSVM_OK;
}

static double multiplications(const job *job) {
  const osvm_store *store = job->store;
  return (double)job->data->n * store->n * ((store->sparse ? 32 : store->d + 8) + job->machines);
}

typedef struct {
  const job *job;
  scratch *scratches; /* of each thread */
  int threads;
  const osvm_store *sparse;
  int together; /* batches between polls */
} batches;

static osvm_status decide_batches(void *user, int k, const osvm_progress *progress) {
  const batches *b = user;
  const int all = (b->job->data->n + BATCH - 1) / BATCH, begin = k * b->together;
  scratch *mine = &b->scratches[b->threads > 1 ? osvm_team_thread() : 0];
  if (osvm_poll(progress, 0)) return OSVM_INTERRUPTED;
  for (int i = begin; i < begin + b->together && i < all; i++) OSVM_TRY(decide_batch(b->job, mine, b->sparse, i));
  return OSVM_OK;
}

/* Threads take batches as they come, and wait for each other at the end only. */
static osvm_status decide_all(const job *job, scratch *scratches, const osvm_store *sparse, int threads,
                              const osvm_progress *progress) {
  const double work = multiplications(job) * BATCH / job->data->n;
  batches b = {job, scratches, threads, sparse,
               work < WORK_PER_JOB ? (int)fmin(WORK_PER_JOB / work, BATCHES_PER_JOB) : 1};
  const int size = BATCH * b.together;
  return osvm_queue_run(decide_batches, &b, (job->data->n + size - 1) / size, threads, progress);
}

static osvm_status open_and_decide(const job *job, scratch *scratches, osvm_store *sparse, int threads,
                                   const osvm_progress *progress, osvm_error *error) {
  const osvm_store *store = job->store;
  const osvm_data *data = job->data;
  for (int t = 0; t < threads; t++) OSVM_TRY(scratch_open(&scratches[t], job, error));
  if (!store->sparse || data->kind != OSVM_SPARSE) return decide_all(job, scratches, NULL, threads, progress);
  OSVM_TRY(osvm_store_open(sparse, store->simd, OSVM_ROWS, 1, store->d, data->n, error));
  OSVM_TRY(osvm_store_append(sparse, data, NULL, data->n, error));
  return decide_all(job, scratches, sparse, threads, progress);
}

/* Support vectors of which a slice stays in the second-level cache, at most all of them */
int osvm_decision_slice(const osvm_store *store) {
  const size_t panel_bytes = (size_t)store->d * store->width * store->simd->size;
  const int panels = ((int)(SLICE_BYTES / (panel_bytes + 1)) / WHOLE_TILES + 1) * WHOLE_TILES;
  const int all = store->n > 0 ? (store->n + store->width - 1) / store->width : 1;
  return (store->sparse || all < panels ? all : panels) * store->width;
}

osvm_status osvm_decision_values(const osvm_kernel *kernel, const osvm_store *store, const double *coef, int machines,
                                 const osvm_data *data, int threads, const osvm_progress *progress, double *out,
                                 osvm_error *error) {
  if (data->d != store->d) return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model's store");
  if (kernel->info->base == OSVM_GIVEN)
    return osvm_fail(error, OSVM_INVALID, "the kernel values of new examples are not given");
  if (store->n == 0 || data->n == 0) return OSVM_OK;
  osvm_data quiet = *data; /* threads do not poll */
  quiet.progress = NULL;
  job job = {kernel, store, coef, machines, osvm_decision_slice(store), &quiet, out, data->n};
  if (threads < 1 || multiplications(&job) < WORTH_THREADS) threads = 1;
  scratch *scratches = calloc(threads, sizeof *scratches);
  if (scratches == NULL) return osvm_no_memory(error);
  osvm_store sparse = {0};
  const osvm_status status = open_and_decide(&job, scratches, &sparse, threads, progress, error);
  if (status == OSVM_NO_MEMORY) osvm_no_memory(error);
  osvm_store_close(&sparse);
  for (int t = 0; t < threads; t++) scratch_close(&scratches[t]);
  free(scratches);
  return status;
}

/* Weights of the features of landmarks are coefficients of the landmarks: no feature is computed. */
static osvm_status decide_expanded(const osvm_data *data, const osvm_simd *simd, const double *weights, int machines,
                                   double *out, osvm_error *error) {
  osvm_low_rank *map = (osvm_low_rank *)data->map;
  osvm_data plain = *data;
  plain.map = NULL;
  OSVM_TRY(osvm_low_rank_pack(map, simd, error));
  double *coef = malloc(((size_t)map->map.width * machines + 1) * sizeof(double));
  if (coef == NULL) return osvm_no_memory(error);
  osvm_low_rank_expand(map, weights, machines, coef);
  const osvm_status status = osvm_decision_values(&map->kernel, &map->packed, coef, machines, &plain, data->threads,
                                                  data->progress, out, error);
  free(coef);
  return status;
}

/* A slice of examples at a time is mapped. */
static osvm_status decide_mapped(const osvm_data *data, osvm_store *slice, int *rows, const double *weights,
                                 int machines, int unit_norm, double *out, osvm_error *error) {
  for (int begin = 0; begin < data->n; begin += MAPPED) {
    const int count = data->n - begin < MAPPED ? data->n - begin : MAPPED;
    for (int k = 0; k < count; k++) rows[k] = begin + k;
    osvm_store_clear(slice);
    OSVM_TRY(osvm_store_append(slice, data, rows, count, error));
    if (unit_norm) osvm_store_normalise(slice, 0);
    for (int m = 0; m < machines; m++)
      for (int k = 0; k < count; k++)
        out[begin + k + (size_t)m * data->n] += osvm_store_weigh(slice, k, weights + (size_t)m * slice->d);
  }
  return OSVM_OK;
}

osvm_status osvm_linear_decision_values(const osvm_data *data, const osvm_simd *simd, const double *weights,
                                        int machines, int unit_norm, double *out, osvm_error *error) {
  if (data->map != NULL && !unit_norm && ((osvm_low_rank *)data->map)->root != NULL)
    return decide_expanded(data, simd, weights, machines, out, error);
  if (data->map != NULL) {
    osvm_store slice;
    int rows[MAPPED];
    osvm_status status = osvm_store_open(&slice, simd, OSVM_ROWS, 0, data->map->width, MAPPED, error);
    if (status == OSVM_OK) status = decide_mapped(data, &slice, rows, weights, machines, unit_norm, out, error);
    osvm_store_close(&slice);
    return status;
  }
  OSVM_TRY(osvm_data_multiply(data, weights, machines, out, error));
  if (!unit_norm && !data->unit_norm) return OSVM_OK;
  double *norm = malloc(((size_t)data->n + 1) * sizeof(double));
  if (norm == NULL) return osvm_no_memory(error);
  const osvm_status status = osvm_data_norms(data, norm);
  for (int m = 0; m < machines && status == OSVM_OK; m++)
    for (int i = 0; i < data->n; i++)
      if (norm[i] > 0) out[i + (size_t)m * data->n] /= sqrt(norm[i]);
  free(norm);
  return status;
}
