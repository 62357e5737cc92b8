/* Shared by the suites: see test.h. */
#include "test.h"

/* ---- random numbers: a 64-bit linear congruential generator, its high bits ---- */

static uint64_t random_state;

void random_seed(unsigned seed) {
  random_state = seed;
  random_uniform();
}

double random_uniform(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_state >> 11) / 9007199254740992.0;
}

double random_normal(void) {
  const double radius = sqrt(-2 * log(1 - random_uniform()));
  return radius * cos(6.283185307179586 * random_uniform());
}

int random_below(int n) { return (int)(random_uniform() * n); }

void random_order(int *order, int n) {
  for (int i = 0; i < n; i++) {
    const int j = random_below(i + 1);
    order[i] = order[j];
    order[j] = i;
  }
}

/* ---- the host ---- */

static struct {
  int (*poll)(void *user, double done);
  void *user;
  osvm_caller caller;
} host;

static int poll_host(void *user, double done) {
  (void)user;
  CHECK(osvm_thread() == host.caller.thread);
  return host.poll(host.user, done);
}

osvm_progress host_progress(int (*poll)(void *user, double done), void *user) {
  host.poll = poll;
  host.user = user;
  osvm_caller_here(&host.caller);
  return (osvm_progress){poll_host, NULL, &host.caller};
}

/* ---- matrices ---- */

static matrix matrix_make(int n, int d) {
  const size_t size = (size_t)n * d + 1;
  return (matrix){n,
                  d,
                  0,
                  calloc(size, sizeof(double)),
                  calloc(size, sizeof(int)),
                  calloc(d + 1, sizeof(int)),
                  calloc(size, sizeof(int)),
                  calloc(size, sizeof(double))};
}

/* The integer and sparse views of x. */
static void complete(matrix *m) {
  int k = 0;
  for (int j = 0; j < m->d; j++) {
    m->start[j] = k;
    for (int i = 0; i < m->n; i++) {
      const double x = m->x[i + (size_t)j * m->n];
      m->integers[i + (size_t)j * m->n] = (int)x;
      if (x == 0) continue;
      m->row[k] = i;
      m->value[k++] = x;
    }
  }
  m->start[m->d] = m->nonzeros = k;
}

matrix matrix_normal(int n, int d, double density) {
  matrix m = matrix_make(n, d);
  for (int k = 0; k < n * d; k++) m.x[k] = random_uniform() < density ? random_normal() : 0;
  complete(&m);
  return m;
}

matrix matrix_thin(int n, int d, double density) {
  enum { EMPTY = 40 };
  matrix m = matrix_make(n, d + EMPTY);
  for (int k = 0; k < n * d; k++) m.x[k] = random_uniform() < density ? random_normal() : 0;
  complete(&m);
  return m;
}

matrix matrix_whole(int n, int d, double density) {
  matrix m = matrix_make(n, d);
  for (int k = 0; k < n * d; k++) m.x[k] = random_uniform() < density ? round(5 * random_normal()) : 0;
  complete(&m);
  return m;
}

matrix matrix_rows(const matrix *from, const int *rows, int count) {
  matrix m = matrix_make(count, from->d);
  for (int j = 0; j < m.d; j++)
    for (int k = 0; k < count; k++) m.x[k + (size_t)j * count] = from->x[rows[k] + (size_t)j * from->n];
  complete(&m);
  return m;
}

matrix matrix_of(const double *x, int n, int d) {
  matrix m = matrix_make(n, d);
  for (int k = 0; k < n * d; k++) m.x[k] = x[k];
  complete(&m);
  return m;
}

matrix matrix_stack(const matrix *above, const matrix *below) {
  matrix m = matrix_make(above->n + below->n, above->d);
  for (int j = 0; j < m.d; j++)
    for (int i = 0; i < m.n; i++)
      m.x[i + (size_t)j * m.n] =
          i < above->n ? above->x[i + (size_t)j * above->n] : below->x[i - above->n + (size_t)j * below->n];
  complete(&m);
  return m;
}

osvm_data matrix_view(const matrix *m, osvm_data_kind kind) {
  osvm_data data = {.kind = kind, .n = m->n, .d = m->d};
  if (kind == OSVM_DOUBLES) data.x = m->x;
  if (kind == OSVM_INTEGERS) data.integers = m->integers;
  if (kind == OSVM_SPARSE) {
    data.x = m->value;
    data.start = m->start;
    data.row = m->row;
  }
  return data;
}

void matrix_free(matrix *m) {
  free(m->x);
  free(m->integers);
  free(m->start);
  free(m->row);
  free(m->value);
}

double data_value(const osvm_data *data, int i, int j) {
  double x = 0;
  if (data->kind == OSVM_DOUBLES) x = data->x[i + (size_t)j * data->n];
  if (data->kind == OSVM_INTEGERS) x = data->integers[i + (size_t)j * data->n];
  if (data->kind == OSVM_SPARSE)
    for (int k = data->start[j]; k < data->start[j + 1]; k++)
      if (data->row[k] == i) x = data->x[k];
  if (data->centre) x -= data->centre[j];
  return data->scale ? x / data->scale[j] : x;
}

