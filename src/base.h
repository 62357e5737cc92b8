/* Status codes, memory, clocks, random numbers and the progress callback: what every layer uses.
 *
 * A function that can fail returns a status and leaves one sentence in the caller's osvm_error. What it had allocated is
 * reachable from the object it was filling, so that the object's _close() always suffices. */
#pragma once

#include <float.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base-team.h"

/* Registers that hold more than a variable's type, such as the x87's: each variable is to be rounded, or numbers would
 * depend on the compiler's choice of registers, and exp would fail, which rounds by adding. */
#if FLT_EVAL_METHOD != 0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("float-store")
#else
#error "onlinesvm needs arithmetic in the precision of each type, on i386: -msse2 -mfpmath=sse"
#endif
#endif

typedef enum { OSVM_OK, OSVM_NO_MEMORY, OSVM_INVALID, OSVM_DIVERGED, OSVM_INTERRUPTED } osvm_status;

typedef struct {
  const char *text;
} osvm_error;

/* Returns any status but OSVM_OK to the caller. */
#define OSVM_TRY(call)                                                                                                 \
  do {                                                                                                                 \
    const osvm_status osvm_try_status = (call);                                                                        \
    if (osvm_try_status != OSVM_OK) return osvm_try_status;                                                            \
  } while (0)

osvm_status osvm_fail(osvm_error *error, osvm_status status, const char *text);
osvm_status osvm_no_memory(osvm_error *error);

/* realloc of the block whose address is in *pointer; on failure the block is unchanged. */
osvm_status osvm_resize(void *pointer, size_t count, size_t size, osvm_error *error);
/* A large block that is read in random order: in large pages, where the system has them, addresses are found faster. */
void osvm_large_pages(void *block, size_t bytes);

double osvm_wall_seconds(void);  /* since some time in the past, whatever the date is set to */
double osvm_cpu_seconds(void);   /* of this thread; wall time where the system does not count it finely */
void osvm_yield(void);           /* lets other threads have the processor */
void osvm_sleep(double seconds); /* less than one, or the system's shortest time */

/* The only thread that calls the host, and whether the host has asked for a stop, which all threads may ask */
typedef struct {
  const void *thread;
  atomic_int stopped;
} osvm_caller;

/* Called at intervals with the fraction done; a non-zero answer asks for a stop. poll may be NULL. caller: NULL if poll may
 * be called on any thread */
typedef struct {
  int (*poll)(void *user, double done);
  void *user;
  osvm_caller *caller;
} osvm_progress;

const void *osvm_thread(void);                             /* differs between threads that are there at the same time */
void osvm_caller_here(osvm_caller *caller);                /* the calling thread; no stop yet */
int osvm_poll(const osvm_progress *progress, double done); /* the only way to a host. progress may be NULL */
int osvm_poll_due(double *work,
                  double more); /* adds multiplications; 1 after some milliseconds of them, which begin anew */

/* Asks memory for what will be read some hundred instructions from now, at most a few lines of the cache of it. */
static inline void osvm_prefetch(const void *from, size_t bytes) {
#if defined(__GNUC__)
  const char *const line = (const char *)from - (uintptr_t)from % 64; /* a block may begin anywhere in its first line */
  const char *const end = (const char *)from + (bytes < 1024 ? bytes : 1024);
  for (const char *at = line; at < end; at += 64) __builtin_prefetch(at);
#else
  (void)from, (void)bytes;
#endif
}

/* ---- the end of a descent in small steps, where rounding decides ----
 *
 * In exact arithmetic every step improves the objective. Where the steps of a while have not, by more than the rounding
 * of the objective's terms, further steps only exchange rounding errors: the descent ends, short of its tolerance. */

typedef struct {
  int steps, stalled;
} osvm_stall;

int osvm_stall_due(osvm_stall *stall, int n); /* counts a step over n examples; from time to time: look now */
/* gain of the objective since the last look; terms: sum of the absolute terms of the objective. 1: stalled */
int osvm_stall_look(osvm_stall *stall, double gain, double terms);

/* ---- random numbers from the caller's seed ---- */

typedef struct {
  uint64_t state[4];
} osvm_random;

void osvm_random_seed(osvm_random *random, double seed);
int osvm_random_below(osvm_random *random, int n); /* 0 .. n - 1 */
void osvm_random_shuffle(osvm_random *random, int *items, int n);
/* 0 .. n - 1 as a function of its arguments: a draw does not depend on how the steps were divided into runs. */
int osvm_random_at(double seed, double step, int stream, int try, int n);

/* ---- context: what a piece of work counts, whom it asks and where its failure is described ----
 *
 * A run has one for what its machines share, and each machine has its own, so that machines can work side by side. */

typedef struct {
  double evaluations; /* kernel values computed */
  double work;        /* multiplications besides them, since the last poll */
  double counted;     /* evaluations at that time */
  double value_cost;  /* multiplications per kernel value */
  double from, by;    /* its part of the progress */
  const osvm_progress *progress;
  int *stopped; /* the host has asked for a stop: it holds for all that follows */
  osvm_random random;
  osvm_team *team; /* NULL, or threads that share its long loops */
  osvm_error *error;
} osvm_context;

int osvm_context_due(osvm_context *context);                       /* time to poll? */
int osvm_context_poll(osvm_context *context, double done);         /* polls now; done: of its part */
int osvm_context_stopped(osvm_context *context, double done);      /* polls the host every few milliseconds of work */
void osvm_context_hand_over(osvm_context *from, osvm_context *to); /* work not yet polled for */
void osvm_context_narrow(osvm_context *context, int part, int parts); /* from here on: one of so many parts */
