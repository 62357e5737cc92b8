# ---- the function the engine calls, which needs no parsnip ----

test_that("parameters go to solver and kernel", {
  data <- clouds(60)
  fit <- osvm_parsnip(data$x, data$y, C = 3, gamma = 0.2, solver = "olsvm", epochs = 4, class_weights = c(a = 2))
  expect_identical(fit$solver, solver_olsvm(C = 3, epochs = 4))
  expect_identical(fit$kernel, kernel_rbf(gamma = 0.2))
  expect_identical(fit$class_weights, c(2, 1))
  expect_false(is.null(fit$probability))
  expect_length(fit$path$intercept, 4)
  plain <- osvm_parsnip(data$x, data$y, C = 3, probability = FALSE)
  expect_identical(plain$solver, solver_smo(C = 3))
  expect_null(plain$probability)
  spec <- osvm_parsnip(data$x, data$y, solver = solver_pa(variant = "PA-II"), epochs = 2, submodels = FALSE)
  expect_identical(spec$solver, solver_pa(variant = "PA-II", epochs = 2))
  expect_null(spec$path)
  polynomial <- osvm_parsnip(data$x, data$y, kernel = "polynomial", degree = 2)$kernel$params
  expect_identical(polynomial[c("degree", "coef0")], list(degree = 2, coef0 = 1))
})

test_that("without parameters the model is that of osvm()", {
  data <- clouds(60)
  set.seed(1)
  fit <- osvm_parsnip(data$x, data$y)
  set.seed(1)
  plain <- osvm(data$x, data$y, kernel = "rbf", probability = TRUE, verbose = FALSE)
  same <- setdiff(names(plain), c("call", "stats", "trace"))
  expect_identical(unclass(fit)[same], unclass(plain)[same])
})

test_that("arguments without meaning are refused", {
  data <- clouds(30)
  expect_error(osvm_parsnip(data$x, data$y, margin = 0.1), "has classes", class = "osvm_error")
  pegasos <- function(...) osvm_parsnip(data$x, data$y, kernel = "linear", solver = "pegasos", ...)
  expect_error(pegasos(C = 1), "lambda", class = "osvm_error")
  expect_error(osvm_parsnip(data$x, data$y, epochs = 3), "no `epochs`", class = "osvm_error")
  expect_error(osvm_parsnip(data$x, data$y, nonsense = 3), "nonsense", class = "osvm_error")
  expect_error(osvm_parsnip(data$x, data$y, kernel = "linear", gamma = 3), "no parameter", class = "osvm_error")
  expect_error(osvm_parsnip(data$x, data$y, C = c(1, 2)), "a grid for tuning", class = "osvm_error")
  expect_error(osvm_parsnip(data$x, data$y, kernel = "none"), "kernel", class = "osvm_error")
  expect_error(osvm_parsnip(data$x), "y", class = "osvm_error")
})

# ---- parsnip ----

skip_if_not_installed("parsnip", "1.0.0")

engine <- function(spec, ...) parsnip::set_engine(spec, "onlinesvm", ...)
rbf <- function(...) parsnip::svm_rbf(mode = "classification", ...)

# The file names of the library may not be those of the parent's first path.
in_new_session <- function(code) brought("callr", "r")(code, libpath = .libPaths())

test_that("the engine is registered in either order of loading, and nothing is loaded for it", {
  expect_true(in_new_session(function() {
    loadNamespace("onlinesvm")
    first <- !isNamespaceLoaded("parsnip")
    first && "onlinesvm" %in% parsnip::show_engines("svm_rbf")$engine
  }))
  expect_true(in_new_session(function() {
    loadNamespace("parsnip")
    before <- "onlinesvm" %in% parsnip::show_engines("svm_linear")$engine
    loadNamespace("onlinesvm")
    !before && "onlinesvm" %in% parsnip::show_engines("svm_linear")$engine
  }))
})

test_that("the three models translate to calls that run, and predict as the model does", {
  specs <- list(
    rbf(cost = 2, rbf_sigma = 0.3), parsnip::svm_linear(mode = "classification", cost = 2),
    parsnip::svm_poly(mode = "classification", cost = 2, degree = 2, scale_factor = 0.5)
  )
  kernels <- list(kernel_rbf(gamma = 0.3), kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1))
  data <- clouds(80, classes = 3)
  frame <- data.frame(data$x, class = data$y)
  for (k in 1:3) {
    spec <- engine(specs[[k]])
    call <- parsnip::translate(spec)$method$fit
    expect_identical(unname(call$func), c("onlinesvm", "osvm_parsnip"))
    given <- lapply(call$args[!names(call$args) %in% call$protect], brought("rlang", "eval_tidy"))
    direct <- do.call(osvm_parsnip, c(list(data$x, data$y), given))
    set.seed(1)
    fit <- parsnip::fit(spec, class ~ ., frame)
    model <- parsnip::extract_fit_engine(fit)
    expect_identical(model$kernel, kernels[[k]])
    expect_identical(model$kernel, direct$kernel)
    expect_identical(model$n_features, 3L)
    expect_identical(predict(fit, frame)$.pred_class, predict(model, data$x))
    p <- predict(fit, frame, type = "prob")
    expect_identical(names(p), paste0(".pred_", levels(data$y)))
    expect_identical(as.matrix(p), predict(model, data$x, type = "prob"), ignore_attr = TRUE)
    expect_equal(predict(fit, frame, type = "raw"), predict(model, data$x, type = "decision"), ignore_attr = TRUE)
  }
})

