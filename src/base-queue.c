/* A counter that threads take numbers from; see base-queue.h. */
#include "base-queue.h"

#include <stdatomic.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct {
  osvm_job *work;
  void *user;
  int jobs;
  const osvm_progress *progress;
  atomic_int next, done, status; /* status: an osvm_status, of all */
} queue;

typedef struct {
  queue *queue;
  int first;
} ear;

/* The first to end the work says why: who only stops because of it must not overwrite that. */
static void end_with(queue *q, osvm_status status) {
  int none = OSVM_OK;
  atomic_compare_exchange_strong(&q->status, &none, (int)status);
}

static int hear(void *user, double done) {
  const ear *e = user;
  queue *q = e->queue;
  if (e->first && q->progress->poll != NULL && q->progress->poll(q->progress->user, (q->done + done) / (q->jobs + 1.0)))
    end_with(q, OSVM_INTERRUPTED);
  return q->status != OSVM_OK;
}

/* A thread's day. The first, when there is nothing left for it, stays to listen to the caller. */
static void work_off(queue *q, int first) {
  ear e = {q, first};
  const osvm_progress watch = {hear, &e};
  for (int k = q->next++; k < q->jobs && q->status == OSVM_OK; k = q->next++) {
    const osvm_status status = q->work(q->user, k, &watch);
    if (status != OSVM_OK) end_with(q, status);
    q->done++;
  }
  while (first && q->status == OSVM_OK && q->done < q->jobs) {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    hear(&e, 0);
  }
}

osvm_status osvm_queue_run(osvm_job *work, void *user, int jobs, int threads, const osvm_progress *watch) {
  queue q = {.work = work, .user = user, .jobs = jobs, .progress = watch};
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1)
  work_off(&q, omp_get_thread_num() == 0);
#else
  work_off(&q, 1);
#endif
  return (osvm_status)q.status;
}
