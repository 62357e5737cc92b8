# A stream that is killed at any moment goes on from its checkpoint and ends with the same model.

write_board <- function(n) {
  set.seed(6)
  board <- chessboard(n, noise = 0.05)
  file <- tempfile(fileext = ".csv")
  utils::write.csv(data.frame(board$x, colour = as.character(board$y)), file, row.names = FALSE, quote = FALSE)
  file
}

stream_board <- function(file, checkpoint, solver) {
  set.seed(9, "Mersenne-Twister", "Inversion", "Rejection") # an earlier test may have chosen another kind
  osvm_stream(
    source_csv(file, label = "colour"), solver, kernel_rbf(sigma = 0.5), chunk = 40, checkpoint = checkpoint,
    every_chunks = 3, drift = drift_adwin(react = "restart"), scale = "running", metrics = c("accuracy", "logloss")
  )
}

numbers_of <- function(run) {
  list(
    unclass(run$fit)[c("coef", "sv", "state", "scalars", "intercept", "running", "levels", "n_seen", "probability")],
    run$metrics[setdiff(names(run$metrics), c("seconds", "reading"))], run$events, run$rows
  )
}

test_that("kill -9 at any moment loses no more than the last interval", {
  skip_on_cran()
  expect_null(getOption("onlinesvm.simd_level")) # the other processes compute with the same instructions
  file <- write_board(4000)
  tries <- if (exhaustive()) 20 else 3
  for (solver in c(list(solver_lasvm(finish = FALSE)), if (exhaustive()) list(solver_olsvm(epochs = 1)))) {
    want <- numbers_of(stream_board(file, tempfile(), solver))
    checkpoint <- tempfile(fileext = ".rds")
    killed <- 0
    for (try in seq_len(tries)) {
      process <- brought("callr", "r_bg")(function(file, checkpoint, solver, stream_board) {
        library(onlinesvm)
        if (file.exists(checkpoint)) osvm_stream(resume = checkpoint) else stream_board(file, checkpoint, solver)
        NULL
      }, list(file, checkpoint, solver, `environment<-`(stream_board, globalenv())), package = FALSE)
      # Killed while it works, some milliseconds after its first or next checkpoint.
      before <- if (file.exists(checkpoint)) file.mtime(checkpoint) else 0
      since <- Sys.time()
      repeat {
        Sys.sleep(0.01)
        now <- if (file.exists(checkpoint)) file.mtime(checkpoint) else 0
        if (!process$is_alive() || now > before || difftime(Sys.time(), since, units = "secs") > 60) break
      }
      Sys.sleep(try / 500)
      if (!process$is_alive()) break
      process$kill()
      killed <- killed + 1
    }
    expect_gt(killed, 1)
    run <- osvm_stream(resume = checkpoint)
    expect_identical(numbers_of(run), want)
  }
})

test_that("a checkpoint that cannot be written is an error with the run until then", {
  file <- write_board(400)
  folder <- tempfile()
  dir.create(folder)
  checkpoint <- file.path(folder, "run.rds")
  run <- stream_board(file, checkpoint, solver_olsvm(epochs = 1))
  expect_identical(list.files(folder), "run.rds")
  unlink(folder, recursive = TRUE)
  expect_error(osvm_stream(resume = checkpoint), class = "osvm_error")
})
