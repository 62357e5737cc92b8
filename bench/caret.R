# caret::train with our model against caret's svmRadial (kernlab), on the same resamples and the same grid.
source("bench/common.R")
library(caret)

sets <- list(
  "chess board, 2,000" = function() chessboard(2000),
  "two normals, 4,000" = function() two_normals(4000),
  "spam" = function() labelled(packaged("spam", "kernlab"), "type"),
  "satellite, 6 classes" = function() labelled(packaged("Satellite", "mlbench"), "classes")
)
models <- list(svmRadial = "svmRadial", lasvm = osvm_caret("lasvm"), smo = osvm_caret("smo"), olsvm = osvm_caret("olsvm"))
cost <- 4^(-1:3)

# kernlab's sigma is gamma of kernel_rbf().
grid_for <- function(model, gamma) {
  if (model == "svmRadial") return(expand.grid(C = cost, sigma = gamma))
  parts <- list(C = cost, gamma = gamma, epochs = if ("epochs" %in% models[[model]]$parameters$parameter) 1)
  expand.grid(parts[lengths(parts) > 0])
}

run <- function(name) {
  set.seed(1)
  data <- sets[[name]]()
  data$x <- as.matrix(data$x)
  colnames(data$x) <- paste0("x", seq_len(ncol(data$x)))
  data$y <- factor(data$y)
  levels(data$y) <- make.names(levels(data$y))
  gamma <- kernlab::sigest(data$x, frac = 1)[[2]] * c(0.25, 1, 4)
  index <- createFolds(data$y, k = 5, returnTrain = TRUE)
  do.call(rbind, lapply(names(models), function(model) {
    message(name, ", ", model)
    time <- seconds(fit <- train(data$x, data$y,
      method = models[[model]], tuneGrid = grid_for(model, gamma), preProcess = c("center", "scale"),
      trControl = trainControl("cv", index = index)
    ))
    best <- fit$results[which.max(fit$results$Accuracy), ]
    data.frame(
      set = name, model = model, seconds = time, best_error = 100 * (1 - best$Accuracy),
      sd = 100 * best$AccuracySD
    )
  }))
}

results <- do.call(rbind, lapply(names(sets), run))
base <- results$seconds[results$model == "svmRadial"][match(results$set, unique(results$set))]
results$ratio <- base / results$seconds
save_results(results, "caret")
ours <- results[results$model != "svmRadial", ]
report(
  "caret", "caret::train: 5 C x 3 gamma, five folds, against caret's svmRadial",
  "Processor seconds of the whole train() call, including the final fit; one thread.",
  "Error of the best cell in per cent, and its standard deviation over the folds.",
  table_md(results, digits = c(0, 0, 1, 2, 2, 1)),
  sprintf("- %s, %s: %.1f times", ours$set, ours$model, ours$ratio)
)
