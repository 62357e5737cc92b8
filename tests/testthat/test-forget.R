stream <- function(n = 80, seed = 3) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = 0.1)
  list(x = data$x, y = data$y)
}

expect_never_seen <- function(fit, data, left) {
  expect_exact(fit)
  expect_setequal(fit$id, left)
  never <- id_fit(rows(data, left), C = fit$solver$params$C, bias = fit$solver$params$bias, kernel = fit$kernel)
  expect_lte(max(abs(decide(fit, data$x) - decide(never, data$x))), 1e-6)
}

test_that("forget() gives the model without the examples", {
  data <- stream()
  for (C in c(0.1, 1, 100)) for (bias in c(TRUE, FALSE)) {
    fit <- id_fit(data, C = C, bias = bias)
    set <- fit$state[, , "set"]
    for (i in list(which(set == 1), which(set == 2), which(set == 3), 1:40, 80, c(71, 3, 25, 4))) {
      left <- setdiff(1:80, i)
      if (length(unique(data$y[left])) == 2) expect_never_seen(forget(fit, i), data, left)
    }
  }
})

test_that("nothing remains of forgotten examples if scaling and kernel width are given", {
  data <- stream()
  data$x[3, ] <- c(40, -70)
  units <- list(center = c(1, 1), scale = c(0.6, 0.5))
  fit <- function(rows, ...) {
    kernel <- kernel_rbf(gamma = 0.7)
    osvm(data$x[rows, ], data$y[rows], solver_idsvm(C = 5), kernel, ..., verbose = FALSE)
  }
  left <- setdiff(1:80, c(3, 17:20, 66))
  less <- forget(fit(1:80, scale = units), c(3, 17:20, 66))
  never <- fit(left, scale = units)
  expect_lte(max(abs(decide(less, data$x[-3, ]) - decide(never, data$x[-3, ]))), 1e-8)
  expect_lte(max(abs(less$coef - never$coef[match(less$id, left)])), 1e-8)
  expect_identical(less[c("scaling", "kernel", "extent", "range")], never[c("scaling", "kernel", "extent", "range")])
  # An estimated scaling stays as fitted.
  whole <- fit(1:80)
  expect_identical(forget(whole, 3)$scaling, whole$scaling)
})

test_that("forgetting everything is an error", {
  data <- stream(40)
  for (solver in list(solver_idsvm(), solver_ramp(), solver_ramp(keep = 3))) {
    fit <- osvm(data$x, data$y, solver, kernel_rbf(gamma = 1), verbose = FALSE)
    expect_error(forget(fit, 1:40), "must leave at least one example", class = "osvm_error")
  }
})

test_that("the order of removals has no effect, nor has a repetition", {
  data <- stream()
  fit <- id_fit(data, C = 5)
  gone <- c(12, 70, 33, 34, 5, 61)
  one <- forget(fit, gone)
  expect_lte(max(abs(decide(forget(fit, rev(gone)), data$x) - decide(one, data$x))), 1e-8)
  each <- fit
  for (i in gone) each <- forget(each, i)
  expect_lte(max(abs(decide(each, data$x) - decide(one, data$x))), 1e-8)
  expect_identical(forget(one, gone), one)
  expect_identical(decide(forget(fit, c(gone, gone)), data$x), decide(one, data$x))
  expect_equal(fit$id, 1:80)
})

test_that("all but one of each class, and whole classes, can be forgotten", {
  data <- stream(40)
  fit <- id_fit(data, C = 2)
  left <- c(which(data$y == "black")[3], which(data$y == "white")[5])
  expect_never_seen(forget(fit, setdiff(1:40, left)), data, left)

  one_class <- forget(fit, which(data$y == "black"))
  expect_exact(one_class)
  expect_lte(max(abs(one_class$coef)), 1e-12)
  expect_true(all(decide(one_class, data$x) >= 1 - 1e-9))
  back <- update(one_class, data$x[data$y == "black", ], data$y[data$y == "black"])
  expect_exact(back)
  expect_lte(max(abs(decide(back, data$x) - decide(fit, data$x))), 1e-6)

  last <- forget(fit, 2:40)
  expect_equal(nrow(last$sv), 1)
  # The range is that of the one example left.
  suppressWarnings(classes = "osvm_out_of_range", {
    expect_true(all(is.finite(decide(last, data$x))))
    again <- update(last, data$x[-1, ], data$y[-1])
  })
  expect_lte(max(abs(decide(again, data$x) - decide(fit, data$x))), 1e-6)
  expect_equal(again$id, c(1, 41:79))
})

test_that("example numbers survive update() and saveRDS()", {
  data <- stream()
  fit <- id_fit(rows(data, 1:50), C = 5)
  fit <- forget(fit, c(2, 49))
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  fit <- update(readRDS(file), data$x[51:80, ], data$y[51:80])
  expect_equal(fit$id, setdiff(1:80, c(2, 49)))
  expect_equal(unname(fit$sv), unname(data$x[fit$id, ]))
  fit <- forget(fit, c(1, 50, 51, 80))
  expect_never_seen(fit, data, setdiff(1:80, c(2, 49, 1, 50, 51, 80)))
})

test_that("errors do not accumulate over hundreds of updates and removals", {
  data <- stream(60)
  for (kernel in list(kernel_rbf(gamma = 1.5), kernel_linear(), kernel_rbf(gamma = 0.05))) {
    fit <- id_fit(data, C = 20, kernel = kernel)
    set.seed(1)
    for (turn in 1:40) {
      i <- sample(60, 15)
      fit <- update(fit, data$x[i, ], data$y[i])
      fit <- forget(fit, utils::tail(fit$id, 15))
    }
    expect_never_seen(fit, data, 1:60)
  }
})

