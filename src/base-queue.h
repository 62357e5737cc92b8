/* Independent jobs, long ones, on several threads. The host's progress callback is called on the calling thread only, since a host
 * such as R is single-threaded; its request to stop reaches all jobs. */
#pragma once

#include "base-team.h"
#include "base.h"

/* One job. It calls osvm_poll() every few milliseconds with the fraction of it that is done, and returns
 * OSVM_INTERRUPTED when the answer is not 0. */
typedef osvm_status osvm_job(void *user, int job, const osvm_progress *progress);

/* Jobs 0 .. jobs - 1, started in that order. The first status other than OSVM_OK stops the queue and is returned; jobs
 * under way end at their next poll. */
osvm_status osvm_queue_run(osvm_job *run, void *user, int jobs, int threads, const osvm_progress *progress);
/* The same by a team that is at work */
osvm_status osvm_queue_share(osvm_job *run, void *user, int jobs, osvm_team *team, const osvm_progress *progress);
