#' Losses: what is predicted, and what an error costs
#'
#' The loss decides what a model learns: classes, numbers, quantiles, or what belongs to the data. [osvm()] chooses it
#' by the labels if it is not given. Numbers are learned with `loss_epsilon()`. Exceptions are two different numbers,
#' such as -1 and 1, and up to five different whole ones, such as 1, 2 and 3: these are classes, as other labels are,
#' and learned with `loss_hinge()`. Counts of more than a handful of values are therefore numbers, however many rows
#' there are, and so are the digits 0 to 9. Where whole numbers repeat as classes do, a message says what they are taken
#' for; `factor(y)` or `loss = loss_epsilon()` says it instead. Data without labels are learned with `loss_novelty()`.
#'
#' For the label \eqn{y}, of classes -1 or 1, and the output \eqn{f} of the model:
#'
#' `r loss_help()`
#'
#' `losses()` is a table of them.
#'
#' With `scale` in [osvm()], numbers are scaled to mean 0 and standard deviation 1 before they are learned, so that
#' `epsilon` is in standard deviations, and `C` does not depend on the unit of `y`. Predictions are in the units of `y`.
#'
#' @return The constructors return an object of class `osvm_loss` for [osvm()]. A parameter with several values is a
#'   grid for [osvm_tune()]; [osvm()] takes one value. `losses()` returns a data frame with a row per loss:
#'   \item{name, title}{the name is that of the constructor, `loss_<name>()`}
#'   \item{outcome}{what is predicted: `"classes"`, `"numbers"` or `"novelty"`}
#'   \item{parameters}{of the constructor, separated by commas}
#'   \item{metric}{by which settings are chosen, see [osvm_tune()]}
#'   \item{solvers}{those that learn it, separated by commas: see [solvers()]}
#'   \item{formula}{in LaTeX}
#' @seealso [osvm()], [solvers()]
#' @name losses
#' @order 1
#' @examples
#' fit <- osvm(dist ~ speed, cars)
#' predict(fit, data.frame(speed = c(10, 20)))
#'
#' # Nine of ten distances are below this
#' high <- osvm(dist ~ speed, cars, loss = loss_quantile(0.9))
#' predict(high, data.frame(speed = c(10, 20)))
#'
#' # What does not look like these flowers?
#' usual <- osvm(~ Petal.Length + Petal.Width, iris[1:50, ], loss = loss_novelty(nu = 0.1))
#' table(predict(usual, iris), iris$Species)
#'
#' losses()[c("name", "outcome", "metric")]
NULL

#' @rdname losses
#' @order 2
#' @export
losses <- function() {
  all <- declared$losses
  info <- lapply(all$name, loss_info)
  solvers <- solver_table()
  learned_by <- function(name) solvers$name[vapply(solvers$losses, function(losses) name %in% losses, NA)]
  data.frame(
    name = all$name, title = all$title, outcome = vapply(info, `[[`, "", "outcome"),
    parameters = vapply(all$roles, function(roles) paste(names(roles), collapse = ", "), ""),
    metric = vapply(info, `[[`, "", "metric"),
    solvers = vapply(all$name, function(name) paste(learned_by(name), collapse = ", "), "", USE.NAMES = FALSE),
    formula = all$formula
  )
}

new_loss <- function(name, ...) new_spec("loss", name, list(...))

# What a loss declares in C: `target` ("classes", "numbers" or "novelty"), `roles` of its parameters by name
# (spec-roles.R), `title` and `formula`; and loss_details().
loss_info <- function(name) declared$osvm_loss[[name]]

# What the R file of a loss says of it: its `outcome`, a name of outcome_kinds, by the function `<loss>_outcome`, else
# that of its target; and the metrics (outcome-metrics.R) by which settings are chosen, `metric`, and that a stream
# reports, `stream`, by `<loss>_metrics`, else those of its target.
loss_details <- function(info) {
  own <- function(what) {
    f <- get0(paste0(info$name, what), envir = asNamespace("onlinesvm"), mode = "function")
    if (!is.null(f)) f()
  }
  c(
    list(outcome = own("_outcome") %||% info$target),
    utils::modifyList(usual_metrics[[info$target]], as.list(own("_metrics")))
  )
}

usual_metrics <- list(
  classes = list(metric = "error", stream = "accuracy"), numbers = list(metric = "rmse", stream = c("rmse", "mae")),
  novelty = list(metric = "outside", stream = "novel")
)

loss_outcome <- function(loss) loss$traits$outcome

check_learns <- function(solver, loss) {
  if (!loss$name %in% solver$traits$losses) {
    all <- solver_table()
    able <- intersect(usual_solvers(), all$name[vapply(all$losses, function(losses) loss$name %in% losses, NA)])
    target <- loss_info(loss$name)$target
    what <- if (target == "novelty") "without labels" else loss_outcome(loss)
    abort(c(
      "The solver {.val {solver$name}} does not learn {what} by {.fn loss_{loss$name}}.",
      i = "{.val {able}} and others of {.fn solvers} do.",
      i = if (target == "numbers") "If the labels are classes, give {.code factor(y)}."
    ))
  }
}

# The table of the help page, from what the losses declare.
loss_help <- function() {
  all <- declared$losses
  of <- c(classes = "classes", numbers = "numbers", novelty = "what belongs to the data, without labels")
  rows <- sprintf("| `loss_%s()` | %s | %s |", all$name, rd_formula(all$formula), of[all$target])
  paste(c("| loss | \\eqn{L(y, f)} | for |", "|---|---|---|", rows), collapse = "\n")
}
