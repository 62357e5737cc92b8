# Rows of norm 1, for texts and other counts, whose length says little: each column has its weight, and each example is
# divided by its norm, which the core does while it packs them (`scaling$normed`).

unit_kind <- list(
  scale = "unit",
  title = function(transform) "weighted by rarity, rows of norm 1",
  fit = function(scale, x, columns) {
    scaling <- list(center = NULL, scale = size_over_rarity(x), normed = TRUE)
    list(transform = list(kind = "unit", scaling = scaling), x = x, columns = columns)
  },
  fields = list(scaling = type("a scaling to rows of norm 1", function(x, model) is.list(x) && isTRUE(x$normed)))
)

# The root mean square of the non-zero values of a column, divided by one plus the logarithm of rows per row in which it
# is not zero: the inverse document frequency of texts.
size_over_rarity <- function(x) {
  sums <- if (is_sparse(x)) Matrix::colSums else colSums
  present <- pmax(sums(x != 0), 1)
  size <- sqrt(sums(x^2) / present)
  if (!all(is.finite(size))) {
    abort("{.arg x} has values beyond 1e150, whose squares are too large: measure them in another unit.")
  }
  unname(ifelse(size >= smallest_scale, size, 1) / (1 + log(nrow(x) / present)))
}

# Rows of zeros stay as they are.
unit_rows <- function(x) {
  length <- sqrt(if (is_sparse(x)) Matrix::rowSums(x^2) else rowSums(x^2))
  length[length == 0] <- 1
  if (is_sparse(x)) Matrix::Diagonal(x = 1 / length) %*% x else x / length
}
