# The size of the code and of its calls, with build/library installed: Rscript tools/count-code.R
# Lines of code are neither blank nor comments. Calls are those of the package's own functions.
code_lines <- function(files, comment) {
  text <- unlist(lapply(files, readLines))
  sum(!grepl(paste0("^[[:space:]]*(", comment, "|$)"), text))
}
r_files <- Sys.glob("R/*.R")
c_files <- Sys.glob("src/*.[ch]")
functions <- sum(grepl("^[A-Za-z_.0-9%`|&]+ <- function", unlist(lapply(r_files, readLines))))

suppressPackageStartupMessages(library(onlinesvm))

# Every function of the namespace, and every method that is registered from it, counts its calls.
calls <- 0
counted <- function(f) {
  body(f) <- bquote({
    .(function() calls <<- calls + 1)()
    .(body(f))
  })
  f
}
put <- function(name, value, space) {
  if (bindingIsLocked(name, space)) unlockBinding(name, space)
  assign(name, value, space)
}
package <- asNamespace("onlinesvm")
for (name in ls(package, all.names = TRUE)) {
  f <- get(name, package)
  if (is.function(f) && !is.primitive(f) && identical(environment(f), package)) put(name, counted(f), package)
}
methods <- package[[".__S3MethodsTable__."]]
of_base <- list(baseenv()[[".__S3MethodsTable__."]], asNamespace("stats")[[".__S3MethodsTable__."]])
for (table in c(methods, of_base)) {
  for (name in ls(table)) if (identical(environment(table[[name]]), package)) put(name, counted(table[[name]]), table)
}

calls_of <- function(code) {
  calls <<- 0
  force(code)
  calls
}
set.seed(1)
board <- onlinesvm::chessboard(600, noise = 0.1)
x <- board$x
y <- board$y
some <- 1:500
run <- function(...) onlinesvm::osvm(x[some, ], y[some], ...)
fit <- NULL
counts <- c(
  "default fit of 500 rows" = calls_of(run()),
  "the same with solver_smo()" = calls_of(fit <- run(onlinesvm::solver_smo())),
  "first predict()" = calls_of(predict(fit, x)),
  "predict() again" = calls_of(predict(fit, x)),
  "600 rows in cells of 200" = calls_of(onlinesvm::osvm(x, y, cells = 200)),
  "stream of 40 chunks of 10 rows" = calls_of(
    onlinesvm::osvm_stream(onlinesvm::source_matrix(x[1:400, ], y[1:400]), onlinesvm::solver_lasvm(), chunk = 10)
  )
)
cat(sprintf("R: %d lines of code, %d functions; src: %d lines of code\n", code_lines(r_files, "#"), functions,
  code_lines(c_files, "/[*]|[*]|//")))
cat("calls of functions of R/:", paste(counts, names(counts), collapse = "; "), fill = 120)
