# Writes the table of solvers into README.md, from what the solvers declare; --check fails if it is out of date.
lines <- readLines("README.md")
begin <- grep("^<!-- solvers:", lines)
end <- grep("^<!-- end of solvers", lines)
stopifnot(length(begin) == 1, length(end) == 1, begin < end)

table <- onlinesvm:::solver_markdown()
rows <- do.call(paste, c(unname(as.list(table)), sep = " | "))
table <- c(paste("|", paste(names(table), collapse = " | "), "|"), "|---|---|---|---|", paste("|", rows, "|"))
current <- c(lines[seq_len(begin)], table, lines[end:length(lines)])
if (identical(current, lines)) {
  quit(status = 0)
}
if ("--check" %in% commandArgs(TRUE)) {
  message("README.md: the table of solvers is out of date; run make document.")
  quit(status = 1)
}
writeLines(current, "README.md")
