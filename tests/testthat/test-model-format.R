# Models that this version stored, and released ones before it, see tools/make-fixtures.R: all cases of a format are in
# one file.
stored <- list.files(test_path("fixtures"), "^models-[0-9]+[.]rds$", full.names = TRUE)

each_stored <- function(code) {
  for (file in stored) {
    cases <- readRDS(file)
    for (name in names(cases)) code(cases[[name]], paste(basename(file), name))
  }
}

test_that("stored models predict and learn as they did", {
  expect_gt(length(stored), 0)
  each_stored(function(case, info) {
    decision <- function(fit) unname(predict(fit, case$x, type = "decision"))
    expect_equal(decision(case$fit), case$decision, tolerance = 1e-6, info = info)
    expect_identical(predict(case$fit, case$x), case$class, info = info)
    if (!is.null(case$updated)) {
      set.seed(2)
      expect_equal(decision(update(case$fit, case$x, case$y)), case$updated, tolerance = 1e-6, info = info)
    }
  })
})

test_that("stored models do all that a model does", {
  each_stored(function(case, info) {
    fit <- case$fit
    solver <- fit$solver$name
    expect_output(print(fit), "features", info = info)
    expect_output(print(summary(fit)), "features", info = info)
    expect_equal(unname(predict(strip(fit), case$x, type = "decision")), case$decision, tolerance = 1e-6, info = info)
    if (is.null(fit$outcome) || fit$outcome == "classes") expect_length(query(fit, case$x, "margin", n = 3), 3)
    if (fit$kernel$name == "linear") expect_true(all(is.finite(coef(fit))), info = info)
    if (fit$kernel$name == "rbf") expect_equal(compress(fit, 5)$n_sv, 5, info = info)
    if (is.null(fit$scalars)) {
      return()
    }
    if (solver_field(solver, "online")) {
      live <- osvm_live(fit)
      set.seed(2)
      update(live, case$x, case$y)
      grown <- unname(predict(live, case$x, type = "decision"))
      expect_equal(grown, case$updated, tolerance = 1e-6, info = info)
    }
    if (solver_field(solver, "forgets")) expect_equal(forget(fit, fit$id[1:3])$n_forgotten, 3, info = info)
    if (solver_field(solver, "leave_out")) {
      if (!is.null(case$learned)) expect_equal(loo(fit)$class, case$learned[fit$id], info = info)
    }
  })
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
