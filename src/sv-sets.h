/* The support-vector sets of all machines of a run; and how the next run on the same model takes them over, with what
 * they have packed and the kernel rows they have cached. */
#pragma once

#include "sv-set.h"

typedef struct {
  osvm_shared_sv shared;
  osvm_sv_set *set; /* one per machine */
  int machines;
} osvm_sv_sets;

/* *sets is to be closed even if this fails, and NULL if there is nothing to close. bytes: for kernel rows, in all */
osvm_status osvm_sv_sets_open(osvm_sv_sets **sets, const osvm_kernel *kernel, const osvm_store *whole, int machines,
                              const osvm_column *kinds, int columns, size_t bytes, osvm_error *error);
void osvm_sv_sets_close(osvm_sv_sets *sets);

/* Puts the sets into the state in which a run imports them from a model that keeps examples kept[0 .. count - 1] of
 * `whole`: slots in that order, none of them free. Columns without a name are idle. Afterwards these examples are 0 ..
 * count - 1 of `whole`, to be given anew by osvm_sv_sets_resume. 0: it cannot be done, the sets are to be closed. */
int osvm_sv_sets_settle(osvm_sv_sets *sets, const int *kept, int count);
/* whole: the settled examples, and new ones behind them */
osvm_status osvm_sv_sets_resume(osvm_sv_sets *sets, const osvm_store *whole, size_t bytes, osvm_error *error);
/* Before and after a run on several examples: their rows are computed together, with another rounding than the rows of
 * single examples, so that a value would depend on which of the two it comes from. */
void osvm_sv_sets_drop_rows(osvm_sv_sets *sets);
