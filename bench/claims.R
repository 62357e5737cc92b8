# Sources of figures that NEWS.md and the help quote: coverage of quantiles, the share called novel, wrong labels,
# streams in order, ordered factors, missing values, probabilities of many classes, and what the trial beyond 50,000 rows promises.
# OSVM_PARTS: names of the parts to run, such as "quantiles,novelty"; the others stay as they are in the report.
source("bench/common.R")
quietly <- function(...) suppressMessages(suppressWarnings(...))
fit <- function(...) quietly(osvm(..., verbose = FALSE))
means <- function(table, by) stats::aggregate(table[setdiff(names(table), by)], table[by], mean, na.rm = TRUE)
over <- function(seeds, measure) do.call(rbind, lapply(seeds, function(seed) {
  set.seed(seed)
  measure()
}))

# ---- quantiles and novelty ----

quantiles <- function() {
  noisy <- function(n) {
    x <- matrix(stats::rnorm(10 * n), n)
    list(x = x, y = x[, 1] + exp(x[, 2] / 2) * stats::rnorm(n))
  }
  over(1:5, function() {
    a <- noisy(600)
    b <- noisy(5000)
    below <- function(model) 100 * mean(b$y <= predict(model, b$x))
    loss <- loss_quantile(0.9)
    band <- predict(fit(a$x, a$y, loss = loss_quantile(c(0.05, 0.95))), b$x)
    data.frame(
      `osvm(x, y)` = below(fit(a$x, a$y, loss = loss)),
      `solver_smo(C = 1)` = below(fit(a$x, a$y, solver_smo(C = 1), loss = loss)),
      `osvm_tune(x, y)` = below(quietly(osvm_tune(a$x, a$y, loss = loss, progress = FALSE))$fit),
      `between 0.05 and 0.95` = 100 * mean(b$y >= band[, 1] & b$y <= band[, 2]), check.names = FALSE
    )
  })
}

novelty <- function(rows = 1000) {
  over(1:5, function() {
    x <- matrix(stats::rnorm(10 * rows), rows)
    new <- matrix(stats::rnorm(1e5), 10000)
    model <- fit(x, loss = loss_novelty(0.05))
    theirs <- e1071::svm(x, type = "one-classification", nu = 0.05)
    share <- function(belongs) 100 * mean(!belongs)
    data.frame(
      `new rows` = share(predict(model, new)), `rows learned` = share(predict(model, x)),
      `new rows, threshold = 0` = share(predict(model, new, threshold = 0)),
      `new rows, e1071` = share(predict(theirs, new)), check.names = FALSE
    )
  })
}

# ---- wrong labels ----

wrong_labels <- function() {
  over(1:10, function() {
    board <- chessboard(2000, noise = 0.15)
    clean <- chessboard(5000)
    right <- function(solver) 100 - error(predict(fit(board$x, board$y, solver, kernel_rbf(sigma = 0.35)), clean$x), clean$y)
    data.frame(
      `ramp loss, C = 10` = right(solver_ramp(C = 10)), `hinge loss, C = 10` = right(solver_smo(C = 10)),
      `ramp loss, C = 100` = right(solver_ramp(C = 100)), `hinge loss, C = 100` = right(solver_smo(C = 100)),
      check.names = FALSE
    )
  })
}

# ---- streams ----

# A level that changes slowly makes labels that persist; and a boundary that turns.
streams <- function() {
  over(1:3, function() {
    n <- 10000
    level <- as.numeric(stats::filter(stats::rnorm(n), 0.98, "recursive"))
    lasting <- list(
      x = cbind(stats::rnorm(n), sin(seq_len(n) / 10) + stats::rnorm(n)),
      y = factor(level + stats::rnorm(n, sd = 0.5) > 0)
    )
    x <- matrix(stats::rnorm(2 * n), n)
    turned <- turning(list(x = x, y = factor(x[, 1] > 0)))
    right <- function(data, solver) {
      run <- quietly(osvm_stream(source_matrix(data$x, data$y), solver, verbose = FALSE))
      100 * utils::tail(run$metrics$accuracy, 1)
    }
    data.frame(
      `lasting labels, in order` = right(lasting, solver_pa()),
      `lasting labels, shuffled` = right(lasting, solver_pa(shuffle = TRUE)),
      `turning, in order` = right(turned, solver_pa()), `turning, shuffled` = right(turned, solver_pa(shuffle = TRUE)),
      check.names = FALSE
    )
  })
}

