# Kernels that osvm(x, y) could search beside the Gaussian and the Laplacian: exponents, exp(-(g d)^q) of the sum of absolute
# differences and of the Euclidean distance, and the Matern kernel of order 5/2. A throwaway library has them; the search
# takes them among its candidates, on the sets of bench/tables on which defaults are chosen. At most 1,500 rows are learned.
# OSVM_KEPT: a file with what was done before, so that a long run can be had in parts; OSVM_SEARCHES: names of those wanted
# beside "none", as in "all,matern". make bench-kernels
source("bench/common.R")
source("bench/tables/sets.R")
source("bench/tables/learners.R")

# ---- the library ----

of_exponent <- list(
  params = '{"gamma", OSVM_SCALE}, {"q", OSVM_CONSTANT}', value = "exp(-pow(p[0] * v, p[1]))",
  slope = "-p[1] * p[0] * pow(p[0] * v, p[1] - 1) * exp(-pow(p[0] * v, p[1]))"
)
added <- list( # the exponent of `euclidean` is that of the squared distance
  absolute = c(of_exponent, base = "OSVM_ABSOLUTE_DISTANCES"), euclidean = c(of_exponent, base = "OSVM_SQUARED_DISTANCES"),
  matern = list(
    params = '{"gamma", OSVM_SCALE}', base = "OSVM_SQUARED_DISTANCES",
    value = "(1 + sqrt(p[0] * v) + p[0] * v / 3) * exp(-sqrt(p[0] * v))",
    slope = "-p[0] * (1 + sqrt(p[0] * v)) / 6 * exp(-sqrt(p[0] * v))"
  )
)
build_library <- function() {
  source <- file.path(tempdir(), "kernels")
  library <- file.path(source, "library")
  dir.create(library, recursive = TRUE)
  file.copy(c("DESCRIPTION", "NAMESPACE", "R", "src", "inst"), source, recursive = TRUE)
  unlink(Sys.glob(file.path(source, "src", "*.o")))
  for (name in names(added)) {
    k <- added[[name]]
    writeLines(c(
      "#include <math.h>", '#include "kernel.h"',
      sprintf("static double value(const double *p, double v) { return %s; }", k$value),
      sprintf("static double slope(const double *p, double v) { return v > 0 ? %s : 0; }", k$slope),
      sprintf('const osvm_kernel_info osvm_kernel_%s = {.name = "%s", .title = "%s", .formula = "k",', name, name, name),
      sprintf(".base = %s, .params = {%s}, .value = value, .slope = slope};", k$base, k$params)
    ), file.path(source, "src", paste0("kernel-", name, ".c")))
    cat(sprintf("OSVM_KERNEL(%s)\n", name), file = file.path(source, "src", "kernel-list.h"), append = TRUE)
    q <- if (grepl("q", k$params)) c("q = 0.5, ", ", q = number(q)") else c("", "")
    cat(sprintf(
      "kernel_%s <- function(%sgamma = NULL) new_kernel('%s', gamma = optional(gamma, positive, 'gamma')%s)\n",
      name, q[1], name, q[2]
    ), file = file.path(source, "R", "kernel-added.R"), append = TRUE)
    cat(sprintf("export(kernel_%s)\n", name), file = file.path(source, "NAMESPACE"), append = TRUE)
  }
  stopifnot(system2("R", c("CMD", "INSTALL", "--no-test-load", paste0("--library=", library), source)) == 0)
  library
}

# ---- the search, in a process that has the library ----

searches <- list(
  none = "list()", absolute = "list(kernel_absolute(0.6))", matern = "list(kernel_matern())",
  all = "list(kernel_absolute(0.6), kernel_euclidean(0.5), kernel_matern())"
)

# The grid of widths of exp(-(g d)^q) is that of g^q.
search_with <- function(kernels) {
  space <- asNamespace("onlinesvm")
  replace_in <- function(name, value) utils::assignInNamespace(name, value, "onlinesvm")
  spread <- function(settings, candidate, usual) {
    q <- candidate$model$kernel$params$q
    if (!is.null(q)) settings$gamma <- usual * (settings$gamma / usual)^(1 / q)
    settings
  }
  coarse <- space$coarse_settings
  near <- space$near_settings_of
  replace_in("search_kernels", function(linear) {
    c(list(kernel_rbf(), kernel_laplacian()), kernels, if (linear) list(kernel_linear()))
  })
  replace_in("coarse_settings", function(search, candidate) {
    spread(coarse(search, candidate), candidate, candidate$model$kernel$params$gamma)
  })
  replace_in("near_settings_of", function(search, candidate) {
    spread(near(search, candidate), candidate, space$own_setting(candidate)$gamma)
  })
}

