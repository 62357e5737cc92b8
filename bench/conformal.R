# Coverage and size of intervals and sets: 200 draws of four kinds of generated data, twelve real sets, full conformal sets
# beside those of CV and of a split, the cost of `conformal = TRUE`, and streams. predictset (CRAN) is measured with the same
# SVM. The parts are kept in build/bench-conformal: OSVM_PARTS, as in "draws,real", computes these alone and makes no report.
source("bench/common.R")
level <- 0.9
folder <- file.path("build", "bench-conformal")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
only <- strsplit(Sys.getenv("OSVM_PARTS"), ",")[[1]]
part <- function(name, compute) {
  file <- file.path(folder, paste0(name, ".rds"))
  if (name %in% only || length(only) == 0 && !file.exists(file)) saveRDS(compute(), file)
  if (file.exists(file)) readRDS(file)
}
rival <- requireNamespace("predictset", quietly = TRUE)

# ---- ways: a matrix of lower and upper ends, or a logical matrix with a column per class ----

svm <- function(x, y, ...) osvm(x, y, solver_smo(), ..., verbose = FALSE, threads = 1)
ends <- function(result) cbind(lower = result$lower, upper = result$upper)
as_sets <- function(result, levels) t(vapply(result$sets, function(set) levels %in% set, logical(length(levels))))
quantiles <- loss_quantile(c(0.05, 0.95))

number_ways <- list(
  `CV, conformal = TRUE` = function(train, new) predict(svm(train$x, train$y, conformal = TRUE), new, type = "interval")[, -1],
  `quantiles, conformal = TRUE` = function(train, new) {
    predict(svm(train$x, train$y, loss = quantiles, conformal = TRUE), new, type = "interval")[, -1]
  },
  `search, conformal = TRUE` = function(train, new) {
    predict(osvm(train$x, train$y, conformal = TRUE, verbose = FALSE, threads = 1), new, type = "interval")[, -1]
  }
)
class_ways <- list(
  `CV, decision values` = function(train, new) predict(svm(train$x, train$y, conformal = TRUE), new, type = "set"),
  `CV, probabilities` = function(train, new) {
    predict(svm(train$x, train$y, conformal = TRUE, probability = TRUE), new, type = "set")
  },
  `CV, by = "class"` = function(train, new) {
    predict(svm(train$x, train$y, conformal = TRUE, probability = TRUE), new, type = "set", by = "class")
  },
  `search, conformal = TRUE` = function(train, new) {
    predict(osvm(train$x, train$y, conformal = TRUE, verbose = FALSE, threads = 1), new, type = "set")
  }
)
if (rival) {
  numbers_model <- predictset::make_model(function(x, y) svm(x, y), function(object, x) predict(object, x), "regression")
  of_quantile <- function(tau) {
    fit <- function(x, y) svm(x, y, loss = loss_quantile(tau))
    predictset::make_model(fit, function(object, x) predict(object, x), "regression")
  }
  classes_model <- predictset::make_model(
    function(x, y) svm(x, y, probability = TRUE), function(object, x) predict(object, x, type = "prob"), "classification"
  )
  number_ways <- c(number_ways, list(
    `predictset, CV+` = function(train, new) {
      ends(predictset::conformal_cv(train$x, train$y, numbers_model, new, alpha = 1 - level, n_folds = 5))
    },
    `predictset, split` = function(train, new) {
      ends(predictset::conformal_split(train$x, train$y, numbers_model, new, alpha = 1 - level))
    },
    `predictset, quantiles by split` = function(train, new) {
      ends(predictset::conformal_cqr(train$x, train$y, of_quantile(0.05), of_quantile(0.95), new, alpha = 1 - level))
    }
  ))
  class_ways <- c(class_ways, list(
    `predictset, split` = function(train, new) {
      as_sets(predictset::conformal_lac(train$x, train$y, classes_model, new, 1 - level, allow_empty = TRUE), levels(train$y))
    }
  ))
}

# Per class: rows and hits; of numbers one class. `size`: the mean width in standard deviations, or number of classes.
measure <- function(way, train, test) {
  told <- way(train, test$x)
  if (is.factor(test$y)) {
    inside <- told[cbind(seq_along(test$y), as.integer(test$y))]
    list(hits = tapply(inside, test$y, sum, default = 0), rows = c(table(test$y)), size = mean(rowSums(told)))
  } else {
    inside <- told[, "lower"] <= test$y & test$y <= told[, "upper"]
    list(hits = sum(inside), rows = length(inside), size = mean(told[, "upper"] - told[, "lower"]) / stats::sd(test$y))
  }
}

