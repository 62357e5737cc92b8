/* Polling and progress of a context; see base.h. */
#include "base.h"

static const double WORK_PER_POLL = 2e7; /* some milliseconds */

int osvm_poll_due(double *work, double more) {
  *work += more;
  if (*work < WORK_PER_POLL) return 0;
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
