#' Support vector machines of this package in caret
#'
#' `osvm_caret()` makes a solver and a kernel into a model that `caret::train()` can tune, resample and compare
#' with others.
#'
#' The parameters tuned are `C`, `lambda` or `rate` and `epochs` of the solver, `gamma` and `degree` of the
#' kernel, and `epsilon` of the loss, as far as they have them, and every parameter that has several values in its
#' spec. The others keep the values of the specs.
#'
#' - If a parameter has several values in its spec, those are the grid.
#' - If it has one value, or its default, the grid lies around it: `tuneLength` values, each
#'   four times the one before (for `epochs` twice, for `degree` one more). A `gamma` without a value
#'   is estimated from the data, see [kernels], on the assumption that [osvm()] scales them.
#'   `epochs` keeps its one value where every other value would need a fit of its own, see below.
#' - `trainControl(search = "random")` draws around the same values, uniformly on a log scale:
#'   up to 64 times as much or as little, 16 times for `gamma`, 4 times for `epochs` and `epsilon`;
#'   `degree` changes by at most two. Several values in a spec are drawn from.
#' - A `tuneGrid` needs a column for each of `osvm_caret(...)$parameters`.
#'
#' Further arguments of `train()`, such as `class_weights`, `multiclass`, `scale` or
#' `threads`, go to [osvm()]. The `weights` of `train()` are the weights of the examples, and
#' `trainControl(classProbs = TRUE)` corresponds to `probability = TRUE` of `osvm()`. A numeric `y` is learned as
#' numbers, with [loss_epsilon()] unless a `loss` is given here or to `train()`.
#'
#' @section Epochs:
#' Where the model after 5 epochs is an intermediate state of a fit with 10, one fit serves all
#' values of `epochs`: only the largest is trained. This holds for all solvers with epochs,
#' except [solver_lasvm()] with `finish = TRUE` and [solver_pegasos()] with a `batch` above 1.
#'
#' @section What train() returns:
#' `finalModel` is a model as [osvm()] returns it. [`update()`][update.osvm] needs data in the
#' form used in training: after a formula the model matrix without its intercept, and after
#' `preProcess` the processed data. For linear models `caret::varImp()` gives the absolute
#' weights of the scaled features, in a column per binary classifier. For others, and for a model of
#' [osvm()] itself, it gives the importance of variables by gradient, see [osvm_importance()].
#'
#' @param solver,kernel Specs or names, as in [osvm()], and with the same defaults.
#' @param loss A loss whose parameters are to be tuned, as in [osvm()]. With `NULL` it is chosen by `y`, with its
#'   default parameters.
#' @return `osvm_caret()` returns a list for the argument `method` of `caret::train()`. `varImp()` of a model of
#'   [osvm()] returns a data frame with the column `Overall`.
#' @seealso [frameworks], [osvm()], [solvers()], [kernels]
#' @export
#' @examplesIf requireNamespace("caret", quietly = TRUE)
#' set.seed(1)
#' tuned <- caret::train(
#'   Species ~ ., data = iris, method = osvm_caret("olsvm"), tuneLength = 2,
#'   trControl = caret::trainControl("cv", number = 3)
#' )
#' tuned
#' predict(tuned, iris[c(1, 51, 101), ])
#'
#' # Given values, and probabilities
#' tuned <- caret::train(
#'   iris[1:4], iris$Species, method = osvm_caret(solver_smo(C = c(1, 10)), kernel_rbf(gamma = 0.3)),
#'   trControl = caret::trainControl("cv", number = 3, classProbs = TRUE), tuneLength = 1
#' )
#' predict(tuned, iris[c(1, 51, 101), 1:4], type = "prob")
#'
#' # Numbers
#' caret::train(
#'   mpg ~ wt + hp, mtcars,
#'   method = osvm_caret(solver_smo(), kernel_rbf(gamma = 0.1), loss_epsilon(c(0.05, 0.2))),
#'   trControl = caret::trainControl("cv", number = 3), tuneLength = 2
#' )
osvm_caret <- function(solver = NULL, kernel = NULL, loss = NULL) {
  specs <- choose_specs(first_values(solver), first_values(kernel))
  if (!is.null(loss)) {
    specs$loss <- as_spec(first_values(loss), "loss")
    check_learns(specs$solver, specs$loss)
  }
  given <- c(several_values(solver), several_values(kernel), several_values(loss))
  # Those whose role has a label, in the order of roles, and those given several values
  roles <- roles_of(specs)
  labelled <- names(Filter(function(role) !is.null(role$label), known_roles))
  tuned <- union(names(roles)[stats::na.omit(match(labelled, roles))], names(given))
  kind <- vapply(tuned, function(name) if (is.null(given[[name]])) "numeric" else mode(given[[name]]), "")
  label <- vapply(tuned, function(name) parameter_label(name, known_roles[[roles[[name]]]]), "")
  one_run <- all_nested(specs$solver, given)
  linear <- is_linear(specs$kernel)
  list(
    label = paste(solver_info(specs$solver$name)$title, "with", kernel_info(specs$kernel$name)$title, "Kernel"),
    library = "onlinesvm", type = c("Classification", "Regression"),
    parameters = data.frame(parameter = tuned, class = unname(kind), label = unname(label)),
    grid = function(x, y, len = NULL, search = "grid") {
      tuning_grid(tuned, given, specs, x, if (is.null(len)) 3 else len, search, one_run)
    },
    loop = if (one_run) function(grid) loop_over_epochs(grid, specs$solver),
    fit = function(x, y, wts, param, lev, last = FALSE, classProbs = FALSE, ...) {
      caret_fit(specs, x, y, wts, param, one_run && !last, classProbs, ...)
    },
    predict = function(modelFit, newdata, submodels = NULL) {
      if (is.null(submodels)) predict(modelFit, newdata) else sub_predictions(modelFit, newdata, submodels, "class")
    },
    prob = function(modelFit, newdata, submodels = NULL) caret_prob(modelFit, newdata, submodels),
    predictors = function(x, ...) x$xNames,
    varImp = function(object, ...) if (linear) weight_sizes(object) else varImp.osvm(object),
    levels = function(x) x$obsLevels,
    # caret breaks ties by order: smoother models, and those that train faster, come first.
    sort = function(x) {
      keys <- x[tuned]
      for (name in intersect(role_name(specs$solver, "penalty"), tuned)) keys[[name]] <- -keys[[name]]
      x[do.call(order, unname(as.list(keys))), , drop = FALSE]
    },
    tags = c("Support Vector Machines", if (linear) "Linear Classifier" else "Kernel Method", "Accepts Case Weights")
  )
}

