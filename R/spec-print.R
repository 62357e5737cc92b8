#' Print a solver, a kernel or a loss
#'
#' `format()` gives the spec (the name and the parameters) on one line. For a solver it leaves out flags, choices and
#' infinite bounds at their defaults. `print()` gives the title and all parameters. A parameter with several values is a
#' grid; one without a value is chosen from the data when the model is trained.
#'
#' @param x A solver, such as [solver_olsvm()], a kernel, such as [kernel_rbf()], or a loss, such as [loss_epsilon()].
#' @param ... Not used: an unknown argument is an error.
#'
#' @returns `format()` returns a string, `print()` its argument, invisibly.
#'
#' @seealso [solvers()], [kernels], [losses]
#' @examples
#' solver_olsvm(C = 10)
#' kernel_rbf(sigma = c(0.1, 1, 10))
#' format(kernel_polynomial(degree = 2))
#' @name print-spec
NULL

#' @rdname print-spec
#' @export
print.osvm_solver <- function(x, ...) {
  check_dots("print", ...)
  kind <- spec_kind(x)
  check_ranges(x, kind)
  cat_line("<", kind, "> ", if (kind == "solver") solver_title(x) else x$name)
  print_params(x$params)
  invisible(x)
}

#' @rdname print-spec
#' @export
print.osvm_kernel <- print.osvm_solver

#' @rdname print-spec
#' @export
print.osvm_loss <- print.osvm_solver

#' @rdname print-spec
#' @export
format.osvm_solver <- function(x, ...) {
  check_dots("format", ...)
  kind <- spec_kind(x)
  check_ranges(x, kind)
  if (kind == "solver") {
    # Flags, choices and bounds at their defaults are left out.
    usual <- constructor("solver", x$name)()$params
    switch <- vapply(x$params, function(value) !is.numeric(value) || any(is.infinite(value)), NA)
    same <- vapply(names(x$params), function(name) identical(x$params[[name]], usual[[name]]), NA)
    x$params <- x$params[!(switch & same)]
  }
  format_spec(x)
}

#' @rdname print-spec
#' @export
format.osvm_kernel <- format.osvm_solver

#' @rdname print-spec
#' @export
format.osvm_loss <- format.osvm_solver

spec_kind <- function(x) spec_kinds[inherits(x, paste0("osvm_", spec_kinds), which = TRUE) > 0]

print_params <- function(params) {
  if (length(params) > 0) {
    print_fields(vapply(params, format_param, "", verbose = TRUE))
  }
}

format_spec <- function(x) {
  given <- x$params[!vapply(x$params, is.null, NA)]
  values <- vapply(given, format_param, "")
  pairs <- paste(names(given), "=", values, recycle0 = TRUE)
  if (length(pairs) == 0) {
    return(x$name)
  }
  paste0(x$name, "(", paste(pairs, collapse = ", "), ")")
}

format_param <- function(value, verbose = FALSE) {
  if (is.null(value)) {
    return("chosen from the data")
  }
  if (is.function(value)) {
    return(if (verbose) "an R function, which models keep" else "an R function")
  }
  shown <- value
  if (is.numeric(value)) {
    shown <- vapply(value, format, "", digits = 4)
  } else if (is.character(value)) {
    shown <- dQuote(value, FALSE)
  }
  if (length(value) == 1) {
    return(as.character(shown))
  }
  shown <- paste(shown, collapse = ", ")
  if (verbose) paste0(shown, " (a grid)") else paste0("c(", shown, ")")
}

solver_title <- function(solver) {
  known <- solver_table()
  title <- known$title[match(solver$name, known$name)]
  if (is.na(title)) solver$name else title
}
