/* LASVM: online SMO over a growing and shrinking set S of support vectors.
 *
 * Problem   the dual with bias, in signed coefficients, sum a_i = 0 (smo-dual.h), of a loss whose dual is quadratic: pairs
 *           take their steps in closed form
 * Rule      g_i = p_i - sum_j a_j k_ij - d_i a_i; gmax the largest slope upwards in S and I_up, gmin the smallest downwards in S and
 *           I_low; for classes, slopes are gradients:
 *           PROCESS(i)  for i outside S: with g_i, the pair (i, argmin) or (argmax, i); for classes y_i says which, else
 *                       the violation. If it is tolerance-violating, i enters S and the pair takes SMO's step
 *           REPROCESS   the pair (argmax, argmin), if violating, takes a step. Then those with a = 0 leave S which no
 *                       violating pair can contain: slope upwards <= gmin, downwards >= gmax. bias = (gmax + gmin) / 2
 *           A visit is a PROCESS and a REPROCESS; `finish` repeats REPROCESS until gmax - gmin <= tolerance, first within
 *           S, then over all examples (solver-lasvm-finish.c).
 * State     coefficient, gradient and cost of S, and what the selection of pairs reads (simd.h)
 * Cost      a visit: a kernel row over S, and one or two rows of S for an example that enters; selection: up to 50 times
 *           that
 * Paper     Bordes, Ertekin, Weston & Bottou (2005), sections 3.2 (PROCESS, REPROCESS), 3.3 (finishing), 4 (selection)
 * Departs   an example that does not violate does not enter S (the paper lets REPROCESS remove it again); finishing takes
 *           second-order pairs (Fan, Chen & Lin 2005). An example's weight multiplies its C. The first five examples
 *           enter while there is no pair. Numbers: an example that may move both ways stays in S while it has gmax or
 *           gmin, on which the bias depends. */
#include "solver-lasvm.h"

#include <math.h>

static const osvm_param declared[] = {{"C", OSVM_BOUND},
                                      {"epochs", OSVM_EPOCHS},
                                      {"selection", OSVM_RULE},
                                      {"finish", OSVM_RULE},
                                      {"tolerance", OSVM_TOLERANCE},
                                      {"shuffle", OSVM_SHUFFLE},
                                      {0}};

static const osvm_column columns[OSVM_LASVM_COLUMNS] = {OSVM_SV_DUAL_COLUMNS,
                                                        {.real = 1, .idle = -INFINITY},
                                                        {.real = 1, .idle = INFINITY},
                                                        {.real = 1, .idle = INFINITY},
                                                        {.real = 1, .idle = 1}};

enum { FIRST_EXAMPLES = 5 };
static const double TAU = 1e-12; /* curvature where k is not positive definite, as in LIBSVM */
/* A full step makes both gradients of the pair equal up to rounding, and rounding would select the next pair: a step
 * 1e-6 short keeps their order. A coefficient within 1e-12 of its bound is set to it. So a stream in chunks gives the
 * model of one pass. */
static const double SHORT = 1 - 1e-6, NEGLIGIBLE = 1e-12;

static const osvm_lasvm_params *params_of(const osvm_lasvm *s) { return (const osvm_lasvm_params *)s->run->params; }
static double lower(const osvm_lasvm *s, int k) { return osvm_lasvm_column(s, OSVM_SV_LOWER)[k]; }
static double upper(const osvm_lasvm *s, int k) { return osvm_lasvm_column(s, OSVM_SV_UPPER)[k]; }

static double get_real(const osvm_lasvm *s, const void *row, int slot) {
  return osvm_real(s->run->store.simd, row, slot);
}

static void set_real(const osvm_lasvm *s, int column, int slot, double x) {
  osvm_set_real(s->run->store.simd, s->sv_set->column[column], slot, x);
}

static double offset_up(const osvm_lasvm *s, int k) {
  return osvm_slope_up(osvm_lasvm_column(s, OSVM_SV_COEF)[k], upper(s, k), s->epsilon);
}

static double offset_low(const osvm_lasvm *s, int k) {
  return osvm_slope_low(osvm_lasvm_column(s, OSVM_SV_COEF)[k], lower(s, k), s->epsilon);
}

static double slope_up(const osvm_lasvm *s, int k) {
  return osvm_lasvm_column(s, OSVM_SV_GRADIENT)[k] + offset_up(s, k);
}

double osvm_lasvm_slope_low(const osvm_lasvm *s, int k) {
  return osvm_lasvm_column(s, OSVM_SV_GRADIENT)[k] + offset_low(s, k);
}

