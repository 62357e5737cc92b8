# Data sets for the choice and the check of defaults: list(x, y), from packages, generators and, where it is there, real
# data. A set whose package is missing is left out.

from_frame <- function(data, label, drop = NULL) {
  data <- data[setdiff(names(data), drop)]
  data <- data[stats::complete.cases(data), ]
  x <- data[setdiff(names(data), label)]
  x[] <- lapply(x, function(v) if (is.character(v) || is.logical(v)) factor(v) else v)
  x <- x[vapply(x, function(v) length(unique(v)) > 1, NA)]
  codes <- lapply(names(x), function(name) {
    v <- x[[name]]
    if (is.factor(v) && !is.ordered(v)) {
      v <- droplevels(v)
      v <- if (nlevels(v) == 2) v == levels(v)[2] else outer(as.character(v), levels(v), "==")
    }
    v <- matrix(as.numeric(v), nrow(x))
    colnames(v) <- if (ncol(v) == 1) name else paste0(name, seq_len(ncol(v)))
    v
  })
  list(x = do.call(cbind, codes), y = factor(data[[label]]))
}
generated <- function(d) list(x = d$x, y = factor(d$classes))
shared <- function(name) {
  path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
  d <- readRDS(path)
  x <- d$x
  if (is.raw(x)) {
    rows <- sample(nrow(x), 8000)
    return(list(x = matrix(as.numeric(x[rows, ]), 8000), y = factor(d$y[rows])))
  }
  rows <- sample(nrow(x), min(nrow(x), 12000))
  list(x = if (is.integer(x)) x[rows, ] + 0 else x[rows, ], y = factor(d$y[rows]))
}
binned <- function(data, label, above) {
  data[[label]] <- data[[label]] > above
  from_frame(data, label)
}
# Bag of words: counts of words that occur in at least five texts.
words <- function(text, y) {
  found <- strsplit(tolower(gsub("http\\S*|[^[:alpha:] ]", " ", text)), " +")
  found <- lapply(found, function(w) w[nchar(w) > 1])
  used <- table(unlist(lapply(found, unique)))
  used <- names(used)[used >= 5]
  column <- match(unlist(found), used)
  row <- rep(seq_along(found), lengths(found))[!is.na(column)]
  x <- Matrix::sparseMatrix(row, column[!is.na(column)], x = 1, dims = c(length(found), length(used)))
  full <- Matrix::rowSums(x) > 0
  list(x = x[full, ], y = factor(y[full]))
}
plain <- function(x, y) list(x = as.matrix(x), y = factor(y))

