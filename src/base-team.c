/* See base-team.h. */
#include "base.h"

#include <stddef.h>
/* OpenMP's threads spin for milliseconds before and after a region, on processors that others want: teams have threads of
 * their own where the system has POSIX's. */
#if defined(_OPENMP) && !defined(_WIN32)
#define OWN_THREADS
#include <pthread.h>
#include <signal.h>
#elif defined(_OPENMP)
#include <omp.h>
#endif

static const double WORK_PER_PART = 1e5;
enum { PARTS_PER_THREAD = 2 }; /* balance the speeds of threads */
/* Rounds of waiting: on the processor, then letting others have it, then asleep, the longer the later. A loop follows the
 * last one within some ten microseconds, or much later. */
enum { SPINS = 2000, YIELDS = 100 };
static const double SHORT_SLEEP = 5e-5, LONG_SLEEP = 1e-3; /* seconds */
/* Where other programs use the processors, a team takes them from its own calling thread, or waits for threads that the
 * system has stopped: in each PERIOD the time so lost must stay below a share. Else the caller goes on alone, the longer
 * the more often, while the others sleep. */
static const double PERIOD = 4e-3, MOST_LOST = 0.1, SHORT_REST = 0.05, LONG_REST = 1.6, LONG_WAIT = 2e-5;
enum { LOOPS_BETWEEN = 16 }; /* looks at the clock, while alone */

static void pause_briefly(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#endif
}

static double nap(int number) {
  const double seconds = number * SHORT_SLEEP;
  return seconds < LONG_SLEEP ? seconds : LONG_SLEEP;
}

/* Takes a part of the loop on offer, if there is one left, and computes it. A thread begins with the parts that it had in
 * loops before, which its cache may still hold. */
static int take_part(osvm_team *t, int thread) {
  uint64_t offer = atomic_load_explicit(&t->offer, memory_order_acquire);
  const uint32_t left = (uint32_t)offer;
  if (left == 0) return 0;
  const int own = PARTS_PER_THREAD * thread % OSVM_PARTS;
  int part = own;
  while (!(left >> part & 1)) part = (part + 1) % OSVM_PARTS;
  if (!atomic_compare_exchange_strong(&t->offer, &offer, offer & ~((uint64_t)1 << part))) return 1; /* look again */
  const int grains = (t->n + t->grain - 1) / t->grain;
  const int begin = (int)((int64_t)grains * part / t->parts) * t->grain;
  const int end = (int)((int64_t)grains * (part + 1) / t->parts) * t->grain;
  t->job(t->user, part, begin, end < t->n ? end : t->n);
  atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
  return 1;
}

#ifdef _OPENMP
static void serve(osvm_team *t, int thread) {
  for (int idle = 0; !atomic_load_explicit(&t->closed, memory_order_acquire);) {
    if (take_part(t, thread)) idle = 0;
    else if (idle++ < SPINS) pause_briefly();
    else if (idle < SPINS + YIELDS) osvm_yield();
    else osvm_sleep(nap(idle - SPINS - YIELDS));
  }
}
#endif

#ifdef OWN_THREADS
static _Thread_local int own_number, teams; /* teams: at work, of which this thread is one */

typedef struct {
  osvm_team *team;
  int number;
  pthread_t thread;
} member;

static void *join_team(void *user) {
  const member *m = user;
  own_number = m->number;
  teams = 1;
  serve(m->team, m->number);
  return NULL;
}

