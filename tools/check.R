# R CMD build and R CMD check without the manual; one test, failed by any ERROR, WARNING or NOTE of the package's making.
# The package checked is the one in build/library, and the vignettes are knitted but not built.
# tools/check.R all: as CRAN runs it, installed and with vignettes built for it, and with the manual if there is a LaTeX.
# Neither runs the tests, which are rings of their own.
Sys.setenv(`_R_CHECK_FORCE_SUGGESTS_` = "false", `_R_CHECK_CRAN_INCOMING_REMOTE_` = "false")
as_cran <- "all" %in% commandArgs(TRUE)
manual <- as_cran && nzchar(Sys.which("pdflatex"))
if (as_cran && !manual) cat("No pdflatex: the manual is left out.\n")
# R sets manuals in Inconsolata, and in the standard fonts where that is not installed.
if (manual && system("kpsewhich inconsolata.sty > /dev/null") != 0) Sys.setenv(R_RD4PDF = "times,hyper")
Sys.setenv(`_R_CHECK_EXAMPLE_TIMING_THRESHOLD_` = "60") # other programs slow the machine down

# As CRAN runs it, suggested packages that are not installed are looked up among CRAN's orphans: here, where CRAN is out
# of reach, among none.
if (as_cran && inherits(suppressWarnings(try(tools::CRAN_package_db(), silent = TRUE)), "try-error")) {
  cat("CRAN's table of packages is out of reach: orphaned packages are left out.\n")
  web <- file.path(getwd(), "build", "cran")
  dir.create(file.path(web, "web", "packages"), recursive = TRUE, showWarnings = FALSE)
  saveRDS(data.frame(Package = character(), Maintainer = character()), file.path(web, "web", "packages", "packages.rds"))
  Sys.setenv(R_CRAN_WEB = paste0("file://", web))
}

# Lines of NOTEs that are about the machine, not about the package; a NOTE with any other line counts.
not_ours <- c(
  # asks a time server, which may be out of reach
  "for future file timestamps" = "^unable to verify current time",
  # a package that is not on CRAN yet
  "CRAN incoming feasibility" = "^Maintainer:|^New submission",
  # Debian's R was built with hardening flags that are not portable
  "compilation flags used" = "^Compilation used the following|^ *.-",
  # a suggested package that is not installed
  "package dependencies" = "^Packages? suggested but not available|^ *'"
)

is_known <- function(check, output) {
  lines <- strsplit(output, "\n")[[1]]
  check %in% names(not_ours) && all(grepl(not_ours[[check]], lines[nzchar(trimws(lines))]))
}

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
if (as_cran && !vignettes) cat("No pandoc or rmarkdown: the vignettes are left out.\n")
vignettes <- as_cran && vignettes
description <- read.dcf("DESCRIPTION")[1, ]
tarball <- sprintf("%s_%s.tar.gz", description["Package"], description["Version"])

# In a copy, where figures do no harm
knit_all <- function() {
  unlink("build/vignettes", recursive = TRUE)
  file.copy("vignettes", "build", recursive = TRUE)
  home <- setwd("build/vignettes")
  on.exit(setwd(home))
  for (file in list.files(pattern = "[.]Rmd$")) {
    knitr::opts_chunk$restore()
    knitr::opts_chunk$set(error = FALSE)
    tryCatch(knitr::knit(file, envir = new.env(), quiet = TRUE), error = function(e) {
      cat("vignettes/", file, ": ", conditionMessage(e), "\n", sep = "")
      setwd(home)
      finish(FALSE)
    })
  }
}
if (!as_cran && nzchar(system.file(package = "knitr"))) {
  cat("Knitting the vignettes ...\n")
  knit_all()
}

cat("R CMD build ...\n")
if (rcmd("build", if (!vignettes) "--no-build-vignettes", ".") != 0) finish(FALSE)
invisible(file.rename(tarball, file.path("build", tarball)))

# Debian compiles with -g; without debug symbols the library has the size that others see.
how <- c(
  if (as_cran) c("--as-cran", "--install-args=--strip"),
  if (!as_cran) c("--install=check:build/install.log", "--library=build/library"),
  if (!manual) "--no-manual", "--no-tests", if (vignettes) "--no-vignettes" else "--ignore-vignettes"
)
cat("R CMD check", how, "...\n")
invisible(rcmd("check", how, "--output=build", file.path("build", tarball)))
log <- file.path("build", paste0(description["Package"], ".Rcheck"), "00check.log")
found <- tools::check_packages_in_dir_details(logs = log, drop_ok = TRUE)
known <- found$Check == "*" | found$Status == "NOTE" & mapply(is_known, found$Check, found$Output)
found <- found[!known | found$Status %in% c("ERROR", "WARNING"), ]
for (i in seq_len(nrow(found))) {
  cat(sprintf("%s in %s\n%s\n\n", found$Status[i], found$Check[i], found$Output[i]))
}
complete <- any(grepl("^Status:", readLines(log, warn = FALSE)))
finish(nrow(found) == 0 && complete)
