#' Support vector machines of this package in parsnip
#'
#' `set_engine("onlinesvm")` makes this package the engine of `svm_linear()`, `svm_poly()` and `svm_rbf()` of the
#' package parsnip, and so of workflows, tune and the rest of tidymodels. The engine is available as soon as both
#' packages are loaded, by `library(onlinesvm)`. `osvm_parsnip()` is the function that it calls.
#'
#' | of parsnip | here |
#' |---|---|
#' | `cost` | `C` of the solver |
#' | `rbf_sigma` | `gamma` of [kernel_rbf()], the factor of \eqn{|x - z|^2}: kernlab's sigma, **not** the width |
#' | `degree`, `scale_factor` | `degree` and `gamma` of [kernel_polynomial()]; its `coef0` is 1, as in kernlab |
#' | `margin` | `epsilon` of [loss_epsilon()], in mode "regression" |
#'
#' Arguments of the engine are `solver`, a name or a spec such as [solver_olsvm()]; the parameters of the solver, as in
#' `set_engine("onlinesvm", solver = "olsvm", epochs = 10)`; and those of [osvm()], such as `class_weights`. If neither
#' `cost` nor `solver` nor one of its parameters is given, the defaults of [osvm()] hold. A solver with `lambda` or
#' `rate` has no `cost`.
#'
#' `epochs`, `lambda` and `rate` may be `tune()`; their ranges, and those of other parameters, are given by
#' [osvm_dials()]. Where the model after 5 epochs is an intermediate state of a fit with 10, as in [osvm_caret()],
#' `multi_predict(fit, new_data, epochs = 1:10)` predicts after each of them. `tune_grid()` needs a fit for each.
#'
#' A numeric `y`, as in mode "regression", is learned as numbers; `set_engine("onlinesvm", loss = loss_quantile(0.9))`
#' predicts a quantile, and `conformal = TRUE` gives intervals:
#' `predict(fit, new_data, type = "pred_int", level = 0.9)`. Where parsnip has the mode "quantile regression",
#' `set_mode(spec, "quantile regression", quantile_levels = c(0.1, 0.9))` learns several quantiles at once.
#'
#' `fit_xy()` takes sparse matrices. Case weights are the `weights` of [osvm()]. `predict(type = "raw")` gives decision
#' values. `extract_fit_engine()` gives a model as [osvm()] returns it; [`update()`][update.osvm] takes a matrix or a
#' baked tibble of the same columns for it.
#'
#' @param x,y,weights Examples, labels and weights, as in [osvm()].
#' @param kernel `"linear"`, `"polynomial"` or `"rbf"`.
#' @param C,gamma,degree,coef0 Parameters of solver and kernel. `NULL` stands for their defaults, and for 1 as the
#'   `coef0` of the polynomial kernel.
#' @param margin For numbers, `epsilon` of [loss_epsilon()]. `NULL` stands for its default, or for the `loss` in `...`.
#' @param solver A solver, as in [osvm()]. `NULL` stands for [solver_smo()] if parameters of the solver are given, and
#'   else for the default of [osvm()].
#' @param probability Fit probabilities of classes? They take five further fits; `FALSE` is for metrics of classes,
#'   such as `metric_set(accuracy)`.
#' @param submodels Keep the models after every epoch, for `multi_predict()`? [strip()] removes them.
#' @param ... Parameters of the solver, and further arguments of [osvm()].
#' @return A model as [osvm()] returns it.
#' @seealso [osvm_dials()], [frameworks] for examples in other frameworks
#' @export
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' library(parsnip)
#' spec <- svm_rbf(mode = "classification", cost = 10, rbf_sigma = 0.1)
#' spec <- set_engine(spec, "onlinesvm", solver = "olsvm", epochs = 5)
#' translate(spec)
#' fit <- fit(spec, Species ~ ., data = iris)
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' multi_predict(fit, iris[1:2, ], epochs = c(1, 5))$.pred[[1]]
osvm_parsnip <- function(x, y, weights = NULL, kernel = c("rbf", "linear", "polynomial"), C = NULL, gamma = NULL,
                         degree = NULL, coef0 = NULL, margin = NULL, solver = NULL, probability = TRUE,
                         submodels = TRUE, ...) {
  check_passed("osvm_parsnip", osvm.default, ..., .also = names(all_parameters("solver")))
  if (missing(y)) without_labels(NULL)
  numbers <- is.numeric(y)
  if (!is.null(margin) && !numbers) {
    abort("{.arg margin} belongs to regression, and {.arg y} has classes: leave it out.")
  }
  one_flag(submodels)
  one_flag(probability)
  kernel <- one_choice(kernel, c("rbf", "linear", "polynomial"))
  if (kernel == "polynomial" && is.null(coef0)) coef0 <- 1
  kernel <- framework_spec("kernel", list(kernel = kernel, gamma = gamma, degree = degree, coef0 = coef0))
  made <- engine_solver(solver, C, list(...), kernel)
  arguments <- c(list(x, y, solver = made$solver, kernel = kernel, weights = weights), made$others)
  arguments$probability <- probability && !numbers
  if (!is.null(margin) && !is.null(arguments$loss)) abort("Give {.arg margin} or {.arg loss}, not both.")
  if (numbers && is.null(arguments$loss)) {
    arguments$loss <- if (is.null(margin)) loss_epsilon() else loss_epsilon(margin)
  }
  if (is.null(arguments$verbose)) arguments$verbose <- FALSE
  path <- submodels && !is.null(made$solver) && all_nested(made$solver, list()) &&
    made$solver$traits$epochs > 1
  fit <- stop_when_interrupted(do.call(if (path) fit_path else osvm, arguments, quote = TRUE))
  fit$call <- as_called(match.call())
  fit$call[[1]] <- quote(osvm_parsnip)
  fit
}

