/* What losses declare: ffi_losses for all of them; ffi_dual_slopes: the slopes of the dual of one. */
#include "r-glue.h"

/* Of the parameters, by name. */
static SEXP roles(const osvm_loss_info *info) {
  static const char *const words[] = {[OSVM_MARGIN] = "margin",
                                      [OSVM_THRESHOLD] = "threshold",
                                      [OSVM_QUANTILE] = "quantile",
                                      [OSVM_ASYMMETRY] = "asymmetry",
                                      [OSVM_SHARE] = "share"};
  const int count = osvm_loss_params(info);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count)), names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int p = 0; p < count; p++) {
    SET_STRING_ELT(out, p, Rf_mkChar(words[info->params[p].role]));
    SET_STRING_ELT(names, p, Rf_mkChar(info->params[p].name));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

/* A list of vectors with an element per loss; `roles` is a list. */
SEXP ffi_losses(void) {
  static const char *const names[] = {"name", "title", "formula", "target", "roles"};
  static const char *const targets[] = {
      [OSVM_CLASSES] = "classes", [OSVM_NUMBERS] = "numbers", [OSVM_NO_TARGET] = "novelty"};
  enum { FIELDS = sizeof names / sizeof names[0], STRINGS = 4 };
  SEXP values[FIELDS];
  int count;
  const osvm_loss_info *const *all = osvm_losses(&count);
  for (int k = 0; k < FIELDS; k++) values[k] = PROTECT(Rf_allocVector(k < STRINGS ? STRSXP : VECSXP, count));
  for (int l = 0; l < count; l++) {
    SET_STRING_ELT(values[0], l, Rf_mkChar(all[l]->name));
    SET_STRING_ELT(values[1], l, Rf_mkChar(all[l]->title));
    SET_STRING_ELT(values[2], l, Rf_mkChar(all[l]->formula));
    SET_STRING_ELT(values[3], l, Rf_mkChar(targets[all[l]->target]));
    SET_VECTOR_ELT(values[4], l, roles(all[l]));
  }
  SEXP out = r_list(names, values, FIELDS);
  UNPROTECT(FIELDS);
  return out;
}

/* list(up, low): of the coefficients of examples with these outputs, a row per example and a column per machine, the slopes
 * of the dual relative to the bias; infinite where a coefficient is at its bound, or its example is not of the machine. */
SEXP ffi_dual_slopes(SEXP labels, SEXP cost, SEXP outputs, SEXP coef) {
  static const char *const names[] = {"up", "low"};
  osvm_task task = {0};
  SEXP weight = r_field(labels, "weight");
  const R_xlen_t count = Rf_xlength(weight);
  osvm_error error = {r_is(weight, REALSXP, -1) && count <= INT_MAX ? r_target(labels, count, &task)
                                                                    : "the weights are damaged"};
  const R_xlen_t size = count * task.machines;
  if (error.text == NULL && (task.loss.info->term == NULL || task.loss.info->along != NULL))
    error.text = "the loss has no dual of this kind";
  if (error.text == NULL && (!r_is(outputs, REALSXP, size) || !r_is(coef, REALSXP, size)))
    error.text = "outputs or coefficients do not fit the examples";
  if (error.text != NULL) return r_sentence(&error);
  SEXP values[] = {PROTECT(Rf_allocMatrix(REALSXP, (int)count, task.machines)),
                   PROTECT(Rf_allocMatrix(REALSXP, (int)count, task.machines))};
  const double C = Rf_asReal(cost), epsilon = osvm_loss_tube(&task.loss);
  for (R_xlen_t k = 0; k < size; k++) {
    const int m = (int)(k / count), i = (int)(k % count);
    const double y = osvm_target_of(&task.target, m, osvm_target_value(&task.target, m, i)), a = REAL_RO(coef)[k];
    const osvm_loss loss = osvm_loss_of_machine(&task.loss, m);
    const osvm_dual_term term = osvm_loss_term(&loss, y, osvm_loss_cost(&loss, C, REAL_RO(weight)[i]));
    const double g = term.linear - REAL_RO(outputs)[k] - osvm_dual_pull(&term, a);
    REAL(values[0])[k] = isnan(y) ? -INFINITY : g + osvm_slope_up(a, term.upper, epsilon);
    REAL(values[1])[k] = isnan(y) ? INFINITY : g + osvm_slope_low(a, term.lower, epsilon);
  }
  SEXP out = r_list(names, values, 2);
  UNPROTECT(2);
  return out;
}
