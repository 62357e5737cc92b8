/* Loops divided among threads: every index once, and the same numbers for any number of threads. */
#include "sv-solvers.h"

/* ---- the team ---- */

typedef struct {
  osvm_team team;
  int n, grain, parts, rounds;
  int *count;
  long *part_of;
} looping;

static void nested(void *user, int part, int begin, int end) {
  int *sum = user;
  (void)part;
  *sum += end - begin;
}

static void count_indices(void *user, int part, int begin, int end) {
  looping *l = user;
  int sum = 0;
  CHECK(begin % l->grain == 0 && part < l->parts);
  CHECK(osvm_team_parts(&l->team, 1e12) == (l->parts > 1 ? 1 : osvm_team_most_parts(&l->team)));
  if (l->parts > 1) osvm_team_split(&l->team, nested, &sum, 10, 1, 1, NULL); /* within a part: not divided */
  CHECK(l->parts == 1 || sum == 10);
  for (int i = begin; i < end; i++) {
    l->count[i]++;
    l->part_of[i] = part;
  }
}

static void loop(void *user) {
  looping *l = user;
  for (int r = 0; r < l->rounds; r++) osvm_team_split(&l->team, count_indices, l, l->n, l->grain, l->parts, NULL);
}

static void every_index_once(void) {
  for (int threads = 1; threads < 5; threads++)
    for (int parts = 1; parts <= OSVM_PARTS; parts = parts * 3 + 1)
      for (int n = 0; n < 200; n = n * 2 + 3) {
        looping l = {.n = n, .grain = 1 + n % 5, .parts = parts, .rounds = 20};
        l.count = calloc(n + 1, sizeof(int));
        l.part_of = calloc(n + 1, sizeof(long));
        test_about("threads %d, parts %d, n %d", threads, parts, n);
        osvm_team_run(&l.team, threads, loop, &l);
        for (int i = 0; i < n; i++) CHECK(l.count[i] == l.rounds && (i == 0 || l.part_of[i] >= l.part_of[i - 1]));
        CHECK(l.team.threads == 0);
        free(l.count);
        free(l.part_of);
      }
}

static void parts_by_work(void) {
  osvm_team team = {.threads = 0, .work_per_part = 100};
  CHECK(osvm_team_parts(NULL, 1e12) == 1 && osvm_team_parts(&team, 1e12) == 1);
  team.threads = 3;
  CHECK(osvm_team_parts(&team, 199) == 1 && osvm_team_parts(&team, 200) == 2 && osvm_team_parts(&team, 1e12) == 6);
  team.alone = 1; /* threads were late */
  CHECK(osvm_team_parts(&team, 1e12) == 1 && osvm_team_most_parts(&team) == 6);
}

/* ---- steps ---- */

typedef struct {
  osvm_team team;
  const osvm_simd *simd;
  int n, partner;
  void *a, *b;
  osvm_pair_selection pairs;
  osvm_coordinate_selection coordinates;
} stepping;

static void step(void *user) {
  stepping *s = user;
  osvm_pair_step(s->simd, &s->pairs, s->a, s->b, s->n, 0.3, &s->team);
  s->partner = osvm_pair_partner(s->simd, &s->pairs, s->a, s->n, &s->team);
  osvm_coordinate_step(s->simd, &s->coordinates, s->b, s->n, 0.2, &s->team);
}

/* Values are whole numbers, so that many are equal. */
static void *few_values(const osvm_simd *simd, int n, int values, double least) {
  void *out = values_normal(simd, n);
  for (int k = 0; k < n; k++) value_set(simd, out, k, least + random_below(values));
  return out;
}

static double *gradients(int n) {
  double *out = malloc(n * sizeof(double));
  for (int k = 0; k < n; k++) out[k] = random_below(5);
  return out;
}

static stepping stepping_of(const osvm_simd *simd, int n) {
  random_seed(n);
  stepping s = {.simd = simd, .n = n, .a = few_values(simd, n, 3, 0), .b = few_values(simd, n, 3, 0)};
  s.team.work_per_part = 16;
  s.pairs = (osvm_pair_selection){.gradient = gradients(n),
                                  .up = few_values(simd, n, 2, -1),
                                  .low = few_values(simd, n, 2, 0),
                                  .gradient_low = values_normal(simd, n),
                                  .diagonal = few_values(simd, n, 2, 3)};
  s.coordinates = (osvm_coordinate_selection){.gradient = gradients(n),
                                              .down = few_values(simd, n, 2, -2),
                                              .up = few_values(simd, n, 2, 1),
                                              .inverse = few_values(simd, n, 2, 0),
                                              .diagonal = few_values(simd, n, 2, 1)};
  return s;
}

