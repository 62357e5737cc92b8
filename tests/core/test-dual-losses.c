/* On-line solvers at the optimum of a dual, with every loss but the hinge that they declare: after each piece of a stream,
 * and after examples are forgotten, the solution is SMO's of the same examples. */
#include "sv-solvers.h"

enum { MOST = 100 };
static const double C = 2;

typedef struct {
  const problem *p;
  const osvm_loss *loss;
  const double *value;
  double slack;   /* of outputs */
  int forgets;    /* forget a quarter of the carried examples before a piece is learned? */
  int gone[MOST]; /* those forgotten, or no support vectors and given up */
} stream;

/* The optimum of the examples with a weight, by SMO */
static session *optimum(const stream *d, const double *weight) {
  const osvm_argument given[] = {{"C", C}, {"tolerance", 1e-10}, {"shrinking", 0}, {"max_iter", 1e6}, {"selection", 0}};
  session *s = session_with(d->p, "smo", given, COUNT(given), 1);
  session_set_loss(s, d->loss, d->value, 0);
  s->task.weight = weight;
  CHECK(session_learn(s) == OSVM_OK);
  return s;
}

static double output(const problem *p, const double *coef, double intercept, int v) {
  for (int u = 0; u < p->n; u++) intercept += coef[u] * p->K[u + (size_t)v * p->n];
  return intercept;
}

static osvm_status forget_some(stream *d, osvm_run *run, const int *visits) {
  for (int i = 0; i < run->first; i++) {
    if (random_below(4) > 0) continue;
    OSVM_TRY(run->solver->forget(run, &run->machine[0], i));
    d->gone[visits[i]] = 1;
  }
  return OSVM_OK;
}

static void check_optimum(const stream *d, osvm_run *run, const int *visits) {
  const problem *p = d->p;
  double weight[MOST] = {0}, coef[MOST] = {0};
  osvm_model model = model_of(run);
  CHECK(osvm_run_export(run, &model) == OSVM_OK);
  CHECK(run->machine[0].convergence.finished);
  for (int i = 0; i < model.size; i++) {
    coef[visits[i]] = model.coef[i];
    if (!d->gone[visits[i]]) weight[visits[i]] = p->weight[visits[i]];
  }
  session *best = optimum(d, weight);
  const double want = best->run.machine[0].convergence.objective;
  CHECK_NEAR(run->machine[0].convergence.objective, want, d->slack * (1 + fabs(want)));
  for (int v = 0; v < p->n; v++) {
    if (d->gone[v]) CHECK(coef[v] == 0);
    CHECK_NEAR(output(p, coef, model.intercept[0], v), output(p, best->model.coef, best->model.intercept[0], v),
               d->slack);
  }
  session_free(best);
  model_free(&model);
}

/* The optimum is that of the new examples and of those carried that are still there. */
static osvm_status learn_and_check(osvm_run *run, const int *visits, void *user) {
  stream *d = user;
  if (d->forgets) OSVM_TRY(forget_some(d, run, visits));
  OSVM_TRY(osvm_run_learn(run));
  for (int i = 0; i < run->first; i++) d->gone[visits[i]] |= osvm_sv_set_slot(run->machine[0].sv_set, i) < 0;
  check_optimum(d, run, visits);
  return OSVM_OK;
}

static double *values_for(const problem *p) {
  double *y = malloc(p->n * sizeof(double));
  for (int v = 0; v < p->n; v++) y[v] = sin(2 * p->m.x[p->rows[v]]) + 0.3 * random_normal();
  return y;
}

static const osvm_loss losses[] = {{OSVM_EPSILON, 0.2},  {OSVM_EPSILON, 0},    {OSVM_EPSILON, 10}, {OSVM_QUANTILE, 0.5},
                                   {OSVM_QUANTILE, 0.9}, {OSVM_NOVELTY, 0.15}, {OSVM_NOVELTY, 0.6}};

/* Calls `check` for each solver and loss: on-line, and at the optimum */
static void for_all(void (*check)(const osvm_solver_info *info, const osvm_loss *loss)) {
  int count;
  const osvm_solver_info *all = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int l = 0; l < COUNT(losses); l++) {
      const osvm_solver *solver = all[s].solver;
      if (!solver->dual || solver->batch || solver->losses == 0 || !osvm_solver_learns(solver, losses[l].type))
        continue;
      check(&all[s], &losses[l]);
    }
}

/* LASVM's tolerance is its own, IDSVM is exact. */
static way way_of(const osvm_solver_info *info, const osvm_loss *loss, const double *value) {
  static const osvm_argument params[] = {{"C", C}, {"tolerance", 1e-8}, {"finish", 1}, {"selection", 0}, {"bias", 1}};
  return (way){.solver = info->name,
               .params = params,
               .n_params = COUNT(params),
               .epochs = 1,
               .doubles = 1,
               .cache = 1 << 20,
               .loss = loss,
               .value = value};
}

/* Pieces of `size` visits, from the first on */
static int cut(int n, int size, int *cuts) {
  int pieces = 0;
  for (cuts[0] = 0; cuts[pieces] < n; pieces++) cuts[pieces + 1] = cuts[pieces] + size < n ? cuts[pieces] + size : n;
  return pieces;
}

static void check_stream(const osvm_solver_info *info, const osvm_loss *loss, int n, int size, int forgets,
                         const osvm_kernel *kernel) {
  problem p = problem_of(n, 2, 2, OSVM_DOUBLES, kernel);
  double *value = values_for(&p);
  int cuts[MOST + 1];
  stream d = {&p, loss, value, info->solver->optimal != NULL ? 1e-5 : 1e-6, forgets, {0}};
  way w = way_of(info, loss, value);
  w.learn = learn_and_check;
  w.user = &d;
  test_about("%s, loss %s %g, kernel %s, pieces of %d, forgets %d", info->name, osvm_loss_name(loss->type),
             loss->parameter, kernel->info->name, size, forgets);
  outcome o = learn_pieces(&p, &w, cuts, cut(n, size, cuts));
  CHECK(o.status == OSVM_OK);
  outcome_free(&o);
  free(value);
  problem_free(&p);
}

static void check_rows(const osvm_solver_info *info, const osvm_loss *loss) {
  check_stream(info, loss, 40, 1, 0, &rbf);
  check_stream(info, loss, 40, 1, 0, &linear);
}

static void every_row_is_smos_solution(void) { for_all(check_rows); }

static void check_chunks(const osvm_solver_info *info, const osvm_loss *loss) {
  check_stream(info, loss, MOST, 17, 0, &rbf);
  check_stream(info, loss, MOST, MOST, 0, &rbf);
}

static void every_chunk_is_smos_solution(void) { for_all(check_chunks); }

static void check_forgetting(const osvm_solver_info *info, const osvm_loss *loss) {
  if (info->solver->forget == NULL) return;
  check_stream(info, loss, 60, 7, 1, &rbf);
  check_stream(info, loss, 60, 7, 1, &linear);
}

static void forgotten_rows_leave_smos_solution(void) { for_all(check_forgetting); }

void test_dual_losses(void) {
  RUN(every_row_is_smos_solution);
  RUN(every_chunk_is_smos_solution);
  RUN(forgotten_rows_leave_smos_solution);
}