/* Signals are the calling thread's. The team is as large as the system allows. */
static int start_others(osvm_team *t, member *other, int count) {
  int started = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < count) {
    other[started] = (member){t, started + 1, 0};
    if (pthread_create(&other[started].thread, NULL, join_team, &other[started]) != 0) break;
    started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static void run_together(osvm_team *t, int threads, void (*work)(void *user), void *user) {
  member other[OSVM_PARTS];
  const int started = start_others(t, other, (threads < OSVM_PARTS ? threads : OSVM_PARTS) - 1);
  teams++;
  work(user);
  teams--;
  atomic_store_explicit(&t->closed, 1, memory_order_release);
  for (int k = 0; k < started; k++) pthread_join(other[k].thread, NULL);
}
#elif defined(_OPENMP)
static void run_together(osvm_team *t, int threads, void (*work)(void *user), void *user) {
#pragma omp parallel num_threads(threads)
  if (osvm_team_thread() == 0) {
    work(user);
    atomic_store_explicit(&t->closed, 1, memory_order_release);
  } else {
    serve(t, osvm_team_thread());
  }
}
#endif

int osvm_team_thread(void) {
#ifdef OWN_THREADS
  return own_number;
#elif defined(_OPENMP)
  return omp_get_thread_num();
#else
  return 0;
#endif
}

static void begin_period(osvm_team *t, double now) {
  t->since = now;
  t->computed = osvm_cpu_seconds();
  t->waited = 0;
}

/* Within a team at work there is no other. */
void osvm_team_run(osvm_team *t, int threads, void (*work)(void *user), void *user) {
#ifdef OWN_THREADS
  const int outer = own_number;
  own_number = 0;
  if (teams > 0) threads = 1;
#endif
  t->threads = threads;
  t->closed = 0;
  t->offer = 0;
  if (threads > 1) begin_period(t, osvm_wall_seconds());
#ifdef _OPENMP
  if (threads > 1) run_together(t, threads, work, user);
  else
#endif
    work(user);
#ifdef OWN_THREADS
  own_number = outer;
#endif
  t->threads = 0;
}

static double work_per_part(const osvm_team *t) { return t->work_per_part > 0 ? t->work_per_part : WORK_PER_PART; }

int osvm_team_worth(const osvm_team *t, double work) { return work >= 2 * work_per_part(t); }

int osvm_team_most_parts(const osvm_team *t) {
  const int parts = t == NULL || t->threads <= 1 ? 1 : PARTS_PER_THREAD * t->threads;
  return parts < OSVM_PARTS ? parts : OSVM_PARTS;
}

int osvm_team_parts(const osvm_team *t, double work) {
  const int most = osvm_team_most_parts(t);
  if (most == 1 || t->busy || t->alone > 0 || !osvm_team_worth(t, work)) return 1;
  return work < most * work_per_part(t) ? (int)(work / work_per_part(t)) : most;
}

/* For the parts that others have taken */
static void wait_for_others(osvm_team *t, int parts, void (*waiting)(void *user), void *user) {
  for (int rounds = 0; atomic_load_explicit(&t->done, memory_order_acquire) < parts; rounds++) {
    if (rounds < SPINS) pause_briefly();
    else if (waiting == NULL) osvm_yield();
    else {
      osvm_sleep(nap(rounds - SPINS + 1));
      waiting(user);
    }
  }
}

/* After a loop whose parts the caller computed, and then waited for those of others, which take it about as long as one of
 * its own, unless the system has stopped a thread. */
static void judge(osvm_team *t, double computed, double waited, double now) {
  const double period = now - t->since;
  if (waited > 2 * computed + LONG_WAIT) t->waited += waited;
  if (period < PERIOD) return;
  const double stopped = period - (osvm_cpu_seconds() - t->computed), lost = stopped > t->waited ? stopped : t->waited;
  if (lost > MOST_LOST * period) {
    t->rest = t->rest < SHORT_REST ? SHORT_REST : 2 * t->rest < LONG_REST ? 2 * t->rest : LONG_REST;
    t->until = now + t->rest;
    t->alone = LOOPS_BETWEEN;
  } else {
    t->rest /= 2;
  }
  begin_period(t, now);
}

/* A loop that the caller computes alone */
static void count_alone(osvm_team *t) {
  if (--t->alone > 0) return;
  const double now = osvm_wall_seconds();
  if (now < t->until) t->alone = LOOPS_BETWEEN;
  else begin_period(t, now);
}

void osvm_team_split(osvm_team *t, osvm_part_job *job, void *user, int n, int grain, int parts,
                     void (*waiting)(void *user)) {
  if (t != NULL && !t->busy && t->alone > 0) count_alone(t);
  if (parts <= 1) {
    job(user, 0, 0, n);
    return;
  }
  t->job = job;
  t->user = user;
  t->n = n;
  t->grain = grain;
  t->parts = parts;
  t->done = 0;
  t->busy = 1;
  const uint64_t number = (t->offer >> 32) + 1;
  atomic_store_explicit(&t->offer, number << 32 | (((uint64_t)1 << parts) - 1), memory_order_release);
  const double begun = osvm_wall_seconds();
  while (take_part(t, 0)) continue;
  const double computed = osvm_wall_seconds();
  wait_for_others(t, parts, waiting, user);
  t->busy = 0;
  const double now = osvm_wall_seconds();
  if (waiting == NULL) judge(t, computed - begun, now - computed, now);
  else begin_period(t, now); /* in which it was asleep */
}
