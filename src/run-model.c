/* From a run to a model and back: coefficients, and the named columns and scalars that the solver declares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { STEPS, BIAS, BIAS_SUM, COMMON_SCALARS }; /* as osvm_solver_state() orders them */

enum { IMPORTS_PER_POLL = 64 };
static const double WORK_PER_IMPORT = 1e3; /* of a support vector, for polling */

static int uses_sets(const osvm_run *run) { return run->solver->n_columns > 0 && !run->solver->on_expansion; }

static osvm_state_names state_names(const osvm_run *run) { return osvm_solver_state(run->solver, run->params); }

int osvm_run_size(const osvm_run *run) { return run->driver->primal ? run->store.d : run->store.n; }

/* ---- scalars ---- */

static void import_scalars(osvm_run *run, const osvm_model *model, int n_scalars) {
  for (int m = 0; m < model->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    const double *scalar = model->scalars + (size_t)m * n_scalars;
    osvm_expansion_import_bias(&machine->expansion, scalar[STEPS], scalar[BIAS], scalar[BIAS_SUM]);
    for (int k = COMMON_SCALARS; k < n_scalars; k++) machine->scalars[k - COMMON_SCALARS] = scalar[k];
  }
}

static void export_scalars(const osvm_run *run, osvm_model *model, int n_scalars) {
  for (int m = 0; m < model->machines; m++) {
    const osvm_machine *machine = &run->machine[m];
    double *scalar = model->scalars + (size_t)m * n_scalars;
    scalar[STEPS] = machine->expansion.steps;
    scalar[BIAS] = machine->expansion.bias;
    scalar[BIAS_SUM] = osvm_expansion_bias_sum(&machine->expansion);
    for (int k = COMMON_SCALARS; k < n_scalars; k++) scalar[k] = machine->scalars[k - COMMON_SCALARS];
  }
}

/* ---- columns of expansions: coefficients, their sums over all steps if averaged, the solver's own ---- */

/* The vectors of a bounded expansion, in the order of slots */
static osvm_status import_vectors(osvm_run *run, int count) {
  for (int i = 0, slot; i < count; i++)
    OSVM_TRY(osvm_shared_sv_acquire(&run->driver->shared, i, &slot, run->context.error));
  return OSVM_OK;
}

static osvm_status import_expansions(osvm_run *run, const osvm_model *model) {
  const size_t bytes = model->size * sizeof(double);
  const int bounded = run->driver->budget.limit > 0;
  if (bounded) OSVM_TRY(import_vectors(run, model->size));
  for (int m = 0; m < model->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    const int averaged = machine->expansion.averaged;
    osvm_expansion_import(&machine->expansion, osvm_model_column(model, m, 0),
                          averaged ? osvm_model_column(model, m, 1) : NULL, model->size);
    for (int k = 0; k < run->solver->n_columns; k++)
      memcpy(machine->column[k], osvm_model_column(model, m, 1 + averaged + k), bytes);
  }
  if (bounded && model->size > run->driver->budget.limit) {
    const double *coef = run->machine[0].expansion.averaged ? NULL : osvm_model_column(model, 0, 0);
    return osvm_budget_compress(&run->driver->budget, run, coef);
  }
  if (bounded) return OSVM_OK;
  for (int from = run->first; from < run->store.n && run->driver->lazy.output != NULL; from += IMPORTS_PER_POLL) {
    const int to = run->store.n - from < IMPORTS_PER_POLL ? run->store.n : from + IMPORTS_PER_POLL;
    if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
    OSVM_TRY(
        osvm_lazy_outputs_import(&run->driver->lazy, osvm_model_column(model, 0, 0), from, to, run->context.error));
  }
  return OSVM_OK;
}

static void export_expansions(const osvm_run *run, osvm_model *model) {
  const size_t bytes = model->size * sizeof(double);
  if (run->driver->budget.limit > 0)
    memset(model->columns, 0, bytes * model->machines * (1 + run->machine[0].expansion.averaged));
  for (int m = 0; m < model->machines; m++) {
    const osvm_machine *machine = &run->machine[m];
    const int averaged = machine->expansion.averaged;
    osvm_expansion_export(&machine->expansion, osvm_model_column(model, m, 0),
                          averaged ? osvm_model_column(model, m, 1) : NULL);
    for (int k = 0; k < run->solver->n_columns; k++)
      memcpy(osvm_model_column(model, m, 1 + averaged + k), machine->column[k], bytes);
  }
}

/* ---- columns of support-vector sets ---- */

static int is_support_vector(const osvm_model *model, int m, int n_columns, int j) {
  for (int k = 0; k < n_columns; k++)
    if (osvm_model_column(model, m, k)[j] != 0) return 1;
  return 0;
}

/* Example by example, so that the shared order of support vectors is the model's. All zeros: not in the machine's set. */
static osvm_status import_sets(osvm_run *run, const osvm_model *model, int n_columns) {
  const osvm_solver *solver = run->solver;
  for (int j = 0; j < model->size; j++) {
    for (int m = 0; m < model->machines; m++) {
      int slot, layer = 0;
      run->context.work += WORK_PER_IMPORT;
      if (osvm_context_stopped(&run->context, 0)) return OSVM_INTERRUPTED;
      if (!is_support_vector(model, m, n_columns, j)) continue;
      OSVM_TRY(osvm_sv_set_add(run->machine[m].sv_set, j, &slot, run->context.error));
      for (int k = 0; k < solver->n_columns; k++)
        if (solver->columns[k].name != NULL)
          osvm_sv_set_doubles(run->machine[m].sv_set, k)[slot] = osvm_model_column(model, m, layer++)[j];
    }
  }
  return OSVM_OK;
}