/* As in smo-dual.c: the diagonal is that of a step downwards. */
static void mark_diagonal(const osvm_lasvm *s, int k, const osvm_dual_term *term) {
  const osvm_run *run = s->run;
  const double self = osvm_kernel_self(&run->kernel, &run->store, osvm_sv_set_example(s->sv_set, k));
  set_real(s, OSVM_LASVM_DIAGONAL, k, self + osvm_dual_diagonal(term, osvm_lasvm_column(s, OSVM_SV_COEF)[k], 0));
}

void osvm_lasvm_mark(const osvm_lasvm *s, int k) {
  const osvm_dual_term term = osvm_dual_sv_term(s->sv_set, k);
  set_real(s, OSVM_LASVM_UP, k, offset_up(s, k));
  set_real(s, OSVM_LASVM_LOW, k, offset_low(s, k));
  if (term.diagonal[0] != term.diagonal[1]) mark_diagonal(s, k, &term);
}

/* The set's columns move when it grows. */
static void update_pointers(osvm_lasvm *s) {
  void **column = s->sv_set->column;
  s->selection.gradient = column[OSVM_SV_GRADIENT];
  s->selection.up = column[OSVM_LASVM_UP];
  s->selection.low = column[OSVM_LASVM_LOW];
  s->selection.gradient_low = column[OSVM_LASVM_GRADIENT_LOW];
  s->selection.diagonal = column[OSVM_LASVM_DIAGONAL];
}

/* A zero step: the kernel rows are not used, any finite values do. */
void osvm_lasvm_refresh_selection(osvm_lasvm *s) {
  const void *any = s->sv_set->column[OSVM_LASVM_DIAGONAL];
  osvm_pair_step(s->run->store.simd, &s->selection, any, any, osvm_sv_set_padded(s->sv_set), 0,
                 s->machine->context.team);
}

static int has_pair(const osvm_lasvm *s) { return isfinite(s->selection.gmax) && isfinite(s->selection.gmin); }

double osvm_lasvm_bias(const osvm_lasvm *s) { return has_pair(s) ? (s->selection.gmax + s->selection.gmin) / 2 : 0; }

double osvm_lasvm_gap(const osvm_lasvm *s) { return has_pair(s) ? s->selection.gmax - s->selection.gmin : 0; }

int osvm_lasvm_first_order_partner(const osvm_lasvm *s) {
  const double *g = osvm_lasvm_column(s, OSVM_SV_GRADIENT);
  for (int k = 0; k < s->sv_set->n; k++)
    if ((s->epsilon > 0 || g[k] == s->selection.gmin) && osvm_lasvm_slope_low(s, k) == s->selection.gmin) return k;
  return -1;
}

/* ---- steps ---- */

osvm_status osvm_lasvm_step(osvm_lasvm *s, int up, int low) {
  const void *row, *other;
  OSVM_TRY(osvm_sv_set_row(s->sv_set, up, &row, s->machine->context.error));
  OSVM_TRY(osvm_sv_set_row(s->sv_set, low, &other, s->machine->context.error));
  const double *cost = osvm_lasvm_column(s, OSVM_SV_COST), slopes = slope_up(s, up) - osvm_lasvm_slope_low(s, low);
  const osvm_dual_term rising = osvm_dual_sv_term(s->sv_set, up), falling = osvm_dual_sv_term(s->sv_set, low);
  double *a = osvm_lasvm_column(s, OSVM_SV_COEF), *g = osvm_lasvm_column(s, OSVM_SV_GRADIENT);
  const double d_up = osvm_dual_diagonal(&rising, a[up], 1), d_low = osvm_dual_diagonal(&falling, a[low], 0);
  const double self = get_real(s, s->selection.diagonal, up) + (d_up - osvm_dual_diagonal(&rising, a[up], 0));
  const double curvature = self + get_real(s, s->selection.diagonal, low) - 2 * get_real(s, row, low);
  double t = slopes / (curvature > 0 ? curvature : TAU);
  if (!isfinite(curvature) || !isfinite(t)) return osvm_kernel_overflow(s->machine->context.error);
  const double end_up = osvm_dual_end(&rising, s->epsilon, a[up], 1);
  const double end_low = osvm_dual_end(&falling, s->epsilon, a[low], 0);
  const double most_up = end_up - a[up], most_down = a[low] - end_low;
  s->zeros -= (a[up] == 0) + (a[low] == 0);
  t = fmin(t * SHORT, fmin(most_up, most_down));
  a[up] = most_up - t <= NEGLIGIBLE * cost[up] ? end_up : a[up] + t;
  a[low] = most_down - t <= NEGLIGIBLE * cost[low] ? end_low : a[low] - t;
  s->zeros += (a[up] == 0) + (a[low] == 0);
  g[up] -= d_up * t;
  g[low] += d_low * t;
  osvm_lasvm_mark(s, up);
  osvm_lasvm_mark(s, low);
  s->machine->updates += t != 0;
  osvm_pair_step(s->run->store.simd, &s->selection, row, other, osvm_sv_set_padded(s->sv_set), t,
                 s->machine->context.team);
  s->machine->context.work += 4.0 * s->sv_set->n;
  return OSVM_OK;
}

