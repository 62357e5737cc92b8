/* ffi_decide: decision values, examples by machines. */
#include <string.h>

#include "r-glue.h"

static osvm_status pack_support(osvm_store *store, const osvm_simd *simd, const osvm_data *support, osvm_error *error) {
  const int dense = osvm_data_prefers_dense(support, NULL, OSVM_PANELS, simd);
  OSVM_TRY(osvm_store_open(store, simd, OSVM_PANELS, !dense, support->d, support->n, error));
  OSVM_TRY(osvm_store_append(store, support, NULL, support->n, error));
  return osvm_store_index(store, error);
}

static const osvm_simd *simd_of(SEXP control) {
  const osvm_simd_level level = (osvm_simd_level)r_number(control, "level", OSVM_BEST);
  return r_number(control, "doubles", 0) != 0 ? osvm_simd_double(level) : osvm_simd_single(level);
}

static osvm_status decide_kernel(const osvm_kernel *kernel, const osvm_data *support, const double *coef, int machines,
                                 const osvm_data *data, SEXP control, double *out, osvm_error *error) {
  osvm_store store;
  osvm_status status = pack_support(&store, simd_of(control), support, error);
  if (status == OSVM_OK)
    status = osvm_decision_values(kernel, &store, coef, machines, data, r_threads(control), data->progress, out, error);
  osvm_store_close(&store);
  return status;
}

SEXP r_new_outputs(int n, int machines) {
  SEXP out = Rf_allocMatrix(REALSXP, n, machines);
  if (Rf_xlength(out) > 0) memset(REAL(out), 0, (size_t)Rf_xlength(out) * sizeof(double));
  return out;
}

void r_add_intercepts(SEXP outputs, const double *intercept) {
  const int n = Rf_nrows(outputs), machines = Rf_ncols(outputs);
  for (int m = 0; m < machines; m++)
    for (int i = 0; i < n; i++) REAL(outputs)[i + (size_t)m * n] += intercept[m];
}

/* model: list(x, center, scale, coef, machines, intercept); x is NULL when coef holds weights. NULL after an interrupt. */
SEXP ffi_decide(SEXP model, SEXP data, SEXP kernel, SEXP control) {
  osvm_data view, support;
  osvm_kernel k;
  osvm_error error = {r_data(data, &view)};
  if (error.text == NULL) error.text = r_kernel(kernel, &k);
  const int primal = error.text == NULL && osvm_kernel_is_linear(&k);
  if (error.text == NULL && !primal) error.text = r_data(model, &support);
  if (error.text != NULL) return r_sentence(&error);
  SEXP coef = r_field(model, "coef"), intercept = r_field(model, "intercept");
  const int machines = (int)r_number(model, "machines", 0);
  if (!primal && support.d != view.d) return Rf_mkString("the model's support vectors do not fit its columns");
  if (machines < 1 || !r_is(coef, REALSXP, (R_xlen_t)(primal ? osvm_data_width(&view) : support.n) * machines))
    return Rf_mkString("the model's coefficients do not fit its support vectors");
  if (!r_is(intercept, REALSXP, machines)) return Rf_mkString("the model's intercepts are missing");

  SEXP out = PROTECT(r_new_outputs(view.n, machines));
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = support.progress = &progress;
  view.threads = r_threads(control);
  const osvm_status status =
      primal ? osvm_linear_decision_values(&view, simd_of(control), REAL_RO(coef), machines,
                                           r_number(control, "unit_norm", 0) != 0, REAL(out), &error)
             : decide_kernel(&k, &support, REAL_RO(coef), machines, &view, control, REAL(out), &error);
  r_add_intercepts(out, REAL_RO(intercept));
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}
