# Bad input is an error of class osvm_error with nothing computed; damage is never a crash.

each_solver("unusable data is refused", function(name) {
  data <- clouds()
  fits <- function(x = data$x, y = data$y, ...) quick_fit(name, list(x = x, y = y), ...)
  expect_osvm_error(fits(data$x[0, ], data$y[0]))
  expect_osvm_error(fits(data$x[, 0]))
  expect_osvm_error(fits(y = rep("a", 40)))
  expect_osvm_error(fits(y = factor(rep("a", 40), levels = c("a", "b"))))
  expect_osvm_error(fits(y = data$y[-1]))
  expect_osvm_error(fits(y = replace(data$y, 3, NA)))
  expect_osvm_error(fits(y = NULL))
  expect_osvm_error(fits(y = as.list(data$y)))
  expect_osvm_error(fits(y = matrix(1:80, 40)))
  for (bad in c(NA, NaN, Inf, -Inf)) {
    expect_osvm_error(fits(replace(data$x, 5, bad)))
    sparse <- sparse_clouds()$s
    sparse@x[2] <- bad
    expect_osvm_error(fits(sparse))
    expect_osvm_error(fits(as.data.frame(replace(data$x, 5, bad))))
    expect_osvm_error(fits(y = replace(as.integer(data$y) + 0, 3, bad)))
    expect_osvm_error(fits(weights = replace(rep(1, 40), 3, bad)))
    expect_osvm_error(fits(class_weights = c(a = 1, b = bad)))
  }
  expect_osvm_error(fits(array(0, c(40, 2, 2))))
  expect_osvm_error(fits(matrix("a", 40, 2)))
  expect_osvm_error(fits(matrix(1i, 40, 2)))
  expect_osvm_error(fits(matrix(as.raw(1), 40, 2)))
  expect_osvm_error(fits(matrix(list(1), 40, 2)))
  expect_osvm_error(fits(list(1, 2)))
  expect_osvm_error(fits(NULL))
  expect_osvm_error(fits(mean))
  expect_osvm_error(fits("a"))
})

each_solver("unusable arguments are refused", function(name) {
  fits <- function(...) quick_fit(name, clouds(), ...)
  expect_osvm_error(fits(weights = rep(1, 39)))
  expect_osvm_error(fits(weights = rep(-1, 40)))
  expect_osvm_error(fits(weights = rep("1", 40)))
  expect_osvm_error(fits(class_weights = c(1, 1, 1)))
  expect_osvm_error(fits(class_weights = c(a = 1, z = 1)))
  expect_osvm_error(fits(class_weights = c(a = 1, b = -1)))
  expect_osvm_error(fits(scale = NA))
  expect_osvm_error(fits(scale = "yes"))
  expect_osvm_error(fits(multiclass = "all"))
  expect_osvm_error(fits(probability = NA))
  expect_osvm_error(fits(cache_mb = -1))
  expect_osvm_error(fits(cache_mb = NA))
  expect_osvm_error(fits(threads = 0))
  expect_osvm_error(fits(threads = "two"))
  expect_osvm_error(fits(solver = 1))
  expect_osvm_error(fits(kernel = mean))
  expect_osvm_error(fits(epochs = 3))
})

each_solver("unusable new data is refused", function(name) {
  data <- clouds()
  fit <- quick_fit(name, data)
  for (x in list(
    data$x[, 1:2], cbind(data$x, 1), data$x[1, ], replace(data$x, 5, NA), replace(data$x, 5, Inf),
    matrix("a", 4, 3), matrix(1i, 4, 3), list(1, 2, 3), NULL, "a", mean, sparse_clouds()$s[, 1:2]
  )) {
    expect_osvm_error(predict(fit, x))
    expect_osvm_error(update(fit, x, rep("a", max(1, NROW(x)))))
  }
  expect_osvm_error(predict(fit))
  expect_osvm_error(predict(fit, data$x, type = "odds"))
  expect_osvm_error(predict(fit, data$x, type = "prob"))
  expect_osvm_error(predict(fit, data$x, threads = -1))
  expect_osvm_error(update(fit, data$x, data$y[-1]))
  expect_osvm_error(update(fit, data$x, rep("new", 40)))
  expect_osvm_error(update(fit, data$x, data$y, weights = 1:3))
  expect_osvm_error(update(fit, data$x))
})

