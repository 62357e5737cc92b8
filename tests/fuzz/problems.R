# Random small problems: code that defines `x` and `y`, and `data` with both.

problem <- function() {
  n <- pick(c(2, 4, 8, 12, 12, 20, 30))
  d <- pick(c(1, 2, 2, 3, 5, 9))
  classes <- min(n, pick(c(2, 2, 3, 4)))
  kind <- pick(c("dense", "dense", "extreme", "integer", "sparse", "sparse", "frame", "frame"))
  list(
    n = n, d = d, kind = kind,
    code = c(
      sprintf("set.seed(%d)", sample.int(1e6, 1)),
      paste("x <-", suppressWarnings(sprintf(pick(features[[kind]]), n, d))),
      if (kind != "frame" && chance(0.3)) pick(column_names),
      paste("y <-", sprintf(pick(labels), classes, n)),
      if (chance(0.3)) "y <- y[sample.int(length(y))]",
      # Enough repeats to be folded
      if (chance(0.02)) c("x <- x[rep_len(seq_len(nrow(x)), 1000), , drop = FALSE]", "y <- rep_len(y, 1000)")
    )
  )
}

features <- list(
  dense = c(
    "matrix(rnorm(%1$d * %2$d), %1$d)", "matrix(round(rnorm(%1$d * %2$d)), %1$d)", "matrix(0, %d, %d)",
    "cbind(matrix(rnorm(%1$d * %2$d), %1$d), 1)", "matrix(rnorm(%1$d * %2$d), %1$d)[rep_len(1:2, %1$d), , drop = FALSE]"
  ),
  extreme = c(
    "1e150 * matrix(rnorm(%1$d * %2$d), %1$d)", "1e-150 * matrix(rnorm(%1$d * %2$d), %1$d)",
    "1e-310 * matrix(rnorm(%1$d * %2$d), %1$d)", "1e6 + matrix(rnorm(%1$d * %2$d), %1$d)",
    "matrix(rnorm(%1$d * %2$d), %1$d) * rep_len(c(1e8, 1e-8), %1$d)", "matrix(c(1.7e308, -1.7e308), %d, %d)"
  ),
  integer = c(
    "matrix(sample.int(9, %1$d * %2$d, TRUE), %1$d)", "matrix(2e9L + sample.int(99, %1$d * %2$d, TRUE), %1$d)",
    "matrix(runif(%1$d * %2$d) > 0.5, %1$d)"
  ),
  sparse = c(
    "Matrix::rsparsematrix(%d, %d, 0.4)", "Matrix::rsparsematrix(%d, %d, 0)",
    "methods::as(Matrix::rsparsematrix(%d, %d, 0.5), \"TsparseMatrix\")",
    "methods::as(Matrix::rsparsematrix(%d, %d, 0.5), \"RsparseMatrix\")",
    "methods::as(Matrix::rsparsematrix(%d, %d, 0.5), \"nMatrix\")",
    "Matrix::Matrix(rnorm(%1$d * %2$d), %1$d, sparse = FALSE)"
  ),
  frame = c(
    "data.frame(matrix(rnorm(%1$d * %2$d), %1$d))",
    "data.frame(a = rnorm(%1$d), b = factor(rep_len(c(\"u\", \"v\"), %1$d)))",
    "data.frame(`a b` = rnorm(%1$d), t = rep_len(c(TRUE, FALSE), %1$d), check.names = FALSE)"
  )
)

column_names <- c(
  "colnames(x) <- paste0(\"x\", seq_len(ncol(x)))",
  "colnames(x) <- c(\"{stop('evaluated')}\", \"\", \"%s\", letters)[seq_len(ncol(x))]",
  "colnames(x) <- c(\"a\", NA, letters)[seq_len(ncol(x))]", "rownames(x) <- paste(\"row\", seq_len(nrow(x)))"
)

labels <- c(
  "factor(letters[rep_len(seq_len(%d), %d)])", "factor(letters[rep_len(seq_len(%d), %d)], levels = letters)",
  "letters[rep_len(seq_len(%d), %d)]", "rep_len(seq_len(%d), %d)", "rep_len(seq_len(%d) - 1, %d)",
  "rep_len(seq_len(%d) == 1, %d)",
  "stats::rnorm(%2$d, %1$d)", "factor(rep_len(c(\"{stop('evaluated')}\", \"\", \"%%s\", \" \")[seq_len(%d)], %d))"
)

# Where the statements before need them.
data_code <- "data <- if (is.data.frame(x)) cbind(x, y = y) else data.frame(as.matrix(x), y = y)"