test_that("forget() with ties and duplicates", {
  set.seed(4)
  x <- matrix(sample(0:3, 120, TRUE), 60) + 0
  data <- list(x = x, y = factor((x[, 1] + x[, 2] + rbinom(60, 1, 0.2)) %% 2))
  for (kernel in list(kernel_linear(), kernel_rbf(gamma = 0.5))) for (C in c(0.1, 10)) {
    fit <- id_fit(data, C = C, kernel = kernel)
    for (turn in 1:10) {
      fit <- forget(fit, sample(fit$id, 5))
      expect_exact(fit)
    }
  }
})

test_that("forget() with several classes", {
  data <- clouds(60, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    fit <- quick_fit("idsvm", data, multiclass = multiclass, scale = FALSE)
    less <- forget(fit, 10:25)
    never <- quick_fit("idsvm", rows(data, -(10:25)), multiclass = multiclass, scale = FALSE)
    expect_lte(max(abs(decide(less, data$x) - decide(never, data$x))), 1e-6)
    expect_equal(less$sets, never$sets)
  }
})

test_that("a ramp-loss model is stationary on the remaining examples", {
  data <- stream()
  for (C in c(0.5, 10)) {
    fit <- osvm(data$x, data$y, solver_ramp(C = C), kernel_rbf(gamma = 1.5), scale = FALSE, verbose = FALSE)
    for (i in list(which(fit$coef != 0), which(fit$coef == 0), 1:60, 7)) {
      less <- forget(fit, i)
      expect_stationary(less)
      expect_setequal(less$id, setdiff(1:80, i))
    }
    fine <- solver_ramp(C = C, tolerance = 5e-6) # in double precision
    fit <- osvm(data$x, data$y, fine, kernel_rbf(gamma = 1.5), scale = FALSE, verbose = FALSE)
    s <- ref_ramp_start(ref_kernel(data$x, data$x, fit$kernel), c(-1, 1)[data$y], rep(C, 80), fit$solver)
    for (i in 1:80) s <- ref_ramp_learn(s, i)
    for (i in c(5, 40, 41)) s <- ref_ramp_forget(s, i)
    less <- forget(fit, c(5, 40, 41))
    expect_close(less$coef, (s$a * s$y)[less$id], 1e-6)
  }
  few <- osvm(data$x, data$y, solver_ramp(keep = 5), kernel_rbf(gamma = 1.5), verbose = FALSE)
  expect_identical(forget(few, setdiff(1:80, few$id)), few)
  expect_stationary(forget(few, few$id[1:3]))
})

test_that("invalid removals are refused", {
  data <- stream(30)
  fit <- id_fit(data)
  expect_error(forget(fit), "missing", class = "osvm_error")
  for (i in list(0, -1, 31, 1.5, NA, NaN, Inf, "a", TRUE, NULL, list(1))) expect_osvm_error(forget(fit, i))
  expect_identical(forget(fit, integer()), fit)
  for (name in all_solvers$name[!all_solvers$forgets]) {
    kernel <- if (solver_space(name) == "linear") kernel_linear() else kernel_rbf(gamma = 1)
    other <- muffle_not_separable(osvm(data$x, data$y, name, kernel, verbose = FALSE))
    expect_error(forget(other, 1), "cannot forget", class = "osvm_error")
  }
  expect_error(forget(1, 1))
  broken <- fit
  broken$id <- broken$id[-1]
  expect_osvm_error(forget(broken, 1))
})

test_that("a model counts its forgotten examples", {
  data <- clouds(30)
  fit <- osvm(data$x, data$y, solver_idsvm(), kernel_rbf(gamma = 1), verbose = FALSE)
  expect_null(fit$n_forgotten)
  fit <- update(forget(forget(fit, 3:5), 5:6), data$x, data$y) # 5 is forgotten once
  expect_identical(fit$n_forgotten, 4L)
  expect_output(print(fit), "forgotten  4 examples; as fitted with them: scaling", fixed = TRUE)
  given <- osvm(data$x, data$y, solver_idsvm(), kernel_rbf(gamma = 1), scale = FALSE, verbose = FALSE)
  expect_output(print(forget(given, 1)), "forgotten  1 example\n", fixed = TRUE)
  estimated <- osvm(data$x, data$y, solver_idsvm(), verbose = FALSE, probability = TRUE)
  expect_output(print(forget(estimated, 1)), "as fitted with them: scaling, kernel width,\\s+probabilities")
})

test_that("examples are forgotten by name, by a condition, and are not forgotten twice", {
  data <- stream()
  rownames(data$x) <- paste0("customer", 1:80)
  fit <- osvm(data$x, data$y, solver_idsvm(C = 5), kernel_rbf(gamma = 0.7), verbose = FALSE)
  less <- forget(fit, 3:5)
  expect_identical(forget(fit, paste0("customer", 3:5))$coef, less$coef)
  expect_identical(forget(fit, function(id) id %in% 3:5)$coef, less$coef)
  expect_message(again <- forget(less, 4:6), "2 of the examples to forget are not in the model")
  expect_setequal(again$id, setdiff(1:80, 3:6))
  expect_identical(again$forgotten$examples, c(3L, 1L))
  expect_identical(again$forgotten$n_seen, c(80, 80))
  expect_s3_class(again$forgotten$time, "POSIXct")
  expect_error(forget(less, "customer4"), "no example of the model has", class = "osvm_error")
  expect_error(forget(less, function(id) id[1]), "TRUE or FALSE", class = "osvm_error")
  live <- osvm_live(fit)
  expect_error(forget(live, "customer7"), "live model has no names", class = "osvm_error")
  forget(live, function(id) id == 7)
  expect_equal(predict(live, data$x, "decision"), predict(forget(fit, 7), data$x, "decision"))
})
