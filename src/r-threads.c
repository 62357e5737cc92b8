/* How many threads a call may use. */
#if !defined(_WIN32) && !defined(__EMSCRIPTEN__) /* Windows and WebAssembly have no fork() */
#define OSVM_HAS_FORK
#include <pthread.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "r-glue.h"

/* The OpenMP runtime does not survive fork(): its threads are gone in the child, and a parallel region would wait for
 * them. A forked child (parallel::mclapply) therefore works with one thread. */
#ifdef OSVM_HAS_FORK
static int forked = 0;

static void note_fork(void) { forked = 1; }
#else
enum { forked = 0 };
#endif

void r_note_forks(void) {
#ifdef OSVM_HAS_FORK
  pthread_atfork(NULL, NULL, note_fork);
#endif
}

int r_processors(void) {
#if defined(OSVM_PROCESSORS) /* in builds for tests */
  return forked ? 1 : OSVM_PROCESSORS;
#elif defined(_OPENMP)
  return forked ? 1 : omp_get_num_procs();
#else
  return 1;
#endif
}

/* At least 1 and at most the number of processors, whatever a model or an option says. */
int r_threads(SEXP control) {
  const double threads = r_number(control, "threads", 1);
  const int most = r_processors();
  return threads >= most ? most : threads >= 1 ? (int)threads : 1;
}
