# Figs 2 and 4 of Kecman and Melki (2016): the time of each grid point, as separate fits of the first fold's training
# set, by OL SVM with two epochs and by SMO; and the time over the degree of a polynomial kernel, on a chess board. A fit
# is stopped after `limit` seconds, which then count as its time. Processor seconds on one thread.
source("bench/common.R")
source("bench/tune/sets.R")

limit <- as.numeric(Sys.getenv("OSVM_LIMIT", 60))
solvers <- list(olsvm = function(C) solver_olsvm(C = C, epochs = 2), smo = function(C) solver_smo(C = C))

time_of <- function(data, solver, C, kernel) {
  train <- data$foldid != 1
  set.seed(1)
  # No seconds of osvm(): elapsed time is no measure on a shared machine.
  result <- limited(seconds(suppressWarnings(osvm(
    data$x[train, ], data$y[train], solvers[[solver]](C), kernel,
    scale = FALSE, threads = 1, trace = FALSE, verbose = FALSE
  ))), limit)
  if (is.null(result)) limit else result
}

over_grid <- function(name) {
  data <- tuning_set(name)
  points <- expand.grid(C = C_values, sigma = sigma_values, solver = names(solvers), stringsAsFactors = FALSE)
  message(name)
  points$seconds <- mapply(
    function(C, sigma, solver) time_of(data, solver, C, kernel_rbf(sigma = sigma)), points$C, points$sigma, points$solver
  )
  cbind(set = name, points)
}

over_degree <- function() {
  data <- tuning_set("chess board")
  data$x <- data$x / max(abs(data$x))
  points <- expand.grid(degree = 1:6, solver = names(solvers), stringsAsFactors = FALSE)
  points$seconds <- mapply(function(degree, solver) {
    time_of(data, solver, 10, kernel_polynomial(degree = degree, gamma = 1, coef0 = 1))
  }, points$degree, points$solver)
  points
}

invisible(osvm(iris[1:4], iris$Species, verbose = FALSE)) # the first call loads code
points <- do.call(rbind, lapply(c("two normals", "reuters"), over_grid))
degrees <- over_degree()
save_results(points, "tune-seconds", provenance("tune-seconds"))
save_results(degrees, "tune-degrees", provenance("tune-seconds"))

spread <- stats::aggregate(seconds ~ solver + set, points, function(s) c(range(s), max(s) / min(s), sum(s >= limit)))
spread <- cbind(spread[c("set", "solver")], spread$seconds)
names(spread)[-(1:2)] <- c("fastest, s", "slowest, s", "ratio", "stopped")
report(
  "tune-seconds", "The time of single grid points: OL SVM and SMO",
  sprintf("Processor seconds of separate fits; a fit is stopped after %g seconds.", limit),
  table_md(spread, digits = c(0, 0, 3, 2, 0, 0)),
  "Polynomial kernels on a chess board of 8,000 points, C = 10:",
  table_md(stats::reshape(degrees, idvar = "degree", timevar = "solver", direction = "wide"), digits = 2, row.names = FALSE)
)
