# The conformance suite: tests that run for every solver listed by solvers(), and name none.

# OSVM_TEST_SOLVER names the only solver to be tested.
tested_solvers <- function() {
  only <- Sys.getenv("OSVM_TEST_SOLVER")
  if (nzchar(only)) only else all_solvers$name
}

each_solver <- function(desc, body) {
  for (name in tested_solvers()) {
    test_that(paste0(name, ": ", desc), {
      muffle_not_separable(body(name))
    })
  }
}

all_solvers <- solvers()
solver_field <- function(name, field) all_solvers[[field]][all_solvers$name == name]
solver_space <- function(name) solver_field(name, "space")
is_online <- function(name) solver_field(name, "online")

# Most data here overlaps, of which a hard margin warns.
muffle_not_separable <- function(code) {
  withCallingHandlers(code, osvm_not_separable = function(w) invokeRestart("muffleWarning"))
}

# A spec with only those arguments the solver has.
make_solver <- function(name, ...) {
  make <- getExportedValue("onlinesvm", paste0("solver_", name))
  args <- list(...)
  do.call(make, args[intersect(names(args), names(formals(make)))])
}

one_pass <- function(name, ...) make_solver(name, epochs = 1, shuffle = FALSE, finish = FALSE, ...)

# The defaults, but a finite C: with C = Inf and overlapping classes the solution is rounding error, and weights have
# no effect.
soft_solver <- function(name, ...) {
  hard <- identical(make_solver(name)$params$C, Inf)
  if (hard) make_solver(name, C = 1, ...) else make_solver(name, ...)
}

# Double precision in the fits of a test: two ways to the same model differ by rounding alone, which in single precision
# may decide a comparison and change the steps after it.
local_doubles <- function(frame = parent.frame()) {
  local_internal("data_extent", function(...) replace(data_extent(...), "far", TRUE), frame)
}

# A kernel of the table with parameters for small data; by default a scale of 0.5.
test_kernel <- function(name) {
  make <- constructor("kernel", name)
  params <- switch(name,
    polynomial = list(degree = 2, gamma = 0.5, coef0 = 1),
    sigmoid = list(gamma = 0.2, coef0 = 0.1),
    lapply(stats::setNames(nm = role_name(make(), "scale")), function(role) 0.5)
  )
  do.call(make, params)
}

# The kernels a solver takes; OSVM_TEST_KERNEL names the only one that is not linear.
solver_kernels <- function(name) {
  known <- kernel_table()
  only <- Sys.getenv("OSVM_TEST_KERNEL")
  names <- known$name[known$linear | solver_space(name) != "linear" & (!nzchar(only) | known$name == only)]
  lapply(stats::setNames(nm = names), test_kernel)
}

# Unless exhaustive two of them, others for the next solver.
some_kernels <- function(name) {
  kernels <- solver_kernels(name)
  some_of(kernels, unique((match(name, all_solvers$name) + 0:1) %% length(kernels) + 1))
}

# For tests that need one kernel.
main_kernel <- function(name) {
  kernels <- solver_kernels(name)
  if (is.null(kernels$rbf)) kernels$linear else kernels$rbf
}

quick_fit <- function(name, data, ..., solver = make_solver(name), kernel = main_kernel(name), seed = 1) {
  set.seed(seed)
  osvm(data$x, data$y, solver, kernel, ..., verbose = FALSE)
}

# Overlapping Gaussian classes: no solver has a trivial solution.
clouds <- function(n = 40, d = 3, classes = 2, seed = 42) {
  set.seed(seed)
  k <- rep_len(seq_len(classes), n)
  x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("x", seq_len(d))))
  x[, 1] <- x[, 1] + 1.5 * k
  x[, d] <- x[, d] + 1.2 * (k == 2)
  list(x = x, y = factor(letters[k], levels = letters[seq_len(classes)]))
}

# Five classes, far from each other.
join_problem <- function(n = 600) {
  set.seed(5)
  y <- sample(letters[1:5], n, replace = TRUE)
  centre <- rbind(a = c(0, 0), b = c(3, 0), c = c(0, 3), d = c(3, 3), e = c(1.5, -2.5))
  x <- centre[y, ] + rnorm(2 * n, 0, 0.5)
  dimnames(x) <- list(NULL, c("u", "v"))
  list(x = x, y = y)
}

# The empty features keep the core's store sparse; without them it is dense: see test-layout.R.
sparse_clouds <- function(..., empty = 40) {
  data <- clouds(...)
  data$x[abs(data$x) < 0.6] <- 0
  none <- matrix(0, nrow(data$x), empty, dimnames = list(NULL, sprintf("none%d", seq_len(empty))))
  data$x <- cbind(data$x, none)
  data$s <- methods::as(methods::as(data$x, "dMatrix"), "CsparseMatrix")
  data
}

rows <- function(data, i) list(x = data$x[i, , drop = FALSE], y = data$y[i])

decide <- function(fit, x, ...) predict(fit, x, type = "decision", ...)

# A model without its timings, its call and the settings that must not affect it.
without_timings <- function(fit) {
  fit$call <- NULL
  fit$control <- NULL
  fit$trace$seconds <- NULL
  fit$stats$seconds <- NULL
  fit
}

expect_same_model <- function(a, b) expect_equal(without_timings(a), without_timings(b), tolerance = 0)

# Damage is refused or has no effect: no crash, no value that is not finite.
expect_refused_or_finite <- function(code, label) {
  got <- tryCatch(code, osvm_error = function(e) "refused", error = identity)
  fine <- identical(got, "refused") || (is.numeric(got) && all(is.finite(got)))
  seen <- if (inherits(got, "error")) conditionMessage(got) else toString(head(got))
  expect_true(fine, info = paste0(label, ": ", seen))
}
