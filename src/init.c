#include "r-glue.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef entries[] = {
#define R_ENTRY(name, arguments, ...) {#name, (DL_FUNC)&name, arguments},
#include "r-entries.h"
#undef R_ENTRY
    {NULL, NULL, 0}};

void attribute_visible R_init_onlinesvm(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  r_note_forks();
}
