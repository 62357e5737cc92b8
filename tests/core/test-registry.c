/* The table of solvers: what every entry declares, and the functions that read it. */
#include "test.h"

static const char *const spaces[] = {"linear", "kernel", "both"};

static int is_text(const char *text) { return text != NULL && text[0] != '\0'; }

static int uses_sets(const osvm_solver *solver) { return solver->n_columns > 0 && !solver->on_expansion; }

/* ---- entries ---- */

/* A parameter with a role has the same name in all solvers: R's tables and grids go by it. NULL: any name */
static const char *const role_names[] = {
    [OSVM_EPOCHS] = "epochs",   [OSVM_SHUFFLE] = "shuffle",     [OSVM_AVERAGE] = "average",
    [OSVM_OUTPUTS] = "outputs", [OSVM_UNIT_NORM] = "unit_norm", [OSVM_TOLERANCE] = "tolerance",
    [OSVM_WARM_START] = NULL};

static void check_role_names(const osvm_solver *solver) {
  for (int k = 0; solver->params[k].name != NULL; k++)
    for (int role = 0; role < COUNT(role_names); role++) {
      if (role_names[role] == NULL) continue;
      const int called_so = strcmp(solver->params[k].name, role_names[role]) == 0;
      if ((int)solver->params[k].role == role) CHECK(called_so);
      if (called_so && role <= OSVM_AVERAGE) CHECK((int)solver->params[k].role == role);
    }
}

static void check_params(const osvm_solver *solver) {
  const int count = osvm_solver_params(solver);
  check_role_names(solver);
  CHECK(count > 0 && count <= MAX_ARGUMENTS);
  for (int k = 0; k < count; k++)
    for (int l = 0; l < k; l++) {
      CHECK(strcmp(solver->params[k].name, solver->params[l].name) != 0);
      CHECK(solver->params[k].role == OSVM_RULE || solver->params[k].role != solver->params[l].role);
    }
}

/* Named columns are exported as doubles; all columns of an expansion are exported. */
static void check_columns(const osvm_solver *solver) {
  CHECK((solver->n_columns > 0) == (solver->columns != NULL) && solver->n_columns <= OSVM_COLUMNS);
  for (int k = 0; k < solver->n_columns; k++) {
    CHECK(solver->columns[k].name == NULL || !solver->columns[k].real);
    CHECK(solver->columns[k].name != NULL || !solver->on_expansion);
  }
}

static void check_state(const osvm_solver *solver) {
  static const char *const common[] = {"steps", "bias", "bias_sum"};
  const arguments a = arguments_for(solver, (argument[]){{"average", 1}}, 1);
  const osvm_state_names names = osvm_solver_state(solver, a.values);
  CHECK(names.n_columns > 0 && names.n_columns <= OSVM_COLUMNS + 2);
  CHECK(names.n_scalars >= COUNT(common) && names.n_scalars <= OSVM_SCALARS);
  for (int k = 0; k < names.n_columns; k++)
    for (int l = 0; l < k; l++) CHECK(strcmp(names.column[k], names.column[l]) != 0);
  for (int k = 0; k < COUNT(common); k++) CHECK(strcmp(names.scalar[k], common[k]) == 0);
  for (int k = 0; k < names.n_scalars; k++)
    for (int l = 0; l < k; l++) CHECK(strcmp(names.scalar[k], names.scalar[l]) != 0);
}

static void entries_are_complete(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  CHECK(count > 0);
  for (int s = 0; s < count; s++) {
    const osvm_solver *solver = info[s].solver;
    int known = 0;
    test_about("%s", info[s].name);
    CHECK(is_text(info[s].name) && osvm_solver_named(info[s].name) == solver);
    for (int t = 0; t < s; t++) CHECK(strcmp(info[s].name, info[t].name) != 0 && solver != info[t].solver);
    CHECK(is_text(solver->title) && is_text(solver->summary) && is_text(solver->paper));
    for (int k = 0; k < COUNT(spaces); k++) known += strcmp(solver->space, spaces[k]) == 0;
    CHECK(known == 1);
    check_params(solver);
    check_columns(solver);
    check_state(solver);
  }
  CHECK(osvm_solver_named("no such solver") == NULL && osvm_solver_named("") == NULL);
}

