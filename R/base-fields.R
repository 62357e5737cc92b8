# Models, tunings, curves, results of streams are plain lists that may come from a file: before one is used, the fields
# that are relied on are checked against a table of their types.

# A type tests a value, given the object that it is a part of: TRUE, or anything else, text being what is wrong. `must`:
# what the value must be, for the error; `fields`: the table of a list.
type <- function(must, test, fields = NULL) list(must = must, test = test, fields = fields, null = FALSE)

or_null <- function(type) replace(type, "null", TRUE)
record <- function(...) type("a list", function(x, ...) is.list(x), list(...))
of_class <- function(class) type(paste("of class", class), function(x, ...) inherits(x, class))
one_of <- function(choices) type(toString(choices), function(x, ...) is_one_text(x) && x %in% choices)
numbers_table <- function(columns) type(paste("a table of", toString(columns)), function(x, ...) is_table(x, columns))

# Of a model: numbers per feature, machine, class or support vector.
numbers <- function(per, least = -Inf) {
  type(paste("a number per", per), function(x, model) all_finite(x, sizes[[per]](model)) && all(x >= least))
}

sizes <- list(
  feature = function(model) model$n_features, machine = function(model) length(model$machines$positive),
  class = function(model) length(model$levels), vector = function(model) nrow(model$sv)
)

# A data frame with these columns and others, and a test of each.
table_with <- function(...) {
  tests <- list(...)
  type(paste("a table with", toString(names(tests))), function(x, ...) {
    is_plain_table(x) && all(vapply(names(tests), function(name) tests[[name]](x[[name]]), NA))
  })
}

# `of`: what the object is called, and how to make another.
check_fields <- function(object, fields, of = c("The model", "Fit it anew with {.fn osvm}.")) {
  found <- if (is.list(object)) find_damage(object, fields, object) else "it is not a list"
  if (!is.null(found)) abort(c(paste(of[1], "is damaged: {found}."), i = of[2]))
  invisible(object)
}

# The first field that is not of its type, as a sentence without its end. A missing field is NULL.
find_damage <- function(x, fields, object, path = "") {
  for (name in names(fields)) {
    type <- fields[[name]]
    value <- .subset2(x, name)
    if (is.null(value) && type$null) next
    passed <- type$test(value, object)
    found <- if (!isTRUE(passed)) {
      if (is.character(passed)) passed else paste0("`", path, name, "` must be ", type$must)
    } else if (!is.null(type$fields)) {
      find_damage(value, type$fields, object, paste0(path, name, "$"))
    }
    if (!is.null(found)) {
      return(found)
    }
  }
}

has_fields <- function(x, fields) is.list(x) && is.null(find_damage(x, fields, x))

# `ok` may be anything that a damaged field makes of a comparison.
need <- function(ok, what) if (!isTRUE(ok)) check_fields(list(), list(it = type("", function(...) what)))

# The lists `<kind>_<what>` of the files before the caller's, by kind, with the defaults of what they leave out: a file
# more is a kind more.
tables_named <- function(what, defaults = list(), where = parent.frame()) {
  ending <- paste0("_", what, "$")
  tables <- Filter(is.list, mget(ls(where, pattern = ending, sorted = TRUE), where))
  names(tables) <- sub(ending, "", names(tables))
  lapply(tables, function(table) utils::modifyList(defaults, table))
}

# ---- tests ----

is_one_number <- function(x, ...) is.numeric(x) && !is.object(x) && length(x) == 1 && is.finite(x)
is_one_flag <- function(x, ...) is.logical(x) && length(x) == 1 && !is.na(x)
is_one_text <- function(x, ...) is.character(x) && length(x) == 1 && !is.na(x)
is_names <- function(x) is.character(x) && !anyNA(x) && anyDuplicated(x) == 0
is_plain_number <- function(x, ...) is.numeric(x) && !is.object(x) && is.null(dim(x))

# A sum with a value that is not finite is not finite.
all_finite <- function(x, length) {
  is.numeric(x) && length(x) == length && (is.finite(sum(x)) || all(is.finite(x)))
}

# A data frame of these columns, all of them numbers.
is_table <- function(x, columns, rows = if (length(unclass(x)) > 0) length(unclass(x)[[1]]) else 0) {
  ok <- is.data.frame(x) && identical(names(x), columns) && .row_names_info(x, 2L) == rows
  if (ok) for (v in unclass(x)) ok <- ok && (is.numeric(v) || is.logical(v)) && !is.object(v) && length(v) == rows
  ok
}

# A data frame of columns known to fit; data.frame() would take longer than a short update.
as_table <- function(columns, row_names = NULL) {
  attr(columns, "row.names") <- if (is.null(row_names)) .set_row_names(length(columns[[1]])) else row_names
  class(columns) <- "data.frame"
  columns
}

# A data frame whose parts fit together, whoever made it.
is_plain_table <- function(table) {
  is.list(table) && is.data.frame(table) && is_names(names(table)) &&
    all(vapply(unclass(table), function(v) is.null(dim(v)) && is.atomic(v), NA)) &&
    all(lengths(unclass(table)) == nrow(table))
}

a_number <- type("one number", is_one_number)
a_flag <- type("TRUE or FALSE", is_one_flag)
a_text <- type("one text", is_one_text)
a_list <- record()
