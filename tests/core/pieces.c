#include "pieces.h"

/* From places in a run's store to other places; -1: nowhere. */
static void move_model(const osvm_model *from, const int *to, int depth, osvm_model *model) {
  for (int j = 0; j < from->size; j++) {
    if (to[j] < 0) continue;
    for (int m = 0; m < from->machines; m++) {
      model->coef[(size_t)m * model->size + to[j]] = from->coef[(size_t)m * from->size + j];
      for (int l = 0; l < depth; l++) *osvm_model_going(model, m, l, to[j]) = *osvm_model_going(from, m, l, j);
    }
  }
}

static void move_tallies(const osvm_model *from, int tallies, osvm_model *model) {
  memcpy(model->intercept, from->intercept, from->machines * sizeof(double));
  memcpy(model->tally, from->tally, (size_t)from->machines * tallies * sizeof(double));
}

outcome learn_pieces(const problem *p, const way *w, const int *cuts, int pieces) {
  outcome o = {0};
  osvm_model old = {0};
  int *visit = calloc((size_t)2 * p->n + 1, sizeof(int)), *rows = calloc(p->n + 1, sizeof(int)); /* by place */
  for (int c = 0; c < pieces; c++) {
    session *s = session_of(p, &(rule){0}, w->epochs, w->doubles);
    for (int j = 0; j < old.size; j++) rows[j] = p->rows[visit[j]];
    matrix seen = matrix_rows(&p->m, rows, old.size);
    const osvm_data carried = matrix_view(&seen, p->data.kind);
    s->task.solver = w->solver;
    s->task.params = w->params;
    s->task.n_params = w->n_params;
    s->task.rows += cuts[c];
    s->task.class_of += cuts[c];
    s->task.weight += cuts[c];
    s->task.count = cuts[c + 1] - cuts[c];
    s->task.seed = w->seed + c; /* a model keeps to the first */
    s->task.cache_bytes = w->cache;
    s->task.progress = w->progress;
    s->task.carried = c > 0 ? &carried : NULL;
    s->task.model = c > 0 ? &old : NULL;
    for (int j = 0; j < s->task.count; j++) visit[old.size + j] = cuts[c] + j;
    CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_OK);
    o.status = w->learn ? w->learn(&s->run, visit, w->user) : osvm_run_learn(&s->run);
    CHECK(o.status == OSVM_OK || o.status == OSVM_INTERRUPTED);
    s->model = model_for(s->run.solver, osvm_run_size(&s->run), p->machines);
    CHECK(osvm_run_export(&s->run, &s->model) == OSVM_OK);

    const osvm_model *model = &s->model;
    const osvm_solver *solver = s->run.solver;
    const int depth = osvm_solver_depth(solver), tallies = osvm_solver_tallies(solver);
    if (c + 1 == pieces) {
      o.model = model_for(solver, p->n, p->machines);
      o.model.n_kept = model->n_kept;
      for (int k = 0; k < model->n_kept; k++) o.model.kept[k] = visit[model->kept[k]];
      move_model(model, visit, depth, &o.model);
      move_tallies(model, tallies, &o.model);
      for (int m = 0; m < p->machines; m++) {
        o.end[m] = s->run.machine[m].convergence;
        o.taken[m] = s->run.machine[m].taken;
        o.updates += s->run.machine[m].updates;
      }
      memcpy(o.trace, s->run.trace, w->epochs * sizeof(osvm_epoch));
    }
    osvm_model next = model_for(solver, model->n_kept, p->machines);
    int *to = malloc((model->size + 1) * sizeof(int)), *kept = malloc((model->n_kept + 1) * sizeof(int));
    for (int j = 0; j < model->size; j++) to[j] = -1;
    for (int k = 0; k < model->n_kept; k++) {
      to[model->kept[k]] = k;
      kept[k] = visit[model->kept[k]];
    }
    for (int j = 0; j < model->size; j++) /* nobody else has anything to take along */
      for (int k = 0; k < p->machines; k++) CHECK(to[j] >= 0 || *osvm_model_going(model, k, 0, j) == 0);
    move_model(model, to, depth, &next);
    move_tallies(model, tallies, &next);
    memcpy(visit, kept, model->n_kept * sizeof(int));
    free(to);
    free(kept);
    model_free(&old);
    old = next;
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