# ---- factors and missing values ----

from_package <- function(name, package) {
  if (requireNamespace(package, quietly = TRUE)) as.data.frame(packaged(name, package))
}

# The error on a third of the rows: per cent of classes, the root mean square of numbers.
held_out <- function(data, label, learn) {
  rows <- sample(nrow(data), 2 * nrow(data) %/% 3)
  test <- data[-rows, ]
  predicted <- quietly(learn(data[rows, ], test))
  truth <- test[[label]]
  if (is.factor(truth)) error(as.character(predicted), as.character(truth)) else sqrt(mean((predicted - truth)^2))
}

ordered_factors <- function() {
  sets <- list(
    BreastCancer = list(from_package("BreastCancer", "mlbench")[-1], "Class"),
    Soybean = list(from_package("Soybean", "mlbench"), "Class"),
    diamonds = list(from_package("diamonds", "ggplot2"), "price"),
    housing = list(from_package("housing", "MASS"), "Freq"),
    esoph = list(datasets::esoph, "ncases"),
    CO2 = list(datasets::CO2, "uptake")
  )
  do.call(rbind, lapply(names(sets), function(name) {
    label <- sets[[name]][[2]]
    data <- stats::na.omit(sets[[name]][[1]])
    if (is.factor(data[[label]])) data[[label]] <- droplevels(data[[label]])
    of <- stats::reformulate(".", label)
    table <- over(1:5, function() {
      data <- data[sample(nrow(data), min(1500, nrow(data))), ]
      plain <- data
      features <- names(data) != label
      plain[features] <- lapply(data[features], function(v) if (is.ordered(v)) factor(v, ordered = FALSE) else v)
      seed <- sample.int(1e6, 1)
      learn <- function(train, test) predict(fit(of, train), test)
      set.seed(seed)
      numbers <- held_out(data, label, learn)
      set.seed(seed)
      data.frame(numbers = numbers, indicators = held_out(plain, label, learn))
    })
    means <- colMeans(table)
    data.frame(set = name, t(means), ratio = means[[1]] / means[[2]])
  }))
}

# Rows left out in training, and new rows completed by medians and most frequent levels, as `impute` does; the same with
# an indicator for each column in which values are missing.
missing_values <- function() {
  sets <- list(
    credit = list(from_package("credit_data", "modeldata"), "Status"),
    Soybean = list(from_package("Soybean", "mlbench"), "Class"),
    votes = list(from_package("HouseVotes84", "mlbench"), "Class"),
    diabetes = list(from_package("PimaIndiansDiabetes2", "mlbench"), "diabetes"),
    ozone = list(from_package("Ozone", "mlbench")[-(1:3)], "V4"),
    air = list(datasets::airquality[-(5:6)], "Ozone")
  )
  fill <- function(data, train) {
    for (name in names(data)) {
      known <- stats::na.omit(train[[name]])
      usual <- if (is.numeric(known)) stats::median(known) else names(which.max(table(known)))
      data[[name]][is.na(data[[name]])] <- usual
    }
    data
  }
  do.call(rbind, lapply(names(sets), function(name) {
    data <- sets[[name]][[1]]
    label <- sets[[name]][[2]]
    if (is.null(data)) return(NULL)
    data <- data[!is.na(data[[label]]), ]
    if (is.factor(data[[label]])) data[[label]] <- droplevels(data[[label]])
    of <- stats::reformulate(".", label)
    gaps <- setdiff(names(data)[vapply(data, anyNA, NA)], label)
    marked <- cbind(data, stats::setNames(lapply(data[gaps], function(v) +is.na(v)), paste0("no_", gaps)))
    table <- over(1:5, function() {
      rows <- sample(nrow(data), min(1500, nrow(data)))
      seed <- sample.int(1e6, 1)
      of_way <- function(data, learn) {
        set.seed(seed)
        held_out(data[rows, ], label, learn)
      }
      impute <- function(train, test) predict(fit(of, train, na.action = "impute"), test)
      data.frame(
        complete = of_way(data, function(train, test) predict(fit(of, train), fill(test, train))),
        impute = of_way(data, impute), indicators = of_way(marked, impute)
      )
    })
    incomplete <- 100 * mean(!stats::complete.cases(data[names(data) != label]))
    cbind(data.frame(set = name, incomplete = incomplete), t(colMeans(table)))
  }))
}

