# Every warning and message is caught at its first occurrence by a caller's tryCatch(), which leaves the call there:
# what holds of a model in place holds after it, and nothing is lost.

# Functions that signal while a model changes in place, and are tried below or by the interrupt ring; choose_loss() does
# so without labels, which a live model needs, guess_loss() before there is a model, known_columns(), as_symmetric() and
# warn_indefinite() without features, which it needs, too; fill_new() and forget_examples() before anything is changed.
# A new one belongs here.
tried <- c(
  "date_units", "tell_identifiers", "find_columns", "learned_rows", "warn_range", "signal_run", "follow_stream",
  "choose_loss", "guess_loss", "known_columns", "warn_indefinite", "as_symmetric", "fill_new", "forget_examples"
)

# Of those that update(), forget() and osvm_stream() can come to; conditions of solvers are their own.
test_that("the ring knows of every function that signals", {
  space <- package_space
  functions <- Filter(function(name) is.function(get(name, space)), ls(space, all.names = TRUE))
  names_in <- lapply(stats::setNames(nm = functions), function(name) all.names(body(get(name, space))))
  reached <- c("update.osvm_live", "forget.osvm_live", "osvm_stream")
  repeat {
    left_out <- c("abort", "warn", "inform", "osvm.default")
    more <- setdiff(intersect(unlist(names_in[reached]), functions), c(reached, left_out))
    if (length(more) == 0) break
    reached <- c(reached, more)
  }
  signals <- Filter(function(name) any(c("warn", "inform", "warning", "message") %in% names_in[[name]]), reached)
  expect_setequal(signals, tried)
})

board_of <- function(n = 300) {
  set.seed(4)
  board <- chessboard(n, noise = 0.2)
  list(x = board$x, y = as.character(board$y))
}

test_that("live models are whole, whatever condition ends an update", {
  board <- board_of()
  late <- 101:200
  with_gap <- board$x[late, ]
  with_gap[3, 1] <- NA
  cases <- list(
    left_out = list(solver_olsvm(epochs = 1), with_gap),
    dropped = list(solver_olsvm(epochs = 1), cbind(board$x[late, ], more = 1)),
    range = list(solver_olsvm(epochs = 1), 1e4 * board$x[late, ]),
    huller = list(solver_huller(), board$x[late, ]),
    lasvm = list(solver_lasvm(tolerance = 1e-12), board$x[late, ]),
    ramp = list(solver_ramp(tolerance = 1e-12), board$x[late, ]),
    idsvm = list(solver_idsvm(C = 1e8), board$x[late, ])
  )
  met <- character()
  for (name in names(cases)) {
    solver <- cases[[name]][[1]]
    live <- osvm_live(suppressWarnings(osvm(board$x[1:100, ], board$y[1:100], solver, kernel_rbf(gamma = 2))))
    leave <- function(c) met <<- c(met, name)
    values <- function() suppressWarnings(predict(live, board$x, type = "decision"))
    before <- values()
    tryCatch(update(live, cases[[name]][[2]], board$y[late]), warning = leave, message = leave)
    expect_identical(snapshot(live)$n_seen > 100, !identical(values(), before), info = name)
    expect_null(live_trouble(live, board$x[201:230, ], board$y[201:230]), info = name)
  }
  expect_true(all(c("left_out", "dropped", "range", "huller") %in% met))
})

test_that("the warning of a stream has the run, and a message leaves nothing half done", {
  board <- board_of()
  run <- function() {
    set.seed(5)
    osvm_stream(source_matrix(board$x, board$y), solver_huller(), kernel_rbf(gamma = 2), chunk = 50)
  }
  caught <- tryCatch(run(), warning = identity)
  expect_s3_class(caught, "warning")
  whole <- suppressWarnings(run())
  expect_s3_class(caught$run, "osvm_stream")
  expect_identical(caught$run$rows, whole$rows)
  expect_identical(caught$run$fit$coef, whole$fit$coef)
  for (column in list(as.Date("2024-01-01") + 1:300, sprintf("id%d", 1:300))) {
    frame <- data.frame(board$x, column = column)
    live <- osvm_live(solver = solver_olsvm(epochs = 1))
    expect_s3_class(tryCatch(update(live, frame, board$y), message = identity), "message")
    suppressMessages(update(live, frame, board$y))
    expect_equal(snapshot(live)$n_seen, 300)
  }
})
