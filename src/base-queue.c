/* Jobs are the parts of a team's loop; see base-queue.h. */
#include "base-queue.h"

typedef struct {
  osvm_job *run;
  void *user;
  int jobs;
  const osvm_progress *progress; /* the host's */
  atomic_int next, done, status; /* status: an osvm_status, of the whole queue */
} queue;

/* The first status is kept: jobs stopped by it return OSVM_INTERRUPTED, which must not hide the cause. */
static void set_status(queue *q, osvm_status status) {
  int none = OSVM_OK;
  atomic_compare_exchange_strong(&q->status, &none, (int)status);
}

/* The progress of jobs on the calling thread asks the host. Of jobs + 1 parts the last is never reported, so that the
 * fraction stays below 1 until the end. */
static int poll_host(void *user, double done) {
  queue *q = user;
  if (osvm_poll(q->progress, (q->done + done) / (q->jobs + 1.0))) set_status(q, OSVM_INTERRUPTED);
  return q->status != OSVM_OK;
}

/* That of jobs on other threads knows no host. */
static int poll_status(void *user, double done) {
  const queue *q = user;
  (void)done;
  return q->status != OSVM_OK;
}

/* A part of the team's loop is a thread's right to take jobs, in their order, until none is left. */
static void run_jobs(void *user, int part, int begin, int end) {
  queue *q = user;
  (void)part, (void)begin, (void)end;
  const osvm_progress progress = {.poll = osvm_team_thread() == 0 ? poll_host : poll_status, .user = q};
  for (int k = q->next++; k < q->jobs && q->status == OSVM_OK; k = q->next++) {
    const osvm_status status = q->run(q->user, k, &progress);
    if (status != OSVM_OK) set_status(q, status);
    q->done++;
  }
}

static void poll_while_waiting(void *user) { poll_host(user, 0); }

osvm_status osvm_queue_share(osvm_job *run, void *user, int jobs, osvm_team *team, const osvm_progress *progress) {
  queue q = {.run = run, .user = user, .jobs = jobs, .progress = progress};
  const int most = team->threads < jobs ? team->threads : jobs, parts = most < OSVM_PARTS ? most : OSVM_PARTS;
  osvm_team_split(team, run_jobs, &q, parts, 1, parts, poll_while_waiting);
  return (osvm_status)q.status;
}

typedef struct {
  osvm_job *run;
  void *user;
  int jobs;
  const osvm_progress *progress;
  osvm_team team;
  osvm_status status;
} own_team;

static void share(void *user) {
  own_team *own = user;
  own->status = osvm_queue_share(own->run, own->user, own->jobs, &own->team, own->progress);
}

osvm_status osvm_queue_run(osvm_job *run, void *user, int jobs, int threads, const osvm_progress *progress) {
  own_team own = {.run = run, .user = user, .jobs = jobs, .progress = progress};
  osvm_team_run(&own.team, threads < jobs ? threads : jobs, share, &own);
  return own.status;
}
