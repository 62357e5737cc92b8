# One pass with a budget of support vectors, beside the same solver without one: accuracy, time, memory and prediction.
#
# C and gamma are chosen by the accuracy on the last fifth of the training set, separately for each setting.
source("bench/common.R")
source("bench/budget/generators.R")

parted <- function(draw, n, test) {
  data <- draw(n + test)
  list(x = data$x, y = data$y, train = seq_len(n))
}
real <- function(name, train = NULL) {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  if (!file.exists(path)) return(NULL)
  data <- readRDS(path)
  data$y <- factor(data$y)
  if (is.null(data$train)) data$train <- sample.int(length(data$y), train)
  data
}

set.seed(1)
sets <- Filter(Negate(is.null), list(
  Misfires = c(parted(misfires, 40000, 20000), list(C = 10^(1:3), gamma = c(0.02, 0.05, 0.1), scale = TRUE)),
  Adult = {
    data <- real("adult")
    if (!is.null(data)) c(data, list(C = c(1, 3, 10, 30), gamma = c(0.02, 0.05, 0.1), scale = FALSE))
  },
  Banana = {
    data <- real("banana", 4300)
    if (!is.null(data)) c(data, list(C = 10^(0:2), gamma = c(0.5, 2, 8), scale = TRUE))
  },
  Gauss = c(parted(gauss, 40000, 20000), list(C = 10^(0:2), gamma = c(0.1, 0.5, 2), scale = TRUE)),
  Checkerboard = c(parted(squares, 1e6, 1e5), list(C = c(300, 1000, 3000, 10000), gamma = c(10, 20), scale = FALSE))
))

settings <- list(
  c(budget = Inf), c(budget = 500, maintenance = "merge"), c(budget = 100, maintenance = "merge"),
  c(budget = 500, maintenance = "remove"), c(budget = 100, maintenance = "project")
)
spec <- function(setting, C) {
  budget <- as.numeric(setting[["budget"]])
  if (is.infinite(budget)) solver_olsvm(C = C, epochs = 1) else
    solver_olsvm(C = C, epochs = 1, budget = budget, maintenance = setting[["maintenance"]])
}

fit_rows <- function(data, rows, setting, C, gamma) {
  set.seed(1)
  osvm(data$x[rows, ], data$y[rows], spec(setting, C), kernel_rbf(gamma = gamma), scale = data$scale, verbose = FALSE)
}
accuracy <- function(data, fit, rows) 100 * mean(predict(fit, data$x[rows, ]) == data$y[rows])

measure <- function(name, setting) {
  data <- sets[[name]]
  train <- data$train
  held <- utils::tail(train, length(train) %/% 5)
  learned <- setdiff(train, held)
  grid <- expand.grid(C = data$C, gamma = data$gamma)
  reached <- function(C, gamma) accuracy(data, fit_rows(data, learned, setting, C, gamma), held)
  best <- grid[which.max(mapply(reached, grid$C, grid$gamma)), ]
  used <- seconds(fit <- fit_rows(data, train, setting, best$C, best$gamma))
  test <- setdiff(seq_along(data$y), train)
  message(name, " ", paste(setting, collapse = " "))
  data.frame(
    data = name, examples = length(train), features = ncol(data$x), budget = setting[["budget"]],
    maintenance = if (length(setting) > 1) setting[["maintenance"]] else "", C = best$C, gamma = best$gamma,
    accuracy = accuracy(data, fit, test), sv = fit$n_sv, seconds = used,
    predict_us = 1e6 * seconds(predict(fit, data$x[utils::head(test, 20000), ], threads = 1)) / min(length(test), 20000)
  )
}
projects <- function(name, setting) name != "Checkerboard" || !"project" %in% setting
table <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(Filter(function(s) projects(name, s), settings), function(s) measure(name, s)))
}))
save_results(table, "budget")

report(
  "budget", "Budgets of support vectors",
  "OL SVM, one pass over the training set; C and gamma chosen on its last fifth. Seconds are processor time of the fit,",
  "microseconds those of a prediction, one thread.",
  table_md(table, digits = c(0, 0, 0, 0, 0, 0, 3, 2, 0, 2, 1), row.names = FALSE)
)
