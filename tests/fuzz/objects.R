# Objects a method is called with, one generator per class: `name` of the variable, and `code` that defines it after
# that of a problem. A class without a generator gets an empty list of that class.

fit_code <- function(more = "") {
  sprintf("fit <- osvm(x, y, %s%s, verbose = FALSE)", specs_code(), more)
}

more <- c(
  ", probability = TRUE", ", multiclass = \"ovo\"", ", scale = FALSE", ", scale = \"rank\"", ", scale = \"robust\"",
  ", conformal = TRUE", ", cells = 5"
)

# Fits of numbers, of several columns of them, and of novelty.
other_outcomes <- list(
  function() c("y <- stats::rnorm(NROW(x))", fit_code(pick(c("", "", ", conformal = TRUE", ", cells = 5")))),
  function() {
    numbers <- pick(c("stats::rnorm(NROW(x))", "matrix(stats::rnorm(2 * NROW(x)), ncol = 2)"))
    c(paste("y <-", numbers), sprintf("fit <- osvm(x, y, \"smo\", loss = %s, verbose = FALSE)", loss_code()))
  },
  function() "fit <- osvm(x, loss = loss_novelty(nu = 0.3), verbose = FALSE)"
)

objects <- list(
  osvm = list("fit", function() {
    if (chance(0.3)) pick(other_outcomes)() else fit_code(pick(c("", "", more)))
  }),
  osvm_tuning = list("tuned", function() {
    sprintf("tuned <- osvm_tune(x, y, %s, folds = 2, progress = FALSE)", specs_code())
  }),
  osvm_comparison = list("both",
  function() "both <- osvm_compare(x, y, c(\"smo\", \"pa\"), kernel_linear(), folds = 2, progress = FALSE)"),
  osvm_folds = list("folds",
  function() "folds <- osvm_tune(x, y, grid = list(C = 1), folds = 2, progress = FALSE, refit = FALSE)$folds"),
  osvm_active = list("fit", function() sprintf("fit <- osvm_active(x, y, %s, verbose = FALSE)", specs_code())),
  osvm_loo = list("left",
  function() "left <- loo(osvm(x, y, solver_idsvm(), kernel_rbf(gamma = 0.5), verbose = FALSE))"),
  osvm_curve = list("curve",
  function() "curve <- osvm_learning_curve(x, y, \"pa\", kernel_linear(), sizes = c(0.5, 1), folds = 2)"),
  osvm_shapley = list("why", function() {
    c("fit <- osvm(x, y, kernel = \"rbf\", verbose = FALSE)", "why <- osvm_shapley(fit, x)")
  }),
  osvm_importance = list("sizes", function() {
    c("fit <- osvm(x, y, kernel = \"rbf\", verbose = FALSE)", "sizes <- osvm_importance(fit, x)")
  }),
  osvm_live = list("live", function() {
    fit <- "fit <- osvm(x, y, solver_lasvm(finish = FALSE), kernel_rbf(gamma = 0.5), verbose = FALSE)"
    c(fit, "live <- osvm_live(fit)")
  }),
  osvm_stream = list("run", function() {
    "run <- osvm_stream(source_matrix(x, y), \"pa\", kernel_rbf(gamma = 0.5), chunk = 5, verbose = FALSE)"
  }),
  osvm_source = list("source", function() "source <- source_matrix(x, y)"),
  osvm_drift = list("spec", function() paste("spec <-", pick(valid$drift))),
  osvm_full = list("full", function() {
    "full <- osvm(x, y, solver_idsvm(), kernel_rbf(gamma = 0.5), conformal = \"full\", verbose = FALSE)"
  }),
  osvm_sets = list("sets", function() {
    c(fit_code(", conformal = TRUE"), "sets <- predict(fit, x, type = \"set\")")
  }),
  osvm_threshold = list("cut", function() c(fit_code(), "cut <- osvm_threshold(fit, newdata = x, y = y, tpr = 0.9)")),
  osvm_loss = list("spec", function() paste("spec <-", loss_code())),
  summary.osvm_stream = list("digest", function() c(objects$osvm_stream[[2]](), "digest <- summary(run)")),
  osvm_solver = list("spec", function() paste("spec <-", solver_code())),
  osvm_kernel = list("spec", function() paste("spec <-", kernel_code())),
  summary.osvm = list("digest", function() c(fit_code(), "digest <- summary(fit)")),
  summary.osvm_tuning = list("digest", function() c(objects$osvm_tuning[[2]](), "digest <- summary(tuned)")),
  list = list("several", function() c(objects$osvm_tuning[[2]](), "several <- list(a = tuned, b = tuned)")),
  default = list("x", character),
  data.frame = list("x", function() "if (!is.data.frame(x)) x <- data.frame(as.matrix(x))"),
  formula = list("formula", function() c(data_code, paste("formula <-", pick(valid$formula))))
)

object_of <- function(class) {
  made <- objects[[class]]
  if (is.null(made)) made <- list("thing", function() sprintf("thing <- structure(list(), class = \"%s\")", class))
  list(name = made[[1]], code = made[[2]]())
}

# Functions that are not methods: the class of the argument they share a name with.
argument_objects <- c(object = "osvm")
