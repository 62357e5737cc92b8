/* The solvers, and what they declare. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "run.h"

#define OSVM_SOLVER(name) extern const osvm_solver osvm_solver_##name;
#include "solver-list.h"
#undef OSVM_SOLVER

const osvm_solver_info *osvm_solvers(int *count) {
  static const osvm_solver_info all[] = {
#define OSVM_SOLVER(name) {#name, &osvm_solver_##name},
#include "solver-list.h"
#undef OSVM_SOLVER
  };
  *count = (int)(sizeof all / sizeof all[0]);
  return all;
}

const osvm_solver *osvm_solver_named(const char *name) {
  int count;
  const osvm_solver_info *all = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    if (strcmp(all[s].name, name) == 0) return all[s].solver;
  return NULL;
}

int osvm_solver_params(const osvm_solver *solver) {
  int count = 0;
  while (solver->params[count].name != NULL) count++;
  return count;
}

int osvm_solver_role(const osvm_solver *solver, osvm_role role) {
  for (int k = 0; solver->params[k].name != NULL; k++)
    if (solver->params[k].role == role) return k;
  return -1;
}

double osvm_solver_value(const osvm_solver *solver, const double *params, osvm_role role, double none) {
  const int k = osvm_solver_role(solver, role);
  return k < 0 ? none : params[k];
}

int osvm_solver_learns(const osvm_solver *solver, const osvm_loss_info *loss) {
  if (solver->losses == 0) return loss == &osvm_loss_hinge;
  const int quadratic = loss->term != NULL && loss->along == NULL;
  const int ways = OSVM_BY_SLOPE | (loss->unit_slope ? OSVM_BY_UNIT_SLOPE : 0) | (quadratic ? OSVM_BY_DUAL : 0) |
                   (loss->term != NULL ? OSVM_BY_COORDINATE : 0);
  return (solver->losses & ways) != 0 && (loss->share == NULL || (solver->losses & OSVM_WITHOUT_TARGET) != 0);
}

int osvm_solver_epochs(const osvm_solver *solver, const double *params) {
  return (int)osvm_solver_value(solver, params, OSVM_EPOCHS, 1);
}

static int maintains(const osvm_solver *solver, const double *params, osvm_maintenance maintenance) {
  return osvm_solver_value(solver, params, OSVM_BUDGET, INFINITY) < INT_MAX &&
         osvm_solver_value(solver, params, OSVM_MAINTENANCE, -1) == maintenance;
}

int osvm_solver_merges(const osvm_solver *solver, const double *params) {
  return maintains(solver, params, OSVM_MERGE);
}

int osvm_solver_budget(const osvm_solver *solver, const double *params, const osvm_kernel *kernel) {
  const double budget = osvm_solver_value(solver, params, OSVM_BUDGET, INFINITY);
  return budget < INT_MAX && !osvm_solver_primal(solver, kernel) ? (int)budget : 0;
}

int osvm_solver_nested(const osvm_solver *solver, const double *params) {
  if (osvm_solver_role(solver, OSVM_EPOCHS) < 0 || osvm_solver_merges(solver, params)) return 0;
  return solver->nested != NULL ? solver->nested(params) : solver->finish == NULL;
}

int osvm_solver_by_rows(const osvm_solver *solver, const double *params) {
  const int says = solver->output != NULL || solver->n_columns == 0 || solver->on_expansion;
  const int in_order = solver->in_order != NULL ? solver->in_order(params) : solver->epoch == NULL;
  const int ends = solver->nested != NULL ? solver->nested(params) : solver->finish == NULL;
  return !solver->batch && says && in_order && ends && osvm_solver_epochs(solver, params) == 1 &&
         osvm_solver_value(solver, params, OSVM_SHUFFLE, 0) == 0 &&
         osvm_solver_value(solver, params, OSVM_AVERAGE, 0) == 0;
}

/* Kernel values in single precision are right to five digits or more: rounding alone would violate a finer tolerance. */
int osvm_solver_doubles(const osvm_solver *solver, const double *params) {
  return solver->doubles || osvm_solver_value(solver, params, OSVM_TOLERANCE, 1) < 1e-5 ||
         maintains(solver, params, OSVM_PROJECT);
}

osvm_repeats osvm_solver_repeats(const osvm_solver *solver, const double *params) {
  return solver->repeats != NULL ? solver->repeats(params) : OSVM_REPEATS_APART;
}

double osvm_solver_growth(const osvm_solver *solver, const double *params) {
  const double warm = osvm_solver_value(solver, params, OSVM_WARM_START, 0);
  return osvm_solver_value(solver, params, OSVM_BOUND, warm) /
         osvm_solver_value(solver, params, OSVM_TOLERANCE, INFINITY);
}

int osvm_solver_primal(const osvm_solver *solver, const osvm_kernel *kernel) {
  return osvm_kernel_is_linear(kernel) && (!solver->dual || strcmp(solver->space, "linear") == 0);
}

int osvm_solver_reserve(const osvm_solver *solver, const double *params, const osvm_kernel *kernel, int carried,
                        int examples) {
  const int budget = osvm_solver_merges(solver, params) ? osvm_solver_budget(solver, params, kernel) : 0;
  if (budget == 0 || carried + examples <= budget) return 0;
  const int merged = carried / 8 * 5 + 5; /* as budget-compress.c may have at a time */
  return merged > budget ? merged : budget + 1;
}

static void add_column(osvm_state_names *names, const char *name, osvm_column_role role) {
  names->role[names->n_columns] = role;
  names->column[names->n_columns++] = name;
}

osvm_state_names osvm_solver_state(const osvm_solver *solver, const double *params) {
  static const char *const common[] = {"steps", "bias", "bias_sum"};
  osvm_state_names names = {0};
  if (solver->n_columns == 0 || solver->on_expansion) {
    add_column(&names, "coef", OSVM_COLUMN_COEF);
    if (osvm_solver_value(solver, params, OSVM_AVERAGE, 0) != 0) add_column(&names, "sum", OSVM_COLUMN_SUM);
  }
  for (int k = 0; k < solver->n_columns; k++)
    if (solver->columns[k].name != NULL) add_column(&names, solver->columns[k].name, solver->columns[k].role);
  for (int k = 0; k < 3; k++) names.scalar[names.n_scalars++] = common[k];
  for (int k = 0; solver->scalars != NULL && solver->scalars[k] != NULL; k++)
    names.scalar[names.n_scalars++] = solver->scalars[k];
  return names;
}
