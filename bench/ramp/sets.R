# Shared by the ramp-* benchmarks: the nine sets of Wang and Vucetic (2009), their sizes, and the parameters chosen.
# OSVM_REPEATS and OSVM_SIZE (the largest number of training examples) reduce a run; OSVM_KEEP is a folder for finished
# results, from which an interrupted run resumes.
source("bench/common.R")

most <- as.numeric(Sys.getenv("OSVM_SIZE", "Inf"))
repeats <- function(default) as.integer(Sys.getenv("OSVM_REPEATS", default))
folder <- Sys.getenv("OSVM_KEEP", tempfile("ramp"))
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

# The value of expr, computed once per key and stored in a file, also if it is NULL.
memoise <- function(key, expr) {
  path <- file.path(folder, paste0(gsub("[^A-Za-z0-9.]+", "-", key), ".rds"))
  if (!file.exists(path)) {
    message(key)
    saveRDS(expr, path)
  }
  readRDS(path)
}

# Real sets are read on first use; `positive` has the labels of the positive class.
loaded <- new.env()
real <- function(name, positive) {
  if (is.null(loaded[[name]])) {
    set <- real_data(name)
    set$y <- factor(set$y %in% positive)
    if (methods::is(set$x, "sparseMatrix")) set$x <- as.matrix(set$x)
    loaded[[name]] <- set
  }
  loaded[[name]]
}
part <- function(set, rows, others) {
  list(x = set$x[rows, ], y = set$y[rows], new_x = set$x[others, ], new_y = set$y[others])
}
# The official split in random order, or a random split.
official <- function(set, n) part(set, sample(set$train, n), setdiff(seq_along(set$y), set$train))
random <- function(set, n, new = 10000) {
  rows <- sample(length(set$y), min(n + new, length(set$y)))
  part(set, rows[1:n], rows[-(1:n)])
}
noisy <- function(n) chessboard(n, noise = 0.15)
generated <- function(data, new) list(x = data$x, y = data$y, new_x = new$x, new_y = new$y)
waveform <- function(n) {
  data <- mlbench::mlbench.waveform(n)
  list(x = data$x, y = factor(data$classes != 1))
}

cover <- function(n) random(real("covertype", 1), n, 0)

# `sampler`: draws further examples, if there are any.
sets <- list(
  Adult = list(n = 10000, draw = function(n) official(real("adult", 1), n)),
  Banana = list(n = 4300, draw = function(n) random(real("banana", 1), n)),
  Checkerboard = list(n = 10000, sampler = chessboard, draw = function(n) generated(chessboard(n), chessboard(10000))),
  NCheckerboard = list(n = 10000, sampler = noisy, draw = function(n) generated(noisy(n), chessboard(10000))),
  Cover = list(n = 10000, sampler = cover, draw = function(n) random(real("covertype", 1), n)),
  DNA = list(n = 2000, draw = function(n) official(real("dna", 3), n)),
  Gauss = list(n = 10000, sampler = unequal_normals, draw = function(n) {
    generated(unequal_normals(n), unequal_normals(10000))
  }),
  USPS = list(n = 7291, draw = function(n) official(real("usps", c(3, 6, 8, 9, 0)), n)),
  Waveform = list(n = 10000, sampler = waveform, draw = function(n) generated(waveform(n), waveform(10000)))
)

# Features are scaled to mean 0 and standard deviation 1 on the training examples.
draw <- function(name, seed, n = min(sets[[name]]$n, most)) {
  set.seed(seed)
  set <- sets[[name]]$draw(n)
  varies <- apply(set$x, 2, sd) > 0
  x <- scale(set$x[, varies])
  set$new_x <- scale(set$new_x[, varies], attr(x, "scaled:center"), attr(x, "scaled:scale"))
  set$x <- x
  set$varies <- varies
  set
}

# The paper's grid. M is the number of features before constant ones are dropped.
grid_C <- c(0.1, 1, 5, 10, 50, 100, 500)
grid_width <- 2^c(-1, 0, 1, 2, 4, 6) # delta^2 = M / width, gamma = width / (2 M)
attributes_of <- c(
  Adult = 123, Banana = 2, Checkerboard = 2, NCheckerboard = 2, Cover = 54, DNA = 180, Gauss = 2, USPS = 256,
  Waveform = 21
)
gamma_of <- function(name, width) width / (2 * attributes_of[[name]])

# On-line solvers process the stream in order; SMO and IDSVM have a bias, as LIBSVM.
solver_of <- list(
  smo = function(C) solver_smo(C = C),
  idsvm = function(C) solver_idsvm(C = C),
  pa = function(C) solver_pa(C = C, epochs = 1, bias = FALSE, shuffle = FALSE),
  ramp = function(C, ...) solver_ramp(C = C, ...)
)
learn <- function(set, solver, gamma, ...) {
  osvm(set$x, set$y, solver, kernel_rbf(gamma = gamma), scale = FALSE, threads = 1, verbose = FALSE, ...)
}
# The learning curve of active learning on the first `rows`; memoised, since Table 1 and Fig. 6 both need it.
active <- function(name, seed, algorithm, strategy, rows = Inf) {
  memoise(paste("active", name, algorithm, strategy, seed, most, if (is.finite(rows)) rows), {
    set <- draw(name, seed)
    first <- seq_len(min(rows, nrow(set$x)))
    set$x <- set$x[first, ]
    set$y <- set$y[first]
    best <- chosen(name, algorithm)
    fit <- suppressWarnings(osvm_active(set$x, set$y, solver_of[[algorithm]](best$C), kernel_rbf(gamma = best$gamma),
      strategy = strategy, test = list(x = set$new_x, y = set$new_y), scale = FALSE, threads = 1, verbose = FALSE
    ))
    list(curve = fit$curve, n_sv = fit$n_sv, seen = nrow(set$x))
  })
}
accuracy <- function(fit, set) 100 * mean(predict(fit, set$new_x) == set$new_y)

# The parameters of bench/ramp/choose.R: IDSVM has those of SMO, OnlineASVM^R those of OnlineSVM^R.
chosen <- function(name, algorithm) {
  choice <- utils::read.csv("bench/ramp/choice.csv")
  algorithm <- c(smo = "smo", idsvm = "smo", pa = "pa", ramp = "ramp", active = "ramp")[[algorithm]]
  row <- choice[choice$set == name & choice$algorithm == algorithm, ]
  list(C = row$C, width = row$width, gamma = gamma_of(name, row$width))
}
