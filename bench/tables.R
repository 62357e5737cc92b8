# osvm(x, y) without a choice beside random forests and gradient boosting, on tables: test error and processor time, one
# thread, everybody's defaults, at most 3,000 rows to learn. OSVM_PART: "chosen" (the default), on which defaults are
# chosen, or "held out", which is for a last check alone. make bench-tables
#
# OSVM_LEARNERS: names, as in "ours,forest"; OSVM_SETS: names; OSVM_DIVISIONS: of each set. OSVM_KEPT: a file with what
# was done before, so that a long run can be had in parts. OSVM_TUNED: lightgbm is also tuned, for an hour or two. Without
# the first two a report is written.
source("bench/common.R")
source("bench/tables/sets.R")
source("bench/tables/learners.R")

learners <- list(
  ours = ours(), forest = forest, boosting = NULL, lightgbm = lightgbm_default, e1071 = e1071_svm,
  ksvm = kernlab_svm, lasso = lasso, lightgbm_tuned = lightgbm_tuned
)
of <- Sys.getenv("OSVM_PART", "chosen")
divisions <- as.integer(Sys.getenv("OSVM_DIVISIONS", "1"))
named <- function(variable, all) {
  wanted <- strsplit(Sys.getenv(variable), ",")[[1]]
  if (length(wanted) == 0) all else intersect(all, wanted)
}
sets <- named("OSVM_SETS", names(part)[part == of])
wanted <- named("OSVM_LEARNERS", setdiff(names(learners), if (Sys.getenv("OSVM_TUNED") == "") "lightgbm_tuned"))
if (!nzchar(system.file(package = "lightgbm"))) wanted <- grep("lightgbm", wanted, invert = TRUE, value = TRUE)
python <- Sys.getenv("OSVM_PYTHON", "/usr/bin/python3")
if (system2(python, c("-c", shQuote("import sklearn")), stdout = FALSE, stderr = FALSE) != 0) {
  wanted <- setdiff(wanted, "boosting")
}

problem <- function(set, division) {
  set.seed(division)
  data <- tryCatch(makers[[set]](), error = function(e) NULL)
  if (is.null(data)) {
    message("Left out: ", set)
    return(NULL)
  }
  set.seed(100 * division)
  divide(data, 3000)
}
measure <- function(learner, v) {
  set.seed(1)
  predicted <- NULL
  time <- seconds(predicted <- tryCatch(learners[[learner]](v), error = function(e) {
    message(learner, ": ", conditionMessage(e))
    NULL
  }))
  c(error = if (is.null(predicted)) NA else error_of(predicted, v$test_y), seconds = time)
}

kept <- Sys.getenv("OSVM_KEPT")
done <- if (file.exists(kept)) readRDS(kept) else list()
keep <- function(set, division, learner, result) {
  done[[paste(set, division, learner)]] <<- data.frame(set, division, learner, t(result))
  if (nzchar(kept)) saveRDS(done, kept)
}
runs <- expand.grid(set = sets, division = seq_len(divisions), stringsAsFactors = FALSE)
boosted <- list()
for (k in seq_len(nrow(runs))) {
  set <- runs$set[k]
  division <- runs$division[k]
  left <- setdiff(wanted, sub(".* ", "", grep(paste0("^", set, " ", division, " "), names(done), value = TRUE)))
  if (length(left) == 0) next
  v <- problem(set, division)
  if (is.null(v)) next
  for (learner in setdiff(left, "boosting")) keep(set, division, learner, measure(learner, v))
  if ("boosting" %in% left) boosted[[paste(set, division)]] <- v
  errors <- vapply(left, function(l) c(done[[paste(set, division, l)]]$error, NA)[1], 0)
  message(set, " ", division, ": ", paste(names(errors), round(errors, 2), collapse = " "))
}
if (length(boosted) > 0) {
  names(boosted) <- gsub(" ", "@", names(boosted))
  results <- boost(boosted, python)
  for (name in names(results)) {
    at <- strsplit(name, "@")[[1]]
    keep(at[1], as.integer(at[2]), "boosting", results[[name]])
  }
}

# ---- report ----

results <- do.call(rbind, done)
results <- results[results$set %in% sets & results$learner %in% wanted & results$division <= divisions, ]
mean_of <- function(what) {
  all <- tapply(results[[what]], results[c("set", "learner")], mean)
  all[sets[sets %in% results$set], , drop = FALSE]
}
error <- mean_of("error")
time <- mean_of("seconds")
others <- intersect(c("forest", "boosting"), colnames(error))
better <- do.call(pmin, c(as.data.frame(error[, others, drop = FALSE]), na.rm = TRUE))
ratio <- (error[, "ours"] + 0.1) / (better + 0.1) # a set may have no error at all
geometric <- function(v) exp(mean(log(v), na.rm = TRUE))
says <- function(ratio, of) {
  sprintf(
    "- %s: **%.3f**; better than both on %d of %d sets, by more than 5 %% worse on %d", of, geometric(ratio),
    sum(ratio < 1), length(ratio), sum(ratio > 1.05)
  )
}
is_number <- vapply(rownames(error), function(set) is.numeric(makers[[set]]()$y), NA)
table <- data.frame(
  set = rownames(error), y = ifelse(is_number, "number", "classes"), error, ratio, seconds = time[, "ours"],
  forest_seconds = time[, "forest"]
)
lines <- c(
  "Error on rows held out: per cent of wrong classes, or the root mean square in per cent of that of the mean. At most 3,000",
  sprintf("rows are learned; %d division(s) of each set; everybody on one thread, with the defaults.", divisions), "",
  "Geometric mean of our error over the better of forest (ranger) and boosting (scikit-learn), 0.1 added to each:", "",
  says(ratio, "all sets"), says(ratio[!is_number], "classes"), says(ratio[is_number], "numbers"), "",
  "Geometric mean of the others' errors over the better of the two, likewise:", "",
  vapply(setdiff(colnames(error), "ours"), function(l) {
    sprintf("- %s %.3f", l, geometric((error[, l] + 0.1) / (better + 0.1)))
  }, ""), "",
  paste0("Processor seconds in all: ", paste(colnames(time), round(colSums(time, na.rm = TRUE)), collapse = ", "), "."),
  table_md(table[order(table$ratio), ], digits = c(0, 0, rep(2, ncol(error)), 3, 2, 2), row.names = FALSE)
)
if (nzchar(Sys.getenv("OSVM_SETS")) || nzchar(Sys.getenv("OSVM_LEARNERS"))) {
  writeLines(lines)
} else {
  name <- paste0("tables-", sub(" ", "-", of))
  save_results(table[names(table) != "ratio"], name, provenance("tables"))
  report(name, sprintf("Tables: osvm(x, y) beside forests and boosting; sets %s", of), lines)
}
