# Damaged matrices and models.

# A dgCMatrix whose slots disagree: Matrix checks them when it builds one, not afterwards.
damaged_sparse <- function() {
  good <- sparse_clouds()$s
  n <- length(good@x)
  damage <- function(slot, value) {
    attr(good, slot) <- value
    good
  }
  list(
    p_not_monotone = damage("p", replace(good@p, 2, n + 5L)),
    p_negative = damage("p", replace(good@p, 2, -4L)),
    p_start = damage("p", replace(good@p, 1, 1L)),
    p_end = damage("p", replace(good@p, 4, n + 100L)),
    p_short = damage("p", good@p[-1]),
    p_na = damage("p", replace(good@p, 2, NA)),
    p_empty = damage("p", integer()),
    p_double = damage("p", good@p + 0.5),
    p_text = damage("p", "a"),
    i_large = damage("i", replace(good@i, 3, 1000000L)),
    i_negative = damage("i", replace(good@i, 3, -1L)),
    i_na = damage("i", replace(good@i, 3, NA)),
    i_short = damage("i", good@i[-1]),
    i_empty = damage("i", integer()),
    i_text = damage("i", rep("a", n)),
    i_repeated = damage("i", replace(good@i, 2, good@i[1])),
    x_short = damage("x", good@x[-1]),
    x_empty = damage("x", numeric()),
    x_text = damage("x", rep("a", n)),
    x_integer = damage("x", rep(1L, n)),
    dim_rows = damage("Dim", c(10L, 3L)),
    dim_columns = damage("Dim", c(40L, 30L)),
    dim_negative = damage("Dim", c(-40L, 3L)),
    dim_na = damage("Dim", c(NA, 3L)),
    dim_short = damage("Dim", 40L),
    dim_text = damage("Dim", c("40", "3")),
    names_missing = damage("Dimnames", list()),
    names_short = damage("Dimnames", list(NULL, "a")),
    names_text = damage("Dimnames", "a"),
    names_number = damage("Dimnames", list(NULL, 1:3)),
    factors_missing = damage("factors", NULL)
  )
}

# Every part of a model, by its path.
model_paths <- function(object, at = NULL) {
  parts <- seq_along(object)
  if (!is.list(object) || is.data.frame(object)) {
    return(list(at))
  }
  c(list(at), unlist(lapply(parts, function(i) model_paths(object[[i]], c(at, i))), recursive = FALSE))
}

swap_part <- function(fit, at, value) {
  kind <- class(fit)
  parts <- unclass(fit)
  parts[[at]] <- value
  structure(parts, class = kind)
}

# Every method of a model, after damage: an osvm_error or no effect.
used_by_all_methods <- function(broken, data) {
  quiet <- function(value) utils::capture.output(print(value))
  for (method in list(print, summary, strip, function(fit) query(fit, data$x), function(fit) decide(fit, data$x))) {
    got <- tryCatch(quiet(method(broken)), osvm_error = function(e) NULL)
    expect_true(is.null(got) || is.character(got))
  }
  expect_true(is.numeric(tryCatch(coef(broken), osvm_error = function(e) 0)))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_error(plot(broken, features = 1:2, grid = 5), class = "osvm_error")
}

# The replacements that end in anything but an osvm_error or finite values. update() checks a
# model as predict() does: it is called where predict() gave values.
unnoticed_damage <- function(fit, data, swaps, leave_out = NULL) {
  use <- function(broken) {
    decide(broken, data$x)
    decide(update(broken, data$x, data$y), data$x)
  }
  paths <- model_paths(fit)[-1]
  paths <- paths[!names(fit)[vapply(paths, `[`, 0L, 1)] %in% leave_out]
  out <- character()
  for (k in seq_along(paths)) for (swap in swaps(k)) {
    broken <- swap_part(fit, paths[[k]], swap)
    got <- tryCatch(muffle_not_separable(use(broken)), osvm_error = function(e) 0, condition = conditionMessage)
    if (!is.numeric(got) || !all(is.finite(got))) {
      part <- paste(c(names(fit)[paths[[k]][1]], paths[[k]][-1]), collapse = ".")
      out <- c(out, paste0(part, " <- ", deparse(swap), ": ", toString(head(got))))
    }
  }
  out
}
