/* What happens next to a machine that is kept exact, while a candidate's coefficient moves: how everything moves along,
 * and the first event, at which the sets change. */
#ifndef OSVM_CORE_EVENT_H
#define OSVM_CORE_EVENT_H

#include "incremental.h"

typedef enum {
  OSVM_CANDIDATE_AT_BOUND, /* the candidate, at its bound */
  OSVM_CANDIDATE_TO_MARGIN, /* the candidate's error is 0 */
  OSVM_LEAVES_MARGIN,  /* a margin coefficient meets a bound */
  OSVM_JOINS_MARGIN,   /* an error meets 0 */
  OSVM_NO_MIGRATION
} osvm_migration_kind;

typedef struct {
  osvm_migration_kind kind;
  int who;  /* LEAVES: its place in the margin, else its slot */
  double t; /* how far the candidate moves until then; infinite: for ever */
} osvm_migration;

osvm_status osvm_sensitivities(osvm_incremental *s, int c); /* beta and gamma of candidate c */
/* By these, while b_c moves in direction d, 1 or -1; with an empty margin the bias moves instead. settles: does c stop
 * where its error is 0? */
osvm_migration osvm_next_migration(const osvm_incremental *s, int c, double d, int settles);
int osvm_migration_slot(const osvm_incremental *s, const osvm_migration *event);

#endif
