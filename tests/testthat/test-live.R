# Live models give the numbers of update() on fits, in place.

live_problem <- function(n_classes = 2, sparse = FALSE) {
  set.seed(3)
  x <- matrix(rnorm(260 * 6), 260, dimnames = list(NULL, letters[1:6]))
  y <- if (n_classes == 2) ifelse(x[, 1] * x[, 2] + x[, 3] > 0, "no", "yes") else
    as.character(cut(x[, 1] + x[, 2], 3, labels = c("p", "q", "r")))
  if (sparse) x <- Matrix::Matrix(x * (abs(x) > 0.7), sparse = TRUE)
  list(x = x, y = y)
}

# A chunk, one row, a chunk ...
live_chunks <- function(from, to) {
  split(from:to, rep(rep(1:8, c(30, 1, 1, 40, 1, 2, 50, 1)), length.out = to - from + 1))
}

online_specs <- function() {
  specs <- list()
  all <- solvers()
  for (k in which(all$online)) {
    solver <- get(paste0("solver_", all$name[k]))
    if (all$space[k] != "linear") specs <- c(specs, list(list(solver = solver(), kernel = kernel_rbf(gamma = 0.2))))
    if (all$space[k] != "kernel") specs <- c(specs, list(list(solver = solver(), kernel = kernel_linear())))
  }
  specs
}

expect_same_model <- function(a, b) {
  expect_identical(unname(as.matrix(rbind(a$sv, 0))), unname(as.matrix(rbind(b$sv, 0))))
  for (field in c("state", "scalars", "intercept", "n_sv", "n_seen", "id", "levels", "extent", "range")) {
    expect_identical(a[[field]], b[[field]])
  }
  expect_identical(unname(a$coef), unname(b$coef))
}

test_that("a live model has the numbers of update() on fits, all solvers", {
  for (case in combinations(online_specs(), 2:3, c(FALSE, TRUE))) {
    spec <- case[[1]]
    p <- live_problem(case[[2]], case[[3]])
    set.seed(1)
    fit <- suppressWarnings(osvm(p$x[1:60, ], p$y[1:60], spec$solver, spec$kernel))
    live <- osvm_live(fit)
    for (rows in live_chunks(61, 200)) {
      set.seed(rows[1])
      fit <- suppressWarnings(update(fit, p$x[rows, , drop = FALSE], p$y[rows]))
      set.seed(rows[1])
      suppressWarnings(update(live, p$x[rows, , drop = FALSE], p$y[rows]))
    }
    expect_same_model(fit, snapshot(live))
    test <- p$x[201:260, ]
    expect_equal(predict(live, test, type = "decision"), predict(fit, test, type = "decision"), tolerance = 1e-12)
    expect_identical(class(snapshot(live)), class(fit))
  }
})

test_that("row by row, with kernel rows kept between updates, the numbers are those of update() on fits", {
  specs <- Filter(function(spec) spec$kernel$name == "rbf", online_specs())
  specs <- c(specs, list(
    list(solver = solver_lasvm(C = 1, finish = FALSE), kernel = kernel_polynomial()),
    list(solver = solver_ramp(C = 1, keep = 5), kernel = kernel_rbf(gamma = 0.05))
  ))
  for (case in combinations(specs, 2:3, c(6, 40))) {
    spec <- case[[1]]
    set.seed(4)
    # More than 32 features: rows computed together are rounded otherwise than one by one.
    x <- matrix(rnorm(160 * case[[3]]), 160)
    y <- letters[1 + (x[, 1] + x[, 2] + rnorm(160) > 0) + (case[[2]] == 3 & x[, 3] > 0.5)]
    fit <- suppressWarnings(osvm(x[1:60, ], y[1:60], spec$solver, spec$kernel))
    live <- osvm_live(fit)
    for (rows in split(61:160, rep(1:56, c(rep(1, 30), 2, rep(1, 5), 44, rep(1, 19))))) {
      set.seed(rows[1])
      fit <- suppressWarnings(update(fit, x[rows, , drop = FALSE], y[rows]))
      set.seed(rows[1])
      suppressWarnings(update(live, x[rows, , drop = FALSE], y[rows]))
    }
    expect_same_model(fit, snapshot(live))
    expect_setequal(names(snapshot(live)), names(fit))
    expect_identical(snapshot(live)$convergence, fit$convergence)
    expect_identical(snapshot(live)$trace[c("epoch", "loss", "sv")], fit$trace[c("epoch", "loss", "sv")])
  }
})