test_that("rbf_sigma is kernlab's", {
  skip_if_not_installed("kernlab")
  data <- clouds(120, seed = 3)
  x <- scale(data$x)
  frame <- data.frame(x, class = data$y)
  spec <- rbf(cost = 3, rbf_sigma = 0.4)
  ours <- parsnip::fit(engine(spec, probability = FALSE, scale = FALSE, tolerance = 1e-6), class ~ ., frame)
  theirs <- kernlab::ksvm(
    x, data$y, kernel = "rbfdot", kpar = list(sigma = 0.4), C = 3, scaled = FALSE, tol = 1e-6
  )
  f <- kernlab::predict(theirs, x, type = "decision")[, 1]
  own <- predict(parsnip::extract_fit_engine(ours), x, type = "decision")
  expect_close(abs(own), abs(unname(f)), 1e-3)
})

test_that("factors become indicator columns, and case weights reach the fit", {
  data <- clouds(60)
  frame <- data.frame(data$x, site = factor(rep(c("n", "s", "w"), 20)), class = data$y)
  library(parsnip) # finds its contrasts on the search path
  on.exit(detach("package:parsnip"))
  fit <- parsnip::fit(engine(rbf()), class ~ ., frame)
  expect_identical(fit$fit$n_features, 6L)
  expect_identical(nrow(predict(fit, frame[1:4, ])), 4L)
  heavy <- hardhat::importance_weights(ifelse(data$y == "b", 9, 1))
  weighted <- parsnip::fit(engine(rbf(cost = 1)), class ~ ., frame, case_weights = heavy)
  plain <- parsnip::fit(engine(rbf(cost = 1)), class ~ ., frame)
  mean_of <- function(fit) mean(predict(fit, frame, type = "raw"))
  expect_gt(mean_of(weighted), mean_of(plain))
})

test_that("sparse data stays sparse, and a class without examples has probability 0", {
  data <- sparse_clouds(60)
  colnames(data$s) <- paste0("x", seq_len(ncol(data$s)))
  fit <- parsnip::fit_xy(engine(rbf(cost = 1), solver = "olsvm"), data$s, data$y)
  expect_true(parsnip::extract_fit_engine(fit)$sparse)
  expect_identical(predict(fit, data$s)$.pred_class, predict(fit$fit, data$s))
  data <- clouds(60, classes = 3)
  frame <- data.frame(data$x, class = data$y)
  some <- parsnip::fit(engine(rbf()), class ~ ., frame[data$y != "b", ])
  p <- predict(some, frame, type = "prob")
  expect_true(all(p$.pred_b == 0))
})

test_that("multi_predict gives the model after each number of epochs", {
  data <- clouds(60, classes = 3)
  frame <- data.frame(data$x, class = data$y)
  spec <- function(epochs) engine(rbf(cost = 1, rbf_sigma = 0.5), solver = "olsvm", epochs = epochs)
  run <- function(epochs) {
    set.seed(4)
    parsnip::fit(spec(epochs), class ~ ., frame)
  }
  long <- run(6)
  expect_true(parsnip::has_multi_predict(long))
  for (type in c("class", "prob")) {
    several <- parsnip::multi_predict(long, frame, type = type, epochs = c(6, 2))
    expect_identical(nrow(several), 60L)
    expect_identical(several$.pred[[1]]$epochs, c(2, 6))
    for (epochs in c(2, 6)) {
      rows <- do.call(rbind, lapply(several$.pred, function(t) t[t$epochs == epochs, -1]))
      expect_equal(rows, predict(run(epochs), frame, type = type), tolerance = 1e-6)
    }
  }
  expect_error(parsnip::multi_predict(long, frame, epochs = 7), "7 epochs", class = "osvm_error")
  expect_error(parsnip::multi_predict(long, frame, epochs = 0), "epochs", class = "osvm_error")
  smo <- parsnip::fit(engine(rbf()), class ~ ., frame)
  expect_error(parsnip::multi_predict(smo, frame, epochs = 3), "only", class = "osvm_error")
})

# ---- workflows and tune ----

