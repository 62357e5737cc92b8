# On CRAN, where a minute is much: solvers, kernels and losses beside their references, and what they are used by.
# NOT_CRAN=true runs all files.
cran <- c(
  "solver", "kernel", "loss", "conformance$", "data", "update", "forget", "budget", "compress", "drift", "tune-grid",
  "tune-metric", "na-action", "predict", "print", "scaling", "standards"
)
filter <- if (!identical(Sys.getenv("NOT_CRAN"), "true")) sprintf("^(%s)", paste(cran, collapse = "|"))
if (requireNamespace("testthat", quietly = TRUE)) {
  library(testthat)
  library(onlinesvm)
  test_check("onlinesvm", filter = filter)
}
