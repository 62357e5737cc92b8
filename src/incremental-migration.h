/* The largest step of a candidate before some vector migrates to another set: the bookkeeping of Cauwenberghs & Poggio
 * (2001), section "Bookkeeping: upper limit on increment". */
#ifndef OSVM_INCREMENTAL_MIGRATION_H
#define OSVM_INCREMENTAL_MIGRATION_H

#include "incremental.h"

typedef enum {
  OSVM_CANDIDATE_AT_BOUND,  /* alpha_c reaches its bound */
  OSVM_CANDIDATE_TO_MARGIN, /* g_c reaches 0 */
  OSVM_LEAVES_MARGIN,       /* alpha of a margin vector reaches a bound */
  OSVM_JOINS_MARGIN,        /* g of an error or reserve vector reaches 0 */
  OSVM_NO_MIGRATION
} osvm_migration_kind;

typedef struct {
  osvm_migration_kind kind;
  int index;   /* LEAVES_MARGIN: in S, else a slot */
  double step; /* |change| of alpha_c, with an empty S of the bias; infinite: NO_MIGRATION */
} osvm_migration;

osvm_status osvm_migration_sensitivities(osvm_incremental *s,
                                         int c); /* beta (10) and column GAMMA (12) of candidate c */
/* The first migration, by these sensitivities, while alpha_c (with an empty S the bias) moves in direction d, 1 or -1.
 * to_margin: c stops where g_c = 0 */
osvm_migration osvm_migration_next(const osvm_incremental *s, int c, double d, int to_margin);
int osvm_migration_slot(const osvm_incremental *s, const osvm_migration *migration);

#endif
