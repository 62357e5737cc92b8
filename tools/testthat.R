# Runs tests/testthat against the installed package and counts expectations.
options(testthat.summary.max_reports = 50)
results <- as.data.frame(testthat::test_dir(
  "tests/testthat",
  package = "onlinesvm", load_package = "installed",
  reporter = "summary", stop_on_failure = FALSE
))
failed <- sum(results$failed + results$error)
skipped <- sum(results$skipped)
cat(sprintf("\ntestthat: %d passed, %d failed", sum(results$passed), failed))
cat(if (skipped) sprintf(" (%d tests skipped)", skipped), "\n")
