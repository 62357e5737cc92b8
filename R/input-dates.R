# Dates and date-times as numbers: days and seconds since 1970-01-01.

# "days" or "seconds" for each column of dates or date-times, named; with a message if there are any.
date_units <- function(x) {
  units <- unlist(lapply(x, function(column) {
    if (inherits(column, "Date")) "days" else if (inherits(column, "POSIXt")) "seconds"
  }))
  for (unit in unique(units)) {
    columns <- names(units)[units == unit]
    inform(
      "{cli::qty(columns)}Column{?s} {.var {columns}} {?is/are} taken as {?a number/numbers} of {unit}
       since 1970-01-01."
    )
  }
  units
}

# The columns in `units` as numbers. Dates in place of date-times, and the reverse, are converted;
# numbers are taken as they are.
number_dates <- function(x, units) {
  for (name in intersect(names(units), names(x))) {
    x[[name]] <- number_date(x[[name]], units[[name]])
  }
  x
}

number_date <- function(column, unit) {
  if (inherits(column, "Date")) {
    as.numeric(column) * if (identical(unit, "seconds")) 86400 else 1
  } else if (inherits(column, "POSIXt")) {
    as.numeric(as.POSIXct(column)) / if (identical(unit, "days")) 86400 else 1
  } else {
    column
  }
}
