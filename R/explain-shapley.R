#' Exact Shapley values
#'
#' Divides each prediction into contributions of the variables, exactly and within seconds, for Gaussian, Laplacian and
#' linear kernels. The contributions of a row sum to its decision value less the base, which is the value of the model
#' with all variables left out.
#'
#' The decision value of a support vector machine is a sum of kernel values,
#' \eqn{f(x) = b + \sum_i a_i k(x, x_i)}{f(x) = b + sum_i a_i k(x, x_i)}. The Gaussian and the Laplacian kernel are
#' products over features, and **a feature that is left out has the factor 1**, as if its value were that of every
#' support vector. The base is therefore \eqn{b + \sum_i a_i}{b + sum_i a_i}. For the linear kernel a feature that is
#' left out adds nothing to the sum: the base is the intercept, and the Shapley value is weight times value, both of the
#' scaled feature. In the units of the data that is `coef(object)` times the difference to the mean, if features were
#' centred, as they are with `scale = TRUE`.
#'
#' The Shapley value of a feature is what it adds when it joins those before it, in the mean over all orders. The sum
#' over all subsets is the integral of a polynomial, which Gauss-Legendre quadrature computes without an error but that
#' of rounding, in a time that grows with the number of features to the power of 1.5 or 2. No value is sampled, and no
#' background data is needed.
#'
#' @section Other Shapley values:
#' SHAP, as in the packages kernelshap, fastshap or iml, leaves a feature out by averaging predictions over its values
#' in background data, combined with the other features of the row. Its base is the mean prediction of these data, and
#' its values answer "compared with the data"; those of this page answer "compared with a model that does not look".
#' Both sum to the prediction. They often rank features alike, and are not the same numbers: where two support vectors
#' of opposite sign are far apart in a feature, leaving that out makes them equally near, whatever its distribution is.
#' For kernels that are no such products, and for [kernel_fourier()], use one of these packages; an example is below.
#'
#' @param object A model made by [osvm()], or a tuning or stream, for its final model. Its kernel is [kernel_rbf()],
#'   [kernel_laplacian()], [kernel_linear()], or one of these approximated by [kernel_nystrom()].
#' @param newdata,new_levels,missing_columns,threads Examples, as in [`predict()`][predict.osvm].
#' @param ... Not used: an unknown argument is an error.
#' @returns A list of class `osvm_shapley`:
#'   - `values`: a matrix with a row per example and a column per variable; of models with several binary classifiers or
#'     columns of numbers an array, whose third dimension has a name for each of these. A variable is a column that you
#'     gave: values of the indicators of a factor are summed, and those of terms of a formula that have the same
#'     variables. Rows with missing values are `NA`.
#'   - `base`: the value with all variables left out, one for each binary classifier or column of numbers. Of a model of
#'     cells, in which it depends on the cell of the row, a matrix with a row per example.
#'   - `decision`: base plus values, which is the decision value, in double precision; a matrix with a column for each.
#'   - `x`: the values of the variables.
#'   - `columns`: the number of columns of the model that each variable has.
#'   - `unit`: what the values are measured in. Those of numbers are in units of `y`; those of classes are on the scale
#'     of decision values, positive for the second class, or for the class that the third dimension names.
#'
#'   `print()` shows the mean absolute value of each variable. For plots see [`plot()`][plot.osvm_shapley]. The package
#'   shapviz takes it: `shapviz::shapviz(values)`.
#' @references
#' Lundberg, S. and Lee, S. (2017). A unified approach to interpreting model predictions. *Advances in Neural
#' Information Processing Systems 30*.
#'
#' Shapley, L. (1953). A value for n-person games. *Contributions to the Theory of Games 2*.
#' @seealso [osvm_importance()]
#' @examples
#' fit <- osvm(mpg ~ wt + hp + qsec + factor(cyl), mtcars)
#' why <- osvm_shapley(fit, mtcars)
#' why
#' # They sum to the predictions
#' head(cbind(predict(fit, mtcars), why$base + rowSums(why$values)))
#'
#' plot(why, row = "Fiat 128")
#' plot(why)
#' plot(why, variable = "wt")
#'
#' # Classes: on the scale of decision values
#' fit <- osvm(Species ~ ., iris)
#' osvm_shapley(fit, iris[c(1, 51, 101), ])
#'
#' # Beside sampling: kernelshap compares with the mean of background data
#' if (requireNamespace("kernelshap", quietly = TRUE)) {
#'   fit <- osvm(mpg ~ wt + hp + qsec, mtcars)
#'   two <- mtcars[1:2, c("wt", "hp", "qsec")]
#'   sampled <- kernelshap::kernelshap(fit, two, bg_X = mtcars, verbose = FALSE)
#'   exact <- osvm_shapley(fit, two)
#'   print(list(sampled = sampled$S, its_base = sampled$baseline))
#'   print(list(exact = exact$values, our_base = exact$base))
#' }
#' @export
osvm_shapley <- function(object, ...) UseMethod("osvm_shapley")

