# R CMD build and R CMD check without the manual; one test, failed by any ERROR, WARNING or NOTE of the package's making.
# tools/check.R all: as CRAN runs it, and with the manual if there is a LaTeX.
# It does not run the tests, which are rings of their own, nor the vignettes' code, which R CMD build has run.
Sys.setenv(`_R_CHECK_FORCE_SUGGESTS_` = "false", `_R_CHECK_CRAN_INCOMING_REMOTE_` = "false")
as_cran <- "all" %in% commandArgs(TRUE)
# R's manuals are set in Inconsolata.
manual <- as_cran && nzchar(Sys.which("pdflatex")) && system("kpsewhich inconsolata.sty > /dev/null") == 0
if (as_cran && !manual) cat("No pdflatex with inconsolata.sty: the manual is left out.\n")
Sys.setenv(`_R_CHECK_EXAMPLE_TIMING_THRESHOLD_` = "60") # other programs slow the machine down

# Checks whose NOTE is about the machine, not about the package:
not_ours <- c(
  "for future file timestamps", # asks a time server, which may be out of reach
  "CRAN incoming feasibility", # a package that is not on CRAN yet
  "foreign function calls", # as CRAN runs it: the entry point is an argument of run_core()
  "installed package size", # Debian compiles with -g: debug symbols make the library large
  "compilation flags used", # Debian's R was built with hardening flags that are not portable
  "package dependencies" # a suggested package that is not installed
)

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

vignettes <- nzchar(Sys.which("pandoc")) && nzchar(system.file(package = "rmarkdown"))
if (!vignettes) cat("No pandoc or rmarkdown: the vignettes are left out.\n")
description <- read.dcf("DESCRIPTION")[1, ]
tarball <- sprintf("%s_%s.tar.gz", description["Package"], description["Version"])

cat("R CMD build ...\n")
if (rcmd("build", if (!vignettes) "--no-build-vignettes", ".") != 0) finish(FALSE)
invisible(file.rename(tarball, file.path("build", tarball)))

how <- c(if (as_cran) "--as-cran", if (!manual) "--no-manual")
cat("R CMD check", how, "...\n")
invisible(rcmd(
  "check", how, "--no-tests", if (vignettes) "--no-vignettes" else "--ignore-vignettes",
  "--output=build", file.path("build", tarball)
))
log <- file.path("build", paste0(description["Package"], ".Rcheck"), "00check.log")
found <- tools::check_packages_in_dir_details(logs = log, drop_ok = TRUE)
found <- found[!found$Check %in% c("*", not_ours) | found$Status %in% c("ERROR", "WARNING"), ]
for (i in seq_len(nrow(found))) {
  cat(sprintf("%s in %s\n%s\n\n", found$Status[i], found$Check[i], found$Output[i]))
}
complete <- any(grepl("^Status:", readLines(log, warn = FALSE)))
finish(nrow(found) == 0 && complete)
