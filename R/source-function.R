# Rows from a user's function.

#' @rdname sources
#' @export
source_function <- function(f) {
  if (!is.function(f)) {
    abort("{.arg f} must be a function of the number of rows wanted, not {.obj_type_friendly {f}}.")
  }
  new_source("function", f = f)
}

open_function <- function(source, position = NULL) {
  taken <- position$taken %||% 0
  if (taken > 0 && !takes_position(source$f)) {
    abort(c(
      "The source is a function that cannot begin with row {big(taken + 1)}.",
      i = "Give {.arg f} an argument {.arg position}: the rows delivered before."
    ))
  }
  ended <- FALSE
  first <- TRUE
  list(
    read = function(n) {
      if (ended) {
        return(NULL)
      }
      got <- if (first && takes_position(source$f)) source$f(n, position = taken) else source$f(n)
      first <<- FALSE
      ended <<- is.null(got)
      if (!ended) {
        got <- check_delivered(got, n)
        taken <<- taken + nrow(got$x)
      }
      got
    },
    position = function() list(taken = taken),
    close = function() NULL
  )
}

takes_position <- function(f) "position" %in% names(formals(args(f)))

check_delivered <- function(got, n) {
  if (!is.list(got) || length(dim(got$x)) != 2) {
    abort("{.arg f} must return {.code list(x =, y =)} with a matrix or data frame {.field x}, or NULL at the end.")
  }
  if (nrow(got$x) > n) {
    abort("{.arg f} must return at most the {plural(n, 'row')} it is asked for; it returned {big(nrow(got$x))}.")
  }
  if (!is.null(got$y) && (!is.atomic(got$y) || length(got$y) != nrow(got$x))) {
    abort("{.arg f} must return a label for each row, NA where missing, or none at all.")
  }
  list(x = got$x, y = got$y)
}

function_source <- list(
  open = open_function, position = "taken", goes_on = "where `f` does, which is called with `position`",
  describe = function(source) {
    c(resumes = if (takes_position(source$f)) "by its argument position" else "no: f has no argument position")
  }
)
