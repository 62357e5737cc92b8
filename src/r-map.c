/* Feature maps: an external pointer to what is packed of one. It protects the R objects that the map points into. */
#include <stdlib.h>

#include "r-glue.h"

static SEXP map_tag(void) { return Rf_install("osvm_map"); }

static osvm_low_rank *map_of(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != map_tag()) return NULL;
  return R_ExternalPtrAddr(pointer);
}

static void finalize(SEXP pointer) {
  osvm_low_rank *map = map_of(pointer);
  if (map == NULL) return;
  R_ClearExternalPtr(pointer);
  osvm_low_rank_close(map);
  free(map);
}

const char *r_map(SEXP pointer, osvm_data *data) {
  if (Rf_isNull(pointer)) return NULL;
  osvm_low_rank *map = map_of(pointer);
  if (map == NULL || map->map.d != data->d) return "the model's feature map does not fit its columns";
  data->map = &map->map;
  return NULL;
}

/* list(x, kernel, root or phase, by_column): landmarks with the inverse of the Cholesky factor, or directions with their
 * phases */
SEXP ffi_map_open(SEXP list) {
  SEXP root = r_field(list, "root"), phase = r_field(list, "phase");
  osvm_data directions;
  osvm_kernel kernel;
  osvm_error error = {r_data(list, &directions)};
  if (error.text == NULL) error.text = r_kernel(r_field(list, "kernel"), &kernel);
  if (error.text == NULL && !(Rf_isNull(root) || r_is(root, REALSXP, (R_xlen_t)directions.n * directions.n)))
    error.text = "the feature map is damaged";
  if (error.text == NULL && !(Rf_isNull(phase) || r_is(phase, REALSXP, directions.n)))
    error.text = "the feature map is damaged";
  if (error.text != NULL) return r_sentence(&error);
  MARK_NOT_MUTABLE(list);
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, map_tag(), list));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  osvm_low_rank *map = calloc(1, sizeof *map);
  const osvm_status status =
      map == NULL
          ? osvm_no_memory(&error)
          : osvm_low_rank_open(map, &kernel, &directions, Rf_isNull(root) ? NULL : REAL_RO(root),
                               Rf_isNull(phase) ? NULL : REAL_RO(phase), r_number(list, "by_column", 0) != 0, &error);
  if (status == OSVM_OK) R_SetExternalPtrAddr(pointer, map);
  else free(map);
  UNPROTECT(1);
  return status == OSVM_OK ? pointer : r_sentence(&error);
}

/* The features of rows, in double precision: rows x features */
SEXP ffi_map_rows(SEXP data, SEXP control) {
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text == NULL && view.map == NULL) error.text = "there is no feature map";
  if (error.text != NULL) return r_sentence(&error);
  view.threads = r_threads(control);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, view.n, view.map->width));
  osvm_store store;
  const osvm_simd *simd = osvm_simd_double((osvm_simd_level)r_number(control, "level", OSVM_BEST));
  osvm_status status = osvm_store_open(&store, simd, OSVM_ROWS, 0, view.map->width, view.n, &error);
  if (status == OSVM_OK) status = osvm_store_append(&store, &view, NULL, view.n, &error);
  for (int i = 0; i < view.n && status == OSVM_OK; i++) {
    const double *x = osvm_store_query(&store, i, NULL).dense;
    for (int j = 0; j < store.d; j++) REAL(out)[i + (size_t)j * view.n] = x[j];
  }
  osvm_store_close(&store);
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_failure(status, &error);
}