#' @rdname osvm_shapley
#' @export
osvm_shapley.osvm <- function(object, newdata, new_levels = c("error", "NA"), missing_columns = c("error", "zero"),
                              threads = NULL, ...) {
  check_dots("osvm_shapley", ...)
  object <- check_predictor(object, cells = TRUE)
  if (missing(newdata)) abort("{.arg newdata} is missing: a model does not keep its training data.")
  new_levels <- one_choice(new_levels, c("error", "NA"))
  missing_columns <- one_choice(missing_columns, c("error", "zero"))
  check_product(object)
  frame <- variable_frame(object, newdata, missing_columns)
  variables <- model_variables(object)
  threads <- resolve_threads(threads)
  products <- if (!has_cells(object)) as_products(object)
  found <- with_missing_rows(model_input(object, frame, "newdata", new_levels), "newdata", function(x, columns) {
    if (nrow(x) > 0) warn_range(object, far_columns(object, columns), "newdata")
    if (is.null(products)) {
      cell_shapley(object, x, variables, threads)
    } else {
      model_shapley(object, products, x, variables, threads)
    }
  })
  base <- if (!is.null(products)) in_label_units(object, unname(products$base))
  new_shapley(object, found, base, variables, variable_values(object, frame, variables))
}

#' @rdname osvm_shapley
#' @export
osvm_shapley.osvm_tuning <- function(object, newdata, ...) osvm_shapley.osvm(tuned_model(object), newdata, ...)

# ---- what can be divided ----

check_product <- function(object) {
  kernel <- object$kernel
  refuse_given(kernel, "A Shapley value")
  base <- kernel_info(if (is_low_rank(kernel)) base_name(kernel) else kernel$name)
  # Of a low rank it is a sum over landmarks, unless features are random or scaled anew for each example.
  a_sum <- !is_low_rank(kernel) ||
    length(role_name(kernel, "landmarks")) > 0 && !isTRUE(object$solver$traits$unit_norm)
  if (a_sum && (base$linear || base$product)) {
    return(invisible())
  }
  exact <- paste0("kernel_", kernel_table()$name[kernel_table()$product])
  abort(c(
    "Exact Shapley values are those of {.fn {c(exact, 'kernel_linear')}}, not of this model's {.val {kernel$name}}.",
    i = "{.code kernelshap::kernelshap()} estimates them from the predictions of any model."
  ))
}

# The model as the core divides it: a sum of products over support vectors or landmarks, or weights of the features.
# `transform`: how new rows are scaled.
as_products <- function(object) {
  transform <- object$transform
  transform$map <- NULL
  if (!is.null(object$transform$map)) {
    object <- as_expansion(object)
    if (is_primal(object)) object$coef <- as.matrix(Matrix::crossprod(object$sv, object$coef))
  }
  support <- if (!is_primal(object)) core_data(object$sv, object$transform)
  base <- object$intercept + if (is_primal(object)) 0 else colSums(object$coef)
  if (!is.null(object$trend)) base <- base + object$trend$intercept
  model <- c(support, list(coef = as.double(object$coef), machines = nrow(object$machines)))
  list(model = model, kernel = object$kernel$core, transform = transform, base = base)
}

# ---- values of rows: a column per variable and machine, and the base, a column per machine ----

model_shapley <- function(object, products, x, variables, threads) {
  control <- list(
    threads = threads, level = simd_level(), unit_norm = object$solver$traits$unit_norm,
    group = variables$of - 1L, groups = length(variables$names)
  )
  divide <- function(x) {
    values <- core_result(
      .Call(ffi_shapley, products$model, core_data(x, products$transform), products$kernel, control),
      "The computation of Shapley values"
    )
    matrix(values, nrow(x), length(variables$names) * nrow(object$machines))
  }
  centred <- is_sparse(x) && !is.null(products$transform$scaling$center)
  units <- label_units(object)
  values <- if (centred) in_slices(x, divide) else divide(x)
  if (!is.null(object$trend)) values <- values + trend_shapley(object$trend, x, variables)
  list(
    values = values * rep(units$scale, each = length(values) / length(units$scale)),
    base = in_label_units(object, matrix(rep(products$base, each = nrow(x)), nrow(x), length(products$base)))
  )
}

# What each variable adds to a trend, a column per variable and machine: slopes times differences to the centre.
trend_shapley <- function(trend, x, variables) {
  apart <- t(as.matrix(x)) - trend$center
  unlist(lapply(seq_len(ncol(trend$coef)), function(m) t(rowsum(apart * trend$coef[, m], variables$of))))
}

