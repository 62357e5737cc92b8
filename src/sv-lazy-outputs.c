#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sv-expansion.h"

osvm_status osvm_lazy_outputs_open(osvm_lazy_outputs *ledger, osvm_engine *engine, int machines, int first, osvm_error *error) {
  memset(ledger, 0, sizeof *ledger);
  ledger->engine = engine;
  ledger->machines = machines;
  ledger->n = engine->store->n;
  ledger->first = ledger->next = first;
  ledger->reach = ledger->visits = ledger->n - first;
  ledger->at = -1;
  ledger->output = calloc((size_t)ledger->n * machines + 1, sizeof(double));
  ledger->change = calloc((size_t)OSVM_QUERIES * machines + 1, sizeof(double));
  return ledger->output != NULL && ledger->change != NULL ? OSVM_OK : osvm_no_memory(error);
}

static void post_range(osvm_lazy_outputs *ledger, int from, int to) {
  if (from >= to || ledger->pending == 0) return;
  const osvm_simd *simd = ledger->engine->store->simd;
  const void *rows[OSVM_QUERIES];
  osvm_engine_rows(ledger->engine, ledger->who, ledger->pending, from, to, rows);
  for (int q = 0; q < ledger->pending; q++) rows[q] = (const char *)rows[q] + (size_t)from * simd->size;
  for (int q = ledger->pending; q < OSVM_QUERIES; q++) rows[q] = rows[0]; /* its change is 0 */
  for (int m = 0; m < ledger->machines; m++) {
    const double *change = ledger->change + (size_t)m * OSVM_QUERIES;
    int any = 0;
    for (int q = 0; q < OSVM_QUERIES; q++) any |= change[q] != 0;
    if (any) simd->combine(rows, to - from, change, ledger->output + (size_t)m * ledger->n + from);
  }
}

/* The visits to come are at the places from `next` to the end and, going round, from `first` on. */
static void post(osvm_lazy_outputs *ledger) {
  const int reach = ledger->reach < ledger->horizon ? ledger->reach : ledger->horizon;
  const int ahead = ledger->n - ledger->next;
  if (reach >= ledger->n - ledger->first) {
    post_range(ledger, ledger->first, ledger->n);
  } else {
    post_range(ledger, ledger->next, ledger->next + (reach < ahead ? reach : ahead));
    if (reach > ahead) post_range(ledger, ledger->first, ledger->first + reach - ahead);
  }
  memset(ledger->change, 0, (size_t)OSVM_QUERIES * ledger->machines * sizeof(double));
  ledger->pending = ledger->known = ledger->spent = ledger->horizon = 0;
}

/* The waiting examples' kernel values with example i, once for all machines. When more has been spent on these than posting
 * costs, the changes have waited long enough; sparse rows gain nothing by being computed together and do not wait. */
double osvm_lazy_outputs_get(osvm_lazy_outputs *ledger, int machine, int i) {
  if (ledger->at != i) {
    if (ledger->spent > ledger->visits || (ledger->engine->store->sparse && ledger->pending > 0)) post(ledger);
    ledger->at = i;
    ledger->known = 0;
  }
  if (ledger->known < ledger->pending) {
    const int fresh = ledger->pending - ledger->known;
    osvm_engine_subset(ledger->engine, i, ledger->who + ledger->known, fresh, ledger->kernel + ledger->known);
    ledger->known = ledger->pending;
    ledger->spent += fresh;
  }
  const double *change = ledger->change + (size_t)machine * OSVM_QUERIES;
  double output = ledger->output[i + (size_t)machine * ledger->n];
  for (int q = 0; q < ledger->known; q++) output += change[q] * ledger->kernel[q];
  return output;
}

void osvm_lazy_outputs_change(osvm_lazy_outputs *ledger, int machine, int i, double change, int horizon) {
  int q = 0;
  while (q < ledger->pending && ledger->who[q] != i) q++;
  if (q == OSVM_QUERIES) {
    post(ledger);
    q = 0;
  }
  if (q == ledger->pending) ledger->who[ledger->pending++] = i;
  ledger->change[q + (size_t)machine * OSVM_QUERIES] += change;
  if (horizon > ledger->horizon) ledger->horizon = horizon;
}

void osvm_lazy_outputs_scale(osvm_lazy_outputs *ledger, int machine, double factor) {
  double *output = ledger->output + (size_t)machine * ledger->n;
  for (int i = 0; i < ledger->n; i++) output[i] *= factor;
  for (int q = 0; q < OSVM_QUERIES; q++) ledger->change[q + (size_t)machine * OSVM_QUERIES] *= factor;
}

void osvm_lazy_outputs_close(osvm_lazy_outputs *ledger) {
  free(ledger->output);
  free(ledger->change);
  memset(ledger, 0, sizeof *ledger);
}
