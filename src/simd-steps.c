/* Steps of working-set methods, divided among threads: each range has a selection of its own, and these are compared in
 * the order of ranges, so that the result does not depend on their number. */
#include "simd.h"

static const double WORK_PER_VALUE = 16; /* of a step, in multiplications: it is bound by memory */

typedef struct {
  const osvm_simd *simd;
  osvm_pair_selection *selection; /* of each part; of pair_partner the one of all */
  const void *a, *b;
  double change, gain[OSVM_PARTS];
  int found[OSVM_PARTS];
} pairs;

static void step_range(void *user, int part, int begin, int end) {
  const pairs *p = user;
  p->simd->pair_step(&p->selection[part], p->a, p->b, begin, end, p->change);
}

void osvm_pair_step(const osvm_simd *simd, osvm_pair_selection *selection, const void *a, const void *b, int n,
                    double change, osvm_team *team) {
  const int parts = osvm_team_parts(team, WORK_PER_VALUE * n);
  if (parts == 1) {
    simd->pair_step(selection, a, b, 0, n, change);
    return;
  }
  osvm_pair_selection part[OSVM_PARTS];
  for (int k = 0; k < parts; k++) part[k] = *selection;
  pairs p = {.simd = simd, .selection = part, .a = a, .b = b, .change = change};
  osvm_team_split(team, step_range, &p, n, simd->width, parts, NULL);
  *selection = part[0];
  for (int k = 1; k < parts; k++) {
    if (part[k].gmin < selection->gmin) selection->gmin = part[k].gmin;
    if (!(part[k].gmax > selection->gmax)) continue;
    selection->gmax = part[k].gmax;
    selection->first = part[k].first;
  }
}

static void search_range(void *user, int part, int begin, int end) {
  pairs *p = user;
  p->found[part] = p->simd->pair_partner(p->selection, p->a, begin, end, &p->gain[part]);
}

int osvm_pair_partner(const osvm_simd *simd, const osvm_pair_selection *selection, const void *row, int n,
                      osvm_team *team) {
  const int parts = osvm_team_parts(team, WORK_PER_VALUE * n);
  pairs p = {.simd = simd, .selection = (osvm_pair_selection *)selection, .a = row};
  osvm_team_split(team, search_range, &p, n, simd->width, parts, NULL);
  int best = 0;
  for (int k = 1; k < parts; k++)
    if (p.gain[k] > p.gain[best]) best = k;
  return p.found[best];
}

typedef struct {
  const osvm_simd *simd;
  osvm_coordinate_selection *selection; /* of each part */
  const void *row;
  double change;
} coordinates;

static void descend_range(void *user, int part, int begin, int end) {
  const coordinates *c = user;
  c->simd->coordinate_step(&c->selection[part], c->row, begin, end, c->change);
}

void osvm_coordinate_step(const osvm_simd *simd, osvm_coordinate_selection *selection, const void *row, int n,
                          double change, osvm_team *team) {
  const int parts = osvm_team_parts(team, WORK_PER_VALUE * n);
  if (parts == 1) {
    simd->coordinate_step(selection, row, 0, n, change);
    return;
  }
  osvm_coordinate_selection part[OSVM_PARTS];
  for (int k = 0; k < parts; k++) part[k] = *selection;
  coordinates c = {simd, part, row, change};
  osvm_team_split(team, descend_range, &c, n, simd->width, parts, NULL);
  *selection = part[0];
  for (int k = 1; k < parts; k++) {
    if (!(part[k].gain > selection->gain)) continue;
    selection->gain = part[k].gain;
    selection->best = part[k].best;
  }
}
