# Platt's sigmoid: slope and shift of the largest likelihood of smoothed targets. Outputs of the size of 1.
platt <- function(f, positive, weight) {
  n <- c(sum(weight[!positive]), sum(weight[positive]))
  target <- ifelse(positive, (n[2] + 1) / (n[2] + 2), 1 / (n[1] + 2))
  loss <- function(par) {
    p <- 1 / (1 + exp(-(par[1] * f + par[2])))
    -sum(weight * (target * log(p) + (1 - target) * log(1 - p)))
  }
  optim(c(1, 0), loss, method = "BFGS", control = list(reltol = 1e-14))$par
}

# Probabilities by the map of a model: a sigmoid, a softmax, or pairs coupled as by Price et al. (1995), equation (4).
mapped <- function(fit, f) {
  f <- as.matrix(f)
  map <- fit$probability
  classes <- length(fit$levels)
  shift <- rep(map$shift, each = nrow(f))
  if (!is.null(map$sigmoids)) {
    own <- sapply(seq_len(classes), function(k) log(plogis(map$sigmoids[1, k] * f[, k] + map$sigmoids[2, k])))
    own <- matrix(own, nrow(f))
    slope <- if (is.matrix(map$slope)) map$slope else diag(map$slope)
    e <- exp(own %*% slope + shift)
    return(e / rowSums(e))
  }
  g <- f * rep(map$slope, each = nrow(f)) + shift
  if (classes == 2) {
    return(cbind(plogis(-g), plogis(g)))
  }
  r <- array(0, c(nrow(f), classes, classes))
  pairs <- utils::combn(classes, 2)
  for (m in seq_len(ncol(g))) {
    r[, pairs[2, m], pairs[1, m]] <- plogis(g[, m])
    r[, pairs[1, m], pairs[2, m]] <- plogis(-g[, m])
  }
  p <- vapply(seq_len(classes), function(k) 1 / (rowSums(1 / r[, k, -k]) - (classes - 2)), numeric(nrow(f)))^map$power
  p / rowSums(p)
}
