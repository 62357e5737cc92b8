#' Models that stay in memory between updates
#'
#' A live model learns in place: its support vectors and state stay in memory between calls. Its
#' [`update()`][update.osvm] checks and copies only the new examples, while that of an ordinary model reads and writes
#' the whole model. The numbers are the same: `snapshot(live)` is the ordinary model of that moment,
#' as [osvm()] and [`update()`][update.osvm] with the same seeds would have made it. (Sparse data whose
#' density is near the one at which the core packs them densely may differ by rounding.)
#'
#' `osvm_live(fit)` goes on from a model. Without a model, `osvm_live()` starts empty: the first
#' [`update()`][update.osvm] estimates what [osvm()] would from the same data (scaling, kernel width). With
#' `levels`, the data need not have examples of every class from the start.
#'
#' A live model is a reference, like a connection: `update()` and [forget()] change the object itself, and
#' copies are the same model. It lives as long as its process. Read back by [readRDS()] or sent to
#' another process it is closed; save its `snapshot()` instead, and go on with `osvm_live(fit)`. In
#' a forked process it predicts, and does not learn. `close()` frees its memory at once; otherwise the
#' garbage collector does. Solvers that work on the dual keep kernel values among the support vectors between updates by
#' single rows, within `cache_mb` (see [osvm()]).
#'
#' @param fit A model made by [osvm()] with an online solver (see [solvers()]), or `NULL`.
#' @param levels Without `fit`: the classes, in the order of the decision values; `NULL`: those of the
#'   first `update()`.
#' @param n_features Without `fit`: the number of columns, to be checked by the first `update()`; `NULL`: any.
#' @param solver,kernel Without `fit`: as in [osvm()]. `NULL`: [solver_lasvm()] without a finish, for a
#'   linear kernel [solver_pa()].
#' @param ... Without `fit`: further arguments of [osvm()], such as `scale` and `multiclass`. In the
#'   methods: not used, an unknown argument is an error.
#' @param object,con,x A live model.
#' @return `osvm_live()`: a live model, with methods for [`update()`][update.osvm],
#'   [`predict()`][predict.osvm], [query()] and [forget()], which take the same arguments as for a model.
#'   `update()` and `forget()` return it invisibly. `snapshot()`: an ordinary model, see [osvm()].
#' @seealso [osvm_stream()] to learn from a source chunk by chunk
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(2000)
#' live <- osvm_live(solver = solver_olsvm(C = 10, epochs = 1), kernel = kernel_rbf(sigma = 0.5))
#' update(live, board$x[1:100, ], board$y[1:100]) # estimates the scaling, too
#' right <- 0
#' for (i in 101:2000) {
#'   row <- board$x[i, , drop = FALSE]
#'   right <- right + (predict(live, row) == board$y[i])
#'   update(live, row, board$y[i])
#' }
#' right / 1900
#'
#' fit <- snapshot(live)
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' live <- osvm_live(readRDS(file))
#' live
osvm_live <- function(fit = NULL, levels = NULL, n_features = NULL, solver = NULL, kernel = NULL, ...) {
  check_passed("osvm_live", osvm.default, ...)
  live <- new.env(parent = emptyenv())
  live$process <- Sys.getpid()
  if (is.null(fit)) {
    live$start <- read_start(levels, n_features, solver, kernel, ...)
  } else {
    model <- live_from(fit)
    given <- Filter(Negate(is.null), list(levels = levels, n_features = n_features, solver = solver, kernel = kernel))
    given <- c(names(given), ...names())
    if (length(given) > 0) {
      abort("{.arg {given}} must be left out with {.arg fit}: the model has {cli::qty(given)}{?it/them}.")
    }
    live$pointer <- model$live
    live$class <- class(fit)
  }
  structure(live, class = "osvm_live")
}

#' @export
update.osvm_live <- function(object, x, y, weights = NULL, data = NULL, probability = FALSE,
                             na.action = stats::na.omit, new_levels = c("error", "NA"),
                             new_classes = c("error", "join"), conformal = FALSE, ...) {
  check_dots("update", ...)
  one_flag(probability)
  one_flag(conformal)
  pointer <- .subset2(object, "pointer")
  if (is.null(pointer) && !is.null(object$start)) {
    if (missing(y) && !is.null(object$start$arguments$loss)) y <- NULL # which the loss may learn without
    if (missing(x) || missing(y)) abort("{.arg x} and {.arg y} are needed: examples, and a label for each.")
    new <- start_live(object$start, x, y, weights, na.action)
    object$class <- c(paste0("osvm_", new$model$solver$name), "osvm")
    model <- before <- open_live(new$model)
  } else {
    before <- model_of(object, learns = TRUE)
    new <- examples_of_update(before, x, y, weights, data, na.action, new_levels, new_classes)
    model <- calibrate_update(new$model, before, new$examples, probability, conformal)
  }
  run <- run_examples(model, new$examples)
  if (!identical(pointer, run$model$live)) object$pointer <- run$model$live # another one where classes joined
  warn_range(before, new$far, "x")
  signal_run(run)
  invisible(object)
}

#' @export
predict.osvm_live <- function(object, newdata, type = c("class", "decision", "prob", "interval", "set", "p"),
                              new_levels = c("error", "NA"), threads = NULL, threshold = NULL,
                              missing_columns = c("error", "zero"), cost = NULL, level = 0.9,
                              by = c("all", "class"), interval = NULL, ...) {
  check_dots("predict", ...)
  about <- list(level = level, by = by, interval = interval, given = !missing(level) || !missing(by))
  predict_model(model_of(object), newdata, type, new_levels, threads, threshold, missing_columns, cost, about)
}

#' @export
forget.osvm_live <- function(object, i, ...) {
  check_dots("forget", ...)
  model <- model_of(object, learns = TRUE)
  model$id <- .Call(ffi_live_numbers, model$live)
  forget_examples(model, i)
  invisible(object)
}

#' @rdname osvm_live
#' @export
snapshot <- function(object, ...) UseMethod("snapshot")

#' @rdname osvm_live
#' @export
snapshot.osvm_live <- function(object, ...) {
  check_dots("snapshot", ...)
  know(structure(live_model(model_of(object)), class = object$class))
}

#' @rdname osvm_live
#' @export
close.osvm_live <- function(con, ...) {
  check_dots("close", ...)
  .Call(ffi_live_close, con$pointer)
  invisible()
}

#' @rdname osvm_live
#' @export
print.osvm_live <- function(x, ...) {
  check_dots("print", ...)
  if (is.environment(x) && is.null(x$pointer)) {
    cat_line("<osvm_live> nothing learned yet")
    return(invisible(x))
  }
  model <- model_of(x)
  cat_line("<osvm_live> ", format(model$solver))
  cat_line("learned ", plural(model$n_seen, "example"), " of ", plural(model$n_features, "feature"), " in ",
           outcome_size(model), if (keeps_examples(model)) paste0("; ", plural(model$n_sv, "support vector")))
  invisible(x)
}

#' @export
coef.osvm_live <- function(object, ...) {
  check_dots("coef", ...)
  coef(snapshot(object))
}

#' @export
summary.osvm_live <- function(object, ...) {
  check_dots("summary", ...)
  summary(snapshot(object))
}
