/* What happens next to a machine that is kept exact, while a candidate's coefficient moves: how everything moves along,
 * and the first event, at which the sets change. */
#ifndef OSVM_CORE_EVENT_H
#define OSVM_CORE_EVENT_H

#include "core-exact.h"

typedef enum {
  OSVM_EVENT_ARRIVED, /* the candidate, at its bound */
  OSVM_EVENT_SETTLES, /* the candidate's error is 0 */
  OSVM_EVENT_LEAVES,  /* a margin coefficient meets a bound */
  OSVM_EVENT_JOINS,   /* an error meets 0 */
  OSVM_EVENT_NONE
} osvm_event_kind;

typedef struct {
  osvm_event_kind kind;
  int who;  /* LEAVES: its place in the margin, else its slot */
  double t; /* how far the candidate moves until then; infinite: for ever */
} osvm_event;

osvm_status osvm_event_rates(osvm_exact *s, int c); /* beta and gamma of candidate c */
/* By these, while b_c moves in direction d, 1 or -1; with an empty margin the bias moves instead. settles: does c stop
 * where its error is 0? */
osvm_event osvm_event_first(const osvm_exact *s, int c, double d, int settles);
int osvm_event_slot(const osvm_exact *s, const osvm_event *event);

#endif