# A dgCMatrix whose slots disagree: Matrix checks them when it builds one, not afterwards.
damaged_sparse <- function() {
  good <- sparse_clouds()$s
  n <- length(good@x)
  damage <- function(slot, value) {
    attr(good, slot) <- value
    good
  }
  list(
    p_not_monotone = damage("p", replace(good@p, 2, n + 5L)),
    p_negative = damage("p", replace(good@p, 2, -4L)),
    p_start = damage("p", replace(good@p, 1, 1L)),
    p_end = damage("p", replace(good@p, 4, n + 100L)),
    p_short = damage("p", good@p[-1]),
    p_na = damage("p", replace(good@p, 2, NA)),
    p_empty = damage("p", integer()),
    p_double = damage("p", good@p + 0.5),
    p_text = damage("p", "a"),
    i_large = damage("i", replace(good@i, 3, 1000000L)),
    i_negative = damage("i", replace(good@i, 3, -1L)),
    i_na = damage("i", replace(good@i, 3, NA)),
    i_short = damage("i", good@i[-1]),
    i_empty = damage("i", integer()),
    i_text = damage("i", rep("a", n)),
    i_repeated = damage("i", replace(good@i, 2, good@i[1])),
    x_short = damage("x", good@x[-1]),
    x_empty = damage("x", numeric()),
    x_text = damage("x", rep("a", n)),
    x_integer = damage("x", rep(1L, n)),
    dim_rows = damage("Dim", c(10L, 3L)),
    dim_columns = damage("Dim", c(40L, 30L)),
    dim_negative = damage("Dim", c(-40L, 3L)),
    dim_na = damage("Dim", c(NA, 3L)),
    dim_short = damage("Dim", 40L),
    dim_text = damage("Dim", c("40", "3"))
  )
}

each_solver("a damaged sparse matrix is refused", function(name) {
  data <- sparse_clouds()
  fit <- quick_fit(name, list(x = data$s, y = data$y))
  damaged <- damaged_sparse()
  for (what in names(damaged)) {
    x <- damaged[[what]]
    expect_error(quick_fit(name, list(x = x, y = data$y)), class = "osvm_error", info = what)
    expect_error(predict(fit, x), class = "osvm_error", info = what)
    expect_error(update(fit, x, data$y), class = "osvm_error", info = what)
  }
})

# Every part of a model, by its path.
model_paths <- function(object, at = NULL) {
  parts <- seq_along(object)
  if (!is.list(object) || is.data.frame(object)) {
    return(list(at))
  }
  c(list(at), unlist(lapply(parts, function(i) model_paths(object[[i]], c(at, i))), recursive = FALSE))
}

swap_part <- function(fit, at, value) {
  kind <- class(fit)
  parts <- unclass(fit)
  parts[[at]] <- value
  structure(parts, class = kind)
}

each_solver("a damaged model is refused, or the damage does not matter", function(name) {
  data <- clouds(12, classes = 3)
  fit <- quick_fit(name, data, probability = TRUE)
  # update() checks a model as predict() does: it is asked where predict() saw no harm.
  use <- function(broken) {
    decide(broken, data$x)
    if (solvers()$online[solvers()$name == name]) decide(update(broken, data$x, data$y), data$x) else 0
  }
  unnoticed <- character()
  for (at in model_paths(fit)[-1]) for (swap in list(NULL, "x", NA_real_)) {
    got <- tryCatch(use(swap_part(fit, at, swap)), osvm_error = function(e) 0, error = conditionMessage)
    if (!is.numeric(got) || !all(is.finite(got))) {
      part <- paste(c(names(fit)[at[1]], at[-1]), collapse = ".")
      unnoticed <- c(unnoticed, paste0(part, " <- ", deparse(swap), ": ", toString(head(got))))
    }
  }
  expect_identical(unnoticed, character())
})

each_solver("a model with wrong shapes or numbers is refused", function(name) {
  data <- clouds(classes = 3)
  fit <- quick_fit(name, data)
  spoil <- function(field, change) {
    fit[[field]] <- change(fit[[field]])
    fit
  }
  broken <- list(
    spoil("coef", function(v) v[-1, , drop = FALSE]),
    spoil("coef", function(v) v[, -1, drop = FALSE]),
    spoil("coef", function(v) replace(v, 1, NA)),
    spoil("coef", function(v) replace(v, 1, Inf)),
    spoil("coef", function(v) `storage.mode<-`(v, "character")),
    spoil("intercept", function(v) v[-1]),
    spoil("intercept", function(v) replace(v, 1, NaN)),
    spoil("levels", function(v) v[-1]),
    spoil("levels", function(v) NULL),
    spoil("n_features", function(v) v + 1L),
    spoil("kernel", function(v) NULL),
    spoil("kernel", function(v) `[[<-`(v, "name", "bogus")),
    spoil("scaling", function(v) lapply(v, `[`, -1)),
    spoil("scaling", function(v) lapply(v, function(s) s * NA))
  )
  if (!is.null(fit$sv)) {
    broken <- c(broken, list(
      spoil("sv", function(v) NULL),
      spoil("sv", function(v) v[-1, , drop = FALSE]),
      spoil("sv", function(v) v[, -1, drop = FALSE]),
      spoil("sv", function(v) replace(v, 1, NA)),
      spoil("sv", function(v) `storage.mode<-`(v, "character")),
      spoil("sv", function(v) damaged_sparse()$i_large)
    ))
  }
  for (i in seq_along(broken)) {
    expect_error(predict(broken[[i]], data$x), class = "osvm_error", info = paste("predict", i))
    if (solvers()$online[solvers()$name == name]) {
      expect_error(update(broken[[i]], data$x, data$y), class = "osvm_error", info = paste("update", i))
    }
  }
  expect_osvm_error(predict(structure(list(), class = class(fit)), data$x))
  expect_osvm_error(predict(structure(1, class = class(fit)), data$x))
  expect_osvm_error(update(structure(list(), class = class(fit)), data$x, data$y))
})
