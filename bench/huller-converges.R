# Bordes and Bottou (2005): convergence of the Huller to the hard-margin SVM, as the difference of its decision values
# from SMO's after 1, 2, 5, 10 and 40 epochs. OSVM_ROWS: the largest number of examples per set.
source("bench/common.R")

rows <- as.integer(Sys.getenv("OSVM_ROWS", "2000"))
epochs <- c(1, 2, 5, 10, 40)
C <- 1e6 # above all coefficients: a hard margin

some <- function(x, y) {
  set.seed(1)
  at <- sample(length(y), min(rows, length(y)))
  list(x = as.matrix(x)[at, ], y = y[at])
}
mnist <- real_data("mnist")
mnist <- some(mnist$x, mnist$y)
mnist$x <- matrix(as.integer(mnist$x) / 255, nrow(mnist$x))
usps <- with(real_data("usps"), some(x, y))
sonar <- labelled(packaged("Sonar", "mlbench"), "Class")
letters <- packaged("LetterRecognition", "mlbench")
letters <- labelled(letters[letters$lettr %in% c("O", "Q"), ], "lettr")
set.seed(2)
clouds <- two_normals(rows)
clouds$x <- clouds$x + 4 * (clouds$y == "second") # separable
board <- chessboard(4 * rows)
inside <- apply(abs(board$x %% 1 - 0.5) < 0.4, 1, all) # gaps of 0.2 between the fields
board <- some(board$x[inside, ], board$y[inside])

cases <- list(
  "iris, setosa / the rest" = list(x = iris[1:4], y = iris$Species == "setosa", kernel = kernel_linear()),
  "two normals, 6 apart" = list(x = clouds$x, y = clouds$y, kernel = kernel_linear()),
  "sonar" = list(x = sonar$x, y = sonar$y, kernel = kernel_rbf()),
  "letters, O / Q" = list(x = letters$x, y = letters$y, kernel = kernel_rbf()),
  "chess board with gaps" = list(x = board$x, y = board$y, kernel = kernel_rbf(sigma = 0.25)),
  "USPS, 8 / the rest" = list(x = usps$x, y = usps$y == 8, kernel = kernel_rbf()),
  "MNIST, 8 / the rest" = list(x = mnist$x, y = mnist$y == 8, kernel = kernel_rbf(gamma = 4 * 0.005))
)

run <- function(name) {
  message(name)
  case <- cases[[name]]
  fit_values <- function(solver) {
    set.seed(3)
    fit <- osvm(case$x, case$y, solver, case$kernel, scale = FALSE, threads = 1, verbose = FALSE)
    list(values = predict(fit, case$x, type = "decision"), coef = fit$coef, svs = fit$n_sv)
  }
  exact <- fit_values(solver_smo(C = C, tolerance = 1e-5))
  stopifnot(abs(exact$coef) < C)
  fits <- lapply(epochs, function(n) fit_values(solver_huller(epochs = n)))
  # Largest difference over all examples in per cent of the margin, which is at +-1.
  off <- vapply(fits, function(fit) 100 * max(abs(fit$values - exact$values)), 0)
  last <- fits[[length(fits)]]
  relative <- 100 * sqrt(sum((last$values - exact$values)^2) / sum(exact$values^2))
  data.frame(
    set = name, examples = length(case$y), kernel = case$kernel$name, t(stats::setNames(off, paste0("x", epochs))),
    "x40, relative" = relative, "SVs, x40" = last$svs, "SVs, SMO" = exact$svs, check.names = FALSE
  )
}
results <- do.call(rbind, lapply(names(cases), run))

save_results(stats::setNames(results, gsub(", ", "_", tolower(names(results)))), "huller-converges")
report(
  "huller-converges", "Convergence of the Huller to the hard-margin SVM",
  "Decision values of the training examples against SMO's: the largest difference, in per cent of the margin, by",
  "number of epochs; relative: the norm of all differences over that of SMO's values, in per cent.",
  table_md(results, digits = c(0, 0, 0, 2, 2, 2, 2, 3, 3, 0, 0), row.names = FALSE),
  sprintf("- largest difference after 40 epochs: **%.2f %%** of the margin (target: at most 1)", max(results$x40)),
  sprintf("- largest relative difference after 40 epochs: **%.2f %%**", max(results$"x40, relative"))
)
