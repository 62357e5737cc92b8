# Draws the cheat sheet, one page in A4, as pkgdown/assets/cheatsheet.pdf; `--png FILE` as a picture, too.
# All code on it is run first, and the table of solvers is that of solvers(): the page is true of this version.
#   Rscript tools/cheatsheet.R [--check | --png FILE]      --check runs the code, and draws nothing
suppressPackageStartupMessages(library(onlinesvm))

# Title, then code and what it does, in turn.
sections <- list(
  list(
    "Fit",
    "osvm(type ~ ., data)", "a formula; searches kernel, C and width",
    "osvm(x, y, effort = 4)", "a longer search; 0: hardly any",
    "osvm(x, y)", "a matrix, dense or sparse, or a data frame",
    "osvm(x, y, kernel = \"linear\")", "a linear boundary",
    "osvm(x, number)", "regression",
    "osvm(x, number, loss = loss_quantile(c(0.1, 0.9)))", "quantiles",
    "osvm(x, loss = loss_novelty(nu = 0.05))", "what is usual, without labels",
    "osvm(x, y, probability = TRUE)", "calibrated probabilities",
    "osvm(x, y, class_weights = \"balanced\")", "classes of unequal size",
    "osvm(x, y, solver_cccp(C = 10))", "robust to wrong labels",
    "osvm(x, y, cells = 2000)", "an SVM in each part of the space",
    "osvm(x, y, kernel = kernel_nystrom(rank = 200))", "a map of low rank",
    "osvm(x, y, seconds = 60)", "ends in time with the model so far"
  ),
  list(
    "Predict and look",
    "predict(fit, new)", "classes, numbers, or TRUE for what belongs",
    "predict(fit, new, type = \"decision\")", "decision values",
    "predict(sure, new, type = \"prob\")", "probabilities",
    "predict(sure, new, threshold = 0.2)", "another boundary of two classes",
    "summary(fit); coef(line)", "how it ended; weights of a linear model",
    "plot(fit, features = 1:2)", "regions, margins, support vectors",
    "plot(osvm_shapley(fit, x))", "why: what each variable adds",
    "osvm_importance(fit)", "which variables matter"
  ),
  list(
    "Tune and judge",
    "osvm_tune(x, y, solver_smo(C = 10^(0:2)))", "a grid by cross-validation",
    "osvm_compare(x, y, list(solver_smo(), solver_pa()))", "solvers, same folds",
    "osvm_learning_curve(x, y)", "would more examples help?",
    "roc <- osvm_roc(sure, x, y, type = \"prob\")", "the ROC curve, on other examples",
    "osvm_threshold(roc, cost = c(fp = 1, fn = 5))", "a threshold from costs",
    "osvm_calibration(sure, x, y)", "are the probabilities right?"
  ),
  list(
    "Go on learning",
    "fit <- osvm(x, y, solver_lasvm())", "an online solver",
    "fit <- update(fit, x, y)", "adds examples",
    "live <- osvm_live(fit)", "a model that learns in place",
    "update(live, x[1, ], y[1]); snapshot(live)", "row by row; an ordinary model of it",
    "forget(exact, c(17, 23))", "removes examples exactly (IDSVM, ramp loss)",
    "loo(exact)", "the exact leave-one-out error (IDSVM)",
    "query(fit, x, n = 10)", "the examples that are worth a label"
  ),
  list(
    "Streams",
    "from <- source_matrix(x, y)", "also csv, svmlight, dbi, arrow, function",
    "osvm_stream(from, metrics = \"kappa\")", "predicts, then learns, chunk by chunk",
    "osvm_stream(from, drift = drift_adwin())", "detects a change, and reacts",
    "osvm_stream(from, checkpoint = file)", "survives a crash; then resume = file"
  ),
  list(
    "Smaller models",
    "solver_olsvm(budget = 500)", "at most so many support vectors",
    "compress(fit, n_sv = 50)", "a finished model with fewer of them",
    "strip(fit)", "without what only training needs",
    "saveRDS(fit, file)", "a model is a list of plain vectors"
  ),
  list(
    "From e1071, kernlab and scikit-learn",
    "solver_smo(C = 10)", "cost = 10; C = 10; C=10",
    "kernel_rbf(gamma = 0.1)", "gamma = 0.1; sigma = 0.1; gamma=0.1",
    "osvm(x, number, loss = loss_epsilon(0.1))", "eps-regression; eps-svr; SVR()",
    "osvm(x, loss = loss_novelty(nu = 0.1))", "one-class.; one-svc; OneClassSVM()"
  ),
  list(
    "Good to know",
    "set.seed(1)", "same seed, same model, with any number of threads",
    "options(onlinesvm.threads = 2)", "threads of all fits",
    "tryCatch(osvm(x, y), osvm_error = identity)", "conditions have classes: ?onlinesvm"
  )
)
notes <- c(
  "Columns of new data are matched by name.", "Rows with missing values are predicted as NA.",
  "Ctrl-C returns what was learned so far.", "The error of the best grid point is optimistic: judge on other examples."
)

# ---- the code is run ----

set.seed(1)
two <- iris[51:150, ]
two$Species <- droplevels(two$Species)
scope <- list2env(list(
  data = data.frame(type = two$Species, two[1:4]), x = as.matrix(two[1:4]), y = two$Species,
  new = as.matrix(two[1:5, 1:4]), number = two$Petal.Width + stats::rnorm(100) / 100, file = tempfile(fileext = ".rds")
), parent = globalenv())
scope$fit <- osvm(scope$x, scope$y)
scope$sure <- osvm(scope$x, scope$y, probability = TRUE)
scope$line <- osvm(scope$x, scope$y, kernel = "linear")
scope$exact <- osvm(scope$x, scope$y, solver_idsvm())
grDevices::pdf(NULL)
for (section in sections) {
  for (code in section[seq(2, length(section), 2)]) {
    tryCatch(invisible(eval(parse(text = code), scope)), error = function(e) {
      stop("The code `", code, "` of the cheat sheet fails: ", conditionMessage(e), call. = FALSE)
    })
  }
}
invisible(grDevices::dev.off())