# Over draws: a row per way.
over_draws <- function(draw, ways, draws) {
  all <- lapply(seq_len(draws), function(i) {
    set.seed(i)
    d <- draw()
    lapply(ways, function(way) tryCatch(measure(way, d$train, d$test), error = function(e) NULL))
  })
  do.call(rbind, lapply(names(ways), function(name) {
    found <- Filter(Negate(is.null), lapply(all, `[[`, name))
    if (length(found) == 0) return(NULL)
    of <- function(what) do.call(rbind, lapply(found, `[[`, what))
    hits <- of("hits")
    rows <- of("rows")
    by_draw <- rowSums(hits) / rowSums(rows)
    data.frame(
      way = name, draws = length(found), coverage = 100 * mean(by_draw),
      se = 100 * stats::sd(by_draw) / sqrt(length(found)),
      `least of a class` = if (ncol(hits) > 1) 100 * min(colSums(hits) / colSums(rows)) else NA,
      size = mean(of("size")[is.finite(of("size"))]), check.names = FALSE
    )
  }))
}

# ---- generated ----

generated <- list(
  `equal spread` = function(x) stats::rnorm(nrow(x), sd = 0.4),
  `growing spread` = function(x) stats::rnorm(nrow(x), sd = 0.1 + 0.4 * abs(x[, 1])),
  skewed = function(x) stats::rexp(nrow(x), 2)
)
numbers_of <- function(noise, n) {
  x <- matrix(stats::runif(2 * n, -2, 2), n)
  list(x = x, y = sin(2 * x[, 1]) + 0.5 * x[, 2] + noise(x))
}
three_classes <- function(n) {
  y <- factor(sample(c("a", "b", "c"), n, TRUE, c(0.6, 0.3, 0.1)), c("a", "b", "c"))
  list(x = cbind(stats::rnorm(n, c(0, 1.5, 0)[y]), stats::rnorm(n, c(0, 0, 1.5)[y])), y = y)
}
draws <- part("draws", function() {
  out <- lapply(names(generated), function(kind) {
    table <- over_draws(function() {
      list(train = numbers_of(generated[[kind]], 100), test = numbers_of(generated[[kind]], 200))
    }, number_ways[!grepl("search", names(number_ways))], 200)
    cbind(data = kind, table)
  })
  table <- over_draws(
    function() list(train = three_classes(150), test = three_classes(300)), class_ways[!grepl("search", names(class_ways))], 200
  )
  rbind(do.call(rbind, out), cbind(data = "three classes, overlapping", table))
})

# ---- real ----

optional <- function(name, most = 5000) {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  if (!file.exists(path)) return(NULL)
  d <- readRDS(path)
  rows <- sample(NROW(d$y), min(most, NROW(d$y)))
  x <- as.matrix(d$x[rows, ])
  list(x = array(as.numeric(x), dim(x)), y = d$y[rows])
}
optional_head <- function(name, rows) { # in the order in which they came
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  if (!file.exists(path)) return(NULL)
  d <- readRDS(path)
  list(x = as.matrix(d$x[seq_len(rows), ]) + 0, y = d$y[seq_len(rows)])
}
numeric_set <- function(data, label) {
  data <- data[stats::complete.cases(data), ]
  list(x = vapply(data[setdiff(names(data), label)], as.numeric, numeric(nrow(data))), y = data[[label]])
}
real_sets <- function() {
  set.seed(1)
  Filter(Negate(is.null), list(
    boston = numeric_set(packaged("BostonHousing", "mlbench"), "medv"),
    ozone = numeric_set(packaged("Ozone", "mlbench")[-(1:3)], "V4"),
    cpu_small = optional("cpu_small"), house_8L = optional("house_8L"), fried = optional("fried"), prototask = optional("prototask"),
    pima = labelled(packaged("PimaIndiansDiabetes", "mlbench"), "diabetes"),
    vehicle = labelled(packaged("Vehicle", "mlbench"), "Class"),
    satellite = labelled(packaged("Satellite", "mlbench"), "classes"),
    spam = labelled(packaged("spam", "kernlab"), "type"),
    waveform = with(mlbench::mlbench.waveform(3000), list(x = x, y = classes)),
    covertype = optional("covertype")
  ))
}
real <- part("real", function() {
  sets <- real_sets()
  do.call(rbind, lapply(names(sets), function(name) {
    d <- sets[[name]]
    classes <- is.factor(d$y) || length(unique(d$y)) < 10
    if (classes) d$y <- factor(d$y)
    n <- length(d$y)
    draw <- function() {
      rows <- sample(n)
      size <- min(500, floor(0.6 * n))
      rest <- rows[(size + 1):min(n, size + 1000)]
      rows <- rows[seq_len(size)]
      used <- apply(d$x[rows, ], 2, stats::sd) > 0
      list(train = list(x = d$x[rows, used], y = d$y[rows]), test = list(x = d$x[rest, used], y = d$y[rest]))
    }
    table <- over_draws(draw, if (classes) class_ways else number_ways, 10)
    message(name)
    cbind(data = name, table)
  }))
})

