/* Online solvers at the optimum of a dual, with every loss but the hinge that they declare: after each piece of a stream,
 * and after examples are forgotten, the solution is SMO's of the same examples. */
#include "sv-solvers.h"

enum { MOST = 200 };
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
  const argument given[] = {{"C", C}, {"tolerance", 1e-10}, {"shrinking", 0}, {"max_iter", 1e6}, {"selection", 0}};
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

/* Of one class alone the bias is not determined. */
static int has_both_sides(const stream *d, const double *weight) {
  int members[2] = {0, 0};
  for (int v = 0; v < d->p->n; v++) members[problem_label(d->p, 0, v) > 0] += weight[v] > 0;
  return d->loss->info->target != OSVM_CLASSES || (members[0] > 0 && members[1] > 0);
}

static void check_optimum(const stream *d, osvm_run *run, const int *visits) {
  const problem *p = d->p;
  double weight[MOST] = {0}, coef[MOST] = {0};
  osvm_model model = model_of(run);
  CHECK(osvm_run_export(run, &model) == OSVM_OK);
  CHECK(run->machine[0].convergence.finished == 1);
  for (int i = 0; i < model.size; i++) {
    coef[visits[i]] = model.coef[i];
    if (!d->gone[visits[i]]) weight[visits[i]] = p->weight[visits[i]];
  }
  session *best = optimum(d, weight);
  const double want = best->run.machine[0].convergence.objective;
  CHECK_NEAR(run->machine[0].convergence.objective, want, d->slack * (1 + fabs(want)));
  for (int v = 0; v < p->n; v++) {
    if (d->gone[v]) CHECK(coef[v] == 0);
    if (!has_both_sides(d, weight)) continue;
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

static const osvm_loss losses[] = {
    {.info = &osvm_loss_epsilon, .params = {0.2}},   {.info = &osvm_loss_epsilon, .params = {0}},
    {.info = &osvm_loss_epsilon, .params = {10}},    {.info = &osvm_loss_quantile, .params = {0.5}},
    {.info = &osvm_loss_quantile, .params = {0.9}},  {.info = &osvm_loss_novelty, .params = {0.15}},
    {.info = &osvm_loss_novelty, .params = {0.6}},   {.info = &osvm_loss_squared_hinge, .params = {0}},
    {.info = &osvm_loss_squared, .params = {0}},     {.info = &osvm_loss_squared, .params = {0.2}},
    {.info = &osvm_loss_huber, .params = {0.3}},     {.info = &osvm_loss_expectile, .params = {0.5}},
    {.info = &osvm_loss_expectile, .params = {0.95}}};

/* Calls `check` for each solver and loss: online, and at the optimum */
static void for_all(void (*check)(const osvm_solver_info *info, const osvm_loss *loss)) {
  int count;
  const osvm_solver_info *all = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int l = 0; l < COUNT(losses); l++) {
      const osvm_solver *solver = all[s].solver;
      if (!solver->dual || solver->batch || solver->losses == 0 || !osvm_solver_learns(solver, losses[l].info))
        continue;
      check(&all[s], &losses[l]);
    }
}

/* LASVM's tolerance is its own, IDSVM is exact. */
static way way_of(const osvm_solver_info *info, const osvm_loss *loss, const double *value) {
  static const argument params[] = {{"C", C}, {"tolerance", 1e-8}, {"finish", 1}, {"selection", 0}, {"bias", 1}};
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
  test_about("%s, loss %s %g, kernel %s, pieces of %d, forgets %d", info->name, loss->info->name, loss->params[0],
             kernel->info->name, size, forgets);
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

/* ---- leave-one-out ---- */

/* All are learned, then left out in turn, as if they were carried */
static osvm_status leave_out(osvm_run *run, const int *visits, void *user) {
  (void)visits;
  OSVM_TRY(osvm_run_learn(run));
  run->first = run->store.n;
  const osvm_status status = osvm_run_leave_out(run, user);
  run->first = 0;
  return status;
}

static void check_leaving_out(const osvm_solver_info *info, const osvm_loss *loss) {
  if (info->solver->leave_out == NULL) return;
  problem p = problem_of(30, 2, 2, OSVM_DOUBLES, &rbf);
  double *value = values_for(&p), outputs[MOST], weight[MOST];
  const stream d = {&p, loss, value, 1e-6, 0, {0}};
  way w = way_of(info, loss, value);
  w.learn = leave_out;
  w.user = outputs;
  outcome o = learn_all(&p, &w);
  CHECK(o.status == OSVM_OK && o.end[0].finished);
  for (int v = 0; v < p.n; v++) {
    test_about("%s, loss %s %g, without %d", info->name, loss->info->name, loss->params[0], v);
    memcpy(weight, p.weight, p.n * sizeof(double));
    weight[v] = 0;
    session *best = optimum(&d, weight);
    CHECK_NEAR(outputs[v], output(&p, best->model.coef, best->model.intercept[0], v), d.slack);
    session_free(best);
  }
  outcome_free(&o);
  free(value);
  problem_free(&p);
}

static void leaving_out_is_smos_solution_without(void) { for_all(check_leaving_out); }

/* ---- degenerate problems, and machines without a bias: the conditions of the optimum ---- */

static void check_conditions(const problem *p, const osvm_loss *loss, const double *value, const outcome *o,
                             int biased) {
  const int has_tube = loss->info == &osvm_loss_epsilon || loss->info == &osvm_loss_squared;
  const double tau = loss->params[0], epsilon = has_tube ? tau : 0, tolerance = 1e-6;
  double sum = 0, want = 0;
  for (int v = 0; v < p->n; v++) {
    const double a = o->model.coef[v], cost = C * p->weight[v];
    const double y = loss->info == &osvm_loss_novelty         ? 0
                     : loss->info == &osvm_loss_squared_hinge ? problem_label(p, 0, v)
                                                              : value[v];
    const double weight = loss->info != &osvm_loss_expectile ? 1 : a > 0 ? tau : 1 - tau;
    double g = y - output(p, o->model.coef, o->model.intercept[0], v), lower = -cost, upper = cost;
    if (loss->info->curvature != NULL) lower = -INFINITY, upper = INFINITY, g -= a / (2 * cost * weight);
    if (loss->info == &osvm_loss_huber) lower = -2 * tau * cost, upper = 2 * tau * cost;
    if (loss->info == &osvm_loss_squared_hinge) *(y > 0 ? &lower : &upper) = 0;
    if (loss->info == &osvm_loss_quantile) lower *= 1 - tau, upper *= tau;
    if (loss->info == &osvm_loss_novelty) lower = 0, upper = p->weight[v], want += tau * p->weight[v];
    CHECK(a >= lower && a <= upper);
    if (a < upper) CHECK(g <= (a < 0 ? -epsilon : epsilon) + tolerance);
    if (a > lower) CHECK(g >= (a > 0 ? epsilon : -epsilon) - tolerance);
    sum += a;
  }
  if (biased || loss->info == &osvm_loss_novelty) CHECK_NEAR(sum, want, 1e-9 * C);
  else CHECK(o->model.intercept[0] == 0);
}

/* Whole numbers: duplicates, ties, equal examples with different targets. A candidate may cycle; the run says so. */
static void check_degenerate(const osvm_solver_info *info, const osvm_loss *loss) {
  for (int t = 0; t < 8; t++) {
    const int whole = t < 6, bias = t % 2;
    problem p = problem_of(50, 2, 2, OSVM_DOUBLES, t % 4 < 2 ? &rbf : &linear);
    double *value = values_for(&p);
    for (int k = 0; k < 2 * p.n && whole; k++) p.m.x[k] = random_below(t < 4 ? 4 : 1);
    for (int v = 0; v < p.n && whole; v++) value[v] = round(2 * value[v]);
    for (int k = 0; k < p.n * p.n; k++)
      p.K[k] = plain_kernel(&p.kernel, &p.data, p.rows[k % p.n], &p.data, p.rows[k / p.n]);
    way w = way_of(info, loss, value);
    argument params[MAX_ARGUMENTS];
    memcpy(params, w.params, w.n_params * sizeof *params);
    params[w.n_params - 1].value = bias;
    w.params = params;
    test_about("%s, loss %s %g, case %d", info->name, loss->info->name, loss->params[0], t);
    outcome o = learn_pieces(&p, &w, (int[]){0, 20, p.n}, whole ? 2 : 1);
    CHECK(o.end[0].finished || whole);
    if (o.end[0].finished && o.model.n_kept == p.n) check_conditions(&p, loss, value, &o, bias || info->solver->finish);
    outcome_free(&o);
    free(value);
    problem_free(&p);
  }
}

static void degenerate_problems(void) { for_all(check_degenerate); }

/* ---- interrupts ---- */

typedef struct {
  stream stream;
  int polls, pieces, stopped; /* left until the interrupt; begun so far; was the first one interrupted? */
} interrupted;

static int stop_first_piece(void *user, double done) {
  interrupted *d = user;
  (void)done;
  return d->pieces == 1 && --d->polls < 0;
}

static osvm_status learn_after_interrupt(osvm_run *run, const int *visits, void *user) {
  interrupted *d = user;
  if (++d->pieces > 1) return learn_and_check(run, visits, &d->stream);
  const osvm_status status = osvm_run_learn(run);
  d->stopped = status == OSVM_INTERRUPTED;
  return status;
}

/* What an interrupt leaves on its way is finished by the next run: the solution is that of what was visited. */
static void check_interrupts(const osvm_solver_info *info, const osvm_loss *loss) {
  if (info->solver->finish != NULL) return; /* whose interrupt leaves visits to the next finish */
  for (int polls = 0; polls < 4; polls++) {
    problem p = problem_of(MOST, 2, 2, OSVM_DOUBLES, &rbf);
    double *value = values_for(&p);
    interrupted d = {{&p, loss, value, 1e-6, 0, {0}}, polls, 0, 0};
    way w = way_of(info, loss, value);
    w.cache = 0;
    w.progress = host_progress(stop_first_piece, &d);
    w.learn = learn_after_interrupt;
    w.user = &d;
    test_about("%s, loss %s %g, poll %d", info->name, loss->info->name, loss->params[0], polls);
    outcome o = learn_pieces(&p, &w, (int[]){0, p.n - 3, p.n}, 2);
    CHECK(d.stopped || polls > 0 || loss->params[0] > 1); /* such a tube is quickly learned */
    outcome_free(&o);
    free(value);
    problem_free(&p);
  }
}

static void the_next_run_goes_on(void) { for_all(check_interrupts); }

void test_dual_losses(void) {
  RUN(every_row_is_smos_solution);
  RUN(every_chunk_is_smos_solution);
  RUN(forgotten_rows_leave_smos_solution);
  RUN(leaving_out_is_smos_solution_without);
  RUN(degenerate_problems);
  RUN(the_next_run_goes_on);
}
