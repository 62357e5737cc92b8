# Parameters are declared twice: by name in C, with defaults in the R constructor. Values are passed by name.

each_solver("the parameters declared in C are the formals of the constructor", function(name) {
  make <- getExportedValue("onlinesvm", paste0("solver_", name))
  declared <- names(solver_info(name)$roles)
  expect_type(declared, "character")
  expect_identical(anyDuplicated(declared), 0L)
  expect_setequal(declared, setdiff(names(formals(make)), "..."))
})

each_solver("every parameter reaches the core", function(name) {
  solver <- core_solver(make_solver(name))
  expect_setequal(names(solver$params), names(solver_info(name)$roles))
  expect_type(.Call(ffi_traits, solver), "list")
  for (missing in names(solver$params)) {
    rest <- solver$params[names(solver$params) != missing]
    expect_type(.Call(ffi_traits, list(name = name, params = rest)), "character")
  }
})
