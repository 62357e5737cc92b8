# A function of a package that testthat (callr), mlr3 (lgr), parsnip (rlang) or vetiver (pins) brings.
brought <- function(package, name) {
  skip_if_not_installed(package)
  getExportedValue(package, name)
}
