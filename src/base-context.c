/* Polling and progress of a context; see base.h. */
#include <errno.h>

#include "base.h"

/* errno is each thread's own. */
const void *osvm_thread(void) { return &errno; }

void osvm_caller_here(osvm_caller *caller) {
  caller->thread = osvm_thread();
  caller->stopped = 0;
}

int osvm_poll(const osvm_progress *p, double done) {
  if (p == NULL || p->poll == NULL) return 0;
  if (p->caller == NULL) return p->poll(p->user, done);
  if (p->caller->thread != osvm_thread()) return p->caller->stopped;
  const int stop = p->poll(p->user, done);
  if (stop) p->caller->stopped = 1;
  return stop;
}

/* Multiplications of some milliseconds; fewer in builds for tests, which stop at every poll */
#ifndef OSVM_WORK_PER_POLL
#define OSVM_WORK_PER_POLL 2e7
#endif

int osvm_poll_due(double *work, double more) {
  *work += more;
  if (*work < OSVM_WORK_PER_POLL) return 0;
  *work = 0;
  return 1;
}

static double uncounted_work(osvm_context *c) {
  const double work = (c->evaluations - c->counted) * c->value_cost;
  c->counted = c->evaluations;
  return work;
}

int osvm_context_due(osvm_context *c) { return osvm_poll_due(&c->work, uncounted_work(c)); }

int osvm_context_poll(osvm_context *c, double done) {
  *c->stopped = *c->stopped || osvm_poll(c->progress, c->from + c->by * done);
  return *c->stopped;
}

int osvm_context_stopped(osvm_context *c, double done) {
  return osvm_context_due(c) ? osvm_context_poll(c, done) : *c->stopped;
}

void osvm_context_hand_over(osvm_context *from, osvm_context *to) {
  to->work += from->work + uncounted_work(from);
  from->work = 0;
}

void osvm_context_narrow(osvm_context *c, int part, int parts) {
  c->by /= parts;
  c->from += part * c->by;
}
