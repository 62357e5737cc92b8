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
  newdata = some_rows, "query:x" = some_rows, "plot:data" = c("x", "NULL"), y = "y", x = "x",
  label = c("y", "function(i) y[i]"),
  weights = c("NULL", "rep_len(c(1, 0.5, 0), length(y))", "rep(1, length(y))"), class_weights = c("NULL",
  "\"balanced\""),
  solver = function() solver_code(), kernel = function() kernel_code(), solvers = function() solvers_code(),
  cache_mb = c("0.001", "1", "256"), threads = c("NULL", "1", "2"), verbose = "FALSE", progress = "FALSE",
  probability = c("FALSE", "FALSE", "TRUE"), conformal = c("FALSE", "FALSE", "TRUE", "\"full\""),
  level = c("0.5", "0.9"), by = c("\"all\"", "\"class\""), interval = c("NULL", "\"none\"", "\"prediction\""),
  scale = c("TRUE", "FALSE", "\"rank\"", "\"robust\""), folds = c("2", "3", "5"), repeats = c("1",
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
  "osvm_validation_curve:parameter" = "NULL",
  type = c("\"class\"", "\"decision\"", "\"prob\"", "\"interval\"", "\"set\"", "\"p\""),
  "osvm_caret:solver" = function() paste0("\"", pick(solvers()$name), "\""), "osvm_caret:kernel" = c("NULL",
  "\"rbf\"", "\"linear\""),
  # ---- losses, searches, cells ----
  loss = function() pick(c("NULL", loss_code())), tau = c("0.1", "0.5", "c(0.1, 0.9)"), nu = c("0.1", "0.5"),
  cells = c("NULL", "NULL", "5", "list(size = 5, overlap = TRUE)"), effort = c("0", "0.1", "1"),
  multiclass = c("NULL", "\"ovo\"", "\"ovr\""), subset = c("NULL", "c(2, 1)", "-1"),
  na.action = c("stats::na.omit", "stats::na.fail", "\"impute\""), n_sv = c("1", "3", "50"),
  # ---- explanations, thresholds ----
  method = c("NULL", "\"gradient\"", "\"permutation\"", "\"shapley\""), row = c("NULL", "1"), variable = c("NULL", "1"),
  machine = c("NULL", "1"), cost = c("NULL", "c(fp = 1, fn = 5)"),
  "predict:cost" = c("NULL", "1 - diag(2)", "1 - diag(3)"),
  tpr = c("NULL", "0.9"), fpr = c("NULL", "0.1"), threshold = c("NULL", "0", "0.5"),
  "drift_page_hinkley:threshold" = c("1", "50"),
  # ---- pictures ----
  slice = c("NULL", "list()", "list(x3 = 0)"),
  "plot:what" = c("NULL", "\"model\"", "\"residuals\"", "\"error\"", "\"seconds\""),
  "ggplot2::autoplot:what" = c("NULL", "\"error\"", "\"n_sv\""), "ggplot2::autoplot:features" = c("NULL", "1:2"),
  ylim = c("NULL", "c(0, 1)"), row.names = "NULL",
  # ---- streams, shards, sources ----
  evaluate = c("NULL", "\"rows\"", "\"chunks\""), forget_after = c("Inf", "5", "20"), every_chunks = c("Inf", "1"),
  "solver_ramp:keep" = c("Inf", "0", "5"), sources = "list(list(x = x, y = y), source_matrix(x, y))",
  rounds = c("NULL", "2"), "kernel_function:f" = "function(x, z) 1 + diag(1, NROW(x), NROW(z))",
  "source_function:f" = "rows_of(x, y)", stream = "data", con = "DBI::dbConnect(RSQLite::SQLite(), \":memory:\")",
  query = "\"SELECT 1 AS y, 2 AS a\"", "source_csv:file" = c("csv_of(x, y)", "tempfile()"),
  "source_csv:label" = "\"y\"", "source_arrow:label" = "\"y\"", "source_dbi:label" = "\"y\"",
  ignore = c("NULL", "\"a\""),
  types = c("NULL", "c(y = \"character\")"), n_features = c("NULL", "2", "9")
)

listed_values <- function(call, name) {
  of_call <- valid[[paste0(call, ":", name)]]
  if (is.null(of_call)) valid[[name]] else of_call
}

valid_value <- function(call, name, default) {
  listed <- listed_values(call, name)
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

loss_code <- function(name = pick(losses()$name)) call_code(target_named(paste0("loss_", name)), 0.6)
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

# What the fuzzer does not know: "function:argument" for which it has no value, the classes of first arguments that it
# cannot make, and entries of its own that no function has. Frameworks' methods count where these are installed.
not_known <- function() {
  lacking <- lapply(all_targets(), function(target) {
    open <- setdiff(names(target$formals), c("...", first_object(target)$argument))
    has <- vapply(open, function(name) {
      !is.null(listed_values(target$call, name)) || nzchar(like(target$formals[[name]]))
    }, NA)
    sprintf("%s:%s", target$call, open[!has])
  })
  classes <- unlist(lapply(all_targets(), `[[`, "class"))
  has_arguments <- unlist(lapply(declared_targets(), function(target) {
    c(names(target$formals), paste0(target$call, ":", names(target$formals)))
  }))
  list(
    arguments = unique(unlist(lacking, use.names = FALSE)), classes = setdiff(classes, names(objects)),
    entries = setdiff(names(valid), has_arguments)
  )
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
