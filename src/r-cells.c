/* Cells: centres found by k-means, the nearest of each example, and models of several cells that learn side by side. */
#include <string.h>

#include "r-glue.h"

/* data: list(x, center, scale, rows); control: list(threads, doubles, level) */
static const char *read_cells_task(SEXP data, SEXP control, osvm_data *view, osvm_cells_task *task) {
  R_TRY(r_data(data, view));
  SEXP rows = r_field(data, "rows");
  if (Rf_xlength(rows) > view->n || !r_are_indices(rows, view->n)) return "the rows are damaged";
  *task = (osvm_cells_task){.data = view, .rows = INTEGER_RO(rows), .count = (int)Rf_xlength(rows)};
  task->doubles = r_number(control, "doubles", 0) != 0;
  task->threads = r_threads(control);
  task->level = (osvm_simd_level)r_number(control, "level", OSVM_BEST);
  return NULL;
}

/* control, besides: k, iterations, least, seed. list(centers, a row for each, and the number of the nearest for each example) */
SEXP ffi_cells_split(SEXP data, SEXP control) {
  static const char *const names[] = {"centers", "cell"};
  osvm_data view;
  osvm_cells_task task;
  const osvm_kmeans_options options = {.k = (int)r_number(control, "k", 1),
                                       .iterations = (int)r_number(control, "iterations", 10),
                                       .least = r_number(control, "least", 0),
                                       .seed = r_number(control, "seed", 0)};
  osvm_error error = {read_cells_task(data, control, &view, &task)};
  if (error.text == NULL && (options.k < 1 || options.k > task.count)) error.text = "there are too many centres";
  if (error.text != NULL) return r_sentence(&error);
  int found = 0;
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  SEXP all = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)options.k * view.d));
  SEXP cell = PROTECT(Rf_allocVector(INTSXP, task.count));
  const osvm_status status = osvm_cells_split(&task, &options, REAL(all), &found, INTEGER(cell), &error);
  SEXP parts[] = {PROTECT(Rf_allocMatrix(REALSXP, found, view.d)), cell};
  if (found > 0 && view.d > 0) memcpy(REAL(parts[0]), REAL(all), (size_t)found * view.d * sizeof(double));
  for (int i = 0; i < task.count && status == OSVM_OK; i++) INTEGER(cell)[i]++;
  SEXP out = r_list(names, parts, 2);
  UNPROTECT(3);
  return status == OSVM_OK ? out : r_failure(status, &error);
}

/* centers: list(x), scaled as the examples are. The number of the nearest for each example */
SEXP ffi_cells_assign(SEXP centers, SEXP data, SEXP control) {
  osvm_data view, centres;
  osvm_cells_task task;
  osvm_error error = {read_cells_task(data, control, &view, &task)};
  if (error.text == NULL) error.text = r_data(centers, &centres);
  if (error.text != NULL) return r_sentence(&error);
  r_host host;
  const osvm_progress progress = r_progress(&host, R_NilValue);
  view.progress = &progress;
  SEXP cell = PROTECT(Rf_allocVector(INTSXP, task.count));
  const osvm_status status = osvm_cells_assign(&task, &centres, INTEGER(cell), &error);
  for (int i = 0; i < task.count && status == OSVM_OK; i++) INTEGER(cell)[i]++;
  UNPROTECT(1);
  return status == OSVM_OK ? cell : r_failure(status, &error);
}

static const char *read_jobs(SEXP pointers, SEXP requests, int count, r_request *request, osvm_live_job *jobs) {
  for (int k = 0; k < count; k++) {
    R_TRY(r_read_request(VECTOR_ELT(requests, k), &request[k]));
    jobs[k] = (osvm_live_job){.live = r_live_of(VECTOR_ELT(pointers, k)), .task = request[k].task};
    if (jobs[k].live == NULL) return "it is closed";
    for (int j = 0; j < k; j++)
      if (jobs[j].live == jobs[k].live) return "a model cannot learn twice at once";
    request[k].view.progress = &jobs[k].task.progress;
  }
  return NULL;
}

/* Live models, and for each what it is to learn, the seed included: of each "" where it is done, NA where an interrupt came
 * first, or the sentence of its failure. */
SEXP ffi_live_update_all(SEXP pointers, SEXP requests, SEXP control) {
  const int count = r_is(pointers, VECSXP, -1) ? (int)Rf_xlength(pointers) : -1;
  osvm_error error = {count >= 0 && r_is(requests, VECSXP, count) ? NULL : "the models are damaged"};
  if (error.text != NULL) return r_sentence(&error);
  r_request *request = r_zeros(count, sizeof *request);
  osvm_live_job *jobs = r_zeros(count, sizeof *jobs);
  error.text = read_jobs(pointers, requests, count, request, jobs);
  if (error.text != NULL) return r_sentence(&error);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
  r_host host;
  const osvm_progress progress = r_progress(&host, r_field(control, "progress"));
  osvm_live_update_all(jobs, count, r_threads(control), &progress);
  for (int k = 0; k < count; k++) {
    const osvm_status status = jobs[k].status;
    const char *text = status == OSVM_OK            ? ""
                       : jobs[k].error.text != NULL ? jobs[k].error.text
                                                    : "something went wrong";
    SET_STRING_ELT(out, k, status == OSVM_INTERRUPTED ? NA_STRING : Rf_mkChar(text));
  }
  static const char *const names[] = {"message"}; /* a string alone would be a failure of all */
  SEXP list = r_list(names, &out, 1);
  UNPROTECT(1);
  return list;
}
