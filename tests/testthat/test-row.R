# One row at a time: what plain_row() takes gives the results of the usual way.

row_problem <- function() {
  set.seed(7)
  x <- matrix(rnorm(120 * 4), 120, dimnames = list(NULL, c("a", "b", "c", "d")))
  list(x = x, y = ifelse(x[, 1] + x[, 2]^2 > 1, "in", "out"))
}

# Forms of a row: plain ones, and others that are read as ever or refused.
row_forms <- function(x) {
  frame <- as.data.frame(x)
  list(
    x, x[, 4:1, drop = FALSE], x[1, ], rev(x[1, ]), frame, frame[4:1], round(x), `storage.mode<-`(round(x), "integer"),
    c(x[1, ], e = 1), x[1, -2], replace(x[1, ], 2, NA), replace(x[1, ], 2, Inf), replace(x[1, ], 2, 1e6),
    unname(x[1, ]), unname(x), `rownames<-`(x, "first"), `rownames<-`(frame, "first"), transform(frame, a = 1L),
    transform(frame, a = factor(a)), transform(frame, a = a > 0), transform(frame, d = NA_real_), frame[-1],
    cbind(frame, y = "in"), `class<-`(frame, c("other", "data.frame")), frame[0, ], rbind(x, x), list(1, 2, 3, 4), "a",
    structure(x[1, ], class = "units"), Matrix::Matrix(x, sparse = TRUE), setNames(x[1, ], c("a", "a", "c", "d"))
  )
}

outcome_of_call <- function(code) {
  noted <- character()
  note <- function(condition) noted <<- c(noted, conditionMessage(condition))
  value <- tryCatch(
    withCallingHandlers(code,
      warning = function(w) {
        note(w)
        invokeRestart("muffleWarning")
      },
      message = function(m) {
        note(m)
        invokeRestart("muffleMessage")
      }
    ),
    error = function(e) {
      note(e)
      NULL
    }
  )
  list(value, noted)
}

learned_by <- function(live) snapshot(live)[c("coef", "intercept", "scalars", "sv", "n_seen", "range")]

test_that("every form of a row is predicted and learned as by the usual way, or refused with the same words", {
  p <- row_problem()
  start <- 1:60
  fits <- list(
    osvm(p$x[start, ], p$y[start], solver_pa(), kernel_linear()),
    osvm(p$x[start, ], p$y[start] == "in", solver_perceptron(), kernel_rbf(gamma = 0.3), scale = "running"),
    osvm(unname(p$x[start, ]), p$y[start], solver_olsvm(), kernel_rbf(gamma = 0.3)),
    osvm(as.data.frame(p$x[start, ]), factor(p$y[start]), solver_pa(), kernel_rbf(gamma = 0.3)),
    osvm(y ~ ., data.frame(p$x, y = factor(p$y))[start, ], solver_pa(), kernel_linear()),
    osvm(y ~ a + b:c + d, data.frame(p$x, y = factor(p$y))[start, ], solver_pa(), kernel_linear()),
    osvm(p$x[start, ], round(p$x[start, 1] * p$x[start, 2], 3), solver_lasvm(), kernel_rbf(gamma = 0.3)),
    osvm(Matrix::Matrix(p$x[start, ], sparse = TRUE), p$y[start], solver_pa(), kernel_linear())
  )
  results <- function() {
    lapply(fits, function(fit) {
      label <- predict(fit, p$x[1:2, ])[1]
      lapply(row_forms(p$x[70, , drop = FALSE]), function(row) {
        live <- osvm_live(fit)
        list(
          outcome_of_call(predict(fit, row)), outcome_of_call(predict(live, row, type = "decision")),
          outcome_of_call({
            set.seed(1)
            update(live, row, label)
            learned_by(live)
          })
        )
      })
    })
  }
  here <- results()
  local_internal("plain_row", function(...) NULL)
  expect_identical(results(), here)
})

test_that("a named vector is a row, in any order; one without names is none", {
  p <- row_problem()
  fit <- osvm(p$x[1:60, ], p$y[1:60], solver_pa(), kernel_linear())
  expect_identical(predict(fit, rev(p$x[70, ])), predict(fit, p$x[70, , drop = FALSE]))
  expect_identical(predict(fit, replace(p$x[70, ], 2, NA)), NA_character_)
  expect_error(predict(fit, unname(p$x[70, ])), "must have an example per row", class = "osvm_error")
  expect_error(predict(fit, p$x[70, -2]), "lacks the column `b`", class = "osvm_error")
  expect_message(predict(fit, c(p$x[70, ], e = 1)), "dropped: `e`", class = "osvm_message")
  expect_identical(predict(fit, c(a = 1L, b = 0L, c = 2L, d = 1L)), predict(fit, c(a = 1, b = 0, c = 2, d = 1)))
  updated <- update(fit, rev(p$x[70, ]), "in")
  expect_identical(updated$coef, update(fit, p$x[70, , drop = FALSE], "in")$coef)
})

test_that("labels of one row are checked as those of many", {
  p <- row_problem()
  live <- osvm_live(osvm(p$x[1:60, ], p$y[1:60], solver_pa(), kernel_linear()))
  row <- p$x[70, ]
  expect_error(update(live, row, "else"), "not among the classes", class = "osvm_error")
  expect_error(update(live, row, c("in", "out")), "a label for each row", class = "osvm_error")
  damaged <- structure(9L, levels = "in", class = "factor")
  expect_error(update(live, row, damaged), "damaged factor", class = "osvm_error")
  expect_error(update(live, row, as.Date("2020-01-01")), "must be a factor", class = "osvm_error")
  expect_error(suppressMessages(update(live, row, NA)), "at least one row", class = "osvm_error")
  expect_error(update(live, row, "in", na.action = 3), "na.action", class = "osvm_error")
  expect_error(update(live, row, "in", weights = -1), "weights", class = "osvm_error")
  expect_identical(snapshot(live)$n_seen, 60)
})

test_that("a model that has passed its checks is checked again once it is another", {
  p <- row_problem()
  fit <- osvm(p$x[1:60, ], p$y[1:60], solver_pa(), kernel_rbf(gamma = 0.3))
  for (k in 1:3) predict(fit, p$x[70, ])
  fit$coef[1] <- NA
  expect_error(predict(fit, p$x[70, ]), "The model is damaged", class = "osvm_error")
})
