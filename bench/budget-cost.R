# What a budget costs per step, and whether memory, prediction and updates stay as they are along a stream.
source("bench/common.R")
source("bench/budget/generators.R")

# ---- steps ----

# From a model with 500 vectors 30,000 examples are learned, a fifth of whose labels are wrong: many steps change the
# model. With weights of 0 none does, and what is left is the cost of steps alone.
set.seed(1)
data <- misfires(40000)
wrong <- runif(40000) < 0.2
data$y[wrong] <- rev(levels(data$y))[data$y[wrong]]
steps <- function(solver, learns) {
  set.seed(1)
  start <- osvm(data$x[1:10000, ], data$y[1:10000], solver, kernel_rbf(gamma = 0.05), verbose = FALSE)
  rows <- 10001:40000
  runs <- lapply(1:5, function(run) {
    live <- osvm_live(start)
    used <- seconds(update(live, data$x[rows, ], data$y[rows], weights = rep(learns, length(rows))))
    c(seconds = used, updates = snapshot(live)$stats$updates - start$stats$updates)
  })
  used <- stats::median(vapply(runs, `[[`, 0, "seconds"))
  data.frame(sv = start$n_sv, updates = runs[[1]][["updates"]], steps_per_second = length(rows) / used)
}
within <- function(maintenance) solver_olsvm(C = 10, epochs = 1, budget = 500, maintenance = maintenance)
cost <- rbind(
  cbind(model = "no step changes the model", steps(within("remove"), 0)),
  cbind(model = "merge", steps(within("merge"), 1)),
  cbind(model = "remove", steps(within("remove"), 1)),
  cbind(model = "project", steps(within("project"), 1))
)
save_results(cost, "budget-cost")

# ---- a million examples: memory, prediction and updates along the way ----

flat <- local({
  set.seed(2)
  solver <- solver_olsvm(C = 100, epochs = 1, budget = 500)
  live <- osvm_live(NULL, solver = solver, kernel = kernel_rbf(gamma = 20), scale = FALSE)
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
save_results(flat, "budget-flat", provenance("budget-cost"))

ratio <- cost$steps_per_second[1] / cost$steps_per_second[2]
report(
  "budget-cost", "The cost of a budget",
  "OL SVM with 500 support vectors of 22 features: steps per second of processor time over 30,000 examples, median of",
  "five runs.",
  table_md(cost, digits = 0, row.names = FALSE),
  sprintf("Merging: %.1f times the cost of steps alone; it is %.0f %% of the time.", ratio, 100 * (1 - 1 / ratio)),
  "", "## A million examples", "", "Checkerboard, a live model, in chunks of 1,000.",
  table_md(flat, digits = c(0, 0, 0, 1, 1, 2), row.names = FALSE)
)
