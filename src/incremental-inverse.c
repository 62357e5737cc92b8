/* See incremental-inverse.h. */
#include "incremental-inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double osvm_inverse_dependent = 1e-14;
static const double EXACT = 4e-16, INEXACT = 1e-13; /* of rest, relative to its terms: refined enough; M is no good */

static double *line(const osvm_inverse *s, double *matrix, int i) { return matrix + (size_t)i * (s->room + 1); }

static osvm_status widen(const osvm_inverse *s, double **matrix, int room, osvm_error *error) {
  double *wider = calloc((size_t)(room + 1) * (room + 1), sizeof(double));
  if (wider == NULL) return osvm_no_memory(error);
  for (int i = 0; i <= s->size && *matrix != NULL; i++)
    memcpy(wider + (size_t)i * (room + 1), line(s, *matrix, i), (s->size + 1) * sizeof(double));
  free(*matrix);
  *matrix = wider;
  return OSVM_OK;
}

osvm_status osvm_inverse_reserve(osvm_inverse *s, osvm_error *error) {
  if (s->size < s->room) return OSVM_OK;
  const int room = 2 * s->room + 16;
  osvm_status status = osvm_resize(&s->who, room, sizeof(int), error);
  if (status == OSVM_OK) status = osvm_resize(&s->beta, room + 1, sizeof(double), error);
  if (status == OSVM_OK) status = osvm_resize(&s->kernel, room + 1, sizeof(double), error);
  if (status == OSVM_OK) status = osvm_resize(&s->rest, room + 1, sizeof(double), error);
  if (status == OSVM_OK) status = widen(s, &s->matrix, room, error);
  if (status == OSVM_OK) status = widen(s, &s->inverse, room, error);
  if (status == OSVM_OK) s->room = room;
  return status;
}

osvm_status osvm_inverse_open(osvm_inverse *s, const osvm_simd *simd, int biased, osvm_error *error) {
  memset(s, 0, sizeof *s);
  s->simd = simd;
  s->biased = biased;
  return osvm_inverse_reserve(s, error);
}

/* Refined until what is left is rounding. */
void osvm_inverse_solve(osvm_inverse *s) {
  const int n = s->size + 1;
  double before = INFINITY, worst;
  for (int i = 0; i < n; i++) s->beta[i] = -s->simd->weigh(line(s, s->inverse, i), n, s->kernel);
  for (int try = 0;; try++) {
    double size = 1;
    for (int j = 1; j < n; j++) size += fabs(s->beta[j]);
    s->noise = s->scale * size + fabs(s->beta[0]);
    worst = 0;
    for (int i = 0; i < n; i++) {
      s->rest[i] = s->kernel[i] + s->simd->weigh(line(s, s->matrix, i), n, s->beta);
      worst = fmax(worst, fabs(s->rest[i]) / (i == 0 ? size : s->noise));
    }
    if (!(worst > EXACT) || !(worst < before / 2) || try == 4) break;
    before = worst;
    for (int i = 0; i < n; i++) s->beta[i] -= s->simd->weigh(line(s, s->inverse, i), n, s->rest);
  }
  s->accurate = worst <= INEXACT;
}

/* own is exact to second order in beta: (1, beta) A_c (1, beta)'. */
void osvm_inverse_solve_for(osvm_inverse *s, const double *row, int c) {
  s->kernel[0] = s->biased;
  for (int j = 0; j < s->size; j++) {
    s->kernel[j + 1] = row[s->who[j]];
    s->scale = fmax(s->scale, fabs(s->kernel[j + 1]));
  }
  osvm_inverse_solve(s);
  s->own = row[c];
  for (int i = 0; i <= s->size; i++) s->own += s->beta[i] * (s->kernel[i] + s->rest[i]);
  s->dependent = (!s->accurate || !(s->own > osvm_inverse_dependent * s->noise)) && !osvm_inverse_is_empty(s);
}

/* The first with a bias: (0 1; 1 k)^-1 = (-k 1; 1 0). */
void osvm_inverse_expand(osvm_inverse *s, int who, double self) {
  const int next = s->size + 1;
  double *last = line(s, s->inverse, next);
  memcpy(line(s, s->matrix, next), s->kernel, next * sizeof(double));
  for (int i = 0; i < next; i++) line(s, s->matrix, i)[next] = s->kernel[i];
  line(s, s->matrix, next)[next] = self;
  if (osvm_inverse_is_empty(s)) {
    line(s, s->inverse, 0)[0] = -self;
    line(s, s->inverse, 0)[1] = last[0] = 1;
    last[1] = 0;
  } else {
    for (int i = 0; i < next; i++) {
      s->simd->add(s->beta, next, s->beta[i] / s->own, line(s, s->inverse, i));
      line(s, s->inverse, i)[next] = last[i] = s->beta[i] / s->own;
    }
    last[next] = 1 / s->own;
  }
  s->who[s->size++] = who;
}

void osvm_inverse_clear(osvm_inverse *s) {
  const size_t all = (size_t)(s->room + 1) * (s->room + 1) * sizeof(double);
  s->size = 0;
  memset(s->inverse, 0, all);
  memset(s->matrix, 0, all);
}

static void move_line(const osvm_inverse *s, double *matrix, int from, int to) {
  for (int i = 0; i <= from; i++) line(s, matrix, i)[to] = line(s, matrix, i)[from];
  memmove(line(s, matrix, to), line(s, matrix, from), from * sizeof(double));
}

void osvm_inverse_shrink(osvm_inverse *s, int k) {
  const int gone = k + 1, last = s->size;
  if (s->size == 1) {
    osvm_inverse_clear(s);
    return;
  }
  double *out = line(s, s->inverse, gone);
  const double pivot = out[gone];
  for (int i = 0; i <= last && pivot != 0; i++) {
    double *here = line(s, s->inverse, i);
    if (i != gone) s->simd->add(out, last + 1, -here[gone] / pivot, here);
  }
  move_line(s, s->inverse, last, gone);
  move_line(s, s->matrix, last, gone);
  s->who[k] = s->who[last - 1];
  s->size--;
}

void osvm_inverse_close(osvm_inverse *s) {
  free(s->who);
  free(s->matrix);
  free(s->inverse);
  free(s->beta);
  free(s->kernel);
  free(s->rest);
  memset(s, 0, sizeof *s);
}
