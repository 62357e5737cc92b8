/* What an entry point that runs a solver is given, as the core wants it, and what it reports of the run. */
#include <limits.h>
#include <string.h>

#include "r-glue.h"
#include <R_ext/Random.h>

/* The model to go on from: list(x, center, scale, target, state, scalars, forget); x and target are NULL
 * for weights. */
static const char *read_carried(SEXP carried, r_request *q) {
  osvm_task *task = &q->task;
  osvm_model *model = &q->carried;
  if (Rf_isNull(carried)) return NULL;
  if (!q->primal) {
    const osvm_data *view = &q->carried_view;
    const char *trouble = r_data(carried, &q->carried_view);
    if (trouble != NULL) return trouble;
    if (view->d != task->data->d || (view->kind == OSVM_SPARSE) != (task->data->kind == OSVM_SPARSE))
      return "the model's support vectors do not fit its columns";
    q->carried_view.progress = &task->progress;
    task->carried = view;
  }
  SEXP target = r_field(carried, "target"), state = r_field(carried, "state");
  SEXP scalars = r_field(carried, "scalars"), forget = r_field(carried, "forget");
  model->size = q->primal ? task->data->d : q->carried_view.n;
  model->machines = task->machines;
  if (!r_is(state, REALSXP, (R_xlen_t)model->size * model->machines * q->names.n_columns) ||
      !r_is(scalars, REALSXP, (R_xlen_t)q->names.n_scalars * model->machines))
    return "the model's state is damaged";
  if (!q->primal && !r_is(target, REALSXP, model->size)) return "the model's targets do not fit its examples";
  model->target = q->primal ? NULL : (double *)REAL_RO(target);
  model->columns = (double *)REAL_RO(state);
  model->scalars = (double *)REAL_RO(scalars);
  task->model = model;
  if (Rf_isNull(forget)) return NULL;
  if (!r_is(forget, INTSXP, -1)) return "the examples to forget are damaged";
  task->forget = INTEGER_RO(forget);
  task->n_forget = (int)Rf_xlength(forget);
  return NULL;
}

/* sample.int(.Machine$integer.max, 1). R may raise an error here, about .Random.seed: nothing is allocated yet. */
static double draw_seed(void) {
  GetRNGstate();
  const double seed = R_unif_index(INT_MAX) + 1;
  PutRNGstate();
  return seed;
}

const char *r_read_request(SEXP data, SEXP carried, SEXP labels, SEXP kernel, SEXP solver, SEXP control, r_request *q) {
  memset(q, 0, sizeof *q);
  const char *trouble = r_task(data, labels, kernel, solver, control, &q->task, &q->view, &q->spec);
  if (trouble != NULL) return trouble;
  q->primal = osvm_solver_primal(q->spec.solver, &q->task.kernel);
  q->names = osvm_solver_state(q->spec.solver, q->spec.values);
  if (osvm_solver_epochs(q->spec.solver, q->spec.values) < 1) return "there must be at least one epoch";
  q->task.progress = r_progress(&q->host, r_field(control, "progress"));
  q->view.progress = &q->task.progress;
  trouble = read_carried(carried, q);
  q->n_merged = osvm_solver_reserve(q->spec.solver, q->spec.values, &q->task.kernel, q->primal ? 0 : q->carried.size,
                                    q->task.count);
  if (trouble == NULL && Rf_isNull(r_field(solver, "seed"))) q->task.seed = draw_seed();
  return trouble;
}

/* ---- reports ---- */

static const char *const trace_names[] = {"loss", "violations", "sv", "seconds"};
static const char *const convergence_names[] = {"iterations", "gap", "objective", "finished", "stalled"};
static const char *const count_names[] = {"steps",   "updates", "kernel_evaluations", "epochs",
                                          "visited", "kept",    "interrupted"};
enum { TRACE, CONVERGENCE, COUNTS };
enum { CONVERGENCE_FIELDS = 5 };
enum { STEPS, UPDATES, EVALUATIONS, EPOCHS, VISITED, N_KEPT, INTERRUPTED, N_COUNTS };

void r_new_report(SEXP *report, int epochs, int machines) {
  report[TRACE] = PROTECT(r_named_matrix(trace_names, 4, epochs, 1));
  report[CONVERGENCE] = PROTECT(r_named_matrix(convergence_names, CONVERGENCE_FIELDS, machines, 0));
  report[COUNTS] = PROTECT(r_named_reals(count_names, N_COUNTS));
}

void r_fill_report(const osvm_run *run, int interrupted, int n_kept, SEXP *report) {
  const struct osvm_driver *d = run->driver;
  double *trace = REAL(report[TRACE]), *counts = REAL(report[COUNTS]);
  for (int e = 0; e < d->epochs_done; e++) {
    const double row[] = {d->trace[e].loss, d->trace[e].violations, d->trace[e].support, d->trace[e].seconds};
    for (int k = 0; k < 4; k++) trace[e + k * run->epochs] = row[k];
  }
  for (int m = 0; m < run->machines; m++) {
    const osvm_convergence *end = &run->machine[m].convergence;
    const double column[CONVERGENCE_FIELDS] = {end->iterations, end->gap, end->objective, end->finished, end->stalled};
    memcpy(REAL(report[CONVERGENCE]) + CONVERGENCE_FIELDS * m, column, sizeof column);
    counts[STEPS] += run->machine[m].visits;
  }
  counts[UPDATES] = osvm_run_updates(run);
  counts[EVALUATIONS] = osvm_run_evaluations(run);
  counts[EPOCHS] = d->epochs_done;
  counts[VISITED] = d->visited;
  counts[N_KEPT] = n_kept;
  counts[INTERRUPTED] = interrupted;
}
