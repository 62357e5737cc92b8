/* Every solver of the table, with every loss that it declares, under the linear and an RBF kernel, on dense and sparse
 * examples: state goes to the model and
 * back, exports change nothing, interrupts leave a usable model, pieces of a stream give the model of one pass. */
#include <float.h>

#include "sv-solvers.h"

typedef struct {
  const char *name;
  const osvm_solver *solver;
  int sparse, classes;
  double budget, maintenance;
  osvm_loss loss;
  double *value; /* targets of other losses than the hinge, by visit number */
  problem p;
} subject;

static void on_problem(int n, subject one, const osvm_kernel *kernel, void (*test)(const subject *s)) {
  test_about("%s, %s, kernel %s, sparse %d, classes %d, budget %g, maintenance %g", one.name, one.loss.info->name,
             kernel->info->name, one.sparse, one.classes, one.budget, one.maintenance);
  one.p = problem_of(n, one.sparse ? 12 : 4, one.classes, one.sparse ? OSVM_SPARSE : OSVM_DOUBLES, kernel);
  one.value = malloc((n + 1) * sizeof(double));
  /* Equal weights give equal coefficients, of which rounding would choose the one that a budget gives up. */
  for (int v = 0; v < n && isfinite(one.budget); v++) one.p.weight[v] = 0.5 + random_uniform();
  for (int v = 0; v < n; v++) one.value[v] = one.p.m.x[one.p.rows[v]] + 0.3 * one.p.class_of[v];
  test(&one);
  free(one.value);
  problem_free(&one.p);
}

/* Does the solver learn this loss, and is it not the hinge? */
static int is_other(const osvm_solver *solver, int l) {
  return l != loss_hinge && osvm_solver_learns(solver, all_losses[l].info);
}

/* Calls `test` on a problem of n examples for each solver, kernel, layout of the data and number of classes, and for each
 * other loss; and with a small budget, kept in each way, where the solver has one. */
static void for_all(int n, void (*test)(const subject *s)) {
  static const osvm_kernel *const kernels[] = {&linear, &rbf};
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int k = 0; k < COUNT(kernels); k++)
      for (int sparse = 0; sparse < 2; sparse++)
        for (int classes = 2; classes < 4; classes++) {
          if (!solver_takes(info[s].solver, kernels[k])) continue;
          subject one = {
              .name = info[s].name, .solver = info[s].solver, .sparse = sparse, .classes = classes, .loss = hinge};
          one.budget = INFINITY;
          on_problem(n, one, kernels[k], test);
          for (int l = 0; l < N_LOSSES && classes == 2; l++) {
            subject other = one;
            other.loss = all_losses[l];
            if (is_other(one.solver, l)) on_problem(n, other, kernels[k], test);
          }
          if (!kernels[k]->info->mergeable || osvm_solver_role(one.solver, OSVM_BUDGET) < 0) continue;
          one.budget = 7;
          for (one.maintenance = OSVM_MERGE; one.maintenance <= OSVM_REMOVE; one.maintenance++)
            on_problem(n, one, kernels[k], test);
        }
}

static session *session_within(const subject *s, const argument *given, int n_given, int doubles) {
  argument all[MAX_ARGUMENTS] = {{"budget", s->budget}, {"maintenance", s->maintenance}};
  for (int k = 0; k < n_given; k++) all[2 + k] = given[k];
  session *e = session_with(&s->p, s->name, all, 2 + n_given, doubles);
  session_set_loss(e, &s->loss, s->value, 0);
  return e;
}

/* Averages where there are any, in one of the layouts; single precision in one of them. */
static session *open_session(const subject *s, int doubles) {
  return session_within(s, (argument[]){{"average", s->sparse}}, 1, doubles);
}

/* ---- models ---- */

static void check_values(const double *got, const double *want, size_t count, double tolerance) {
  for (size_t k = 0; k < count; k++) CHECK_NEAR(got[k], want[k], tolerance * fmax(1, fabs(want[k])));
}

/* tolerance 0: bit for bit */
static void check_models(const osvm_run *run, const osvm_model *got, const osvm_model *want, double tolerance) {
  const osvm_state_names names = osvm_solver_state(run->solver, run->params);
  const size_t all = (size_t)want->size * want->machines;
  CHECK(got->size == want->size && got->machines == want->machines && got->n_kept == want->n_kept);
  if (got->size != want->size || got->n_kept != want->n_kept) return;
  check_values(got->coef, want->coef, all, tolerance);
  check_values(got->intercept, want->intercept, want->machines, tolerance);
  check_values(got->columns, want->columns, all * names.n_columns, tolerance);
  check_values(got->scalars, want->scalars, (size_t)want->machines * names.n_scalars, tolerance);
  for (int k = 0; k < want->n_kept; k++) CHECK(got->kept[k] == want->kept[k]);
}

