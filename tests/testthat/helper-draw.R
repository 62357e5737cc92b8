# Any plot, on a new page; graphical parameters must be restored.
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
