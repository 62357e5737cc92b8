# Stored models of the installed version, as fixtures of tests/testthat/test-model-format.R:
#   Rscript tools/make-fixtures.R
# writes tests/testthat/fixtures/models-<format>.rds. It is run once per model format; later versions read the file.
# Each case has a model, new examples, and what the version that made it says: decision values, the classes, and the
# decision values after an update by the new examples.
library(onlinesvm)

n <- 36
set.seed(25)
x <- matrix(round(rnorm(2 * n * 3), 3), 2 * n, dimnames = list(NULL, c("a", "b", "c")))
score <- x[, 1] * x[, 2] + x[, 3]
two <- factor(ifelse(score > 0, "yes", "no"))
three <- as.character(cut(score, c(-Inf, -0.5, 0.5, Inf), c("low", "middle", "high")))
sparse <- Matrix::Matrix(x * (abs(x) > 0.7), sparse = TRUE)
frame <- data.frame(a = x[, 1], kind = factor(ifelse(x[, 2] > 0, "round", "square")), c = x[, 3])

rbf <- kernel_rbf(gamma = 0.5)
cases <- list(
  smo = list(x, two, solver_smo(C = 2), rbf),
  smo_unbiased = list(x, two, solver_smo(C = 2, bias = FALSE), rbf),
  smo_probability = list(x, three, solver_smo(C = 2), rbf, probability = TRUE),
  lasvm = list(x, two, solver_lasvm(C = 2), rbf),
  lasvm_sparse = list(sparse, three, solver_lasvm(C = 2), kernel_linear()),
  olsvm = list(x, three, solver_olsvm(C = 2, epochs = 2), rbf),
  olsvm_rest = list(x, three, solver_olsvm(C = 2, epochs = 2), rbf, multiclass = "ovr"),
  olsvm_budget = list(x, two, solver_olsvm(C = 2, budget = 8), rbf),
  olsvm_running = list(x, two, solver_olsvm(C = 2, epochs = 1), rbf, scale = "running"),
  pegasos_running = list(sparse, three, solver_pegasos(), scale = "running"),
  pegasos = list(x, score > 0, solver_pegasos()),
  huller = list(x, two, solver_huller(C = 1), kernel_linear()),
  perceptron = list(x, as.integer(score > 0), solver_perceptron(), kernel_polynomial(degree = 2), scale = FALSE),
  norma_average = list(x, two, solver_norma(average = TRUE), rbf),
  ramp = list(x, two, solver_ramp(C = 2, keep = 10), rbf),
  ramp_rest = list(x, three, solver_ramp(C = 2), rbf, multiclass = "ovr"),
  cccp = list(x, two, solver_cccp(C = 2), rbf),
  idsvm = list(x, three, solver_idsvm(C = 2), rbf, class_weights = c(low = 2)),
  frame = list(frame, two, solver_lasvm(C = 2), rbf),
  laplacian = list(x, two, solver_smo(C = 2), kernel_laplacian(gamma = 0.3)),
  smo_numbers = list(x, score, solver_smo(C = 2), rbf),
  idsvm_numbers = list(x, score, solver_idsvm(C = 2), rbf),
  lasvm_quantile = list(x, score, solver_lasvm(C = 2), rbf, loss = loss_quantile(0.8)),
  pa_numbers = list(x, score, solver_pa(), kernel_linear()),
  smo_novelty = list(x, NULL, solver_smo(), rbf, loss = loss_novelty(0.2)),
  idsvm_novelty = list(x, NULL, solver_idsvm(), rbf, loss = loss_novelty(0.2)),
  stripped = list(x, two, solver_smo(C = 2), rbf)
)

make_case <- function(name) {
  arguments <- cases[[name]]
  x <- arguments[[1]]
  y <- arguments[[2]]
  set.seed(1)
  fit <- do.call(osvm, c(list(x[1:n, ], y[1:n]), arguments[-(1:2)], list(cache_mb = 16, threads = 1)))
  fit$stats$seconds <- 0
  if (name == "stripped") fit <- strip(fit)
  case <- list(fit = fit, learned = y[1:n], x = x[-(1:n), ], y = y[-(1:n)])
  case$decision <- unname(predict(fit, case$x, type = "decision"))
  case$class <- predict(fit, case$x)
  if (name != "stripped") {
    set.seed(2)
    case$updated <- unname(predict(update(fit, case$x, case$y), case$x, type = "decision"))
  }
  case
}

made <- sapply(names(cases), make_case, simplify = FALSE)
folder <- "tests/testthat/fixtures"
dir.create(folder, showWarnings = FALSE)
file <- file.path(folder, paste0("models-", made[[1]]$fit$format, ".rds"))
saveRDS(made, file, version = 2, compress = "xz")
cat(file, ": ", file.size(file), " bytes\n", sep = "")
