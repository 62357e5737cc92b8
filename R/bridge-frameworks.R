#' Frameworks
#'
#' Models of this package can be used within the frameworks of other packages. Nothing here is needed to use [osvm()];
#' each part works as soon as the package it is for is installed.
#'
#' | framework | here |
#' |---|---|
#' | base R | [`summary()`][summary.osvm], [`coef()`][coef.osvm], [nobs(), formula(), fitted() ...][base-methods] |
#' | generics, broom | [tidy(), glance(), augment()][tidy.osvm] |
#' | caret | `train(method = osvm_caret())`, see [osvm_caret()] |
#' | tidymodels | `set_engine("onlinesvm")`, see [osvm_parsnip()]; parameters for dials: [osvm_dials()] |
#' | mlr3 | `lrn("classif.onlinesvm")`, `lrn("regr.onlinesvm")`, see [mlr_learners_classif.onlinesvm] |
#' | butcher | [axe_call(), axe_data(), axe_fitted()][axe_call.osvm]; [strip()] |
#' | vetiver | [vetiver_ptype() and others][vetiver_create_description.osvm] |
#' | DALEX | [yhat()][yhat.osvm], [model_info()][yhat.osvm] |
#' | vip | `vi()` and `vip()`, see [vi_model()][vi_model.osvm] |
#' | shapviz | `shapviz()` of [Shapley values][osvm_shapley], see [shapviz()][shapviz.osvm_shapley] |
#' | ggplot2 | `autoplot()` of [models][plot.osvm], [tunings][plot.osvm_tuning] and [curves][plot.osvm_curve] |
#'
#' `vignette("frameworks", "onlinesvm")` solves one problem in base R, caret, tidymodels and mlr3.
#' @name frameworks
#' @examples
#' set.seed(1)
#' rows <- sample(nrow(iris), 100)
#' train <- iris[rows, ]
#' test <- iris[-rows, ]
#'
#' # base R
#' fit <- osvm(Species ~ ., train)
#' mean(predict(fit, test) == test$Species)
#'
#' # broom
#' if (requireNamespace("generics", quietly = TRUE)) {
#'   generics::glance(fit)
#' }
#'
#' # caret
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   by_caret <- caret::train(
#'     Species ~ ., train, method = osvm_caret("smo"), tuneLength = 1,
#'     trControl = caret::trainControl("cv", number = 3)
#'   )
#'   mean(predict(by_caret, test) == test$Species)
#' }
#'
#' # tidymodels
#' if (requireNamespace("parsnip", quietly = TRUE)) {
#'   spec <- parsnip::set_engine(parsnip::svm_rbf(mode = "classification"), "onlinesvm")
#'   by_parsnip <- parsnip::fit(spec, Species ~ ., train)
#'   mean(predict(by_parsnip, test)$.pred_class == test$Species)
#' }
#'
#' # mlr3
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   task <- mlr3::as_task_classif(iris, target = "Species")
#'   by_mlr3 <- mlr3::lrn("classif.onlinesvm")$train(task, rows)
#'   by_mlr3$predict(task, setdiff(1:150, rows))$score()
#' }
#'
#' # DALEX
#' if (requireNamespace("DALEX", quietly = TRUE)) {
#'   fit <- osvm(Species ~ ., train, probability = TRUE)
#'   DALEX::model_parts(DALEX::explain(fit, test[1:4], test$Species, verbose = FALSE), B = 1)
#' }
#'
#' # butcher
#' if (requireNamespace("butcher", quietly = TRUE)) {
#'   small <- butcher::butcher(fit)
#'   identical(predict(small, test), predict(fit, test))
#' }
#'
#' # vetiver
#' if (requireNamespace("vetiver", quietly = TRUE)) {
#'   vetiver::vetiver_model(fit, "iris")
#' }
NULL

# ---- specs ----

# The solver or the kernel that was given, or the usual one, with the parameters that were given; NULL: nothing was.
framework_spec <- function(kind, values) {
  values <- Filter(Negate(is.null), values)
  given <- intersect(names(values), names(usual_parameters(kind)))
  if (is.null(values[[kind]]) && length(given) == 0) {
    return(NULL)
  }
  spec <- if (is.null(values[[kind]])) choose_specs(NULL, NULL)[[kind]] else as_spec(values[[kind]], kind)
  extra <- setdiff(given, names(spec$params))
  if (length(extra) > 0) abort("The {kind} {.val {spec$name}} has no parameter{?s} {.arg {extra}}.")
  spec <- set_values(spec, values[given])
  if (kind == "solver") attr(spec, "given") <- union(attr(spec, "given"), given)
  spec
}

# ---- tables ----

# Predictions of a type, as columns.
prediction_columns <- function(predicted, type, object) {
  stem <- if (type == "decision") ".decision" else ".pred"
  if (!is.matrix(predicted)) {
    named <- type == "class" && !predicts_numbers(object)
    return(stats::setNames(list(unname(predicted)), if (named) ".pred_class" else stem))
  }
  columns <- lapply(seq_len(ncol(predicted)), function(k) unname(predicted[, k]))
  stats::setNames(columns, paste0(stem, "_", colnames(predicted)))
}

# A tibble where there is the package; its rows have no names, its columns those of `x`, whatever they are.
as_tbl <- function(x) {
  if (requireNamespace("tibble", quietly = TRUE)) {
    return(tibble::as_tibble(x, .name_repair = "minimal"))
  }
  if (inherits(x, "tbl_df")) x else structure(x, row.names = seq_len(nrow(x)))
}

# ---- registration ----

when_loaded <- function(package, register) {
  attempt <- function(...) {
    tryCatch(register(), error = function(e) {
      warn("onlinesvm could not be registered in {package}: {text_of(e)}", "osvm_unregistered")
    })
  }
  if (isNamespaceLoaded(package)) attempt()
  setHook(packageEvent(package, "onLoad"), attempt)
}

.onLoad <- function(libname, pkgname) {
  declare_specs()
  when_loaded("parsnip", register_parsnip)
  when_loaded("mlr3", function() {
    mlr3::mlr_learners$add("classif.onlinesvm", function() onlinesvm_learner()$new())
    mlr3::mlr_learners$add("regr.onlinesvm", function() onlinesvm_learner("regr")$new())
  })
}
