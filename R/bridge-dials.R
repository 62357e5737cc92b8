#' Parameters of solvers, kernels and losses for dials
#'
#' `osvm_dials()` makes a tuning parameter for the package dials, and thereby for `tune::tune_grid()`, from what
#' solvers, kernels and losses declare.
#'
#' @param name A parameter of a solver, a kernel or a loss, such as `"C"`, `"lambda"`, `"epochs"`, `"gamma"` or
#'   `"epsilon"`, which is also `"margin"`, as in parsnip; or `"solver"` or `"kernel"`.
#' @param range Two numbers, the smallest and the largest value to try (not their logarithms). `NULL` gives a range that
#'   suits scaled data.
#' @param values For parameters that are choices or flags, the values to try. `NULL` gives all of them.
#' @return A parameter as `dials::new_quant_param()` or `dials::new_qual_param()` makes it. Parameters whose order of
#'   magnitude matters are on a log10 scale.
#' @seealso [frameworks], [osvm_parsnip()], [solvers()]
#' @export
#' @examplesIf requireNamespace("dials", quietly = TRUE)
#' osvm_dials("C")
#' osvm_dials("lambda", range = c(1e-6, 1e-3))
#' osvm_dials("solver", values = c("smo", "lasvm"))
#' dials::grid_regular(osvm_dials("C"), osvm_dials("gamma"), levels = 3)
osvm_dials <- function(name, range = NULL, values = NULL) {
  losses <- all_parameters("loss")
  known <- c(all_parameters("solver"), all_parameters("kernel"), losses, list(
    margin = losses$epsilon, solver = list(type = "choice", levels = spec_names("solver")),
    kernel = list(type = "choice", levels = kernel_table()$name)
  ))
  if (missing(name) || !is.character(name) || length(name) != 1 || !name %in% names(known)) {
    usual <- names(c(usual_parameters("solver"), usual_parameters("kernel"), losses))
    abort(c(
      "{.arg name} must be a parameter of a solver, a kernel or a loss, {.val solver} or {.val kernel}.",
      i = "Those usually tuned are {.val {usual}}."
    ))
  }
  need_package("dials", "osvm_dials")
  parameter <- known[[name]]
  make <- if (parameter$type %in% c("flag", "choice")) qual_param else quant_param
  make(name, parameter, range, values)
}

qual_param <- function(name, parameter, range, values) {
  if (!is.null(range)) abort("{.arg range} is for numbers; {.val {name}} takes {.arg values}.")
  all <- if (parameter$type == "flag") c(TRUE, FALSE) else parameter$levels
  if (is.null(values)) values <- all
  if (!is.atomic(values) || length(values) == 0 || !all(values %in% all) || typeof(values) != typeof(all)) {
    abort("{.arg values} must be among {.val {all}}.")
  }
  dials::new_qual_param(typeof(all), values = values, label = stats::setNames(parameter_label(name, parameter), name))
}

quant_param <- function(name, parameter, range, values) {
  if (!is.null(values)) abort("{.arg values} is for choices; {.val {name}} takes a {.arg range}.")
  search <- parameter[c("range", "log")]
  if (is.null(search$range)) search <- list(range = c(parameter$lower, min(parameter$upper, 1000)), log = FALSE)
  if (!is.null(range)) {
    two <- is.numeric(range) && !is.object(range) && length(range) == 2 && all(is.finite(range))
    within <- two && range[1] >= parameter$lower && range[2] <= parameter$upper
    if (!within || range[1] >= range[2] || search$log && range[1] <= 0) {
      abort("{.arg range} must be two increasing numbers from {parameter$lower} to {parameter$upper}
             {if (search$log) '(0 excluded)'}.")
    }
    search$range <- if (search$log) log10(range) else range
  }
  whole <- parameter$type == "whole" && !search$log
  dials::new_quant_param(
    if (whole) "integer" else "double",
    range = if (whole) as.integer(search$range) else as.numeric(search$range), inclusive = c(TRUE, TRUE),
    trans = if (search$log) scales::log10_trans(), label = stats::setNames(parameter_label(name, parameter), name)
  )
}

parameter_label <- function(name, parameter) if (is.null(parameter$label)) name else parameter$label

# ---- those of the engine of parsnip ----

# parsnip's argument, its name in osvm_parsnip(), and the dials function that makes it, with a range. `engine`: of
# solvers' parameters, by role.
engine_arguments <- list(
  main = list(
    cost = list("C", "cost", c(-10, 5)), margin = list("margin", "svm_margin", NULL),
    rbf_sigma = list("gamma", "rbf_sigma", NULL), degree = list("degree", "prod_degree", c(1L, 3L)),
    scale_factor = list("gamma", "scale_factor", NULL)
  ),
  engine = list(
    epochs = list("epochs", c(1L, 20L)), penalty = list("penalty", c(-7, -1)), rate = list("learn_rate", c(-4, 0))
  )
)

engine_models <- list(
  svm_linear = list(kernel = "linear", main = c("cost", "margin")),
  svm_poly = list(kernel = "polynomial", main = c("cost", "degree", "scale_factor", "margin")),
  svm_rbf = list(kernel = "rbf", main = c("cost", "rbf_sigma", "margin"))
)
