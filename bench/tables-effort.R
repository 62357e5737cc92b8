# What a longer search gains: osvm(x, y, effort = ) on tables, test error and processor time on one thread. The sets are
# those of bench/tables.R on which the search was chosen; held-out ones are for comparisons with others alone.
# make bench-tables-effort
source("bench/common.R")
source("bench/tables/sets.R")
source("bench/tables/learners.R")

efforts <- c(0, 0.25, 1, 4)
sets <- names(part)[part == "chosen"]

compare <- function(set) {
  set.seed(1)
  data <- tryCatch(makers[[set]](), error = function(e) NULL)
  if (is.null(data)) {
    message("Left out: ", set)
    return(NULL)
  }
  set.seed(100)
  v <- divide(data, 3000)
  runs <- vapply(efforts, function(effort) {
    set.seed(1)
    time <- seconds(predicted <- ours(effort = effort)(v))
    c(error = error_of(predicted, v$test_y), seconds = time)
  }, numeric(2))
  message(set, ": ", paste(round(runs["error", ], 2), collapse = " "))
  data.frame(set, effort = efforts, t(runs))
}
runs <- do.call(rbind, lapply(sets, compare))

usual <- runs[runs$effort == 1, ]
runs$ratio <- (runs$error + 0.1) / (usual$error[match(runs$set, usual$set)] + 0.1) # a set may have no error at all
table <- do.call(rbind, lapply(split(runs, runs$effort), function(d) {
  data.frame(
    effort = d$effort[1], sets = nrow(d), ratio = exp(mean(log(d$ratio))), lower = sum(d$ratio < 1),
    higher = sum(d$ratio > 1), seconds = stats::median(d$seconds), most = max(d$seconds), total = sum(d$seconds)
  )
}))
save_results(table, "tables-effort")
report(
  "tables-effort", "Tables: how long osvm(x, y) looks",
  "`ratio`: geometric mean of the test error over that of `effort = 1`, 0.1 per cent added to each; `lower`, `higher`: on how",
  "many sets it is so; processor seconds of fit and predictions, their median, most and total. At most 3,000 rows are learned.",
  table_md(table, digits = c(2, 0, 3, 0, 0, 2, 1, 0), row.names = FALSE)
)
