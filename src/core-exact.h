/* The soft-margin machine that stays exact while examples are learned and unlearned. How it moves, and in what symbols,
 * is told in solver-idsvm.c. Double precision only. */
#ifndef OSVM_CORE_EXACT_H
#define OSVM_CORE_EXACT_H

#include "core-margin.h"
#include "core-member.h"

enum { OSVM_EXACT_SET = OSVM_MEMBER_COLUMNS, OSVM_EXACT_GAMMA, OSVM_EXACT_COLUMNS };   /* all doubles, idle at 0 */
enum { OSVM_EXACT_NOWHERE, OSVM_EXACT_MARGIN, OSVM_EXACT_ERRING, OSVM_EXACT_RESERVE }; /* NOWHERE: on its way */

typedef struct {
  osvm_run *run;
  osvm_machine *machine;
  osvm_circle *circle;
  osvm_margin margin;               /* by slot; its own is gamma_c */
  double bias, blur, cap;           /* blur: what rounding may have done to an error; cap: the largest so far */
  int events, troubled, stragglers; /* stragglers: some candidate was left on its way */
} osvm_exact;

osvm_status osvm_exact_open(osvm_exact *s, osvm_run *run, int machine, int biased);
/* A carried example goes back to its set; when all have, and the bias is there: renew */
osvm_status osvm_exact_place(osvm_exact *s, int slot, double set);
osvm_status osvm_exact_renew(osvm_exact *s);
osvm_status osvm_exact_learn(osvm_exact *s, int slot);   /* a newcomer, described, or one that was unlearned */
osvm_status osvm_exact_unlearn(osvm_exact *s, int slot); /* it is still there, with b = 0 */
osvm_status osvm_exact_bring_in(osvm_exact *s);          /* whoever was left on its way */
/* As SMO has it where no coefficient is between its bounds, else the bias; `but` does not count */
double osvm_exact_middle_bias(const osvm_exact *s, int but);
void osvm_exact_close(osvm_exact *s);

#endif
