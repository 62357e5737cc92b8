# Habits from other packages: arguments and names that do not exist here, and what works instead.

belongs <- function(to, code) paste0("It belongs to the ", to, ": {.code ", to, " = ", code, "}.")
fixed <- "Solver and kernel stay those of the first fit; {.fn osvm} fits another model."
examples_only <- "{.code update(fit, x, y)} adds examples; {.fn osvm} fits another formula."
new_examples <- "New examples are {.arg newdata}."

# By function, then by argument. Those of osvm() hold for osvm_tune() and the like as well.
habits <- list(
  osvm = c(
    C = belongs("solver", "solver_smo(C = 10)"),
    cost = belongs("solver", "solver_smo(C = 10)"),
    lambda = belongs("solver", "solver_pegasos(lambda = 1e-4)"),
    epochs = belongs("solver", "solver_olsvm(epochs = 5)"),
    tolerance = belongs("solver", "solver_smo(tolerance = 1e-3)"),
    shrinking = belongs("solver", "solver_smo(shrinking = FALSE)"),
    gamma = belongs("kernel", "kernel_rbf(gamma = 0.5)"),
    sigma = belongs("kernel", "kernel_rbf(sigma = 1)"),
    kpar = belongs("kernel", "kernel_rbf(gamma = 0.5)"),
    degree = belongs("kernel", "kernel_polynomial(degree = 3)"),
    coef0 = belongs("kernel", "kernel_polynomial(coef0 = 1)"),
    nu = "There is no nu-SVM; the regularization is {.arg C}: {.code solver = solver_smo(C = 10)}.",
    type = "There is only classification, in as many classes as {.arg y} has: leave it out.",
    cross = "Cross-validation is {.code osvm_tune(x, y, folds = 5)}.",
    class.weights = "It is {.arg class_weights}: positive numbers named by class, or {.val balanced}.",
    cachesize = "It is {.arg cache_mb}.",
    prob.model = "It is {.code probability = TRUE}.",
    subset = "Select the rows beforehand."
  ),
  osvm_tune = c(
    cross = "It is {.arg folds}.",
    ranges = "It is {.arg grid}, or several values in the specs: {.code solver_smo(C = 10^(0:3))}.",
    probability = "Probabilities come with {.code metric = \"logloss\"}.",
    verbose = "It is {.arg progress}."
  ),
  predict = c(
    probability = "Probabilities are {.code type = \"prob\"}, of a model fitted with {.code probability = TRUE}.",
    decision.values = "Decision values are {.code type = \"decision\"}.",
    newx = new_examples, x = new_examples, data = new_examples
  ),
  update = c(
    formula = examples_only, formula. = examples_only, newdata = "New examples are {.arg x}, their labels {.arg y}.",
    solver = fixed, kernel = fixed, C = fixed, cost = fixed, lambda = fixed, gamma = fixed, epochs = fixed
  ),
  query = c(newdata = "The examples to choose from are {.arg x}.", pool = "The examples to choose from are {.arg x}.")
)

find_habit <- function(argument, name) {
  for (table in habits[c(name, if (startsWith(name, "osvm_")) "osvm")]) {
    if (argument %in% names(table)) {
      return(table[[argument]])
    }
  }
}

# Kernels of e1071, caret and kernlab.
kernel_aliases <- c(
  radial = "rbf", radialBasis = "rbf", rbfdot = "rbf", vanilladot = "linear", poly = "polynomial",
  polydot = "polynomial", tanhdot = "sigmoid"
)

# What to write in place of another name, or of a constructor without its parentheses.
spec_hint <- function(spec, kind) {
  if (kind == "kernel" && is.character(spec) && length(spec) == 1 && spec %in% names(kernel_aliases)) {
    name <- kernel_aliases[[spec]]
    return(paste0("The name here is {.val ", name, "}; {.code kernel_", name, "()} takes its parameters."))
  }
  makers <- c(paste0("solver_", solvers()$name), paste0("kernel_", kernel_names))
  for (maker in makers[is.function(spec)]) {
    if (identical(spec, get(maker, envir = asNamespace("onlinesvm")))) {
      return(paste0("Call the function: {.code ", substr(maker, 1, 6), " = ", maker, "()}."))
    }
  }
}
