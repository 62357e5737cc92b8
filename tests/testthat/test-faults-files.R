# Files that cannot be read or written: one sentence, and what was there stays.

test_that("a full disk leaves the old checkpoint", {
  skip_on_os("windows")
  skip_on_cran()
  folder <- tempfile()
  dir.create(folder)
  file <- file.path(folder, "old.rds")
  saveRDS("old", file)
  # The shell's limit on the size of files, whose signal is ignored, so that writing fails as on a full disk. The last
  # sizes exceed it only when the buffer is written at the end.
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())),
    "size <- as.numeric(commandArgs(TRUE))",
    "object <- structure(list(x = rnorm(size)), class = 'osvm_checkpoint')",
    sprintf("write <- function() onlinesvm:::write_whole(object, %s)", deparse(file)),
    "cat(tryCatch({write(); 'written'}, osvm_error = function(e) 'refused'))"
  ), script)
  for (size in c(20000, 2000, 1050)) {
    shell <- sprintf("trap '' XFSZ; ulimit -f 8; exec %s %s %d", file.path(R.home("bin"), "Rscript"), script, size)
    said <- suppressWarnings(system2("sh", c("-c", shQuote(shell)), stdout = TRUE, stderr = FALSE))
    skip_if(length(said) == 0, "no shell with limits")
    expect_identical(said, "refused", info = paste(size, "numbers"))
    expect_identical(readRDS(file), "old")
  }
  expect_identical(list.files(folder), "old.rds")
})

test_that("folders, missing files and files of another kind are named", {
  junk <- tempfile(fileext = ".csv")
  writeBin(as.raw(rep_len(0:255, 5000)), junk)
  learn <- function(source, ...) osvm_stream(source, solver_pa(), verbose = FALSE, ...)
  expect_error(source_csv(tempdir(), label = "y"), "directory", class = "osvm_error")
  expect_error(source_svmlight(tempdir()), "directory", class = "osvm_error")
  expect_error(source_csv("no such file.csv", label = "y"), "no such file", class = "osvm_error")
  expect_osvm_error(learn(source_csv(junk, label = "y")))
  expect_osvm_error(learn(source_svmlight(junk)))
  expect_error(osvm_stream(resume = junk), "resume", class = "osvm_error")
  expect_error(osvm_stream(resume = tempdir()), "resume", class = "osvm_error")
  board <- chessboard(60)
  folder <- tempfile()
  dir.create(folder)
  run <- learn(source_matrix(board$x, board$y), chunk = 20, checkpoint = file.path(folder, "a.rds"), every_chunks = 1)
  expect_s3_class(run, "osvm_stream")
  unlink(folder, recursive = TRUE)
  expect_error(
    learn(source_matrix(board$x, board$y), chunk = 20, checkpoint = file.path(folder, "a.rds")), "checkpoint",
    class = "osvm_error"
  )
})

test_that("a last checkpoint that cannot be written keeps the run, and leaves no connection", {
  skip_on_os("windows")
  board <- chessboard(60)
  folder <- tempfile()
  dir.create(folder)
  k <- 0
  source <- source_function(function(n) {
    k <<- k + 1
    if (k == 3) unlink(folder, recursive = TRUE)
    if (k < 3) list(x = board$x[20 * k + 1:20, ], y = board$y[20 * k + 1:20])
  })
  before <- nrow(showConnections(all = TRUE))
  failure <- tryCatch(
    osvm_stream(source, solver_pa(), chunk = 20, checkpoint = file.path(folder, "a.rds")), osvm_error = identity
  )
  expect_match(conditionMessage(failure), "could not be written")
  expect_identical(failure$run$rows[["learned"]], 40)
  expect_s3_class(failure$run$fit, "osvm")
  expect_identical(nrow(showConnections(all = TRUE)), before)
})
