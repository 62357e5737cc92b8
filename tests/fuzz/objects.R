# Objects a method is called with, one generator per class: `name` of the variable, and `code` that defines it after
# that of a problem. A class without a generator gets an empty list of that class.

fit_code <- function(more = "") {
  sprintf("fit <- osvm(x, y, %s%s, verbose = FALSE)", specs_code(), more)
}

objects <- list(
  osvm = list("fit", function() {
    fit_code(pick(c("", "", ", probability = TRUE", ", multiclass = \"ovo\"", ", scale = FALSE")))
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