/* Slots that need each other */
static void slots_are_consistent(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++) {
    const osvm_solver *solver = info[s].solver;
    test_about("%s", info[s].name);
    CHECK((solver->learn != NULL) != (solver->solve != NULL));
    CHECK(solver->solve == NULL || solver->batch);
    CHECK((osvm_solver_role(solver, OSVM_WARM_START) >= 0) == (solver->solve != NULL));
    CHECK(!uses_sets(solver) || (solver->dual && solver->result != NULL)); /* sets have no primal weights */
    CHECK(solver->nested == NULL || osvm_solver_role(solver, OSVM_EPOCHS) >= 0);
    CHECK(!solver->reshuffles || osvm_solver_role(solver, OSVM_SHUFFLE) >= 0);
    CHECK(solver->leave_out == NULL || solver->forget != NULL);
  }
}

/* ---- reading ---- */

static void values_are_read_by_role(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++) {
    const osvm_solver *solver = info[s].solver;
    const int n = osvm_solver_params(solver);
    double rule[MAX_ARGUMENTS];
    test_about("%s", info[s].name);
    for (int k = 0; k < n; k++) rule[k] = k + 1;
    for (int k = 0; k < n; k++) {
      if (solver->params[k].role == OSVM_RULE) continue;
      CHECK(osvm_solver_role(solver, solver->params[k].role) == k);
      CHECK(osvm_solver_value(solver, rule, solver->params[k].role, -1) == k + 1);
    }
    for (int role = OSVM_EPOCHS; role <= OSVM_WARM_START; role++)
      if (osvm_solver_role(solver, role) < 0) CHECK(osvm_solver_value(solver, rule, role, -1) == -1);
    CHECK(osvm_solver_epochs(solver, rule) == (int)osvm_solver_value(solver, rule, OSVM_EPOCHS, 1));
  }
}

/* ---- what follows from parameters ---- */

static const double *rule_of(const osvm_solver *solver, const char *name, double value) {
  static arguments a;
  a = arguments_for(solver, (argument[]){{name, value}}, 1);
  return a.values;
}

/* Without a finish, and with one that does nothing, fewer epochs are the beginning of more. */
static void nested_runs(void) {
  const osvm_solver *lasvm = osvm_solver_named("lasvm"), *pegasos = osvm_solver_named("pegasos");
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  CHECK(osvm_solver_nested(lasvm, rule_of(lasvm, "finish", 0)));
  CHECK(!osvm_solver_nested(lasvm, rule_of(lasvm, "finish", 1)));
  CHECK(osvm_solver_nested(pegasos, rule_of(pegasos, "batch", 1)));
  CHECK(!osvm_solver_nested(pegasos, rule_of(pegasos, "batch", 2)));
  for (int s = 0; s < count; s++) {
    const osvm_solver *solver = info[s].solver;
    test_about("%s", info[s].name);
    const int nested = osvm_solver_nested(solver, rule_of(solver, "epochs", 3));
    if (osvm_solver_role(solver, OSVM_EPOCHS) < 0) CHECK(!nested);
    else if (solver->nested == NULL) CHECK(nested == (solver->finish == NULL));
  }
}

static void fine_tolerances_need_doubles(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++) {
    const osvm_solver *solver = info[s].solver;
    const int declared = solver->doubles != 0, has_tolerance = osvm_solver_role(solver, OSVM_TOLERANCE) >= 0;
    test_about("%s", info[s].name);
    CHECK((osvm_solver_doubles(solver, rule_of(solver, "tolerance", 1e-5)) != 0) == declared);
    CHECK((osvm_solver_doubles(solver, rule_of(solver, "tolerance", 9e-6)) != 0) == (declared || has_tolerance));
  }
}

/* Double precision, with what makes it necessary and without */
static int doubles_for(const char *solver, double C, const osvm_kernel *kernel, const osvm_extent *extent) {
  const osvm_solver *entry = osvm_solver_named(solver);
  const osvm_task task = {
      .solver = entry, .params = rule_of(entry, "C", C), .kernel = *kernel, .extent = extent, .level = TEST_LEVEL};
  return osvm_task_simd(&task)->size == sizeof(double);
}

