# The format of a model is raised whenever its fields change meaning. Models of older formats, which come from files,
# are converted, format by format.

model_format <- 3L

# From the format in the name to the next one.
model_converters <- list(
  "2" = function(model) {
    running <- model$running
    model$transform <- if (is.null(running)) {
      list(kind = if (is.null(model$scaling)) "none" else "scaling", scaling = model$scaling)
    } else {
      c(list(kind = "running"), running)
    }
    model$running <- NULL
    model$outcome <- "classes"
    model
  }
)

in_current_format <- function(model) {
  format <- model$format
  if (identical(format, model_format)) {
    return(model)
  }
  need(is.null(format) || is_one_number(format), "its format is unreadable")
  if (is.null(format) || !as.character(format) %in% names(model_converters)) {
    made <- if (is.null(format) || format < model_format) "an older" else "a newer"
    abort(c(
      "The model was made by {made} version of the package, whose format this version does not read.",
      i = "Fit it anew with {.fn osvm}, or use the version that made it."
    ))
  }
  for (step in seq(format, model_format - 1)) {
    model <- tryCatch(
      model_converters[[as.character(step)]](model),
      error = function(e) need(FALSE, paste("its fields are not those of format", step))
    )
  }
  model$format <- model_format
  model
}