static void check_finite(const osvm_run *run, const osvm_model *model) {
  const osvm_state_names names = osvm_solver_state(run->solver, run->params);
  const size_t all = (size_t)model->size * model->machines;
  for (size_t k = 0; k < all; k++) CHECK(isfinite(model->coef[k]));
  for (size_t k = 0; k < all * names.n_columns; k++) CHECK(isfinite(model->columns[k]));
  for (int k = 0; k < model->machines; k++) CHECK(isfinite(model->intercept[k]));
}

/* Each example with a nonnegligible coefficient once, and no other index */
static void check_kept(const osvm_run *run, const osvm_model *model) {
  double largest = 0;
  int *kept = calloc((size_t)model->size + 1, sizeof(int));
  for (int k = 0; k < model->n_kept; k++) {
    CHECK(model->kept[k] >= 0 && model->kept[k] < model->size && !kept[model->kept[k]]);
    kept[model->kept[k]] = 1;
  }
  for (int k = 0; k < model->size * model->machines; k++) largest = fmax(largest, fabs(model->coef[k]));
  for (int m = 0; m < model->machines && !run->driver->primal; m++)
    for (int i = 0; i < model->size; i++)
      CHECK(kept[i] || fabs(model->coef[(size_t)m * model->size + i]) <= DBL_EPSILON * largest);
  CHECK(!run->driver->primal || model->n_kept == 0);
  free(kept);
}

/* ---- runs one after the other ---- */

typedef struct {
  session *session;
  matrix carried, vectors; /* vectors: of the run's store, without the solver's own */
  osvm_data view;
  osvm_model start;
} fit;

/* Visits from .. to - 1, from the model of the run `before`, if there is one */
static fit *fit_open(const subject *s, const argument *given, int n_given, int doubles, int from, int to,
                     const fit *before) {
  fit *f = calloc(1, sizeof *f);
  const int primal = osvm_solver_primal(s->solver, &s->p.kernel);
  matrix news = matrix_rows(&s->p.m, s->p.rows + from, to - from);
  f->session = session_within(s, given, n_given, doubles);
  session_restrict(f->session, from, to);
  session_set_loss(f->session, &s->loss, s->value, from);
  if (before != NULL) {
    const session *b = before->session;
    f->start = model_kept(&b->run, &b->model);
    f->carried = model_vectors(&b->run, &b->model, &before->vectors);
    f->view = matrix_view(&f->carried, s->p.data.kind);
    session_carry(f->session, &f->start, primal ? NULL : &f->view);
  }
  f->vectors = before != NULL ? matrix_stack(&f->carried, &news) : matrix_rows(&s->p.m, s->p.rows + from, to - from);
  matrix_free(&news);
  return f;
}

static void fit_free(fit *f) {
  matrix_free(&f->carried);
  matrix_free(&f->vectors);
  model_free(&f->start);
  session_free(f->session);
  free(f);
}

static double fit_output(const subject *s, const fit *f, int m, int v) {
  const session *e = f->session;
  const osvm_model *model = &e->model;
  double sum = model->intercept[m];
  if (e->run.driver->primal) {
    for (int k = 0; k < model->size; k++)
      sum += model->coef[k + (size_t)m * model->size] * data_value(&s->p.data, s->p.rows[v], k);
    return sum;
  }
  matrix kept = model_vectors(&e->run, model, &f->vectors);
  const osvm_data view = matrix_view(&kept, OSVM_DOUBLES);
  for (int k = 0; k < model->n_kept; k++)
    sum += model->coef[model->kept[k] + (size_t)m * model->size] *
           plain_kernel(&s->p.kernel, &view, k, &s->p.data, s->p.rows[v]);
  matrix_free(&kept);
  return sum;
}

/* ---- layout ---- */

/* Sparse problems are thin enough to stay sparse. A sparse matrix without zeros is packed densely, and its model is that
 * of the dense matrix, bit for bit. */
