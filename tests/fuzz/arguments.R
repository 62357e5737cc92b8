# Values of arguments, as code. Valid ones go by the argument's name (or "function:name"); an argument that is not
# listed follows its default: one of the choices, either flag, a number of the same size.

# Everything a caller may give by mistake.
junk <- c(
  "NULL", "NA", "NaN", "Inf", "-Inf", "-1", "0", "0.5", "1e308", "1e-320", "2^31", "2^53", "1:3", "integer()",
  "character()",
  "\"a\"", "\"\"", "NA_character_", "letters", "\"{stop('evaluated')}\"", "\"%s\"", "rawToChar(as.raw(255))",
  "strrep(\"a\", 1e4)",
  "list()", "list(1, 2)", "list(a = NULL)", "TRUE", "c(TRUE, NA)", "1i", "as.raw(1)", "mean", "sum", "`if`",
  "function(...) NULL",
  "function(...) stop(\"the caller's own\")", "new.env()", "globalenv()", "quote(a + b)", "quote(a)",
  "quote(stop(\"evaluated\"))", "quote(options(onlinesvm.evaluated = TRUE))",
  "expression(1)", "y ~ x", "~ 1", "as.Date(\"2020-01-01\")", "as.POSIXlt(\"2020-01-01\", tz = \"UTC\")",
  "factor(\"a\")",
  "factor(c(\"a\", NA))", "factor()", "data.frame()", "data.frame(a = 1:3)", "data.frame(a = I(list(1, 2)))",
  "matrix(1:4, 2)",
  "matrix(0, 0, 0)", "matrix(0, 3, 0)", "matrix(list(1), 2, 2)", "matrix(\"a\", 2, 2)", "array(0, c(2, 2, 2))",
  "array(1, 3)",
  "Matrix::Diagonal(3)", "Matrix::rsparsematrix(3, 2, 0.5)", "methods::as(1:3, \"sparseVector\")", "c(a = 1, a = 2)",
  "stats::setNames(1, NA)", "structure(1, class = \"osvm\")", "structure(list(), class = \"osvm\")",
  "structure(list(), class = \"osvm_solver\")", "structure(list(name = \"smo\"), class = \"osvm_solver\")",
  "structure(list(name = \"rbf\", params = 1), class = \"osvm_kernel\")", "structure(list(), class = \"osvm_tuning\")",
  "structure(list(), class = \"osvm_folds\")", "structure(list(), class = \"data.frame\")",
  "structure(1:3, class = \"factor\")",
  "structure(1, dim = 1L)", "numeric_version(\"1.2\")", "pairlist(a = 1)", "methods::getClass(\"numeric\")", "asS4(1)",
  "solver_smo", "solver_smo()", "kernel_rbf()", "stdin()", "bquote(.(1))", "as.table(matrix(1:4, 2))", "1e5",
  "-.Machine$integer.max"
)

# Values of one element.
bad_numbers <- c(
  "NA", "NaN", "Inf", "-Inf", "-1", "0", "0.5", "1e308", "-1e308", "1e-320", "2147483647L", "-2147483647L", "2^40", "7L"
)

some_rows <- c(
  "x", "x", "x", "x[1, , drop = FALSE]", "x[0, , drop = FALSE]", "x[rev(seq_len(nrow(x))), , drop = FALSE]",
  "x[, rev(seq_len(ncol(x))), drop = FALSE]", "as.matrix(x)", "x[rep_len(1:2, 50), , drop = FALSE]"
)

