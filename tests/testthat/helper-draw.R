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

# What code draws, as text that can be compared.
drawing <- function(code) {
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  pdf(file, compress = FALSE)
  tryCatch(code, finally = dev.off())
  grep("Date", readLines(file, warn = FALSE), value = TRUE, invert = TRUE)
}