/* The columns that follow from coefficient and bounds. */
static void derive_columns(osvm_lasvm *s, int slot) {
  const osvm_dual_term term = osvm_dual_sv_term(s->sv_set, slot);
  mark_diagonal(s, slot, &term);
  s->zeros += osvm_lasvm_column(s, OSVM_SV_COEF)[slot] == 0;
  osvm_lasvm_mark(s, slot);
}

osvm_status osvm_lasvm_enter(osvm_lasvm *s, const osvm_example *x, double gradient, int *slot) {
  OSVM_TRY(osvm_sv_set_insert(s->sv_set, x->i, slot, s->machine->context.error));
  osvm_dual_sv_init(s->sv_set, *slot, &s->machine->objective, x->y, params_of(s)->C * x->weight, gradient);
  update_pointers(s);
  derive_columns(s, *slot);
  return OSVM_OK;
}

osvm_status osvm_lasvm_slopes(osvm_lasvm *s, const osvm_example *x, double *gradient, double *up, double *low) {
  const osvm_run *run = s->run;
  const osvm_dual_term term = osvm_loss_term(&s->machine->objective, x->y, params_of(s)->C * x->weight);
  const void *row;
  OSVM_TRY(osvm_sv_set_candidate_row(s->sv_set, run->upcoming, run->n_upcoming, &row, s->machine->context.error));
  *gradient = term.linear - run->store.simd->weigh(row, s->sv_set->n, osvm_lasvm_column(s, OSVM_SV_COEF));
  *up = *gradient + osvm_slope_up(0, term.upper, s->epsilon);
  *low = *gradient + osvm_slope_low(0, term.lower, s->epsilon);
  return OSVM_OK;
}

static osvm_status process(osvm_lasvm *s, const osvm_example *x) {
  double gradient, up, low;
  OSVM_TRY(osvm_lasvm_slopes(s, x, &gradient, &up, &low));
  const double gain_up = up - s->selection.gmin, gain_low = s->selection.gmax - low;
  const int rises = gain_up > gain_low, has_partner = !isfinite(gradient) || isfinite(fmax(gain_up, gain_low));
  const int violates = fmax(gain_up, gain_low) > params_of(s)->tolerance;
  const double output = x->y - gradient + osvm_lasvm_bias(s);
  osvm_machine_count(s->machine, osvm_loss_value(&s->machine->objective, x->y, output), violates, 0);
  if (!violates && (has_partner || s->sv_set->count >= FIRST_EXAMPLES)) return OSVM_OK;
  const int partner = !violates ? -1 : rises ? osvm_lasvm_first_order_partner(s) : s->selection.first;
  int slot;
  OSVM_TRY(osvm_lasvm_enter(s, x, gradient, &slot));
  if (partner >= 0) return rises ? osvm_lasvm_step(s, slot, partner) : osvm_lasvm_step(s, partner, slot);
  osvm_lasvm_refresh_selection(s);
  return OSVM_OK;
}

void osvm_lasvm_evict(osvm_lasvm *s, int all) {
  const double *a = osvm_lasvm_column(s, OSVM_SV_COEF);
  const double gmax = s->selection.gmax, gmin = s->selection.gmin;
  int stale = 0;
  if (s->zeros == 0 || !has_pair(s)) return;
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0 || a[k] != 0) continue;
    const double up = slope_up(s, k), low = osvm_lasvm_slope_low(s, k);
    const int extreme = up >= gmax || low <= gmin;
    if ((!all && (up > gmin || low < gmax)) || (extreme && isfinite(up) && isfinite(low))) continue;
    stale |= extreme;
    osvm_sv_set_remove(s->sv_set, k);
    s->zeros--;
  }
  if (stale) osvm_lasvm_refresh_selection(s);
}

static osvm_status reprocess(osvm_lasvm *s) {
  if (osvm_lasvm_gap(s) > params_of(s)->tolerance)
    OSVM_TRY(osvm_lasvm_step(s, s->selection.first, osvm_lasvm_first_order_partner(s)));
  osvm_lasvm_evict(s, 0);
  return OSVM_OK;
}

