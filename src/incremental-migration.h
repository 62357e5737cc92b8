/* The largest step of a candidate before some vector migrates to another set: the bookkeeping of Cauwenberghs & Poggio
 * (2001), section "Bookkeeping: upper limit on increment". */
#pragma once

#include "incremental.h"

typedef enum {
  OSVM_CANDIDATE_AT_GOAL,
  OSVM_CANDIDATE_TO_MARGIN, /* g_c reaches its edge */
  OSVM_LEAVES_MARGIN,       /* alpha of a margin vector reaches a breakpoint */
  OSVM_JOINS_MARGIN,        /* g of an error or reserve vector reaches the edge of a piece beside it */
  OSVM_NO_MIGRATION
} osvm_migration_kind;

/* What candidate c does: alpha_c moves in direction d, 1 or -1, to its goal. to_margin: the goal is the end of its piece,
 * and c stops where g_c is its edge. keeps_sum: S makes up for the change; with an empty S the bias moves, and not alpha_c */
typedef struct {
  int c;
  double d, goal;
  int to_margin, keeps_sum;
} osvm_move;

static inline int osvm_move_is_of_bias(const osvm_incremental *s, const osvm_move *move) {
  return move->keeps_sum && osvm_inverse_is_empty(&s->margin);
}

typedef struct {
  osvm_migration_kind kind;
  int index;   /* LEAVES_MARGIN: in S, else a slot */
  double step; /* |change| of alpha_c, or of the bias; infinite: NO_MIGRATION */
} osvm_migration;

/* beta (10) and column GAMMA (12) of the candidate */
osvm_status osvm_migration_sensitivities(osvm_incremental *s, const osvm_move *move);
osvm_migration osvm_migration_next(const osvm_incremental *s, const osvm_move *move); /* by these sensitivities */
int osvm_migration_slot(const osvm_incremental *s, const osvm_migration *migration);
