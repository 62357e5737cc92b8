# Arguments in `...` that a function does not have: most of them are misspelt, or habits from
# other packages. They are refused by name, without being evaluated.

# By default the known arguments are those of the caller; `.also` may be in `...`.
check_dots <- function(name, ..., .known = names(formals(sys.function(sys.parent()))), .also = NULL) {
  if (...length() > 0) {
    given <- dot_names(...)
    refuse_arguments(name, given[!given %in% .also], c(.known, .also))
  }
}

# Arguments that are passed on to `method`, which takes parts of names and arguments without a
# name as well.
check_passed <- function(name, method, ..., .also = NULL) {
  if (...length() > 0) {
    given <- dot_names(...)
    known <- setdiff(c(names(formals(method)), .also), "...")
    extra <- given[given != "" & is.na(pmatch(given, known, duplicates.ok = TRUE))]
    refuse_arguments(name, extra, union(names(formals(sys.function(sys.parent()))), known))
  }
}

dot_names <- function(...) {
  names <- names(substitute(list(...)))[-1]
  if (is.null(names)) rep("", ...length()) else names
}

refuse_arguments <- function(name, extra, known) {
  if (length(extra) == 0) {
    return(invisible())
  }
  named <- extra[extra != ""]
  if (length(named) == 0) {
    abort("{.fn {name}} was given {length(extra)} argument{?s} too many.")
  }
  hints <- unlist(lapply(utils::head(named, 3), function(argument) {
    hint <- argument_hint(argument, name, known)
    if (length(named) > 1) sub("^It ", paste0("{.arg ", argument, "} "), hint) else hint
  }))
  if (length(hints) > 0) names(hints) <- rep("i", length(hints))
  abort(c("{.fn {name}} has no {cli::qty(named)}argument{?s} {.arg {named}}.", hints))
}

# A habit's answer, else the argument of the most similar name.
argument_hint <- function(argument, name, known) {
  other <- setdiff(c("verbose", "progress"), argument)
  if (argument %in% c("verbose", "progress") && other %in% known) {
    return(paste0("It is {.arg ", other, "}."))
  }
  habit <- find_habit(argument, name)
  if (!is.null(habit)) {
    return(habit)
  }
  meant <- nearest(argument, setdiff(known, c("...", argument)))
  if (!is.null(meant)) paste0("Did you mean {.arg ", meant, "}?")
}

# The most similar of the names, if it is similar, and of the same length if possible: two letters swapped count as two
# changes.
nearest <- function(word, names) {
  distance <- utils::adist(word, names, ignore.case = TRUE)
  allowed <- if (nchar(word) < 4) nchar(word) - 1 else max(2, nchar(word) %/% 3)
  if (length(names) == 0 || min(distance) > min(allowed, nchar(word) - 1)) return(NULL)
  names[order(distance, abs(nchar(names) - nchar(word)))[1]]
}

# What plot methods pass on to plot.default(). The names of par() are listed because par() would
# open a device.
graphics_arguments <- function() c(names(formals(graphics::plot.default)), par_names)

par_names <- c(
  "xlog", "ylog", "adj", "ann", "ask", "bg", "bty", "cex", "cex.axis", "cex.lab", "cex.main", "cex.sub", "cin", "col",
  "col.axis", "col.lab", "col.main", "col.sub", "cra", "crt", "csi", "cxy", "din", "err", "family", "fg", "fig", "fin",
  "font", "font.axis", "font.lab", "font.main", "font.sub", "lab", "las", "lend", "lheight", "ljoin", "lmitre", "lty",
  "lwd", "mai", "mar", "mex", "mfcol", "mfg", "mfrow", "mgp", "mkh", "new", "oma", "omd", "omi", "page", "pch", "pin",
  "plt", "ps", "pty", "smo", "srt", "tck", "tcl", "usr", "xaxp", "xaxs", "xaxt", "xpd", "yaxp", "yaxs", "yaxt", "ylbias"
)

# Habits from other packages: arguments and names that do not exist here, and what works instead.

belongs <- function(to, code) paste0("It belongs to the ", to, ": {.code ", to, " = ", code, "}.")
fixed <- "Solver and kernel stay those of the first fit; {.fn osvm} fits another model."
examples_only <- "{.code update(fit, x, y)} adds examples; {.fn osvm} fits another formula."
in_threads <- "Threads within R are {.arg threads}; {.code future::plan()} has other workers."
new_examples <- "New examples are {.arg newdata}."

