# Peak memory of a fit. Bound: twice the data plus the kernel cache. Each case runs in a separate process.
source("bench/common.R")

cache_mb <- 64

cases <- list(
  "dense, 100,000 x 50, RBF" = list(
    data = function() matrix(rnorm(5e6), ncol = 50), kernel = kernel_rbf()
  ),
  "sparse, 1,000,000 x 10,000, 30 non-zeros a row, linear" = list(
    data = function() {
      # One non-zero in each of 30 ranges of columns: the columns of a row are sorted and distinct.
      i <- rep(0:29 * 333L, 1e6) + sample.int(333L, 3e7, replace = TRUE) - 1L
      Matrix::t(methods::new("dgCMatrix",
        i = as.integer(i), p = as.integer(30 * (0:1e6)), x = runif(3e7), Dim = c(10000L, 1000000L)
      ))
    },
    kernel = kernel_linear()
  )
)

measure <- function(case) {
  set.seed(1)
  x <- case$data()
  y <- factor(ifelse(x[, 1] + x[, 2] + rnorm(nrow(x)) > 0.5, "b", "a"))
  data <- as.numeric(object.size(x)) / 2^20
  invisible(gc())
  before <- status_mb("VmRSS")
  writeLines("5", "/proc/self/clear_refs") # resets the peak to the current size
  time <- seconds(fit <- osvm(x, y, solver_olsvm(epochs = 1), case$kernel,
    cache_mb = cache_mb, threads = 1, verbose = FALSE
  ))
  extra <- status_mb("VmHWM") - before
  data.frame(
    data_mb = data, before_mb = before, peak_mb = before + extra,
    data_and_fit_mb = data + extra, bound_mb = 2 * data + cache_mb, sv = fit$n_sv, seconds = time
  )
}

arguments <- commandArgs(TRUE)
if (length(arguments)) {
  saveRDS(measure(cases[[as.integer(arguments[1])]]), arguments[2])
  quit(status = 0)
}

results <- do.call(rbind, lapply(seq_along(cases), function(i) {
  message(names(cases)[i])
  file <- tempfile()
  system2(file.path(R.home("bin"), "Rscript"), c("bench/memory.R", i, file))
  cbind(case = names(cases)[i], readRDS(file))
}))
report(
  "memory", "Peak memory of a fit: OL SVM, one epoch, separate process",
  "before: resident size with the data loaded; peak: its maximum during the fit;",
  sprintf("data_and_fit: the data plus the growth during the fit; bound: twice the data plus cache_mb = %d.", cache_mb),
  table_md(results, digits = c(0, 0, 0, 0, 0, 0, 0, 1)),
  sprintf(
    "- %s: %.2f of the bound (%s)", results$case, results$data_and_fit_mb / results$bound_mb,
    ifelse(results$data_and_fit_mb <= results$bound_mb, "kept", "**exceeded**")
  )
)
