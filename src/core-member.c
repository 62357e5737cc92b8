/* See core-member.h. */
#include "core-member.h"

#include <math.h>

void osvm_member_describe(const osvm_circle *circle, int slot, double y, double cap, double error) {
  osvm_circle_doubles(circle, OSVM_MEMBER_LABEL)[slot] = y;
  osvm_circle_doubles(circle, OSVM_MEMBER_CAP)[slot] = cap;
  osvm_circle_doubles(circle, OSVM_MEMBER_ERROR)[slot] = error;
}

osvm_status osvm_member_import(osvm_circle *circle, const osvm_model *model, int machine, int j, int *slot,
                               osvm_error *error) {
  const double cap = *osvm_model_going(model, machine, OSVM_KEPT_CAP, j);
  *slot = -1;
  if (cap == 0) return OSVM_OK;
  osvm_status status = osvm_circle_seat(circle, j, slot, error);
  if (status != OSVM_OK) return status;
  const double kept_error = *osvm_model_going(model, machine, OSVM_KEPT_ERROR, j);
  osvm_member_describe(circle, *slot, cap > 0 ? 1 : -1, fabs(cap), kept_error);
  osvm_circle_doubles(circle, OSVM_MEMBER_COEF)[*slot] = *osvm_model_going(model, machine, OSVM_KEPT_COEF, j);
  return OSVM_OK;
}

void osvm_member_export(const osvm_circle *circle, int slot, osvm_model *model, int machine) {
  const int i = osvm_member_place(circle, slot);
  const double b = osvm_circle_doubles(circle, OSVM_MEMBER_COEF)[slot];
  const double y = osvm_circle_doubles(circle, OSVM_MEMBER_LABEL)[slot];
  model->coef[(size_t)machine * model->size + i] = b;
  *osvm_model_going(model, machine, OSVM_KEPT_COEF, i) = b;
  *osvm_model_going(model, machine, OSVM_KEPT_ERROR, i) = osvm_circle_doubles(circle, OSVM_MEMBER_ERROR)[slot];
  *osvm_model_going(model, machine, OSVM_KEPT_CAP, i) = y * osvm_circle_doubles(circle, OSVM_MEMBER_CAP)[slot];
}
