/* The members: examples that are support vectors of any machine, packed together while they come and go, and kernel rows
 * of other examples against them, computed once for all machines.
 *
 * A member keeps its slot as long as it is one. A slot that falls vacant goes to the next newcomer; what stands in it
 * meanwhile is finite and weighs nothing. So rows of kernel values never have to be moved about: it is enough to know
 * which slots have changed hands since a row was last looked at. */
#ifndef OSVM_CORE_POOL_H
#define OSVM_CORE_POOL_H

#include "kernel-engine.h"

enum { OSVM_RECENT = 256 };

/* When the member in each slot came */
typedef struct {
  uint64_t now, *added;
  int recent[OSVM_RECENT]; /* the slots of the latest newcomers, in a ring */
} osvm_generations;

void osvm_generations_add(osvm_generations *generations, int slot);
/* Slots, of n, whose members came after `since`; a slot may be named twice. which: room for n + OSVM_RECENT */
int osvm_generations_since(const osvm_generations *generations, uint64_t since, int n, int *which);

typedef struct {
  const osvm_kernel *kernel;
  const osvm_store *whole;
  const osvm_gram *gram; /* NULL, or what is known already of kernel values in `whole` */
  int machines, capacity;
  osvm_store store;               /* by slot; store.n: slots ever used */
  int *slot;                      /* a place in `whole` -> its slot, or -1 */
  int *who, *references;             /* slot -> a place in `whole`, or -1: vacant; and how many machines hold it */
  int count, *live, *rank;        /* members, in an order that does not depend on slots; slot -> place in that order */
  int vacancies, *vacant, *which; /* which: room for osvm_generations_since */
  osvm_generations generations;
  int ahead_of[OSVM_QUERIES]; /* examples whose rows are at hand, as of `made` ... */
  uint64_t made[OSVM_QUERIES];
  char *ahead; /* ... each `capacity` values */
  void *query, *row;
  double *work;
  double evaluations;
} osvm_shared_sv;

/* kernel and whole are not copied; whole does not change */
osvm_status osvm_shared_sv_open(osvm_shared_sv *shared, const osvm_kernel *kernel, const osvm_store *whole, int machines,
                           osvm_error *error);
/* One machine more holds example i of `whole` */
osvm_status osvm_shared_sv_acquire(osvm_shared_sv *shared, int i, int *slot, osvm_error *error);
void osvm_shared_sv_release(osvm_shared_sv *shared, int slot); /* one machine less; without any, the slot is vacant */
/* Kernel row, by slot, of example next[0] of `whole`; the others named in next, up to OSVM_QUERIES, will be asked for soon
 * after and are computed along with it. Valid until the next call or admission. */
osvm_status osvm_shared_sv_row(osvm_shared_sv *shared, const int *next, int count, const void **row, osvm_error *error);
/* Kernel values of a member with slots from .. to - 1, at their places in pool->row. The caller knows how many it wanted,
 * and counts them. */
void osvm_shared_sv_own_row(osvm_shared_sv *shared, int slot, int from, int to);
void osvm_shared_sv_close(osvm_shared_sv *shared);

#endif
