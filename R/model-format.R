# The format of a model is raised whenever its fields change meaning. Models of older formats that a release wrote,
# which come from files, are converted here.

model_format <- 4L

in_current_format <- function(model) {
  format <- model$format
  if (!identical(format, model_format)) {
    need(is.null(format) || is_one_number(format), "its format is unreadable")
    made <- if (is.null(format) || format < model_format) "an older" else "a newer"
    abort(c(
      "The model was made by {made} version of the package, whose format this version does not read.",
      i = "Fit it anew with {.fn osvm}, or use the version that made it."
    ))
  }
  model
}