# The outputs of machines that a cell has not learned are constant.
cell_shapley <- function(object, x, variables, threads) {
  machines <- nrow(object$machines)
  values <- array(0, c(nrow(x), length(variables$names), machines))
  base <- matrix(0, nrow(x), machines)
  for (rows in split(seq_len(nrow(x)), cell <- assign_cells(object, x, threads))) {
    part <- object$cells$parts[[cell[rows[1]]]]
    base[rows, ] <- in_label_units(object, part_outputs(part, NULL, length(rows)))
    if (length(part$machine) == 0) next
    single <- cell_model(object, part)
    learned <- model_shapley(single, as_products(single), x[rows, , drop = FALSE], variables, threads)
    values[rows, , part$machine] <- learned$values
    base[rows, part$machine] <- learned$base
  }
  list(values = matrix(values, nrow(x)), base = base)
}

# ---- the result ----

# `base`: NULL where each row has its own
new_shapley <- function(object, found, base, variables, x) {
  machines <- machine_names(object)
  second <- if (predicts_classes(object) && length(object$levels) == 2) paste(",", object$levels[2])
  unit <- if (!predicts_numbers(object)) paste0("decision value", second) else
    if (n_columns(object) == 1) label_name(object) else "the numbers"
  rows <- if (is.data.frame(x)) attr(x, "row.names") else rownames(x)
  if (!is.character(rows)) rows <- NULL
  values <- array(found$values, c(nrow(x), length(variables$names), length(machines)))
  sums <- vapply(seq_along(machines), function(m) rowSums(values[, , m, drop = FALSE]), numeric(nrow(x)))
  decision <- found$base + matrix(sums, nrow(x), length(machines))
  dimnames(values) <- list(rows, variables$names, machines)
  dimnames(found$base) <- dimnames(decision) <- list(rows, machines)
  one <- length(machines) == 1
  structure(list(
    values = if (one) matrix(values, nrow(x), dim(values)[2], dimnames = dimnames(values)[1:2]) else values,
    base = if (is.null(base)) found$base else if (one) base else stats::setNames(base, machines),
    decision = decision, x = x,
    columns = stats::setNames(tabulate(variables$of, length(variables$names)), variables$names),
    unit = unit, title = solver_title(object$solver)
  ), class = "osvm_shapley")
}

check_shapley <- function(x) {
  if (is.list(x)) check_matrix(.subset2(x, "x"), "x$x")
  check_fields(x, shapley_fields, c("The set of Shapley values", "Compute them anew with {.fn osvm_shapley}."))
}

shapley_fields <- list(
  values = type("a number per row and variable", function(x, why) {
    is.numeric(x) && length(dim(x)) %in% 2:3 && identical(colnames(x), names(why$columns)) && nrow(x) == NROW(why$x)
  }),
  base = type("a number per binary classifier", function(x, why) {
    is.numeric(x) && NCOL(if (is.matrix(x)) x else t(x)) == NCOL(why$decision)
  }),
  decision = type("a number per row and binary classifier", function(x, why) {
    is.numeric(x) && identical(dim(x), c(nrow(why$values), dim(array(why$values, c(dim(why$values), 1)))[3])) &&
      is.character(colnames(x))
  }),
  x = type("a value per row and variable", function(x, why) {
    length(dim(x)) == 2 && ncol(x) == ncol(why$values) && (is_sparse(x) || is.matrix(x) || is.data.frame(x) &&
      all(lengths(unclass(x)) == nrow(why$values)))
  }),
  columns = type("a count per variable", function(x, ...) is.numeric(x) && is.character(names(x))),
  unit = a_text, title = a_text
)

# The values of one binary classifier or column of numbers
machine_values <- function(x, machine) {
  if (length(dim(x$values)) == 2) {
    return(x$values)
  }
  matrix(x$values[, , machine], nrow(x$values), dimnames = dimnames(x$values)[1:2])
}

# A column per binary classifier
mean_absolute <- function(x) {
  machines <- seq_len(ncol(x$decision))
  sizes <- vapply(machines, function(m) colMeans(abs(machine_values(x, m)), na.rm = TRUE), numeric(ncol(x$values)))
  matrix(sizes, ncol(x$values), dimnames = list(colnames(x$values), colnames(x$decision)))
}

#' @export
print.osvm_shapley <- function(x, ...) {
  check_dots("print", ...)
  check_shapley(x)
  sizes <- mean_absolute(x)
  sizes <- sizes[order(-rowMeans(sizes)), , drop = FALSE]
  summed <- x$columns[x$columns > 1]
  cat_line("Shapley values of ", plural(nrow(x$values), "row"), " and ", plural(ncol(x$values), "variable"))
  print_fields(c(
    unit = x$unit,
    base = if (is.matrix(x$base)) "that of the cell of each row" else toString(signif(x$base, 4)),
    if (length(summed) > 0) c(sums = toString(paste(names(summed), "over", summed, "columns")))
  ))
  shown <- utils::head(sizes, 20)
  cat_line("")
  cat_line("Mean absolute value", if (nrow(sizes) > 20) paste(" of the first 20 of", nrow(sizes)), ":")
  table <- data.frame(variable = rownames(shown), signif(shown, 4), check.names = FALSE)
  if (ncol(table) == 2) names(table)[2] <- "value"
  print_rows(table)
  invisible(x)
}
