# The data sets of Kecman and Melki (2016), their folds, and e1071 on the grid.

C_values <- 10^(-4:4)
sigma_values <- 10^(-1:2)

# Artificial data are not scaled, as in the paper; measured features are scaled once for both packages.
tuning_set <- function(name) {
  set.seed(1)
  data <- switch(name,
    "chess board" = chessboard(8000),
    "two normals" = two_normals(15000),
    real_data(name)
  )
  if (name == "eukaryotic") data$y <- ifelse(data$y == 4, 1, -1)
  if (name %in% c("eukaryotic", "prototask")) data$x <- scale(data$x)
  y <- factor(data$y)
  list(x = data$x, y = y, foldid = stratified(y, 5))
}

stratified <- function(y, folds) {
  fold <- integer(length(y))
  for (level in levels(y)) {
    rows <- which(y == level)
    fold[rows] <- sample(rep_len(seq_len(folds), length(rows)))
  }
  fold
}

# Seconds and error of e1071 on one cell and fold; NA: stopped at the limit.
e1071_cell <- function(data, C, sigma, fold, limit) {
  train <- data$foldid != fold
  x <- data$x[train, ]
  new_x <- data$x[!train, ]
  result <- limited({
    time <- seconds({
      fit <- e1071::svm(x, data$y[train],
        scale = FALSE, gamma = 1 / (2 * sigma^2), cost = C, cachesize = 256, fitted = FALSE
      )
      predicted <- predict(fit, new_x)
    })
    c(seconds = time, error = error(predicted, data$y[!train]))
  }, limit)
  if (is.null(result)) c(seconds = limit, error = NA) else result
}

# All cells, each stored in a file when finished, so that an interrupted run resumes.
e1071_grid <- function(name, data, C, sigma, folds, limit, keep = Sys.getenv("OSVM_KEEP", tempdir())) {
  cells <- expand.grid(C = C, sigma = sigma, fold = folds)
  path <- file.path(keep, paste0("tune-e1071-", gsub(" ", "-", name), ".rds"))
  stored <- if (file.exists(path)) readRDS(path) else list()
  for (k in seq_len(nrow(cells))) {
    key <- paste(cells$C[k], cells$sigma[k], cells$fold[k])
    if (is.null(stored[[key]])) {
      message(name, ", e1071: C = ", cells$C[k], ", sigma = ", cells$sigma[k], ", fold ", cells$fold[k])
      stored[[key]] <- e1071_cell(data, cells$C[k], cells$sigma[k], cells$fold[k], limit)
      saveRDS(stored, path)
    }
  }
  values <- vapply(paste(cells$C, cells$sigma, cells$fold), function(key) stored[[key]], numeric(2))
  cbind(cells, t(values))
}