# ---- many classes ----

many_classes <- function() {
  flights <- from_package("flights", "nycflights13")
  sets <- list(
    "60 classes" = function() classes_of(60, 4000),
    "99 classes of very different sizes" = function() classes_of(99, 5000, (1:99)^-1),
    destinations = if (!is.null(flights)) function() {
      data <- stats::na.omit(flights)
      data <- data[sample(nrow(data), 5000), ]
      columns <- c(
        "month", "day", "dep_time", "sched_dep_time", "dep_delay", "sched_arr_time", "arr_delay", "air_time", "hour"
      )
      x <- cbind(
        as.matrix(data[columns]), stats::model.matrix(~ 0 + carrier, data), stats::model.matrix(~ 0 + origin, data)
      )
      list(x = x, y = factor(data$dest))
    }
  )
  do.call(rbind, lapply(names(Filter(Negate(is.null), sets)), function(name) {
    set.seed(1)
    data <- sets[[name]]()
    colnames(data$x) <- paste0("x", seq_len(ncol(data$x))) # which ranger needs
    train <- seq_len(3000)
    seen <- !seq_along(data$y) %in% train & data$y %in% data$y[train]
    do.call(rbind, lapply(c("ovr", if (nlevels(data$y) <= 60) "ovo"), function(multiclass) {
      learn <- function(...) {
        fit(data$x[train, ], droplevels(data$y[train]), solver_smo(C = 10), kernel_rbf(), multiclass = multiclass, ...)
      }
      time <- seconds(with <- learn(probability = TRUE))
      plain <- learn()
      truth <- as.character(data$y[seen])
      right <- function(model) 100 - error(as.character(predict(model, data$x[seen, ])), truth)
      p <- predict(with, data$x[seen, ], type = "prob")
      forest <- ranger::ranger(x = data$x[train, ], y = droplevels(data$y[train]), probability = TRUE, num.threads = 1)
      q <- predict(forest, data$x[seen, ])$predictions
      log_loss <- function(p) -mean(log(pmax(p[cbind(seq_along(truth), match(truth, colnames(p)))], 1e-3)))
      data.frame(
        set = name, multiclass = multiclass, right = right(plain), `right, by probability` = right(with),
        `log-loss` = log_loss(p), `right, forest` = 100 * mean(colnames(q)[max.col(q)] == truth),
        `log-loss, forest` = log_loss(q), seconds = time, check.names = FALSE
      )
    }))
  }))
}

# Normal classes, of sizes in these proportions.
classes_of <- function(k, n, sizes = rep(1, k)) {
  centers <- matrix(stats::rnorm(8 * k, sd = 1.5), k)
  class <- sample(k, n, TRUE, sizes)
  list(x = centers[class, ] + matrix(stats::rnorm(8 * n), n), y = factor(class))
}

# ---- the trial ----

