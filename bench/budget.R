# One pass with a budget of support vectors, beside the same solver without one: accuracy, time, memory and prediction.
#
# C and gamma are chosen by the accuracy on the last fifth of the training set, separately for each setting.
source("bench/common.R")

# A ten-cylinder engine, after the problem of the IJCNN 2001 challenge: which cylinder fires (ten indicators), speed, load,
# and the accelerations of the crankshaft around the firing. A misfire takes away acceleration, and the shaft rings.
misfires <- function(n) {
  wander <- function(memory) as.vector(stats::filter(rnorm(n + 10, sd = 0.05), memory, "recursive"))
  speed <- wander(0.995)
  load <- wander(0.99)
  cylinder <- seq_len(n + 10) %% 10 + 1
  misfire <- runif(n + 10) < 0.1
  acceleration <- sin(1:10)[cylinder] * (1 + 0.3 * speed) + 0.5 * sin(2 * speed) + 0.25 * rnorm(n + 10)
  ringing <- c(1, 0.6, -0.3, -0.4, 0.1)
  for (lag in 0:4) {
    lost <- misfire * (1.2 + 0.5 * tanh(load)) * ringing[lag + 1]
    acceleration <- acceleration - c(rep(0, lag), lost[seq_len(n + 10 - lag)]) * cos(0.5 * lag * speed)
  }
  k <- 6:(n + 5)
  x <- cbind(diag(10)[cylinder[k], ], speed[k], load[k], vapply(-5:4, function(j) acceleration[k + j], numeric(n)))
  list(x = x, y = factor(ifelse(misfire[k], "misfire", "normal")))
}

# Two overlapping normal distributions (Wang & Vucetic 2009), and 4 x 4 squares
gauss <- function(n) two_normals(n)
squares <- function(n) {
  x <- matrix(runif(2 * n, 0, 4), n)
  list(x = x, y = factor(rowSums(floor(x)) %% 2, labels = c("black", "white")))
}

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
  Checkerboard = c(parted(squares, 1e6, 1e5), list(C = c(100, 1000, 3000), gamma = c(10, 20, 40), scale = FALSE))
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

# The unbounded solver on a million points is chosen for on a tenth of them.
measure <- function(name, setting) {
  data <- sets[[name]]
  train <- data$train
  tried <- utils::head(train, 100000)
  held <- utils::tail(tried, length(tried) %/% 5)
  learned <- setdiff(tried, held)
  grid <- expand.grid(C = data$C, gamma = data$gamma)
  grid$accuracy <- Map(function(C, gamma) accuracy(data, fit_rows(data, learned, setting, C, gamma), held), grid$C, grid$gamma)
  best <- grid[which.max(unlist(grid$accuracy)), ]
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
projects <- function(name, setting) name != "Checkerboard" || !identical(setting["maintenance"], c(maintenance = "project"))
table <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(Filter(function(s) projects(name, s), settings), function(s) measure(name, s)))
}))
save_results(table, "budget")

# ---- cost: steps of a model that happens to have 500 vectors, and with a budget of 500 ----

# Both visit the same 40,000 examples; the first has learned 500 vectors, and a C so small that none is added: PA with C = 0
# would not do, so its examples have weight 0.
data <- sets$Misfires
steps <- function(solver, weight) {
  set.seed(1)
  start <- osvm(data$x[1:1500, ], data$y[1:1500], solver, kernel_rbf(gamma = 0.05), verbose = FALSE)
  live <- osvm_live(start)
  rows <- 1501:40000
  weights <- if (weight == 0) rep(1e-300, length(rows))
  used <- seconds(update(live, data$x[rows, ], data$y[rows], weights = weights))
  c(sv = start$n_sv, steps_per_second = length(rows) / used)
}
keep_500 <- solver_olsvm(C = 10, epochs = 1, outputs = "list", budget = 500, maintenance = "remove")
cost <- rbind(
  data.frame(model = "no vector enters or leaves", t(steps(keep_500, 0))),
  data.frame(model = "budget 500, merge", t(steps(solver_olsvm(C = 10, epochs = 1, budget = 500), 1))),
  data.frame(model = "budget 500, remove", t(steps(keep_500, 1))),
  data.frame(
    model = "budget 500, project",
    t(steps(solver_olsvm(C = 10, epochs = 1, budget = 500, maintenance = "project"), 1))
  )
)
save_results(cost, "budget-cost", provenance("budget"))

# ---- a million examples: memory, prediction and updates along the way ----

flat <- local({
  set.seed(2)
  live <- osvm_live(NULL, solver = solver_olsvm(C = 100, epochs = 1, budget = 500), kernel = kernel_rbf(gamma = 20), scale = FALSE)
  test <- squares(5000)
  rows <- list()
  for (chunk in 1:1000) {
    new <- squares(1000)
    used <- seconds(update(live, new$x, new$y))
    if (chunk %in% c(10, 100, 250, 500, 750, 1000)) {
      invisible(gc())
      rows[[length(rows) + 1]] <- data.frame(
        examples = 1000 * chunk, sv = snapshot(live)$n_sv, memory_mb = status_mb("VmRSS"),
        update_us = 1e6 * used / 1000, predict_us = 1e6 * seconds(predict(live, test$x)) / 5000,
        accuracy = 100 * mean(predict(live, test$x) == test$y)
      )
    }
  }
  do.call(rbind, rows)
})
save_results(flat, "budget-flat", provenance("budget"))

ratio <- cost$steps_per_second[1] / cost$steps_per_second[2]
report(
  "budget", "Budgets of support vectors",
  "OL SVM, one pass over the training set; C and gamma chosen on its last fifth. Seconds are processor time of the fit,",
  "microseconds those of a prediction, one thread.",
  table_md(table, digits = c(0, 0, 0, 0, 0, 0, 3, 2, 0, 2, 1), row.names = FALSE),
  "## Cost", "",
  "Steps per second over 38,500 examples of the first set, after 1,500; without changes of the model, and with maintenance.",
  table_md(cost, digits = 0, row.names = FALSE),
  sprintf("Merging: %.1f times the cost of steps alone; maintenance is %.0f %% of the time.", ratio, 100 * (1 - 1 / ratio)),
  "", "## A million examples", "", "Checkerboard, a live model, in chunks of 1,000.",
  table_md(flat, digits = c(0, 0, 0, 1, 1, 2), row.names = FALSE)
)
