/* Status codes, memory, clocks, random numbers and the progress callback: what every layer uses.
 *
 * A function that can fail returns a status and leaves one sentence in the caller's osvm_error. What it had allocated is
 * reachable from the object it was filling, so that the object's _close() always suffices. */
#ifndef OSVM_BASE_H
#define OSVM_BASE_H

#include <stddef.h>
#include <stdint.h>

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

double osvm_wall_seconds(void);
double osvm_cpu_seconds(void); /* of this thread; wall time where the system does not count it */

/* Called at intervals with the fraction done; a non-zero answer asks for a stop. poll may be NULL. */
typedef struct {
  int (*poll)(void *user, double done);
  void *user;
} osvm_progress;

static inline int osvm_poll(const osvm_progress *progress, double done) {
  return progress != NULL && progress->poll != NULL && progress->poll(progress->user, done);
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

#endif
