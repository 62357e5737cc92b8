# Novelty: whether an example belongs to those learned. There are no labels, and the targets are 0.

novelty_outcome <- list(
  target = "novelty",
  survey = function(y, n, name) {
    check_unlabelled(y)
    if (n == 0) abort("{.arg x} must have at least one row.")
    list()
  },
  declare = function(survey, levels, scale) list(label = list(kind = "logical")),
  match = function(model, y, n) {
    check_unlabelled(y)
    numeric(n)
  },
  find = function(model, y) as.numeric(as.logical(y)),
  start = function(model, labels, class_weights) {
    model$label <- labels$label
    model$machines <- one_machine
    model
  },
  restore = function(model, target) target == 1,
  core = function(target) list(),
  predict = function(model, f) as.numeric(f[, 1] >= novelty_boundary(model)),
  settings = list(cost = 2, scale = 1),
  usual = 1,
  left_out = "outside if left out",
  names = function(model) "novelty",
  size = function(model) "what is usual",
  warn = function(model) {
    # The optimum is w = 0 if 0 is a weighted mean of the examples with weights of at most 1 / (nu n). The objective is
    # |w|^2 / 2.
    most <- role_value(model$loss, "share") * model$n_seen * sqrt(model$extent$square)
    if (is_primal(model) && isTRUE(sqrt(2 * max(model$convergence$objective, 0)) <= 1e-3 * most) &&
      !is.null(model$convergence)) {
      warn(c(
        "The data lie on all sides of the origin, so that no hyperplane separates them from it: decision values are 0
         but for rounding.",
        i = "Choose another kernel, such as {.fn kernel_rbf}; with {.code scale = TRUE} the origin is the mean of the
             data."
      ), "osvm_not_separable")
    }
  },
  describe = function(model) c(target = "none: TRUE for what belongs to the examples learned"),
  fields = list(
    boundary = or_null(a_number),
    label = type("that of novelty", function(x, ...) identical(x, list(kind = "logical"))),
    machines = type("one machine", function(x, ...) identical(x, one_machine))
  ),
  is_target = function(model, target) all(target %in% c(0, NA))
)

# The decision value below which an example is novel: 0, or what was placed on held-out rows, which models keep per row
# learned, since decision values grow with these.
novelty_boundary <- function(model) if (is.null(model$boundary)) 0 else model$boundary * model$n_seen

check_unlabelled <- function(y) {
  if (!is.null(y)) {
    abort(c(
      "{.arg y} must be left out: novelty detection learns without labels.",
      i = "Classes are learned with {.fn loss_hinge}, numbers with {.fn loss_epsilon}."
    ))
  }
}
