# The sets of Kecman and Melki's grid, their folds, and e1071 on them.

C_values <- 10^(-4:4)
sigma_values <- 10^(-1:2)

# The plane is left as it is, as in the paper; measured features are brought to one scale, once for both programs.
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

# Seconds and errors of e1071 on one cell and fold; NA errors: stopped at the limit.
rival_cell <- function(data, C, sigma, fold, limit) {
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

# All cells asked for, kept one by one in a file so that a stopped run goes on where it was.
rival_grid <- function(name, data, C, sigma, folds, limit, keep = Sys.getenv("OSVM_KEEP", tempdir())) {
  cells <- expand.grid(C = C, sigma = sigma, fold = folds)
  path <- file.path(keep, paste0("tune-e1071-", gsub(" ", "-", name), ".rds"))
  known <- if (file.exists(path)) readRDS(path) else list()
  for (k in seq_len(nrow(cells))) {
    key <- paste(cells$C[k], cells$sigma[k], cells$fold[k])
    if (is.null(known[[key]])) {
      message(name, ", e1071: C = ", cells$C[k], ", sigma = ", cells$sigma[k], ", fold ", cells$fold[k])
      known[[key]] <- rival_cell(data, cells$C[k], cells$sigma[k], cells$fold[k], limit)
      saveRDS(known, path)
    }
  }
  values <- vapply(paste(cells$C, cells$sigma, cells$fold), function(key) known[[key]], numeric(2))
  cbind(cells, t(values))
}
