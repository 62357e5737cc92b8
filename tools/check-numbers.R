# Numbers typed by hand in the prose of vignettes: Rscript tools/check-numbers.R [FILE...]. A result quoted in prose comes
# from inline code, which reads inst/results or what was computed above, so that it cannot go stale. A result is a number with
# decimals or a percentage. Not in question: code, formulas (a setting can be written as one),
# shares of label noise, years, numbers of tables, figures and equations. Ends with "numbers: N passed, N failed", a test
# per file.
labels <- paste0(
  "(Tables?|Figs?[.]?|Figures?|Lists?|Algorithms?|[Ss]ections?|[Ee]quations?|[Ee]qs?[.]|Lemmas?|Theorems?|Part|pp?[.]|[Cc]lass) "
)
ignored <- c(
  "`[^`]*`", "[$]+[^$]*[$]+", "<[^>]*>", "\\]\\([^)]*\\)", # code, formulas, HTML, addresses
  paste0("\\b", labels, "[0-9]+[a-z]?((, | and | to |-)[0-9]+[a-z]?)*"), "\\b(19|20)[0-9]{2}\\b",
  "\\b[A-Za-z]+[_-]?[0-9]+[A-Za-z0-9]*\\b", # names such as e1071
  "[0-9.]+ ?% (label noise|of the labels|have a wrong)"
)
result <- "[0-9][0-9,]*[.][0-9]+( ?%)?|[0-9][0-9,]* ?%"

# The lines of prose: neither the header, nor code, nor a formula of several lines.
prose <- function(lines) {
  yaml <- grep("^---", lines)[1:2]
  lines[yaml[1]:yaml[2]] <- ""
  fence <- grepl("^\\s*```", lines)
  lines[cumsum(fence) %% 2 == 1 | fence] <- ""
  # An inline expression or a formula may be broken over lines: they are blanked in the whole text.
  text <- paste(lines, collapse = "\n")
  for (pattern in ignored) {
    found <- gregexpr(pattern, text, perl = TRUE)
    regmatches(text, found) <- lapply(regmatches(text, found), gsub, pattern = "[^\n]", replacement = " ")
  }
  strsplit(text, "\n")[[1]]
}

typed <- function(file) {
  lines <- prose(readLines(file, encoding = "UTF-8"))
  found <- regmatches(lines, gregexpr(result, lines))
  where <- which(lengths(found) > 0)
  for (i in where) cat(sprintf("%s:%d: %s\n", file, i, paste(found[[i]], collapse = " ")))
  length(where)
}

files <- commandArgs(TRUE)
if (length(files) == 0) files <- list.files("vignettes", "[.]Rmd$", full.names = TRUE)
failed <- sum(vapply(files, typed, 0L) > 0)
cat(sprintf("numbers: %d passed, %d failed\n", length(files) - failed, failed))
quit(status = failed > 0)