# By function, then by argument. Those of osvm() hold for osvm_tune() and the like as well.
habits <- list(
  osvm = c(
    gamma = belongs("kernel", "kernel_rbf(gamma = 0.5)"),
    sigma = belongs("kernel", "kernel_rbf(sigma = 1)"),
    kpar = belongs("kernel", "kernel_rbf(gamma = 0.5)"),
    degree = belongs("kernel", "kernel_polynomial(degree = 3)"),
    coef0 = belongs("kernel", "kernel_polynomial(coef0 = 1)"),
    nu = "It belongs to the loss: {.code loss = loss_novelty(nu = 0.1)}; there is no other nu-SVM.",
    epsilon = "It belongs to the loss: {.code loss = loss_epsilon(epsilon = 0.1)}.",
    type = "It is {.arg loss}: {.fn loss_hinge}, {.fn loss_epsilon}, {.fn loss_novelty}; without it {.arg y} decides.",
    cross = "Cross-validation is {.code osvm_tune(x, y, folds = 5)}.",
    cv = "Cross-validation is {.code osvm_tune(x, y, folds = 5)}.",
    tau = "It belongs to the loss: {.code loss = loss_quantile(0.9)}, or several: {.code c(0.05, 0.5, 0.95)}.",
    interval = "Intervals are {.code predict(type = \"interval\")}, after {.code conformal = TRUE}.",
    n_jobs = in_threads, cores = in_threads, ncores = in_threads, num.threads = in_threads, nthread = in_threads,
    seed = "{.code set.seed(1)} before the call governs all that is drawn.",
    random_state = "{.code set.seed(1)} before the call governs all that is drawn.",
    class.weights = "It is {.arg class_weights}: positive numbers named by class, or {.val balanced}.",
    cachesize = "It is {.arg cache_mb}.",
    prob.model = "It is {.code probability = TRUE}.",
    subset = "Select the rows beforehand."
  ),
  osvm_tune = c(
    cross = "It is {.arg folds}.", cv = "It is {.arg folds}.",
    ranges = "It is {.arg grid}, or several values in the specs, such as {.code C = 10^(0:3)}.",
    probability = "Probabilities come with {.code metric = \"logloss\"}."
  ),
  predict = c(
    probability = "Probabilities are {.code type = \"prob\"}, of a model fitted with {.code probability = TRUE}.",
    decision.values = "Decision values are {.code type = \"decision\"}.",
    newx = new_examples, x = new_examples, data = new_examples,
    tau = "A quantile is learned: {.code osvm(x, y, loss = loss_quantile(0.9))}, or several by {.code c(0.05, 0.95)}.",
    se.fit = "Intervals are {.code type = \"interval\"}, of a model fitted with {.code conformal = TRUE}.",
    alpha = "It is {.arg level}, 1 less alpha: {.code level = 0.9}.",
    n_jobs = in_threads, cores = in_threads, num.threads = in_threads,
    seed = "Nothing is drawn for a prediction: leave it out."
  ),
  update = c(
    formula = examples_only, formula. = examples_only, newdata = "New examples are {.arg x}, their labels {.arg y}.",
    solver = fixed, kernel = fixed, gamma = fixed
  ),
  query = c(newdata = "The examples to choose from are {.arg x}.", pool = "The examples to choose from are {.arg x}.")
)

find_habit <- function(argument, name) {
  for (table in habits[c(name, if (startsWith(name, "osvm_")) "osvm")]) {
    if (argument %in% names(table)) {
      return(table[[argument]])
    }
  }
  parameter_habit(argument, name)
}

# Parameters of solvers, by name or role, given to other functions or under another name.
parameter_habit <- function(argument, name) {
  if (grepl("^(solver|kernel)_", name)) {
    spec <- substring(name, 8)
    roles <- if (!is_given(spec)) constructor(substr(name, 1, 6), spec)()$roles
    own <- names(roles)[roles == argument]
    return(if (length(own) == 1) paste0("It is {.arg ", own, "}.") else find_habit(argument, "osvm"))
  }
  first <- c(default_solver("fit")$name, default_solver("example")$name)
  for (solver in union(first, solver_table()$name)) {
    roles <- solver_info(solver)$roles
    own <- names(roles)[names(roles) == argument | roles == argument]
    if (length(own) == 1 && name == "update") {
      return(fixed)
    }
    if (length(own) == 1 && startsWith(name, "osvm")) {
      usual <- constructor("solver", solver)()$params[[own]]
      grid <- known_roles[[roles[[own]]]]$grid
      value <- if (is.logical(usual)) !usual else if (length(grid) %% 2 == 1) stats::median(grid) else usual
      return(belongs("solver", paste0("solver_", solver, "(", own, " = ", deparse(value), ")")))
    }
  }
}

# Kernels of e1071, caret and kernlab.
kernel_aliases <- c(
  radial = "rbf", radialBasis = "rbf", rbfdot = "rbf", vanilladot = "linear", poly = "polynomial",
  polydot = "polynomial", tanhdot = "sigmoid", laplacedot = "laplacian", gaussian = "rbf"
)

# What to write in place of another name, of a kernel of kernlab, or of a constructor without its parentheses.
spec_hint <- function(spec, kind) {
  if (kind == "kernel" && inherits(spec, "kernel")) spec <- sub("kernel$", "dot", class(spec)[1])
  if (is_one_text(spec) && validEnc(spec)) {
    # Of solvers by functions `<name>_aliases()`
    own <- said_by_solvers("aliases")
    aliases <- if (kind == "kernel") kernel_aliases else stats::setNames(rep(names(own), lengths(own)), unlist(own))
    known <- c(aliases, stats::setNames(nm = spec_names(kind)))
    similar <- if (nchar(spec) > 3) nearest(spec, known)
    name <- c(known[tolower(names(known)) == tolower(spec)], similar)[1]
    if (is.na(name)) {
      return(NULL)
    }
    width <- if (endsWith(spec, "dot") && name %in% c("rbf", "laplacian")) "; kernlab's sigma is gamma here"
    return(paste0(
      "The name here is {.val ", name, "}; {.code ", kind, "_", name, "()} takes its parameters", width, "."
    ))
  }
  makers <- c(paste0("solver_", spec_names("solver")), paste0("kernel_", spec_names("kernel")))
  for (maker in makers[is.function(spec)]) {
    if (identical(spec, get(maker, envir = asNamespace("onlinesvm")))) {
      return(paste0("Call the function: {.code ", substr(maker, 1, 6), " = ", maker, "()}."))
    }
  }
  if (kind == "kernel" && is.function(spec)) "A function of yours is {.code kernel = kernel_function(f)}."
}
