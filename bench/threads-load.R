# Two threads beside one, on the machine as it is and with one more process that never rests: elapsed seconds, in
# alternation.
source("bench/common.R")

repetitions <- 9
usps <- real_data("usps")
adult <- real_data("adult")
house <- real_data("house_8L")
digits <- usps$x[usps$train, ]
digit <- factor(usps$y[usps$train])
some <- adult$train[1:8000]
income <- list(x = adult$x[some, ], y = factor(adult$y[some]))
numeric <- house$x + 0
high <- factor(house$y > median(house$y))
few <- 1:2000
gaussian <- kernel_rbf(gamma = 1 / 8)
many <- osvm(digits, digit, solver_smo(C = 10), kernel_rbf(gamma = 1 / 128), scale = FALSE, threads = 1, verbose = FALSE)
explained <- osvm(numeric[few, ], high[few], solver_smo(), gaussian, threads = 1, verbose = FALSE)

fit <- function(...) osvm(..., verbose = FALSE)
cases <- list(
  "SMO, ten digits, 7,291 x 256" = function(threads) {
    fit(digits, digit, solver_smo(C = 10), kernel_rbf(gamma = 1 / 128), scale = FALSE, threads = threads)
  },
  "SMO, Adult, 8,000 rows, sparse" = function(threads) {
    fit(income$x, income$y, solver_smo(), kernel_rbf(gamma = 1 / 123), scale = FALSE, threads = threads)
  },
  "SMO, numbers, 8,000 x 8" = function(threads) fit(numeric, house$y, solver_smo(C = 2), gaussian, threads = threads),
  "Cells of 1,000 rows" = function(threads) fit(numeric, high, solver_smo(), gaussian, cells = 1000, threads = threads),
  "A grid of 9, 4 folds" = function(threads) {
    osvm_tune(numeric[few, ], high[few], solver_smo(C = c(1, 10, 100)), kernel_rbf(gamma = c(0.01, 0.1, 1)), folds = 4,
      threads = threads)
  },
  "Search, 600 rows" = function(threads) fit(numeric[1:600, ], high[1:600], threads = threads),
  "Predictions, ten digits" = function(threads) predict(many, digits, threads = threads),
  "Shapley values, 300 rows" = function(threads) osvm_shapley(explained, numeric[1:300, ], threads = threads)
)

timed <- function(run, threads) {
  set.seed(1)
  elapsed(run(threads))
}
ratio <- function(run) {
  times <- t(replicate(repetitions, c(timed(run, 1), timed(run, 2))))
  c(apply(times, 2, median), median(times[, 1] / times[, 2]))
}
rows <- lapply(names(cases), function(name) {
  run <- cases[[name]]
  run(2)
  quiet <- ratio(run)
  busy <- parallel::mcparallel(repeat NULL)
  loaded <- ratio(run)
  tools::pskill(busy$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(busy))
  message(name, ": ", paste(signif(c(quiet, loaded), 3), collapse = " "))
  data.frame(
    case = name, one = quiet[1], two = quiet[2], ratio = quiet[3], "one, busy" = loaded[1], "two, busy" = loaded[2],
    "ratio, busy" = loaded[3], check.names = FALSE
  )
})

report(
  "threads-load", "One thread and two, beside other work",
  paste0("Elapsed seconds, median of ", repetitions, " alternating runs; `ratio`: one thread over two, paired. `busy`: beside a"),
  "process more that never rests. The load of the machine, below, counts all processes that wanted a processor.",
  table_md(do.call(rbind, rows), digits = 2, row.names = FALSE)
)
