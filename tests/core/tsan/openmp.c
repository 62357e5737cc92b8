/* The entry points of libgomp that gcc -fopenmp emits for the core, on POSIX threads. libgomp is not instrumented:
 * ThreadSanitizer does not see how it starts and joins a team, and reports races that are none. Here it sees all
 * synchronisation, and there is no more than OpenMP promises: a team starts after what precedes the region and ends
 * before what follows it. Chunks of a dynamic loop go round the team, which is one of the schedules that OpenMP allows,
 * orders nothing, and gives every thread its share however short the loop. Constructs not covered fail to link. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* R has libgomp loaded: the package's calls are to come here. */
#pragma GCC visibility push(hidden)

enum { TEAM = 64 };

typedef struct {
  void (*body)(void *);
  void *data;
  int threads;
  atomic_int arrived; /* relaxed: threads begin at the same time, but unordered */
} team;

typedef struct {
  team *team;
  int number;
  long next, end, step, chunk; /* of the loop: this thread's next iteration */
} member;

static _Thread_local member current;

int omp_get_thread_num(void) { return current.number; }
int omp_get_num_procs(void) { return 2; }

static void *run(void *user) {
  current = *(const member *)user;
  team *t = current.team;
  atomic_fetch_add_explicit(&t->arrived, 1, memory_order_relaxed);
  while (atomic_load_explicit(&t->arrived, memory_order_relaxed) < t->threads) sched_yield();
  t->body(t->data);
  return NULL;
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
  const member outer = current;
  team t = {.body = body, .data = data, .threads = threads == 0 ? 2 : (int)threads};
  pthread_t id[TEAM];
  member members[TEAM];
  (void)flags;
  if (t.threads > TEAM) abort();
  for (int k = 0; k < t.threads; k++) members[k] = (member){.team = &t, .number = k};
  for (int k = 1; k < t.threads; k++)
    if (pthread_create(&id[k], NULL, run, &members[k]) != 0) abort();
  run(&members[0]);
  for (int k = 1; k < t.threads; k++) pthread_join(id[k], NULL);
  current = outer;
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to) {
  member *m = &current;
  const long length = m->step * m->chunk;
  if (m->step > 0 ? m->next >= m->end : m->next <= m->end) return false;
  *from = m->next;
  *to = m->next + length;
  if (m->step > 0 ? *to > m->end : *to < m->end) *to = m->end;
  m->next += length * m->team->threads;
  return true;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long from, long to, long step, long chunk, long *first, long *last) {
  current.next = from + current.number * step * chunk;
  current.end = to;
  current.step = step;
  current.chunk = chunk;
  return GOMP_loop_nonmonotonic_dynamic_next(first, last);
}

void GOMP_loop_end_nowait(void) {}
