start <- prequential_start
add <- prequential_add
values <- prequential_values

# All metrics by definition, example by example.
reference_values <- function(truth, predicted, probability, levels, window, warm_up) {
  n <- length(truth)
  no_change <- c(levels[1], truth[-n])
  majority <- vapply(seq_len(n), function(i) {
    levels[which.max(tabulate(factor(truth[seq_len(i - 1)], levels), length(levels)))]
  }, "")
  p_model <- vapply(seq_len(n), function(i) probability[i, truth[i]], 0)
  p_majority <- vapply(seq_len(n), function(i) {
    (sum(truth[seq_len(i - 1)] == truth[i]) + 1) / (i - 1 + length(levels))
  }, 0)
  p_repeat <- vapply(seq_len(n), function(i) {
    if (i == 1) {
      return(1 / length(levels))
    }
    same <- sum(truth[seq_len(i - 1)][-1] == truth[seq_len(i - 2)])
    share <- (same + 1) / (i - 2 + 2)
    if (truth[i] == truth[i - 1]) share else (1 - share) / (length(levels) - 1)
  }, 0)
  of <- function(rows, guess, p) {
    t <- factor(truth[rows], levels)
    g <- factor(guess[rows], levels)
    table <- table(t, g)
    agreed <- sum(diag(table)) / sum(table)
    chance <- sum(rowSums(table) * colSums(table)) / sum(table)^2
    recall <- diag(table) / rowSums(table)
    precision <- diag(table) / colSums(table)
    one_hot <- function(class) outer(as.integer(class), seq_along(levels), "==") + 0
    mcc <- sum(cov(one_hot(t), one_hot(g)) * diag(length(levels))) /
      sqrt(sum(diag(cov(one_hot(t)))) * sum(diag(cov(one_hot(g)))))
    c(
      accuracy = agreed, error = 1 - agreed, kappa = (agreed - chance) / (1 - chance),
      balanced_accuracy = mean(recall, na.rm = TRUE), recall = mean(recall, na.rm = TRUE),
      precision = mean(precision, na.rm = TRUE),
      f1 = mean((2 * diag(table) / (rowSums(table) + colSums(table))), na.rm = TRUE), mcc = mcc,
      logloss = -mean(log(p[rows]))
    )
  }
  counted <- which(seq_len(n) > warm_up)
  recent <- utils::tail(counted, window)
  cbind(
    of(counted, predicted, p_model), of(recent, predicted, p_model), of(counted, no_change, p_repeat),
    of(recent, no_change, p_repeat), of(counted, majority, p_majority), of(recent, majority, p_majority)
  )
}

random_stream <- function(n, levels = c("a", "b", "c"), seed = 1) {
  set.seed(seed)
  truth <- sample(levels, n, TRUE, prob = seq_along(levels))
  probability <- matrix(runif(n * length(levels)), n, dimnames = list(NULL, levels))
  probability <- probability / rowSums(probability)
  predicted <- ifelse(runif(n) < 0.6, truth, sample(levels, n, TRUE))
  list(truth = truth, predicted = predicted, probability = probability)
}

test_that("metrics and baselines are their definitions, whatever the chunks", {
  levels <- c("a", "b", "c")
  stream <- random_stream(900)
  metrics <- c("accuracy", "error", "kappa", "balanced_accuracy", "recall", "precision", "f1", "mcc", "logloss")
  for (warm_up in c(0, 120)) {
    expected <- reference_values(stream$truth, stream$predicted, stream$probability, levels, 250, warm_up)
    for (chunk in c(1, 7, 100, 900)) {
      state <- start(metrics, window = 250, warm_up = warm_up)
      for (from in seq(1, 900, chunk)) {
        rows <- from:min(900, from + chunk - 1)
        p <- stream$probability[rows, , drop = FALSE]
        state <- add(state, stream$truth[rows], stream$predicted[rows], p, levels)
      }
      got <- values(unserialize(serialize(state, NULL)))
      expect_equal(unname(got), c(t(expected)))
      expect_identical(names(got)[13:18], c(
        "kappa", "kappa_window", "kappa_no_change", "kappa_no_change_window", "kappa_majority", "kappa_majority_window"
      ))
    }
  }
})

test_that("of two classes precision, recall and F1 are those of the second, and so is the Brier score", {
  set.seed(3)
  truth <- sample(c("no", "yes"), 300, TRUE, c(0.8, 0.2))
  p <- runif(300)
  probability <- cbind(no = 1 - p, yes = p)
  state <- start(c("precision", "recall", "f1", "brier"), 1000)
  for (rows in split(1:300, rep(1:6, 50))) {
    guess <- c("no", "yes")[1 + (p[rows] > 0.5)]
    state <- add(state, truth[rows], guess, probability[rows, , drop = FALSE], c("no", "yes"))
  }
  got <- values(state)
  hits <- sum(p > 0.5 & truth == "yes")
  expect_equal(got[["precision"]], hits / sum(p > 0.5))
  expect_equal(got[["recall_window"]], hits / sum(truth == "yes"))
  expect_equal(got[["f1"]], 2 / (1 / got[["precision"]] + 1 / got[["recall"]]))
  expect_equal(got[["brier"]], mean((p - (truth == "yes"))^2))
  expect_true(all(got[c("brier_no_change", "brier_majority")] < 0.4))
})

