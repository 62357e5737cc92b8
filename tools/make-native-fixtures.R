# What the plain-R references of helper-reference*.R say of the problems that tests/core/test-reference.c draws, too:
#   Rscript tools/make-native-fixtures.R
# writes tests/core/reference-cases.inc. A test compares the file with what is generated here.

for (name in c("", "-perceptron", "-ramp")) {
  source(sprintf("tests/testthat/helper-reference%s.R", name), local = TRUE)
}

# Park & Miller's generator, and sums of twelve of its values as normal ones: no digit depends on a library.
random <- function(seed) {
  z <- seed
  uniform <- function() {
    z <<- (16807 * z) %% 2147483647
    z / 2147483647
  }
  list(uniform = uniform, normal = function() {
    sum <- 0
    for (k in 1:12) sum <- sum + uniform()
    sum - 6
  })
}

# Examples in the order of visits. Sparse data: half of the values are zero. Weightless: every seventh weight is zero.
problem <- function(n, d, classes, sparse, weightless) {
  r <- random(n + 100 * d + classes)
  x <- matrix(0, n, d)
  for (k in seq_len(n * d)) {
    zero <- r$uniform() < 0.5
    value <- r$normal()
    x[k] <- if (sparse && zero) 0 else value
  }
  x <- x[(7 * (seq_len(n) - 1) + 3) %% n + 1, , drop = FALSE]
  class <- weight <- numeric(n)
  for (v in seq_len(n)) {
    side <- x[v, 1] + 0.5 * r$normal()
    class[v] <- if (classes == 2) side > 0 else (side > -0.5) + (side > 0.5)
    weight[v] <- r$uniform() + 0.5
    if (v %% 3 != 1) weight[v] <- 1
    if (weightless && v %% 7 == 6) weight[v] <- 0
  }
  positive <- if (classes == 2) 1 else c(1, 2, 2)
  negative <- if (classes == 2) 0 else c(0, 1, -1)
  label <- sapply(seq_along(positive), function(m) {
    ifelse(class == positive[m], 1, ifelse(negative[m] < 0 | class == negative[m], -1, 0))
  })
  list(x = x, weight = weight, label = matrix(label, n))
}

kernels <- list(
  linear = list(name = "linear"),
  rbf = list(name = "rbf", params = list(gamma = 0.5)),
  polynomial = list(name = "polynomial", params = list(gamma = 0.3, coef0 = 1, degree = 3)),
  sigmoid = list(name = "sigmoid", params = list(gamma = 0.3, coef0 = -0.4))
)

# ---- one binary machine: coefficients by visit, intercept, margins and how many examples are kept ----

forgotten <- c(3, 30, 31, 0, 12) + 1

run_ramp <- function(case, K, y, weight) {
  s <- ref_ramp_start(K, y, case$C * weight, list(params = list(tolerance = 1e-3, min_gain = 1e-5, keep = case$keep)))
  used <- which(y != 0 & weight > 0)
  early <- if (case$forget) used[used <= 50] else used
  for (i in early) s <- ref_ramp_learn(s, i)
  if (case$forget) for (i in intersect(forgotten, s$I)) s <- ref_ramp_forget(s, i)
  for (i in setdiff(used, early)) s <- ref_ramp_learn(s, i)
  list(coef = y * s$a, intercept = 0, kept = s$I)
}

run_cccp <- function(case, K, y, weight) {
  s <- ref_cccp(K, y, case$C * weight, list(params = list(tolerance = 1e-3, min_gain = 1e-5, start = case$start)))
  list(coef = y * s$a, intercept = 0, kept = which(s$a != 0))
}

run_visits <- function(case, K, y, weight, x) {
  steps <- rep(which(y != 0), case$epochs)
  if (case$solver %in% names(ref_mistakes)) {
    params <- list(C = case$C, bias = case$bias > 0, average = case$average > 0, variant = case$variant)
    return(ref_mistakes_train(list(name = case$solver, params = params), kernels[[case$kernel]], x, y, steps, weight))
  }
  rule <- if (case$regularized) "olsvm_regularized" else case$solver
  ref_run(rule, K, y, steps, case$C, case$bias > 0, case$average > 0, weight)
}

# ---- the numbers of a case ----

# Four projections of a vector stand for it.
project <- function(values) vapply(0:3, function(k) sum(values * cos(k * (seq_along(values) - 1))), 0)

