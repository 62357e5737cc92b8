# Shared by the benchmark scripts, which run from the top of the repository: make bench-NAME.
library(onlinesvm)
options(knitr.kable.NA = "")

# Processor time: other processes do not distort a comparison of single-threaded runs.
seconds <- function(expr) sum(system.time(expr)[c("user.self", "sys.self")])
elapsed <- function(expr) system.time(expr)[["elapsed"]]

# Memory of this process in MB: VmRSS, its resident size, or VmHWM, the peak of it.
status_mb <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

error <- function(predicted, truth) 100 * mean(predicted != truth)

# The value of expr, or NULL after `limit` seconds. Runs in a child process: C code without interrupt checks can only be
# killed.
limited <- function(expr, limit) {
  job <- parallel::mcparallel(expr)
  value <- parallel::mccollect(job, wait = FALSE, timeout = limit)
  if (is.null(value)) tools::pskill(job$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(job)) # reaps the child
  if (inherits(value[[1]], "try-error")) stop(value[[1]])
  value[[1]]
}

# Real data sets are not in the repository; a benchmark is skipped if its data are missing.
real_data <- function(name) {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  if (file.exists(path)) {
    return(readRDS(path))
  }
  message("Skipped: no ", path, ". Set OSVM_DATA to the folder of ", name, ".rds.")
  quit(status = 0)
}

# Small data sets of R packages, as numeric features and labels.
packaged <- function(name, package) {
  env <- new.env()
  utils::data(list = name, package = package, envir = env)
  env[[name]]
}
labelled <- function(data, label) {
  data <- data[stats::complete.cases(data), ]
  x <- vapply(data[setdiff(names(data), c(label, "Id"))], as.numeric, numeric(nrow(data)))
  # e1071 leaves all of x unscaled as soon as one column is constant.
  list(x = x[, apply(x, 2, stats::sd) > 0], y = factor(data[[label]]))
}

table_md <- function(x, ...) c("", knitr::kable(x, format = "pipe", ...), "")

target <- function(what, value, least, unit = "times") {
  status <- if (value >= least) "reached" else "**missed**"
  sprintf("- %s: **%.1f %s** (target: at least %g, %s)", what, value, unit, least, status)
}

cpu <- function() {
  model <- grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)
  paste0(sub(".*: ", "", model[1]), ", ", length(model), " cores")
}

# Provenance of a result: script, commit (with a + if the package has uncommitted changes), hardware and date.
provenance <- function(script) {
  git <- function(...) {
    tryCatch(suppressWarnings(system2("git", c(...), stdout = TRUE, stderr = FALSE)), error = function(e) character())
  }
  changed <- length(git("status", "--porcelain", "--", "R", "src")) > 0
  commit <- git("rev-parse", "--short", "HEAD")
  memory <- as.numeric(gsub("[^0-9]", "", grep("^MemTotal", readLines("/proc/meminfo"), value = TRUE)))
  list(
    script = paste0("bench/", script, ".R"),
    commit = if (length(commit) == 1) paste0(commit, if (changed) "+") else "unknown",
    machine = sprintf("%s, %.0f GB; %s", cpu(), memory / 1024^2, R.version.string), date = format(Sys.Date())
  )
}

# Writes a table to vignettes/results/<name>.csv, which the vignettes read: read.csv(..., comment.char = "#"). `from` is
# its provenance; a script with several tables passes provenance() of its own name.
save_results <- function(table, name, from = provenance(name)) {
  path <- file.path("vignettes", "results", paste0(name, ".csv"))
  dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
  numbers <- vapply(table, is.numeric, NA)
  table[numbers] <- lapply(table[numbers], signif, 6)
  writeLines(sprintf("# %s: %s", names(from), unlist(from)), path)
  # append = TRUE with column names warns; here the lines before the header are comments.
  suppressWarnings(utils::write.table(table, path, append = TRUE, sep = ",", qmethod = "double", row.names = FALSE))
  message("Written to ", path)
}

# Drift: the classes change places half-way; the plane turns steadily by 180 degrees.
swapped <- function(data) {
  late <- seq_along(data$y) > length(data$y) / 2
  data$y[late] <- rev(levels(data$y))[data$y[late]]
  data
}

turning <- function(data) {
  angle <- pi * seq_along(data$y) / length(data$y)
  x <- sweep(data$x, 2, colMeans(data$x))
  data$x <- cbind(cos(angle) * x[, 1] - sin(angle) * x[, 2], sin(angle) * x[, 1] + cos(angle) * x[, 2])
  data
}

# Prints a report and writes it to bench/results/<name>.md, with the hardware, its load, versions
# and the commit. bench/measures.csv says which code it measures.
report <- function(name, title, ...) {
  lines <- c(
    paste("#", title), "", ...,
    "", "---", "",
    sprintf(
      "%s, load %s; %s; onlinesvm %s, e1071 %s; commit %s; %s", cpu(), sub(" .*", "", readLines("/proc/loadavg")),
      R.version.string, packageVersion("onlinesvm"), packageVersion("e1071"), provenance(name)$commit, Sys.Date()
    )
  )
  path <- file.path("bench", "results", paste0(name, ".md"))
  dir.create(dirname(path), showWarnings = FALSE)
  writeLines(lines, path)
  writeLines(c(lines, "", paste("Written to", path)))
}