# The solver with its cost `C` and its parameters from `dots`, and those of `dots` that are not parameters. Without any
# of them it is NULL: the default of osvm().
engine_solver <- function(solver, C, dots, kernel) {
  names(dots) <- if (is.null(names(dots))) rep("", length(dots)) else names(dots)
  own <- names(dots) %in% names(all_parameters("solver"))
  given <- dots[own]
  others <- dots[!own]
  if (is.null(solver) && is.null(C) && length(given) == 0) {
    return(list(solver = NULL, others = others))
  }
  solver <- choose_specs(solver, kernel)$solver
  cost <- role_name(solver, "cost")
  if (length(cost) == 1) given[[cost]] <- C
  extra <- c(if (!is.null(C) && length(cost) == 0) "C", setdiff(names(given), names(solver$params)))
  if (length(extra) > 0) {
    own <- role_name(solver, c("penalty", "rate"))
    abort(c(
      "The solver {.val {solver$name}} has no {.arg {extra}}{if ('C' %in% extra) ', which is cost in parsnip'}.",
      i = if (length(own) > 0) "Its regularization is {.arg {own}}: {.code set_engine(\"onlinesvm\", {own} = )}.",
      i = if (length(own) == 0) "The solver is chosen by {.code set_engine(\"onlinesvm\", solver = )}."
    ))
  }
  params <- utils::modifyList(solver$params[attr(solver, "given")], given)
  made <- do.call(constructor("solver", solver$name), params, quote = TRUE)
  list(solver = check_spec(made, "solver"), others = others)
}

# ---- registration ----

register_parsnip <- function() {
  for (name in names(engine_models)) register_engine(name, engine_models[[name]])
  for (solver in solver_table()$name) {
    registerS3method(
      "multi_predict", paste0("_osvm_", solver), multi_predict_osvm, envir = asNamespace("parsnip")
    )
  }
}

