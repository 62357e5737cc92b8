# Sparse matrices are packed densely where that is smaller or faster (src/data-view.c), which
# changes no number beyond rounding. Empty features make a matrix thin, and its store sparse.

thick <- function(data) list(x = data$s, y = data$y)
thin <- function(data, empty = 60) {
  none <- Matrix::sparseMatrix(
    i = integer(), j = integer(), x = numeric(), dims = c(nrow(data$s), empty),
    dimnames = list(NULL, sprintf("none%d", seq_len(empty)))
  )
  list(x = cbind(data$s, none), y = data$y)
}

each_solver("a full sparse matrix gives the model of the dense one, bit by bit", function(name) {
  data <- sparse_clouds(empty = 0)
  for (kernel in solver_kernels(name)) for (doubles in c(FALSE, TRUE)) {
    if (doubles) local_doubles()
    dense <- quick_fit(name, data, kernel = kernel, scale = FALSE)
    sparse <- quick_fit(name, thick(data), kernel = kernel, scale = FALSE)
    if (kernel$name %in% c("nystrom", "fourier")) { # features of sparse rows are rounded otherwise
      expect_close(decide(sparse, data$x), decide(dense, data$x), 1e-2)
      next
    }
    expect_identical(sparse$coef, dense$coef)
    expect_identical(sparse$state, dense$state)
    expect_identical(unname(decide(sparse, data$s)), unname(decide(sparse, data$x)))
    if (!is.null(sparse$sv)) {
      expect_s4_class(sparse$sv, "dgCMatrix")
      expect_identical(as.matrix(sparse$sv), as.matrix(dense$sv))
    }
  }
})

each_solver("dense and sparse stores give the same model", function(name) {
  local_doubles()
  data <- sparse_clouds(empty = 0)
  solver <- soft_solver(name, tolerance = 1e-7)
  for (kernel in solver_kernels(name)) {
    dense <- quick_fit(name, thick(data), solver = solver, kernel = kernel)
    sparse <- quick_fit(name, thin(data), solver = solver, kernel = kernel)
    expect_close(decide(sparse, thin(data)$x), decide(dense, data$s), 1e-6)
    expect_equal(sparse$n_sv, dense$n_sv)
  }
})

test_that("one model predicts the same from dense and sparse stores, in both precisions", {
  data <- sparse_clouds(80, empty = 0)
  for (doubles in c(FALSE, TRUE)) {
    if (doubles) local_doubles()
    fit <- quick_fit("smo", thick(data))
    wide <- fit
    padded <- thin(list(s = fit$sv, y = NULL))$x
    wide[c("sv", "n_features", "feature_names")] <- list(padded, ncol(padded), colnames(padded))
    wide$range <- NULL
    wide$scaling$scale <- c(fit$scaling$scale, rep(1, 60))
    wide$transform$scaling <- wide$scaling
    size <- sum(abs(fit$coef))
    new <- thin(data)$x
    expect_lt(max(abs(decide(wide, new) - decide(fit, data$s))) / size, if (doubles) 1e-12 else 1e-6)
    expect_identical(decide(wide, as.matrix(new)), decide(wide, new))
    expect_identical(decide(fit, data$x), decide(fit, data$s))
  }
})

test_that("SMO finds the same solution from both stores in single precision", {
  data <- sparse_clouds(120, d = 6, empty = 0)
  solver <- solver_smo(C = 1, tolerance = 1e-5)
  dense <- quick_fit("smo", thick(data), solver = solver, kernel = kernel_rbf(gamma = 0.2))
  sparse <- quick_fit("smo", thin(data), solver = solver, kernel = kernel_rbf(gamma = 0.2))
  expect_close(decide(sparse, thin(data)$x), decide(dense, data$s), 1e-4)
})

# The first chunk alone is packed densely, the others and all together are sparse.
each_solver("chunks of different density give the model of one pass", function(name) {
  if (!is_online(name)) return(succeed())
  local_doubles()
  data <- sparse_clouds(60, d = 20, empty = 0)
  filled <- seq_len(60) <= 15
  data$s[!filled, 4:20] <- 0
  data$s <- Matrix::drop0(data$s)
  solver <- one_pass(name)
  all <- list(x = as.matrix(data$s), y = data$y)
  whole <- quick_fit(name, all, solver = solver, scale = FALSE)
  parts <- quick_fit(name, list(x = data$s[filled, ], y = data$y[filled]), solver = solver, scale = FALSE)
  for (chunk in list(16:20, 21:60)) {
    parts <- update(parts, data$s[chunk, ], data$y[chunk])
  }
  expect_close(decide(parts, data$s), decide(whole, all$x), 1e-6)
  if (!is.null(parts$sv)) expect_s4_class(parts$sv, "dgCMatrix")
})

each_solver("examples of either store can be forgotten", function(name) {
  if (!solver_field(name, "forgets")) return(succeed())
  data <- sparse_clouds(40, empty = 0)
  less <- function(form) forget(quick_fit(name, form, solver = soft_solver(name), scale = FALSE), c(3, 17))
  want <- decide(less(data), data$x)
  for (form in list(thick(data), thin(data))) {
    fit <- less(form)
    expect_close(decide(fit, form$x), want, 1e-6)
    expect_s4_class(fit$sv, "dgCMatrix")
  }
})

test_that("tuning agrees for dense matrices and sparse ones in either store", {
  local_doubles()
  data <- sparse_clouds(70, empty = 0)
  C <- c(0.1, 1)
  for (solver in list(solver_smo(C = C, tolerance = 1e-6), solver_olsvm(C = C), solver_lasvm(C = C))) {
    tuned <- lapply(list(data, thick(data), thin(data)), function(form) {
      set.seed(5)
      osvm_tune(form$x, form$y, solver, kernel_rbf(gamma = c(0.1, 0.5)), folds = 3, scale = FALSE, progress = FALSE)
    })
    expect_identical(tuned[[2]]$results$error, tuned[[1]]$results$error)
    expect_equal(tuned[[3]]$results$error, tuned[[1]]$results$error)
  }
})
