/* What kernels declare: ffi_kernels for all of them, ffi_kernel_values for one with its parameter values;
 * ffi_kernel_gradients: derivatives of expansions; ffi_median_distance: that of a sample. */
#include "r-glue.h"

/* Of the parameters, by name. */
static SEXP roles(const osvm_kernel_info *info) {
  static const char *const words[] = {[OSVM_SCALE] = "scale", [OSVM_DEGREE] = "degree", [OSVM_CONSTANT] = "constant"};
  const int count = osvm_kernel_params(info);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count)), names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int p = 0; p < count; p++) {
    SET_STRING_ELT(out, p, Rf_mkChar(words[info->params[p].role]));
    SET_STRING_ELT(names, p, Rf_mkChar(info->params[p].name));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

/* A list of vectors with an element per kernel; `roles` is a list. */
SEXP ffi_kernels(void) {
  static const char *const names[] = {"name", "title", "formula", "base", "roles", "linear", "mergeable", "product"};
  static const char *const bases[] = {"dots", "squared", "absolute"};
  enum { FIELDS = sizeof names / sizeof names[0], STRINGS = 4 };
  SEXP values[FIELDS];
  int count;
  const osvm_kernel_info *const *all = osvm_kernels(&count);
  for (int k = 0; k < FIELDS; k++)
    values[k] = PROTECT(Rf_allocVector(k < STRINGS ? STRSXP : k == STRINGS ? VECSXP : LGLSXP, count));
  for (int k = 0; k < count; k++) {
    const osvm_kernel kernel = {.info = all[k]};
    SET_STRING_ELT(values[0], k, Rf_mkChar(all[k]->name));
    SET_STRING_ELT(values[1], k, Rf_mkChar(all[k]->title));
    SET_STRING_ELT(values[2], k, Rf_mkChar(all[k]->formula));
    SET_STRING_ELT(values[3], k, Rf_mkChar(bases[all[k]->base]));
    SET_VECTOR_ELT(values[4], k, roles(all[k]));
    LOGICAL(values[5])[k] = osvm_kernel_is_linear(&kernel);
    LOGICAL(values[6])[k] = all[k]->mergeable;
    LOGICAL(values[7])[k] = all[k]->product;
  }
  SEXP out = r_list(names, values, FIELDS);
  UNPROTECT(FIELDS);
  return out;
}

/* Kernel values at base values, or their slopes there. */
SEXP ffi_kernel_values(SEXP kernel, SEXP base, SEXP slopes) {
  osvm_kernel k;
  osvm_error error = {r_kernel(kernel, &k)};
  if (error.text == NULL && !r_is(base, REALSXP, -1)) error.text = "base values must be numbers";
  if (error.text != NULL) return r_sentence(&error);
  double (*const of)(const osvm_kernel *, double) = Rf_asLogical(slopes) == 1 ? osvm_kernel_slope : osvm_kernel_value;
  SEXP out = PROTECT(Rf_duplicate(base));
  for (R_xlen_t i = 0; i < Rf_xlength(out); i++) REAL(out)[i] = of(&k, REAL_RO(base)[i]);
  UNPROTECT(1);
  return out;
}

/* points: a column each; centers: a row each; coef: a column per machine; added: derivatives of what is beside the
 * expansions, a column for each point of each machine in turn, or NULL */
SEXP ffi_kernel_gradients(SEXP kernel, SEXP points, SEXP centers, SEXP coef, SEXP added) {
  osvm_kernel k;
  osvm_error error = {r_kernel(kernel, &k)};
  const int n = Rf_nrows(centers), d = Rf_ncols(centers), machines = Rf_ncols(coef), count = Rf_ncols(points);
  const int fits = r_is(points, REALSXP, -1) && r_is(centers, REALSXP, -1) && r_is(coef, REALSXP, -1) &&
                   Rf_nrows(points) == d && Rf_nrows(coef) == n;
  if (error.text == NULL && (!fits || k.info->base == OSVM_GIVEN)) error.text = "the support vectors are damaged";
  const int plain = Rf_isNull(added);
  if (error.text == NULL && !plain && !r_is(added, REALSXP, (R_xlen_t)d * count * machines))
    error.text = "the trend is damaged";
  if (error.text != NULL) return r_sentence(&error);
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, d, machines));
  const osvm_expansions f = {REAL_RO(centers), REAL_RO(coef), n, d, machines};
  const osvm_status status = osvm_kernel_gradients(&k, &f, REAL_RO(points), count, plain ? NULL : REAL_RO(added),
                                                   &progress, REAL(out), &error);
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}

/* Whether runs of these kernels and solvers, in pairs, work in double precision; control: list(extent) */
SEXP ffi_doubles(SEXP kernels, SEXP solvers, SEXP control) {
  const R_xlen_t count = Rf_xlength(kernels);
  osvm_error error = {NULL};
  if (!r_is(kernels, VECSXP, -1) || !r_is(solvers, VECSXP, count)) return Rf_mkString("the specs are damaged");
  SEXP out = PROTECT(Rf_allocVector(LGLSXP, count));
  for (R_xlen_t k = 0; k < count && error.text == NULL; k++) {
    osvm_task task = {0};
    SEXP kernel = VECTOR_ELT(kernels, k);
    error.text = r_kernel(kernel, &task.kernel);
    if (error.text == NULL) error.text = r_solver(VECTOR_ELT(solvers, k), &task.solver, &task.params);
    if (error.text == NULL) error.text = r_precision(kernel, control, &task);
    if (error.text == NULL) LOGICAL(out)[k] = osvm_task_simd(&task)->size == sizeof(double);
  }
  UNPROTECT(1);
  return error.text != NULL ? r_sentence(&error) : out;
}

/* data: list(x, center, scale, rows) */
SEXP ffi_median_distance(SEXP kernel, SEXP data) {
  osvm_kernel k;
  osvm_data view;
  osvm_error error = {r_kernel(kernel, &k)};
  if (error.text == NULL) error.text = r_data(data, &view);
  SEXP rows = r_field(data, "rows");
  if (error.text == NULL && !r_are_indices(rows, view.n)) error.text = "the sample is damaged";
  if (error.text != NULL) return r_sentence(&error);
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  double distance = 0;
  const osvm_status status =
      osvm_median_distance(&k, &view, INTEGER_RO(rows), (int)Rf_xlength(rows), &distance, &error);
  return status == OSVM_OK ? Rf_ScalarReal(distance) : r_failure(status, &error);
}
