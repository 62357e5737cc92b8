/* What an example is to be, its target, and what a deviation from it costs, the loss. */
#pragma once

#include <math.h>

#include "base.h"

/* ---- targets ---- */

typedef enum { OSVM_CLASSES, OSVM_NUMBERS, OSVM_NO_TARGET } osvm_target_kind;

/* The targets of the new examples, in the order of visits */
typedef struct {
  osvm_target_kind kind;
  const int *class_of;            /* classes: numbers from 0 */
  const int *positive, *negative; /* machine m: class positive[m] against negative[m], or against the rest if < 0 */
  const double *value;            /* numbers: n for all machines, or `each`: n for every machine */
  int each, n;
  const int *fold; /* NULL, or the fold of each example: those of the fold `held_out` have no target */
  int held_out;
} osvm_target;

/* The columns of targets that a model of so many machines keeps, and where that of machine m begins, of n targets each */
static inline int osvm_target_columns(const osvm_target *target, int machines) { return target->each ? machines : 1; }
static inline size_t osvm_target_column(const osvm_target *target, int m, int n) {
  return target->each ? (size_t)m * n : 0;
}

/* Machine m's target of the k-th of them, as models keep it: the class number or the number, or 0; NAN: held out */
static inline double osvm_target_value(const osvm_target *target, int m, int k) {
  if (target->fold != NULL && target->fold[k] == target->held_out) return NAN;
  if (target->kind == OSVM_NUMBERS) return target->value[osvm_target_column(target, m, target->n) + k];
  return target->kind == OSVM_CLASSES ? target->class_of[k] : 0;
}

/* What machine m makes of that: +1 or -1 for classes, else the number. NAN: the example is not part of its subproblem */
static inline double osvm_target_of(const osvm_target *target, int m, double value) {
  if (target->kind != OSVM_CLASSES) return value;
  if (value == target->positive[m]) return 1;
  return value == target->negative[m] || (target->negative[m] < 0 && value >= 0) ? -1 : NAN;
}

/* ---- losses of the target y and the output f ---- */

/* What a parameter of a loss means */
typedef enum {
  OSVM_MARGIN,    /* half the width of a tube without cost */
  OSVM_THRESHOLD, /* the error beyond which the loss is linear */
  OSVM_QUANTILE,
  OSVM_ASYMMETRY, /* the weight of errors upwards, of 1 in all */
  OSVM_SHARE      /* of the examples */
} osvm_loss_role;

typedef struct {
  const char *name;
  osvm_loss_role role;
} osvm_loss_param;

enum { OSVM_LOSS_PARAMS = 2 }; /* at most; lists end with a name of NULL */

/* The value, and minus its derivative in f */
typedef struct {
  double value, slope;
} osvm_loss_point;

/* One example's part of the dual in signed coefficients,
 *   min over a of a'Ka/2 + sum_i (d_i a_i^2 / 2 - p_i a_i + eps |a_i|),   lower_i <= a_i <= upper_i,
 * with sum a_i = s if there is a bias: p, the bounds, and d where a < 0 and where a > 0. Bounds may be infinite if d is not 0 */
typedef struct {
  double linear, lower, upper, diagonal[2];
} osvm_dual_term;

/* Along one coefficient, at a and the gradient g = p - f of the rest of the dual: the loss at f times its cost, the
 * example's term of the duality gap, and the minimum of curvature (x - a)^2 / 2 - g (x - a) + h(x) in x, h the conjugate
 * of that loss at -x */
typedef struct {
  double loss, gap, best;
} osvm_dual_point;

/* A loss is a table, defined in a file of its own and named in loss-list.h. p: values of its parameters. */
typedef struct {
  const char *name, *title, *formula; /* formula: L(y, f) in LaTeX */
  osvm_target_kind target;
  osvm_loss_param params[OSVM_LOSS_PARAMS + 1];
  int unit_slope; /* its slopes are 0, 1 and -1 */
  /* How fast the slope falls in f at most, where steps along it might pass the minimum farther and farther, or for ever;
   * NULL: it changes in jumps, or is soon 0 beyond the minimum */
  double (*curvature)(const double *p);
  /* Where the slope jumps from 0 to another value (y f = 1 for the hinge), it is that one if `closed`, else 0. If f is NAN,
   * so is the value, since divergence must not go unnoticed, and the slope is 0. */
  osvm_loss_point (*at)(const double *p, double y, double f, int closed);
  osvm_dual_term (*term)(const double *p, double y, double cost); /* cost: C times an example's weight. NULL: none */
  double (*tube)(const double *p);                                /* eps of the dual; NULL: 0 */
  /* Of a dual that is not quadratic: the term has the bounds and p, and h is beside it. NULL for others */
  osvm_dual_point (*along)(const osvm_dual_term *term, double a, double gradient, double curvature);
  /* Without a target: the mean of the slopes at the optimum. Such a loss always has a bias, and this number times the bias is
   * part of what is minimised; the dual's s is this share of n, and its cost the weight, without C. NULL for others: s = 0 */
  double (*share)(const double *p);
} osvm_loss_info;

/* Which losses a solver learns, by what it needs of them; a sum of these */
typedef enum {
  OSVM_BY_SLOPE = 1,       /* any */
  OSVM_BY_UNIT_SLOPE = 2,  /* those whose slopes are 0, 1 and -1 */
  OSVM_BY_DUAL = 4,        /* those whose dual is quadratic */
  OSVM_BY_COORDINATE = 8,  /* those with a dual */
  OSVM_WITHOUT_TARGET = 16 /* of these also those with a share */
} osvm_learning;

