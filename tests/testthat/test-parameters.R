# Parameters are declared twice: by name in C, with defaults in the R constructor. Values are passed in the order of C.

each_solver("the parameters declared in C are the formals of the constructor", function(name) {
  make <- getExportedValue("onlinesvm", paste0("solver_", name))
  declared <- names(solver_info(name)$roles)
  expect_type(declared, "character")
  expect_identical(anyDuplicated(declared), 0L)
  expect_setequal(declared, setdiff(names(formals(make)), "..."))
})

each_solver("every parameter reaches the core", function(name) {
  solver <- make_solver(name)
  roles <- solver_info(name)$roles
  expect_identical(solver$roles, roles)
  for (k in seq_along(roles)) {
    value <- solver$params[[names(roles)[k]]]
    choices <- eval(formals(constructor("solver", name))[[names(roles)[k]]])
    if (is.character(value)) value <- match(value, choices) - 1
    expect_identical(solver$core$values[k], as.double(value))
    rest <- list(name = name, values = solver$core$values[-k])
    expect_type(.Call(ffi_traits, rest), "character")
  }
  expect_type(.Call(ffi_traits, solver$core), "list")
})
