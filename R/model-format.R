# The format of a model is raised whenever its fields change meaning. Models of older formats, which come from files,
# are converted, format by format.

model_format <- 4L

# From the format in the name to the next one.
model_converters <- list(
  "2" = function(model) {
    model <- with_new_parameters(model)
    running <- model$running
    model$transform <- if (is.null(running)) {
      list(kind = if (is.null(model$scaling)) "none" else "scaling", scaling = model$scaling)
    } else {
      c(list(kind = "running"), running)
    }
    model$running <- NULL
    model$outcome <- "classes"
    model$loss <- loss_hinge()
    costs_from_bounds(targets_from_signs(model))
  },
  "3" = function(model) {
    if (!is.null(model$cells)) model$cells$parts <- lapply(model$cells$parts, with_new_parameters)
    with_new_parameters(model)
  }
)

# Of a model, or of a cell.
with_new_parameters <- function(x) {
  x$solver <- read_spec(x$solver, "solver")
  x$kernel <- read_spec(x$kernel, "kernel")
  x
}

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

# Models of format 2 have no targets: the side of an example in a machine was the sign of its bound or coefficient.
# One-vs-rest, an example that is on no positive side may be of any class whose machine does not have it on the other.
targets_from_signs <- function(model) {
  if (!keeps_examples(model) || is.null(model$sv)) {
    return(model)
  }
  signed <- intersect(c("bound", "coef", "alpha"), dimnames(model$state)[[3]])
  side <- if (length(signed) > 0) model$state[, , signed[1]] else model$coef
  side <- matrix(side, nrow(model$sv))
  machines <- model$machines
  strongest <- max.col(if (machines$negative[1] == 0) side else abs(side), "first")
  of <- machines[strongest, ]
  negative <- side[cbind(seq_along(strongest), strongest)] < 0
  class <- as.double(ifelse(negative & of$negative > 0, of$negative, of$positive))
  if (!is.null(model$merged)) class[model$merged] <- NA
  model$target <- class
  model
}

# Where later models have the cost of an example, a positive number, they had its bound, with the sign of the label.
costs_from_bounds <- function(model) {
  column <- match("bound", unlist(dimnames(model$state)[3]))
  if (!is.na(column)) {
    model$state[, , column] <- abs(model$state[, , column])
    dimnames(model$state)[[3]][column] <- "cost"
  }
  model
}
