# Kecman and Melki (2016), Figs 6 and 8: time of NORMA and Pegaz with cached outputs and with the sums of Lists 1 and 2.
source("bench/common.R")

set.seed(1)
data <- chessboard(4992)
solvers <- list(norma = solver_norma, pegaz = solver_pegaz)

time <- function(solver, outputs, C, sigma) {
  spec <- solvers[[solver]](C = C, epochs = 5, outputs = outputs)
  set.seed(2)
  seconds(osvm(data$x, data$y, spec, kernel_rbf(sigma = sigma),
    scale = FALSE, threads = 1, verbose = FALSE
  ))
}

grid <- expand.grid(C = 10^(-4:4), sigma = 10^(-1:2), solver = names(solvers), stringsAsFactors = FALSE)
for (outputs in c("cached", "list")) {
  message(outputs)
  grid[[outputs]] <- mapply(time, grid$solver, outputs, grid$C, grid$sigma)
}

total <- aggregate(cbind(cached, list) ~ solver, grid, sum)
total$ratio <- total$list / total$cached
by_sigma <- aggregate(cbind(cached, list) ~ sigma + solver, grid, sum)[c("solver", "sigma", "cached", "list")]
by_sigma$ratio <- by_sigma$list / by_sigma$cached
report(
  "outputs", "Cached outputs against the lists as printed: chess board, 4,992 points, 5 epochs",
  "Processor seconds summed over C = 1e-4 ... 1e4, one thread.",
  table_md(by_sigma, digits = 2),
  mapply(target, paste("list over cached,", total$solver), total$ratio, 2, USE.NAMES = FALSE)
)
