# One problem in base R, caret, tidymodels and mlr3: runs and times the code of vignettes/frameworks.Rmd.
source("bench/common.R")
options(onlinesvm.threads = 1)

needed <- list(
  "base R" = "kernlab", caret = "caret", tidymodels = c("parsnip", "workflows", "tune", "rsample", "yardstick", "dials"),
  mlr3 = c("mlr3", "mlr3tuning", "paradox")
)
chunk <- function(label) {
  lines <- readLines("vignettes/frameworks.Rmd")
  from <- grep(sprintf("^```\\{r %s[,}]", label), lines)
  to <- from + grep("^```$", lines[-seq_len(from)])[1]
  parse(text = lines[(from + 1):(to - 1)])
}

# The second run counts: in the first, packages are loaded and compiled.
run <- function(framework) {
  label <- sub(" R$", "", framework)
  for (package in needed[[framework]]) {
    if (!requireNamespace(package, quietly = TRUE)) stop("The package ", package, " is needed.")
  }
  if (framework == "mlr3") {
    for (logger in c("mlr3", "bbotk")) lgr::get_logger(logger)$set_threshold("warn")
  }
  for (i in 1:2) {
    env <- new.env(parent = globalenv())
    eval(chunk("data"), env)
    spent <- seconds(eval(chunk(label), env))
  }
  best <- unlist(env$best)
  data.frame(framework = framework, C = best[[1]], gamma = best[[2]], error = env$wrong, seconds = spent)
}

table <- do.call(rbind, lapply(names(needed), run))
save_results(table, "frameworks")
table$ratio <- table$seconds / table$seconds[1]
table$error <- 100 * table$error
report(
  "frameworks", "One problem in four frameworks",
  "The code of vignette(\"frameworks\") on the spam data of kernlab: SMO, nine grid points, three folds, 1,500 rows. Error on the",
  "other rows in per cent; processor seconds on one thread, without the time to load a framework. Folds are drawn by each framework.",
  table_md(table, digits = c(0, 0, 3, 2, 2, 1), row.names = FALSE)
)
