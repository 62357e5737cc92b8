# Texts as counts of words, and a linear kernel: one against the rest or each pair of classes, columns scaled or rows of norm 1,
# and what the search takes. Texts are those of packages, of which only the data are unpacked, from CRAN. At most 2,000 texts
# are learned, and as many predicted. OSVM_SOURCES: a folder where sources of packages are kept. make bench-text
source("bench/common.R")
library(Matrix)

sources <- Sys.getenv("OSVM_SOURCES", file.path(tempdir(), "sources"))
data_of <- function(package, file) {
  if (!dir.exists(file.path(sources, package))) {
    dir.create(sources, showWarnings = FALSE, recursive = TRUE)
    if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) chooseCRANmirror(ind = 1)
    untar(utils::download.packages(package, sources, type = "source", quiet = TRUE)[, 2], exdir = sources)
  }
  path <- file.path(sources, package, "data", file)
  if (grepl("csv", file)) return(read.csv(gzfile(path), sep = ";"))
  env <- new.env()
  load(path, env)
  if (length(env) == 1) env[[ls(env)]] else as.list(env)
}
pieces <- function(lines, label, size) { # some lines of one label are a text
  key <- paste(label, ave(seq_along(lines), label, FUN = function(i) (seq_along(i) - 1) %/% size))
  text <- tapply(lines, key, paste, collapse = " ")
  list(text = unname(text), y = sub(" \\d+$", "", names(text)))
}
frequent <- function(text, y, most, least = 0) {
  kept <- nchar(text) > least & y %in% names(sort(-table(y[nchar(text) > least])))[seq_len(most)]
  list(text = text[kept], y = y[kept])
}
counts_of <- function(text) {
  words <- strsplit(tolower(iconv(text, to = "ASCII", sub = " ")), "[^[:alpha:]']+")
  row <- rep(seq_along(words), lengths(words))
  words <- unlist(words)
  kept <- nzchar(words)
  known <- unique(words[kept])
  x <- sparseMatrix(row[kept], match(words[kept], known), x = 1, dims = c(length(text), length(known)))
  x[, colSums(x > 0) > 1]
}
volumes <- c(
  "albertinedisparue", "alombredesjeunesfillesenfleurs", "ducotedechezswann", "laprisonniere", "lecotedeguermantes",
  "letempretrouve", "sodomeetgomorrhe"
)

# The first five have chosen, the others are a check.
texts <- list(
  novels = function() {
    books <- sapply(c("emma", "mansfieldpark", "northangerabbey", "persuasion", "prideprejudice", "sensesensibility"),
      function(name) data_of("janeaustenr", paste0(name, ".rda")), simplify = FALSE)
    lines <- unlist(books)
    book <- rep(names(books), lengths(books))
    pieces(lines[nzchar(lines)], book[nzchar(lines)], 10)
  },
  congress = function() with(data_of("RTextTools", "USCongress.csv.gz"), list(text = text, y = major)),
  office = function() with(data_of("schrute", "theoffice.rda"), frequent(text, character, 8, 60)),
  bible = function() with(data_of("scriptuRs", "old_testament.rda"), frequent(text, book_title, 12)),
  blogs = function() {
    d <- data_of("stm", "poliblog5k.RData")
    words <- do.call(cbind, d$poliblog5k.docs)
    row <- rep(seq_along(d$poliblog5k.docs), vapply(d$poliblog5k.docs, ncol, 0L))
    list(x = sparseMatrix(row, words[1, ], x = as.numeric(words[2, ])), y = d$poliblog5k.meta$blog)
  },
  friends = function() with(data_of("friends", "friends.rda"), frequent(text, speaker, 6, 60)),
  proust = function() {
    books <- lapply(volumes, function(name) data_of("proustr", paste0(name, ".rda"))$text)
    pieces(unlist(books), rep(volumes, lengths(books)), 2)
  },
  apostles = function() with(data_of("scriptuRs", "new_testament.rda"), frequent(text, book_title, 10)),
  headlines = function() with(data_of("RTextTools", "NYTimes.csv.gz"), list(text = paste(Title, Subject), y = Topic.Code)),
  reviews = function() with(data_of("text2vec", "movie_review.RData"), list(text = review, y = sentiment))
)

divide <- function(d) {
  x <- if (is.null(d$x)) counts_of(d$text) else d$x
  often <- d$y %in% names(which(table(d$y) >= 9))
  x <- x[often, ]
  y <- factor(d$y[often])
  set.seed(7)
  order <- sample(nrow(x))
  train <- order[seq_len(min(2000, 2 * nrow(x) %/% 3))]
  test <- setdiff(order, train)[seq_len(min(2000, nrow(x) - length(train)))]
  x <- x[, colSums(x[train, ] != 0) > 0]
  list(x = x[train, ], y = y[train], new = x[test, ], truth = y[test])
}
ways <- list(
  "scaled, pairs" = list(kernel = "linear", scale = TRUE, multiclass = "ovo"),
  "scaled, rest" = list(kernel = "linear", scale = TRUE, multiclass = "ovr"),
  "unit, pairs" = list(kernel = "linear", scale = "unit", multiclass = "ovo"),
  "unit, rest" = list(kernel = "linear", scale = "unit", multiclass = "ovr"), searched = list()
)

results <- do.call(rbind, lapply(names(texts), function(set) {
  v <- divide(texts[[set]]())
  do.call(rbind, lapply(names(ways), function(way) {
    set.seed(1)
    fit <- NULL
    time <- seconds(fit <- do.call(osvm, c(list(v$x, v$y, threads = 1, verbose = FALSE), ways[[way]])))
    right <- 100 * mean(suppressWarnings(predict(fit, v$new)) == v$truth)
    message(set, ", ", way, ": ", round(right, 2), if (way == "searched") paste("", fit$kernel$name, fit$transform$kind))
    taken <- paste(fit$kernel$name, fit$transform$kind)
    data.frame(set, rows = nrow(v$x), words = ncol(v$x), classes = nlevels(v$y), way, right, seconds = time, taken)
  }))
}))

wide <- stats::reshape(results[c("set", "rows", "words", "classes", "way", "right")],
  idvar = c("set", "rows", "words", "classes"), timevar = "way", direction = "wide"
)
names(wide) <- sub("right.", "", names(wide), fixed = TRUE)
wide$taken <- results$taken[results$way == "searched"]
several <- wide$classes > 2
gain <- function(a, b, of = several) sprintf("%.1f", mean(wide[of, a] - wide[of, b]))
spent <- round(tapply(results$seconds, results$way, sum)[names(ways)], 1)
report("text", "Texts: linear kernels, one against the rest or pairs, scaled or of norm 1", c(
  "Per cent of texts that are right, a linear kernel with the `C` of `osvm()`; `searched`: `osvm(x, y)`, and what it took. Of sets of",
  sprintf(
    "several classes one against the rest has %s points more than pairs where columns are scaled, %s with rows of norm 1. These have %s",
    gain("scaled, rest", "scaled, pairs"), gain("unit, rest", "unit, pairs"), gain("unit, rest", "scaled, rest", TRUE)
  ), "points more than scaled columns, all sets. The first five sets have chosen.", "",
  paste0("Processor seconds of fits in all: ", paste(names(spent), spent, collapse = ", "), "."),
  table_md(wide, digits = c(0, 0, 0, 0, 0, rep(2, 5), 0)[seq_len(ncol(wide))], row.names = FALSE)
))
