# R CMD build and R CMD check without manual and tests; one test, failed by any ERROR, WARNING or NOTE of the package's
# making. The package checked is the one in build/library, and the vignettes are knitted but not built;
# tools/test-cran.sh checks as CRAN does.
source("tools/check-log.R")
Sys.setenv(`_R_CHECK_FORCE_SUGGESTS_` = "false")
Sys.setenv(`_R_CHECK_RD_LINE_WIDTHS_` = "true")
Sys.setenv(`_R_CHECK_EXAMPLE_TIMING_THRESHOLD_` = "60") # other programs slow the machine down

rcmd <- function(verb, ...) {
  log <- file.path("build", paste0("r-cmd-", verb, ".log"))
  status <- system2(file.path(R.home("bin"), "R"), c("CMD", verb, ...), stdout = log, stderr = log)
  if (status != 0) writeLines(readLines(log, warn = FALSE))
  status
}

finish <- function(ok) {
  cat(sprintf("check: %d passed, %d failed\n", ok, !ok))
  quit(status = !ok)
}

if (nzchar(system.file(package = "knitr"))) {
  cat("Knitting the vignettes ...\n")
  if (system2("tools/knit.sh") != 0) finish(FALSE)
}

description <- read.dcf("DESCRIPTION")[1, ]
tarball <- sprintf("%s_%s.tar.gz", description["Package"], description["Version"])
cat("R CMD build ...\n")
if (rcmd("build", "--no-build-vignettes", ".") != 0) finish(FALSE)
invisible(file.rename(tarball, file.path("build", tarball)))

installed <- c("--install=check:build/install.log", "--library=build/library")
how <- c(installed, "--no-manual", "--no-tests", "--ignore-vignettes")
cat("R CMD check", how, "...\n")
invisible(rcmd("check", how, "--output=build", file.path("build", tarball)))
finish(is_clean(file.path("build", paste0(description["Package"], ".Rcheck"), "00check.log")))
