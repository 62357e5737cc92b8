#' Support vector machines of this package in mlr3
#'
#' This package adds two learners to the package mlr3: `lrn("classif.onlinesvm")` for two or more classes, and
#' `lrn("regr.onlinesvm")` for numbers. They are available as soon as both packages are loaded, by `library(onlinesvm)`.
#'
#' Their parameters are those that are usually set or tuned: `C`, `lambda`, `rate`, `epochs` and `tolerance` of solvers;
#' `gamma`, `degree` and `coef0` of kernels, as far as they have them; `solver` and `kernel`, each a name as in
#' [solvers()] and [kernels] or an object such as `solver_pa(variant = "PA-II")`, which sets all other parameters; and
#' `scale`, `multiclass`, `class_weights`, `cache_mb`, `threads`, `cells` and the limit `seconds` of
#' [osvm()]. If none of them is set, the defaults of [osvm()] hold.
#'
#' - `lrn("regr.onlinesvm")` has no `multiclass` and `class_weights`. It takes one of `epsilon` of [loss_epsilon()],
#'   `tau` of [loss_quantile()], and `loss`.
#' - With `predict_type = "prob"` before training, probabilities are fitted, which takes five further fits.
#' - With `predict_type = "quantiles"`, where mlr3 has it, `learner$quantiles` are learned at once, by
#'   [loss_quantile()], and do not cross.
#' - The weights of a task are the `weights` of [osvm()].
#' - `learner$importance()` gives the importance of variables by gradient, see [osvm_importance()].
#' - With a `HotstartStack` (`hotstart_forward`), a learner of more `epochs` continues from one of fewer where that is
#'   the same as training it at once (with `shuffle = TRUE`, up to the order). This holds for solvers without a dual;
#'   others, and probabilities, are trained anew.
#' - `learner$update(task)` adds the examples of a task to the model, see [`update()`][update.osvm].
#'
#' mlr3 refuses tasks with missing values, since its measures have no place for rows that are not predicted: impute
#' them, as by `mlr3pipelines::po("imputemedian")`, or leave such rows out of the task, by `task$filter()`. mlr3 has no
#' sparse tasks.
#' @returns `lrn()` returns an object of class `LearnerClassifOnlinesvm` or `LearnerRegrOnlinesvm`. The `model` of a
#'   trained learner is a model as [osvm()] returns it.
#' @seealso [frameworks] for examples in other frameworks
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' learner <- mlr3::lrn("classif.onlinesvm", solver = "olsvm", C = 10, epochs = 5,
#'   predict_type = "prob")
#' task <- mlr3::tsk("iris")
#' learner$train(task, row_ids = seq(1, 150, 2))
#' learner$predict(task, row_ids = seq(2, 150, 2))$confusion
#' learner$importance()
#'
#' numbers <- mlr3::lrn("regr.onlinesvm", C = 10, epsilon = 0.05)
#' numbers$train(mlr3::tsk("mtcars"))
#' @aliases mlr_learners_regr.onlinesvm
#' @name mlr_learners_classif.onlinesvm
NULL

# The class, made when it is needed: its parent is mlr3's.
onlinesvm_learner <- function(task_type = "classif") {
  make <- if (task_type == "classif") classif_learner else regr_learner
  make(
    public = list(
      initialize = function() {
        task_type <- if (inherits(self, "LearnerRegr")) "regr" else "classif"
        classes <- task_type == "classif"
        super$initialize(
          id = paste0(task_type, ".onlinesvm"), packages = c("mlr3", "onlinesvm"),
          param_set = learner_parameters(classes),
          feature_types = c("logical", "integer", "numeric", "character", "factor", "ordered", "Date", "POSIXct"),
          predict_types = c("response", if (classes) "prob" else if (has_quantiles()) "quantiles"),
          properties = c(if (classes) c("twoclass", "multiclass"), "weights", "importance", "hotstart_forward"),
          label = "Online Support Vector Machine", man = "onlinesvm::mlr_learners_classif.onlinesvm"
        )
      },
      importance = function() {
        sizes <- osvm_importance.osvm(learner_model(self))
        stats::setNames(sizes$importance, sizes$variable)
      },
      update = function(task, row_ids = NULL) {
        fit <- learner_model(self)
        task <- mlr3::assert_task(task)
        if (!is.null(row_ids)) task <- task$clone(deep = TRUE)$filter(row_ids)
        self$state$model <- update.osvm(fit, task_features(task), task$truth(), learner_weights(private, task))
        invisible(self)
      }
    ),
    private = list(
      .train = function(task) {
        values <- learner_values(self)
        if (self$predict_type == "quantiles") values <- with_quantiles(values, self$quantiles)
        train_learner(values, task, learner_weights(private, task), self$predict_type)
      },
      .hotstart = function(task) {
        values <- learner_values(self)
        weights <- learner_weights(private, task)
        if (self$predict_type != "response" || !can_continue(self$model)) {
          return(private$.train(task))
        }
        epochs <- role_value(framework_spec("solver", values), "epochs")
        continue_epochs(self$model, task_features(task), task$truth(), weights, epochs)
      },
      .predict = function(task) {
        fit <- self$model
        x <- task_features(task)
        if (self$predict_type == "response") {
          return(list(response = predict.osvm(fit, x)))
        }
        if (self$predict_type == "quantiles") {
          return(list(quantiles = mlr3_quantiles(fit, x, self$quantile_response)))
        }
        list(prob = as.matrix(all_classes(fit, predict.osvm(fit, x, type = "prob"))))
      }
    )
  )
}

