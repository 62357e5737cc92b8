test_that("solvers() lists what the solvers declare", {
  all <- solvers()
  expect_s3_class(all, "data.frame")
  declared <- c("online", "forgets", "leave_out", "epochs", "averages", "budgets")
  expect_identical(names(all), c("name", "title", "space", "losses", declared, "paper"))
  expect_match(all$losses, "hinge")
  learned <- strsplit(all$losses, ", ")
  for (k in seq_len(nrow(losses()))) {
    by <- all$name[vapply(learned, function(names) losses()$name[k] %in% names, NA)]
    expect_identical(losses()$solvers[k], paste(by, collapse = ", "))
  }
  expect_true(all(c("norma", "pegaz", "olsvm") %in% all$name))
  expect_true(all(all$space %in% c("linear", "kernel", "both")))
  for (field in declared) expect_type(all[[field]], "logical")
  expect_true(all(c("smo", "cccp") %in% all$name[!all$online]))
  expect_true(all(c("olsvm", "lasvm", "pa") %in% all$name[all$online]))
  expect_false(anyNA(all))
  expect_false(anyDuplicated(all$name) > 0)
})

each_solver("the signature is the declared parameters", function(name) {
  make <- getExportedValue("onlinesvm", paste0("solver_", name))
  spec <- make()
  expect_s3_class(spec, c(paste0("osvm_solver_", name), "osvm_solver"), exact = TRUE)
  expect_identical(spec$name, name)
  expect_identical(names(spec$params), setdiff(names(formals(make)), "..."))
  expect_true(paste0("solver_", name) %in% getNamespaceExports("onlinesvm"))
})

each_solver("a name means the defaults", function(name) {
  data <- clouds()
  by_name <- quick_fit(name, data, solver = name)
  by_spec <- quick_fit(name, data, solver = make_solver(name))
  expect_same_model(by_name, by_spec)
  expect_s3_class(by_name, c(paste0("osvm_", name), "osvm"), exact = TRUE)
  expect_identical(by_name$solver, make_solver(name))
})

test_that("a kernel can be named", {
  data <- clouds()
  for (kernel in c("linear", "polynomial", "rbf", "sigmoid")) {
    fit <- osvm(data$x, data$y, kernel = kernel, verbose = FALSE)
    expect_identical(fit$kernel$name, kernel)
  }
})

test_that("a grid is a spec but not a model", {
  data <- clouds()
  grid <- solver_olsvm(C = 10^(-1:1), epochs = 1:2, bias = c(TRUE, FALSE))
  expect_equal(grid$params$C, 10^(-1:1))
  expect_equal(kernel_rbf(sigma = c(1, 2))$params$gamma, c(0.5, 0.125))
  expect_snapshot(error = TRUE, {
    osvm(data$x, data$y, solver_olsvm(C = c(1, 10)))
    osvm(data$x, data$y, kernel = kernel_rbf(gamma = c(1, 10)))
    osvm(data$x, data$y, kernel = kernel_rbf(sigma = c(1, 10)))
  })
  expect_osvm_error(osvm(data$x, data$y, solver_olsvm(outputs = c("list", "cached"), C = 1:2)))
})

test_that("solver parameters are validated", {
  expect_snapshot(error = TRUE, {
    solver_olsvm(C = 0)
    solver_olsvm(C = "large")
    solver_olsvm(C = numeric())
    solver_olsvm(C = NA)
    solver_norma(C = Inf)
    solver_norma(epochs = 0)
    solver_norma(epochs = 1.5)
    solver_pegaz(bias = NA)
    solver_pegaz(bias = "yes")
    solver_pegaz(outputs = "fast")
    solver_olsvm(regularized = NULL)
  })
})

test_that("every validation error is an osvm_error", {
  expect_osvm_error(solver_olsvm(C = -1))
  expect_osvm_error(solver_norma(epochs = -1))
  expect_osvm_error(solver_pegaz(shuffle = 2))
  expect_osvm_error(solver_pegaz(outputs = "x"))
  expect_osvm_error(kernel_rbf(gamma = 1, sigma = 1))
  expect_osvm_error(kernel_polynomial(degree = -1))
})

test_that("a damaged spec is refused", {
  data <- clouds()
  fits <- function(solver = solver_olsvm(), kernel = kernel_rbf(gamma = 1)) {
    osvm(data$x, data$y, solver, kernel, verbose = FALSE)
  }
  unknown <- function(kind) {
    structure(list(name = "unknown", params = list()), class = paste0("osvm_", kind, c("_unknown", "")))
  }
  spoil <- function(spec, ...) {
    spec$params <- utils::modifyList(spec$params, list(...), keep.null = TRUE)
    spec
  }
  expect_osvm_error(fits(spoil(solver_olsvm(), C = -1)))
  expect_osvm_error(fits(spoil(solver_olsvm(), C = "1")))
  expect_osvm_error(fits(spoil(solver_olsvm(), C = NULL)))
  expect_osvm_error(fits(spoil(solver_olsvm(), epochs = NA)))
  expect_osvm_error(fits(kernel = spoil(kernel_rbf(gamma = 1), gamma = -1)))
  expect_osvm_error(fits(kernel = spoil(kernel_polynomial(), degree = "3")))
  expect_osvm_error(fits(unknown("solver")))
  expect_osvm_error(fits(kernel = unknown("kernel")))
})

test_that("the error for an unknown name lists the known ones", {
  data <- clouds()
  # The lists may grow.
  mask <- function(lines) {
    lines <- sub("Names are \"norma\".*", "Names are <solvers>.", lines)
    sub("Names are \"linear\".*", "Names are <kernels>.", lines)
  }
  expect_snapshot(error = TRUE, transform = mask, {
    osvm(data$x, data$y, "svmlight")
    osvm(data$x, data$y, kernel = "gaussian")
    osvm(data$x, data$y, kernel_rbf())
    osvm(data$x, data$y, kernel = solver_olsvm())
    osvm(data$x, data$y, C = 10)
  })
})

test_that("what is given through the dots of another function is given", {
  made <- function(...) (function(solver) solver)(solver_pa(...))
  expect_identical(attr(made(shuffle = TRUE), "given"), "shuffle")
  expect_identical(made(shuffle = TRUE), solver_pa(shuffle = TRUE))
})