compute <- function(case) {
  p <- problem(case$n, case$d, case$classes, case$sparse, weightless = case$solver != "cccp")
  K <- ref_kernel(p$x, p$x, kernels[[case$kernel]])
  run <- switch(case$solver, ramp = run_ramp, cccp = run_cccp, function(...) run_visits(..., x = p$x))
  found <- lapply(seq_len(ncol(p$label)), function(m) run(case, K, p$label[, m], p$weight))
  primal <- case$kernel == "linear" && is.null(found[[1]]$kept)
  numbers <- vapply(found, function(f) {
    values <- if (primal) drop(crossprod(p$x, f$coef)) else f$coef
    c(project(values), f$intercept, sum(abs(values)))
  }, numeric(6))
  bound <- if (case$solver == "perceptron") 0 else 1
  last <- as.numeric(unlist(lapply(found, function(f) utils::tail(f$margins, length(f$margins) / case$epochs))))
  all <- as.numeric(unlist(lapply(found, `[[`, "margins")))
  near <- function(margins, gap) sum(abs(margins - bound) < gap * pmax(1, abs(margins)) & margins != bound)
  closed <- case$solver %in% c("norma", "pegaz", "perceptron")
  list(
    numbers = numbers, loss = if (length(last) == 0) 0 else mean(pmax(0, 1 - last)),
    violations = if (closed) sum(last <= bound) else sum(last < bound), undecided = near(last, 1e-9),
    clear = length(all) > 0 && near(all, 1e-3) == 0, kept = length(unique(unlist(lapply(found, `[[`, "kept"))))
  )
}

# ---- the cases ----

default <- list(
  solver = "", kernel = "rbf", n = 61, d = 2, classes = 2, sparse = 0, epochs = 1, C = 0.7, bias = 0, average = 0,
  regularized = 0, variant = "PA-I", keep = Inf, start = 1, forget = 0
)
problems <- list(
  list(), list(d = 12), list(kernel = "polynomial", d = 5, sparse = 1), list(kernel = "linear", d = 4),
  list(kernel = "linear", d = 6, sparse = 1, classes = 3), list(d = 9, sparse = 1, classes = 3)
)
lists <- list(list(solver = "norma"), list(solver = "pegaz"), list(solver = "olsvm"),
  list(solver = "olsvm", regularized = 1))
mistakes <- c(list(list(solver = "perceptron")), lapply(c("PA-I", "PA", "PA-II"), function(v) {
  list(solver = "pa", C = 0.4, variant = v)
}))
ways <- list(
  list(), list(bias = 1, average = 1), list(bias = 1, epochs = 3), list(average = 1, epochs = 3)
)
each <- function(...) {
  lists <- list(...)
  at <- as.matrix(do.call(expand.grid, lapply(lists, seq_along)))
  lapply(seq_len(nrow(at)), function(r) do.call(c, Map(`[[`, lists, at[r, ])))
}
few <- lapply(1:6, function(n) list(n = n, bias = 1, epochs = 9, C = 0.3, classes = 2 + n %% 2))
cases <- c(
  each(c(lists, mistakes), ways, problems),
  each(mistakes, ways, list(list(kernel = "sigmoid", d = 3))), # k(x, x) of either sign
  each(lists, list(list(n = 499, epochs = 3), list(n = 499, epochs = 3, classes = 3))), # coefficients become negligible
  each(c(lists, mistakes), list(list(n = 101, bias = 1, epochs = 40), list(n = 101, d = 4, bias = 1, epochs = 40))),
  each(c(lists, mistakes), few),
  each(list(list(solver = "ramp")), list(list(C = 0.3), list(C = 8)), list(list(), list(keep = 7), list(keep = 0)),
    problems[c(1, 4, 6)]),
  list(list(solver = "ramp", C = 4, forget = 1), list(solver = "ramp", C = 4, forget = 1, classes = 3)),
  lapply(c(0.1, 0.5, 1), function(start) list(solver = "cccp", C = 4, start = start))
)
# A later part of a case overrides an earlier one; PA does not average.
complete <- function(case) {
  case <- utils::modifyList(default, rev(rev(case)[!duplicated(names(rev(case)))]))
  if (case$solver == "pa") case$average <- 0
  case
}
cases <- unique(lapply(cases, complete))

write_case <- function(case) {
  found <- compute(case)
  value <- function(x) ifelse(is.infinite(x), "INFINITY", sprintf("%.13g", x))
  case$variant <- match(case$variant, c("PA-I", "PA", "PA-II")) - 1
  given <- vapply(case[-(1:2)], value, "")
  machines <- apply(found$numbers, 2, function(m) {
    sprintf("{{%s}, %s}", toString(value(m[1:4])), toString(value(m[5:6])))
  })
  sprintf(
    "{\"%s\", \"%s\", %s, %s, %d, %d, %d, %d,\n {%s}},", case$solver, case$kernel, toString(given), value(found$loss),
    found$violations, found$undecided, found$clear, found$kept, paste(machines, collapse = ",\n  ")
  )
}

native_fixtures <- function() {
  c("/* Generated by tools/make-native-fixtures.R: rows of the table in test-reference.c */",
    unlist(strsplit(vapply(cases, write_case, ""), "\n")))
}

if (sys.nframe() == 0) writeLines(native_fixtures(), "tests/core/reference-cases.inc")
