/* See sv-sets.h. */
#include "sv-sets.h"

#include <stdlib.h>
#include <string.h>

osvm_status osvm_sv_sets_open(osvm_sv_sets **sets, const osvm_kernel *kernel, const osvm_store *whole, int machines,
                              const osvm_column *kinds, int columns, size_t bytes, osvm_error *error) {
  osvm_sv_sets *s = *sets = calloc(1, sizeof *s);
  if (s == NULL) return osvm_no_memory(error);
  s->set = calloc(machines, sizeof *s->set);
  if (s->set == NULL) return osvm_no_memory(error);
  s->machines = machines;
  OSVM_TRY(osvm_shared_sv_open(&s->shared, kernel, whole, machines, error));
  for (int m = 0; m < machines; m++)
    OSVM_TRY(osvm_sv_set_open(&s->set[m], &s->shared, kinds, columns, bytes / machines, error));
  return OSVM_OK;
}

void osvm_sv_sets_close(osvm_sv_sets *sets) {
  if (sets == NULL) return;
  for (int m = 0; m < sets->machines; m++) osvm_sv_set_close(&sets->set[m]);
  osvm_shared_sv_close(&sets->shared);
  free(sets->set);
  free(sets);
}

/* A run imports an example that has a column with a name and a value other than 0. */
static int is_imported(const osvm_sv_set *set, int slot) {
  for (int k = 0; k < set->columns; k++)
    if (set->kinds[k].name != NULL && osvm_sv_set_doubles(set, k)[slot] != 0) return 1;
  return 0;
}

/* former: of the slots of shared, in their new order. own: those of the machine among them, own_former its own slots */
static int settle_machine(osvm_sv_set *set, const int *former, int count, int *own, int *own_former) {
  int n = 0;
  for (int k = 0; k < count; k++) {
    const int slot = former[k] < set->shared_slots ? set->slot_of[former[k]] : -1;
    if (slot < 0) continue;
    if (!is_imported(set, slot)) return 0;
    own[n] = k;
    own_former[n++] = slot;
  }
  return osvm_sv_set_rearrange(set, own, own_former, n) == OSVM_OK;
}

static int settle(osvm_sv_sets *sets, const int *kept, int count, int *former, int *own, int *own_former) {
  for (int k = 0; k < count; k++) {
    former[k] = sets->shared.slot[kept[k]];
    if (former[k] < 0) return 0;
  }
  for (int m = 0; m < sets->machines; m++)
    if (!settle_machine(&sets->set[m], former, count, own, own_former)) return 0;
  return osvm_shared_sv_rearrange(&sets->shared, former, count) == OSVM_OK;
}

int osvm_sv_sets_settle(osvm_sv_sets *sets, const int *kept, int count) {
  if (count != sets->shared.count) return 0;
  int *slots = malloc(3 * ((size_t)count + 1) * sizeof(int));
  const int settled = slots != NULL && settle(sets, kept, count, slots, slots + count, slots + 2 * (size_t)count);
  free(slots);
  return settled;
}

/* Generations, too, become those of an import: they decide how a row is completed. */
void osvm_sv_sets_drop_rows(osvm_sv_sets *sets) {
  for (int m = 0; m < sets->machines; m++) {
    osvm_sv_set *set = &sets->set[m];
    osvm_sv_set_drop_rows(set);
    set->generations.now = 0;
    for (int slot = 0; slot < set->n; slot++) osvm_generations_add(&set->generations, slot);
  }
}

osvm_status osvm_sv_sets_resume(osvm_sv_sets *sets, const osvm_store *whole, size_t bytes, osvm_error *error) {
  if (whole->n > sets->shared.most) osvm_sv_sets_drop_rows(sets); /* the cache has no room for longer ones */
  for (int m = 0; m < sets->machines; m++) sets->set[m].bytes = bytes / sets->machines;
  return osvm_shared_sv_resume(&sets->shared, whole, error);
}
