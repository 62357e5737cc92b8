# Prediction: 10,000 MNIST digits against one model of about 3,000 support vectors, held by e1071 and by us.
source("bench/common.R")

data <- real_data("mnist")
pixels <- function(rows) matrix(as.integer(data$x[rows, ]) / 255, length(rows))
label <- function(rows) factor(ifelse(data$y[rows] < 5, "0-4", "5-9"))
set.seed(1)
train <- sample(data$train, 10000)
x <- pixels(train)
y <- label(train)
test <- setdiff(seq_len(nrow(data$x)), data$train)
new_x <- pixels(test)

gamma <- 0.02
message("Fitting e1071 for its support vectors ...")
theirs <- e1071::svm(x, y, scale = FALSE, gamma = gamma, cost = 1, cachesize = 1000, fitted = FALSE)

# The same model in our hands: its support vectors and coefficients are public fields.
few <- c(head(which(y == "0-4"), 20), head(which(y == "5-9"), 20))
ours <- osvm(x[few, ], y[few], "olsvm", kernel_rbf(gamma = gamma), scale = FALSE, verbose = FALSE)
sign <- if (theirs$levels[theirs$labels[1]] == ours$levels[2]) 1 else -1
ours$sv <- unname(theirs$SV)
ours$coef <- sign * unname(theirs$coefs)
ours$intercept <- -sign * theirs$rho
ours$n_sv <- nrow(theirs$SV)

decide <- function(threads) predict(ours, new_x, type = "decision", threads = threads)
invisible(decide(2))
theirs_time <- seconds(values <- attr(predict(theirs, new_x, decision.values = TRUE), "decision.values"))
one <- median(replicate(5, seconds(decide(1))))
# Threads share the work, not the processor time: these two are compared by the clock, in turns, the best of several runs.
clock <- replicate(15, c(elapsed(decide(1)), elapsed(decide(2))))
one_elapsed <- min(clock[1, ])
two_elapsed <- min(clock[2, ])
difference <- max(abs(decide(1) - sign * as.vector(values)))

report(
  "predict", sprintf("Prediction: 10,000 x 784 against %d support vectors", ours$n_sv),
  "The same RBF model in both packages (MNIST, digits 0-4 against 5-9); decision values of the test set.",
  table_md(data.frame(
    package = c("e1071", "onlinesvm, 1 thread", "onlinesvm, 1 thread, by the clock", "onlinesvm, 2 threads, by the clock"),
    seconds = c(theirs_time, one, one_elapsed, two_elapsed)
  ), digits = 3),
  target("e1071's time over ours, one thread", theirs_time / one, 20),
  target("one thread's time over two threads'", one_elapsed / two_elapsed, 1.7),
  sprintf("- largest difference between the two packages' decision values: %.1e", difference)
)
