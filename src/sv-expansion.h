/* A kernel expansion f = sum of a_i k(x_i, .) + bias, and its outputs on the examples to come. */
#pragma once

#include "sv-shared.h"

/* ---- lazy outputs: K a of all machines, for the visits to come ---- */

/* A changed coefficient changes every output, but an output is needed only when its example is visited. So changes are
 * pending until there are OSVM_QUERIES of them and are flushed together; until then an output is its flushed value plus
 * the pending changes times kernel values. */
typedef struct {
  osvm_engine *engine;
  int machines, n, first; /* examples before `first` are never visited */
  double *output;         /* n x machines, as flushed */
  double *change;         /* OSVM_QUERIES x machines: pending changes, and whose they are */
  int example[OSVM_QUERIES], pending;
  int at, known; /* kernel values of the first `known` pending examples with example `at` */
  int spent;     /* such values computed since the last flush */
  double kernel[OSVM_QUERIES];
  int next, reach; /* visits to come are among `reach` examples from `next` on, after the last from `first` ... */
  int visits;      /* ... and number this many: fewer, if examples are held out */
  int horizon;     /* visits after which the pending changes will have decayed to nothing */
} osvm_lazy_outputs;

osvm_status osvm_lazy_outputs_open(osvm_lazy_outputs *lazy, osvm_engine *engine, int machines, int first,
                                   osvm_error *error);
/* Outputs of examples from .. to - 1 by the coefficients (first x machines) of those before `first` */
osvm_status osvm_lazy_outputs_import(osvm_lazy_outputs *lazy, const double *coef, int from, int to, osvm_error *error);
double osvm_lazy_outputs_get(osvm_lazy_outputs *lazy, int machine, int i);
void osvm_lazy_outputs_change(osvm_lazy_outputs *lazy, int machine, int i, double change, int horizon);
void osvm_lazy_outputs_scale(osvm_lazy_outputs *lazy, int machine, double factor);
void osvm_lazy_outputs_close(osvm_lazy_outputs *lazy);

/* ---- bounded expansions: the vectors of all machines within a budget ---- */

/* The vectors are a shared set without free slots. An output is the kernel row of its example times the coefficients by
 * slot; the first change of an example's coefficient makes it a vector of the set. */
typedef struct {
  osvm_shared_sv *shared;
  const int *next; /* the example being visited and those after it, n_next */
  int n_next;
  osvm_status status; /* of the first failure: outputs and changes return none */
  osvm_error *error;
} osvm_bounded;

/* ---- expansion: f = sum of coefficients a_i k(x_i, .) + bias ---- */

typedef enum { OSVM_CACHED, OSVM_LISTED, OSVM_PRIMAL, OSVM_BOUNDED } osvm_output_mode;

typedef struct {
  osvm_output_mode outputs;
  osvm_store *store;
  osvm_engine *engine;     /* OSVM_LISTED */
  osvm_lazy_outputs *lazy; /* OSVM_CACHED, and which of its machines this is */
  int machine;
  osvm_bounded *bounded;      /* OSVM_BOUNDED, else NULL */
  int places, size, averaged; /* places: of coef; size: of weights if primal, else of coef */
  int horizon;                /* visits after which a change made now will have decayed to nothing */
  double scale;               /* a = scale * coef, so that shrinking all of a costs one multiplication */
  double *coef;               /* one per example; OSVM_BOUNDED: per slot */
  double *weights;            /* OSVM_PRIMAL: one per feature; in units of scale ... */
  double norm;                /* ... and their squared norm */
  double product;             /* <weights, example product_of>, from the latest output; product_of -1: out of date */
  int product_of;
  double bias;
  /* For averages, the sum of a over all steps: average_base + scale_sum * coef - average_correction (primal: weights).
   * late: step t counts t times */
  int late;
  double steps, scale_sum, bias_sum; /* steps: over all updates of the model */
  double *average_base, *average_correction;
} osvm_expansion;

/* slots: 0, or room for so many vectors of a bounded expansion */
osvm_status osvm_expansion_open(osvm_expansion *e, osvm_output_mode outputs, osvm_store *store, int slots, int averaged,
                                osvm_error *error);
double osvm_expansion_output(osvm_expansion *e, int i);
static inline double osvm_expansion_coef(const osvm_expansion *e, int i) {
  const int place = e->bounded != NULL ? e->bounded->shared->slot[i] : i;
  return place < 0 ? 0 : e->scale * e->coef[place];
}
void osvm_expansion_add(osvm_expansion *e, int i, double change); /* a_i += change */
void osvm_expansion_shrink(osvm_expansion *e, double factor);     /* a *= factor */
/* a_i, and with `bias` the bias */
static inline void osvm_expansion_push(osvm_expansion *e, int i, double change, int bias) {
  osvm_expansion_add(e, i, change);
  if (bias) e->bias += change;
}
void osvm_expansion_step(osvm_expansion *e); /* the end of a step: a enters the averages */
/* Of a bounded expansion, by slot: what vector `from` contributes, now and to averages, is added to `to` with this factor,
 * after what that one contributes has been multiplied by `keep` */
void osvm_expansion_fold(osvm_expansion *e, int from, double factor, int to, double keep);
void osvm_expansion_drop(osvm_expansion *e, int slot, int last); /* vector `last` takes its slot */
/* The number of steps, and the intercept with its sum over them, which come before the coefficients */
void osvm_expansion_import_bias(osvm_expansion *e, double steps, double bias, double sum);
double osvm_expansion_bias_sum(const osvm_expansion *e);
/* Coefficients (primal: weights) as they stand, and their sums over all steps if averaged; the first `count` of them.
 * Lazy outputs are not touched. Those exported are by example; of a bounded expansion, only those of its vectors. */
void osvm_expansion_import(osvm_expansion *e, const double *coef, const double *sums, int count);
void osvm_expansion_export(const osvm_expansion *e, double *coef, double *sums);
/* What predictions use: coefficients, averaged if asked; returns the intercept */
double osvm_expansion_result(const osvm_expansion *e, double *coef);
void osvm_expansion_close(osvm_expansion *e);
