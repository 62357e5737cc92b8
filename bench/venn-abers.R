# Probabilities of two classes from the same held-out decision values: Platt's sigmoid, which the package has, and Venn-Abers
# (Vovk and Petej 2014): isotonic regressions with the new row as one and as the other class, merged as is best for log-loss.
# The sets of bench/probability.R; of more classes, the most frequent one against the rest.
source("bench/common.R")

optional <- function(name, most = 5000) {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  if (!file.exists(path)) return(NULL)
  d <- readRDS(path)
  rows <- sample(length(d$y), min(most, length(d$y)))
  x <- d$x[rows, ]
  list(x = array(as.numeric(x), dim(x)), y = d$y[rows])
}
set.seed(1)
sets <- Filter(Negate(is.null), list(
  letters = labelled(packaged("LetterRecognition", "mlbench"), "lettr"),
  satellite = labelled(packaged("Satellite", "mlbench"), "classes"), digits = optional("usps"),
  vowel = labelled(packaged("Vowel", "mlbench"), "Class"), vehicle = labelled(packaged("Vehicle", "mlbench"), "Class"),
  glass = labelled(packaged("Glass", "mlbench"), "Type"), spam = labelled(packaged("spam", "kernlab"), "type"),
  pima = labelled(packaged("PimaIndiansDiabetes", "mlbench"), "diabetes"), sonar = labelled(packaged("Sonar", "mlbench"), "Class"),
  `noisy chessboard` = chessboard(3000, noise = 0.1), `two normals` = two_normals(3000), mnist = optional("mnist"),
  dna = optional("dna"), waveform = with(mlbench::mlbench.waveform(3000), list(x = x, y = classes)),
  covertype = optional("covertype"), ionosphere = labelled(packaged("Ionosphere", "mlbench"), "Class"),
  cancer = labelled(packaged("BreastCancer", "mlbench"), "Class")
))

two_of <- function(y) {
  y <- factor(y)
  if (nlevels(y) == 2) y else factor(y == names(which.max(table(y))), labels = c("rest", "own"))
}

# f and y of held-out rows, f of new ones.
venn_abers <- function(held, y, f) {
  turn <- order(held, -y)
  held <- held[turn]
  y <- y[turn]
  with_row <- function(value, label) {
    at <- sum(held < value)
    fitted <- stats::isoreg(append(y, label, at))$yf # beside ties it does not matter which comes first
    fitted[at + 1]
  }
  vapply(f, function(value) {
    p1 <- with_row(value, 1)
    p0 <- with_row(value, 0)
    p1 / (1 - p0 + p1)
  }, 0)
}

log_loss <- function(p, y) -mean(log(pmax(ifelse(y == 1, p, 1 - p), 1e-15)))
brier <- function(p, y) mean((p - y)^2)

one <- function(d, C, seed) {
  set.seed(seed)
  y <- two_of(d$y)
  n <- length(y)
  rows <- sample(n)
  size <- min(1000, floor(0.6 * n))
  test <- rows[(size + 1):min(n, size + 500)]
  rows <- rows[seq_len(size)]
  x <- d$x[, apply(d$x[rows, ], 2, stats::sd) > 0]
  fit_with <- function(...) {
    set.seed(seed)
    osvm(x[rows, ], y[rows], solver_smo(C = C), kernel_rbf(gamma = 1 / ncol(x)), threads = 1, verbose = FALSE, ...)
  }
  platt <- predict(fit_with(probability = TRUE), x[test, ], type = "prob")[, 2]
  fit <- fit_with(conformal = TRUE) # its held-out values are those of the probabilities
  held <- fit$conformal$scores[[1]]
  isotonic <- venn_abers(ifelse(held$class == 1, held$score, -held$score), held$class - 1, predict(fit, x[test, ], type = "decision"))
  truth <- as.integer(y[test]) - 1
  c(log_loss(platt, truth), log_loss(isotonic, truth), brier(platt, truth), brier(isotonic, truth))
}

rows <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(c(1, 10), function(C) {
    all <- vapply(1:3, function(seed) one(sets[[name]], C, seed), numeric(4))
    data.frame(
      set = name, C = C, `log-loss, Platt` = mean(all[1, ]), `Venn-Abers` = mean(all[2, ]),
      ratio = exp(mean(log(all[2, ] / all[1, ]))), `Brier, Platt` = mean(all[3, ]), `Brier, Venn-Abers` = mean(all[4, ]),
      check.names = FALSE
    )
  }))
}))

report(
  "venn-abers", "Probabilities: Venn-Abers beside Platt's sigmoid, of the same held-out decision values",
  "SMO and a Gaussian kernel, gamma = 1 / features, at most 1,000 rows to learn, 500 to test on, means over 3 random splits.",
  "Two classes: of more, the most frequent one against the rest. `ratio`: log-loss of Venn-Abers over Platt's.",
  table_md(rows, digits = 3),
  sprintf("- log-loss of Venn-Abers over Platt's: **%.3f** (geometric mean), less in %d of %d", exp(mean(log(rows$ratio))),
    sum(rows$ratio < 1), nrow(rows)),
  sprintf("- Brier score: %.3f", exp(mean(log(rows[["Brier, Venn-Abers"]] / rows[["Brier, Platt"]]))))
)
