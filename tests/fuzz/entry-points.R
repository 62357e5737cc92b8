# Every entry point of the compiled code, in a copy of the package's functions whose .Call() is replaced:
#   Rscript tests/fuzz/entry-points.R plain|gctorture|valgrind
# With gctorture R collects garbage at every allocation the glue makes. Fails if a registered entry point is not
# reached.
mode <- commandArgs(TRUE)[1]
library(onlinesvm)

package <- asNamespace("onlinesvm")
reached <- character()
copy <- new.env(parent = parent.env(package))
# Functions of tables, too
moved <- function(value) {
  if (typeof(value) == "closure" && identical(environment(value), package)) {
    return(as.function(c(formals(value), list(body(value))), envir = copy))
  }
  if (is.list(value) && !is.object(value)) value[] <- lapply(value, moved)
  value
}
for (name in ls(package, all.names = TRUE)) assign(name, moved(get(name, envir = package)), envir = copy)
copy$asNamespace <- function(ns, ...) if (identical(ns, "onlinesvm")) copy else base::asNamespace(ns, ...)
copy$.Call <- function(entry, ...) {
  reached <<- union(reached, entry$name)
  arguments <- list(entry, ...)
  if (mode == "gctorture") {
    gctorture(TRUE)
    on.exit(gctorture(FALSE))
  }
  do.call(base::.Call, arguments)
}

set.seed(1)
y <- factor(rep_len(letters[1:3], 12))
x <- matrix(rnorm(24), 12) + as.integer(y)
whole <- round(x)
storage.mode(whole) <- "integer"
datasets <- list(dense = x, sparse = methods::as(x, "CsparseMatrix"), integer = whole)
calls <- 0

# One kind of data per solver where all take long.
for (k in seq_along(solvers()$name)) for (data in if (mode == "plain") datasets else datasets[1 + k %% 3]) {
  name <- solvers()$name[k]
  solver <- get(paste0("solver_", name), envir = copy)()
  kernel <- if (solvers()$space[solvers()$name == name] == "linear") kernel_linear() else kernel_rbf(gamma = 0.5)
  fit <- suppressWarnings(copy$osvm.default(data, y, solver, kernel, verbose = FALSE, threads = 2))
  fit <- suppressWarnings(copy$update.osvm(fit, data, y))
  stopifnot(all(is.finite(copy$predict.osvm(fit, data, type = "decision", threads = 2))))
  stopifnot(all(is.finite(copy$osvm_shapley.osvm(fit, data, threads = 2)$values)))
  traits <- solvers()[solvers()$name == name, ]
  if (traits$forgets) fit <- copy$forget.osvm(fit, 1:2)
  if (traits$leave_out) stopifnot(all(is.finite(copy$loo(fit)$decision)))
  suppressWarnings(copy$osvm_tune.default(data, y, solver, kernel, folds = 2, random = 2, progress = FALSE,
    threads = 2))
  calls <- calls + 3
}
invisible(copy$.Call(package$ffi_solvers))
invisible(copy$.Call(package$ffi_processor))
twice <- rep(0:11, each = 2)
for (data in datasets) {
  repeated <- list(x = data[1 + twice, ], rows = 0:23)
  entry <- copy$.Call(package$ffi_fold, repeated, list(class = as.integer(y)[1 + twice], weight = rep(1, 24)))
  stopifnot(max(entry) <= 11)
}

# ---- models that stay in the core, sources and drift ----
for (k in which(solvers()$online)) {
  name <- solvers()$name[k]
  data <- datasets[[1 + k %% 3]]
  kernel <- if (solvers()$space[k] == "linear") kernel_linear() else kernel_rbf(gamma = 0.5)
  live <- copy$osvm_live(solver = get(paste0("solver_", name), envir = copy)(), kernel = kernel, threads = 2)
  suppressWarnings(copy$update.osvm_live(live, data, y))
  suppressWarnings(copy$update.osvm_live(live, data[1:3, ], y[1:3]))
  if (solvers()$forgets[k]) copy$forget.osvm_live(live, 1:2)
  stopifnot(all(is.finite(copy$predict.osvm_live(live, data, type = "decision"))))
  live <- copy$osvm_live(copy$snapshot(live))
  copy$close.osvm_live(live)
  calls <- calls + 1
}
lines <- paste0(rep_len(c("1", "-1"), 12), apply(x, 1, function(row) paste0(" ", 1:2, ":", row, collapse = "")))
texts <- list(source_svmlight = lines, source_csv = c("a,b,y", paste(x[, 1], x[, 2], y, sep = ",")))
for (kind in names(texts)) {
  file <- tempfile()
  writeLines(texts[[kind]], file)
  source <- if (kind == "source_csv") copy$source_csv(file, label = "y") else copy$source_svmlight(file)
  stream <- suppressWarnings(copy$osvm_stream(source, "pa", chunk = 4, drift = drift_adwin(react = "tell"),
    verbose = FALSE))
  stopifnot(stream$examples == 12)
  calls <- calls + 1
}

# ---- searches, cells, low rank, transforms, what is read when the package is loaded ----
many <- matrix(rnorm(240), 80)
of_many <- factor(many[, 1] > 0)
fit <- copy$osvm.default(many, of_many, effort = 0.25, verbose = FALSE, threads = 2)
cells <- copy$osvm.default(many, of_many, cells = 50, effort = 0, verbose = FALSE, threads = 2)
invisible(copy$predict.osvm(cells, many))
low <- copy$osvm.default(many, of_many, "smo", kernel_nystrom(kernel_rbf(gamma = 1), rank = 5), verbose = FALSE)
invisible(copy$predict.osvm(low, many))
ranked <- copy$osvm.default(many, of_many, "smo", kernel_rbf(gamma = 1), scale = "rank", verbose = FALSE)
invisible(copy$predict.osvm(ranked, many))
for (name in c("ffi_kernels", "ffi_losses")) invisible(copy$.Call(package[[name]]))
invisible(copy$.Call(package$ffi_stop_at, Inf, Inf))
zipped <- tempfile(fileext = ".csv.gz")
connection <- gzfile(zipped, "w")
writeLines(texts$source_csv, connection)
close(connection)
run <- suppressWarnings(copy$osvm_stream(copy$source_csv(zipped, label = "y"), "pa", chunk = 4, verbose = FALSE))
halves <- lapply(split(seq_len(80), rep(1:2, 40)), function(rows) copy$source_matrix(many[rows, ], of_many[rows]))
fit <- suppressWarnings(copy$osvm_shards(unname(halves), "smo", kernel_rbf(gamma = 1)))
calls <- calls + 10

drift <- copy$drift_add(copy$drift_start(drift_adwin()), rep(0:1, each = 100))
fit <- copy$osvm.default(x, y, seconds = 100, verbose = FALSE)
calls <- calls + 2

missed <- setdiff(names(getDLLRegisteredRoutines("onlinesvm")$.Call), reached)
if (length(missed) > 0) cat("Not reached:", missed, "\n")
cat(sprintf("%s: %d passed, %d failed\n", mode, calls, length(missed)))