test_that("the trace of many updates is that of update() on fits", {
  p <- live_problem()
  fit <- osvm(p$x[1:60, ], p$y[1:60], solver_pa(epochs = 1), kernel_linear())
  live <- osvm_live(fit)
  for (k in 1:450) update(live, p$x[1 + k %% 260, , drop = FALSE], p$y[1 + k %% 260])
  for (k in 1:450) fit <- update(fit, p$x[1 + k %% 260, , drop = FALSE], p$y[1 + k %% 260])
  expect_identical(snapshot(live)$trace[-5], fit$trace[-5])
  live$model$live$waiting <- list("no rows")
  expect_error(predict(live, p$x), "trace is damaged", class = "osvm_error")
})

test_that("a live model may start without data, and without examples of every class", {
  p <- live_problem(3)
  set.seed(1)
  fit <- osvm(p$x[1:60, ], p$y[1:60], solver_lasvm(finish = FALSE), kernel_rbf())
  set.seed(1)
  solver <- solver_lasvm(finish = FALSE)
  live <- osvm_live(levels = c("p", "q", "r"), n_features = 6, solver = solver, kernel = kernel_rbf())
  expect_error(predict(live, p$x), "has not learned", class = "osvm_error")
  expect_output(print(live), "nothing learned")
  update(live, p$x[1:60, ], p$y[1:60])
  expect_same_model(fit, snapshot(live))

  for (solver in c("lasvm", "pa", "olsvm", "huller", "idsvm", "ramp", "perceptron", "norma", "pegaz")) {
    ones <- which(p$y == "q")
    solver <- get(paste0("solver_", solver))()
    live <- osvm_live(levels = c("p", "q", "r"), solver = solver, kernel = kernel_rbf(gamma = 0.2))
    suppressWarnings(update(live, p$x[ones[1:20], ], p$y[ones[1:20]]))
    expect_true(all(predict(live, p$x[1:5, ]) %in% c("p", "q", "r")))
    suppressWarnings(update(live, p$x[1:200, ], p$y[1:200]))
    expect_gt(mean(predict(live, p$x[201:260, ]) == p$y[201:260]), 0.5)
  }
  expect_error(osvm_live(levels = "a"), "two or more", class = "osvm_error")
  expect_error(osvm_live(solver = solver_smo()), "all examples at once", class = "osvm_error")
  expect_error(update(osvm_live(n_features = 5), p$x, p$y), "5 columns", class = "osvm_error")
  expect_error(osvm_live(n_features = 2^31), "n_features", class = "osvm_error")
})

test_that("data frames and factors", {
  live <- osvm_live(levels = levels(iris$Species), kernel = kernel_rbf())
  set.seed(2)
  rows <- sample(150)
  for (chunk in split(rows, rep(1:10, each = 15))) update(live, iris[chunk, 1:4], iris$Species[chunk])
  expect_s3_class(predict(live, iris[1:3, 1:4]), "factor")
  expect_gt(mean(predict(live, iris[1:4]) == iris$Species), 0.9)
  expect_error(update(live, iris[1:3, 1:3], iris$Species[1:3]), "Petal.Width", class = "osvm_error")
})

