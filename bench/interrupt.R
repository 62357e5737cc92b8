# How long after Ctrl-C does a call return? An interrupt is sent one second into each call; reported is the time from the
# signal to the return, by the clock and of the processor (which other programs do not prolong), the least of `tries` (2).
# The promise is half a second. Linux: the processor time is read from /proc.
#   Rscript bench/interrupt.R [tries]
source("bench/common.R")
tries <- as.integer(c(commandArgs(TRUE), "2")[1])

# Processor time of this process, in seconds, as /proc has it in hundredths.
stat_file <- sprintf("/proc/%d/stat", Sys.getpid())
ticks <- function(line) sum(as.numeric(strsplit(sub(".*[)] ", "", line), " ")[[1]][12:13])) / 100

# Seconds from the signal to the return of `code`, by the clock and of the processor; NA if it returned before.
latency <- function(code, wait) {
  sent <- tempfile()
  signal <- "(sleep %g; date +%%s.%%N > %s; cat %s >> %s; kill -INT %d) &"
  system(sprintf(signal, wait, sent, stat_file, sent, Sys.getpid()))
  tryCatch(suppressWarnings(eval(code, globalenv())), interrupt = function(i) NULL, error = function(e) NULL)
  back <- c(as.numeric(Sys.time()), ticks(readLines(stat_file)))
  if (!file.exists(sent)) {
    tryCatch(Sys.sleep(wait + 2), interrupt = function(i) NULL)
    return(c(NA, NA))
  }
  then <- readLines(sent)
  back - c(as.numeric(then[1]), ticks(then[2]))
}

measure <- function(what, code, wait = 1) {
  code <- substitute(code)
  seconds <- replicate(tries, latency(code, wait))
  least <- suppressWarnings(apply(seconds, 1, min, na.rm = TRUE))
  message(sprintf("%-50s clock %6.2f s, processor %6.2f s", what, least[1], least[2]))
  least[is.infinite(least)] <- NA # ended before the signal
  table <<- rbind(table, data.frame(what, clock = least[1], processor = least[2]))
}
table <- NULL

set.seed(1)
n <- 50000
y <- factor(rep_len(c("a", "b"), n))
x <- matrix(rnorm(10 * n), n) + 0.3 * (y == "b")
linear_x <- matrix(rnorm(2e7), 2e5)
linear_y <- factor(rep_len(c("a", "b"), 2e5))
rbf <- kernel_rbf(gamma = 0.1)

# Parameters that make a solver take minutes.
long <- list(epochs = 1e5, tolerance = 1e-12)
for (name in solvers()$name) {
  make <- get(paste0("solver_", name))
  solver <- do.call(make, long[intersect(names(long), names(formals(make)))])
  linear <- solvers()$space[solvers()$name == name] == "linear"
  if (linear) {
    measure(paste("fit, ", name, ", linear, 200,000 x 100", sep = ""), osvm(linear_x, linear_y, solver))
  } else {
    measure(paste("fit, ", name, ", 50,000 x 10", sep = ""), osvm(x, y, solver, rbf))
  }
}
measure("fit, huller, one epoch", osvm(x, y, solver_huller(epochs = 1), rbf))
measure("fit, defaults, 50,000 x 10", osvm(x, y))
measure("fit with probability = TRUE, 50,000 x 10", osvm(x, y, "smo", rbf, probability = TRUE))

# Labels at random: nearly every example is a support vector.
part <- seq_len(26000)
large <- osvm(x[part, ], sample(y[part]), solver_olsvm(epochs = 1), rbf)
measure(sprintf("update of a model with %d support vectors", large$n_sv), update(large, x, y), wait = 0.3)
measure("predict, 200,000 rows", predict(large, x[rep_len(seq_len(n), 2e5), ]))
measure("query, 200,000 rows", query(large, x[rep_len(seq_len(n), 2e5), ], "margin"))
labels <- factor(rep_len(1:1000, 2e5))
some <- seq_len(5000)
many <- osvm(linear_x[some, ], labels[some], solver_pegasos(epochs = 1), multiclass = "ovr")
measure("linear predict in 1,000 classes, 50,000 rows", predict(many, linear_x[1:50000, ]))
measure("linear fit of 1,000 classes, 200,000 rows", osvm(linear_x, labels, "pegasos", multiclass = "ovr"))
few <- seq_len(3000)
exact <- osvm(x[few, ], y[few], solver_idsvm(), rbf)
measure("loo, 3,000 rows", loo(exact))
measure("forget 1,000 of 3,000 rows", forget(exact, 1:1000))
measure("tune, SMO, 50,000 x 10", osvm_tune(x, y, solver_smo(C = c(1, 10)), rbf, progress = FALSE))
measure(
  "tune, OL SVM, 50,000 x 10", osvm_tune(x, y, solver_olsvm(C = c(1, 10), epochs = 20), rbf, progress = FALSE)
)

report(
  "interrupt", "Seconds from Ctrl-C to the return of a call",
  sprintf("Least of %d tries; NA: the call ended before the signal, one second after its start. The promise is 0.5 s.", tries),
  table_md(table, digits = 2, row.names = FALSE, col.names = c("call", "by the clock", "of the processor")),
  sprintf(
    "- largest: **%.2f s** of the processor; above 0.5 s: %d of %d calls", max(table$processor, na.rm = TRUE),
    sum(table$processor > 0.5, na.rm = TRUE), sum(!is.na(table$processor))
  )
)
