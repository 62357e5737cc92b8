# Arguments in `...` that a function does not have: most of them are misspelt, or habits from
# other packages (habits.R). They are refused by name, without being evaluated.

# By default the known arguments are those of the caller; `.also` may be in `...`.
check_dots <- function(name, ..., .known = names(formals(sys.function(sys.parent()))), .also = NULL) {
  if (...length() > 0) {
    given <- dot_names(...)
    refuse_arguments(name, given[!given %in% .also], c(.known, .also))
  }
}

# Arguments that are passed on to `method`, which takes parts of names and arguments without a
# name as well.
check_passed <- function(name, method, ..., .also = NULL) {
  if (...length() > 0) {
    given <- dot_names(...)
    known <- setdiff(c(names(formals(method)), .also), "...")
    extra <- given[given != "" & is.na(pmatch(given, known, duplicates.ok = TRUE))]
    refuse_arguments(name, extra, union(names(formals(sys.function(sys.parent()))), known))
  }
}

dot_names <- function(...) {
  names <- names(substitute(list(...)))[-1]
  if (is.null(names)) rep("", ...length()) else names
}

refuse_arguments <- function(name, extra, known) {
  if (length(extra) == 0) {
    return(invisible())
  }
  named <- extra[extra != ""]
  if (length(named) == 0) {
    abort("{.fn {name}} was given {length(extra)} argument{?s} too many.")
  }
  hints <- unlist(lapply(named, argument_hint, name = name, known = known))
  abort(c("{.fn {name}} has no {cli::qty(named)}argument{?s} {.arg {named}}.", i = utils::head(hints, 1)))
}

# A habit's answer, else the argument of the most similar name.
argument_hint <- function(argument, name, known) {
  habit <- find_habit(argument, name)
  if (!is.null(habit)) {
    return(habit)
  }
  meant <- nearest(argument, setdiff(known, c("...", argument)))
  if (!is.null(meant)) paste0("Did you mean {.arg ", meant, "}?")
}

# The most similar of the names, if it is similar: two letters swapped count as two changes.
nearest <- function(word, names) {
  distance <- utils::adist(word, names, ignore.case = TRUE)
  allowed <- if (nchar(word) < 4) nchar(word) - 1 else max(2, nchar(word) %/% 3)
  if (length(names) > 0 && min(distance) <= min(allowed, nchar(word) - 1)) names[which.min(distance)]
}

# What plot methods pass on to plot.default(). The names of par() are listed because par() would
# open a device.
graphics_arguments <- function() c(names(formals(graphics::plot.default)), par_names)

par_names <- c(
  "xlog", "ylog", "adj", "ann", "ask", "bg", "bty", "cex", "cex.axis", "cex.lab", "cex.main", "cex.sub", "cin", "col",
  "col.axis", "col.lab", "col.main", "col.sub", "cra", "crt", "csi", "cxy", "din", "err", "family", "fg", "fig", "fin",
  "font", "font.axis", "font.lab", "font.main", "font.sub", "lab", "las", "lend", "lheight", "ljoin", "lmitre", "lty",
  "lwd", "mai", "mar", "mex", "mfcol", "mfg", "mfrow", "mgp", "mkh", "new", "oma", "omd", "omi", "page", "pch", "pin",
  "plt", "ps", "pty", "smo", "srt", "tck", "tcl", "usr", "xaxp", "xaxs", "xaxt", "xpd", "yaxp", "yaxs", "yaxt", "ylbias"
)
