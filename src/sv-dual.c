/* See sv-dual.h. */
#include "sv-dual.h"

#include <math.h>

void osvm_dual_sv_init(const osvm_sv_set *circle, int slot, double y, double cap, double error) {
  osvm_sv_set_doubles(circle, OSVM_SV_LABEL)[slot] = y;
  osvm_sv_set_doubles(circle, OSVM_SV_UPPER)[slot] = cap;
  osvm_sv_set_doubles(circle, OSVM_SV_GRADIENT)[slot] = error;
}

osvm_status osvm_dual_sv_import(osvm_sv_set *circle, const osvm_model *model, int machine, int j, int *slot,
                               osvm_error *error) {
  const double cap = *osvm_model_going(model, machine, OSVM_STATE_BOUND, j);
  *slot = -1;
  if (cap == 0) return OSVM_OK;
  osvm_status status = osvm_sv_set_add(circle, j, slot, error);
  if (status != OSVM_OK) return status;
  const double kept_error = *osvm_model_going(model, machine, OSVM_STATE_GRADIENT, j);
  osvm_dual_sv_init(circle, *slot, cap > 0 ? 1 : -1, fabs(cap), kept_error);
  osvm_sv_set_doubles(circle, OSVM_SV_COEF)[*slot] = *osvm_model_going(model, machine, OSVM_STATE_COEF, j);
  return OSVM_OK;
}

void osvm_dual_sv_export(const osvm_sv_set *circle, int slot, osvm_model *model, int machine) {
  const int i = osvm_dual_sv_example(circle, slot);
  const double b = osvm_sv_set_doubles(circle, OSVM_SV_COEF)[slot];
  const double y = osvm_sv_set_doubles(circle, OSVM_SV_LABEL)[slot];
  model->coef[(size_t)machine * model->size + i] = b;
  *osvm_model_going(model, machine, OSVM_STATE_COEF, i) = b;
  *osvm_model_going(model, machine, OSVM_STATE_GRADIENT, i) = osvm_sv_set_doubles(circle, OSVM_SV_GRADIENT)[slot];
  *osvm_model_going(model, machine, OSVM_STATE_BOUND, i) = y * osvm_sv_set_doubles(circle, OSVM_SV_UPPER)[slot];
}
