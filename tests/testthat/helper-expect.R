# The expectations that loops use by the thousand. testthat composes the text of a failure before it looks, which takes
# ten times as long as to look: here it is asked only when there is a failure.

expect_true <- function(object, ..., label = deparse1(substitute(object))) {
  if (isTRUE(object)) succeed() else testthat::expect_true(object, ..., label = label)
}

expect_identical <- function(object, expected, ..., label = deparse1(substitute(object))) {
  if (identical(object, expected)) succeed() else testthat::expect_identical(object, expected, ..., label = label)
}

expect_equal <- function(object, expected, ..., label = deparse1(substitute(object))) {
  if (identical(object, expected)) succeed() else testthat::expect_equal(object, expected, ..., label = label)
}

expect_osvm_error <- function(code) {
  refused <- tryCatch({
    code
    FALSE
  }, osvm_error = function(e) TRUE)
  expect(refused, paste(deparse1(substitute(code)), "is no osvm_error."))
}