# ---- full conformal sets, CV and a split ----

sides <- function(n) {
  x <- matrix(stats::rnorm(2 * n), n)
  list(x = x, y = factor(x[, 1]^2 + x[, 2] + stats::rnorm(n) / 2 > 1, labels = c("a", "b")))
}
split_sets <- function(train, new, fit) {
  half <- seq_len(length(train$y) %/% 2)
  object <- fit(train$x[half, ], train$y[half])
  behind <- function(x) predict(object, x, type = "decision") %o% c(1, -1)
  held <- behind(train$x[-half, ])[cbind(seq_along(train$y[-half]), as.integer(train$y[-half]))]
  behind(new) <= sort(held)[min(length(held), ceiling(level * (length(held) + 1)))]
}
exact_ways <- function() {
  fit <- function(x, y, ...) osvm(x, y, solver_idsvm(C = 1), kernel_rbf(gamma = 0.5), scale = FALSE, ..., verbose = FALSE)
  list(
    full = function(train, new) predict(fit(train$x, train$y, conformal = "full"), new, type = "set", threads = 1),
    CV = function(train, new) predict(fit(train$x, train$y, conformal = TRUE), new, type = "set", threads = 1),
    split = function(train, new) split_sets(train, new, fit)
  )
}
full <- part("full", function() {
  do.call(rbind, lapply(c(100, 300, 1000, 2000), function(n) {
    draws <- c(`100` = 200, `300` = 100, `1000` = 20, `2000` = 10)[[as.character(n)]]
    new <- 100
    table <- over_draws(function() list(train = sides(n), test = sides(new)), exact_ways(), draws)
    set.seed(1)
    train <- sides(n)
    test <- sides(new)
    table$seconds <- vapply(exact_ways(), function(way) seconds(way(train, test$x)), 0)
    cbind(rows = n, table[names(table) != "least of a class"])
  }))
})

# ---- the cost of scores ----

cost <- part("cost", function() {
  sets <- real_sets()[c("boston", "cpu_small", "pima", "satellite", "spam")]
  do.call(rbind, lapply(names(sets), function(name) {
    d <- sets[[name]]
    set.seed(2)
    rows <- sample(length(d$y), min(1500, length(d$y)))
    clock <- function(...) {
      set.seed(1)
      seconds(osvm(d$x[rows, ], d$y[rows], ..., verbose = FALSE, threads = 1))
    }
    ways <- list(list(), list(conformal = TRUE), list(probability = TRUE), list(probability = TRUE, conformal = TRUE))
    if (!is.factor(d$y)) ways <- ways[1:2]
    time <- apply(replicate(3, vapply(ways, function(way) do.call(clock, way), 0)), 1, min)
    data.frame(
      data = name, rows = length(rows), seconds = time[1], `conformal over fit` = time[2] / time[1],
      `both over probabilities` = time[4] / time[3], check.names = FALSE
    )
  }))
})

# ---- streams ----

