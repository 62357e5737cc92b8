/* Outputs of a finished model on new data. Dense: four queries at a time against a slice of support vectors that stays in
 * the second-level cache. Sparse: each query through the support vectors' columns. Batches of queries are independent and
 * run on threads; the result does not depend on how many. */
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "sv-predict.h"

/* WHOLE_TILES: panels that every table's block product takes without a rest */
enum { BATCH = 64, BATCHES_PER_POLL = 16, SLICE_BYTES = 256 * 1024, WHOLE_TILES = 8 };
static const double WORTH_THREADS = 4e6; /* multiplications; below, starting threads takes longer than the work */

typedef struct {
  const osvm_kernel *kernel;
  const osvm_store *store;
  const double *coef;
  int machines, slice; /* slice: panels */
  const osvm_data *data;
  double *out;
} job;

/* What one thread works in; a sparse query fills a store of one batch. */
typedef struct {
  osvm_store queries;
  void *values;
  double *work;
} scratch;

static osvm_status scratch_open(scratch *scratch, const job *job, osvm_error *error) {
  const osvm_store *sv = job->store;
  memset(scratch, 0, sizeof *scratch);
  osvm_status status = osvm_store_open(&scratch->queries, sv->simd, OSVM_ROWS, sv->sparse, sv->d, BATCH, error);
  const size_t values = sv->sparse ? (size_t)sv->n + 1 : (size_t)job->slice * sv->width * OSVM_QUERIES;
  scratch->values = calloc(values, sv->simd->size);
  scratch->work = calloc((size_t)sv->n + 1, sizeof(double));
  if (status == OSVM_OK && (scratch->values == NULL || scratch->work == NULL)) status = osvm_no_memory(error);
  return status;
}

static void scratch_close(scratch *scratch) {
  osvm_store_close(&scratch->queries);
  free(scratch->values);
  free(scratch->work);
}

static void add_outputs(const job *job, const void *values, int begin, int count, int query) {
  const osvm_store *sv = job->store;
  for (int m = 0; m < job->machines; m++)
    job->out[query + (size_t)m * job->data->n] += sv->simd->weigh(values, count, job->coef + begin + (size_t)m * sv->n);
}

static void decide_dense(const job *job, scratch *scratch, int from, int count) {
  const osvm_store *sv = job->store, *queries = &scratch->queries;
  const int panels = (sv->n + sv->width - 1) / sv->width;
  const size_t stride = (size_t)job->slice * sv->width;
  for (int p = 0; p < panels; p += job->slice) {
    const int here = panels - p < job->slice ? panels - p : job->slice, begin = p * sv->width;
    const int filled = sv->n - begin < here * sv->width ? sv->n - begin : here * sv->width;
    /* The last group may run past `count`: those rows of the batch hold zeros or old queries, and are not used. */
    for (int q = 0; q < count; q += OSVM_QUERIES) {
      const char *group = (const char *)queries->dense + (size_t)q * sv->d * sv->simd->size;
      osvm_kernel_block(job->kernel, sv, group, queries->norm + q, p, here, scratch->values, stride);
      for (int k = 0; k < OSVM_QUERIES && q + k < count; k++)
        add_outputs(job, (const char *)scratch->values + k * stride * sv->simd->size, begin, filled, from + q + k);
    }
  }
}

static void decide_sparse(const job *job, scratch *scratch, const osvm_store *queries, int from, int count) {
  for (int q = from; q < from + count; q++) {
    const osvm_query query = osvm_store_query(queries, q, NULL);
    osvm_kernel_row(job->kernel, job->store, &query, 0, job->store->n, scratch->work, scratch->values);
    add_outputs(job, scratch->values, 0, job->store->n, q);
  }
}

/* Dense batches are packed as they come; sparse data has to be turned into rows as a whole, once. */
static osvm_status decide_batch(const job *job, scratch *scratch, const osvm_store *sparse, int batch) {
  const int from = batch * BATCH;
  const int count = job->data->n - from < BATCH ? job->data->n - from : BATCH;
  if (sparse != NULL) {
    decide_sparse(job, scratch, sparse, from, count);
    return OSVM_OK;
  }
  int rows[BATCH];
  for (int k = 0; k < count; k++) rows[k] = from + k;
  scratch->queries.n = 0;
  memset(scratch->queries.norm, 0, BATCH * sizeof(double));
  const osvm_status status = osvm_store_append(&scratch->queries, job->data, rows, count, NULL);
  if (status == OSVM_OK) decide_dense(job, scratch, from, count);
  return status;
}

static osvm_status decide_all(const job *job, scratch *scratches, const osvm_store *sparse, int threads,
                              const osvm_progress *watch) {
  const int batches = (job->data->n + BATCH - 1) / BATCH, step = BATCHES_PER_POLL * threads;
  (void)threads;
  for (int b = 0; b < batches; b += step) {
    const int end = batches - b < step ? batches : b + step;
    int failed = 0;
    if (watch->poll != NULL && watch->poll(watch->user, (double)b / batches)) return OSVM_INTERRUPTED;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(| : failed) if (threads > 1)
#endif
    for (int k = b; k < end; k++) {
#ifdef _OPENMP
      scratch *mine = &scratches[omp_get_thread_num()];
#else
      scratch *mine = scratches;
#endif
      failed |= decide_batch(job, mine, sparse, k) != OSVM_OK;
    }
    if (failed) return OSVM_NO_MEMORY;
  }
  return OSVM_OK;
}

osvm_status osvm_decision_values(const osvm_kernel *kernel, const osvm_store *store, const double *coef, int machines,
                        const osvm_data *data, int threads, const osvm_progress *watch, double *out, osvm_error *error) {
  if (data->d != store->d || (data->kind == OSVM_SPARSE) != store->sparse)
    return osvm_fail(error, OSVM_INVALID, "the examples do not fit the model's store");
  if (store->n == 0 || data->n == 0) return OSVM_OK;
  const size_t panel_bytes = (size_t)store->d * store->width * store->simd->size;
  const int slice = ((int)(SLICE_BYTES / (panel_bytes + 1)) / WHOLE_TILES + 1) * WHOLE_TILES;
  job job = {kernel, store, coef, machines, slice, data, out};
  const double work = (double)data->n * store->n * (store->sparse ? 32 : store->d + 8);
  if (threads < 1 || work < WORTH_THREADS) threads = 1;
  scratch *scratches = calloc(threads, sizeof *scratches);
  if (scratches == NULL) return osvm_no_memory(error);
  osvm_store sparse = {0};
  osvm_status status = OSVM_OK;
  for (int t = 0; t < threads && status == OSVM_OK; t++) status = scratch_open(&scratches[t], &job, error);
  if (status == OSVM_OK && store->sparse) {
    status = osvm_store_open(&sparse, store->simd, OSVM_ROWS, 1, store->d, data->n, error);
    if (status == OSVM_OK) status = osvm_store_append(&sparse, data, NULL, data->n, error);
  }
  if (status == OSVM_OK) status = decide_all(&job, scratches, store->sparse ? &sparse : NULL, threads, watch);
  if (status == OSVM_NO_MEMORY) osvm_no_memory(error);
  osvm_store_close(&sparse);
  for (int t = 0; t < threads; t++) scratch_close(&scratches[t]);
  free(scratches);
  return status;
}