#define OSVM_LOSS(name) extern const osvm_loss_info osvm_loss_##name;
#include "loss-list.h"
#undef OSVM_LOSS

typedef struct {
  const osvm_loss_info *info;
  double params[OSVM_LOSS_PARAMS];
  const double *each; /* NULL, or the values of the only parameter, one for each of so many machines */
  int machines;
} osvm_loss;

static inline osvm_loss osvm_loss_of_machine(const osvm_loss *loss, int m) {
  osvm_loss own = *loss;
  if (loss->each != NULL) own.params[0] = loss->each[m];
  own.each = NULL;
  return own;
}

const osvm_loss_info *const *osvm_losses(int *count);
int osvm_loss_params(const osvm_loss_info *info); /* their number */
/* values: of its parameters, as it declares them; of a single one of numbers there may be several, one per machine, which
 * are referred to. Fails if there is no such loss, or if one is missing or out of its range. */
osvm_status osvm_loss_read(const char *name, const double *values, int count, osvm_loss *loss, osvm_error *error);

static inline osvm_loss_point osvm_loss_at(const osvm_loss *loss, double y, double f, int closed) {
  return loss->info->at(loss->params, y, f, closed);
}
static inline double osvm_loss_value(const osvm_loss *loss, double y, double f) {
  return osvm_loss_at(loss, y, f, 0).value;
}

/* The same for a step along an example that changes f by so many times the slope. With a curvature
 * it is that of a place that the step does not pass: steps do not overshoot (implicit, as in Kulis & Bartlett 2010). */
static inline osvm_loss_point osvm_loss_for_step(const osvm_loss *loss, double y, double f, int closed, double step) {
  osvm_loss_point point = osvm_loss_at(loss, y, f, closed);
  if (loss->info->curvature != NULL) point.slope /= 1 + step * loss->info->curvature(loss->params);
  return point;
}

/* Whether it has a share of slopes in place of a target */
static inline int osvm_loss_is_of_share(const osvm_loss *loss) { return loss->info->share != NULL; }

/* The slope in the bias, if there is one */
static inline double osvm_loss_bias_slope(const osvm_loss *loss, double slope, int biased) {
  if (osvm_loss_is_of_share(loss)) return slope - loss->info->share(loss->params);
  return biased ? slope : 0;
}

/* ---- duals ---- */

static inline double osvm_loss_cost(const osvm_loss *loss, double C, double weight) {
  return osvm_loss_is_of_share(loss) ? weight : C * weight;
}

static inline osvm_dual_term osvm_loss_term(const osvm_loss *loss, double y, double cost) {
  return loss->info->term(loss->params, y, cost);
}

static inline double osvm_loss_tube(const osvm_loss *loss) {
  return loss->info->tube != NULL ? loss->info->tube(loss->params) : 0;
}

/* The sum of the coefficients, of examples whose weights are n in all */
static inline double osvm_loss_sum(const osvm_loss *loss, double n) {
  return osvm_loss_is_of_share(loss) ? loss->info->share(loss->params) * n : 0;
}

/* The bounds scale with the cost, and d with its inverse. */
static inline void osvm_dual_scale_cost(osvm_dual_term *term, double factor) {
  term->lower *= factor;
  term->upper *= factor;
  term->diagonal[0] /= factor;
  term->diagonal[1] /= factor;
}

/* d of a coefficient that moves upwards, or downwards; at a, what d takes from its gradient */
static inline double osvm_dual_diagonal(const osvm_dual_term *term, double a, int up) {
  return term->diagonal[up ? a >= 0 : a > 0];
}
static inline double osvm_dual_pull(const osvm_dual_term *term, double a) { return term->diagonal[a > 0] * a; }

/* Where a coefficient that moves upwards, or downwards, has to stop: at its bound, or at 0 where the slope jumps or d
 * changes */
static inline double osvm_dual_end(const osvm_dual_term *term, double epsilon, double a, int up) {
  const int passes = up ? a < 0 : a > 0;
  if (passes && (epsilon > 0 || term->diagonal[0] != term->diagonal[1])) return 0;
  return up ? term->upper : term->lower;
}

/* Slopes upwards and downwards minus the gradient of the smooth part; infinite where a is at its bound */
static inline double osvm_slope_up(double a, double upper, double epsilon) {
  return a < upper ? (a < 0 ? epsilon : -epsilon) : -INFINITY;
}
static inline double osvm_slope_low(double a, double lower, double epsilon) {
  return a > lower ? (a > 0 ? -epsilon : epsilon) : INFINITY;
}

/* a, or the breakpoint from which only rounding, up to `rounding`, separates it: whether any coefficient is between its
 * bounds decides the bias, and the last to move has the rounding errors of all others */
static inline double osvm_at_breakpoint(double a, double lower, double upper, double rounding) {
  if (!(a < upper - rounding)) return upper;
  if (!(a > lower + rounding)) return lower;
  return fabs(a) <= rounding ? 0 : a;
}

/* The middle of the biases that the conditions allow, from gmin to gmax or the other way round; the end where there is
 * one, else 0 */
static inline double osvm_middle_bias(double gmax, double gmin) {
  if (isfinite(gmax) && isfinite(gmin)) return (gmax + gmin) / 2;
  return isfinite(gmax) ? gmax : isfinite(gmin) ? gmin : 0;
}
