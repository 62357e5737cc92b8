# Factors are indicator columns: scaled as all other columns, or left as 0 and 1, as osvm() and e1071 do.
# Held-out error of osvm() with its defaults on sets with factors. OSVM_REPEATS: random splits per set.
source("bench/common.R")

times <- as.integer(Sys.getenv("OSVM_REPEATS", "20"))
most <- 1000 # training examples

complete <- function(data, label) {
  data <- droplevels(data[stats::complete.cases(data), ])
  list(x = data[setdiff(names(data), label)], y = factor(data[[label]]))
}
categories <- function(data) as.data.frame(lapply(data, function(v) factor(as.character(v))))
# Two and four numbers, and factors that change what the numbers mean; in `rare` most levels have few examples.
mixed <- function(n, levels, rare) {
  share <- if (rare) 0.5^seq_len(levels) else rep(1, levels)
  f <- factor(sample(levels, n, TRUE, share), seq_len(levels))
  g <- factor(sample(levels, n, TRUE, share), seq_len(levels))
  x <- matrix(rnorm(4 * n), n)
  effect <- seq(-1.5, 1.5, length.out = levels)
  score <- x[, 1] * effect[f] + x[, 2] + effect[g] * (1 + x[, 3]) + 0.5 * rnorm(n)
  list(x = data.frame(x, f, g), y = factor(score > 0))
}
set.seed(1)
soybean <- packaged("Soybean", "mlbench")
income <- packaged("income", "kernlab")
titanic <- as.data.frame(datasets::Titanic)
sampled <- function(set, n = 4000) {
  rows <- sample(length(set$y), n)
  x <- as.data.frame(as.matrix(set$x[rows, ]))
  x[] <- lapply(x, function(v) if (all(v %in% 0:1)) v == 1 else v)
  list(x = x, y = factor(set$y[rows]))
}
sets <- list(
  adult = sampled(real_data("adult")),
  covertype = sampled(real_data("covertype")),
  `house votes` = complete(categories(packaged("HouseVotes84", "mlbench")), "Class"),
  soybean = complete(data.frame(categories(soybean[-1]), Class = soybean$Class), "Class"),
  DNA = complete(packaged("DNA", "mlbench"), "Class"),
  promoters = complete(packaged("promotergene", "kernlab"), "Class"),
  `breast cancer` = complete(categories(packaged("BreastCancer", "mlbench")[-1]), "Class"),
  zoo = complete(packaged("Zoo", "mlbench"), "type"),
  income = complete(data.frame(categories(income[-1]), high = as.integer(income$INCOME) > 5), "high"),
  `birth weight` = complete(
    transform(MASS::birthwt[-10], race = factor(race), smoke = smoke == 1, ht = ht == 1, ui = ui == 1), "low"
  ),
  survey = complete(MASS::survey, "Sex"),
  titanic = complete(titanic[rep(seq_len(nrow(titanic)), titanic$Freq), 1:4], "Survived"),
  mixed = mixed(3000, 5, FALSE),
  rare = mixed(3000, 8, TRUE)
)

encode <- function(x) {
  parts <- lapply(x, function(v) if (is.factor(v)) outer(as.character(v), levels(v), "==") + 0 else v + 0)
  list(x = unname(do.call(cbind, parts)), indicator = rep(!vapply(x, is.numeric, NA), vapply(parts, NCOL, 0L)))
}
measure <- function(set) {
  coded <- encode(set$x)
  n <- nrow(coded$x)
  errors <- replicate(times, {
    train <- sample(n, min(most, round(2 * n / 3)))
    test <- utils::head(sample(setdiff(seq_len(n), train)), 5000)
    x <- coded$x[train, ]
    deviation <- apply(x, 2, stats::sd)
    deviation[deviation == 0] <- 1
    all <- list(center = colMeans(x), scale = deviation)
    some <- list(center = ifelse(coded$indicator, 0, all$center), scale = ifelse(coded$indicator, 1, all$scale))
    vapply(list(all, some), function(scale) {
      fit <- suppressMessages(osvm(x, set$y[train], scale = scale, verbose = FALSE))
      error(suppressWarnings(predict(fit, coded$x[test, ])), set$y[test])
    }, 0)
  })
  difference <- errors[1, ] - errors[2, ]
  data.frame(
    rows = n, columns = ncol(coded$x), scaled = mean(errors[1, ]), unscaled = mean(errors[2, ]),
    difference = mean(difference), se = stats::sd(difference) / sqrt(times)
  )
}
results <- do.call(rbind, lapply(names(sets), function(name) {
  message(name)
  cbind(data = name, measure(sets[[name]]))
}))
clear <- abs(results$difference) > 2 * results$se
report(
  "factors", "Indicator columns of factors: scaled or not",
  sprintf(
    "Held-out error of `osvm(x, y)` in per cent, fitted to two thirds of the rows, at most %d; mean of %d splits.",
    most, times
  ),
  "Difference: scaled minus unscaled, with its standard error over the splits.",
  table_md(results, digits = c(0, 0, 0, 1, 1, 2, 2), row.names = FALSE),
  sprintf(
    "Better by more than two standard errors: scaled on %d sets, not scaled on %d of %d. Mean: %.2f and %.2f.",
    sum(clear & results$difference < 0), sum(clear & results$difference > 0), nrow(results), mean(results$scaled),
    mean(results$unscaled)
  )
)
