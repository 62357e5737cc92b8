# A block of separated values as a data frame: data.table's fread(), or scan(). Without `kinds` types are guessed;
# with them, numbers and flags are read as such and all else as text. Rows have been checked to have as many fields
# as names.

# `bytes`: the text as it was in the file.

read_table <- function(text, bytes, source, names, kinds) {
  keep <- which(!names %in% source$ignore)
  fast <- source$reader %||% if (requireNamespace("data.table", quietly = TRUE)) "fread" else "scan"
  kind <- read_kinds(names, kinds, source$types)
  if (fast == "scan") {
    return(scan_block(text, source, names, keep, kind))
  }
  if (bytes[length(bytes)] != 0x0a) text <- paste0(text, "\n") # without a line end fread() takes it for a file's name
  frame <- fread_block(text, source, names, keep, kind)
  # fread() leaves doubled quotes as they are.
  if (length(grepRaw("\"\"", bytes, fixed = TRUE)) > 0) {
    texts <- vapply(frame, is.character, NA)
    frame[texts] <- lapply(frame[texts], function(v) gsub("\"\"", "\"", v, fixed = TRUE))
  }
  frame
}

# NA: to be guessed. Dates are read as text; apply_kinds() makes them dates.
read_kinds <- function(names, kinds, types) {
  known <- if (is.null(kinds)) types else kinds
  kind <- unname(known[names])
  if (is.null(kind)) kind <- rep(NA_character_, length(names))
  kind[kind %in% c("Date", "POSIXct")] <- "character"
  kind
}

fread_block <- function(text, source, names, keep, kind) {
  classes <- split(which(!is.na(kind)), kind[!is.na(kind)])
  frame <- withCallingHandlers(
    data.table::fread(
      text = text, sep = source$sep, dec = source$dec, na.strings = source$na, header = FALSE, skip = 0L,
      blank.lines.skip = TRUE, integer64 = "double", select = NULL, colClasses = if (length(classes) > 0) classes,
      encoding = "UTF-8", showProgress = FALSE, data.table = FALSE, stringsAsFactors = FALSE
    ),
    # A type that a column does not have: apply_kinds() names the value.
    warning = function(w) if (grepl("override column", conditionMessage(w))) invokeRestart("muffleWarning")
  )
  names(frame) <- names
  frame <- frame[keep]
  dates <- vapply(frame, inherits, NA, "IDate")
  frame[dates] <- lapply(frame[dates], function(v) structure(as.double(v), class = "Date"))
  frame
}

scan_block <- function(text, source, names, keep, kind) {
  fields <- scan(
    text = text, what = rep(list(""), length(names)), sep = source$sep, quote = "\"", na.strings = source$na,
    multi.line = FALSE, blank.lines.skip = TRUE, strip.white = TRUE, encoding = "UTF-8", quiet = TRUE
  )
  names(fields) <- names
  for (k in keep) fields[[k]] <- convert_field(fields[[k]], kind[k], source$dec)
  structure(fields[keep], row.names = .set_row_names(length(fields[[1]])), class = "data.frame")
}

convert_field <- function(value, kind, dec) {
  if (identical(kind, "character")) {
    return(value)
  }
  made <- utils::type.convert(value, as.is = TRUE, dec = dec, na.strings = NA_character_)
  if (is.character(made) && is.na(kind)) {
    given <- value[!is.na(value)]
    if (all(grepl("^\\d{4}-\\d\\d-\\d\\d$", given))) {
      made <- as_dates(value)
    } else if (all(grepl("^\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d(:\\d\\d([.]\\d*)?)?Z?$", given))) {
      made <- as_times(value)
    }
  }
  made
}
