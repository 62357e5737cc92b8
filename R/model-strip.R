#' A model without its training state
#'
#' Keeps what [`predict()`][predict.osvm] needs and nothing else, for deployment. The state that
#' [`update()`][update.osvm], [forget()] and [loo()] continue from is removed, and so are the trace, the call and
#' examples whose coefficients are 0. Predictions are the same, up to rounding.
#'
#' @param object A model made by [osvm()].
#' @param ... Not used: an unknown argument is an error.
#' @return The model, smaller; it predicts and prints, and cannot be trained further.
#' @seealso [compress()] for fewer support vectors; [osvm()], [`predict()`][predict.osvm]
#' @export
#' @examples
#' board <- chessboard(1000)
#' fit <- osvm(board$x, board$y)
#' small <- strip(fit)
#' c(fit = object.size(fit), stripped = object.size(small))
#' identical(predict(fit, board$x), predict(small, board$x))
strip <- function(object, ...) UseMethod("strip")

#' @rdname strip
#' @export
strip.osvm <- function(object, ...) {
  check_dots("strip", ...)
  object <- structure(check_model(object, cells = TRUE), class = class(object))
  object[c("trace", "call", "path")] <- NULL
  without_state(object)
}

# Without what only further training needs: the state of the solver, and examples that no prediction depends on.
without_state <- function(object) {
  if (has_cells(object)) {
    object$cells$parts <- lapply(object$cells$parts, function(part) { # one without machines needs no examples
      if (length(part$machine) > 0) without_state(part) else part[!names(part) %in% c("sv", "target")]
    })
    object$cells$stripped <- TRUE
    object$na.action <- NULL
    return(object)
  }
  object[c("state", "scalars", "id", "na.action")] <- NULL
  if (is_primal(object)) {
    object$sv <- object$target <- object$index <- NULL
  } else {
    used <- row_max(abs(object$coef)) > 0
    if (!all(used)) {
      object$sv <- object$sv[used, , drop = FALSE]
      object$coef <- object$coef[used, , drop = FALSE]
      object$target <- at_rows(object$target, used)
      object$index <- object$index[used]
      object$merged <- object$merged[used]
      object <- settle_given(object)
    }
  }
  object$given$values <- NULL
  object
}

is_stripped <- function(object) {
  if (has_cells(object)) isTRUE(object$cells$stripped) else is.null(object$scalars) && !is_live(object)
}

check_trainable <- function(object, what) {
  if (is_stripped(object)) {
    abort(c("A model without its training state cannot {what}.", i = "Keep the model that was given to {.fn strip}."))
  }
}