static void data_may_need_doubles(void) {
  const osvm_extent usual = {.largest = 3, .norm = 18, .square = 2, .spread = 2};
  const osvm_extent unusual[] = {{.largest = 3, .norm = 18, .far = 1},
                                 {.largest = 1e16, .norm = 1e33},
                                 {.largest = 1e-11, .norm = 1e-22},
                                 {.largest = 1e10, .norm = 1e31}};
  const osvm_kernel rbf = {.info = &osvm_kernel_rbf, .params = {1}},
                    flat = {.info = &osvm_kernel_rbf, .params = {1e-6}};
  const osvm_kernel steep = {.info = &osvm_kernel_rbf, .params = {1e21}}, linear = {.info = &osvm_kernel_linear};
  const osvm_kernel tenth = {.info = &osvm_kernel_polynomial, .params = {1, 1, 10}};
  CHECK(!doubles_for("olsvm", 1e6, &rbf, &usual) && !doubles_for("olsvm", 1, &linear, &usual));
  CHECK(!doubles_for("olsvm", 1, &flat, NULL) && doubles_for("olsvm", 1, &flat, &usual));
  CHECK(doubles_for("olsvm", 1, &steep, &usual) && doubles_for("idsvm", 1, &rbf, NULL));
  CHECK(!doubles_for("smo", 1e3, &rbf, &usual) && doubles_for("smo", 1e6, &rbf, &usual));
  CHECK(doubles_for("lasvm", 1e3, &tenth, &usual));
  for (int k = 0; k < COUNT(unusual); k++) CHECK(doubles_for("olsvm", 1, &linear, &unusual[k]));
}

static void primal_models(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int k = 0; k < COUNT(all_kernels); k++) {
      const int primal = osvm_solver_primal(info[s].solver, &all_kernels[k]);
      const int weights = !info[s].solver->dual || strcmp(info[s].solver->space, "linear") == 0;
      CHECK(primal == (all_kernels[k].info == &osvm_kernel_linear && weights));
    }
}

/* ---- names of the state ---- */

static void check_names(const char *solver, double average, const char *const *columns, int n_columns, int n_scalars) {
  const osvm_solver *entry = osvm_solver_named(solver);
  const osvm_state_names names = osvm_solver_state(entry, rule_of(entry, "average", average));
  test_about("%s", solver);
  CHECK(names.n_columns == n_columns && names.n_scalars == n_scalars);
  for (int k = 0; k < n_columns && k < names.n_columns; k++) CHECK(strcmp(names.column[k], columns[k]) == 0);
}

/* Saved models depend on these names. */
static void state_names(void) {
  static const char *const expansions[] = {"norma", "pegaz", "olsvm", "sgd", "pegasos", "perceptron", "pa"};
  static const char *const averaged[] = {"coef", "sum"}, *const weighted[] = {"coef", "weight"};
  static const char *const dual[] = {"coef", "gradient", "cost", "set"}, *const hulls[] = {"slack", "output", "alpha"};
  for (int s = 0; s < COUNT(expansions); s++) {
    const int averages = osvm_solver_role(osvm_solver_named(expansions[s]), OSVM_AVERAGE) >= 0;
    check_names(expansions[s], 0, averaged, 1, 3);
    check_names(expansions[s], 1, averaged, 1 + averages, 3);
  }
  check_names("smo", 0, weighted, 2, 3);
  check_names("lasvm", 0, dual, 3, 3);
  check_names("ramp", 0, dual, 3, 3);
  check_names("cccp", 0, dual, 3, 3);
  check_names("idsvm", 0, dual, 4, 3);
  check_names("huller", 0, hulls, 3, 10);
}

void test_registry(void) {
  RUN(entries_are_complete);
  RUN(slots_are_consistent);
  RUN(values_are_read_by_role);
  RUN(nested_runs);
  RUN(fine_tolerances_need_doubles);
  RUN(data_may_need_doubles);
  RUN(primal_models);
  RUN(state_names);
}
