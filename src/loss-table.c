/* The losses, and what their tables say. */
#include <string.h>

#include "loss.h"

const osvm_loss_info *const *osvm_losses(int *count) {
  static const osvm_loss_info *const all[] = {
#define OSVM_LOSS(name) &osvm_loss_##name,
#include "loss-list.h"
#undef OSVM_LOSS
  };
  *count = (int)(sizeof all / sizeof all[0]);
  return all;
}

int osvm_loss_params(const osvm_loss_info *info) {
  int count = 0;
  while (info->params[count].name != NULL) count++;
  return count;
}

static int in_range(osvm_loss_role role, double value) {
  switch (role) {
  case OSVM_MARGIN: return isfinite(value) && value >= 0;
  case OSVM_THRESHOLD: return isfinite(value) && value > 0;
  case OSVM_QUANTILE:
  case OSVM_ASYMMETRY: return value > 0 && value < 1;
  case OSVM_SHARE: return value > 0 && value <= 1;
  }
  return 0;
}

osvm_status osvm_loss_read(const char *name, const double *values, int count, osvm_loss *loss, osvm_error *error) {
  int losses;
  const osvm_loss_info *const *all = osvm_losses(&losses);
  memset(loss, 0, sizeof *loss);
  for (int l = 0; l < losses; l++)
    if (strcmp(all[l]->name, name) == 0) loss->info = all[l];
  if (loss->info == NULL) return osvm_fail(error, OSVM_INVALID, "there is no loss of this name");
  const int params = osvm_loss_params(loss->info),
            several = params == 1 && count > 1 && loss->info->target == OSVM_NUMBERS;
  int fits = count == params || several;
  for (int p = 0; fits && p < count; p++) {
    fits = in_range(loss->info->params[several ? 0 : p].role, values[p]);
    if (p < params) loss->params[p] = values[p];
  }
  if (several) loss->each = values, loss->machines = count;
  return fits ? OSVM_OK : osvm_fail(error, OSVM_INVALID, "a parameter of the loss is missing or out of its range");
}
