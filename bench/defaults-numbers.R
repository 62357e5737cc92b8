# osvm(x, y) for numbers, without further arguments, beside e1071::svm(x, y) and kernlab::ksvm(x, y): root mean square
# error on rows that were not learned, and time.
#
# The settings of R/outcome-numbers.R were chosen on the sets at odd places of the alphabetical list of
# bench/defaults/numbers.R, and the search of R/learn-search.R on part of the sets of bench/tables.R; those that are neither
# were not used.
source("bench/common.R")
source("bench/defaults/numbers.R")
source("bench/defaults/parts.R")

most <- as.integer(Sys.getenv("OSVM_MOST", "1000"))
repeats <- as.integer(Sys.getenv("OSVM_REPEATS", "10"))
only <- Sys.getenv("OSVM_SETS") # "chosen" or "held out": a report without a table

fits <- list(
  ours = function(v) osvm(v$x, v$y, threads = 1, verbose = FALSE),
  e1071 = function(v) suppressWarnings(e1071::svm(v$x, v$y)),
  ksvm = function(v) suppressWarnings(kernlab::ksvm(v$x, v$y))
)
measure <- function(name, v) {
  time <- seconds(fit <- tryCatch(fits[[name]](v), error = function(e) NULL))
  if (is.null(fit)) {
    return(c(rmse = NA, seconds = NA))
  }
  predicted <- if (name == "ksvm") kernlab::predict(fit, v$test_x) else suppressWarnings(predict(fit, v$test_x))
  c(rmse = sqrt(mean((predicted - v$test_y)^2)), seconds = time)
}
compare <- function(set) {
  set.seed(1)
  data <- tryCatch(suppressWarnings(makers[[set]]()), error = function(e) NULL)
  if (is.null(data)) {
    message("Left out: ", set)
    return(NULL)
  }
  runs <- lapply(seq_len(repeats), function(r) {
    set.seed(100 * r)
    v <- divide(data, most)
    c(rows = nrow(v$x), test = nrow(v$test_x), features = ncol(v$x),
      unlist(lapply(stats::setNames(names(fits), names(fits)), measure, v)))
  })
  runs <- do.call(rbind, runs)
  message(set, ": ", paste(signif(colMeans(runs), 3), collapse = " "))
  ratio <- log(runs[, "ours.rmse"] / runs[, "e1071.rmse"])
  data.frame(set, t(colMeans(runs)), se = 100 * stats::sd(ratio) / sqrt(repeats))
}

sets <- sort(names(makers), method = "radix")
part <- parts_of(sets)
if (nzchar(only)) sets <- sets[part == only]
results <- do.call(rbind, lapply(sets, compare))
results$part <- part[results$set]
better <- pmin(results$e1071.rmse, results$ksvm.rmse, na.rm = TRUE)
results$e1071 <- 100 * (results$ours.rmse / results$e1071.rmse - 1)
results$better <- 100 * (results$ours.rmse / better - 1)

show <- function(of) {
  d <- results[results$part == of, ]
  if (nrow(d) == 0) {
    return(NULL)
  }
  d <- d[order(-d$better), ]
  c(
    sprintf("## Sets %s", if (of == "chosen") "used to choose the settings" else "held out"), "",
    sprintf(
      paste(
        "Error against e1071's: %.1f %% in the geometric mean. %d of %d sets are more than 2 %% above the better of the",
        "two others. Geometric mean of e1071's time over ours: %.1f."
      ),
      100 * (exp(mean(log(d$ours.rmse / d$e1071.rmse))) - 1), sum(d$better > 2), nrow(d),
      exp(mean(log(d$e1071.seconds / d$ours.seconds)))
    ),
    table_md(data.frame(
      set = d$set, rows = d$rows, test = d$test, features = d$features, ours = signif(d$ours.rmse, 4),
      e1071 = signif(d$e1071.rmse, 4), ksvm = signif(d$ksvm.rmse, 4), "less e1071, %" = d$e1071, "se, %" = d$se,
      "less the better, %" = d$better, "e1071 time / ours" = d$e1071.seconds / d$ours.seconds, check.names = FALSE
    ), digits = c(0, 0, 0, 0, 6, 6, 6, 1, 1, 1, 1), row.names = FALSE)
  )
}
if (!nzchar(only)) save_results(data.frame(
  results[c("set", "part", "rows", "features")], ours = results$ours.rmse, e1071 = results$e1071.rmse,
  ksvm = results$ksvm.rmse, ratio = results$e1071.seconds / results$ours.seconds, se = results$se
), "defaults-numbers")
report(
  paste0("defaults-numbers", if (nzchar(only)) "-some"),
  sprintf("Numbers with the defaults: root mean square error, at most %s training rows", format(most, big.mark = ",")),
  sprintf("Means over %d random divisions; se: standard error of the difference to e1071, paired by division.", repeats),
  "", show("held out"), show("chosen")
)
