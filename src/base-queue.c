/* Threads take the next job from an atomic counter; see base-queue.h. */
#include "base-queue.h"

#include <stdatomic.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct {
  osvm_job *run;
  void *user;
  int jobs;
  const osvm_progress *progress; /* the host's */
  atomic_int next, done, status; /* status: an osvm_status, of the whole queue */
} queue;

typedef struct {
  queue *queue;
  int is_host; /* the calling thread, which alone may call the host */
} worker;

/* The first status is kept: jobs stopped by it return OSVM_INTERRUPTED, which must not hide the cause. */
static void set_status(queue *q, osvm_status status) {
  int none = OSVM_OK;
  atomic_compare_exchange_strong(&q->status, &none, (int)status);
}

/* The progress callback of jobs: polls the host on its own thread; non-zero once the queue is stopped. Of jobs + 1
 * parts the last is never reported, so that the fraction stays below 1 until the end. */
static int poll_host(void *user, double done) {
  const worker *w = user;
  queue *q = w->queue;
  const osvm_progress *host = q->progress;
  if (w->is_host && host->poll != NULL && host->poll(host->user, (q->done + done) / (q->jobs + 1.0)))
    set_status(q, OSVM_INTERRUPTED);
  return q->status != OSVM_OK;
}

/* The host's thread, when no job is left for it, polls the host every 5 ms until the other threads are done. */
static void run_jobs(queue *q, int is_host) {
  worker w = {q, is_host};
  const osvm_progress progress = {poll_host, &w};
  for (int k = q->next++; k < q->jobs && q->status == OSVM_OK; k = q->next++) {
    const osvm_status status = q->run(q->user, k, &progress);
    if (status != OSVM_OK) set_status(q, status);
    q->done++;
  }
  while (is_host && q->status == OSVM_OK && q->done < q->jobs) {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    poll_host(&w, 0);
  }
}

osvm_status osvm_queue_run(osvm_job *run, void *user, int jobs, int threads, const osvm_progress *progress) {
  queue q = {.run = run, .user = user, .jobs = jobs, .progress = progress};
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1)
  run_jobs(&q, omp_get_thread_num() == 0);
#else
  run_jobs(&q, 1);
#endif
  return (osvm_status)q.status;
}
