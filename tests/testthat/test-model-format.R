# Models that earlier versions stored, see tools/make-fixtures.R.
stored <- list.files(test_path("fixtures"), "^models-[0-9]+[.]rds$", full.names = TRUE)

test_that("stored models predict and learn as they did", {
  expect_gt(length(stored), 0)
  for (file in stored) {
    cases <- readRDS(file)
    for (name in names(cases)) {
      case <- cases[[name]]
      info <- paste(basename(file), name)
      decision <- unname(predict(case$fit, case$x, type = "decision"))
      expect_equal(decision, case$decision, tolerance = 1e-6, info = info)
      expect_identical(predict(case$fit, case$x), case$class, info = info)
      if (!is.null(case$updated)) {
        set.seed(2)
        updated <- update(case$fit, case$x, case$y)
        expect_equal(unname(predict(updated, case$x, type = "decision")), case$updated, tolerance = 1e-6, info = info)
      }
    }
  }
})

test_that("models of other formats are refused", {
  data <- clouds()
  fit <- quick_fit("olsvm", data)
  for (format in list(NULL, 1, fit$format - 0.5, fit$format + 1)) {
    other <- fit
    other$format <- format
    expect_error(predict(other, data$x), "format", class = "osvm_error")
    expect_osvm_error(update(other, data$x, data$y))
  }
})
