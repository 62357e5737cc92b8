/* What an example is to be, its target, and what a deviation from it costs, the loss. */
#pragma once

#include <math.h>
#include <stddef.h>

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

/* hinge                max(0, 1 - y f), y = -1 or +1
 * epsilon-insensitive  max(0, |y - f| - epsilon)
 * quantile             tau (y - f) if f < y, else (1 - tau) (f - y)
 * novelty              max(0, -f): one class, without a target; nu bounds the share of examples with f < 0 */
typedef enum { OSVM_HINGE, OSVM_EPSILON, OSVM_QUANTILE, OSVM_NOVELTY, OSVM_LOSSES } osvm_loss_type;

typedef struct {
  osvm_loss_type type;
  double parameter; /* epsilon, tau or nu */
} osvm_loss;

#define OSVM_LEARNS(type) (1 << (type)) /* a sum of these is a set of losses */
#define OSVM_LEARNS_BY_SLOPE (OSVM_LEARNS(OSVM_HINGE) | OSVM_LEARNS(OSVM_EPSILON) | OSVM_LEARNS(OSVM_QUANTILE))
#define OSVM_LEARNS_ALL (OSVM_LEARNS_BY_SLOPE | OSVM_LEARNS(OSVM_NOVELTY))

static inline const char *osvm_loss_name(osvm_loss_type type) {
  static const char *const names[OSVM_LOSSES] = {"hinge", "epsilon", "quantile", "novelty"};
  return names[type];
}

static inline osvm_target_kind osvm_loss_target(osvm_loss_type type) {
  return type == OSVM_HINGE ? OSVM_CLASSES : type == OSVM_NOVELTY ? OSVM_NO_TARGET : OSVM_NUMBERS;
}

/* NAN if f is: divergence must not go unnoticed. */
static inline double osvm_loss_value(const osvm_loss *loss, double y, double f) {
  const double left = y - f;
  switch (loss->type) {
  case OSVM_EPSILON: return fabs(left) <= loss->parameter ? 0 : fabs(left) - loss->parameter;
  case OSVM_QUANTILE: return left * (left > 0 ? loss->parameter : loss->parameter - 1);
  case OSVM_NOVELTY: return f >= 0 ? 0 : -f;
  default: return y * f >= 1 ? 0 : 1 - y * f;
  }
}

/* How far f is beyond where the loss begins: there is none below 0 */
static inline double osvm_loss_excess(const osvm_loss *loss, double y, double f) {
  switch (loss->type) {
  case OSVM_EPSILON: return fabs(y - f) - loss->parameter;
  case OSVM_QUANTILE: return fabs(y - f);
  case OSVM_NOVELTY: return -f;
  default: return 1 - y * f;
  }
}

/* Minus the derivative in f. Where it jumps between 0 and another value (y f = 1 for the hinge): that one if `closed`,
 * else 0. */
static inline double osvm_loss_slope(const osvm_loss *loss, double y, double f, int closed) {
  const double excess = osvm_loss_excess(loss, y, f);
  if (!(excess > 0 || (closed && excess == 0))) return 0;
  switch (loss->type) {
  case OSVM_EPSILON: return y < f ? -1 : 1;
  case OSVM_QUANTILE: return y < f ? loss->parameter - 1 : loss->parameter;
  case OSVM_NOVELTY: return 1;
  default: return y;
  }
}

/* The same in the bias, if there is one. Novelty always has one, b = -rho, and nu b is part of what is minimised: then the
 * slopes have mean nu, which is the share of examples with f < 0. */
static inline double osvm_loss_bias_slope(const osvm_loss *loss, double slope, int biased) {
  if (loss->type == OSVM_NOVELTY) return slope - loss->parameter;
  return biased ? slope : 0;
}

/* ---- duals, in signed coefficients ----
 *   min over a of a'Ka/2 - p'a + eps |a|_1,   lower_i <= a_i <= upper_i,   sum a_i = s if there is a bias
 *                        p   lower, upper             eps      s
 * hinge                  y   0, C  or  -C, 0 by y     0        0
 * epsilon-insensitive    y   -C, C                    epsilon  0
 * quantile               y   -(1 - tau) C, tau C      0        0
 * novelty                0   0, 1                     0        nu n
 * where an example's weight multiplies its bounds, and counts in n: C or 1 times the weight is its cost. */

typedef struct {
  double linear, lower, upper;
} osvm_dual_term;

static inline double osvm_loss_cost(const osvm_loss *loss, double C, double weight) {
  return loss->type == OSVM_NOVELTY ? weight : C * weight;
}

static inline osvm_dual_term osvm_loss_term(const osvm_loss *loss, double y, double cost) {
  const double tau = loss->parameter;
  switch (loss->type) {
  case OSVM_EPSILON: return (osvm_dual_term){y, -cost, cost};
  case OSVM_QUANTILE: return (osvm_dual_term){y, (tau - 1) * cost, tau * cost};
  case OSVM_NOVELTY: return (osvm_dual_term){0, 0, cost};
  default: return (osvm_dual_term){y, y < 0 ? -cost : 0, y > 0 ? cost : 0};
  }
}

static inline double osvm_loss_epsilon(const osvm_loss *loss) {
  return loss->type == OSVM_EPSILON ? loss->parameter : 0;
}

/* Slopes upwards and downwards minus the gradient of the smooth part; infinite where a is at its bound */
static inline double osvm_slope_up(double a, double upper, double epsilon) {
  return a < upper ? (a < 0 ? epsilon : -epsilon) : -INFINITY;
}
static inline double osvm_slope_low(double a, double lower, double epsilon) {
  return a > lower ? (a > 0 ? -epsilon : epsilon) : INFINITY;
}

static inline double osvm_loss_sum(const osvm_loss *loss, double n) {
  return loss->type == OSVM_NOVELTY ? loss->parameter * n : 0;
}