register_engine <- function(model, about) {
  known <- parsnip::get_from_env(model)
  if (is.null(known) || "onlinesvm" %in% known$engine) {
    return(invisible())
  }
  set <- function(what, mode, ...) {
    do.call(getExportedValue("parsnip", what), list(model = model, mode = mode, eng = "onlinesvm", ...))
  }
  modes <- names(engine_types)
  if ("matrix_to_quantile_pred" %in% getNamespaceExports("parsnip")) {
    parsnip::set_model_mode(model, "quantile regression")
  } else {
    modes <- setdiff(modes, "quantile regression")
  }
  for (mode in modes) {
    set("set_model_engine", mode)
    set("set_dependency", mode, pkg = "onlinesvm")
  }
  roles <- unlist(solver_table()$roles)
  roles <- roles[!duplicated(names(roles)) & roles %in% names(engine_arguments$engine)]
  arguments <- c(engine_arguments$main[about$main], Map(c, names(roles), engine_arguments$engine[roles]))
  for (name in names(arguments)) {
    made <- list(pkg = "dials", fun = arguments[[name]][[2]], range = arguments[[name]][[3]])
    # Not a submodel, which tune would ask of solvers that are not nested as well.
    parsnip::set_model_arg(
      model, "onlinesvm", name, arguments[[name]][[1]], Filter(Negate(is.null), made), has_submodel = FALSE
    )
  }
  for (mode in modes) {
    set("set_fit", mode, value = list(
      interface = "matrix", protect = c("x", "y", "weights"), func = c(pkg = "onlinesvm", fun = "osvm_parsnip"),
      defaults = c(list(kernel = about$kernel), if (mode == "quantile regression") list(loss = levels_loss))
    ))
    set("set_encoding", mode, options = list(
      predictor_indicators = "one_hot", compute_intercept = FALSE, remove_intercept = TRUE, allow_sparse_x = TRUE
    ))
    for (type in engine_types[[mode]]) set("set_pred", mode, type = type, value = engine_prediction(type))
  }
}

engine_types <- list(
  classification = c("class", "prob", "raw"), regression = c("numeric", "raw", "pred_int"),
  "quantile regression" = "quantile"
)
levels_loss <- quote(onlinesvm::loss_quantile(quantile_levels)) # a variable where parsnip evaluates it

engine_prediction <- function(type) {
  asked <- switch(type, prob = "prob", raw = "decision", pred_int = "interval", "class")
  post <- switch(type,
    prob = function(x, object) all_classes(object$fit, x),
    quantile = function(x, object) parsnip::matrix_to_quantile_pred(unname(as.matrix(x)), object),
    pred_int = function(x, object) {
      tibble::tibble(.pred_lower = unname(x[, "lower"]), .pred_upper = unname(x[, "upper"]))
    }
  )
  args <- list(object = quote(object$fit), newdata = quote(new_data), type = asked)
  if (type == "pred_int") args$level <- quote(level)
  list(pre = NULL, post = post, func = c(fun = "predict"), args = args)
}

# A row per example, each a tibble with a row per number of epochs.
multi_predict_osvm <- function(object, new_data, type = NULL, epochs = NULL, ...) {
  check_dots("multi_predict", ...)
  fit <- object$fit
  numbers <- predicts_numbers(fit)
  type <- if (is.null(type) || numbers && identical(type, "numeric")) "class" else one_choice(type, c("class", "prob"))
  last <- fit$solver$traits$epochs
  epochs <- sort(unique(if (is.null(epochs)) last else whole(epochs)))
  x <- parsnip::prepare_data(object, new_data)
  predicted <- if (is.null(fit$path) && identical(as.numeric(epochs), as.numeric(last))) {
    list(predict.osvm(fit, x, type))
  } else {
    if (is.null(fit$path)) {
      abort("The model predicts after {last} epoch{?s} only: it was fitted with {.code submodels = FALSE}, or its solver
             is not nested.")
    }
    if (type == "prob") need_probability(fit)
    check_calibration_age(fit)
    path_predictions(fit, x, epochs, type)
  }
  tables <- Map(function(p, epoch) {
    columns <- if (numbers) {
      list(.pred = unname(p))
    } else if (type == "class") {
      list(.pred_class = factor(as.character(p), object$lvl, ordered = isTRUE(object$ordered)))
    } else {
      stats::setNames(as.list(all_classes(fit, p)[object$lvl]), paste0(".pred_", object$lvl))
    }
    do.call(tibble::tibble, c(list(epochs = rep(epoch, NROW(p))), columns))
  }, predicted, epochs)
  rows <- lapply(seq_len(nrow(tables[[1]])), function(i) do.call(rbind, lapply(tables, function(t) t[i, ])))
  tibble::tibble(.pred = rows)
}