static void check_layout(const subject *s) {
  const osvm_data thick = matrix_view(&s->p.m, OSVM_SPARSE);
  for (int doubles = 0; doubles < 2; doubles++) {
    session *given = open_session(s, doubles), *as_sparse = open_session(s, doubles);
    as_sparse->task.data = &thick;
    CHECK(session_learn(given) == OSVM_OK && session_learn(as_sparse) == OSVM_OK);
    CHECK(given->run.store.sparse == s->sparse && as_sparse->run.store.sparse == s->sparse);
    check_models(&given->run, &as_sparse->model, &given->model, 0);
    session_free(given);
    session_free(as_sparse);
  }
}

static void dense_packing_of_sparse_matrices(void) { for_all(40, check_layout); }

/* ---- given kernel values ---- */

/* The kernel matrix in place of features, whole and without its last row */
static void check_given(const subject *s) {
  const int n = s->p.n;
  if (s->sparse || osvm_kernel_is_linear(&s->p.kernel) || (isfinite(s->budget) && s->maintenance == OSVM_MERGE)) return;
  double *number = malloc((n + 1) * sizeof(double));
  int *rows = malloc((n + 1) * sizeof(int));
  for (int v = 0; v < n; v++) number[rows[v] = v] = v + 1;
  const osvm_data numbers = {.kind = OSVM_DOUBLES, .n = n, .d = 1, .x = number};
  const argument exact = {"tolerance", 1e-9};
  session *features = session_within(s, &exact, 1, 1), *given = session_within(s, &exact, 1, 1),
          *wrong = session_within(s, &exact, 1, 1);
  given->task.kernel = wrong->task.kernel = (osvm_kernel){.info = &osvm_kernel_given, .given = s->p.K, .n_given = n};
  given->task.data = wrong->task.data = &numbers;
  given->task.rows = wrong->task.rows = rows;
  CHECK(session_learn(features) == OSVM_OK && session_learn(given) == OSVM_OK);
  check_values(given->model.coef, features->model.coef, (size_t)n * given->run.machines, 1e-6);
  check_values(given->model.intercept, features->model.intercept, given->run.machines, 1e-6);
  wrong->task.kernel.n_given--;
  CHECK(osvm_run_open(&wrong->run, &wrong->task, &wrong->error) == OSVM_INVALID);
  session_free(features);
  session_free(given);
  session_free(wrong);
  free(number);
  free(rows);
}

static void given_kernel_values(void) { for_all(40, check_given); }

/* ---- state round trip ---- */

/* What is imported is exported again, bit for bit. IDSVM's restore corrects the margin's gradients for rounding, which
 * changes nothing the second time. */
static void check_round_trip(const subject *s) {
  const argument given[] = {{"average", s->sparse}};
  for (int doubles = 0; doubles < 2; doubles++) {
    const int corrects = strcmp(s->name, "idsvm") == 0;
    fit *first = fit_open(s, given, 1, doubles, 0, s->p.n, NULL);
    CHECK(session_learn(first->session) == OSVM_OK);
    check_finite(&first->session->run, &first->session->model);
    check_kept(&first->session->run, &first->session->model);
    fit *next = fit_open(s, given, 1, doubles, s->p.n, s->p.n, first);
    session *e = next->session;
    CHECK(osvm_run_open(&e->run, &e->task, &e->error) == OSVM_OK);
    e->model = model_of(&e->run);
    CHECK(osvm_run_export(&e->run, &e->model) == OSVM_OK);
    osvm_model kept = model_kept(&e->run, &e->model);
    check_models(&e->run, &kept, &next->start, corrects ? 1e-9 : 0);
    osvm_model again = model_of(&e->run);
    if (s->solver->solve == NULL) CHECK(osvm_run_learn(&e->run) == OSVM_OK); /* there is nothing to learn */
    CHECK(osvm_run_export(&e->run, &again) == OSVM_OK);
    check_models(&e->run, &again, &e->model, 0);
    model_free(&kept);
    model_free(&again);
    fit_free(next);
    fit_free(first);
  }
}

static void state_round_trips(void) { for_all(40, check_round_trip); }

/* A batch solver solves its kept examples again: they start at the optimum. That of novelty is another one, of nu times
 * as many examples as are kept. */
