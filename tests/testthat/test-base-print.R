# Text that a terminal obeys: it sets a title and a colour, rings, clears the screen, turns the direction of writing.
hostile <- "a\u001b]0;title\u0007\u001b[31m\u009b2J\u202eb\n\u2028c\r"
visible <- "a<U+001B>]0;title<U+0007><U+001B>[31m<U+009B>2J<U+202E>b<U+000A><U+2028>c<U+000D>"

# Colours are cli's own; lines end with line feeds.
expect_visible <- function(text, what = visible) {
  text <- cli::ansi_strip(paste(text, collapse = "\n"))
  obeyed <- "[\u0001-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
  expect_false(grepl(obeyed, text, perl = TRUE), info = encodeString(text))
  expect_true(grepl(what, gsub("\\s", "", text), fixed = TRUE), info = encodeString(text))
}

# As a part of a sentence, without its colour and its line ends.
reason <- "a<U+001B>]0;title<U+0007><U+009B>2J<U+202E>bc."

message_of <- function(code) {
  tryCatch({
    code
    ""
  }, condition = conditionMessage)
}

with_colours <- function(code) {
  old <- options(cli.num_colors = 256)
  on.exit(options(old))
  code
}

set.seed(1)
x <- matrix(rnorm(60), 30, dimnames = list(NULL, c(hostile, "b")))
y <- rep(c(hostile, "v"), 15)

test_that("names, labels, paths, classes and levels in messages are shown, not obeyed", {
  fit <- osvm(x, y, solver_pa(), kernel_linear(), verbose = FALSE)
  by_level <- osvm(data.frame(g = y, n = 1:30), y, solver_pa(), verbose = FALSE)
  new <- sub("a", "new", visible)
  no_rows <- file_of(c("a,b", "1,2"))
  twice <- file_of(paste0("\"", c(hostile, hostile, "y"), "\"", collapse = ","))
  fails <- function(truth, predicted, decision) stop(hostile)
  text <- file_of(c(paste0("\"", hostile, "\",y"), rep("1,u", 20), paste0("\"", hostile, "\",u")))
  for (way in list(identity, with_colours)) {
    expect_visible(message_of(way(predict(fit, x[, "b", drop = FALSE]))))
    expect_visible(message_of(way(predict(fit, cbind(data.frame(x, check.names = FALSE), new = 1)[, c(1, 3)]))), "`b`")
    expect_visible(message_of(way(update(fit, x, sub("a", "new", y)))), new)
    expect_visible(message_of(way(predict(by_level, data.frame(g = sub("a", "new", y), n = 1)))), new)
    expect_visible(message_of(way(osvm(x, structure(list(1), class = hostile)))))
    expect_visible(message_of(way(source_csv(hostile))))
    expect_visible(message_of(way(osvm_stream(source_csv(no_rows, label = hostile)))))
    expect_visible(message_of(way(osvm_stream(source_csv(twice, "y"), verbose = FALSE))))
    source <- source_csv(text, "y")
    source$block <- 12
    expect_visible(message_of(way(osvm_stream(source, "pa", verbose = FALSE))))
    expect_visible(message_of(way(osvm_tune(x, y, "pa", metric = fails, progress = FALSE))), reason)
  }
})

test_that("names, labels, levels and events in what is printed are shown, not obeyed", {
  shows <- function(object, what = visible) expect_visible(capture.output(print(object)), what)
  fit <- osvm(x, y, solver_smo(), kernel_rbf(gamma = 1), verbose = FALSE)
  shows(fit)
  shows(summary(fit))
  run <- osvm_stream(source_matrix(x, replace(y, 1:20, c("u", "v"))), "pa", chunk = 5, verbose = FALSE)
  shows(run)
  shows(summary(run))
  frame <- data.frame(stats::setNames(list(rep(c("u", "v"), c(20, 10)), 1:30), c(hostile, "n")), check.names = FALSE)
  shows(osvm_stream(source_matrix(frame, y), "pa", chunk = 5, new_levels = "NA", verbose = FALSE))
  path <- file.path(tempdir(), paste0(hostile, ".csv"))
  shows(tryCatch({
    writeLines("a,y", path)
    source_csv(path, "y")
  }, warning = function(w) list(visible))) # a file system that has no such names
  ignored <- source_csv(file_of(paste0("\"", hostile, "\",y,b")), "y", ignore = hostile)
  shows(ignored)
})

test_that("text in any encoding is printed, and long text is cut", {
  latin <- "caf\xe9"
  Encoding(latin) <- "latin1"
  lacks <- function(label) message_of(osvm_stream(source_csv(file_of("a,b"), label = label)))
  expect_match(lacks(latin), "caf\u00e9", fixed = TRUE)
  expect_match(lacks("b\xff\xfe"), "b<ff><fe>", fixed = TRUE)
  bytes <- "b\xff"
  Encoding(bytes) <- "bytes"
  expect_match(lacks(bytes), "b<ff>", fixed = TRUE)
  expect_match(lacks("\u05d0\u200d"), "\u05d0\u200d", fixed = TRUE)
  long <- lacks(strrep("k", 1e6))
  expect_lt(nchar(long), 2000)
  expect_match(long, "k...", fixed = TRUE)
})
