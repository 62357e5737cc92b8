/* The members: examples that are support vectors of any machine, packed together while they come and go, and kernel rows
 * of other examples against them, computed once for all machines.
 *
 * A member keeps its slot as long as it is one. A slot that falls vacant goes to the next newcomer; what stands in it
 * meanwhile is finite and weighs nothing. So rows of kernel values never have to be moved about: it is enough to know
 * which slots have changed hands since a row was last looked at. */
#ifndef OSVM_CORE_POOL_H
#define OSVM_CORE_POOL_H

#include "osvm.h"

enum { OSVM_RECENT = 256 };

/* When the member in each slot came */
typedef struct {
  uint64_t now, *born;
  int recent[OSVM_RECENT]; /* the slots of the latest newcomers, in a ring */
} osvm_births;

void osvm_births_note(osvm_births *births, int slot);
/* Slots, of n, whose members came after `since`; a slot may be named twice. which: room for n + OSVM_RECENT */
int osvm_births_since(const osvm_births *births, uint64_t since, int n, int *which);

struct osvm_pool {
  const osvm_kernel *kernel;
  const osvm_store *whole;
  const osvm_gram *gram; /* NULL, or what is known already of kernel values in `whole` */
  int machines, capacity;
  osvm_store store;               /* by slot; store.n: slots ever used */
  int *slot;                      /* a place in `whole` -> its slot, or -1 */
  int *who, *holders;             /* slot -> a place in `whole`, or -1: vacant; and how many machines hold it */
  int count, *live, *rank;        /* members, in an order that does not depend on slots; slot -> place in that order */
  int vacancies, *vacant, *which; /* which: room for osvm_births_since */
  osvm_births births;
  int ahead_of[OSVM_QUERIES]; /* examples whose rows are at hand, as of `made` ... */
  uint64_t made[OSVM_QUERIES];
  char *ahead; /* ... each `capacity` values */
  void *query, *row;
  double *work;
  double evaluations;
};

/* kernel and whole are not copied; whole does not change */
osvm_status osvm_pool_open(osvm_pool *pool, const osvm_kernel *kernel, const osvm_store *whole, int machines,
                           osvm_error *error);
/* One machine more holds example i of `whole` */
osvm_status osvm_pool_admit(osvm_pool *pool, int i, int *slot, osvm_error *error);
void osvm_pool_release(osvm_pool *pool, int slot); /* one machine less; without any, the slot is vacant */
/* Kernel row, by slot, of example next[0] of `whole`; the others named in next, up to OSVM_QUERIES, will be asked for soon
 * after and are computed along with it. Valid until the next call or admission. */
osvm_status osvm_pool_row(osvm_pool *pool, const int *next, int count, const void **row, osvm_error *error);
/* Kernel values of a member with slots from .. to - 1, at their places in pool->row. The caller knows how many it wanted,
 * and counts them. */
void osvm_pool_member_row(osvm_pool *pool, int slot, int from, int to);
void osvm_pool_close(osvm_pool *pool);

#endif
