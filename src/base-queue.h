/* Jobs for several threads. Only the first thread may talk to the caller, which asks for progress and may want to stop; the
 * others hear of it. */
#ifndef OSVM_CORE_QUEUE_H
#define OSVM_CORE_QUEUE_H

#include "base.h"

/* One job. It asks `watch` now and then, with the part of it that is done, and returns OSVM_INTERRUPTED when told to stop. */
typedef osvm_status osvm_job(void *user, int job, const osvm_progress *watch);

/* All jobs, from the first on. The first status that is not OSVM_OK ends it, as soon as the jobs at work have noticed. */
osvm_status osvm_queue_run(osvm_job *work, void *user, int jobs, int threads, const osvm_progress *watch);

#endif
