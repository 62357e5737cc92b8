/* Machines of one run side by side.
 *
 * A machine's numbers depend on its own context alone, and the memory for its kernel values is what it would have in a
 * run of its own: they are the same side by side and one after the other. */
#include "base-queue.h"
#include "run.h"

#include <stdlib.h>

double osvm_run_members(const osvm_run *run, const osvm_machine *machine) {
  const osvm_target *target = &run->driver->task->target;
  int count = run->first;
  for (int k = 0; k < run->end - run->first; k++)
    count += !isnan(osvm_target_of(target, machine->index, osvm_target_value(target, machine->index, k)));
  return count;
}

double osvm_run_kernel_bytes(const osvm_run *run, const osvm_machine *machine) {
  const double count = osvm_run_members(run, machine);
  const double all = count * (count + run->store.width) * run->store.simd->size;
  return all < run->cache_bytes ? all : run->cache_bytes;
}

typedef struct {
  osvm_run *run;
  osvm_machine_work *work;
  osvm_error *error;    /* of each machine */
  osvm_shared_sv *view; /* of each thread: on the support vectors that machines share, if they do */
  int views;
} machines;

static void use_view(machines *all, osvm_machine *machine) {
  if (all->views == 0) return;
  machine->sv_set->shared = &all->view[osvm_team_thread()];
  machine->sv_set->shared->rows.evaluations = &machine->context.evaluations;
}

static osvm_status run_machine(void *user, int m, const osvm_progress *progress) {
  machines *all = user;
  osvm_machine *machine = &all->run->machine[m];
  const osvm_context before = machine->context;
  int stopped = 0;
  machine->context.progress = progress;
  machine->context.stopped = &stopped;
  machine->context.error = &all->error[m];
  machine->context.from = 0;
  machine->context.by = 1;
  use_view(all, machine);
  const osvm_status status = all->work(all->run, machine);
  if (all->views > 0) machine->sv_set->shared = &all->run->driver->sets->shared;
  machine->context.progress = before.progress;
  machine->context.stopped = before.stopped;
  machine->context.error = before.error;
  return status;
}

/* The jobs' part of the progress is that of the run. */
static int poll_run(void *user, double done) { return osvm_context_poll(user, done); }

static osvm_status open_and_run(machines *all) {
  osvm_run *run = all->run;
  const int threads = run->context.team->threads;
  all->error = calloc(run->machines, sizeof *all->error);
  all->view = calloc(threads, sizeof *all->view);
  if (all->error == NULL || all->view == NULL) return osvm_no_memory(run->context.error);
  while (run->driver->sets != NULL && all->views < threads)
    OSVM_TRY(osvm_shared_sv_view(&all->view[all->views++], &run->driver->sets->shared, run->context.error));
  const osvm_progress progress = {.poll = poll_run, .user = &run->context};
  const osvm_status status = osvm_queue_share(run_machine, all, run->machines, run->context.team, &progress);
  for (int m = run->machines - 1; m >= 0; m--)
    if (all->error[m].text != NULL) run->context.error->text = all->error[m].text;
  return status;
}

static osvm_status side_by_side(osvm_run *run, osvm_machine_work *work) {
  machines all = {.run = run, .work = work};
  const osvm_status status = open_and_run(&all);
  for (int t = 0; t < all.views; t++) osvm_shared_sv_close_view(&all.view[t]);
  free(all.view);
  free(all.error);
  return status;
}

osvm_status osvm_run_machines(osvm_run *run, osvm_machine_work *work, double bytes) {
  const int threads = run->context.team->threads;
  const double fit = bytes > 0 ? run->cache_bytes / bytes : run->machines;
  if (threads > 1 && run->machines >= threads && fit >= threads) return side_by_side(run, work);
  for (int m = 0; m < run->machines; m++) {
    osvm_context *context = &run->machine[m].context;
    context->from = run->context.from;
    context->by = run->context.by;
    osvm_context_narrow(context, m, run->machines);
    OSVM_TRY(work(run, &run->machine[m]));
  }
  return OSVM_OK;
}