static void check_solve_without_news(const subject *s) {
  if (s->solver->solve == NULL || s->loss.info == &osvm_loss_novelty) return;
  fit *first = fit_open(s, NULL, 0, 1, 0, s->p.n, NULL);
  CHECK(session_learn(first->session) == OSVM_OK);
  fit *next = fit_open(s, NULL, 0, 1, s->p.n, s->p.n, first);
  CHECK(session_learn(next->session) == OSVM_OK);
  for (int m = 0; m < s->p.machines; m++) {
    CHECK(next->session->run.machine[m].convergence.finished == 1);
    for (int v = 0; v < s->p.n; v += 9) CHECK_NEAR(fit_output(s, next, m, v), fit_output(s, first, m, v), 0.02);
  }
  fit_free(next);
  fit_free(first);
}

static void batch_solutions_are_a_start(void) { for_all(40, check_solve_without_news); }

/* ---- exports ---- */

static void check_exports(const subject *s) {
  session *one = open_session(s, s->classes == 2);
  CHECK(session_learn(one) == OSVM_OK);
  CHECK(one->run.driver->primal || osvm_run_evaluations(&one->run) > 0);
  const double evaluations = osvm_run_evaluations(&one->run), updates = osvm_run_updates(&one->run);
  osvm_machine *before = malloc(s->p.machines * sizeof *before);
  memcpy(before, one->run.machine, s->p.machines * sizeof *before);
  osvm_model again = model_of(&one->run);
  CHECK(osvm_run_export(&one->run, &again) == OSVM_OK);
  check_models(&one->run, &again, &one->model, 0);
  CHECK(osvm_run_result(&one->run, again.coef, again.intercept) == OSVM_OK);
  check_models(&one->run, &again, &one->model, 0);
  CHECK(osvm_run_evaluations(&one->run) == evaluations && osvm_run_updates(&one->run) == updates);
  for (int m = 0; m < s->p.machines; m++) {
    const osvm_machine *now = &one->run.machine[m];
    CHECK(now->visits == before[m].visits && now->updates == before[m].updates);
    CHECK(memcmp(&now->convergence, &before[m].convergence, sizeof now->convergence) == 0);
  }
  free(before);
  model_free(&again);
  session_free(one);
}

static void exports_change_nothing(void) { for_all(40, check_exports); }

static void export_in_between(void *user, osvm_run *run) {
  osvm_model model = model_of(run);
  CHECK(osvm_run_export(run, &model) == OSVM_OK);
  check_finite(run, &model);
  model_free(&model);
  ++*(int *)user;
}

/* An export after every epoch, and a second run with the same seed */
static void check_same_runs(const subject *s) {
  int exports = 0;
  session *plain = open_session(s, 0), *watched = open_session(s, 0);
  watched->task.epoch_ended = export_in_between;
  watched->task.user = &exports;
  CHECK(session_learn(plain) == OSVM_OK && session_learn(watched) == OSVM_OK);
  check_models(&plain->run, &watched->model, &plain->model, 0);
  CHECK(s->solver->solve != NULL || exports == plain->run.epochs - 1);
  CHECK(osvm_run_evaluations(&watched->run) == osvm_run_evaluations(&plain->run));
  session_free(plain);
  session_free(watched);
}

static void runs_depend_on_the_seed_alone(void) { for_all(40, check_same_runs); }

/* ---- a stream in pieces ---- */

/* Online, in one epoch, without a finish, which every piece would have. Outputs are compared: under a linear kernel the
 * coefficients of an optimum are not unique. The second and third piece have one example. */
static void check_stream(const subject *s) {
  static const int cuts[] = {0, 30, 31, 32, 61};
  const argument given[] = {{"epochs", 1}, {"finish", 0}, {"batch", 1}};
  if (s->solver->batch) return;
  fit *whole = fit_open(s, given, COUNT(given), 1, 0, s->p.n, NULL), *piece = NULL;
  CHECK(session_learn(whole->session) == OSVM_OK);
  for (int c = 0; c + 1 < COUNT(cuts); c++) {
    fit *next = fit_open(s, given, COUNT(given), 1, cuts[c], cuts[c + 1], piece);
    CHECK(session_learn(next->session) == OSVM_OK);
    if (piece != NULL) fit_free(piece);
    piece = next;
  }
  for (int m = 0; m < s->p.machines; m++)
    for (int v = 0; v < s->p.n; v += 3) {
      const double want = fit_output(s, whole, m, v);
      CHECK_NEAR(fit_output(s, piece, m, v), want, 1e-6 * fmax(1, fabs(want)));
    }
  fit_free(whole);
  fit_free(piece);
}

