/* ffi_shapley: Shapley values, examples by variables by machines. */
#include <string.h>

#include "r-glue.h"

/* model: list(x, center, scale, coef, machines), x the support vectors; NULL when coef holds weights. control: list(group,
 * groups, unit_norm): of every feature its variable, from 0 on, and how many there are */
static const char *read_model(SEXP list, SEXP control, const osvm_data *data, osvm_data *support,
                              osvm_shapley_model *model) {
  SEXP coef = r_field(list, "coef"), group = r_field(control, "group");
  const int linear = osvm_kernel_is_linear(model->kernel);
  if (!linear) R_TRY(r_data(list, support));
  if (!linear && support->d != data->d) return "the model's support vectors do not fit its columns";
  model->machines = (int)r_number(list, "machines", 0);
  model->groups = (int)r_number(control, "groups", 0);
  model->unit_norm = r_number(control, "unit_norm", 0) != 0;
  if (model->machines < 1 || !r_is(coef, REALSXP, (R_xlen_t)(linear ? data->d : support->n) * model->machines))
    return "the model's coefficients do not fit its support vectors";
  if (!r_is(group, INTSXP, data->d) || !r_are_indices(group, model->groups)) return "the variables are damaged";
  model->coef = REAL_RO(coef);
  model->group = INTEGER_RO(group);
  return NULL;
}

static osvm_status open_and_add(osvm_shapley_model *model, const osvm_simd *simd, const osvm_data *support,
                                const osvm_data *data, int threads, double *out, osvm_error *error) {
  osvm_store store;
  const int dense = osvm_data_prefers_dense(support, NULL, OSVM_PANELS, simd);
  osvm_status status = osvm_store_open(&store, simd, OSVM_PANELS, !dense, support->d, support->n, error);
  if (status == OSVM_OK) status = osvm_store_append(&store, support, NULL, support->n, error);
  model->store = &store;
  if (status == OSVM_OK) status = osvm_shapley_values(model, simd, data, threads, data->progress, out, error);
  osvm_store_close(&store);
  return status;
}

/* control, besides: list(threads, level). NULL after an interrupt. */
SEXP ffi_shapley(SEXP model, SEXP data, SEXP kernel, SEXP control) {
  osvm_data view, support;
  osvm_kernel k;
  osvm_shapley_model read = {.kernel = &k};
  osvm_error error = {r_data(data, &view)};
  if (error.text == NULL) error.text = r_kernel(kernel, &k);
  if (error.text == NULL) error.text = read_model(model, control, &view, &support, &read);
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = PROTECT(Rf_alloc3DArray(REALSXP, view.n, read.groups, read.machines));
  if (Rf_xlength(out) > 0) memset(REAL(out), 0, (size_t)Rf_xlength(out) * sizeof(double));
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  const int threads = r_threads(control);
  const osvm_simd *simd = osvm_simd_double((osvm_simd_level)r_number(control, "level", OSVM_BEST));
  view.progress = support.progress = &progress;
  const osvm_status status = osvm_kernel_is_linear(&k)
                                 ? osvm_shapley_values(&read, simd, &view, threads, &progress, REAL(out), &error)
                                 : open_and_add(&read, simd, &support, &view, threads, REAL(out), &error);
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}
