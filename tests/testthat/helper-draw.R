# Any plot, on a page of its own; what was set for it must have been put back.
draw <- function(...) {
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  on.exit({
    dev.off()
    unlink(file)
  })
  settings <- c("mar", "mai", "mfrow", "mgp", "oma")
  before <- par(settings)
  value <- plot(...)
  expect_equal(par(settings), before)
  invisible(value)
}
