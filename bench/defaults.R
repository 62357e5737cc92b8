# osvm(x, y) without a choice beside e1071::svm(x, y) and kernlab::ksvm(x, y): test error and time.
#
# The rules of R/defaults.R (settings, sample size, threshold; one-vs-one) were chosen on the sets at odd places of the
# alphabetical list of bench/defaults/sets.R, by the same divisions as here; those at even places were not used.
source("bench/common.R")
source("bench/defaults/sets.R")
suppressMessages(library(Matrix)) # methods for sparse matrices in e1071

most <- as.integer(Sys.getenv("OSVM_MOST", "1000"))
repeats <- as.integer(Sys.getenv("OSVM_REPEATS", "3"))
only <- Sys.getenv("OSVM_SETS") # "chosen", "held out" or both

fits <- list(
  ours = function(v) osvm(v$x, v$y, threads = 1, verbose = FALSE),
  e1071 = function(v) suppressWarnings(e1071::svm(v$x, v$y)),
  ksvm = function(v) suppressWarnings(kernlab::ksvm(as.matrix(v$x), v$y))
)
measure <- function(name, v) {
  time <- seconds(fit <- tryCatch(fits[[name]](v), error = function(e) NULL))
  if (is.null(fit)) {
    return(c(error = NA, seconds = NA))
  }
  test_x <- if (name == "ksvm") as.matrix(v$test_x) else v$test_x
  c(error = error(if (name == "ksvm") kernlab::predict(fit, test_x) else predict(fit, test_x), v$test_y), seconds = time)
}
compare <- function(set) {
  set.seed(1)
  data <- tryCatch(makers[[set]](), error = function(e) NULL)
  if (is.null(data)) {
    message("Left out: ", set)
    return(NULL)
  }
  runs <- lapply(seq_len(repeats), function(r) {
    set.seed(100 * r)
    v <- divide(data, most)
    size <<- c(rows = nrow(v$x), features = ncol(v$x), classes = nlevels(v$y))
    unlist(lapply(stats::setNames(names(fits), names(fits)), measure, v))
  })
  mean <- colMeans(do.call(rbind, runs))
  message(set, ": ", paste(round(mean, 2), collapse = " "))
  data.frame(set, t(size), t(mean))
}

sets <- sort(names(makers), method = "radix")
part <- ifelse(seq_along(sets) %% 2 == 1, "chosen", "held out")
if (nzchar(only)) sets <- sets[part == only]
results <- do.call(rbind, lapply(sets, compare))
results$part <- part[match(results$set, sort(names(makers), method = "radix"))]
results$difference <- results$ours.error - pmin(results$e1071.error, results$ksvm.error, na.rm = TRUE)

show <- function(of) {
  d <- results[results$part == of, ]
  d <- d[order(-d$difference), ]
  times <- exp(mean(log(d$e1071.seconds / d$ours.seconds)))
  c(
    sprintf("## Sets %s", if (of == "chosen") "used to choose the rules" else "held out"), "",
    sprintf(
      "Mean error: %.2f %% without a choice, e1071 %.2f %%, ksvm %.2f %%. %d of %d sets are more than half a point worse than the better of the two. Geometric mean of e1071's time over ours: %.1f.",
      mean(d$ours.error), mean(d$e1071.error), mean(d$ksvm.error, na.rm = TRUE), sum(d$difference > 0.5), nrow(d), times
    ),
    table_md(data.frame(
      set = d$set, rows = d$rows, features = d$features, classes = d$classes, ours = d$ours.error,
      e1071 = d$e1071.error, ksvm = d$ksvm.error, difference = d$difference,
      "e1071 time / ours" = d$e1071.seconds / d$ours.seconds, check.names = FALSE
    ), digits = c(0, 0, 0, 0, 2, 2, 2, 2, 1), row.names = FALSE)
  )
}
name <- paste0("defaults", if (most != 1000) paste0("-", most))
save_results(data.frame(
  results[c("set", "part", "rows", "features", "classes")], ours = results$ours.error, e1071 = results$e1071.error,
  ksvm = results$ksvm.error, ratio = results$e1071.seconds / results$ours.seconds
), name, provenance("defaults"))
report(
  name, sprintf("osvm(x, y) without a choice: test error (%%), at most %s training rows", format(most, big.mark = ",")),
  sprintf("Means over %d random divisions; difference: ours less the better of the two others.", repeats), "",
  if (!nzchar(only) || only == "held out") show("held out"), if (!nzchar(only) || only == "chosen") show("chosen")
)
