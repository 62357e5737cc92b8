/* What solvers declare: ffi_solvers for all of them, ffi_traits for one with its parameter values. */
#include "r-glue.h"

static const char *title(const osvm_solver *s) { return s->title; }
static const char *summary(const osvm_solver *s) { return s->summary; }
static const char *space(const osvm_solver *s) { return s->space; }
static const char *paper(const osvm_solver *s) { return s->paper; }
static int online(const osvm_solver *s) { return !s->batch; }
static int forgets(const osvm_solver *s) { return s->forget != NULL; }
static int leave_out(const osvm_solver *s) { return s->leave_out != NULL; }
static int epochs(const osvm_solver *s) { return osvm_solver_role(s, OSVM_EPOCHS) >= 0; }
static int averages(const osvm_solver *s) { return osvm_solver_role(s, OSVM_AVERAGE) >= 0; }
static int budgets(const osvm_solver *s) { return osvm_solver_role(s, OSVM_BUDGET) >= 0; }
static int dual(const osvm_solver *s) { return s->dual; }

static const struct {
  const char *name;
  const char *(*text)(const osvm_solver *solver);
  int (*flag)(const osvm_solver *solver);
} fields[] = {{"title", title, NULL},         {"summary", summary, NULL}, {"space", space, NULL},
              {"paper", paper, NULL},         {"online", NULL, online},   {"forgets", NULL, forgets},
              {"leave_out", NULL, leave_out}, {"epochs", NULL, epochs},   {"averages", NULL, averages},
              {"budgets", NULL, budgets},     {"dual", NULL, dual}};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static const char *const param_roles[] = {[OSVM_RULE] = "own",
                                          [OSVM_COST] = "cost",
                                          [OSVM_PENALTY] = "penalty",
                                          [OSVM_RATE] = "rate",
                                          [OSVM_EPOCHS] = "epochs",
                                          [OSVM_SHUFFLE] = "shuffle",
                                          [OSVM_AVERAGE] = "average",
                                          [OSVM_OUTPUTS] = "outputs",
                                          [OSVM_UNIT_NORM] = "unit_norm",
                                          [OSVM_TOLERANCE] = "tolerance",
                                          [OSVM_BOUND] = "cost",
                                          [OSVM_WARM_START] = "cost",
                                          [OSVM_BUDGET] = "budget",
                                          [OSVM_MAINTENANCE] = "maintenance"};

/* Of the parameters, by name. */
static SEXP roles(const osvm_solver *solver) {
  const int count = osvm_solver_params(solver);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count)), names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 0; k < count; k++) {
    SET_STRING_ELT(out, k, Rf_mkChar(param_roles[solver->params[k].role]));
    SET_STRING_ELT(names, k, Rf_mkChar(solver->params[k].name));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

static SEXP losses(const osvm_solver *solver) {
  int all, count = 0;
  const osvm_loss_info *const *info = osvm_losses(&all);
  const char **names = r_zeros(all, sizeof *names);
  for (int l = 0; l < all; l++)
    if (osvm_solver_learns(solver, info[l])) names[count++] = info[l]->name;
  return r_strings(names, count);
}

static const char *const column_roles[] = {[OSVM_COLUMN_UNSIGNED] = "unsigned",
                                           [OSVM_COLUMN_COST] = "cost",
                                           [OSVM_COLUMN_SIGNED] = "signed",
                                           [OSVM_COLUMN_COEF] = "coef",
                                           [OSVM_COLUMN_SUM] = "sum"};

/* A list of vectors with an element per solver; `roles` and `losses` are lists. */
SEXP ffi_solvers(void) {
  enum { OWN = 3 };
  const char *names[FIELDS + OWN] = {"name", "roles", "losses"};
  SEXP values[FIELDS + OWN];
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  values[0] = PROTECT(Rf_allocVector(STRSXP, count));
  for (int k = 1; k < OWN; k++) values[k] = PROTECT(Rf_allocVector(VECSXP, count));
  for (int k = 0; k < FIELDS; k++) {
    names[k + OWN] = fields[k].name;
    values[k + OWN] = PROTECT(Rf_allocVector(fields[k].text != NULL ? STRSXP : LGLSXP, count));
  }
  for (int s = 0; s < count; s++) {
    SET_STRING_ELT(values[0], s, Rf_mkChar(info[s].name));
    SET_VECTOR_ELT(values[1], s, roles(info[s].solver));
    SET_VECTOR_ELT(values[2], s, losses(info[s].solver));
    for (int k = 0; k < FIELDS; k++) {
      if (fields[k].text != NULL) SET_STRING_ELT(values[k + OWN], s, Rf_mkChar(fields[k].text(info[s].solver)));
      else LOGICAL(values[k + OWN])[s] = fields[k].flag(info[s].solver);
    }
  }
  SEXP out = r_list(names, values, FIELDS + OWN);
  UNPROTECT(FIELDS + OWN);
  return out;
}

/* What these parameter values mean to a run, read by role. solver: list(name, params) */
SEXP ffi_traits(SEXP solver) {
  static const char *const names[] = {"epochs",  "shuffle", "average",      "unit_norm", "nested", "optimal",
                                      "repeats", "columns", "column_roles", "scalars",   "by_rows"};
  static const char *const repeats[] = {"apart", "visited", "weighed"};
  enum { TRAITS = sizeof names / sizeof names[0] };
  const osvm_solver *s;
  const double *params;
  osvm_error error = {r_solver(solver, &s, &params)};
  if (error.text != NULL) return r_sentence(&error);
  const osvm_state_names state = osvm_solver_state(s, params);
  const char *role[OSVM_COLUMNS + 2];
  for (int k = 0; k < state.n_columns; k++) role[k] = column_roles[state.role[k]];
  SEXP values[] = {PROTECT(Rf_ScalarReal(osvm_solver_epochs(s, params))),
                   PROTECT(Rf_ScalarLogical(osvm_solver_value(s, params, OSVM_SHUFFLE, 0) != 0)),
                   PROTECT(Rf_ScalarLogical(osvm_solver_value(s, params, OSVM_AVERAGE, 0) != 0)),
                   PROTECT(Rf_ScalarLogical(osvm_solver_value(s, params, OSVM_UNIT_NORM, 0) != 0)),
                   PROTECT(Rf_ScalarLogical(osvm_solver_nested(s, params))),
                   PROTECT(Rf_ScalarLogical(s->optimal != NULL && s->optimal(params))),
                   PROTECT(Rf_mkString(repeats[osvm_solver_repeats(s, params)])),
                   PROTECT(r_strings(state.column, state.n_columns)),
                   PROTECT(r_strings(role, state.n_columns)),
                   PROTECT(r_strings(state.scalar, state.n_scalars)),
                   PROTECT(Rf_ScalarLogical(osvm_solver_by_rows(s, params)))};
  SEXP out = r_list(names, values, TRAITS);
  UNPROTECT(TRAITS);
  return out;
}