# The constants of R/stream-level.R
with_constants <- function(step, scores, code) {
  space <- asNamespace("onlinesvm")
  set <- function(values) {
    for (name in names(values)) {
      unlockBinding(name, space)
      assign(name, values[[name]], space)
    }
  }
  before <- mget(c("level_step", "most_scores"), space)
  on.exit(set(before))
  set(list(level_step = step, most_scores = scores))
  force(code)
}
streams <- part("streams", function() {
  set.seed(1)
  n <- 12000
  x <- matrix(stats::rnorm(2 * n), n)
  angle <- seq(0, 2 * pi, length.out = n)
  abrupt <- x[, 1] * rep(c(2, -1, 1), each = n / 3) + x[, 2] + stats::rnorm(n, sd = rep(c(0.2, 0.6, 0.2), each = n / 3))
  steady <- 2 * cos(angle) * x[, 1] + 2 * sin(angle) * x[, 2] + stats::rnorm(n, sd = 0.5 + 0.3 * sin(3 * angle))
  cases <- Filter(Negate(is.null), list(
    `numbers, abrupt` = list(x = x, y = abrupt), `numbers, steady` = list(x = x, y = steady),
    `chessboard, swapped` = swapped(chessboard(n, noise = 0.1)), covertype = optional_head("covertype", n)
  ))
  do.call(rbind, lapply(names(cases), function(name) {
    d <- cases[[name]]
    board <- name == "chessboard, swapped"
    do.call(rbind, Map(function(step, scores) {
      set.seed(2)
      run <- with_constants(step, scores, osvm_stream(
        source_matrix(d$x, d$y), if (board) solver_olsvm(C = 10, epochs = 1), if (board) kernel_rbf(sigma = 0.5) else "linear",
        level = level, window = 200, chunk = 200, verbose = FALSE
      ))
      m <- run$metrics[-(1:5), ]
      size <- if (is.null(m$width)) m$set_size_window else m$width_window
      data.frame(
        data = name, step = step, scores = scores, coverage = 100 * m$coverage[nrow(m)],
        `mean distance of a window` = 100 * mean(abs(m$coverage_window - level)), `least window` = 100 * min(m$coverage_window),
        size = mean(size, na.rm = TRUE), `without ends` = if (is.null(m$unbounded)) NA else 100 * m$unbounded[nrow(m)],
        check.names = FALSE
      )
    }, c(0, 0.005, 0.02, 0.05, 0.02, 0.02), c(500, 500, 500, 500, 200, 1000)))
  }))
})
if (length(only) > 0) quit(status = 0)

# ---- report ----

most_off <- function(table, pattern) {
  own <- table[grepl(pattern, table$way), ]
  max(abs(own$coverage - 100 * level))
}
beside <- function(table, ours, theirs) {
  both <- merge(table[table$way == ours, c("data", "size")], table[table$way == theirs, c("data", "size")], by = "data")
  exp(mean(log(both$size.x / both$size.y)))
}
compared <- if (rival) c(
  sprintf("- width, CV over predictset's CV+: %.3f; over its split: %.3f; quantiles over its split quantiles: %.3f",
    beside(real, "CV, conformal = TRUE", "predictset, CV+"), beside(real, "CV, conformal = TRUE", "predictset, split"),
    beside(real, "quantiles, conformal = TRUE", "predictset, quantiles by split")),
  sprintf("- size of sets, probabilities by CV over predictset's split: %.3f",
    beside(real, "CV, probabilities", "predictset, split"))
)
by_class <- real[real$way == "CV, by = \"class\"", ]
report(
  "conformal", "Coverage and size of prediction intervals and sets",
  "Level 0.9. `coverage`: mean over draws, %, with its standard error; `least of a class`: of the class that is covered least, over",
  "all draws; `size`: mean width, in standard deviations of the labels, or mean number of classes. All ways have the same SVM, SMO with",
  "a Gaussian kernel and the defaults for a given solver; `search` has the defaults of `osvm(x, y)`.",
  "", "## Generated: 200 draws of 100 rows (classes: 150)",
  table_md(draws, digits = 2),
  sprintf("- largest distance of a mean of ours to the level: **%.1f points** (quantiles, CV, by class)", most_off(draws, "^CV|^quant")),
  "", "## Twelve real sets: 10 random splits, at most 500 rows to learn, 1,000 to test on",
  table_md(real, digits = 2),
  sprintf("- mean coverage over sets: CV of numbers %.1f, quantiles %.1f, sets %.1f, with search %.1f",
    mean(real$coverage[real$way == "CV, conformal = TRUE"]), mean(real$coverage[grepl("^quant", real$way)]),
    mean(real$coverage[grepl("^CV, (dec|prob)", real$way)]), mean(real$coverage[grepl("^search", real$way)])),
  sprintf("- by = \"class\": the class that is covered least, mean over sets %.1f, least %.1f", mean(by_class[["least of a class"]]),
    min(by_class[["least of a class"]])),
  compared,
  "", "## Full conformal sets, CV and a split: two classes, IDSVM, 100 new rows",
  table_md(full, digits = 2),
  "", "## Processor time of `conformal = TRUE`, fit with search, one thread",
  table_md(cost, digits = 2),
  sprintf("- a fit with scores over one without: mean **%.2f**, largest %.2f (target: at most 1.1)",
    mean(cost[["conformal over fit"]]), max(cost[["conformal over fit"]])),
  "", "## Streams: the step of the share (`step`) and how many scores are kept; the package has 0.02 and 500",
  "Windows of 200 rows, from row 1,000 on. `step` 0 is a fixed share of the latest scores.",
  table_md(streams, digits = 2),
  if (rival) paste("predictset", packageVersion("predictset"))
)
