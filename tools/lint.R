# lintr over the R code of the package, with the linters of .lintr: Rscript tools/lint.R. Ends with
# "lint: N passed, N failed", a test per file. Files found clean are not read again until they or .lintr change.
if (!nzchar(system.file(package = "lintr"))) {
  cat("No lintr: the check of the R code's style is left out.\nlint: 0 passed, 0 failed\n")
  quit(status = 0)
}
linters <- eval(str2lang(read.dcf(".lintr")[, "linters"]), asNamespace("lintr"))

# cyclocomp_linter() builds a flow graph, which takes longer than all other linters together. Unless exhaustive it runs only
# on functions with many branches, whose number bounds McCabe's.
cyclocomp <- linters$cyclocomp_linter
if (!nzchar(Sys.getenv("OSVM_TEST_ALL")) && !is.null(cyclocomp)) {
  linters$cyclocomp_linter <- lintr::Linter(function(source_expression) {
    words <- source_expression$parsed_content$token
    many <- sum(words %in% c("IF", "FOR", "WHILE", "REPEAT", "AND2", "OR2", "FUNCTION")) > 14
    if (many) cyclocomp(source_expression) else list()
  })
}

files <- list.files(c("R", "tests", "inst", "vignettes"), "[.](R|Rmd)$", recursive = TRUE, full.names = TRUE)
known <- file.path("build", "lint.rds")
versions <- paste(tools::md5sum(files), tools::md5sum(".lintr"), tools::md5sum("tools/lint.R"))
clean <- versions %in% if (file.exists(known)) readRDS(known)
for (i in which(!clean)) {
  found <- lintr::lint(files[i], linters = linters, parse_settings = FALSE)
  clean[i] <- length(found) == 0
  if (!clean[i]) print(found)
}
dir.create("build", showWarnings = FALSE)
saveRDS(versions[clean], known)
cat(sprintf("lint: %d passed, %d failed\n", sum(clean), sum(!clean)))
quit(status = any(!clean))
