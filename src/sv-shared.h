/* The support vectors of all machines, packed together while they come and go, and kernel rows of other examples
 * against them, computed once for all machines.
 *
 * A support vector keeps its slot. A free slot is given to the next support vector added; its value in a row is finite
 * meanwhile, and its coefficients are 0. So rows of kernel values never have to be rearranged: it is enough to know
 * which slots have changed since a row was computed. */
#pragma once

#include "kernel-engine.h"

enum { OSVM_RECENT = 256 };

/* Generations: the number of the addition that each slot's support vector came with */
typedef struct {
  uint64_t now, *added;
  int recent[OSVM_RECENT]; /* the slots of the latest additions, a ring */
} osvm_generations;

void osvm_generations_add(osvm_generations *generations, int slot);
/* Slots, of n, added to after `since`; a slot may be named twice. slots: room for n + OSVM_RECENT */
int osvm_generations_since(const osvm_generations *generations, uint64_t since, int n, int *slots);

typedef struct {
  const osvm_store *whole;
  osvm_store store; /* by slot; store.n: slots ever used */
  osvm_rows rows;   /* of examples of `whole`, and of the store's own, against the store */
  int machines, capacity;
  int most;                  /* no more slots than this are ever used */
  int *slot;                 /* example of `whole` -> its slot, or -1 */
  int *example, *references; /* slot -> example of `whole`, or -1: free; and how many machines use it */
  int count, *order, *rank;  /* used slots in an order that does not depend on slots; slot -> place in that order */
  int n_free, *free_slots;
  int *changed_slots; /* room for osvm_generations_since */
  osvm_generations generations;
  int lookahead_of[OSVM_QUERIES];          /* examples whose rows are known, or -1, ... */
  uint64_t lookahead_synced[OSVM_QUERIES]; /* ... for support vectors up to this generation, ... */
  char *lookahead;                         /* ... `capacity` values each */
  void *row;                               /* of osvm_shared_sv_own_row */
} osvm_shared_sv;

/* whole is not copied and does not change until osvm_shared_sv_resume. The caller sets rows.gram and rows.evaluations,
 * if there are any. */
osvm_status osvm_shared_sv_open(osvm_shared_sv *shared, const osvm_kernel *kernel, const osvm_store *whole,
                                int machines, osvm_error *error);
/* One machine more uses example i of `whole` */
osvm_status osvm_shared_sv_acquire(osvm_shared_sv *shared, int i, int *slot, osvm_error *error);
void osvm_shared_sv_release(osvm_shared_sv *shared, int slot); /* one machine less; without any, the slot is free */
/* For a set that releases nothing, so that no slot is free. The last slot's support vector moves to this one, whose own is
 * removed; the vector in this slot has been changed and is example i of `whole` from now on */
void osvm_shared_sv_remove(osvm_shared_sv *shared, int slot);
void osvm_shared_sv_replace(osvm_shared_sv *shared, int slot, int i);
/* Kernel row, by slot, of example next[0] of `whole`; rows of the others in next, up to OSVM_QUERIES, will be needed
 * soon and are computed along with it. Valid until the next call or addition. */
osvm_status osvm_shared_sv_row(osvm_shared_sv *shared, const int *next, int count, const void **row, osvm_error *error);
/* Kernel row of a support vector, in shared->row; or only its values with some slots, at their places there */
void osvm_shared_sv_own_row(osvm_shared_sv *shared, int slot);
void osvm_shared_sv_own_values(osvm_shared_sv *shared, int slot, const int *slots, int count);
/* Slot k gets the support vector of slot former[k], k < count, and there are no others; these are examples 0 .. count - 1
 * from now on. Then, before anything else: resume, with the examples anew and others behind them */
osvm_status osvm_shared_sv_rearrange(osvm_shared_sv *shared, const int *former, int count);
osvm_status osvm_shared_sv_resume(osvm_shared_sv *shared, const osvm_store *whole, osvm_error *error);
void osvm_shared_sv_close(osvm_shared_sv *shared);

/* The same support vectors for another thread, with memory of its own for computing rows, while none enters or leaves */
osvm_status osvm_shared_sv_view(osvm_shared_sv *view, const osvm_shared_sv *shared, osvm_error *error);
void osvm_shared_sv_close_view(osvm_shared_sv *view);
