#' Deployed models, for vetiver
#'
#' Methods by which vetiver versions, describes and serves a model of [osvm()]. `vetiver::vetiver_model()` keeps the
#' model without what only further training needs, see [strip()]. The model itself knows the columns and types of its
#' training data, from which the input prototype is made.
#'
#' @param model A model made by [osvm()].
#' @param metadata Metadata of the user, a list.
#' @param vetiver_model A model made by `vetiver::vetiver_model()`.
#' @param type What to predict, as in [`predict()`][predict.osvm].
#' @param ... For `handler_predict()`: further arguments of [`predict()`][predict.osvm]. Otherwise not used.
#' @returns Each method returns what vetiver's generic function of its name returns. The handler answers with a column
#'   `.pred_class`, or `.pred` for numbers; with `type = "prob"` with a column `.pred_` and the class for each class;
#'   and with `type = "decision"` with columns that begin with `.decision`.
#' @seealso [frameworks], [strip()]
#' @examplesIf requireNamespace("vetiver", quietly = TRUE)
#' fit <- osvm(Species ~ ., iris)
#' served <- vetiver::vetiver_model(fit, "iris")
#' served
#' served$prototype
#' @exportS3Method vetiver::vetiver_create_description
vetiver_create_description.osvm <- function(model) { # nolint: object_length_linter.
  model <- check_predictor(model, cells = TRUE)
  paste0(
    "An onlinesvm ", if (predicts_classes(model)) "classifier" else "model", " of ", outcome_size(model), ": ",
    solver_info(model$solver$name)$title, " with ", tolower(kernel_info(model$kernel$name)$title), " kernel"
  )
}

#' @rdname vetiver_create_description.osvm
#' @exportS3Method vetiver::vetiver_create_meta
vetiver_create_meta.osvm <- function(model, metadata) vetiver::vetiver_meta(metadata, required_pkgs = "onlinesvm")

#' @rdname vetiver_create_description.osvm
#' @exportS3Method vetiver::vetiver_prepare_model
vetiver_prepare_model.osvm <- function(model) strip.osvm(model)

#' @rdname vetiver_create_description.osvm
#' @exportS3Method vetiver::vetiver_ptype
vetiver_ptype.osvm <- function(model, ...) {
  check_dots("vetiver_ptype", ...)
  model <- check_predictor(model, cells = TRUE)
  encoding <- model$encoding
  columns <- if (is.null(encoding)) {
    stats::setNames(rep(list(numeric()), model$n_features), feature_labels(model))
  } else {
    # Vectors of no elements, of the classes the variables had in training; dates are described as numbers
    Map(function(variable, name) {
      if (variable$type == "factor") {
        return(factor(levels = variable$levels))
      }
      unit <- if (variable$type == "numeric" && name %in% names(encoding$units)) encoding$units[[name]] else ""
      switch(unit,
        days = as.Date(character()), seconds = as.POSIXct(character(), tz = "UTC"), variable$typical[0]
      )
    }, encoding$variables, names(encoding$variables))
  }
  as_tbl(structure(columns, row.names = integer(), class = "data.frame"))
}

#' @rdname vetiver_create_description.osvm
#' @exportS3Method vetiver::handler_startup
handler_startup.osvm <- function(vetiver_model) vetiver::attach_pkgs(vetiver_model$metadata$required_pkgs)

#' @rdname vetiver_create_description.osvm
#' @exportS3Method vetiver::handler_predict
handler_predict.osvm <- function(vetiver_model, type = c("class", "prob", "decision"), ...) {
  check_passed("handler_predict", predict.osvm, ...)
  type <- one_choice(type, c("class", "prob", "decision"))
  model <- vetiver_model$model
  prototype <- vetiver_model$prototype
  function(req) {
    newdata <- req$body
    if (!is.null(prototype)) {
      newdata <- hardhat::scream(vetiver::vetiver_type_convert(newdata, prototype), prototype)
    }
    columns <- prediction_columns(predict.osvm(model, newdata, type, ...), type, model)
    as_tbl(do.call(data.frame, c(columns, check.names = FALSE)))
  }
}
