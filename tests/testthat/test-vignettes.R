# The vignettes quote numbers through code, and read only results that the package has.
vignettes <- function() {
  folder <- test_path("../../vignettes")
  skip_if_not(dir.exists(folder), "the sources of the vignettes are not here")
  files <- list.files(folder, "[.]Rmd$", full.names = TRUE)
  stats::setNames(lapply(files, readLines), basename(files))
}

# Text without code, formulas, quotations, and tables.
prose <- function(lines) {
  lines <- lines[-seq_len(which(lines == "---")[2])]
  fence <- startsWith(lines, "```")
  lines <- lines[!fence & cumsum(fence) %% 2 == 0 & !startsWith(lines, "|")]
  text <- paste(lines, collapse = "\n")
  for (mark in c("`[^`]*`", "\\$\\$[^$]*\\$\\$", "\\$[^$]*\\$", "\"[^\"]*\"")) text <- gsub(mark, "", text)
  text
}
typed_numbers <- function(text) {
  unlist(regmatches(text, gregexpr("[0-9]+[.][0-9]+|[0-9][0-9.,]* ?(%|per cent|points|seconds|times|s\\b)", text)))
}

test_that("numbers typed in prose are found, those from code are not", {
  text <- prose(c("---", "---", "Of 3.2, 5 % or `r x` %", "\"7 times\" $0.5$", "```{r}", "0.1", "```", "| 0.2 |"))
  expect_identical(typed_numbers(text), c("3.2", "5 %"))
})

test_that("no result is typed by hand into the vignettes", {
  # Not results of ours: settings of the experiments, and what the papers report.
  settings <- list(
    "bounded.Rmd" = c("98.08 %", "1806.10180"), "paper-huller.Rmd" = "0.005", "paper-kernel-online.Rmd" = "41 times",
    "paper-linear-online.Rmd" = c("5 %", "300 seconds"), "paper-ramp-loss.Rmd" = "5,000 seconds"
  )
  text <- vignettes()
  for (name in names(text)) {
    expect_identical(setdiff(typed_numbers(prose(text[[name]])), settings[[name]]), character(), info = name)
  }
})

test_that("the vignettes read results that the package has", {
  lines <- unlist(vignettes())
  calls <- unlist(regmatches(lines, gregexpr("(results|made_by)\\(\"[^\"]+\"\\)", lines)))
  names <- unique(gsub("^.*\\(\"|\"\\)$", "", calls))
  expect_gt(length(names), 10)
  for (name in names) {
    expect_true(nzchar(system.file("results", paste0(name, ".csv"), package = "onlinesvm")), info = name)
  }
})
