# Learners for tables: functions of list(x, y, test_x, test_y) that return predictions, with their defaults, on one thread.
# What takes no missing values or factors is given what its users would give it, within its time.
suppressMessages(library(Matrix))

design <- function(v) { # indicators of factors, without missing values
  both <- rbind(impute(v$x), impute(v$test_x, v$x))
  x <- stats::model.matrix(~ . - 1, both)
  n <- nrow(v$x)
  x <- x[, apply(x[seq_len(n), , drop = FALSE], 2, function(column) any(column != column[1])), drop = FALSE]
  list(x = x[seq_len(n), , drop = FALSE], test_x = x[-seq_len(n), , drop = FALSE])
}
codes <- function(x) {
  vapply(x, function(v) if (is.factor(v)) as.integer(v) - 1 else as.numeric(v), numeric(nrow(x)))
}

ours <- function(...) {
  function(v) {
    fit <- osvm(impute(v$x), v$y, ..., threads = 1, verbose = FALSE)
    predict(fit, impute(v$test_x, v$x))
  }
}
forest <- function(v) {
  data <- cbind(impute(v$x), .y = v$y)
  fit <- ranger::ranger(.y ~ ., data, num.threads = 1)
  stats::predict(fit, impute(v$test_x, v$x), num.threads = 1)$predictions
}
e1071_svm <- function(v) {
  d <- design(v)
  stats::predict(suppressWarnings(e1071::svm(d$x, v$y)), d$test_x)
}
kernlab_svm <- function(v) {
  d <- design(v)
  drop(kernlab::predict(suppressWarnings(kernlab::ksvm(d$x, v$y)), d$test_x))
}
lasso <- function(v) {
  d <- design(v)
  family <- if (!is.factor(v$y)) "gaussian" else if (nlevels(v$y) == 2) "binomial" else "multinomial"
  fit <- suppressWarnings(glmnet::cv.glmnet(d$x, v$y, family = family, nfolds = 5))
  stats::predict(fit, d$test_x, s = "lambda.min", type = if (is.factor(v$y)) "class" else "response")
}

lightgbm_data <- function(v, rows = seq_along(v$y)) {
  lightgbm::lgb.Dataset(
    codes(v$x)[rows, , drop = FALSE],
    label = (if (is.factor(v$y)) as.integer(v$y) - 1 else v$y)[rows],
    categorical_feature = names(v$x)[vapply(v$x, is.factor, NA)], params = list(verbose = -1)
  )
}
lightgbm_goal <- function(v) {
  k <- nlevels(v$y)
  c(
    list(num_threads = 1, verbose = -1, seed = 1, deterministic = TRUE),
    if (k == 0) list(objective = "regression") else if (k == 2) list(objective = "binary") else
      list(objective = "multiclass", num_class = k)
  )
}
lightgbm_predict <- function(fit, v, x) {
  out <- stats::predict(fit, codes(x))
  k <- nlevels(v$y)
  if (k == 0) return(out)
  class <- if (k == 2) 1 + (out > 0.5) else max.col(if (is.matrix(out)) out else matrix(out, ncol = k, byrow = TRUE))
  levels(v$y)[class]
}
lightgbm_default <- function(v) {
  lightgbm_predict(lightgbm::lgb.train(lightgbm_goal(v), lightgbm_data(v), nrounds = 100), v, v$test_x)
}
# 30 settings drawn from the ranges that its users search, each by five folds; the best is fitted to all rows.
lightgbm_tuned <- function(v) {
  draw <- function(values) values[sample.int(length(values), 1)]
  fold <- sample(rep_len(1:5, length(v$y)))
  best <- list(error = Inf)
  for (k in 1:30) {
    setting <- list(
      learning_rate = exp(stats::runif(1, log(0.01), log(0.3))), num_leaves = draw(c(4, 8, 16, 31, 63, 127)),
      min_data_in_leaf = draw(c(2, 5, 10, 20, 50)), feature_fraction = stats::runif(1, 0.4, 1),
      bagging_fraction = stats::runif(1, 0.5, 1), bagging_freq = 1, lambda_l2 = draw(c(0, 0.1, 1, 10))
    )
    rounds <- draw(c(50, 100, 200, 400, 800))
    error <- mean(vapply(1:5, function(f) {
      held <- list(x = v$x[fold == f, , drop = FALSE], y = v$y[fold == f])
      fit <- lightgbm::lgb.train(c(lightgbm_goal(v), setting), lightgbm_data(v, which(fold != f)), nrounds = rounds)
      error_of(lightgbm_predict(fit, v, held$x), held$y)
    }, 0))
    if (error < best$error) best <- list(error = error, setting = setting, rounds = rounds)
  }
  lightgbm_predict(
    lightgbm::lgb.train(c(lightgbm_goal(v), best$setting), lightgbm_data(v), nrounds = best$rounds), v, v$test_x
  )
}

# Per cent of wrong classes, or the root mean square in per cent of that of the mean
error_of <- function(predicted, y) {
  if (is.factor(y)) {
    return(100 * mean(as.character(predicted) != as.character(y)))
  }
  100 * sqrt(mean((as.numeric(predicted) - y)^2) / mean((y - mean(y))^2))
}

# scikit-learn's boosting of all problems in one process: list(name = c(error, seconds))
boost <- function(problems, python) {
  folder <- tempfile("boosting")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  for (name in names(problems)) {
    v <- problems[[name]]
    y <- c(as.integer(v$y) - if (is.factor(v$y)) 1 else 0, v$test_y)
    if (!is.factor(v$y)) y <- c(v$y, v$test_y)
    x <- codes(rbind(v$x, v$test_x))
    coded <- vapply(v$x, function(u) is.factor(u) && !is.ordered(u) && nlevels(u) <= 255, NA)
    path <- file.path(folder, paste0(name, ".csv"))
    writeLines(paste(c(nrow(v$x), +is.factor(v$y), +coded), collapse = ","), path)
    utils::write.table(cbind(y, x), path, append = TRUE, sep = ",", na = "", row.names = FALSE, col.names = FALSE)
  }
  Sys.setenv(OMP_NUM_THREADS = "1", OPENBLAS_NUM_THREADS = "1")
  stopifnot(system2(python, c("bench/tables/boosting.py", folder)) == 0)
  lapply(stats::setNames(nm = names(problems)), function(name) {
    out <- as.numeric(readLines(file.path(folder, paste0(name, ".out"))))
    y <- problems[[name]]$test_y
    predicted <- if (is.factor(y)) levels(y)[out[-1] + 1] else out[-1]
    c(error = error_of(predicted, y), seconds = out[1])
  })
}