static void stepping_free(stepping *s) {
  void *blocks[] = {s->a,
                    s->b,
                    s->pairs.gradient,
                    s->pairs.up,
                    s->pairs.low,
                    s->pairs.gradient_low,
                    s->pairs.diagonal,
                    s->coordinates.gradient,
                    s->coordinates.down,
                    s->coordinates.up,
                    s->coordinates.inverse,
                    s->coordinates.diagonal};
  for (int k = 0; k < COUNT(blocks); k++) free(blocks[k]);
}

static void check_steps(const osvm_simd *simd, int n) {
  stepping one = stepping_of(simd, n);
  osvm_team_run(&one.team, 1, step, &one);
  for (int threads = 2; threads < 5; threads++) {
    stepping many = stepping_of(simd, n);
    osvm_team_run(&many.team, threads, step, &many);
    CHECK(many.pairs.gmax == one.pairs.gmax && many.pairs.gmin == one.pairs.gmin);
    CHECK(many.pairs.first == one.pairs.first && many.partner == one.partner);
    CHECK(many.coordinates.gain == one.coordinates.gain && many.coordinates.best == one.coordinates.best);
    CHECK(memcmp(many.pairs.gradient, one.pairs.gradient, n * sizeof(double)) == 0);
    CHECK(memcmp(many.coordinates.gradient, one.coordinates.gradient, n * sizeof(double)) == 0);
    stepping_free(&many);
  }
  stepping_free(&one);
}

static void steps_on_threads(void) {
  const osvm_simd *tables[8];
  const int count = all_tables(tables);
  for (int t = 0; t < count; t++)
    for (int panels = 1; panels < 40; panels += 6) check_steps(tables[t], panels * tables[t]->width);
}

/* ---- runs ---- */

static osvm_model learned(const problem *p, const char *name, int threads, double *evaluations) {
  session *s = session_with(p, name, (argument[]){{"epochs", 2}}, 1, 0);
  s->task.threads = threads;
  CHECK(osvm_run_open(&s->run, &s->task, &s->error) == OSVM_OK);
  s->run.driver->team.work_per_part = 16;
  CHECK(osvm_run_learn(&s->run) == OSVM_OK);
  osvm_model model = model_of(&s->run);
  CHECK(osvm_run_export(&s->run, &model) == OSVM_OK);
  *evaluations = osvm_run_evaluations(&s->run);
  session_free(s);
  return model;
}

static void check_threads(const problem *p, const char *name) {
  double evaluations, same;
  osvm_model one = learned(p, name, 1, &evaluations);
  for (int threads = 2; threads < 4; threads++) {
    osvm_model many = learned(p, name, threads, &same);
    CHECK(same == evaluations);
    CHECK(many.n_kept == one.n_kept);
    CHECK(memcmp(many.coef, one.coef, (size_t)one.size * one.machines * sizeof(double)) == 0);
    CHECK(memcmp(many.intercept, one.intercept, one.machines * sizeof(double)) == 0);
    model_free(&many);
  }
  model_free(&one);
}

/* One machine or six, dense and sparse: long loops divided, and machines side by side */
static void runs_on_threads(void) {
  int count;
  const osvm_solver_info *info = osvm_solvers(&count);
  for (int s = 0; s < count; s++)
    for (int sparse = 0; sparse < 2; sparse++)
      for (int classes = 2; classes < 4; classes++) {
        if (!solver_takes(info[s].solver, &rbf)) continue;
        test_about("%s, sparse %d, classes %d, threads", info[s].name, sparse, classes);
        problem p = problem_of(150, sparse ? 12 : 4, classes, sparse ? OSVM_SPARSE : OSVM_DOUBLES, &rbf);
        check_threads(&p, info[s].name);
        problem_free(&p);
      }
}

void test_team(void) {
  RUN(every_index_once);
  RUN(parts_by_work);
  RUN(steps_on_threads);
  RUN(runs_on_threads);
}
