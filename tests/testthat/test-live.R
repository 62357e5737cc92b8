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

# What the core has and what R says of it are one model: numbers are given once, and nothing is left behind.
expect_sound <- function(live, n_seen) {
  fit <- snapshot(live)
  expect_identical(fit$n_seen, n_seen)
  expect_identical(nrow(fit$sv), length(fit$target))
  expect_identical(nrow(fit$sv), nrow(fit$coef))
  if (!is.null(fit$id)) {
    expect_identical(anyDuplicated(fit$id), 0L)
    expect_lte(max(fit$id), n_seen)
  }
  expect_s3_class(snapshot(osvm_live(fit)), "osvm")
}

test_that("whoever leaves at a warning leaves a live model that has learned all of the update", {
  set.seed(5)
  board <- chessboard(300, noise = 0.1)
  hulls <- osvm(board$x[1:100, ], board$y[1:100], solver_huller(), kernel_rbf(gamma = 0.5)) |> suppressWarnings()
  for (leave in c(TRUE, FALSE)) {
    live <- osvm_live(hulls)
    set.seed(6)
    learn <- function() update(live, board$x[101:300, ], board$y[101:300])
    caught <- if (leave) tryCatch(learn(), warning = identity) else suppressWarnings(learn())
    expect_sound(live, 300)
    if (leave) {
      expect_s3_class(caught, "osvm_not_separable")
      left <- snapshot(live)
    }
  }
  expect_same_model(left, snapshot(live))

  live <- osvm_live(osvm(board$x[1:100, ], board$y[1:100], solver_idsvm(), kernel_rbf(gamma = 0.5)))
  far <- board$x[101:110, ] + 1e3
  expect_s3_class(tryCatch(update(live, far, board$y[101:110]), warning = identity), "osvm_out_of_range")
  expect_sound(live, 110)
  expect_equal(max(snapshot(live)$range$high), max(far))

  live <- osvm_live(solver = solver_huller(), kernel = kernel_rbf(gamma = 0.5))
  expect_s3_class(tryCatch(update(live, board$x, board$y), warning = identity), "osvm_not_separable")
  expect_sound(live, 300)
})

# Rounds of single updates, each ended by an interrupt: what each has given, and the models before and after it.
interrupted_updates <- function() {
  library(onlinesvm)
  set.seed(1)
  x <- matrix(rnorm(4000), 1000)
  y <- ifelse(x[, 1] * x[, 2] > 0, "a", "b")
  live <- osvm_live(osvm(x[1:60, ], y[1:60], solver_idsvm(), kernel_rbf(gamma = 0.3)))
  lapply(1:60, function(k) {
    system(sprintf("(sleep %.3f; kill -INT %d) &", 0.02 + 0.0005 * k, Sys.getpid()), ignore.stderr = TRUE)
    before <- snapshot(live)
    given <- 0
    caught <- tryCatch(
      while (given < 5000) {
        given <- given + 1
        i <- 1 + given %% 1000
        update(live, x[i, , drop = FALSE], y[i])
        forget(live, min(snapshot(live)$id))
      },
      interrupt = function(e) "interrupt", osvm_interrupted = function(w) "interrupt"
    )
    list(caught = caught, given = given, before = before, after = snapshot(live))
  })
}

test_that("interrupts between and within updates of single rows leave a whole model", {
  skip_on_cran()
  skip_on_os("windows")
  for (round in brought("callr", "r")(interrupted_updates)) {
    fit <- round$after
    expect_identical(round$caught, "interrupt")
    expect_true((fit$n_seen - round$before$n_seen) %in% (round$given - 1:0))
    expect_identical(anyDuplicated(fit$id), 0L)
    expect_identical(length(fit$id), as.integer(fit$n_seen - sum(fit$n_forgotten)))
    expect_identical(dim(fit$state)[1], nrow(fit$sv))
    expect_identical(nrow(fit$sv), length(fit$id))
  }
})

test_that("a live model forgets range and extent as a fit does", {
  p <- live_problem()
  x <- rbind(50, as.matrix(p$x[1:80, ]))
  y <- c("yes", p$y[1:80])
  fit <- osvm(x, y, solver_idsvm(), kernel_rbf(gamma = 0.2), scale = FALSE)
  live <- osvm_live(fit)
  forget(live, 1)
  less <- forget(fit, 1)
  expect_same_model(snapshot(live), less)
  expect_lt(max(less$range$high), 10)
  expect_identical(snapshot(live)$n_forgotten, less$n_forgotten)
})

test_that("a snapshot before any update is the model that was opened", {
  p <- live_problem(3)
  for (spec in online_specs()) {
    fit <- suppressWarnings(osvm(p$x[1:60, ], p$y[1:60], spec$solver, spec$kernel))
    again <- snapshot(osvm_live(fit))
    for (field in setdiff(names(fit), c("call", "state"))) {
      expect_identical(again[[field]], fit[[field]], info = field)
    }
  }
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
  expect_error(osvm_live(solver_pa(), kernel = "rbf"), "takes it as `solver`", class = "osvm_error")
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
