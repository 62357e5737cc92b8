# What every solver must do. A solver listed by solvers() runs the whole suite by
# itself: nothing below names one.

each_solver <- function(desc, body) {
  for (name in solvers()$name) {
    test_that(paste0(name, ": ", desc), {
      muffle_hulls(body(name))
    })
  }
}

# Most data here overlaps, which a hard margin may complain of.
muffle_hulls <- function(code) {
  withCallingHandlers(code, osvm_not_separable = function(w) invokeRestart("muffleWarning"))
}

# A spec with only those arguments the solver has.
make_solver <- function(name, ...) {
  make <- get(paste0("solver_", name), envir = asNamespace("onlinesvm"))
  args <- list(...)
  do.call(make, args[intersect(names(args), names(formals(make)))])
}

one_pass <- function(name, ...) make_solver(name, epochs = 1, shuffle = FALSE, finish = FALSE, ...)

# The defaults, but for a C of Inf: where hulls meet nothing is left but rounding, and weights have nothing to multiply.
soft_solver <- function(name, ...) {
  hard <- identical(make_solver(name)$params$C, Inf)
  if (hard) make_solver(name, C = 1, ...) else make_solver(name, ...)
}

solver_space <- function(name) {
  all <- solvers()
  all$space[all$name == name]
}

is_online <- function(name) {
  all <- solvers()
  all$online[all$name == name]
}

solver_kernels <- function(name) {
  linear <- list(linear = kernel_linear())
  curved <- list(
    polynomial = kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1),
    rbf = kernel_rbf(gamma = 0.5),
    sigmoid = kernel_sigmoid(gamma = 0.2, coef0 = 0.1)
  )
  switch(solver_space(name), linear = linear, kernel = c(linear, curved), both = c(linear, curved))
}

# The kernel to use where one will do.
main_kernel <- function(name) {
  kernels <- solver_kernels(name)
  if (is.null(kernels$rbf)) kernels$linear else kernels$rbf
}

quick_fit <- function(name, data, ..., solver = make_solver(name), kernel = main_kernel(name), seed = 1) {
  set.seed(seed)
  osvm(data$x, data$y, solver, kernel, ..., verbose = FALSE)
}

# Overlapping clouds, so that no solver gets away with a trivial solution.
clouds <- function(n = 40, d = 3, classes = 2, seed = 42) {
  set.seed(seed)
  k <- rep_len(seq_len(classes), n)
  x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("x", seq_len(d))))
  x[, 1] <- x[, 1] + 1.5 * k
  x[, d] <- x[, d] + 1.2 * (k == 2)
  list(x = x, y = factor(letters[k], levels = letters[seq_len(classes)]))
}

sparse_clouds <- function(...) {
  data <- clouds(...)
  data$x[abs(data$x) < 0.6] <- 0
  data$s <- methods::as(methods::as(data$x, "dMatrix"), "CsparseMatrix")
  data
}

rows <- function(data, i) list(x = data$x[i, , drop = FALSE], y = data$y[i])

decide <- function(fit, x, ...) predict(fit, x, type = "decision", ...)

# Everything but the clock, the call and the settings that must not matter.
timeless <- function(fit) {
  fit$call <- NULL
  fit$control <- NULL
  fit$trace$seconds <- NULL
  fit$stats$seconds <- NULL
  fit
}

expect_same_model <- function(a, b) expect_equal(timeless(a), timeless(b), tolerance = 0)

expect_osvm_error <- function(code) expect_error(code, class = "osvm_error")

# Damage must be noticed or harmless: never a crash, never a value that is not finite.
expect_refused_or_finite <- function(code, label) {
  got <- tryCatch(code, osvm_error = function(e) "refused", error = identity)
  fine <- identical(got, "refused") || (is.numeric(got) && all(is.finite(got)))
  seen <- if (inherits(got, "error")) conditionMessage(got) else toString(head(got))
  expect_true(fine, info = paste0(label, ": ", seen))
}
