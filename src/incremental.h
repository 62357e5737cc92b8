/* The soft-margin machine that stays exact while examples are learned and unlearned. How it moves, and in what symbols,
 * is told in solver-idsvm.c. Double precision only. */
#ifndef OSVM_CORE_EXACT_H
#define OSVM_CORE_EXACT_H

#include "incremental-inverse.h"
#include "solver.h"
#include "sv-dual.h"

enum { OSVM_INCREMENTAL_SET = OSVM_SV_COLUMNS, OSVM_INCREMENTAL_GAMMA, OSVM_INCREMENTAL_COLUMNS };   /* all doubles, idle at 0 */
enum { OSVM_IN_TRANSIT, OSVM_IN_MARGIN, OSVM_IN_ERROR, OSVM_IN_RESERVE }; /* NOWHERE: on its way */

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_sv_set *sv_set;
  osvm_inverse margin;               /* by slot; its own is gamma_c */
  double bias, rounding, upper;           /* blur: what rounding may have done to an error; cap: the largest so far */
  int events, troubled, unfinished; /* stragglers: some candidate was left on its way */
} osvm_incremental;

osvm_status osvm_incremental_open(osvm_incremental *s, osvm_run *run, osvm_machine *machine, int biased);
/* A carried example goes back to its set; when all have, and the bias is there: renew */
osvm_status osvm_incremental_place(osvm_incremental *s, int slot, double set);
osvm_status osvm_incremental_rebuild(osvm_incremental *s);
osvm_status osvm_incremental_learn(osvm_incremental *s, int slot);   /* a newcomer, described, or one that was unlearned */
osvm_status osvm_incremental_unlearn(osvm_incremental *s, int slot); /* it is still there, with b = 0 */
osvm_status osvm_incremental_finish_transit(osvm_incremental *s);          /* whoever was left on its way */
/* As SMO has it where no coefficient is between its bounds, else the bias; `but` does not count */
double osvm_incremental_middle_bias(const osvm_incremental *s, int but);
void osvm_incremental_close(osvm_incremental *s);

#endif
