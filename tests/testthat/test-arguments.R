# Unknown arguments are errors, before anything else is looked at: every function and method of
# NAMESPACE is called with nothing but one.

namespace <- parseNamespaceFile("onlinesvm", dirname(system.file(package = "onlinesvm")))
methods <- paste(sub("^.*::", "", namespace$S3methods[, 1]), namespace$S3methods[, 2], sep = ".")

exists_here <- function(name) exists(name, envir = package_space)
is_generic <- function(name) "UseMethod" %in% all.names(body(in_package(name)))
callables <- c(methods, Filter(Negate(is_generic), namespace$exports))

test_that("every function and method refuses an argument it does not have", {
  expect_gt(length(callables), 50)
  for (name in callables) {
    dots <- "..." %in% names(formals(in_package(name)))
    refused <- tryCatch(in_package(name)(no_such_argument = 1), error = identity)
    expect_true(inherits(refused, if (dots) "osvm_error" else "error"), info = name)
    expect_true(grepl("no_such_argument", conditionMessage(refused)), info = name)
  }
})

test_that("the nearest argument is suggested", {
  swap <- function(word) paste0(substr(word, 1, 1), substr(word, 3, 3), substr(word, 2, 2), substring(word, 4))
  for (name in callables) {
    arguments <- names(formals(in_package(name)))
    long <- setdiff(arguments[nchar(arguments) > 3], c("newdata", "formula", "object"))
    long <- long[swap(long) != long]
    few <- seq_along(long) %% 3 == nchar(name) %% 3
    for (argument in if ("..." %in% arguments) some_of(long, few)) {
      call <- stats::setNames(list(1), swap(argument))
      expect_error(do.call(in_package(name), call), paste0("Did you mean `", argument, "`"), info = name, fixed = TRUE)
    }
  }
})

board <- chessboard(60)

fit_board <- function(...) {
  set.seed(1)
  osvm(board$x, board$y, ..., verbose = FALSE)
}

test_that("an unknown argument is not evaluated, and stops before the work", {
  expect_error(predict(fit_board(), board$x, tpye = stop("evaluated")), "Did you mean `type`?", fixed = TRUE)
  expect_error(osvm(undefined ~ undefined, kernal = "rbf"), "Did you mean `kernel`?", fixed = TRUE)
})

test_that("arguments may be abbreviated, or passed on without a name", {
  expect_s3_class(osvm(Species ~ ., iris, solver_pegasos(), prob = FALSE, verbose = FALSE), "osvm")
  expect_s3_class(osvm(iris[1:4], iris$Species, "pegasos", verbose = FALSE), "osvm")
  expect_error(osvm(iris[1:4], iris$Species, no_such = 1), "no argument `no_such`", class = "osvm_error")
})

test_that("misspelt and surplus arguments are answered", {
  fit <- fit_board()
  expect_snapshot(error = TRUE, {
    predict(fit, board$x, tpye = "class")
    update(fit, board$x, board$y, wieghts = 1)
    query(fit, board$x, startegy = "margin")
    print(fit, 3)
    print(fit, 3, 4)
    coef(fit, a = 1, b = 2)
    osvm_active(board$x, board$y, bugdet = 3)
    osvm_compare(board$x, board$y, "smo", metrik = "auc")
    osvm_compare(structure(list(), class = "osvm_tuning"), other = 1)
  })
})

test_that("habits from other packages are answered with what works here", {
  x <- board$x
  y <- board$y
  fit <- fit_board()
  expect_snapshot(error = TRUE, {
    osvm(x, y, cost = 10)
    osvm(x, y, C = 10)
    osvm(x, y, gamma = 0.5)
    osvm(x, y, epochs = 5)
    osvm(x, y, lambda = 1e-4)
    osvm(x, y, nu = 0.1)
    osvm(x, y, cross = 5)
    osvm(x, y, class.weights = c(black = 2))
    osvm(x, y, type = "C-classification")
    osvm_tune(x, y, cost = 10^(0:3))
    osvm_tune(x, y, cross = 3)
    predict(fit, x, probability = TRUE)
    predict(fit, x, decision.values = TRUE)
    predict(fit, newx = x)
    predict(fit, unname(x[1, ]))
    update(fit, . ~ .)
    update(fit, formula. = . ~ .)
    update(fit, C = 10)
    osvm(x, y, solver_smo)
    osvm(x, y, kernel_rbf)
    osvm(x, y, kernel = kernel_rbf)
    osvm_tune(x, y, kernel = kernel_rbf)
    osvm(x, y, kernel = "radial")
  })
  expect_error(osvm(x, y, mean), "Names are", class = "osvm_error")
  for (name in names(kernel_aliases)) {
    expect_error(osvm(x, y, kernel = name), paste0("\"", kernel_aliases[[name]], "\""), class = "osvm_error")
  }
})

