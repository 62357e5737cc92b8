# osvm(x, y, effort = 10) beside a tuned lightgbm (bench/tables/learners.R) on the held-out tables of bench/tables.R: test
# error and processor time on one thread. make bench-tables-tuned
#
# Tuning takes an hour or two. Sets come in random order, so that a part of them is a sample; OSVM_KEPT is a file with what
# was done before, and OSVM_SECONDS ends a run.
source("bench/common.R")
source("bench/tables/sets.R")
source("bench/tables/learners.R")

kept <- Sys.getenv("OSVM_KEPT")
limit <- as.numeric(Sys.getenv("OSVM_SECONDS", "Inf"))
done <- if (file.exists(kept)) readRDS(kept) else list()
set.seed(5)
sets <- sample(names(part)[part == "held out"])
for (set in setdiff(sets, names(done))) {
  if (proc.time()[["elapsed"]] > limit) break
  set.seed(1)
  data <- tryCatch(makers[[set]](), error = function(e) NULL)
  if (is.null(data)) next
  set.seed(100)
  v <- divide(data, 3000)
  measure <- function(learner) {
    set.seed(1)
    predicted <- NULL
    time <- seconds(predicted <- learner(v))
    c(error_of(predicted, v$test_y), time)
  }
  tuned <- measure(lightgbm_tuned)
  long <- measure(ours(effort = 10))
  done[[set]] <- data.frame(
    set, y = is.factor(v$y), tuned = tuned[1], ours = long[1], t_tuned = tuned[2], t_ours = long[2]
  )
  if (nzchar(kept)) saveRDS(done, kept)
  message(set, ": lightgbm ", round(tuned[1], 2), ", ours ", round(long[1], 2))
}

results <- do.call(rbind, done)
results$ratio <- (results$ours + 0.1) / (results$tuned + 0.1) # a set may have no error at all
geometric <- function(v) exp(mean(log(v)))
table <- with(results, data.frame(
  set, y = ifelse(y, "classes", "number"), tuned, ours, ratio, tuned_seconds = t_tuned, seconds = t_ours
))
table <- table[order(table$ratio), ]
save_results(table, "tables-tuned")
report(
  "tables-tuned", "Tables: osvm(x, y, effort = 10) beside lightgbm, tuned",
  sprintf("%d held-out sets, at most 3,000 rows learned, one thread. lightgbm is tuned by five folds over 30", nrow(table)),
  "settings. Errors are per cent of wrong classes, or the root mean square in per cent of that of the mean.", "",
  sprintf(
    "Geometric mean of our error over that of lightgbm, 0.1 added to each: **%.3f** (numbers %.3f, classes %.3f); lower on %d sets.",
    geometric(results$ratio), geometric(results$ratio[!results$y]), geometric(results$ratio[results$y]), sum(results$ratio < 1)
  ),
  sprintf("Processor seconds in all: ours %.0f, lightgbm %.0f.", sum(results$t_ours), sum(results$t_tuned)), "",
  table_md(table, digits = c(0, 0, 2, 2, 3, 1, 2), row.names = FALSE)
)
