# Runs the example of README.md and puts what it prints below each call, as lines of "#>":
#   Rscript tools/readme-example.R [--check]
# --check fails where the page says something else. Without the packages that have data and rival it is left out.
finish <- function(...) {
  cat(...)
  quit(status = 0)
}
if (!nzchar(system.file(package = "modeldata")) || !nzchar(system.file(package = "ranger"))) {
  finish("No modeldata or ranger: the example of the README is left out.\nreadme: 0 passed, 0 failed\n")
}
options(onlinesvm.threads = 1, width = 100)
lines <- readLines("README.md", encoding = "UTF-8")
fences <- grep("^```", lines)
fences <- fences[fences > grep("^<!-- example", lines)][1:2]
shown <- lines[(fences[1] + 1):(fences[2] - 1)]
code <- shown[!startsWith(shown, "#>")]

grDevices::pdf(NULL)
scope <- new.env(parent = globalenv())
calls <- parse(text = code, keep.source = TRUE)
last <- vapply(attr(calls, "srcref"), function(at) at[3], 0)
out <- character()
for (k in seq_along(code)) {
  out <- c(out, code[k])
  for (call in calls[last == k]) {
    printed <- utils::capture.output({
      value <- withVisible(suppressMessages(eval(call, scope)))
      if (value$visible) print(value$value)
    })
    if (!inherits(value$value, "ggplot")) out <- c(out, if (length(printed) > 0) paste("#>", printed))
  }
}
out <- sub("[ ]+$", "", out)
same <- identical(out, shown)
if ("--check" %in% commandArgs(TRUE)) {
  if (!same) writeLines(c("README.md: its example prints otherwise; make document writes it anew:", setdiff(out, shown)))
  cat(sprintf("readme: %d passed, %d failed\n", same, !same))
  quit(status = as.integer(!same))
}
writeLines(c(lines[seq_len(fences[1])], out, lines[fences[2]:length(lines)]), "README.md")