static osvm_status learn(osvm_run *run, osvm_machine *machine, const osvm_example *x) {
  osvm_lasvm *s = machine->state;
  (void)run;
  if (!(x->weight > 0)) return OSVM_OK;
  if (osvm_sv_set_slot(s->sv_set, x->i) < 0) OSVM_TRY(process(s, x));
  OSVM_TRY(reprocess(s));
  machine->expansion.steps += 1;
  machine->context.work += 2.0 * s->sv_set->n;
  return OSVM_OK;
}

/* ---- state ---- */

static osvm_status open(osvm_run *run, osvm_machine *machine) {
  osvm_lasvm *s = machine->state;
  s->run = run;
  s->machine = machine;
  s->sv_set = machine->sv_set;
  s->epsilon = osvm_dual_epsilon(run);
  s->up.slope = s->low.slope = NAN;
  update_pointers(s);
  osvm_lasvm_refresh_selection(s);
  return OSVM_OK;
}

static osvm_status restore(osvm_run *run, osvm_machine *machine) {
  osvm_lasvm *s = machine->state;
  update_pointers(s);
  for (int k = 0; k < s->sv_set->n; k++) {
    if (s->sv_set->shared_slot[k] < 0) continue;
    osvm_dual_sv_derive(s->sv_set, k, &machine->objective,
                        osvm_run_target(run, machine->index, osvm_sv_set_example(s->sv_set, k)));
    derive_columns(s, k);
  }
  osvm_lasvm_refresh_selection(s);
  return OSVM_OK;
}

static void result(const osvm_run *run, osvm_machine *machine, double *coef, double *intercept) {
  const osvm_lasvm *s = machine->state;
  const osvm_lasvm_params *p = (const osvm_lasvm_params *)run->params;
  const double *a = osvm_lasvm_column(s, OSVM_SV_COEF), *g = osvm_lasvm_column(s, OSVM_SV_GRADIENT);
  double objective = 0;
  for (int k = 0; k < s->sv_set->n; k++)
    if (s->sv_set->shared_slot[k] >= 0)
      objective -= a[k] * (g[k] + osvm_lasvm_column(s, OSVM_SV_LINEAR)[k]) / 2 - s->epsilon * fabs(a[k]);
  osvm_dual_sv_result(s->sv_set, coef);
  *intercept = machine->expansion.bias = osvm_lasvm_bias(s);
  /* Without a finish the gap over all examples is unknown; after an interrupt it is at least that of S. */
  const double all = s->up.slope - s->low.slope,
               gap = p->finish == 0 ? NAN : fmax(0, isnan(all) ? osvm_lasvm_gap(s) : all);
  const double finished = p->finish == 0 ? NAN : !isnan(all) && gap <= p->tolerance;
  machine->convergence =
      (osvm_convergence){machine->expansion.steps, gap, objective, finished, finished == 0 && s->stalled};
}

static osvm_status output(osvm_run *run, osvm_machine *machine, double *f) {
  const osvm_lasvm *s = machine->state;
  OSVM_TRY(osvm_dual_sv_output(s->sv_set, run->upcoming, run->n_upcoming, f, machine->context.error));
  *f += osvm_lasvm_bias(s);
  return OSVM_OK;
}

static int in_order(const double *values) {
  return ((const osvm_lasvm_params *)values)->selection == OSVM_SELECT_RANDOM;
}

static int nested(const double *values) { return ((const osvm_lasvm_params *)values)->finish == 0; }

static int optimal(const double *values) { return !nested(values); }

/* Finished, the optimum is that of the weights. Without a finish a stream must not depend on its chunks. */
static osvm_repeats repeats(const double *values) {
  return optimal(values) ? OSVM_REPEATS_WEIGHED : OSVM_REPEATS_APART;
}

const osvm_solver osvm_solver_lasvm = {.title = "LASVM",
                                       .summary = "online SMO by PROCESS and REPROCESS steps, one pass and a finish",
                                       .paper = "Bordes, Ertekin, Weston & Bottou (2005)",
                                       .space = "both",
                                       .params = declared,
                                       .dual = 1,
                                       .losses = OSVM_BY_DUAL,
                                       .state_size = sizeof(osvm_lasvm),
                                       .columns = columns,
                                       .n_columns = OSVM_LASVM_COLUMNS,
                                       .repeats = repeats,
                                       .optimal = optimal,
                                       .open = open,
                                       .restore = restore,
                                       .learn = learn,
                                       .epoch = osvm_lasvm_epoch,
                                       .finish = osvm_lasvm_finish,
                                       .nested = nested,
                                       .in_order = in_order,
                                       .output = output,
                                       .result = result};
