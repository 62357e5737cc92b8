skip_if_not_installed("generics")
tidy <- generics::tidy
glance <- generics::glance
augment <- generics::augment

test_that("a linear model is its weights, with and without units", {
  for (classes in 2:3) {
    data <- clouds(60, classes = classes)
    data$x <- data$x * 10 + 3
    fit <- osvm(data$x, data$y, "smo", "linear", verbose = FALSE)
    table <- as.data.frame(tidy(fit))
    expect_identical(names(table), c("machine", "term", "estimate", "scaled"))
    weights <- as.matrix(coef(fit))
    expect_identical(matrix(table$estimate, nrow(weights)), unname(weights))
    expect_identical(unique(table$term), rownames(weights))
    machines <- nrow(fit$machines)
    expect_length(unique(table$machine), machines)
    own <- table[table$machine == table$machine[1], ]
    f <- drop(data$x %*% own$estimate[-1]) + own$estimate[1]
    expect_close(f, as.matrix(predict(fit, data$x, type = "decision"))[, 1], 1e-5)
    scaled <- scale(data$x, fit$scaling$center, fit$scaling$scale)
    expect_close(drop(scaled %*% own$scaled[-1]) + own$scaled[1], f, 1e-5)
  }
})

test_that("a kernel model is its expansion", {
  data <- clouds(60, classes = 3)
  fit <- osvm(data$x, data$y, "smo", kernel_rbf(gamma = 0.5), scale = FALSE, verbose = FALSE)
  table <- as.data.frame(tidy(fit))
  expect_identical(names(table), c("machine", "term", "sv", "estimate"))
  kernel <- exp(-0.5 * as.matrix(dist(rbind(data$x, fit$sv)))^2)[1:60, -(1:60)]
  f <- sapply(unique(table$machine), function(machine) {
    own <- table[table$machine == machine, ]
    expect_identical(own$term[1], "(Intercept)")
    drop(kernel[, own$sv[-1]] %*% own$estimate[-1]) + own$estimate[1]
  })
  expect_close(f, predict(fit, data$x, type = "decision"), 1e-5)
})

test_that("every solver's model can be tidied, glanced at and used to augment", {
  data <- clouds(40, classes = 3)
  for (name in tested_solvers()) {
    fit <- muffle_not_separable(quick_fit(name, data))
    expect_gt(nrow(tidy(fit)), 3)
    one <- glance(fit)
    expect_identical(nrow(one), 1L)
    expect_identical(one$solver, name)
    expect_identical(one$nobs, 40)
    expect_identical(is.na(one$converged), is.null(fit$convergence))
    more <- augment(fit, newdata = data$x)
    expect_identical(more$.pred_class, predict(fit, data$x))
  }
})

test_that("augment adds what predict gives", {
  fit <- osvm(Species ~ ., iris, solver = "smo", probability = TRUE, verbose = FALSE)
  more <- augment(fit, iris[c(1, 60, 120), ])
  expect_identical(more$.pred_class, predict(fit, iris[c(1, 60, 120), ]))
  expect_identical(as.matrix(more[paste0(".pred_", levels(iris$Species))]), predict(fit, iris[c(1, 60, 120), ], "prob"),
    ignore_attr = TRUE)
  expect_identical(names(more)[1:6], c(names(iris), ".pred_class"))
  expect_true(all(c(".decision_setosa/versicolor", ".decision_versicolor/virginica") %in% names(more)))
  expect_identical(augment(fit)$.pred_class, fitted(fit))
  two <- droplevels(iris[1:100, ])
  fit <- osvm(Species ~ ., two, solver = "smo", verbose = FALSE)
  expect_identical(setdiff(names(augment(fit, two)), names(two)), c(".pred_class", ".decision"))
  missing <- two[1:3, ]
  missing[2, 1] <- NA
  expect_identical(is.na(augment(fit, missing)$.decision), c(FALSE, TRUE, FALSE))
  expect_error(augment(fit, two, type = "prob"), "type", class = "osvm_error")
  expect_error(augment(fit, two, nonsense = 1), "nonsense", class = "osvm_error")
})

test_that("sparse examples are augmented", {
  data <- sparse_clouds(40)
  fit <- osvm(data$s, data$y, "olsvm", verbose = FALSE)
  expect_identical(augment(fit, data$s)$.pred_class, predict(fit, data$s))
})

test_that("tunings and comparisons have a row per grid point and metric", {
  data <- clouds(60)
  tuned <- osvm_tune(
    data$x, data$y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = c(0.1, 1)), metric = "auc", progress = FALSE
  )
  table <- as.data.frame(tidy(tuned))
  expect_identical(table$metric, rep(c("auc", "error"), each = 4))
  expect_identical(table$estimate, c(tuned$results$auc, tuned$results$error))
  expect_identical(table$std.error, c(tuned$results$auc_se, tuned$results$se))
  first <- table[table$rank == 1 & table$metric == "auc", ]
  expect_identical(first$estimate, tuned$best$auc)
  one <- glance(tuned)
  expect_identical(one$estimate, tuned$best$auc)
  expect_identical(one$points, 4L)
  expect_identical(augment(tuned, newdata = data$x)$.pred_class, predict(tuned, data$x))
  both <- osvm_compare(
    data$x, data$y, list(solver_smo(C = c(1, 10)), solver_perceptron(epochs = 1:2)), "rbf", progress = FALSE
  )
  table <- tidy(both)
  expect_identical(unique(table$solver), c("smo", "perceptron"))
  expect_true(all(is.na(table$epochs[table$solver == "smo"])))
  expect_identical(nrow(table), 4L)
})

test_that("damaged objects are refused", {
  fit <- osvm(iris[1:4], iris$Species, "smo", verbose = FALSE)
  fit$coef <- NULL
  for (verb in list(tidy, glance, function(x) augment(x, iris[1:4]))) {
    expect_error(verb(fit), "damaged", class = "osvm_error")
  }
  expect_error(tidy(structure(list(), class = "osvm_tuning")), class = "osvm_error")
})

test_that("columns without a proper name are augmented as they are", {
  skip_if_not_installed("generics")
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3), 4, dimnames = list(NULL, c("a", NA)))
  y <- factor(c("p", "q", "p", "q"))
  run <- osvm_stream(source_matrix(x, y), "pa", kernel_rbf(), verbose = FALSE)
  expect_identical(names(generics::augment(run, x))[1], "a")
  tuned <- osvm_tune(unname(x), y, grid = list(C = 1), folds = 2, progress = FALSE)
  table <- as.table(matrix(1:4, 2))
  expect_identical(dim(generics::augment(tuned, newdata = table)), c(2L, 4L))
  counts <- tuned
  counts$stats$kernel_evaluations <- NULL
  expect_error(generics::glance(counts), "damaged", class = "osvm_error")
  tuned$n <- structure(1, class = "osvm")
  expect_error(generics::glance(tuned), "damaged", class = "osvm_error")
  tuned$fit <- structure(1, class = "osvm")
  expect_error(generics::augment(tuned, x), "damaged", class = "osvm_error")
})