test_that("labels may be factors, numbers or flags", {
  stream <- random_stream(200)
  as_number <- function(v) c(a = 1.5, b = 2, c = 30)[v]
  of <- function(truth, predicted, levels) values(add(start("kappa", 50), truth, predicted, levels = levels))
  text <- of(stream$truth, stream$predicted, c("a", "b", "c"))
  expect_identical(of(factor(stream$truth), factor(stream$predicted, c("c", "b", "a")), c("a", "b", "c")), text)
  expect_identical(of(as_number(stream$truth), as_number(stream$predicted), c(1.5, 2, 30)), text)
  flags <- of(stream$truth == "a", stream$predicted == "a", c("FALSE", "TRUE"))
  agreed <- mean((stream$truth == "a") == (stream$predicted == "a"))
  chance <- sum(table(stream$truth == "a") * table(stream$predicted == "a")) / 200^2
  expect_equal(flags[["kappa"]], (agreed - chance) / (1 - chance))
})

test_that("unlabelled and unpredicted examples are not counted", {
  stream <- random_stream(300)
  state <- add(start("accuracy", 1000), stream$truth, stream$predicted)
  holes <- rep(c(FALSE, TRUE, FALSE), 300)
  truth <- predicted <- rep(NA_character_, 900)
  truth[holes] <- stream$truth
  predicted[holes] <- stream$predicted
  predicted[!holes] <- "a"
  expect_identical(values(add(start("accuracy", 1000), truth, predicted)), values(state))
  # Not predicted: the baselines see the label, nobody is evaluated
  first <- add(start("accuracy", 1000), stream$truth[1:100], rep(NA, 100))
  expect_true(all(is.na(values(first))))
  expect_identical(first$before$frequency, as.numeric(table(factor(stream$truth[1:100], first$levels))))
  both <- values(add(first, stream$truth[101:300], stream$predicted[101:300]))
  late <- values(add(add(start("accuracy", 1000, warm_up = 100), stream$truth[1:100], stream$predicted[1:100]),
    stream$truth[101:300], stream$predicted[101:300]))
  expect_equal(both, late)
  expect_identical(add(state, character(), character()), state)
})

test_that("classes may join, and one class has no kappa", {
  state <- add(start(c("accuracy", "kappa"), 100), rep("a", 10), rep("a", 10), levels = "a")
  expect_identical(values(state)[["kappa"]], NA_real_)
  expect_identical(values(state)[["accuracy"]], 1)
  state <- add(state, c("b", "b"), c("a", "b"), levels = c("a", "b"))
  expect_equal(values(state)[["accuracy"]], 11 / 12)
  expect_equal(values(state)[["accuracy_no_change"]], 11 / 12)
  expect_equal(values(state)[["accuracy_majority"]], 10 / 12)
})

test_that("a class that the model does not know has probability 0", {
  p <- matrix(c(0.3, 0.7), 2, 2, byrow = TRUE, dimnames = list(NULL, c("a", "b")))
  state <- add(start("logloss", 10), c("a", "z"), c("b", "b"), p, c("a", "b"))
  expect_equal(values(state)[["logloss"]], mean(-log(c(0.3, 1e-15))))
  expect_true(is.na(values(add(start("logloss", 10), "a", "a"))[["logloss"]]))
})

test_that("a user's function is over the window, and a mean over chunks", {
  stream <- random_stream(300)
  recall <- function(truth, predicted) mean(predicted[truth == "a"] == "a")
  state <- start(list("accuracy", recall = recall, hits = function(truth, predicted) mean(truth == predicted)), 100)
  for (rows in list(1:200, 201:300)) state <- add(state, stream$truth[rows], stream$predicted[rows])
  got <- values(state)
  by_chunk <- vapply(list(1:200, 201:300), function(rows) recall(stream$truth[rows], stream$predicted[rows]), 0)
  expect_equal(got[["recall"]], sum(by_chunk * c(200, 100)) / 300)
  expect_equal(got[["recall_window"]], by_chunk[2])
  for (which in c("", "_window", "_no_change", "_majority_window")) {
    expect_equal(got[[paste0("hits", which)]], got[[paste0("accuracy", which)]])
  }
  undefined <- add(start(list(recall = recall), 100), c("b", "b"), c("b", "b"))
  expect_identical(values(undefined)[["recall"]], NA_real_)
  expect_error(add(start(list(f = function(truth, predicted) "x"), 9), "a", "a"), "one number", class = "osvm_error")
  expect_error(add(start(list(f = function(truth, predicted) stop("no")), 9), "a", "a"), "failed", class = "osvm_error")
})

test_that("arguments are checked", {
  expect_snapshot(error = TRUE, start("f2"))
  expect_snapshot(error = TRUE, start(character()))
  expect_snapshot(error = TRUE, start(list(function(truth, predicted) 1)))
  expect_snapshot(error = TRUE, start(c("kappa", "kappa")))
})
