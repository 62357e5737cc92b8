# The map from decision values to probabilities, fitted to hold-out outputs by maximum likelihood. Examples count by
# `weight`, which leaves class weights out: probabilities refer to the frequencies of the classes in the data.
#
#   sigmoids      one-vs-rest: a column per class with the slope and the shift of its own sigmoid; f below is the
#                 logarithm of these
#   slope, shift  of g = slope f + shift; one-vs-rest: a matrix, which combines the outputs of
#                 all machines
#   power         of the coupled probabilities, one-vs-one

fit_map <- function(model, f, class, weight = rep(1, length(class))) {
  used <- is.finite(rowSums(f)) & weight > 0
  if (!any(used)) {
    return(list(slope = rep(1, ncol(f)), shift = numeric(ncol(f)), power = 1))
  }
  f <- f[used, , drop = FALSE]
  class <- class[used]
  weight <- weight[used]
  if (is_softmax_map(model)) {
    sigmoids <- vapply(seq_len(ncol(f)), function(k) fit_sigmoid(f[, k], class == k, weight), numeric(2))
    return(c(list(sigmoids = sigmoids), fit_linear_map(log_sigmoids(f, sigmoids), class, weight)))
  }
  machines <- model$machines
  sigmoids <- vapply(seq_len(ncol(f)), function(m) {
    rows <- class == machines$positive[m] | class == machines$negative[m]
    fit_sigmoid(f[rows, m], class[rows] == machines$positive[m], weight[rows])
  }, numeric(2))
  map <- list(slope = sigmoids[1, ], shift = sigmoids[2, ], power = 1)
  if (ncol(f) > 1) {
    map$power <- fit_slope(couple_pairs(affine(f, map), machines, length(model$levels)), class, weight)
  }
  map
}

# With more than two classes, one-vs-rest.
is_softmax_map <- function(model) nrow(model$machines) > 1 && model$multiclass == "ovr"

# Maps fitted to the outputs of different folds, as one.
mean_map <- function(maps) {
  sapply(names(maps[[1]]), function(name) Reduce(`+`, lapply(maps, `[[`, name)) / length(maps), simplify = FALSE)
}

# The largest absolute value; 0 if its reciprocal is not finite, as for outputs that are all 0.
output_size <- function(f) {
  size <- max(abs(f), 0, na.rm = TRUE)
  if (is.finite(1 / size)) size else 0
}

# Platt's method: logistic regression on smoothed targets, which keep the slope finite for
# separable outputs; Newton's method with backtracking (Lin, Lin & Weng 2007). Probabilities rank as outputs do: where
# these say nothing, the slope is least_slope, and the shift is the log-odds of the classes.
least_slope <- 1e-6 # of outputs whose largest is 1
fit_sigmoid <- function(f, positive, weight) {
  total <- c(sum(weight[!positive]), sum(weight[positive]))
  target <- ifelse(positive, (total[2] + 1) / (total[2] + 2), 1 / (total[1] + 2))
  prior <- c(0, stats::qlogis((sum(weight * target) + 0.5) / (sum(weight) + 1)))
  size <- output_size(f)
  if (size == 0) {
    return(prior)
  }
  x <- cbind(f / size, 1)
  loss <- function(par) {
    z <- drop(x %*% par)
    sum(weight * (pmax(z, 0) + log1p(exp(-abs(z))) - target * z))
  }
  par <- prior
  for (i in 1:100) {
    p <- stats::plogis(drop(x %*% par))
    gradient <- drop(crossprod(x, weight * (p - target)))
    if (max(abs(gradient)) <= 1e-9 * sum(weight)) break
    step <- -solve(crossprod(x, weight * p * (1 - p) * x) + diag(1e-10 * sum(weight), 2), gradient)
    rate <- 1
    while (rate > 1e-8 && loss(par + rate * step) > loss(par) + 1e-4 * rate * sum(gradient * step)) rate <- rate / 2
    par <- par + rate * step
  }
  if (par[1] < least_slope) par <- c(least_slope, prior[2])
  c(par[1] / size, par[2])
}

# softmax(f slope + shift), one-vs-rest: multinomial logistic regression on the logarithms of all classes' sigmoids,
# whose softmax is these sigmoids divided by their sum. Penalties draw the slope towards the best multiple of the
# identity and the shift towards 0. The matrix has the square of the number of classes in parameters, and a step costs
# its product with the number of examples, which is bounded; where that leaves too few of them, the multiple remains.
most_map_products <- 5e7
fit_linear_map <- function(f, class, weight) {
  classes <- ncol(f)
  multiple <- fit_slope(f, class, weight)
  rows <- order(class)[evenly_spaced(length(class), most_map_products / classes^2)]
  if (length(rows) < min(20 * classes, length(class))) {
    return(list(slope = rep(multiple, classes), shift = numeric(classes), power = 1))
  }
  x <- multiple * f[rows, , drop = FALSE]
  weight <- weight[rows]
  own <- cbind(seq_along(rows), class[rows])
  entries <- classes^2
  outputs <- function(par) x %*% matrix(par[seq_len(entries)], classes) + rep(par[-seq_len(entries)], each = nrow(x))
  origin <- c(diag(classes), numeric(classes))
  penalty <- rep(c(classes, 1), c(entries, classes))
  loss <- function(par) {
    z <- outputs(par)
    top <- row_max(z)
    sum(weight * (log(rowSums(exp(z - top))) + top - z[own])) + sum(penalty * (par - origin)^2) / 2
  }
  gradient <- function(par) {
    residual <- weight * softmax(outputs(par))
    residual[own] <- residual[own] - weight
    c(crossprod(x, residual), colSums(residual)) + penalty * (par - origin)
  }
  par <- stats::optim(origin, loss, gradient, method = "L-BFGS-B", control = list(maxit = 50))$par
  list(slope = multiple * matrix(par[seq_len(entries)], classes), shift = par[-seq_len(entries)], power = 1)
}

# The slope s of softmax(s scores). The likelihood is unimodal; it is searched on a log scale between 1e-3 and 1e2 over
# the median difference of scores; 0 if they do not differ. Targets are smoothed by 1 / (n + 2), as in Platt's method.
fit_slope <- function(scores, class, weight) {
  own <- cbind(seq_along(class), class)
  differences <- abs(scores - scores[own])
  size <- output_size(stats::median(differences[differences > 0]))
  if (size == 0) {
    return(0)
  }
  scores <- scores / size
  doubt <- 1 / (sum(weight) + 2)
  loss <- function(log_slope) {
    p <- pmax(softmax(exp(log_slope) * scores), 1e-300)
    -sum(weight * ((1 - doubt) * log(p[own]) + doubt * rowMeans(log(p))))
  }
  exp(stats::optimize(loss, log(c(1e-3, 1e2)))$minimum) / size
}