/* ---- values of a table's precision ---- */

int all_tables(const osvm_simd *tables[8]) {
  int count = 0;
  for (int level = OSVM_PLAIN; level <= TEST_LEVEL; level++) {
    const osvm_simd *pair[2] = {osvm_simd_single(level), osvm_simd_double(level)};
    for (int p = 0; p < 2; p++) {
      int known = 0;
      for (int k = 0; k < count; k++) known |= tables[k] == pair[p];
      if (!known) tables[count++] = pair[p];
    }
  }
  return count;
}

double value_get(const osvm_simd *simd, const void *values, size_t k) {
  return simd->size == sizeof(float) ? ((const float *)values)[k] : ((const double *)values)[k];
}

void value_set(const osvm_simd *simd, void *values, size_t k, double x) {
  if (simd->size == sizeof(float)) ((float *)values)[k] = (float)x;
  else ((double *)values)[k] = x;
}

void *values_normal(const osvm_simd *simd, size_t n) {
  void *values = malloc(n * simd->size);
  for (size_t k = 0; k < n; k++) value_set(simd, values, k, random_normal());
  return values;
}

double value_epsilon(const osvm_simd *simd) { return simd->size == sizeof(float) ? 0x1p-23 : 0x1p-52; }

/* ---- kernels ---- */

osvm_kernel all_kernels[N_KERNELS];

static void all_kernels_make(void) {
  static const double by_role[] = {[OSVM_SCALE] = 0.2, [OSVM_DEGREE] = 3, [OSVM_CONSTANT] = 0.7};
  int count;
  const osvm_kernel_info *const *infos = osvm_kernels(&count);
  for (int k = 0; k < N_KERNELS; k++) {
    all_kernels[k].info = infos[k];
    for (int p = 0; p < osvm_kernel_params(infos[k]); p++) all_kernels[k].params[p] = by_role[infos[k]->params[p].role];
  }
}

osvm_loss all_losses[N_LOSSES];

static void all_losses_make(void) {
  static const double by_role[] = {
      [OSVM_MARGIN] = 0.2, [OSVM_THRESHOLD] = 0.4, [OSVM_QUANTILE] = 0.7, [OSVM_ASYMMETRY] = 0.7, [OSVM_SHARE] = 0.3};
  int count;
  const osvm_loss_info *const *infos = osvm_losses(&count);
  for (int l = 0; l < N_LOSSES; l++) {
    all_losses[l].info = infos[l];
    for (int p = 0; p < osvm_loss_params(infos[l]); p++) all_losses[l].params[p] = by_role[infos[l]->params[p].role];
  }
}

void all_tables_make(void) {
  all_kernels_make();
  all_losses_make();
}

double plain_kernel(const osvm_kernel *kernel, const osvm_data *a, int i, const osvm_data *b, int j) {
  double base = 0;
  for (int f = 0; f < a->d; f++) {
    const double x = data_value(a, i, f), z = data_value(b, j, f);
    switch (kernel->info->base) {
    case OSVM_DOTS: base += x * z; break;
    case OSVM_SQUARED_DISTANCES: base += (x - z) * (x - z); break;
    case OSVM_ABSOLUTE_DISTANCES: base += fabs(x - z); break;
    case OSVM_GIVEN: base = kernel->given[(int)x - 1 + ((size_t)z - 1) * kernel->n_given]; break;
    }
  }
  return osvm_kernel_value(kernel, base);
}

/* ---- solvers ---- */

/* Defaults under which small problems converge. Any other parameter: by its role. */
static const argument by_name[] = {{"lambda", 0.1},    {"rate", 0.1},      {"selection", 0},   {"variant", 0},
                                   {"regularized", 0}, {"min_gain", 1e-6}, {"keep", INFINITY}, {"max_iter", 1e6}};

static double by_role(osvm_role role) {
  switch (role) {
  case OSVM_EPOCHS: return 2;
  case OSVM_TOLERANCE: return 1e-3;
  case OSVM_BUDGET: return INFINITY;
  case OSVM_AVERAGE:
  case OSVM_OUTPUTS:
  case OSVM_UNIT_NORM: return 0;
  default: return 1;
  }
}

static double argument_of(const osvm_param *param, const argument *given, int n_given) {
  for (int a = 0; a < n_given; a++)
    if (strcmp(given[a].name, param->name) == 0) return given[a].value;
  for (int a = 0; a < COUNT(by_name); a++)
    if (strcmp(by_name[a].name, param->name) == 0) return by_name[a].value;
  return by_role(param->role);
}

