# Two workers, which load the package from the same library, and their processes.
start_workers <- function(libraries = .libPaths()) {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("future.apply")
  skip_if_not(nzchar(system.file("libs", package = "onlinesvm")))
  suppressWarnings(future::plan(future::multisession, workers = 2, rscript_libs = libraries))
}

# Code on both workers at a time; its values.
on_workers <- function(code) {
  futures <- lapply(1:2, function(k) future::future(code, substitute = FALSE, globals = list(k = k)))
  function() lapply(futures, future::value)
}

worker_processes <- function() {
  unlist(on_workers(quote({
    Sys.sleep(0.1)
    Sys.getpid()
  }))())
}