test_that("an error leaves a live model as it was", {
  p <- live_problem()
  live <- osvm_live(osvm(p$x[1:60, ], p$y[1:60], solver_olsvm(), kernel_rbf(gamma = 0.2)))
  before <- snapshot(live)
  expect_error(update(live, p$x[1:3, ], c("no", "yes", "maybe")), "maybe", class = "osvm_error")
  expect_error(update(live, p$x[1:3, 1:2], p$y[1:3]), class = "osvm_error")
  expect_error(update(live, replace(p$x[1:3, ], 1, Inf), p$y[1:3]), class = "osvm_error")
  expect_error(update(live, p$x[1:3, ], p$y[1:3], wieghts = 1), class = "osvm_error")
  expect_identical(snapshot(live), before)
})

test_that("closed, saved and forked live models say so", {
  p <- live_problem()
  live <- osvm_live(osvm(p$x[1:60, ], p$y[1:60], solver_pa(), kernel_rbf(gamma = 0.2)))
  file <- tempfile(fileext = ".rds")
  saveRDS(live, file)
  read <- readRDS(file)
  expect_error(predict(read, p$x), "closed", class = "osvm_error")
  for (use in list(snapshot, summary, coef, plot)) expect_error(use(read), "closed", class = "osvm_error")
  expect_error(update(read, p$x[1:2, ], p$y[1:2]), "closed", class = "osvm_error")
  expect_error(print(read), "closed", class = "osvm_error")
  if (.Platform$OS.type == "unix") {
    answers <- parallel::mclapply(1:2, function(k) {
      list(mean(predict(live, p$x) == p$y), tryCatch(update(live, p$x, p$y), osvm_error = conditionMessage))
    }, mc.cores = 2)
    expect_identical(answers[[1]][[1]], mean(predict(live, p$x) == p$y))
    expect_match(answers[[1]][[2]], "another process")
  }
  close(live)
  close(live)
  expect_error(predict(live, p$x), "closed", class = "osvm_error")
  expect_error(osvm_live(list()), "must be a model", class = "osvm_error")
  live <- NULL
  invisible(gc())
})


test_that("forget() in place is forget() on fits", {
  p <- live_problem()
  for (solver in list(solver_idsvm(), solver_ramp())) {
    fit <- osvm(p$x[1:80, ], p$y[1:80], solver, kernel_rbf(gamma = 0.2))
    live <- osvm_live(fit)
    fit <- forget(update(fit, p$x[81:90, ], p$y[81:90]), c(3, 85, 40))
    update(live, p$x[81:90, ], p$y[81:90])
    forget(live, c(3, 85, 40))
    expect_equal(snapshot(live)$coef, fit$coef)
    expect_identical(snapshot(live)$id, fit$id)
    expect_identical(snapshot(live)$n_forgotten, fit$n_forgotten)
    expect_error(forget(live, 1000), "from 1 to 90", class = "osvm_error")
  }
  expect_error(forget(osvm_live(osvm(p$x, p$y, solver_pa(), kernel_rbf())), 1), "cannot forget", class = "osvm_error")
})

test_that("double precision is taken up when the data need it", {
  p <- live_problem()
  fit <- osvm(p$x[1:60, ], p$y[1:60], solver_lasvm(), kernel_rbf(gamma = 0.2), scale = FALSE)
  live <- osvm_live(fit)
  far <- p$x[61:90, ] + 1e4
  for (k in 1:2) {
    set.seed(k)
    fit <- suppressWarnings(update(fit, far, p$y[61:90]))
    set.seed(k)
    suppressWarnings(update(live, far, p$y[61:90]))
  }
  expect_same_model(fit, snapshot(live))
})

test_that("query() takes a live model", {
  p <- live_problem()
  fit <- osvm(p$x[1:60, ], p$y[1:60], solver_lasvm(), kernel_rbf(gamma = 0.2))
  expect_identical(query(osvm_live(fit), p$x, "margin", n = 7), query(fit, p$x, "margin", n = 7))
})
