if (requireNamespace("testthat", quietly = TRUE)) {
  library(testthat)
  library(onlinesvm)
  test_check("onlinesvm")
}
