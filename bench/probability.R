# Log-loss of probabilities on test data, beside e1071 and kernlab at equal C and gamma, and the cost of agreement with
# the class.
source("bench/common.R")

digits <- function() {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), "usps.rds")
  if (file.exists(path)) readRDS(path)[c("x", "y")]
}
set.seed(1)
sets <- Filter(Negate(is.null), list(
  letters = labelled(packaged("LetterRecognition", "mlbench"), "lettr"),
  satellite = labelled(packaged("Satellite", "mlbench"), "classes"),
  digits = digits(),
  vowel = labelled(packaged("Vowel", "mlbench"), "Class"),
  vehicle = labelled(packaged("Vehicle", "mlbench"), "Class"),
  glass = labelled(packaged("Glass", "mlbench"), "Type"),
  spam = labelled(packaged("spam", "kernlab"), "type"),
  pima = labelled(packaged("PimaIndiansDiabetes", "mlbench"), "diabetes"),
  sonar = labelled(packaged("Sonar", "mlbench"), "Class"),
  "noisy chessboard" = chessboard(3000, noise = 0.1),
  "two normals" = two_normals(3000)
))

# At most `most` training rows, and 60 % of the set; at most twice as many others to test on.
most <- 1000L
split_set <- function(d) {
  d$y <- factor(d$y)
  n <- length(d$y)
  rows <- sample(n)
  size <- min(most, floor(0.6 * n))
  rest <- rows[(size + 1):min(n, size + 2 * most)]
  train <- rows[seq_len(size)]
  d$x <- d$x[, apply(d$x[train, ], 2, stats::sd) > 0]
  list(
    train = list(x = d$x[train, ], y = d$y[train]),
    test = list(x = d$x[rest, ], y = d$y[rest])
  )
}
log_loss <- function(p, y) -mean(log(pmax(p[cbind(seq_along(y), match(y, colnames(p)))], 1e-15)))

ours <- function(train, C, gamma, multiclass) {
  osvm(
    train$x, train$y, solver_smo(C = C), kernel_rbf(gamma = gamma), multiclass = multiclass, probability = TRUE,
    threads = 1, verbose = FALSE, trace = FALSE
  )
}

one_case <- function(set, C, seed) {
  set.seed(seed)
  d <- split_set(sets[[set]])
  train <- d$train
  test <- d$test
  gamma <- 1 / ncol(train$x)
  theirs <- list(seconds = seconds(e <- e1071::svm(train$x, train$y, cost = C, gamma = gamma, probability = TRUE)))
  theirs$loss <- log_loss(attr(predict(e, test$x, probability = TRUE), "probabilities"), test$y)
  k <- kernlab::ksvm(train$x, train$y, C = C, kpar = list(sigma = gamma), prob.model = TRUE)
  ksvm <- log_loss(kernlab::predict(k, test$x, type = "probabilities"), test$y)
  two <- nlevels(train$y) == 2
  rows <- lapply(if (two) "ovr" else c("ovo", "ovr"), function(multiclass) {
    cpu <- seconds(fit <- ours(train, C, gamma, multiclass))
    p <- predict(fit, test$x, type = "prob")
    f <- onlinesvm:::decision_values(fit, test$x, 1)
    free <- onlinesvm:::map_outputs(fit, f, fit$probability)
    colnames(free) <- fit$levels
    stopifnot(identical(as.character(predict(fit, test$x)), fit$levels[max.col(p, "first")]))
    loss <- log_loss(p, test$y)
    data.frame(
      set = set, classes = nlevels(train$y), scheme = if (two) "two" else multiclass, C = C, seed = seed,
      "log-loss" = loss, e1071 = theirs$loss, kernlab = ksvm, "to e1071" = loss / theirs$loss,
      "to kernlab" = loss / ksvm, agreement = loss / log_loss(free, test$y), speed = theirs$seconds / cpu,
      error = error(predict(fit, test$x), test$y), "error e1071" = error(predict(e, test$x), test$y),
      check.names = FALSE
    )
  })
  message(set, ", C = ", C, ", seed ", seed)
  do.call(rbind, rows)
}

cases <- expand.grid(seed = 1, C = c(1, 10), set = names(sets), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(one_case, cases$set, cases$C, cases$seed))
mean_over_seeds <- stats::aggregate(
  results[-(1:5)], results[c("scheme", "C", "set", "classes")], mean
)
mean_over_seeds <- mean_over_seeds[order(match(mean_over_seeds$set, names(sets)), mean_over_seeds$scheme), ]

summaries <- vapply(c("two", "ovo", "ovr"), function(scheme) {
  r <- mean_over_seeds[mean_over_seeds$scheme == scheme, ]
  sprintf(
    "- %s: %.3f times e1071's log-loss in the mean (%.2f to %.2f), %.3f times kernlab's; agreement multiplies it by %.3f",
    c(two = "two classes", ovo = "one-vs-one", ovr = "one-vs-rest")[[scheme]], mean(r$`to e1071`), min(r$`to e1071`),
    max(r$`to e1071`), mean(r$`to kernlab`), mean(r$agreement)
  )
}, "")
report(
  "probability", "Log-loss of probabilities on test data",
  sprintf("SMO and an RBF kernel, gamma = 1 / features, scaled data, at most %d training rows; e1071 and kernlab", most),
  "(one-vs-one, both) with the same C and gamma. `agreement`: log-loss over that without agreement",
  "with the class. `speed`: processor time of e1071's fit over ours, both with probabilities. Target: at most 1.05 times",
  "e1071's log-loss on letters, satellite and digits.", "", summaries,
  table_md(mean_over_seeds[c("set", "classes", "scheme", "C", names(results)[-(1:5)])], digits = 3, row.names = FALSE)
)