wanted <- strsplit(Sys.getenv("OSVM_SEARCHES"), ",")[[1]]
if (length(wanted) > 0) searches <- searches[c("none", wanted)]

measure <- function(set, v, way) {
  set.seed(1)
  fit <- NULL
  time <- seconds(fit <- osvm(impute(v$x), v$y, threads = 1, verbose = FALSE))
  error <- error_of(predict(fit, impute(v$test_x, v$x)), v$test_y)
  data.frame(set, way, error, held_out = fit$choice$error[fit$choice$taken], kernel = fit$kernel$name, seconds = time)
}

if (nzchar(Sys.getenv("OSVM_WAY"))) { # the process
  way <- Sys.getenv("OSVM_WAY")
  search_with(eval(parse(text = searches[[way]])))
  results <- do.call(rbind, lapply(names(part)[part == "chosen"], function(set) {
    set.seed(1)
    data <- tryCatch(makers[[set]](), error = function(e) NULL)
    if (is.null(data)) return(NULL)
    set.seed(100)
    measure(set, divide(data, 1500), way)
  }))
  saveRDS(results, Sys.getenv("OSVM_RESULT"))
  quit(status = 0)
}

kept <- Sys.getenv("OSVM_KEPT")
done <- if (file.exists(kept)) readRDS(kept)
library <- if (!all(names(searches) %in% done$way)) build_library()
for (way in setdiff(names(searches), done$way)) {
  result <- tempfile(fileext = ".rds")
  stopifnot(system2("Rscript", "bench/kernels.R", env = c(
    paste0("OSVM_WAY=", way), paste0("OSVM_RESULT=", result),
    paste0("R_LIBS=", paste(c(library, .libPaths()), collapse = .Platform$path.sep))
  )) == 0)
  done <- rbind(done, readRDS(result))
  if (nzchar(kept)) saveRDS(done, kept)
}

# ---- report ----

plain <- done[done$way == "none", ]
table <- do.call(rbind, lapply(setdiff(names(searches), "none"), function(way) {
  with_it <- done[done$way == way, ]
  plain <- plain[match(with_it$set, plain$set), ]
  log_ratio <- log((with_it$error + 0.1) / (plain$error + 0.1))
  held_out <- log((with_it$held_out + 0.1) / (plain$held_out + 0.1))
  data.frame(
    added = way, sets = length(log_ratio), ratio = exp(mean(log_ratio)),
    standard_error = stats::sd(log_ratio) / sqrt(length(log_ratio)), lower = sum(log_ratio < 0),
    higher = sum(log_ratio > 0), held_out = exp(mean(held_out)), taken = sum(with_it$kernel %in% names(added)),
    seconds = sum(with_it$seconds) / sum(plain$seconds)
  )
}))
report("kernels", "Kernels beside the Gaussian and the Laplacian in the search", c(
  "Sets of `bench/tables` on which defaults are chosen, at most 1,500 rows learned, one division. `added`: what the search of",
  "`osvm(x, y)` has beside its candidates: `absolute`, exp(-(g d)^0.6) of the sum of absolute differences d; `matern`, of order",
  "5/2; `all`: both, and exp(-g d) of the Euclidean distance. `ratio`: geometric mean of the test error over that without, 0.1",
  "added to each; on how many sets it is `lower` and `higher`; `held_out`: the same of the errors by which the search chooses;",
  "`taken`: on how many sets such a kernel was; `seconds`: processor time over that without, where the added kernels have no",
  "vector code. A search that was ended early has the first sets alone. None is kept: half the gain is from one set",
  "(credit_balance), or it takes more time than `effort = 4` does for as much.", table_md(table, digits = c(0, 0, 3, 3, 0, 0, 3, 0, 2), row.names = FALSE)
))