trial_kinds <- list(
  "chess board" = function(n) chessboard(n, size = 8, noise = 0.1),
  smooth = function(n) {
    x <- matrix(stats::rnorm(6 * n), n)
    list(x = x, y = factor(x[, 1] + x[, 2] + stats::rnorm(n) / 2 > 0))
  },
  "rare class" = function(n) {
    x <- matrix(stats::rnorm(5 * n), n)
    list(x = x, y = factor(x[, 1] + x[, 2]^2 + stats::rnorm(n) > 3.5))
  },
  "four classes" = function(n) {
    class <- sample(4, n, TRUE, c(0.6, 0.25, 0.1, 0.05))
    list(x = 1.5 * diag(4)[class, ] + matrix(stats::rnorm(4 * n), n), y = factor(class))
  },
  numbers = function(n) {
    x <- matrix(stats::runif(5 * n), n)
    list(x = x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 5 * x[, 4] + stats::rnorm(n))
  },
  "uneven numbers" = function(n) {
    group <- sample(5, n, TRUE, c(0.5, 0.3, 0.1, 0.07, 0.03))
    x <- matrix(stats::rnorm(3 * n), n) + 4 * group
    list(x = x, y = 5 * group + sin(2 * x[, 1]) * group + stats::rnorm(n) * group)
  },
  "far values" = function(n) {
    x <- matrix(stats::rnorm(8 * n), n)
    x[, 1] <- exp(1.2 * x[, 1])
    x[, 2] <- stats::rt(n, 3)
    list(x = x, y = 2 * x[, 1] + x[, 2] + 2 * sin(3 * x[, 3]) + x[, 4] * x[, 5] + stats::rnorm(n))
  },
  "far values that level off" = function(n) {
    x <- matrix(stats::rnorm(8 * n), n)
    x[, 1] <- exp(1.2 * x[, 1])
    x[, 2] <- stats::rt(n, 3)
    y <- 4 * log1p(x[, 1]) + 3 * tanh(x[, 2]) + 2 * sin(3 * x[, 3]) + x[, 4] * x[, 5] + stats::rnorm(n)
    list(x = x, y = y)
  },
  diamonds = function(n) some_rows(from_package("diamonds", "ggplot2"), "price", n),
  flights = function(n) {
    columns <- c(
      "month", "day", "dep_time", "sched_dep_time", "dep_delay", "sched_arr_time", "air_time", "distance", "hour",
      "carrier", "origin", "arr_delay"
    )
    some_rows(from_package("flights", "nycflights13")[columns], "arr_delay", n)
  }
)

# At most n random rows without missing values; ordered factors are numbers.
some_rows <- function(data, label, n) {
  data <- stats::na.omit(data)
  data <- data[sample(nrow(data), min(n, nrow(data))), ]
  data[] <- lapply(data, function(v) if (is.ordered(v)) as.integer(v) else v)
  list(x = stats::model.matrix(stats::reformulate(".", label), data)[, -1], y = as.numeric(data[[label]]))
}

trial <- function(tries = as.integer(Sys.getenv("OSVM_TRIES", "2")), n = 60000) {
  do.call(rbind, lapply(names(trial_kinds), function(kind) over(seq_len(tries), function() {
    all <- trial_kinds[[kind]](n + 50000)
    learned <- seq_len(min(n, length(all$y) - 3000))
    data <- list(x = all$x[learned, ], y = all$y[learned])
    new <- list(x = all$x[-learned, ], y = all$y[-learned])
    told <- ""
    hear <- function(m) {
      told <<- gsub("\\s+", " ", conditionMessage(m))
      invokeRestart("muffleMessage")
    }
    model <- withCallingHandlers(osvm(data$x, data$y, verbose = FALSE), message = hear)
    way <- model$choice[model$choice$taken, ]
    predicted <- predict(model, new$x)
    classes <- is.factor(new$y)
    losses <- if (classes) predicted != new$y else (predicted - new$y)^2
    of <- function(losses) if (classes) 100 * mean(losses) else sqrt(mean(losses))
    unit <- if (classes) 100 else 1
    heavy <- grepl("A few rows decide", told)
    within <- abs(of(losses) - unit * way$expected) <= unit * max(2 * way$se, 0.05 * way$expected)
    promised <- sub(".* have a [a-z -]* (of|between) ([0-9].*?)[.] It takes.*", "\\2", told, perl = TRUE)
    if (heavy) {
      promised <- sub(".*have one of ([0-9.]+)[.] It takes.*", "99 % of the rows: \\1", told)
      most <- of(losses[losses <= stats::quantile(losses, 0.99)])
      within <- abs(most / as.numeric(sub(".*: ", "", promised)) - 1) <= 0.05
    }
    data.frame(
      kind = kind, way = paste(way$way, big(way$rows)), trend = !is.null(model$trend), promised = promised,
      came = of(losses),
      `99 %` = if (heavy) most else NA, kept = within,
      lm = if (classes) NA else sqrt(mean((new$y - predict(stats::lm(y ~ x, data), new))^2)),
      check.names = FALSE
    )
  })))
}