# ---- fit and predict ----

# One model; with `path`, with its sub-models.
caret_fit <- function(specs, x, y, wts, param, path, classProbs, ..., verbose = FALSE, probability = FALSE) {
  further <- list(...)
  if (any(c("solver", "kernel") %in% names(further))) {
    abort("{.arg solver} and {.arg kernel} belong into {.fn osvm_caret}, not into {.fn train}.")
  }
  do.call(check_passed, c("osvm", osvm.default, further), quote = TRUE)
  if (!is.null(specs$loss)) {
    if (!is.null(further$loss)) abort("{.arg loss} belongs into {.fn osvm_caret} or into {.fn train}, not into both.")
    further$loss <- set_values(specs$loss, param)
  }
  if (is.null(further$loss)) further$loss <- if (is.numeric(y)) loss_epsilon() else loss_hinge()
  stop_when_interrupted(do.call(if (path) fit_path else osvm, c(list(
    x, y,
    solver = set_values(specs$solver, param), kernel = set_values(specs$kernel, param), weights = wts,
    probability = classProbs || probability, verbose = verbose
  ), further), quote = TRUE))
}

caret_prob <- function(fit, newdata, submodels) {
  if (is.null(fit$probability)) {
    abort("Probabilities need {.code classProbs = TRUE} in {.fn trainControl}.")
  }
  if (is.null(submodels)) {
    return(all_classes(fit, predict(fit, newdata, type = "prob")))
  }
  lapply(sub_predictions(fit, newdata, submodels, "prob"), all_classes, fit = fit)
}

# The fit's own predictions first, then those of the sub-models.
sub_predictions <- function(fit, newdata, submodels, type) {
  name <- role_name(fit$solver, "epochs")
  path_predictions(fit, newdata, c(fit$solver$traits$epochs, whole(submodels[[name]], name)), type)
}

# A class absent from a resample has no machine, but caret expects its column.
all_classes <- function(fit, p) {
  out <- matrix(0, nrow(p), length(fit$label$values), dimnames = list(rownames(p), fit$label$values))
  out[, colnames(p)] <- p
  as.data.frame(out)
}

#' @rdname osvm_caret
#' @param object A model made by [osvm()].
#' @param ... Not used: an unknown argument is an error.
#' @exportS3Method caret::varImp
varImp.osvm <- function(object, ...) {
  check_dots("varImp", ...)
  sizes <- osvm_importance.osvm(object)
  data.frame(Overall = sizes$importance, row.names = sizes$variable)
}

weight_sizes <- function(object) {
  sizes <- as.data.frame(abs(object$coef))
  names(sizes) <- if (ncol(sizes) == 1) "Overall" else machine_names(object)
  rownames(sizes) <- feature_labels(object)
  sizes
}
