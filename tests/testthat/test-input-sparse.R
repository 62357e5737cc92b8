counts <- function() {
  set.seed(11)
  x <- matrix(rpois(40 * 25, 0.3), 40, dimnames = list(NULL, paste0("w", 1:25)))
  list(x = x, s = methods::as(methods::as(x + 0, "dMatrix"), "CsparseMatrix"), y = factor(x[, 1] + x[, 2] > 0))
}

# A matrix of slam, made without it.
triplets <- function(x, ...) {
  at <- which(x != 0, arr.ind = TRUE)
  parts <- list(i = at[, 1], j = at[, 2], v = x[at], nrow = nrow(x), ncol = ncol(x), dimnames = dimnames(x))
  changed <- list(...)
  parts[names(changed)] <- changed
  structure(parts, class = "simple_triplet_matrix")
}

# A sum of the columns with random weights is the same.
expect_same_input <- function(x, want) {
  want <- unname(as.matrix(want) + 0)
  random <- matrix(rnorm(20 * ncol(want)), 20)
  fit <- osvm(random, rep_len(c("a", "b"), 20), solver_pa(), kernel_linear(), scale = FALSE)
  expect_equal(suppressWarnings(decide(fit, x)), suppressWarnings(decide(fit, want)), ignore_attr = TRUE)
}

test_that("a slam matrix is accepted wherever a sparse Matrix is", {
  data <- counts()
  x <- triplets(data$x)
  expect_same_input(x, data$s)
  fit <- quick_fit("smo", list(x = x, y = data$y))
  base <- quick_fit("smo", list(x = data$s, y = data$y))
  expect_same_model(fit, base)
  expect_identical(decide(base, x), decide(base, data$s))
  expect_same_model(update(base, x, data$y), update(base, data$s, data$y))
  expect_identical(query(base, x), query(base, data$s))
  tuned <- lapply(list(x, data$s), function(x) {
    set.seed(3)
    osvm_tune(x, data$y, solver_smo(C = c(0.1, 1)), kernel_rbf(gamma = 0.1), folds = 3, progress = FALSE)
  })
  expect_identical(tuned[[1]]$results$error, tuned[[2]]$results$error)
  expect_same_input(triplets(data$x > 0), (data$x > 0) + 0)
  skip_if_not_installed("slam")
  expect_same_input(slam::as.simple_triplet_matrix(data$x), data$s)
  expect_same_input(slam::simple_triplet_zero_matrix(3, 4), matrix(0, 3, 4))
})

test_that("SparseM's matrices are accepted", {
  skip_if_not_installed("SparseM")
  data <- counts()
  square <- crossprod(data$x[, 1:7]) + 0
  square[1, 3] <- square[3, 1] <- 0
  for (form in c("csr", "csc", "coo", "ssr", "ssc")) {
    symmetric <- form %in% c("ssr", "ssc")
    x <- if (symmetric) square else data$x
    made <- getExportedValue("SparseM", paste0("as.matrix.", form))(x)
    expect_same_input(made, x)
    if (symmetric) next
    fit <- quick_fit("smo", list(x = made, y = data$y))
    expect_identical(unname(fit$coef), unname(quick_fit("smo", list(x = data$s, y = data$y))$coef))
  }
})

test_that("damaged ones are refused", {
  data <- counts()
  damaged <- list(
    triplets(data$x, i = NULL), triplets(data$x, i = 0L), triplets(data$x, v = "a"), triplets(data$x, nrow = NA),
    triplets(data$x, nrow = 3L), triplets(data$x, ncol = -1L), triplets(data$x, dimnames = list("a", NULL)),
    structure(list(), class = "simple_triplet_matrix"), triplets(data$x, v = replace(data$x[data$x != 0], 5, Inf))
  )
  for (x in damaged) {
    expect_osvm_error(osvm(x, data$y))
    expect_osvm_error(predict(quick_fit("smo", list(x = data$s, y = data$y)), x))
  }
  skip_if_not_installed("SparseM")
  good <- SparseM::as.matrix.csr(data$x)
  for (slot in c("ra", "ja", "ia", "dimension")) {
    for (value in list(NULL, "a", NA, 99L, rep(NA, length(attr(good, slot))), -attr(good, slot))) {
      if (slot == "ra" && is.numeric(value) && length(value) > 1) next # other numbers
      bad <- good
      attr(bad, slot) <- value
      expect_osvm_error(osvm(bad, data$y))
    }
  }
})

test_that("an object of a package that is not installed is refused", {
  x <- structure(1, class = structure("thing", package = "nosuchpackage"))
  expect_error(osvm(asS4(x), 1), "nosuchpackage", class = "osvm_error")
})