if ("--check" %in% commandArgs(TRUE)) {
  cat("cheatsheet: 1 passed, 0 failed\n")
  quit()
}

# ---- the page, in inches ----

width <- 11.69
height <- 8.27
column <- (width - 0.7) / 3
colours <- c(title = "#0072B2", code = "#003A5C", rule = "#B8D4E6")
line <- 0.185
size <- 0.53

at <- function(k) 0.35 + (k - 1) * column
write_text <- function(x, y, text, cex = size, ...) graphics::text(x, y, text, adj = c(0, 0.5), cex = cex, ...)
write_code <- function(x, y, code) write_text(x, y, code, family = "mono", col = colours[["code"]])
heading <- function(k, top, title) {
  write_text(at(k), top - 0.08, title, font = 2, cex = 0.76, col = colours[["title"]])
  graphics::segments(at(k), top - 0.18, at(k) + column - 0.2, top - 0.18, col = colours[["rule"]])
  top - 0.29
}
between <- 0.1
# What code does is beside it, or below where there is no room.
draw_section <- function(section, k, top) {
  y <- heading(k, top, section[[1]])
  for (i in seq(2, length(section), 2)) {
    code <- section[[i]]
    what <- section[[i + 1]]
    write_code(at(k), y, code)
    beside <- max(at(k) + graphics::strwidth(code, family = "mono", cex = size) + 0.1, at(k) + 1.5)
    if (beside + graphics::strwidth(what, cex = size) > at(k) + column - 0.2) {
      y <- y - line * 0.9
      beside <- at(k) + 0.2
    }
    write_text(beside, y, what)
    y <- y - line
  }
  y - between
}
draw_solvers <- function(k, top) {
  top <- heading(k, top, "Solvers: osvm(x, y, solver_lasvm(C = 10))")
  all <- solvers()
  can <- function(flag, text) ifelse(flag, text, NA)
  flags <- apply(cbind(
    can(all$space == "linear", "linear"), ifelse(all$online, "online", "batch"), can(all$forgets, "forget"),
    can(all$budgets, "budget")
  ), 1, function(words) paste(words[!is.na(words)], collapse = ", "))
  rows <- order(match(all$name, c("smo", "dcd", "lasvm", "pa", "pegasos", "ramp", "cccp", "idsvm")))
  y <- top - line * (seq_along(rows) - 1)
  write_code(at(k), y, paste0("solver_", all$name[rows], "()"))
  write_text(at(k) + 1.3, y, all$title[rows])
  write_text(at(k) + 2.6, y, flags[rows])
  top - line * length(rows) - between
}
draw_names <- function(k, top) {
  top <- heading(k, top, "Kernels, losses, sources, drift")
  exported <- getNamespaceExports("onlinesvm")
  named <- function(prefix) {
    found <- sort(grep(prefix, exported, value = TRUE))
    strwrap(paste0(paste0(found, "()"), collapse = " "), 56)
  }
  text <- unlist(lapply(c("^kernel_", "^loss_", "^source_", "^drift_"), named))
  write_code(at(k), top - line * (seq_along(text) - 1), text)
  top - line * length(text) - between
}
draw_page <- function() {
  graphics::par(mar = rep(0, 4), xaxs = "i", yaxs = "i")
  graphics::plot.new()
  graphics::plot.window(c(0, width), c(0, height))
  graphics::rect(0, height - 0.62, width, height, col = colours[["title"]], border = NA)
  name <- paste("onlinesvm", utils::packageVersion("onlinesvm"))
  write_text(0.35, height - 0.31, name, cex = 1.3, font = 2, col = "white")
  what <- "Fast support vector machines for R, online and in batch. vignette(\"getting-started\", \"onlinesvm\")"
  write_text(2.6, height - 0.31, what, cex = 0.75, col = "white")
  top <- height - 0.8
  left <- Reduce(function(y, k) draw_section(sections[[k]], 1, y), 1:3, top)
  middle <- Reduce(function(y, k) draw_section(sections[[k]], 2, y), 4:7, top)
  right <- draw_section(sections[[8]], 3, draw_names(3, draw_solvers(3, top)))
  write_text(at(3), right - line * (seq_along(notes) - 0.5), notes, font = 3)
  if (min(left, middle, right - line * length(notes)) < 0) stop("The cheat sheet does not fit on its page.")
}

path <- file.path("pkgdown", "assets", "cheatsheet.pdf")
dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
grDevices::cairo_pdf(path, width, height)
draw_page()
invisible(grDevices::dev.off())
# The same page is the same file: without the moment at which it was drawn.
bytes <- readBin(path, "raw", file.size(path))
text <- rawToChar(replace(bytes, bytes == 0 | bytes > 127, charToRaw(" ")))
date <- gregexpr("CreationDate \\(D:[0-9]{14}", text)[[1]]
for (at_byte in date[date > 0]) bytes[at_byte + 16:29] <- charToRaw("20000101000000")
writeBin(bytes, path)
png_file <- commandArgs(TRUE)[match("--png", commandArgs(TRUE)) + 1]
if (!is.na(png_file)) {
  grDevices::png(png_file, width, height, "in", res = 150)
  draw_page()
  invisible(grDevices::dev.off())
}
message("Written to ", path)