valid <- list(
  newdata = some_rows, "query:x" = some_rows, "plot:data" = c("x", "NULL"), y = "y", truth = "y", label = c("y",
  "function(i) y[i]"),
  weights = c("NULL", "rep_len(c(1, 0.5, 0), length(y))", "rep(1, length(y))"), class_weights = c("NULL",
  "\"balanced\""),
  solver = function() solver_code(), kernel = function() kernel_code(), solvers = function() solvers_code(),
  cache_mb = c("0.001", "1", "256"), threads = c("NULL", "1", "2"), verbose = "FALSE", progress = "FALSE",
  probability = c("FALSE", "FALSE", "TRUE"), conformal = c("FALSE", "FALSE", "TRUE", "\"full\""),
  level = c("0.5", "0.9"), by = c("\"all\"", "\"class\""), interval = c("NULL", "\"none\""),
  scale = c("TRUE", "FALSE"), folds = c("2", "3", "5"), repeats = c("1",
  "2"),
  foldid = c("NULL", "rep_len(1:2, length(y))"), grid = c("NULL", "list(C = c(0.1, 10))", "data.frame(C = 1:2)"),
  "plot:grid" = c("5", "20"), "plot:features" = c("NULL", "1:2", "1"), "plot:y" = c("NULL", "y"),
  metric = c("\"error\"", "\"balanced\"", "\"auc\"", "\"logloss\"",
  "function(truth, predicted, decision) mean(truth != predicted)"),
  random = c("NULL", "2"), i = c("1", "1:2", "length(y)", "integer()", "c(2, 2)"), n = c("NULL", "1", "5"), h = c("1",
  "5"),
  budget = c("Inf", "3", "10"), start = c("1", "2", "5"), every = c("NULL", "1", "3"), levels = c("NULL", "unique(y)"),
  test = c("NULL", "list(x = x, y = y)"), epochs = c("1", "2", "3"), C = c("0.01", "1", "100", "1e5"),
  gamma = c("1e-3", "0.5", "20"),
  sigma = c("NULL", "0.5"), degree = c("1", "2", "3"), coef0 = c("0", "1"), lambda = c("1e-6", "1e-3", "0.1"),
  "chessboard:n" = c("1", "50"),
  "two_normals:n" = c("1", "50"), "unequal_normals:n" = c("1", "50"), size = c("1", "4"), noise = c("0", "0.3"),
  data = c("data", "NULL"),
  formula = c("y ~ .", "y ~ 0 + .", "y ~ a", "factor(y) ~ .", "~ ."), others = c("list()", "list(other = fit)"),
  source = "source_matrix(x, y)", fit = "NULL", resume = c("NULL", "NULL", "checkpoint_of(state)"), checkpoint = "NULL",
  drift = c("drift_none()", "drift_adwin()", "drift_page_hinkley(react = \"restart\")"), chunk = c("1", "7", "500"),
  metrics = c("\"accuracy\"", "c(\"kappa\", \"logloss\")"), delay = c("0", "10"), seconds = c("Inf", "5"),
  chunks = c("Inf", "2"), "osvm_stream:solver" = c("\"lasvm\"", "\"pa\"", "solver_olsvm(epochs = 1)"),
  "osvm_stream:kernel" = c("NULL", "kernel_rbf(gamma = 0.5)"), "osvm_live:solver" = c("NULL", "\"pa\""),
  "osvm_live:kernel" = "NULL", "osvm_live:n_features" = "NULL", "osvm_live:fit" = "NULL", file = "tempfile()",
  name = c("NULL", "\"this\""), "osvm_dials:name" = c("\"C\"", "\"epochs\"", "\"solver\"", "\"gamma\""),
  "osvm_dials:range" = c("NULL", "c(1, 2)"), "osvm_dials:values" = "NULL", margin = "NULL",
  "osvm_parsnip:kernel" = c("\"rbf\"", "\"linear\"", "\"polynomial\""), "osvm_parsnip:degree" = "NULL",
  "osvm_parsnip:gamma" = "NULL", "osvm_parsnip:coef0" = "NULL", sizes = c("0.5", "c(0.5, 1)"), bins = c("1", "5", "10"),
  "osvm_learning_curve:metric" = c("\"error\"", "\"balanced\"", "\"auc\""),
  "osvm_validation_curve:metric" = c("\"error\"", "\"auc\""),
  "osvm_validation_curve:solver" = "solver_pa(C = c(1, 10))",
  "osvm_validation_curve:parameter" = "NULL", type = c("\"class\"", "\"decision\""),
  "osvm_caret:solver" = function() paste0("\"", pick(solvers()$name), "\""), "osvm_caret:kernel" = c("NULL",
  "\"rbf\"", "\"linear\"")
)

valid_value <- function(call, name, default) {
  listed <- valid[[paste0(call, ":", name)]]
  if (is.null(listed)) listed <- valid[[name]]
  if (is.function(listed)) listed() else if (!is.null(listed)) pick(listed) else like(default)
}

# A value like the default; "" leaves the argument out.
like <- function(default) {
  value <- tryCatch(eval(default), error = function(e) NULL)
  if (is.character(value)) {
    deparse(pick(value))
  } else if (is.logical(value)) {
    pick(c("TRUE", "FALSE"))
  } else if (is.numeric(value) && all(is.finite(value))) {
    numeral(if (all(value == round(value))) sample.int(5, 1) else signif(value * 10^stats::runif(1, -2, 2), 3))
  } else {
    ""
  }
}

solver_code <- function(name = pick(solvers()$name)) call_code(target_named(paste0("solver_", name)), 0.4)
kernel_code <- function(name = pick(onlinesvm:::kernel_table()$name)) {
  if (chance(0.1)) return("kernel_function(function(x, z) 1 + diag(1, NROW(x), NROW(z)))")
  if (chance(0.05)) return("kernel_matrix()")
  call_code(target_named(paste0("kernel_", name)), 0.5, leave = if (chance(0.8)) "sigma" else "gamma")
}
solvers_code <- function() pick(c("c(\"smo\", \"pa\")", sprintf("list(%s, %s)", solver_code(), solver_code())))

# A solver and a kernel it takes.
specs_code <- function() {
  name <- pick(solvers()$name)
  linear <- solvers()$space[solvers()$name == name] == "linear"
  sprintf("solver = %s, kernel = %s", solver_code(name), if (linear) "kernel_linear()" else kernel_code())
}

# A call of the target: each argument without a default, others with probability `share`.
call_code <- function(target, share, given = NULL, leave = NULL) {
  fixed <- names(given)
  names <- setdiff(names(target$formals), c("...", fixed, leave))
  values <- lapply(names, function(name) {
    needed <- identical(target$formals[[name]], quote(expr =)) # nolint: no default
    if (name %in% c("folds", "sizes")) share <- 0.9 # the defaults cost 5 to 25 fits
    if (needed || chance(share)) valid_value(target$call, name, if (!needed) target$formals[[name]]) else ""
  })
  values <- Filter(nzchar, stats::setNames(values, names))
  all <- c(given, values)
  paste0(target$call, "(", paste(ifelse(names(all) == "", "", paste(names(all), "= ")), all, sep = "",
    collapse = ", "), ")")
}
