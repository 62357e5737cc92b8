# Which results are older than the code that they measure: for each report of bench/results the commit that it was measured
# at and the commits since that changed code in the files that it measures (bench/measures.csv), comments aside.
#   Rscript tools/results.R [--check]
# --check prints their number alone. It fails where a report names no commit, or one that is not in the history, has no
# entry in the table, or measures files that are not there. Without a history nothing is counted.
reports <- sub("[.]md$", "", list.files("bench/results", "[.]md$"))
measures <- utils::read.csv("bench/measures.csv", comment.char = "#", stringsAsFactors = FALSE)
sources <- list.files(c("R", "src"), "[.][RchS]$", full.names = TRUE)
git <- function(...) suppressWarnings(system2("git", c(...), stdout = TRUE, stderr = FALSE))
has_history <- dir.exists(".git") || file.exists(".git")
has_history <- has_history && identical(tryCatch(git("rev-parse", "--is-shallow-repository"), error = identity), "false")

failed <- character()
fail <- function(report, what) {
  failed <<- c(failed, report)
  cat(sprintf("bench/results/%s.md %s\n", report, what))
}
commits_of <- function(report) {
  text <- readLines(file.path("bench", "results", paste0(report, ".md")), encoding = "UTF-8")
  unique(sub(".* ", "", unlist(regmatches(text, gregexpr("(; commit|Measured at) [0-9a-f]{7,40}", text)))))
}
# Pages that quote a report
pages <- c("README.md", "NEWS.md", "SECURITY.md", list.files(c("R", "vignettes"), "[.]R(md)?$", full.names = TRUE))
text <- unlist(lapply(pages, readLines, encoding = "UTF-8"))
is_quoted <- function(report) if (any(grepl(sprintf("results/%s.md", report), text, fixed = TRUE))) "yes" else ""

# Changes of lines that are neither empty nor a comment.
count_since <- function(commit, files) {
  code <- shQuote("^[[:space:]]*[^[:space:]/*#]")
  length(git("log", "--format=%h", "--no-merges", "-G", code, paste0(commit, "..HEAD"), "--", files))
}

table <- do.call(rbind, lapply(reports, function(report) {
  stems <- strsplit(measures$measures[match(report, measures$report)], " ", fixed = TRUE)[[1]]
  commits <- commits_of(report)
  files <- lapply(stems, function(stem) sources[grepl(sprintf("^%s([-.]|$)", stem), basename(sources))])
  if (anyNA(stems) || length(stems) == 0) {
    fail(report, "has no entry in bench/measures.csv")
  } else if (any(lengths(files) == 0)) {
    fail(report, paste("measures", toString(stems[lengths(files) == 0]), "of which there is no file"))
  } else if (length(commits) == 0) {
    fail(report, "does not name the commit that it was measured at")
  } else {
    if (!has_history) return(data.frame(report, commit = commits[1], since = NA, quoted = is_quoted(report)))
    known <- vapply(commits, function(commit) {
      length(git("rev-parse", "--verify", "--quiet", paste0(commit, "^{commit}"))) == 1
    }, NA)
    if (!all(known)) {
      return(fail(report, paste("is of a commit that is not in the history:", toString(commits[!known]))))
    }
    since <- vapply(commits, count_since, 0, unlist(files))
    return(data.frame(report, commit = commits[which.max(since)], since = max(since), quoted = is_quoted(report)))
  }
  NULL
}))
for (report in setdiff(measures$report, reports)) fail(report, "is in bench/measures.csv, but not there")

table <- table[order(-table$since, table$report), ]
if (!"--check" %in% commandArgs(TRUE)) {
  cat("Commits that changed what a report measures since it was measured:\n\n")
  print(table, row.names = FALSE, right = FALSE)
}
if (has_history) {
  older <- table$since > 0
  cat(sprintf(
    "%d of %d reports predate changes of the code that they measure, %d of them quoted: make results lists them.\n",
    sum(older), nrow(table), sum(table$quoted[older] == "yes")
  ))
} else {
  cat("No history here: commits since the results are left out.\n")
}
all <- unique(c(reports, measures$report))
cat(sprintf("results: %d passed, %d failed\n", length(setdiff(all, failed)), length(unique(failed))))
quit(status = as.integer(length(failed) > 0))
