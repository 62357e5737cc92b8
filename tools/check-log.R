# What a log of R CMD check finds, apart from NOTEs about the machine.

# Lines of NOTEs that are about the machine, not about the package; a NOTE with any other line counts.
not_ours <- c(
  # asks a time server, which may be out of reach
  "for future file timestamps" = "^unable to verify current time",
  # a package that is not on CRAN yet
  "CRAN incoming feasibility" = "^Maintainer:|^New submission",
  # Debian's R was built with hardening flags that are not portable
  "compilation flags used" = "^Compilation used the following|^ *.-",
  # a package that is suggested or enhanced, and not installed
  "package dependencies" = "^Packages? (suggested|which this enhances) but not available|^ *'"
)

is_known <- function(check, output) {
  lines <- strsplit(output, "\n")[[1]]
  check %in% names(not_ours) && all(grepl(not_ours[[check]], lines[nzchar(trimws(lines))]))
}

# Prints each ERROR, WARNING and NOTE of the package's making. Is there none, and did the check come to its end?
is_clean <- function(log) {
  found <- tools::check_packages_in_dir_details(logs = log, drop_ok = TRUE)
  note <- grepl("note", found$Status, ignore.case = TRUE)
  known <- found$Check == "*" | note & mapply(is_known, found$Check, found$Output)
  found <- found[!known | found$Status %in% c("ERROR", "WARNING"), ]
  for (i in seq_len(nrow(found))) {
    cat(sprintf("%s in %s\n%s\n\n", found$Status[i], found$Check[i], found$Output[i]))
  }
  nrow(found) == 0 && any(grepl("^Status:", readLines(log, warn = FALSE)))
}
