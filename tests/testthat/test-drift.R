# All detections of a sequence given in chunks: the number of the error, and the estimated first one after the change.
detections <- function(spec, errors, chunk) {
  state <- drift_start(spec)
  out <- NULL
  for (from in seq(1, length(errors), chunk)) {
    upto <- min(length(errors), from + chunk - 1)
    found <- drift_add(state, errors[from:upto])
    state <- unserialize(serialize(found$state, NULL))
    if (!is.na(found$at)) {
      out <- rbind(out, data.frame(
        at = from - 1 + found$at, since = upto - found$back + 1, before = found$before, after = found$after
      ))
    }
  }
  out
}

test_that("ADWIN is its definition, value by value", {
  for (seed in 1:3) {
    set.seed(seed)
    errors <- c(rbinom(500, 1, 0.1), rbinom(300, 1, 0.5), rbinom(400, 1, 0.2), runif(200))
    expected <- reference_adwin(errors, 0.01)
    expect_gt(nrow(expected$found), 1)
    state <- drift_start(drift_adwin(delta = 0.01))
    got <- NULL
    for (i in seq_along(errors)) {
      found <- drift_add(state, errors[i])
      state <- found$state
      if (!is.na(found$at)) {
        got <- rbind(got, data.frame(at = i, before = found$before, after = found$after))
        expect_equal(found$back, expected$width[i])
      }
    }
    last <- expected$found[!duplicated(expected$found$at, fromLast = TRUE), ]
    rownames(last) <- NULL
    expect_equal(got, last)
    expect_equal(detections(drift_adwin(delta = 0.01), errors, 32)$at, last$at)
  }
})

test_that("Page-Hinkley is its definition, whatever the chunks", {
  for (seed in 1:3) {
    set.seed(seed)
    errors <- c(rbinom(300, 1, 0.1), rbinom(300, 1, 0.6), rbinom(100, 1, 0.1), rbinom(300, 1, 0.8))
    expected <- reference_page_hinkley(errors, 0.01, 15, 30)
    expect_gt(nrow(expected), 1)
    spec <- drift_page_hinkley(delta = 0.01, threshold = 15)
    for (chunk in c(1, 7, 50)) {
      got <- detections(spec, errors, chunk)
      expect_identical(as.numeric(got$at), as.numeric(expected$at))
      expect_equal(got$at - got$since + 1, expected$back)
    }
    whole <- detections(spec, errors, length(errors))
    expect_equal(whole$at, expected$at[1])
    last <- expected[nrow(expected), ]
    expect_equal(whole$since, last$at - last$back + 1)
  }
})

test_that("false alarms are rare and a jump is found soon", {
  set.seed(4)
  stationary <- rbinom(1e5, 1, 0.1)
  expect_lte(NROW(detections(drift_adwin(), stationary, 500)), 1)
  expect_lte(NROW(detections(drift_page_hinkley(), stationary, 500)), 2)
  for (try in 1:5) {
    jump <- c(rbinom(5000, 1, 0.1), rbinom(2000, 1, 0.4))
    for (spec in list(drift_adwin(), drift_page_hinkley())) {
      found <- detections(spec, jump, 100)
      first <- found[found$at > 5000, ][1, ]
      expect_lt(first$at, 5000 + if (spec$name == "adwin") 200 else 400)
      expect_gt(first$after, first$before)
    }
    # The window is cut between buckets, the largest of which have hundreds of errors
    since <- detections(drift_adwin(), jump, 100)$since
    expect_lt(abs(since[length(since)] - 5000), 500)
  }
})

test_that("a decrease of the error is not reported", {
  set.seed(5)
  falls <- c(rbinom(3000, 1, 0.5), rbinom(3000, 1, 0.05))
  expect_null(detections(drift_adwin(), falls, 100))
  expect_null(detections(drift_page_hinkley(), falls, 100))
})

test_that("missing errors are passed over, and a chunk may be empty", {
  errors <- c(rep(0, 200), rep(1, 200))
  spread <- rep(NA_real_, 800)
  spread[seq(2, 800, 2)] <- errors
  for (spec in list(drift_adwin(), drift_page_hinkley())) {
    state <- drift_start(spec)
    dense <- drift_add(state, errors)
    expect_false(is.na(dense$at))
    expect_identical(drift_add(state, spread)$at, 2L * as.integer(dense$at))
    none <- drift_add(state, numeric())
    expect_identical(none$state, state)
    expect_true(is.na(none$at))
  }
  expect_true(is.na(drift_add(drift_start(drift_none()), errors)$at))
})

test_that("a damaged state is refused", {
  state <- drift_start(drift_adwin())
  state <- drift_add(state, rbinom(1000, 1, 0.3))$state
  for (bad in list(NULL, "x", numeric(3), replace(state$numbers, 5, 7), replace(state$numbers, 5, -1),
                   replace(state$numbers, 100, NaN), replace(state$numbers, 1, 0.5), state$numbers * Inf)) {
    damaged <- state
    damaged["numbers"] <- list(bad)
    expect_error(suppressWarnings(drift_add(damaged, c(0, 1))), class = "osvm_error")
  }
  expect_error(drift_add(state, Inf), class = "osvm_error")
  state <- drift_start(drift_page_hinkley())
  state$numbers <- c(1, 2)
  expect_error(drift_add(state, 1), class = "osvm_error")
})

test_that("specs are checked and printed", {
  expect_snapshot({
    drift_adwin()
    drift_page_hinkley(threshold = 30, react = "restart")
    drift_none()
    cat(format(drift_adwin(react = "forget")))
  })
  expect_snapshot(error = TRUE, drift_adwin(delta = 1))
  expect_snapshot(error = TRUE, drift_adwin(react = "shout"))
  expect_snapshot(error = TRUE, drift_page_hinkley(delta = -1))
  expect_snapshot(error = TRUE, drift_page_hinkley(threshold = NA))
  expect_snapshot(error = TRUE, drift_page_hinkley(min_examples = 0))
  flowers <- source_matrix(as.matrix(iris[1:4]), iris$Species)
  expect_snapshot(error = TRUE, osvm_stream(flowers, drift = "adwin"))
  damaged <- drift_adwin()
  damaged$params$delta <- quote(stop())
  expect_osvm_error(osvm_stream(flowers, drift = damaged))
  damaged$params <- list()
  expect_error(print(damaged), "damaged", class = "osvm_error")
})
