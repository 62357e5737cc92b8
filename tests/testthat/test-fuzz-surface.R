# The fuzzer of tests/fuzz knows every export, every method and each of their arguments.

test_that("the fuzzer has a value for every argument, and an object for every method", {
  fuzz <- test_path("..", "fuzz")
  skip_if_not(dir.exists(fuzz), "the fuzzer is not part of the package that is checked")
  known <- new.env(parent = globalenv())
  for (part in c("surface", "problems", "arguments", "objects", "cases")) {
    sys.source(file.path(fuzz, paste0(part, ".R")), known)
  }
  set.seed(1)
  expect_identical(known$not_known(), list(arguments = character(), classes = character(), entries = character()))
  # What it would say of one that is new
  known$valid$effort <- NULL
  known$valid$loss <- NULL
  known$valid$no_argument <- "1"
  known$objects$osvm_sets <- NULL
  found <- known$not_known()
  expect_true(all(c("osvm:loss", "osvm_tune:loss") %in% found$arguments))
  expect_identical(found$classes, "osvm_sets")
  expect_identical(found$entries, "no_argument")
})