arguments arguments_for(const osvm_solver *solver, const argument *given, int n_given) {
  arguments a = {.count = osvm_solver_params(solver)};
  CHECK(a.count <= MAX_ARGUMENTS);
  for (int k = 0; k < a.count && k < MAX_ARGUMENTS; k++) {
    const osvm_param *param = &solver->params[k];
    a.list[k] = (argument){param->name, a.values[k] = argument_of(param, given, n_given)};
  }
  return a;
}

void arguments_set(arguments *a, const char *name, double value) {
  for (int k = 0; k < a->count; k++)
    if (strcmp(a->list[k].name, name) == 0) a->list[k].value = a->values[k] = value;
}

int solver_takes(const osvm_solver *solver, const osvm_kernel *kernel) {
  return strcmp(solver->space, osvm_kernel_is_linear(kernel) ? "kernel" : "linear") != 0;
}

/* ---- models ---- */

/* Blocks of the size that an export fills, so that AddressSanitizer finds overruns; one more where that may be 0. */
static osvm_model allocate(int size, int machines, int n_columns, int n_scalars) {
  const size_t all = (size_t)size * machines;
  return (osvm_model){.size = size,
                      .machines = machines,
                      .coef = calloc(all + 1, sizeof(double)),
                      .intercept = calloc(machines, sizeof(double)),
                      .target = calloc(all + 1, sizeof(double)), /* a column per machine, or one */
                      .columns = calloc(all * n_columns + 1, sizeof(double)),
                      .scalars = calloc((size_t)machines * n_scalars, sizeof(double)),
                      .kept = calloc((size_t)size + 1, sizeof(int))};
}

osvm_model model_for(const osvm_solver *solver, int size, int machines) {
  double averaged[MAX_ARGUMENTS];
  for (int k = 0; k < MAX_ARGUMENTS; k++) averaged[k] = 1;
  const osvm_state_names names = osvm_solver_state(solver, averaged);
  return allocate(size, machines, names.n_columns, names.n_scalars);
}

static int count_merged(const osvm_run *run) { return run->driver->primal ? 0 : run->store.n - run->end; }

osvm_model model_of(const osvm_run *run) {
  const osvm_state_names names = osvm_solver_state(run->solver, run->params);
  osvm_model model = allocate(osvm_run_size(run), run->machines, names.n_columns, names.n_scalars);
  if (count_merged(run) > 0) model.merged = calloc((size_t)count_merged(run) * run->store.d, sizeof(double));
  return model;
}

matrix model_vectors(const osvm_run *run, const osvm_model *model, const matrix *examples) {
  matrix merged = matrix_of(model->merged, count_merged(run), examples->d), all = matrix_stack(examples, &merged);
  matrix kept = matrix_rows(&all, model->kept, model->n_kept);
  matrix_free(&merged);
  matrix_free(&all);
  return kept;
}

osvm_model model_kept(const osvm_run *run, const osvm_model *model) {
  const osvm_state_names names = osvm_solver_state(run->solver, run->params);
  const int primal = run->driver->primal, machines = model->machines, size = primal ? model->size : model->n_kept;
  osvm_model kept = allocate(size, machines, names.n_columns, names.n_scalars);
  for (int j = 0; j < size; j++) {
    const int from = primal ? j : model->kept[j];
    kept.kept[j] = j;
    kept.target[j] = model->target[from];
    for (int m = 0; m < machines; m++) {
      kept.coef[(size_t)m * size + j] = model->coef[(size_t)m * model->size + from];
      for (int k = 0; k < names.n_columns; k++)
        osvm_model_column(&kept, m, k)[j] = osvm_model_column(model, m, k)[from];
    }
  }
  kept.n_kept = primal ? 0 : size;
  memcpy(kept.intercept, model->intercept, machines * sizeof(double));
  memcpy(kept.scalars, model->scalars, (size_t)machines * names.n_scalars * sizeof(double));
  return kept;
}

void model_free(osvm_model *model) {
  free(model->coef);
  free(model->intercept);
  free(model->target);
  free(model->columns);
  free(model->scalars);
  free(model->merged);
  free(model->kept);
}

/* ---- memory ---- */

memory_counts memory = {.fail_from = -1};

void memory_fail(long from, long to) {
  memory.calls = 0;
  memory.fail_from = from;
  memory.fail_to = to;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

/* Allocations come from several threads: every counter is updated atomically. Tests read them while one thread runs. */
static int refused(size_t bytes) {
  const long call = __atomic_fetch_add(&memory.calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&memory.bytes, bytes, __ATOMIC_RELAXED);
  return memory.fail_from >= 0 && call >= memory.fail_from && call < memory.fail_to;
}

static void count_live(long blocks) { __atomic_fetch_add(&memory.live, blocks, __ATOMIC_RELAXED); }

void *__wrap_malloc(size_t size) {
  if (refused(size)) return NULL;
  count_live(1);
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  if (refused(count * size)) return NULL;
  count_live(1);
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
  if (refused(size)) return NULL;
  count_live(block == NULL);
  return __real_realloc(block, size);
}

void __wrap_free(void *block) {
  count_live(-(block != NULL));
  __real_free(block);
}
