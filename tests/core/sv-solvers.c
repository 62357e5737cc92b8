#include "sv-solvers.h"

#include <float.h>

/* The model and counts of a finished run; visit: visit number of each example of its store */
static void record_outcome(const osvm_run *run, const osvm_model *model, const int *visit, int n, outcome *o) {
  const osvm_state_names names = osvm_solver_state(run->solver, run->params);
  o->model = model_for(run->solver, n, run->machines);
  o->model.n_kept = model->n_kept;
  for (int k = 0; k < model->n_kept; k++) o->model.kept[k] = visit[model->kept[k]];
  for (int m = 0; m < run->machines; m++) {
    for (int j = 0; j < model->size; j++) {
      o->model.coef[(size_t)m * n + visit[j]] = model->coef[(size_t)m * model->size + j];
      for (int k = 0; k < names.n_columns; k++)
        osvm_model_column(&o->model, m, k)[visit[j]] = osvm_model_column(model, m, k)[j];
    }
    o->end[m] = run->machine[m].convergence;
    o->visits[m] = run->machine[m].visits;
  }
  memcpy(o->model.intercept, model->intercept, run->machines * sizeof(double));
  memcpy(o->model.scalars, model->scalars, (size_t)run->machines * names.n_scalars * sizeof(double));
  memcpy(o->trace, run->driver->trace, run->epochs * sizeof(osvm_epoch));
  o->updates = osvm_run_updates(run);
}

/* From the examples of a run's store to those that its model keeps. The coefficients of the others are negligible. */
static void keep_visits(const osvm_model *model, int *visit) {
  double largest = 0;
  int *old = malloc((model->size + 1) * sizeof(int)), *kept = calloc(model->size + 1, sizeof(int));
  memcpy(old, visit, model->size * sizeof(int));
  for (int k = 0; k < model->n_kept; k++) {
    visit[k] = old[model->kept[k]];
    kept[model->kept[k]] = 1;
  }
  for (int k = 0; k < model->size * model->machines; k++) largest = fmax(largest, fabs(model->coef[k]));
  for (int k = 0; k < model->size * model->machines; k++)
    CHECK(kept[k % model->size] || fabs(model->coef[k]) <= DBL_EPSILON * largest);
  free(old);
  free(kept);
}

outcome learn_pieces(const problem *p, const way *w, const int *cuts, int pieces) {
  outcome o = {0};
  osvm_model old = {0};
  int *visit = calloc((size_t)2 * p->n + 1, sizeof(int)),
      *rows = calloc(p->n + 1, sizeof(int)); /* by index in the store */
  for (int c = 0; c < pieces; c++) {
    session *s = session_with(p, w->solver, w->params, w->n_params, w->doubles);
    arguments_set(&s->arguments, "epochs", w->epochs);
    session_restrict(s, cuts[c], cuts[c + 1]);
    s->task.cache_bytes = w->cache;
    if (w->loss != NULL) session_set_loss(s, w->loss, w->value, cuts[c]);
    s->task.progress = w->progress;
    for (int j = 0; j < old.size; j++) rows[j] = p->rows[visit[j]];
    matrix seen = matrix_rows(&p->m, rows, old.size);
    const osvm_data carried = matrix_view(&seen, p->data.kind);
    s->task.seed = w->seed + c; /* a model keeps the seed of its first run */
    if (c > 0) session_carry(s, &old, &carried);
    for (int j = 0; j < s->task.count; j++) visit[old.size + j] = cuts[c] + j;
    CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_OK);
    o.status = w->learn ? w->learn(&s->run, visit, w->user) : osvm_run_learn(&s->run);
    CHECK(o.status == OSVM_OK || o.status == OSVM_INTERRUPTED);
    s->model = model_of(&s->run);
    CHECK(osvm_run_export(&s->run, &s->model) == OSVM_OK);
    if (c + 1 == pieces) record_outcome(&s->run, &s->model, visit, p->n, &o);
    model_free(&old);
    old = model_kept(&s->run, &s->model);
    keep_visits(&s->model, visit);
    matrix_free(&seen);
    session_free(s);
  }
  model_free(&old);
  free(visit);
  free(rows);
  return o;
}

outcome learn_all(const problem *p, const way *w) { return learn_pieces(p, w, (int[]){0, p->n}, 1); }

void outcome_free(outcome *o) { model_free(&o->model); }

void check_same_models(const osvm_model *got, const osvm_model *want, double tolerance) {
  for (int m = 0; m < want->machines; m++) {
    CHECK_NEAR(got->intercept[m], want->intercept[m], tolerance * (1 + fabs(want->intercept[m])));
    for (int v = 0; v < want->size; v++) {
      const size_t k = (size_t)m * want->size + v;
      CHECK_NEAR(got->coef[k], want->coef[k], tolerance * (1 + fabs(want->coef[k])));
      CHECK((got->coef[k] != 0) == (want->coef[k] != 0));
    }
  }
}

void leave_some_out(problem *p) {
  for (int v = 5; v < p->n; v += 7) p->weight[v] = 0;
}

int stop_later(void *user, double done) {
  CHECK(done >= 0 && done <= 1);
  return --*(int *)user < 0;
}
