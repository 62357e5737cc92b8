# Counts: whole numbers from 0 on, of which decision values are logarithms of the mean. An outcome of numbers, of which
# it has all that is not here. A throwaway that shows what an outcome needs (CONTRIBUTING.md).
counts_outcome <- list(
  target = "numbers",
  survey = function(y, n, name) {
    y <- check_numbers(y, n, name)
    if (any(y < 0 | y != round(y))) abort("{.arg {name}} must be counts: whole numbers of at least 0.")
    numbers_outcome$survey(y, n, name)
  },
  declare = function(survey, levels, scale) numbers_outcome$declare(survey, levels, scale = FALSE),
  predict = function(model, f) exp(numbers_outcome$predict(model, f)),
  units = function(model) no_units(model),
  constant = function(model, target, weight) log(max(stats::weighted.mean(target, weight), 1e-3)),
  size = function(model) "counts",
  describe = function(model) c(target = paste("counts from", model$label$range[1], "to", model$label$range[2]))
)
