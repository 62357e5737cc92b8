# Writes src/budget-merge-table.h: the functions F and G of budget-merge.c at the corners of a grid of m (0 to 1/2) and k (0 to
# 1). Run from the top of the sources: Rscript tools/merge-table.R
cells <- 32

# |p a + q b|^2 over h, for a = m, b = 1 - m; the best h is in 0 .. 1/2
best_h <- function(m, k) {
  gain <- function(h) m * k^((1 - h)^2) + (1 - m) * k^(h^2)
  starts <- seq(0, 0.5, length.out = 51)
  near <- starts[which.max(gain(starts))]
  optimize(gain, c(max(0, near - 0.01), min(0.5, near + 0.01)), maximum = TRUE, tol = 1e-12)$maximum
}

f_and_g <- function(m, k) {
  if (k == 1) return(c(2, 2))
  if (k == 0) return(c(1 / (1 - m)^2, 0))
  if (m == 0) return(c((1 - k^2 + 2 * k^2 * log(k)) / (1 - k)^2, -2 * k^2 * log(k) / (1 - k)))
  h <- best_h(m, k)
  p <- k^((1 - h)^2)
  q <- k^(h^2)
  loss <- m^2 * (1 - p^2) + (1 - m)^2 * (1 - q^2) + 2 * m * (1 - m) * (k - p * q)
  c(loss / (m * (1 - m) * (1 - k))^2, (p * q - k) / (m * (1 - m) * (1 - k)))
}

corners <- expand.grid(k = (0:cells) / cells, m = (0:cells) / cells / 2)
values <- mapply(f_and_g, corners$m, corners$k)

write_table <- function(name, values) {
  rows <- split(sprintf("%.5gf", values), rep(0:cells, each = cells + 1))
  rows <- vapply(rows, function(row) paste0("{", paste(sub("^([0-9]+)f$", "\\1.f", row), collapse = ", "), "}"), "")
  c(
    paste0("static const float ", name, "[OSVM_MERGE_CELLS + 1][OSVM_MERGE_CELLS + 1] = {"),
    paste0("    ", rows, ifelse(seq_along(rows) < length(rows), ",", "};"))
  )
}

writeLines(c(
  "/* F and G of budget-merge.c, by m (rows) and k; written by tools/merge-table.R. */",
  "#pragma once", "",
  paste0("enum { OSVM_MERGE_CELLS = ", cells, " };"), "", "/* clang-format off */",
  unlist(lapply(list(list("osvm_merge_f", values[1, ]), list("osvm_merge_g", values[2, ])), function(table) {
    strwrap(write_table(table[[1]], table[[2]]), width = 119, exdent = 5)
  })),
  "/* clang-format on */"
), "src/budget-merge-table.h")
