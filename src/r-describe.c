/* What R wants to know of the data, of the solvers and of the machine. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "r-glue.h"

/* A row per column of x: lowest, highest, mean, standard deviation; the last two only if moments are wanted. */
SEXP ffi_describe(SEXP data, SEXP moments) {
  osvm_data view;
  osvm_error error = {r_data(data, &view)};
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, view.d, 4));
  osvm_column_summary *columns = (osvm_column_summary *)R_alloc((size_t)view.d + 1, sizeof *columns);
  const osvm_status status = osvm_data_describe(&view, Rf_asLogical(moments) == TRUE, columns, &error);
  for (int j = 0; j < view.d && status == OSVM_OK; j++) {
    REAL(out)[j] = columns[j].low;
    REAL(out)[j + view.d] = columns[j].high;
    REAL(out)[j + 2 * (size_t)view.d] = columns[j].mean;
    REAL(out)[j + 3 * (size_t)view.d] = columns[j].sd;
  }
  UNPROTECT(1);
  return status == OSVM_OK ? out : r_sentence(&error);
}

SEXP ffi_solvers(void) {
  static const char *const names[] = {"name", "title", "space", "online",  "forgets", "paper",
                                      "dual", "exact", "depth", "tallies", ""};
  int count;
  const osvm_solver_info *plate = osvm_solvers(&count);
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
  static const SEXPTYPE types[] = {STRSXP, STRSXP, STRSXP, LGLSXP, LGLSXP, STRSXP, LGLSXP, LGLSXP, INTSXP, INTSXP};
  for (int k = 0; k < 10; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(types[k], count));
  for (int s = 0; s < count; s++) {
    SET_STRING_ELT(VECTOR_ELT(out, 0), s, Rf_mkChar(plate[s].name));
    SET_STRING_ELT(VECTOR_ELT(out, 1), s, Rf_mkChar(plate[s].title));
    SET_STRING_ELT(VECTOR_ELT(out, 2), s, Rf_mkChar(plate[s].space));
    LOGICAL(VECTOR_ELT(out, 3))[s] = plate[s].online;
    LOGICAL(VECTOR_ELT(out, 4))[s] = plate[s].forgets;
    SET_STRING_ELT(VECTOR_ELT(out, 5), s, Rf_mkChar(plate[s].paper));
    LOGICAL(VECTOR_ELT(out, 6))[s] = plate[s].solver->dual;
    LOGICAL(VECTOR_ELT(out, 7))[s] = plate[s].solver->exact;
    INTEGER(VECTOR_ELT(out, 8))[s] = osvm_solver_depth(plate[s].solver);
    INTEGER(VECTOR_ELT(out, 9))[s] = osvm_solver_tallies(plate[s].solver);
  }
  UNPROTECT(1);
  return out;
}

/* The instruction set in use and the number of processors. */
SEXP ffi_machine(void) {
  static const char *const names[] = {"simd", "processors", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
  SET_VECTOR_ELT(out, 0, Rf_mkString(osvm_simd_single(OSVM_BEST)->name));
#ifdef _OPENMP
  SET_VECTOR_ELT(out, 1, Rf_ScalarInteger(omp_get_num_procs()));
#else
  SET_VECTOR_ELT(out, 1, Rf_ScalarInteger(1));
#endif
  UNPROTECT(1);
  return out;
}