static void streams_in_pieces(void) { for_all(61, check_stream); }

/* ---- few examples ---- */

static void check_few(const subject *s) {
  for (int n = 0; n < s->p.n; n++) {
    session *one = open_session(s, 0);
    one->task.count = n;
    CHECK(session_learn(one) == OSVM_OK);
    check_finite(&one->run, &one->model);
    check_kept(&one->run, &one->model);
    if (n == 0) CHECK(one->model.n_kept == 0 && one->model.intercept[0] == 0);
    session_free(one);
  }
}

static void few_examples(void) { for_all(5, check_few); }

static void check_one_class(const subject *s) {
  for (int v = 0; v < s->p.n; v++) s->p.class_of[v] = s->classes - 1;
  session *one = open_session(s, 0);
  CHECK(session_learn(one) == OSVM_OK);
  check_finite(&one->run, &one->model);
  session_free(one);
}

static void one_class(void) { for_all(20, check_one_class); }

/* ---- closing ---- */

static void check_closing(const subject *s) {
  const long live = memory.live;
  session *one = open_session(s, 0);
  CHECK(osvm_run_open(&one->run, &one->task, &one->error) == OSVM_OK);
  osvm_run_close(&one->run);
  osvm_run_close(&one->run); /* a closed run may be closed again */
  free(one);
  CHECK(memory.live == live);
}

static void closing(void) { for_all(10, check_closing); }

/* ---- interrupts ---- */

/* Without a cache there is more work per step. What was learned is exported, and another run starts from it. */
static osvm_status check_interrupt(const subject *s, int polls) {
  const argument given[] = {{"C", 1000}, {"lambda", 1e-3}, {"tolerance", 1e-4}};
  fit *f = fit_open(s, given, COUNT(given), 0, 0, s->p.n, NULL);
  session *e = f->session;
  e->task.progress = host_progress(stop_later, &polls);
  e->task.cache_bytes = 0;
  const osvm_status status = session_learn(e);
  CHECK(status == OSVM_OK || status == OSVM_INTERRUPTED);
  CHECK(e->run.driver->epochs_done <= e->run.epochs && e->run.driver->visited <= s->p.n);
  check_finite(&e->run, &e->model);
  check_kept(&e->run, &e->model);
  fit *next = fit_open(s, given, COUNT(given), 0, s->p.n, s->p.n, f);
  CHECK(session_learn(next->session) == OSVM_OK);
  check_finite(&next->session->run, &next->session->model);
  fit_free(next);
  fit_free(f);
  return status;
}

static void interrupt_at_polls(const osvm_solver_info *info, osvm_loss loss) {
  static const int stops[] = {0, 1, 3, 7};
  double value[220];
  subject s = {.name = info->name, .solver = info->solver, .budget = INFINITY, .loss = loss, .value = value};
  s.p = problem_of(COUNT(value), 2, 2, OSVM_DOUBLES, solver_takes(s.solver, &rbf) ? &rbf : &linear);
  for (int v = 0; v < s.p.n; v++) s.p.class_of[v] = random_below(2); /* random labels: many steps */
  for (int v = 0; v < s.p.n; v++) value[v] = random_normal();
  osvm_status status = OSVM_INTERRUPTED;
  for (int t = 0; t < COUNT(stops) && status == OSVM_INTERRUPTED; t++) {
    test_about("%s, %s, poll %d", s.name, loss.info->name, stops[t]);
    status = check_interrupt(&s, stops[t]);
    CHECK(t > 0 || status == OSVM_INTERRUPTED || s.solver->batch); /* SMO solves novelty before the first poll */
  }
  problem_free(&s.p);
}

static void interrupts_leave_a_usable_model(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int k = 0; k < count; k++) {
    interrupt_at_polls(&info[k], hinge);
    for (int l = 0; l < N_LOSSES; l++)
      if (is_other(info[k].solver, l)) interrupt_at_polls(&info[k], all_losses[l]);
  }
}

void test_conformance(void) {
  RUN(dense_packing_of_sparse_matrices);
  RUN(given_kernel_values);
  RUN(state_round_trips);
  RUN(batch_solutions_are_a_start);
  RUN(exports_change_nothing);
  RUN(runs_depend_on_the_seed_alone);
  RUN(streams_in_pieces);
  RUN(few_examples);
  RUN(one_class);
  RUN(closing);
  RUN(interrupts_leave_a_usable_model);
}
