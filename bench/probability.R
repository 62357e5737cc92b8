# Log-loss of probabilities on test data, beside e1071 and kernlab at equal C and gamma, with the AUC by probability and
# the error of the classes that follow from them. OSVM_SPLITS: random splits of each set; OSVM_SETS: some of the sets, as
# in "dna,waveform". With either the report is probability-splits.md. OSVM_BEFORE: a library with an earlier version,
# whose numbers on the same splits are added.
source("bench/common.R")
splits <- as.integer(Sys.getenv("OSVM_SPLITS", "1"))
only <- strsplit(Sys.getenv("OSVM_SETS"), ",")[[1]]
earlier <- Sys.getenv("OSVM_BEFORE")
before <- if (nzchar(earlier)) callr::r_session$new(callr::r_session_options(libpath = c(earlier, .libPaths())))

# A sample of a set that is not in the repository; NULL without it.
optional <- function(name, most = 5000) {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  if (file.exists(path)) {
    d <- readRDS(path)
    rows <- sample(length(d$y), min(most, length(d$y)))
    x <- d$x[rows, ]
    list(x = array(as.numeric(x), dim(x)), y = d$y[rows])
  }
}
set.seed(1)
# Maps and penalty were chosen by the log-loss on other splits of these.
chosen_on <- Filter(Negate(is.null), list(
  letters = labelled(packaged("LetterRecognition", "mlbench"), "lettr"),
  satellite = labelled(packaged("Satellite", "mlbench"), "classes"),
  digits = optional("usps"),
  vowel = labelled(packaged("Vowel", "mlbench"), "Class"),
  vehicle = labelled(packaged("Vehicle", "mlbench"), "Class"),
  glass = labelled(packaged("Glass", "mlbench"), "Type"),
  spam = labelled(packaged("spam", "kernlab"), "type"),
  pima = labelled(packaged("PimaIndiansDiabetes", "mlbench"), "diabetes"),
  sonar = labelled(packaged("Sonar", "mlbench"), "Class"),
  "noisy chessboard" = chessboard(3000, noise = 0.1),
  "two normals" = two_normals(3000)
))
# No part in any choice.
others <- Filter(Negate(is.null), list(
  mnist = optional("mnist"),
  dna = optional("dna"),
  waveform = with(mlbench::mlbench.waveform(3000), list(x = x, y = classes)),
  simplex = with(mlbench::mlbench.simplex(3000, d = 7, sd = 0.4), list(x = x, y = classes)),
  covertype = optional("covertype"),
  rare = with(mlbench::mlbench.twonorm(3000, d = 8), {
    kept <- classes == 1 | stats::runif(3000) < 0.06
    list(x = x[kept, ] + stats::rnorm(8 * sum(kept)), y = classes[kept])
  }),
  ionosphere = labelled(packaged("Ionosphere", "mlbench"), "Class"),
  cancer = labelled(packaged("BreastCancer", "mlbench"), "Class")
))
sets <- c(others, chosen_on)
if (length(only) > 0) sets <- sets[only]

# At most `most` training rows, and 60 % of the set; as many others to test on, at most.
most <- 1000L
split_set <- function(d) {
  d$y <- factor(d$y)
  n <- length(d$y)
  rows <- sample(n)
  size <- min(most, floor(0.6 * n))
  rest <- rows[(size + 1):min(n, size + most)]
  train <- rows[seq_len(size)]
  d$x <- d$x[, apply(d$x[train, ], 2, stats::sd) > 0]
  list(
    train = list(x = d$x[train, ], y = d$y[train]),
    test = list(x = d$x[rest, ], y = d$y[rest])
  )
}
log_loss <- function(p, y) -mean(log(pmax(p[cbind(seq_along(y), match(y, colnames(p)))], 1e-15)))

# Two classes: of the second; more: the mean of all, each against the rest.
auc <- function(score, y) {
  of <- function(k) mean(osvm_roc(score[, k], y == levels(y)[k])$summary)
  mean(vapply(if (nlevels(y) == 2) 2 else which(table(y) > 0), of, 0))
}

# Self-contained: the earlier version runs it in a process of its own.
ours <- function(train, test, C, gamma, multiclass) {
  library(onlinesvm)
  set.seed(1)
  time <- system.time(fit <- osvm(
    train$x, train$y, solver_smo(C = C), kernel_rbf(gamma = gamma), multiclass = multiclass, probability = TRUE,
    threads = 1, verbose = FALSE, trace = FALSE
  ))
  list(
    seconds = sum(time[c("user.self", "sys.self")]), p = predict(fit, test$x, type = "prob"),
    class = predict(fit, test$x), decision = predict(fit, test$x, type = "decision")
  )
}
measure <- function(run, test) {
  c(loss = log_loss(run$p, test$y), auc = auc(run$p, test$y), error = error(run$class, test$y))
}

# Its coupling of 26 classes takes minutes; it runs on the first split only.
kernlab_loss <- function(train, test, C, gamma) {
  fit <- kernlab::ksvm(train$x, train$y, C = C, kpar = list(sigma = gamma), prob.model = TRUE)
  log_loss(kernlab::predict(fit, test$x, type = "probabilities"), test$y)
}

