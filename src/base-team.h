/* Threads that share the loops of one calling thread.
 *
 * While a team is at work, the caller's thread does what it would do alone. Where it has a long loop it offers parts of
 * it, and takes parts itself until none is left: a thread of the team that is late, because other programs use its
 * processor, takes none, and nobody waits for it. What is computed for an index does not depend on the part it is in nor
 * on who computes it, so that no number depends on threads. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Indices begin .. end - 1, as part number `part` */
typedef void osvm_part_job(void *user, int part, int begin, int end);

enum { OSVM_PARTS = 32 }; /* at most, of one loop */

typedef struct {
  int threads;          /* 0 while the team is not at work */
  double work_per_part; /* multiplications worth offering; 0: as many as take some ten microseconds */
  /* The loop on offer: its number, and a bit for each part that nobody has taken. Who clears a bit has taken the part,
   * and the fields below stay as they are until all parts are done. */
  _Atomic uint64_t offer;
  osvm_part_job *job;
  void *user;
  int n, grain, parts;
  atomic_int done, closed; /* parts computed; the work is done */
  int busy;                /* a loop is on offer: loops within its parts are not divided */
  /* Of the time since some moment: processor time of the caller until then, and what it waited for threads since. It stays
   * alone until a time, after a rest that is the longer the more often threads were late: loops until the next look */
  double since, computed, waited, until, rest;
  int alone;
} osvm_team;

/* Calls work(user) on the calling thread, with threads - 1 others at hand. */
void osvm_team_run(osvm_team *team, int threads, void (*work)(void *user), void *user);
int osvm_team_worth(const osvm_team *team, double work); /* are loops of so many multiplications worth dividing? */
int osvm_team_thread(void); /* the calling thread's number in the team at work; 0: it called osvm_team_run */
/* How many parts so many multiplications are worth; 1: the loop is not worth dividing. team may be NULL. */
int osvm_team_parts(const osvm_team *team, double work);
int osvm_team_most_parts(const osvm_team *team); /* for any work */
/* 0 .. n - 1 in so many parts, which begin at multiples of `grain`. With a single part the job is called directly.
 * waiting: NULL, or called every few milliseconds while others compute the last parts */
void osvm_team_split(osvm_team *team, osvm_part_job *job, void *user, int n, int grain, int parts,
                     void (*waiting)(void *user));
