# Further epochs over the examples a model has learned, by update(), which takes them for new examples: solvers without
# a dual add to the coefficient of a visited example whatever it is, so that two support vectors of the same features
# are one with the sum of their coefficients.

can_continue <- function(fit) {
  traits <- fit$solver$traits
  solver_info(fit$solver$name)$epochs && !traits$dual && traits$nested && !is_stripped(fit) &&
    is.null(fit$probability) && is.null(fit$conformal)
}

# `epochs`: in all.
continue_epochs <- function(fit, x, y, weights, epochs) {
  done <- role_value(fit$solver, "epochs")
  if (epochs == done) {
    return(fit)
  }
  seen <- fit$n_seen
  fit$solver <- set_role(fit$solver, "epochs", epochs - done)
  fit <- stop_when_interrupted(update.osvm(fit, x, y, weights))
  fit$solver <- set_role(fit$solver, "epochs", epochs)
  fit$n_seen <- seen
  if (is.null(fit$sv)) fit else merge_duplicates(fit)
}

merge_duplicates <- function(fit) {
  keys <- row_keys(fit$sv)
  group <- match(keys, unique(keys))
  sums <- function(values) unname(rowsum(values, group, reorder = TRUE))
  names <- dimnames(fit$coef)
  fit$coef <- sums(fit$coef)
  dimnames(fit$coef) <- names
  if (!is.null(fit$state)) {
    kept <- dimnames(fit$state)
    layers <- apply(fit$state, 3, function(layer) sums(matrix(layer, length(group))), simplify = FALSE)
    fit$state <- array(unlist(layers), c(max(group), dim(fit$state)[-1]), kept)
  }
  fit$sv <- fit$sv[!duplicated(keys), , drop = FALSE]
  fit$target <- at_rows(fit$target, !duplicated(keys))
  fit$index <- NULL
  fit$n_sv <- sum(rowSums(fit$coef != 0) > 0)
  fit
}

# A text per row, the same for the same numbers only.
row_keys <- function(x) {
  if (!inherits(x, "dgCMatrix")) {
    return(do.call(paste, lapply(seq_len(ncol(x)), function(j) sprintf("%a", x[, j]))))
  }
  x <- Matrix::t(x)
  entries <- paste(x@i, sprintf("%a", x@x))
  row <- factor(rep(seq_len(ncol(x)), diff(x@p)), seq_len(ncol(x)))
  unname(vapply(split(entries, row), paste, "", collapse = " "))
}
