# Novelty: whether an example belongs to those learned. There are no labels, and the targets are 0.

novelty_outcome <- list(
  read = function(y, n, levels, name, scale) {
    check_unlabelled(y)
    if (n == 0) abort("{.arg x} must have at least one row.")
    list(outcome = "novelty", label = list(kind = "logical"), class = numeric(n))
  },
  start = function(model, labels, class_weights) {
    if (!is.null(class_weights)) abort("{.arg class_weights} are for classes; a number per example is {.arg weights}.")
    model$label <- labels$label
    model$machines <- one_machine
    model
  },
  find = function(model, y) as.numeric(as.logical(y)),
  match = function(model, y, n) {
    check_unlabelled(y)
    numeric(n)
  },
  restore = function(model, target) target == 1,
  weigh = function(model, target) 1,
  core = function(target) list(),
  predict = function(model, f) as.numeric(f[, 1] >= novelty_boundary(model)),
  units = function(model) no_units(model),
  settings = list(cost = 2, scale = 1),
  names = function(model) "novelty",
  size = function(model) "what is usual",
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

# Solvers of the dual, at whose optimum the share of the rows learned is known. One that forgets must know nothing of what
# it has forgotten.
has_boundary <- function(model) {
  info <- solver_info(model$solver$name)
  model$outcome == "novelty" && solver_traits(model$solver)$optimal && !info$forgets
}

check_unlabelled <- function(y) {
  if (!is.null(y)) {
    abort(c(
      "{.arg y} must be left out: novelty detection learns without labels.",
      i = "Classes are learned with {.fn loss_hinge}, numbers with {.fn loss_epsilon}."
    ))
  }
}
