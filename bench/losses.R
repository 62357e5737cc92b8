# Losses beside each other, on tables: held-out error and processor time, one thread, settings chosen by cross-validation
# on the same grid. make bench-losses
#
# OSVM_SETS: of each kind, 10 by default.
source("bench/common.R")
source("bench/tables/sets.R")

count <- as.integer(Sys.getenv("OSVM_SETS", "10"))
problem <- function(set) {
  set.seed(1)
  data <- tryCatch(makers[[set]](), error = function(e) NULL)
  if (is.null(data)) {
    return(NULL)
  }
  set.seed(100)
  v <- divide(data, 1500)
  v$test_x <- impute(v$test_x, v$x)
  v$x <- impute(v$x)
  v
}

# The first sets of the chosen part whose labels are of the kind, and which have enough rows to tell losses apart.
kept <- list(classes = list(), numbers = list())
for (set in names(part)[part == "chosen"]) {
  if (all(lengths(kept) >= count)) break
  v <- problem(set)
  if (is.null(v) || length(v$test_y) < 200) next
  kind <- if (is.factor(v$y)) "classes" else "numbers"
  if (kind == "classes" && nlevels(v$y) > 4) next
  if (length(kept[[kind]]) < count) kept[[kind]][[set]] <- v
}

tuned <- function(v, solver, kernel, loss) {
  set.seed(1)
  time <- seconds(t <- osvm_tune(v$x, v$y, solver, kernel, loss = loss, folds = 5, threads = 1, progress = FALSE))
  list(fit = t$fit, seconds = time)
}
quiet <- function(code) suppressMessages(suppressWarnings(code))

# ---- classes, linear ----

costs <- 10^(-3:2)
linear <- list(hinge = loss_hinge(), "squared hinge" = loss_squared_hinge(), logistic = loss_logistic())
log_odds <- function(fit, v) {
  p <- 1 / (1 + exp(-predict(fit, v$test_x, type = "decision")))
  truth <- v$test_y == levels(v$y)[2]
  if (nlevels(v$y) == 2) -mean(log(pmax(ifelse(truth, p, 1 - p), 1e-15))) else NA
}
of_classes <- function(solver, kernel, losses) {
  do.call(rbind, lapply(names(kept$classes), function(set) {
    v <- kept$classes[[set]]
    do.call(rbind, lapply(names(losses), function(name) {
      found <- quiet(tuned(v, solver, kernel, losses[[name]]))
      message(set, ", ", name)
      data.frame(
        set, rows = length(v$y), loss = name, error = error(quiet(predict(found$fit, v$test_x)), v$test_y),
        "log-loss" = log_odds(found$fit, v), "support vectors" = found$fit$n_sv, seconds = found$seconds,
        check.names = FALSE
      )
    }))
  }))
}
by_linear <- of_classes(solver_dcd(C = costs), kernel_linear(), linear)
by_kernel <- of_classes(
  solver_smo(C = 10^(-1:2)), kernel_rbf(gamma = c(0.02, 0.1, 0.5)), linear[c("hinge", "squared hinge")]
)

# ---- numbers, Gaussian; with clean labels and with labels of which one in twenty is far off ----

far_off <- function(v) {
  set.seed(3)
  wrong <- sample.int(length(v$y), length(v$y) %/% 20)
  v$y[wrong] <- v$y[wrong] + 10 * stats::sd(v$y) * stats::rt(length(wrong), 3)
  v
}
gaussian <- list(
  epsilon = loss_epsilon(c(0.02, 0.1, 0.3)), squared = loss_squared(), "squared, with a tube" = loss_squared(c(0.02, 0.1, 0.3)),
  huber = loss_huber(c(0.1, 0.3, 1))
)
by_numbers <- do.call(rbind, lapply(c("as they are", "one in twenty far off"), function(labels) {
  do.call(rbind, lapply(names(kept$numbers), function(set) {
    v <- kept$numbers[[set]]
    noisy <- if (labels == "as they are") v else far_off(v)
    do.call(rbind, lapply(names(gaussian), function(name) {
      found <- quiet(tuned(noisy, solver_smo(C = 10^(-1:2)), kernel_rbf(gamma = c(0.02, 0.1, 0.5)), gaussian[[name]]))
      message(set, ", ", labels, ", ", name)
      left <- v$test_y - quiet(predict(found$fit, v$test_x))
      data.frame(
        labels, set, rows = length(v$y), loss = name, rmse = sqrt(mean(left^2)) / stats::sd(v$test_y),
        mae = mean(abs(left)) / stats::sd(v$test_y), "support vectors" = found$fit$n_sv, seconds = found$seconds,
        check.names = FALSE
      )
    }))
  }))
}))

# ---- report ----

# A column per loss, beside the ratio of the sums of seconds to those of the first loss.
wide <- function(table, value, digits) {
  losses <- unique(table$loss)
  out <- data.frame(set = unique(table$set))
  for (loss in losses) out[[loss]] <- round(table[[value]][table$loss == loss], digits)
  mean <- data.frame(set = "mean", as.list(round(colMeans(out[-1]), digits)), check.names = FALSE)
  names(mean) <- names(out)
  rbind(out, mean)
}
times <- function(table) {
  sums <- tapply(table$seconds, factor(table$loss, unique(table$loss)), sum)
  vectors <- tapply(table$"support vectors", factor(table$loss, unique(table$loss)), mean)
  data.frame(
    loss = names(sums), "seconds, all sets" = round(sums, 1), "of the first" = round(sums / sums[1], 2),
    "support vectors, mean" = round(vectors), check.names = FALSE, row.names = NULL
  )
}
two <- by_linear[!is.na(by_linear$"log-loss"), ]
clean <- by_numbers[by_numbers$labels == "as they are", ]
noisy <- by_numbers[by_numbers$labels != "as they are", ]
report(
  "losses", "Losses beside each other",
  "Tables of `bench/tables` (the part on which defaults are chosen), at most 1,500 rows to learn, the others held out. Cost,",
  "width, `epsilon` and `delta` are chosen by 5-fold cross-validation on the same grid, by the metric of the loss.", "",
  "## Classes, linear: `solver_dcd()`, error in per cent", table_md(wide(by_linear, "error", 1)),
  "Log-loss of two classes, with decision values as log-odds:", table_md(wide(two, "log-loss", 3)),
  "Time of the tuning:", table_md(times(by_linear)[1:3]),
  "## Classes, Gaussian kernel: `solver_smo()`, error in per cent", table_md(wide(by_kernel, "error", 1)), table_md(times(by_kernel)),
  "## Numbers, Gaussian kernel: `solver_smo()`, root mean square error in standard deviations of the labels",
  table_md(wide(clean, "rmse", 3)), "Mean absolute error:", table_md(wide(clean, "mae", 3)), table_md(times(clean)),
  "## The same, where one in twenty of the labels to learn is far off (ten standard deviations times t with 3 degrees of freedom)",
  table_md(wide(noisy, "rmse", 3)), "Mean absolute error:", table_md(wide(noisy, "mae", 3)), table_md(times(noisy))
)
