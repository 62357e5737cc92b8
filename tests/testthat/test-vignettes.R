# The vignettes quote numbers through code, and read only results that are beside them.
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
    "paper-linear-online.Rmd" = c("5 %", "300 seconds"), "paper-ramp-loss.Rmd" = "5,000 seconds",
    "tables.Rmd" = "5 %"
  )
  text <- vignettes()
  for (name in names(text)) {
    expect_identical(setdiff(typed_numbers(prose(text[[name]])), settings[[name]]), character(), info = name)
  }
})

test_that("the vignettes read results that are there", {
  lines <- unlist(vignettes())
  calls <- unlist(regmatches(lines, gregexpr("(results|made_by)\\(\"[^\"]+\"\\)", lines)))
  names <- unique(gsub("^.*\\(\"|\"\\)$", "", calls))
  expect_gt(length(names), 10)
  for (name in names) {
    expect_true(file.exists(test_path("../../vignettes/results", paste0(name, ".csv"))), info = name)
  }
})

test_that("every figure has a caption and a text for those who cannot see it", {
  draws <- "^ *(plot|panels|stacked|margins|panel|grid_panel|layout)\\("
  text <- vignettes()
  found <- 0
  for (name in names(text)) {
    lines <- text[[name]]
    starts <- grep("^```\\{r", lines)
    for (start in starts[!grepl("include = FALSE|eval = FALSE", lines[starts])]) {
      end <- start + match("```", lines[-seq_len(start)])
      if (any(grepl(draws, lines[start:end]))) {
        found <- found + 1
        expect_match(lines[start], "fig.cap = \"[^\"]+\".*fig.alt = \"[^\"]+\"", info = name)
      }
    }
  }
  expect_gt(found, 30)
})

test_that("?onlinesvm lists all classes of conditions", {
  folder <- test_path("../../R")
  skip_if_not(dir.exists(folder), "the sources are not here")
  signalled <- function(code) {
    if (!is.call(code)) {
      return()
    }
    own <- if (is.name(code[[1]]) && as.character(code[[1]]) %in% c("warn", "inform") && length(code) > 2) code[[3]]
    c(if (is.character(own)) own, unlist(lapply(as.list(code)[-1], function(part) if (!missing(part)) signalled(part))))
  }
  code <- lapply(list.files(folder, "[.]R$", full.names = TRUE), parse, keep.source = FALSE)
  classes <- unlist(lapply(code, function(file) lapply(as.list(file), signalled)))
  lines <- readLines(file.path(folder, "onlinesvm-package.R"))
  listed <- sub("^#' [|] `(osvm_[a-z_]+)`.*", "\\1", grep("^#' [|] `osvm_", lines, value = TRUE))
  expect_setequal(listed, c(classes, "osvm_error", "osvm_message"))
})

test_that("links between the pages of the repository lead to files", {
  root <- test_path("../..")
  skip_if_not(dir.exists(file.path(root, "bench")), "the repository is not here")
  pages <- c("README.md", "NEWS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "STANDARDS.md")
  text <- unlist(lapply(c(file.path(root, pages)), readLines))
  links <- gsub("^.*\\]\\(|\\)$", "", unlist(regmatches(text, gregexpr("\\]\\([^)# ]+\\)", text))))
  links <- unique(grep("^[a-z]+:", links, value = TRUE, invert = TRUE))
  expect_gt(length(links), 10)
  expect_identical(links[!file.exists(file.path(root, links))], character())
})

test_that("vignettes that are named are there", {
  names <- sub("[.]Rmd$", "", names(vignettes()))
  man <- unlist(lapply(list.files(test_path("../../R"), "[.]R$", full.names = TRUE), readLines))
  text <- c(unlist(vignettes()), man)
  named <- unlist(regmatches(text, gregexpr("vignette\\(\"[a-z-]+\"", text)))
  expect_identical(setdiff(gsub("^vignette\\(\"|\"$", "", named), names), character())
})

test_that("formulas are MathML, and pages ask no other host for anything", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "no pandoc")
  to_html <- c("-f", "markdown", "-t", "html", "--mathml")
  formulas <- 0
  text <- vignettes()
  for (name in names(text)) {
    lines <- text[[name]]
    fence <- startsWith(lines, "```")
    lines <- gsub("`[^`]*`", "", lines[!fence & cumsum(fence) %% 2 == 0])
    html <- system2(rmarkdown::pandoc_exec(), to_html, input = lines, stdout = TRUE)
    formulas <- formulas + sum(grepl("<math", html, fixed = TRUE))
    expect_identical(grep("class=\"math", html, value = TRUE), character(), info = name) # what pandoc left as TeX
  }
  expect_gt(formulas, 50)

  folder <- withr::local_tempdir()
  file.copy(test_path("../../vignettes/_output.yml"), folder)
  page <- file.path(folder, "page.Rmd")
  head <- c("title: Page", "output: rmarkdown::html_vignette", "vignette: >", "  %\\VignetteIndexEntry{Page}")
  writeLines(c("---", head, "---", "", "$a^2$", "", "```{r}", "plot(1)", "```"), page)
  html <- readLines(rmarkdown::render(page, quiet = TRUE))
  expect_match(html, "<math", fixed = TRUE, all = FALSE)
  expect_identical(grep("(src|href)=\"(https?:)?//|[mM]ath[jJ]ax", html, value = TRUE), character())
})

test_that("pages open with what they are for, and are listed in one order", {
  text <- vignettes()
  for (name in names(text)) {
    lines <- text[[name]]
    before <- lines[seq_len(grep("^## ", lines)[1] - 1)]
    expect_match(paste(before, collapse = " "), "This page ", fixed = TRUE, info = name)
  }
  root <- test_path("../..")
  skip_if_not(file.exists(file.path(root, "_pkgdown.yml")), "the repository is not here")
  site <- readLines(file.path(root, "_pkgdown.yml"))
  listed <- sub("^  - ", "", grep("^  - ", site[grep("^articles:", site):length(site)], value = TRUE))
  listed <- listed[listed %in% sub("[.]Rmd$", "", names(text))]
  expect_setequal(listed, sub("[.]Rmd$", "", names(text)))
  readme <- readLines(file.path(root, "README.md"))
  from <- readme[grep("^## Documentation", readme):length(readme)]
  named <- unlist(regmatches(from, gregexpr("`\"[a-z-]+\"|vignette\\(\"[a-z-]+\"", from)))
  expect_identical(gsub("^`|vignette\\(|\"", "", named), listed)
})