test_that("values and names from elsewhere are answered with those from here", {
  data <- clouds(30)
  fit <- osvm(data$x, data$y, verbose = FALSE)
  for (type in names(value_habits$type)) {
    expect_error(predict(fit, data$x, type), paste0("\"", value_habits$type[[type]], "\" here"), class = "osvm_error")
  }
  for (metric in names(value_habits$metric)) {
    here <- value_habits$metric[[metric]]
    expect_error(osvm_tune(data$x, data$y, metric = metric), paste0("\"", here, "\" here"), class = "osvm_error")
  }
  expect_error(solver_smo(cost = 10), "It is `C`", class = "osvm_error")
  expect_error(solver_smo(gamma = 10), "belongs to the kernel", class = "osvm_error")
  expect_error(kernel_rbf(C = 10), "belongs to the solver", class = "osvm_error")
  expect_error(osvm(data$x, data$y, cost = 1, gamma = 2), "`cost` belongs.*\n.*`gamma` belongs", class = "osvm_error")
  expect_error(osvm(data$x, data$y, progress = FALSE), "It is `verbose`", class = "osvm_error")
  expect_error(osvm_tune(data$x, data$y, verbose = FALSE), "It is `progress`", class = "osvm_error")
  expect_error(osvm(data$x, data$y, "SMO"), "The name here is \"smo\"", class = "osvm_error")
  expect_error(osvm(data$x, data$y, "libsvm"), "The name here is \"smo\"", class = "osvm_error")
  expect_error(osvm(data$x, data$y, NA_character_), "`solver` must be made by", class = "osvm_error")
  for (name in c(NA_character_, rawToChar(as.raw(255)))) {
    expect_error(osvm(data$x, data$y, kernel = name), "`kernel` must be made by", class = "osvm_error")
  }
  expect_error(compress(fit), "`n_sv` is missing", class = "osvm_error")
  kernlab <- structure(function(x, y) 1, class = c("rbfkernel", "kernel"))
  expect_error(osvm(data$x, data$y, kernel = kernlab), "sigma is gamma here", class = "osvm_error")
})

test_that("what is asked for elsewhere is answered", {
  data <- clouds(40)
  number <- osvm(data$x, data$x[, 1], verbose = FALSE)
  for (argument in c("n_jobs", "cores", "seed", "cv", "tau", "interval")) {
    given <- function(f, ...) do.call(f, c(list(...), stats::setNames(list(1), argument)))
    expect_error(given(osvm, data$x, data$y), "i|\u2139", class = "osvm_error")
    expect_match(find_habit(argument, "osvm"), "threads|set.seed|osvm_tune|loss_quantile|conformal")
    if (argument %in% c("cv", "interval")) next
    expect_error(given(predict, number, data$x), "threads|drawn|loss_quantile", class = "osvm_error")
  }
  expect_error(predict(number, data$x, type = "response"), "left out", class = "osvm_error")
  texts <- Matrix::Matrix(abs(data$x) * (data$x > 0), sparse = TRUE, dimnames = list(NULL, letters[1:3]))
  fit <- osvm(texts, data$y, verbose = FALSE)
  expect_error(predict(fit, texts[, -1]), "missing_columns", class = "osvm_error")
})

test_that("every habit names what does not exist and shows what does", {
  for (name in names(habits)) {
    method <- Find(exists_here, paste0(name, c(".osvm", ".default")))
    known <- names(formals(in_package(method)))
    expect_identical(intersect(names(habits[[name]]), known), character())
  }
  shown <- regmatches(unlist(habits), regexpr("(solver|kernel)_[a-z]+\\([^{}]*\\)", unlist(habits)))
  parameters <- unique(unlist(lapply(solvers()$name, function(name) names(make_solver(name)$params))))
  hints <- vapply(parameters, function(name) find_habit(name, "osvm"), "")
  shown <- c(shown, sub(".*solver = (.*)}[.]$", "\\1", hints))
  for (code in unique(shown)) expect_s3_class(eval(parse(text = code)), paste0("osvm_", substr(code, 1, 6)))
  expect_true(all(kernel_aliases %in% kernel_table()$name))
})

test_that("a tuning points to its model", {
  tuned <- osvm_tune(board$x, board$y, solver_pegasos(lambda = c(1e-3, 1e-2)), folds = 2)
  expect_snapshot(error = TRUE, {
    update(tuned, board$x, board$y)
    predict(tuned)
    predict(tuned, board$x, probability = TRUE)
  })
  expect_length(predict(tuned, board$x, "decision"), 60)
})

test_that("plots take graphics parameters and nothing else", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_setequal(par_names, names(graphics::par()))
  fit <- fit_board()
  expect_silent(plot(fit, asp = 1, cex.axis = 0.7, col.main = "red", main = "Board", xlim = c(0, 1)))
  active <- osvm_active(board$x, board$y, solver_ramp(), budget = 20, verbose = FALSE)
  expect_silent(plot(active, log = "x"))
  expect_silent(plot(active, what = "model", grid = 10))
  expect_snapshot(error = TRUE, {
    plot(fit, maim = "Board")
    plot(active, grid = 10)
  })
})