classif_learner <- function(...) {
  R6::R6Class(
    "LearnerClassifOnlinesvm",
    inherit = mlr3::LearnerClassif, parent_env = asNamespace("onlinesvm"), ...
  )
}

regr_learner <- function(...) {
  R6::R6Class("LearnerRegrOnlinesvm", inherit = mlr3::LearnerRegr, parent_env = asNamespace("onlinesvm"), ...)
}

# Of mlr3 since 0.21.
has_quantiles <- function() "quantiles" %in% names(mlr3::mlr_reflections$learner_predict_types$regr)

with_quantiles <- function(values, tau) {
  if (is.null(tau)) abort("Quantiles need {.code learner$quantiles}, such as {.code c(0.1, 0.9)}.")
  given <- intersect(c("loss", "epsilon", "tau"), names(values))
  if (length(given) > 0) abort("Leave out {.arg {given}}: the quantiles are those of {.code learner$quantiles}.")
  values$loss <- loss_quantile(tau)
  values
}

# As mlr3 stores them: a matrix with the levels and the one that is the response as attributes.
mlr3_quantiles <- function(fit, x, response) {
  quantiles <- as.matrix(predict.osvm(fit, x))
  structure(unname(quantiles), probs = quantiles_of(fit$loss), response = response)
}

task_features <- function(task) as.data.frame(task$data(cols = task$feature_names))

# Whole numbers are doubles in specs.
learner_values <- function(learner) {
  lapply(learner$param_set$get_values(tags = "train"), function(v) if (is.integer(v)) as.numeric(v) else v)
}

learner_model <- function(learner) {
  if (is.null(learner$model)) abort("The learner has no model: train it first.")
  learner$model
}

# mlr3 before 1.0 has the weights in the task alone.
learner_weights <- function(private, task) {
  if (is.function(private$.get_weights)) private$.get_weights(task) else task$weights$weight
}

train_learner <- function(values, task, weights, predict_type) {
  if (task$task_type == "regr") { # a spec, or what one of the parameters says
    given <- intersect(c("loss", "epsilon", "tau"), names(values))
    if (length(given) > 1) abort("Give one of the parameters {.arg {given}}.")
    values$loss <- switch(c(given, "none")[1],
      loss = values$loss, epsilon = loss_epsilon(values$epsilon), tau = loss_quantile(values$tau), none = loss_epsilon()
    )
  }
  own <- c("epsilon", "tau", "solver", "kernel", names(usual_parameters("solver")), names(usual_parameters("kernel")))
  fit <- stop_when_interrupted(do.call(osvm.data.frame, c(
    list(
      task_features(task), task$truth(), solver = framework_spec("solver", values),
      kernel = framework_spec("kernel", values), weights = weights,
      probability = predict_type == "prob", verbose = FALSE
    ), values[!names(values) %in% own]
  ), quote = TRUE))
  fit$call <- NULL
  fit
}

# ---- parameters ----

learner_parameters <- function(classes) {
  do.call(paradox::ps, c(
    lapply(c(solver = "solver", kernel = "kernel"), function(kind) {
      paradox::p_uty(custom_check = function(x) {
        tryCatch(is.list(as_spec(x, kind)), osvm_error = text_of)
      }, tags = "train")
    }),
    lapply(usual_parameters("solver"), learner_parameter), lapply(usual_parameters("kernel"), learner_parameter),
    list(
      scale = paradox::p_lgl(default = TRUE, tags = "train"),
      cache_mb = paradox::p_dbl(0, special_vals = list(NULL), tags = "train"),
      seconds = paradox::p_dbl(0, default = Inf, special_vals = list(Inf), tags = "train"),
      threads = paradox::p_int(1L, tags = c("train", "threads")), cells = paradox::p_int(50L, tags = "train")
    ),
    if (classes) list(
      multiclass = paradox::p_fct(c("ovr", "ovo"), tags = "train"), class_weights = paradox::p_uty(tags = "train")
    ) else list(
      epsilon = paradox::p_dbl(0, default = 0.1, tags = "train"), tau = paradox::p_dbl(0, 1, tags = "train"),
      loss = paradox::p_uty(tags = "train")
    )
  ))
}

learner_parameter <- function(about) {
  tags <- c("train", if (about$role == "epochs") "hotstart")
  whole <- about$type == "whole" && about$upper <= .Machine$integer.max
  make <- switch(about$type,
    flag = paradox::p_lgl, choice = paradox::p_fct, if (whole) paradox::p_int else paradox::p_dbl
  )
  bounds <- if (about$type == "choice") {
    list(levels = about$levels)
  } else if (about$type != "flag") {
    list(lower = about$lower, upper = if (about$upper >= 1e308) Inf else about$upper)
  }
  do.call(make, c(bounds, list(tags = tags)))
}

# What R6 gives to a learner's methods.
utils::globalVariables(c("self", "private", "super"))