static void export_sets(const osvm_run *run, osvm_model *model, int n_columns) {
  const osvm_solver *solver = run->solver;
  memset(model->columns, 0, (size_t)model->size * model->machines * n_columns * sizeof(double));
  for (int m = 0; m < model->machines; m++) {
    const osvm_sv_set *set = run->machine[m].sv_set;
    for (int slot = 0; slot < set->n; slot++) {
      if (set->shared_slot[slot] < 0) continue;
      const int i = osvm_sv_set_example(set, slot);
      for (int k = 0, layer = 0; k < solver->n_columns; k++)
        if (solver->columns[k].name != NULL)
          osvm_model_column(model, m, layer++)[i] = osvm_sv_set_doubles(set, k)[slot];
    }
  }
}

/* By index if examples can be forgotten by number; else in the shared order, which decides later draws. */
static void keep_sets(const osvm_run *run, osvm_model *model) {
  const osvm_shared_sv *shared = &run->driver->sets->shared;
  model->n_kept = 0;
  if (run->solver->forget == NULL) {
    for (int k = 0; k < shared->count; k++) model->kept[model->n_kept++] = shared->example[shared->order[k]];
  } else {
    for (int i = 0; i < run->store.n; i++)
      if (shared->slot[i] >= 0) model->kept[model->n_kept++] = i;
  }
}

/* ---- what an expansion keeps ---- */

/* Values below the rounding of the largest change no output. */
static void mark_values(const double *values, const osvm_model *model, unsigned char *marked) {
  const double least = osvm_negligible(values, (size_t)model->size * model->machines);
  for (int m = 0; m < model->machines; m++)
    osvm_mark_support(values + (size_t)m * model->size, model->size, least, marked);
}

static osvm_status keep_expansions(const osvm_run *run, osvm_model *model) {
  const int averaged = run->machine[0].expansion.averaged;
  unsigned char *marked = calloc((size_t)model->size + 1, 1);
  if (marked == NULL) return osvm_no_memory(run->context.error);
  mark_values(model->coef, model, marked);
  for (int k = 0; k < 1 + averaged && averaged; k++) mark_values(osvm_model_column(model, 0, k), model, marked);
  model->n_kept = 0;
  for (int i = 0; i < model->size; i++)
    if (marked[i]) model->kept[model->n_kept++] = i;
  free(marked);
  return OSVM_OK;
}

/* In the order of slots, which is that of sums: a run that goes on from here computes the same outputs. */
static void keep_bounded(const osvm_run *run, osvm_model *model) {
  const osvm_shared_sv *shared = &run->driver->shared;
  for (model->n_kept = 0; model->n_kept < shared->count; model->n_kept++)
    model->kept[model->n_kept] = shared->example[model->n_kept];
}

/* ---- the whole ---- */

osvm_status osvm_run_import(osvm_run *run, const osvm_model *model) {
  const osvm_state_names names = state_names(run);
  import_scalars(run, model, names.n_scalars);
  if (!uses_sets(run)) OSVM_TRY(import_expansions(run, model));
  else if (!run->driver->resumed) OSVM_TRY(import_sets(run, model, names.n_columns));
  for (int m = 0; m < run->machines && run->solver->restore != NULL; m++)
    OSVM_TRY(run->solver->restore(run, &run->machine[m]));
  return OSVM_OK;
}

static int all_finite(const double *values, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (!isfinite(values[k])) return 0;
  return 1;
}

osvm_status osvm_run_result(osvm_run *run, double *coef, double *intercept) {
  const size_t size = osvm_run_size(run);
  memset(coef, 0, size * run->machines * sizeof(double));
  OSVM_TRY(osvm_run_place_merged(run));
  for (int m = 0; m < run->machines; m++) {
    osvm_machine *machine = &run->machine[m];
    double *mine = coef + m * size;
    if (run->solver->result != NULL) run->solver->result(run, machine, mine, &intercept[m]);
    else intercept[m] = osvm_expansion_result(&machine->expansion, mine);
    if (!isfinite(intercept[m]) || !all_finite(mine, size)) return osvm_run_diverged(run);
  }
  return OSVM_OK;
}

osvm_status osvm_run_export(osvm_run *run, osvm_model *model) {
  const osvm_state_names names = state_names(run);
  model->n_kept = 0;
  OSVM_TRY(osvm_run_result(run, model->coef, model->intercept));
  export_scalars(run, model, names.n_scalars);
  const int targets = run->driver->primal ? 0 : osvm_target_columns(&run->driver->task->target, model->machines);
  for (int m = 0; m < targets; m++)
    for (int i = 0; i < model->size; i++) model->target[(size_t)m * model->size + i] = osvm_run_kept_target(run, m, i);
  if (model->merged != NULL) osvm_run_export_merged(run, model->merged);
  if (uses_sets(run)) {
    export_sets(run, model, names.n_columns);
    keep_sets(run, model);
    const size_t values = (size_t)model->size * model->machines * names.n_columns;
    return all_finite(model->columns, values) ? OSVM_OK : osvm_kernel_overflow(run->context.error);
  }
  export_expansions(run, model);
  if (run->driver->budget.limit > 0) {
    keep_bounded(run, model);
    return OSVM_OK;
  }
  return run->driver->primal ? OSVM_OK : keep_expansions(run, model);
}

osvm_sv_sets *osvm_run_take_sets(osvm_run *run, const osvm_model *model) {
  osvm_sv_sets *sets = run->driver->sets;
  if (sets == NULL || !osvm_sv_sets_settle(sets, model->kept, model->n_kept)) return NULL;
  run->driver->sets = NULL;
  if (run->driver->task->count > 1) osvm_sv_sets_drop_rows(sets);
  return sets;
}