makers <- list(
  # mlbench
  breast = function() from_frame(packaged("BreastCancer", "mlbench"), "Class", "Id"),
  dna = function() from_frame(packaged("DNA", "mlbench"), "Class"),
  glass = function() from_frame(packaged("Glass", "mlbench"), "Type"),
  votes = function() from_frame(packaged("HouseVotes84", "mlbench"), "Class"),
  ionosphere = function() from_frame(packaged("Ionosphere", "mlbench"), "Class"),
  letters = function() from_frame(packaged("LetterRecognition", "mlbench"), "lettr"),
  pima = function() from_frame(packaged("PimaIndiansDiabetes", "mlbench"), "diabetes"),
  satellite = function() from_frame(packaged("Satellite", "mlbench"), "classes"),
  shuttle = function() from_frame(packaged("Shuttle", "mlbench"), "Class"),
  sonar = function() from_frame(packaged("Sonar", "mlbench"), "Class"),
  vehicle = function() from_frame(packaged("Vehicle", "mlbench"), "Class"),
  vowel = function() from_frame(packaged("Vowel", "mlbench"), "Class", "V1"),
  zoo = function() from_frame(packaged("Zoo", "mlbench"), "type"),
  ringnorm = function() generated(mlbench::mlbench.ringnorm(3000, 20)),
  threenorm = function() generated(mlbench::mlbench.threenorm(3000, 20)),
  waveform = function() generated(mlbench::mlbench.waveform(3000)),
  spirals = function() generated(mlbench::mlbench.spirals(3000, 1.5, 0.05)),
  circle = function() generated(mlbench::mlbench.circle(3000, 4)),
  # kernlab, TH.data, modeldata, caret, mclust, liver, MASS, datasets
  spam = function() from_frame(packaged("spam", "kernlab"), "type"),
  musk = function() from_frame(packaged("musk", "kernlab"), "Class"),
  glaucoma = function() from_frame(packaged("GlaucomaM", "TH.data"), "Class"),
  cells = function() from_frame(packaged("cells", "modeldata"), "class", "case"),
  churn = function() from_frame(packaged("mlc_churn", "modeldata"), "churn", "state"),
  credit = function() from_frame(packaged("credit_data", "modeldata"), "Status"),
  attrition = function() from_frame(packaged("attrition", "modeldata"), "Attrition"),
  parkinson = function() from_frame(packaged("pd_speech", "modeldata"), "class"),
  computing = function() from_frame(packaged("hpc_data", "modeldata"), "class", c("protocol", "day")),
  german = function() from_frame(packaged("GermanCredit", "caret"), "Class"),
  dhfr = function() from_frame(packaged("dhfr", "caret"), "Y"),
  resistance = function() {
    env <- new.env()
    utils::data("mdrr", package = "caret", envir = env)
    plain(env$mdrrDescr[, apply(env$mdrrDescr, 2, stats::sd) > 0], env$mdrrClass)
  },
  thyroid = function() from_frame(packaged("thyroid", "mclust"), "Diagnosis"),
  wdbc = function() from_frame(packaged("wdbc", "mclust"), "Diagnosis", "ID"),
  banking = function() from_frame(packaged("bank", "liver"), "deposit"),
  wine = function() binned(packaged("white_wines", "liver"), "quality", 5),
  income = function() from_frame(packaged("adult", "liver"), "income", "native_country"),
  crabs = function() from_frame(packaged("crabs", "MASS"), "sp", "index"),
  iris = function() from_frame(datasets::iris, "Species"),
  olive = function() from_frame(packaged("olive", "dslabs"), "region", "area"),
  digits27 = function() {
    d <- packaged("mnist_27", "dslabs")
    from_frame(rbind(d$train, d$test), "y")
  },
  # texts, sparse
  foods = function() {
    env <- new.env()
    utils::data("small_fine_foods", package = "modeldata", envir = env)
    words(as.character(env$training_data$review), env$training_data$score)
  },
  tweets = function() {
    d <- packaged("trump_tweets", "dslabs")
    d <- d[grepl("^Twitter for (Android|iPhone)$", d$source), ]
    words(d$text, d$source)
  },
  # real data outside the repository; adult and reuters are sparse
  banana = function() shared("banana"),
  covertype = function() shared("covertype"),
  eukaryotic = function() shared("eukaryotic"),
  prototask = function() shared("prototask"),
  usps = function() shared("usps"),
  mnist = function() shared("mnist"),
  adult = function() shared("adult"),
  reuters = function() shared("reuters"),
  chessboard = function() chessboard(3000),
  normals = function() two_normals(3000)
)

# At most `most` rows for training and 3,000 for the test; small sets are divided 2 : 1, classes of fewer than five
# examples are left out.
divide <- function(d, most) {
  common <- names(which(table(d$y) >= 5))
  rows <- which(d$y %in% common)
  n <- length(rows)
  train <- sample(rows, min(most, round(2 * n / 3)))
  test <- setdiff(rows, train)
  test <- test[sample.int(length(test), min(length(test), 3000))]
  x <- d$x[c(train, test), , drop = FALSE]
  varies <- if (is.matrix(x)) apply(x[seq_along(train), , drop = FALSE], 2, function(v) any(v != v[1])) else TRUE
  x <- x[, varies, drop = FALSE] # e1071 leaves all of x unscaled as soon as one column is constant
  y <- factor(d$y[c(train, test)])
  is_train <- seq_along(y) <= length(train)
  list(x = x[is_train, ], y = y[is_train], test_x = x[!is_train, ], test_y = y[!is_train])
}
