# Decision values or classes at the grid points.
plot_surface <- function(object, axes, limits, n) {
  x <- seq(limits[1], limits[2], length.out = n)
  y <- seq(limits[3], limits[4], length.out = n)
  at <- cbind(rep(x, n), rep(y, each = n))
  ask <- function(type) predict_at(object, axes, at, type)
  surface <- list(x = x, y = y)
  if (nrow(object$machines) == 1) {
    surface$decision <- ask("decision")
    surface$threshold <- class_threshold(object)
  } else {
    surface$class <- find_targets(object, ask("class"))
    surface$lead <- class_lead(object, ask("decision"))
  }
  surface
}

# Predictions at points of the axes, in pieces that bound the memory for wide data.
predict_at <- function(object, axes, at, type) {
  piece <- ceiling(seq_len(nrow(at)) / max(1, 4e6 %/% length(axes$all)))
  out <- lapply(split(seq_len(nrow(at)), piece), function(rows) {
    # The window is wider than the range of a constant feature.
    suppressWarnings(
      predict.osvm(object, grid_data(object, axes, at[rows, , drop = FALSE]), type = type),
      classes = "osvm_out_of_range"
    )
  })
  if (is.matrix(out[[1]])) do.call(rbind, out) else unlist(out, use.names = FALSE)
}

# The lead of each class, a column per class: its decision value minus the largest of the others (one-vs-rest), or the
# smallest of its pairs (one-vs-one). The lead is zero at the boundary of its region. Where no class wins all of its
# pairs, or the model has probabilities, it is that of the scores which decide.
class_lead <- function(object, decision) {
  if (!is.null(object$probability)) {
    return(score_lead(weighted_probabilities(object, decision)))
  }
  machines <- object$machines
  lead <- lapply(seq_along(object$levels), function(k) {
    own <- if (object$multiclass == "ovr") {
      decision[, k] - decision[, -k, drop = FALSE]
    } else {
      cbind(decision[, machines$positive == k, drop = FALSE], -decision[, machines$negative == k, drop = FALSE])
    }
    do.call(pmin, asplit(own, 2))
  })
  lead <- do.call(cbind, lead)
  open <- rowSums(lead > 0) == 0
  if (object$multiclass == "ovo" && any(open)) {
    lead[open, ] <- score_lead(class_scores(object, decision[open, , drop = FALSE]))
  }
  lead
}

score_lead <- function(scores) {
  for_class <- function(k) scores[, k] - do.call(pmax, asplit(scores[, -k, drop = FALSE], 2))
  matrix(vapply(seq_len(ncol(scores)), for_class, numeric(nrow(scores))), ncol = ncol(scores))
}

grid_data <- function(object, axes, at) {
  if (!is.null(object$encoding)) {
    columns <- axes$center
    columns[axes$names] <- lapply(seq_along(axes$names), function(k) at[, k])
    return(as.data.frame(columns, optional = TRUE))
  }
  n <- nrow(at)
  if (is.null(axes$center)) {
    out <- Matrix::sparseMatrix(
      rep(seq_len(n), length(axes$chosen)), rep(axes$chosen, each = n),
      x = c(at), dims = c(n, length(axes$all))
    )
  } else {
    out <- matrix(axes$center, n, length(axes$all), byrow = TRUE)
    out[, axes$chosen] <- at
  }
  colnames(out) <- object$feature_names
  out
}

# Values of the features that are not drawn; NULL, for sparse data, is zero.
plot_center <- function(object, data) {
  if (!is.null(object$encoding)) {
    lapply(object$encoding$variables, `[[`, "typical")
  } else if (object$sparse) {
    NULL
  } else if (!is.null(transform_units(object$transform)$center)) {
    transform_units(object$transform)$center
  } else if (!is.null(data)) {
    Matrix::colMeans(data)
  } else if (!is.null(object$sv)) {
    colMeans(sv_in_units(object))
  }
}