# Up to 50,000 rows there is no trial, and no trend: what one would gain, by a fit to the residuals of lm().
residuals_of_lm <- function(n = 5000) {
  numbers <- c("numbers", "uneven numbers", "far values", "far values that level off", "diamonds", "flights")
  do.call(rbind, lapply(numbers, function(kind) over(1:2, function() {
    all <- trial_kinds[[kind]](n + 30000)
    data <- list(x = all$x[seq_len(n), ], y = all$y[seq_len(n)])
    new <- list(x = all$x[-seq_len(n), ], y = all$y[-seq_len(n)])
    line <- stats::lm(y ~ x, data)
    along <- quietly(predict(line, new))
    of <- function(predicted) sqrt(mean((predicted - new$y)^2))
    rest <- fit(data$x, stats::residuals(line))
    data.frame(
      kind = kind, `osvm(x, y)` = of(predict(fit(data$x, data$y), new$x)),
      `of residuals of lm` = of(along + predict(rest, new$x)), lm = of(along), check.names = FALSE
    )
  })))
}
big <- function(n) format(n, big.mark = ",", scientific = FALSE)

# ---- the report ----

parts <- list(
  quantiles = list(quantiles, "Per cent of 5,000 new rows at or below the quantile 0.9, 600 learned; in a 90 % band."),
  novelty = list(novelty, "Per cent called novel, `nu = 0.05`: 1,000 normal rows of ten features learned."),
  "novelty-few" = list(function() novelty(100), "Per cent called novel, `nu = 0.05`: 100 normal rows of ten features learned."),
  "wrong-labels" = list(wrong_labels, "Chess boards of 2,000 rows, 15 per cent of the labels wrong; per cent right of clean ones."),
  streams = list(streams, "Per cent of the rows of streams that `solver_pa()` predicts rightly."),
  ordered = list(ordered_factors, "Errors with ordered factors as numbers and as indicators; five splits."),
  missing = list(missing_values, c(
    "Errors with missing values, five splits: rows left out of the training; `na.action = \"impute\"`; and that",
    "with an indicator column for each column in which values are missing."
  )),
  classes = list(many_classes, "Probabilities of many classes, 3,000 rows learned; new rows of these classes."),
  trial = list(trial, c(
    "60,000 rows, of diamonds 50,940: what is promised, and the error of 50,000 new rows, of diamonds 3,000; per cent",
    "of classes, root mean square of numbers; `trend`: machines learn what it leaves; `99 %`: of the rows without the",
    "largest errors."
  )),
  residuals = list(residuals_of_lm, c(
    "5,000 rows, for which there is no trial: root mean square error of 30,000 new rows, and that of a fit to the",
    "residuals of `lm()`. A linear trend as one more candidate of the search has not been tried."
  ))
)
asked <- strsplit(Sys.getenv("OSVM_PARTS", toString(names(parts))), ",\\s*")[[1]]
for (name in asked) {
  message(name)
  table <- parts[[name]][[1]]()
  if (all(vapply(table, is.numeric, NA))) {
    table <- cbind(data.frame(seed = c(seq_len(nrow(table)), "mean")), rbind(table, colMeans(table)))
  }
  save_results(table, paste0("claims-", name), provenance("claims"))
}
shown <- lapply(names(parts), function(name) {
  path <- file.path("vignettes", "results", paste0("claims-", name, ".csv"))
  if (!file.exists(path)) return(NULL)
  commit <- sub("# commit: ", "", grep("^# commit", readLines(path), value = TRUE))
  table <- utils::read.csv(path, comment.char = "#", check.names = FALSE)
  c(
    paste("##", name), "", parts[[name]][[2]], paste0("Measured at ", commit, "."),
    table_md(table, digits = 3, row.names = FALSE)
  )
})
do.call(report, c(list("claims", "Figures that NEWS and the help quote"), shown))
