# Registration in other packages: at once if they are loaded, else as soon as they are. Nothing is loaded, and an engine
# or learner that cannot be registered does not prevent this package from loading.

when_loaded <- function(package, register) {
  attempt <- function(...) {
    tryCatch(register(), error = function(e) {
      warn("onlinesvm could not be registered in {package}: {conditionMessage(e)}", "osvm_unregistered")
    })
  }
  if (isNamespaceLoaded(package)) attempt()
  setHook(packageEvent(package, "onLoad"), attempt)
}

.onLoad <- function(libname, pkgname) {
  when_loaded("parsnip", register_parsnip)
  when_loaded("mlr3", register_mlr3)
}
