# Streams of numbers under drift: rows per second, and the root mean square error over time beside the baselines.
#
# OSVM_ROWS: rows of each stream, 1,000,000 unless set.
source("bench/common.R")

rows <- as.numeric(Sys.getenv("OSVM_ROWS", "1e6"))
part <- rows / 10 # of the table
noise <- 0.3

# Weights of ten features, drawn anew after 30 and 65 per cent of the rows.
draw_linear <- function() {
  set.seed(1)
  x <- matrix(rnorm(10 * rows), rows)
  concept <- findInterval(seq_len(rows), c(0.3, 0.65) * rows) + 1
  weights <- matrix(rnorm(30), 3)
  list(x = x, y = rowSums(x * weights[concept, ]) + noise * rnorm(rows))
}
# A wave over two features, which turns by half a circle in the middle third of the stream.
draw_wave <- function() {
  set.seed(2)
  x <- matrix(runif(2 * rows, -2, 2), rows)
  angle <- pi * pmin(pmax(seq_len(rows) / rows * 3 - 1, 0), 1)
  list(x = x, y = sin(2 * (x[, 1] * cos(angle) + x[, 2] * sin(angle))) + noise * rnorm(rows))
}

streams <- list(
  `PA, linear` = list(draw_linear, solver_pa(epochs = 1, shuffle = FALSE), kernel_linear()),
  `NORMA, budget of 200` = list(
    draw_wave, solver_norma(C = 30, epochs = 1, shuffle = FALSE, budget = 200), kernel_rbf(gamma = 2)
  ),
  `PA, budget of 200` = list(
    draw_wave, solver_pa(C = 0.05, epochs = 1, shuffle = FALSE, budget = 200), kernel_rbf(gamma = 2)
  )
)

runs <- lapply(streams, function(stream) {
  data <- stream[[1]]()
  set.seed(3)
  time <- seconds(run <- osvm_stream(
    source_matrix(data$x, data$y), stream[[2]], stream[[3]], chunk = 5000, window = part, metrics = "rmse", threads = 1,
    verbose = FALSE
  ))
  list(time = time, table = run$metrics[run$metrics$row %% part == 0, ], n_sv = run$fit$n_sv)
})

speed <- do.call(rbind, lapply(names(runs), function(name) {
  run <- runs[[name]]
  last <- run$table[nrow(run$table), ]
  data.frame(
    solver = name, "rows per second" = format(signif(rows / run$time, 3), big.mark = ",", scientific = FALSE),
    rmse = last$rmse, "number before" = last$rmse_no_change, "running mean" = last$rmse_mean, check.names = FALSE
  )
}))
over_time <- data.frame(rows = format(runs[[1]]$table$row, big.mark = ",", scientific = FALSE), check.names = FALSE)
for (name in names(runs)) over_time[[name]] <- runs[[name]]$table$rmse_window
over_time$`running mean, linear stream` <- runs[[1]]$table$rmse_mean_window
over_time$`running mean, wave` <- runs[[2]]$table$rmse_mean_window

report(
  "numbers-stream", "Streams of numbers under drift",
  paste0(
    format(rows, big.mark = ",", scientific = FALSE), " rows each, in chunks of 5,000, every row predicted before it is ",
    "learned; processor time of reading, evaluation and learning, one thread. The standard deviation of the noise, which ",
    "no model can predict, is ", noise, ". Linear: ten features, whose weights change after 30 and 65 per cent. Kernel: a ",
    "wave over two features, which turns by half a circle in the middle third."
  ),
  table_md(speed, digits = 3, row.names = FALSE, align = "lrrrr"),
  "Root mean square error of each tenth of the stream:",
  table_md(over_time, digits = 3, row.names = FALSE)
)
