test_that("a forked child predicts, fits and tunes after the parent has used threads", {
  skip_on_os("windows")
  set.seed(1)
  data <- chessboard(2000)
  fit <- osvm(data$x, data$y, solver_olsvm(C = 10, epochs = 2), kernel_rbf(sigma = 0.3), verbose = FALSE)
  here <- predict(fit, data$x, threads = 2)
  tune <- function() {
    set.seed(2)
    osvm_tune(data$x, data$y, solver_olsvm(C = c(1, 10), epochs = 1), kernel_rbf(sigma = c(0.2, 0.4)),
      folds = 2, threads = 2, progress = FALSE, refit = FALSE
    )$results$error
  }
  errors <- tune()
  jobs <- list(
    function() identical(predict(fit, data$x, threads = 2), here),
    function() identical(tune(), errors),
    function() {
      again <- osvm(data$x, data$y, solver_smo(C = 1), kernel_rbf(sigma = 0.3), threads = 2, verbose = FALSE)
      again$n_sv > 0
    }
  )
  # A child that waits for threads of its parent never answers: it gets a minute.
  for (job in jobs) {
    child <- parallel::mcparallel(job())
    answer <- parallel::mccollect(child, wait = FALSE, timeout = 60)
    tools::pskill(child$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(child, wait = FALSE))
    expect_identical(unname(answer), list(TRUE))
  }
})