folded_clouds <- function(folds) {
  for (package in c("workflows", "tune", "rsample", "yardstick", "dials")) skip_if_not_installed(package)
  data <- clouds(90)
  frame <- data.frame(data$x, class = data$y)
  set.seed(2)
  list(data = data, frame = frame, folds = rsample::vfold_cv(frame, v = folds))
}

test_that("workflows fit, resample and tune, with all metrics finite", {
  p <- folded_clouds(3)
  data <- p$data
  frame <- p$frame
  folds <- p$folds
  flow <- function(spec) workflows::add_model(workflows::add_formula(workflows::workflow(), class ~ .), spec)
  fitted <- parsnip::fit(flow(engine(rbf())), frame)
  expect_identical(nrow(predict(fitted, frame)), 90L)
  resampled <- tune::fit_resamples(flow(engine(rbf(cost = 1))), folds)
  expect_true(all(is.finite(tune::collect_metrics(resampled)$mean)))
  tuned <- tune::tune_grid(
    flow(engine(rbf(cost = tune::tune(), rbf_sigma = tune::tune()), probability = FALSE)), folds,
    grid = 3, metrics = yardstick::metric_set(yardstick::accuracy)
  )
  best <- tune::select_best(tuned, metric = "accuracy")
  expect_setequal(intersect(names(best), c("cost", "rbf_sigma")), c("cost", "rbf_sigma"))
  open <- flow(engine(rbf(cost = tune::tune(), rbf_sigma = tune::tune())))
  final <- parsnip::fit(tune::finalize_workflow(open, best), frame)
  expect_gt(mean(predict(final, frame)$.pred_class == data$y), 0.8)
})

test_that("arguments of the engine are tuned", {
  p <- folded_clouds(2)
  data <- p$data
  frame <- p$frame
  folds <- p$folds
  spec <- engine(rbf(cost = 1, rbf_sigma = 0.3), solver = "olsvm", epochs = tune::tune())
  grid <- data.frame(epochs = c(1, 2, 6))
  metrics <- tune::collect_metrics(tune::tune_grid(spec, class ~ ., folds, grid = grid))
  expect_identical(sort(unique(metrics$epochs)), c(1, 2, 6))
  expect_true(all(is.finite(metrics$mean)))
  parameters <- tune::extract_parameter_set_dials(spec)
  expect_identical(dials::range_get(parameters$object[[1]]), list(lower = 1L, upper = 20L))
  linear <- parsnip::svm_linear(mode = "classification")
  linear <- engine(linear, solver = "pegasos", lambda = tune::tune(), probability = FALSE)
  tuned <- tune::tune_grid(
    linear, class ~ ., folds, grid = 3, metrics = yardstick::metric_set(yardstick::accuracy)
  )
  expect_identical(nrow(tune::collect_metrics(tuned)), 3L)
})

test_that("code given as an argument is not evaluated", {
  run <- FALSE
  code <- quote(run <<- TRUE)
  expect_error(osvm_parsnip(code, iris$Species), "matrix", class = "osvm_error")
  expect_error(osvm_parsnip(iris[1:4], code), class = "osvm_error")
  expect_error(osvm_parsnip(iris[1:4], iris$Species, C = code), "C", class = "osvm_error")
  expect_error(osvm_parsnip(iris[1:4], iris$Species, weights = code), "weights", class = "osvm_error")
  expect_false(run)
})

test_that("intervals are those of the model, at the level asked for", {
  set.seed(1)
  spec <- parsnip::set_engine(parsnip::svm_rbf("regression", cost = 1, rbf_sigma = 1), "onlinesvm", conformal = TRUE)
  fit <- parsnip::fit(spec, dist ~ speed, cars)
  bounds <- predict(fit, cars, type = "pred_int", level = 0.8)
  own <- predict(parsnip::extract_fit_engine(fit), cars["speed"], type = "interval", level = 0.8)
  expect_identical(names(bounds), c(".pred_lower", ".pred_upper"))
  expect_equal(as.matrix(bounds), own[, -1], ignore_attr = TRUE)
})

test_that("quantiles are predicted together, and do not cross", {
  skip_if_not("matrix_to_quantile_pred" %in% getNamespaceExports("parsnip"))
  spec <- parsnip::set_mode(parsnip::svm_rbf(cost = 1), "quantile regression", quantile_levels = c(0.1, 0.5, 0.9))
  fit <- parsnip::fit(parsnip::set_engine(spec, "onlinesvm"), mpg ~ wt + hp, mtcars)
  own <- parsnip::extract_fit_engine(fit)
  expect_identical(own$loss, loss_quantile(c(0.1, 0.5, 0.9)))
  predicted <- as.matrix(predict(fit, mtcars)$.pred_quantile)
  expect_equal(unname(predicted), unname(predict(own, as.matrix(mtcars[c("wt", "hp")]))))
  expect_true(all(predicted[, 1] <= predicted[, 2] & predicted[, 2] <= predicted[, 3]))
})
