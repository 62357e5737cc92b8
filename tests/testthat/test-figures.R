# Figures that README, NEWS, SECURITY and the help quote are in the reports they are from. The convention: a sentence
# that names reports, `bench/results/<name>.md`, quotes these: every figure in it occurs in one of them, as it is or
# rounded. Figures are numbers with a decimal point and numbers with a unit. In a sentence that names no report they are
# settings, limits or theory, and listed below; those of vignettes and of README's tables come from code
# (test-vignettes.R, tools/readme-solvers.R).

root <- test_path("../..")
reports <- file.path(root, "bench", "results")

not_results <- list(
  "README.md" = c("0.1", "0.5", "0.9", "4.1", "0.3"), "NEWS.md" = "256", "SECURITY.md" = "200",
  "R/bridge-caret.R" = c("64", "16", "4"), "R/drift.R" = "0.2", "R/explain-shapley.R" = "1.5",
  "R/input-generators.R" = c("7.9", "18.5"), "R/kernel-nystrom.R" = c("0.01", "256"),
  "R/learn-osvm.R" = c("0.01", "5", "99"), "R/loss-quantile.R" = "0.5", "R/outcome-conformal.R" = "0.95",
  "R/shards.R" = "1,024", "R/source.R" = "4", "R/tune.R" = c("0.1", "16", "64")
)

# ---- reading ----

# Paragraphs, items of lists and rows of tables, each as one line, in sentences.
sentences <- function(lines) {
  begins <- lines == "" | grepl("^ *([*-] |[0-9]+[.] |[|]|#)", lines)
  text <- vapply(unname(split(lines, cumsum(begins))), paste, "", collapse = " ")
  trimws(unlist(strsplit(gsub("([.]\\)?) +(?=[^a-z0-9 ])", "\\1\n", text, perl = TRUE), "\n")))
}

pages <- function() {
  files <- file.path(root, c("README.md", "NEWS.md", "SECURITY.md"))
  text <- lapply(stats::setNames(files, basename(files)), function(file) {
    lines <- readLines(file, encoding = "UTF-8")
    made <- cumsum(grepl("^<!-- .*made by", lines)) > cumsum(grepl("^<!-- end of", lines))
    lines[cumsum(startsWith(lines, "```")) %% 2 == 0 & !made & !startsWith(lines, "```")]
  })
  # Of NEWS the present version
  later <- grep("^# ", text$NEWS.md)[-1]
  if (length(later) > 0) text$NEWS.md <- text$NEWS.md[seq_len(later[1] - 1)]
  files <- list.files(file.path(root, "R"), "[.]R$", full.names = TRUE)
  help <- lapply(stats::setNames(files, file.path("R", basename(files))), function(file) {
    lines <- readLines(file, encoding = "UTF-8")
    lines <- ifelse(startsWith(lines, "#'"), sub("^#' ?", "", lines), "@")
    tags <- startsWith(lines, "@")
    lines[tags] <- paste0("\n", lines[tags])
    others <- "^\n@($|examples|references|seealso|name|aliases)"
    left_out <- c(NA, grepl(others, lines[tags]))[cumsum(tags) + 1]
    sub("^\n@[a-zA-Z]* ?", "", ifelse(!is.na(left_out) & left_out, "", lines))
  })
  lapply(c(text, help), sentences)
}

figures <- function(sentence) {
  text <- gsub("`[^`]*`|\\]\\([^)]*\\)|\"[^\"]*\"|arXiv:? ?[0-9.]+|[0-9]+[.][0-9]+[.][0-9]+", "", sentence)
  units <- "(%|per cent\\b|(percentage )?points?\\b|times\\b|seconds?\\b|minutes?\\b|m?s\\b|MB\\b)"
  unit <- sprintf("(?=( to [0-9.,]+)? ?%s)", units)
  number <- "(?<![0-9.,])[0-9]+(,[0-9]{3})*"
  unlist(regmatches(text, gregexpr(sprintf("%s([.][0-9]+|([.][0-9]+)?%s)", number, unit), text, perl = TRUE)))
}

named_reports <- function(sentence) {
  unique(sub(".*/", "", unlist(regmatches(sentence, gregexpr("bench/results/[a-z0-9-]+[.]md", sentence)))))
}

as_value <- function(text) as.numeric(gsub(",", "", text))

numbers_in <- function(files) {
  text <- unlist(lapply(files, readLines, encoding = "UTF-8"))
  number <- "[0-9]+(,[0-9]{3})*([.][0-9]+)?(e[+-]?[0-9]+)?"
  as_value(unlist(regmatches(text, gregexpr(number, text))))
}

# Rounded to the decimals of the figure.
is_quoted <- function(figure, numbers) {
  value <- as_value(figure)
  decimals <- nchar(sub("^[^.]*[.]?", "", figure))
  any(abs(numbers - value) <= 0.5 * 10^-decimals * (1 + 1e-9))
}

# ---- the checks ----

test_that("figures and the reports of a sentence are found", {
  lines <- c("It is 3.2 % (`bench/results/smo.md`), not 7. In 5 s `x = 0.1`", "of 1,024 MB.", "* 2 times", "* two")
  text <- sentences(lines)
  expect_identical(lapply(text, figures), list("3.2", c("5", "1,024"), "2", character()))
  expect_identical(named_reports(text[1]), "smo.md")
  expect_true(is_quoted("3.2", c(1, 3.24)))
  expect_false(is_quoted("3.2", c(1, 3.26, 32)))
})

test_that("every figure that is quoted from a report is in it", {
  skip_if_not(dir.exists(reports), "the repository is not here")
  text <- pages()
  checked <- found_out <- 0
  left <- not_results
  for (page in names(text)) {
    for (sentence in text[[page]]) {
      named <- named_reports(sentence)
      quoted <- figures(sentence)
      if (length(named) == 0) {
        expect_identical(setdiff(quoted, not_results[[page]]), character(), info = paste0(page, ": ", sentence))
        left[[page]] <- setdiff(left[[page]], quoted)
        next
      }
      expect_true(all(file.exists(file.path(reports, named))), info = sentence)
      numbers <- numbers_in(file.path(reports, named))
      for (figure in quoted) {
        expect_true(is_quoted(figure, numbers), info = paste0(page, ": ", figure, " in ", sentence))
        checked <- checked + 1
        # A figure that is a fifth larger would most often be found out.
        other <- formatC(as_value(figure) * 1.2, digits = nchar(sub("^[^.]*[.]?", "", figure)), format = "f")
        found_out <- found_out + !is_quoted(other, numbers)
      }
    }
  }
  expect_gt(checked, 50)
  expect_gt(found_out / checked, 0.6)
  expect_length(unlist(left), 0) # exceptions that are none any more
})
