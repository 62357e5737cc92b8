# Scaling of every column on a curve of its own, before its mean and standard deviation: normal scores of ranks, or a
# robust scaling that bends far values in. `scaling$warp` is a list, which the core applies:
#   kind      "quantiles": linear between knots, constant beyond; "clip": (x - from) / to, bent in smoothly
#   start     knots start[j] + 1 to start[j + 1] are those of column j; one that has none stays as it is
#   from, to  values, and what they become; or a middle and a unit

warp_kind <- function(scale, title, fit) {
  list(
    scale = scale, title = function(transform) title, fit = fit,
    units = function(transform) { # the scaling without curves that is nearest in the middle of the data
      scaling <- transform$scaling
      half <- pmin(scaling$scale, 1)
      at <- rbind(scaling$center - half, scaling$center, scaling$center + half)
      at <- warp_matrix(scaling$warp, at, "back")
      spread <- (at[3, ] - at[1, ]) / 2 * scaling$scale / half
      list(center = at[2, ], scale = ifelse(spread >= smallest_scale, spread, scaling$scale))
    },
    fields = list(scaling = type(paste("a scaling", title), function(x, model) {
      is.list(x) && identical(x$warp$kind, names(warped_kinds)[warped_kinds == scale])
    }))
  )
}

rank_kind <- warp_kind("rank", "as normal scores of their ranks", function(scale, x, columns) {
  fit_warp("rank", x, columns, "quantiles", rank_knots)
})

robust_kind <- warp_kind("robust", "scaled by median and quartiles, far values bent in", function(scale, x, columns) {
  fit_warp("robust", x, columns, "clip", robust_knot)
})

# `knots`: a function of the different values of a column, their counts and their scaling as by scale = TRUE: list(from,
# to, center, scale). Columns of fewer than three values are scaled as by TRUE.
fit_warp <- function(kind, x, columns, warp, knots) {
  if (is_sparse(x)) {
    abort(c(
      "{.arg scale} must not be {.val {kind}} for sparse data, whose zeros would not stay zeros.",
      i = "{.code as.matrix(x)} is dense, if there is room for it."
    ))
  }
  scaling <- make_scaling(columns, nrow(x))
  found <- lapply(seq_len(ncol(x)), function(j) {
    different <- rle(sort(as.double(x[, j]), method = "radix"))
    if (length(different$values) > 2) knots(different$values, different$lengths)
  })
  part <- function(name) as.double(unlist(lapply(found, `[[`, name)))
  warped <- lengths(found) > 0
  scaling$center[warped] <- part("center")
  scaling$scale[warped] <- part("scale")
  start <- cumsum(c(0L, vapply(found, function(knots) length(knots$from), 1L)))
  scaling$warp <- list(kind = warp, start = start, from = part("from"), to = part("to"))
  list(transform = list(kind = kind, scaling = scaling), x = x, columns = columns)
}

# ---- normal scores of ranks ----

rank_intervals <- 127

# Of the different values, increasing, those on either side of scores that are evenly spaced: whatever lies between two
# knots is off by no more than this spacing, beside many equal values, too. Equal values have their mean rank.
rank_knots <- function(values, counts) {
  n <- sum(counts)
  score <- stats::qnorm((cumsum(counts) - counts / 2) / n)
  grid <- seq(score[1], score[length(score)], length.out = rank_intervals + 1)
  below <- findInterval(grid[-c(1, length(grid))], score)
  kept <- if (length(values) <= rank_intervals) seq_along(values) else
    sort(unique(c(1L, below, below + 1L, length(values))))
  warped <- stats::approx(values[kept], score[kept], values)$y
  mean <- sum(counts * warped) / n
  list(from = values[kept], to = score[kept], center = mean, scale = sqrt(sum(counts * (warped - mean)^2) / (n - 1)))
}

# ---- median and quartiles ----

# Half the range is the unit where the quartiles are equal (Holzmueller, Grinsztajn & Steinwart 2024).
robust_knot <- function(values, counts) {
  # As stats::quantile() has them of the values, each repeated as often as counted
  last <- cumsum(counts)
  at <- 1 + c(0.25, 0.5, 0.75) * (last[length(last)] - 1)
  low <- values[findInterval(floor(at) - 1, last) + 1]
  high <- values[findInterval(ceiling(at) - 1, last) + 1]
  quarter <- low + (at - floor(at)) * (high - low)
  unit <- quarter[3] - quarter[1]
  if (unit < smallest_scale) unit <- (values[length(values)] - values[1]) / 2
  list(from = quarter[2], to = unit, center = 0, scale = 1)
}

# ---- values ----

# A matrix of the user's columns on their curves, from there "back", or the "slopes" of the way back.
warp_matrix <- function(warp, x, way = "on") {
  if (is.null(warp)) return(x)
  out <- core_result(.Call(ffi_warp, list(x = x, warp = warp), match(way, c("on", "back", "slopes"))), "The scaling")
  dimnames(out) <- dimnames(x)
  out
}

# Kept from one prediction to the next.
warped_vectors <- function(warp, sv) {
  if (length(sv) > most_warped) return(warp_matrix(warp, sv))
  remembered("warped", list(warp = warp, sv = sv), function(known) warp_matrix(known$warp, known$sv), most = 2)
}

most_warped <- 2e6

# The description of columns on their curves: their range, and what is about their moments.
warp_columns <- function(scaling, columns) {
  columns[, c("low", "high")] <- t(warp_matrix(scaling$warp, t(columns[, c("low", "high"), drop = FALSE])))
  warped <- diff(scaling$warp$start) > 0
  columns[warped, "mean"] <- scaling$center[warped]
  columns[warped, "sd"] <- (columns[warped, "high"] - columns[warped, "low"]) / 4
  columns
}

# ---- checks ----

warped_kinds <- c(quantiles = "rank", clip = "robust")

# The core checks the rest.
is_warp <- function(warp, d) {
  is.list(warp) && is_one_text(warp$kind) && warp$kind %in% c("quantiles", "clip") && is.integer(warp$start) &&
    length(warp$start) == d + 1 && !anyNA(warp$start) && all(diff(warp$start) >= 0) && warp$start[1] == 0 &&
    all_finite(warp$from, warp$start[d + 1]) && all_finite(warp$to, warp$start[d + 1])
}