one_case <- function(set, C, seed) {
  set.seed(seed)
  d <- split_set(sets[[set]])
  train <- d$train
  test <- d$test
  gamma <- 1 / ncol(train$x)
  theirs <- list(seconds = seconds(e <- e1071::svm(train$x, train$y, cost = C, gamma = gamma, probability = TRUE)))
  theirs$loss <- log_loss(attr(predict(e, test$x, probability = TRUE), "probabilities"), test$y)
  ksvm <- if (nlevels(train$y) > 12 || seed > 11) NA_real_ else kernlab_loss(train, test, C, gamma)
  two <- nlevels(train$y) == 2
  rows <- lapply(if (two) "ovr" else c("ovo", "ovr"), function(multiclass) {
    run <- ours(train, test, C, gamma, multiclass)
    stopifnot(identical(as.character(run$class), colnames(run$p)[max.col(run$p, "first")]))
    now <- measure(run, test)
    # AUC is compared where two classes make that by decision value the aim.
    by_decision <- if (two) auc(cbind(0, run$decision), test$y) else NA_real_
    old <- if (is.null(before)) NULL else measure(before$run(ours, list(train, test, C, gamma, multiclass)), test)
    data.frame(
      set = set, classes = nlevels(train$y), scheme = if (two) "two" else multiclass, C = C, seed = seed,
      "log-loss" = now[["loss"]], e1071 = theirs$loss, kernlab = ksvm, "to e1071" = now[["loss"]] / theirs$loss,
      "to kernlab" = now[["loss"]] / ksvm, speed = theirs$seconds / run$seconds, AUC = now[["auc"]],
      "AUC by decision" = by_decision, error = now[["error"]], "error e1071" = error(predict(e, test$x), test$y),
      as.list(stats::setNames(old, c("log-loss before", "AUC before", "error before")[seq_along(old)])),
      check.names = FALSE
    )
  })
  rows <- do.call(rbind, rows)
  message(set, ", C = ", C, ": ", paste(rows$scheme, round(rows$`to e1071`, 3), collapse = ", "))
  rows
}

cases <- expand.grid(seed = 10 + seq_len(splits), C = c(1, 10), set = names(sets), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(one_case, cases$set, cases$C, cases$seed))
by <- results[c("scheme", "C", "set", "classes")]
means <- stats::aggregate(results[-(1:5)], by, mean, na.rm = TRUE)
# Of sums over the splits, not of single ones; its standard error is that of the mean logarithm.
means$`to e1071` <- means$`log-loss` / means$e1071
means$se <- stats::aggregate(log(results$`to e1071`), by, function(r) stats::sd(r) / sqrt(length(r)))$x
means$splits <- stats::aggregate(results$seed, by, length)$x
means <- means[order(match(means$set, names(sets)), means$scheme), ]
means <- means[c("set", "classes", "scheme", "C", "splits", names(results)[6:9], "se", names(results)[-(1:9)])]

summarise <- function(names) {
  rows <- means[means$set %in% names, ]
  vapply(split(rows, factor(rows$scheme, c("two", "ovo", "ovr")), drop = TRUE), function(r) {
    sprintf(
      paste(
        "- %s: %.3f times e1071's log-loss in the mean (%.2f to %.2f), above 1.05 in %d of %d, by two standard errors",
        "in %d%s"
      ),
      c(two = "two classes", ovo = "one-vs-one", ovr = "one-vs-rest")[[r$scheme[1]]], mean(r$`to e1071`),
      min(r$`to e1071`), max(r$`to e1071`), sum(r$`to e1071` > 1.05), nrow(r),
      sum(r$`to e1071` * exp(-2 * r$se) > 1.05, na.rm = TRUE), changes(r)
    )
  }, "")
}
changes <- function(r) {
  if (is.null(before)) {
    return("")
  }
  sprintf(
    "; before and now: log-loss %.4f and %.4f, AUC %.4f and %.4f, error %.2f and %.2f %%", mean(r$`log-loss before`),
    mean(r$`log-loss`), mean(r$`AUC before`), mean(r$AUC), mean(r$`error before`), mean(r$error)
  )
}
section <- function(title, names) {
  if (any(names %in% means$set)) c(paste("##", title), "", summarise(names), table_md(means[means$set %in% names, ], digits = 3, row.names = FALSE))
}
report(
  if (splits > 1 || length(only) > 0) "probability-splits" else "probability", "Log-loss of probabilities on test data",
  sprintf("SMO and an RBF kernel, gamma = 1 / features, scaled data, at most %d training rows; e1071 and", most),
  "kernlab (one-vs-one, both) with the same C and gamma, means over splits. `se`: standard error of the mean logarithm",
  "of the ratio to e1071, paired by split; kernlab on the first split. `AUC`: by probability. `error`: of the most",
  "probable class. `before`: the version whose probabilities were changed to agree with the class by decision values,",
  "and its classes. `speed`: processor time of e1071's fit over ours, both with probabilities. Target: at",
  "most 1.05 times e1071's log-loss. The kind of map and its penalty were chosen among about ten by the test",
  "log-loss on the sets of the second table, on other splits; those of the first had no part in it.", "",
  section("Sets without a part in the choice", names(others)), section("Sets of the choice", names(chosen_on))
)
