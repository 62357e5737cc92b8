rds_of <- function(n, frame = parent.frame()) {
  set.seed(1)
  board <- chessboard(n)
  file <- withr::local_tempfile(fileext = ".rds", .local_envir = frame)
  saveRDS(data.frame(board$x, colour = board$y), file)
  list(file = file, x = board$x, y = as.character(board$y))
}

test_that("a stream of it is that of its rows, also when it goes on", {
  data <- rds_of(300)
  stream <- function(source, ...) {
    set.seed(2)
    osvm_stream(source, solver_lasvm(), kernel_rbf(gamma = 0.5), chunk = 70, evaluate = "chunks", verbose = FALSE, ...)
  }
  run <- stream(source_rds(data$file, "colour"))
  x <- stats::setNames(as.data.frame(data$x), names(readRDS(data$file))[1:2])
  expect_identical(without_timings(run$fit)$coef, without_timings(stream(source_matrix(x, data$y))$fit)$coef)
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  stream(source_rds(data$file, "colour"), chunks = 2, checkpoint = checkpoint)
  expect_identical(osvm_stream(resume = checkpoint, verbose = FALSE)$fit$coef, run$fit$coef)
})

test_that("it prints, is tuned and trained on shards, and says what it lacks", {
  data <- rds_of(120)
  source <- source_rds(data$file, "colour")
  expect_output(print(source), "column colour")
  expect_identical(quick_tune(source, solver = solver_smo(C = c(1, 10)), kernel = kernel_rbf(gamma = 0.5))$n, 120L)
  expect_identical(osvm_shards(list(source), solver_smo(), kernel_rbf(gamma = 0.5), verbose = FALSE)$n_seen, 120L)
  expect_error(osvm_stream(source_rds(data$file), verbose = FALSE), "source_rds(label = )", fixed = TRUE)
})
