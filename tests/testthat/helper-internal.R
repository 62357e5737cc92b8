# Replaces a function of the package until the caller returns.
local_internal <- function(name, value, frame = parent.frame()) {
  old <- get(name, envir = asNamespace("onlinesvm"))
  utils::assignInNamespace(name, value, "onlinesvm")
  back <- bquote(utils::assignInNamespace(.(name), quote(.(old)), "onlinesvm"))
  do.call(on.exit, list(back, add = TRUE, after = FALSE), envir = frame)
}
