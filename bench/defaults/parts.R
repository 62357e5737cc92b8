# Which sets defaults were chosen on: those at odd places of the list, and those on which the search was (bench/tables.R).
parts_of <- function(sets) {
  tables <- new.env()
  sys.source("bench/tables/sets.R", tables)
  searched <- names(tables$part)[tables$part == "chosen"]
  stats::setNames(ifelse(seq_along(sets) %% 2 == 1 | sets %in% searched, "chosen", "held out"), sets)
}
