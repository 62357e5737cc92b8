# Streams of an outcome, the list `<target>_stream`: all that have the target have it, but for their own `stream`.
#   predictors  the model, and the baselines beside which its metrics are
#   lacks       a phrase for a stream that ended before it had a model
#   read        labels of a chunk, NA where there is none; `kind`: of those before, `from`: the row of the first
#   labelled    whether the model learns labels
#   text        labels as predictions are kept
#   encode      list(levels, truth, predicted), as numbers, of labels; `levels`: those known before. NULL: they are such
#   decode      what users' functions are given of such numbers
#   guess       what the baselines predict from the labels before; NULL: there is none. `before`: what they know of
#               these, NULL at first
#   follow      what they know after further labels
#   believe     the probabilities of the baselines, of classes
#   sets        of a stream with a level: `sizes`, titles of what `measure` says of the sets of `rows`, with a `phrase`
#               for print(), the `score` of outcome-conformal.R, and columns that `tell` them; NULL: there are none
#   error       list(of, unit): errors from 0 to 1 for a drift detector, and what 1 is

# ---- classes ----

# The baselines predict classes as numbers: `no_change` the class before, `majority` the most frequent one so far (ties:
# the first); before there is a label, both predict the first class. They know
#   last       the class before
#   frequency  of each class
#   repeats    how many labels were those before them
classes_stream <- list(
  predictors = c("model", "no_change", "majority"), lacks = "fewer than two classes came",
  labelled = TRUE, text = as.character,
  # Labels are of the type of the first ones: numbers, flags or text. Text and factors are converted to each other.
  read = function(y, n, kind, from) {
    if (is.null(y) || all(is.na(y))) {
      return(rep(NA, n))
    }
    type <- label_type(y)
    if (!type %in% names(label_types)) check_labels(y, n)
    if (is.null(kind)) kind <- type
    before <- label_types[[kind]]
    if (label_types[[type]] != before) {
      abort(c(
        "The labels are {label_types[[type]]} from row {from} on, and were {before} before.",
        i = "The source must give all of them as one or the other."
      ))
    }
    if (before != "text" || type == kind) y else if (kind == "factor") as.factor(y) else as.character(y)
  },
  encode = function(truth, predicted, levels) {
    distinct <- function(labels) as.character(if (is.factor(labels)) levels(labels) else unique(labels))
    levels <- unique(c(levels, distinct(truth), distinct(predicted)))
    levels <- levels[!is.na(levels)]
    list(levels = levels, truth = label_codes(truth, levels), predicted = label_codes(predicted, levels))
  },
  decode = function(values, levels) structure(as.integer(values), levels = levels, class = "factor"),
  guess = function(before, truth, first) {
    last <- classes_before(before, truth)
    last[is.na(last)] <- 1L
    cbind(last, majority_guesses(class_frequency(before, max(truth)), truth), deparse.level = 0)
  },
  follow = function(before, truth) {
    frequency <- class_frequency(before, max(truth))
    list(
      last = truth[length(truth)], frequency = frequency + tabulate(truth, length(frequency)),
      repeats = sum(before$repeats, truth == classes_before(before, truth), na.rm = TRUE)
    )
  },
  # By running frequencies with one added to each: of a label being the one before, the rest shared by the others, and
  # of the classes. A column per class.
  believe = function(before, truth, classes) {
    n <- length(truth)
    seen <- sum(before$frequency) + seq_len(n) - 1
    last <- classes_before(before, truth)
    same <- cumsum(c(sum(before$repeats), (last == truth) %in% TRUE)[seq_len(n)])
    share <- (same + 1) / (seen + 1) # of the pairs so far
    repeated <- matrix((1 - share) / max(1, classes - 1), n, classes)
    known <- which(!is.na(last))
    repeated[cbind(known, last[known])] <- share[known]
    repeated[is.na(last), ] <- 1 / classes
    frequency <- class_frequency(before, classes)
    earlier <- vapply(seq_len(classes), function(k) frequency[k] + cumsum(c(0, truth == k)[seq_len(n)]), numeric(n))
    list(repeated, (matrix(earlier, n) + 1) / (seen + classes))
  },
  sets = list(
    sizes = list(set_size = list(title = "Classes in a set", percent = FALSE, phrase = "classes in a set:")),
    # Of a class that the model did not know, no set has it.
    score = function(truth, told) {
      if (is.null(told$strange)) {
        return(rep(NA_real_, length(truth)))
      }
      score <- told$strange[cbind(seq_along(truth), match(as.character(truth), colnames(told$strange)))]
      replace(score, is.na(score) & !is.na(told$scale), Inf)
    },
    measure = function(told, rows, limit) rowSums(told$strange[rows, , drop = FALSE] <= limit),
    tell = function(told) {
      known <- !is.null(told$strange)
      list(set = if (known) unname(set_text(told$strange <= told$limit)) else rep(NA_character_, length(told$class)))
    }
  ),
  error = function(truth, predicted, before) list(of = as.character(truth) != predicted, unit = 1)
)

classes_before <- function(before, truth) c(if (is.null(before$last)) NA else before$last, truth[-length(truth)])

class_frequency <- function(before, classes) {
  known <- before$frequency
  c(known, numeric(max(0, classes - length(known))))
}

# Only classes that can catch up with the most frequent one within the chunk are counted along.
majority_guesses <- function(frequency, truth) {
  reach <- frequency + tabulate(truth, length(frequency))
  rivals <- which(reach >= max(frequency))
  if (length(rivals) == 1) {
    return(rep(rivals, length(truth)))
  }
  count <- function(k) frequency[k] + cumsum(c(0, truth[-length(truth)] == k))
  counts <- vapply(rivals, count, numeric(length(truth)))
  rivals[max.col(matrix(counts, length(truth)), "first")]
}

label_types <- c(
  numeric = "numbers", logical = "TRUE or FALSE", character = "text", factor = "text", integer = "numbers"
)

label_type <- function(y) if (is.factor(y)) "factor" else class(y)[1]

# Numbers become text by their distinct values: as.character() of all takes longer than all else.
label_codes <- function(labels, levels) {
  if (is.factor(labels)) {
    return(match(levels(labels), levels)[as.integer(labels)])
  }
  values <- unique(labels)
  match(as.character(values), levels)[match(labels, values)]
}

# ---- numbers ----

# Of sets of all classes and intervals without ends: below the score of a class that the model did not know.
no_limit <- .Machine$double.xmax

# `no_change` predicts the number before, `mean` the mean of all before; `first` is both before there is one. They know
#   last, moments
numbers_stream <- list(
  predictors = c("model", "no_change", "mean"), lacks = "fewer than 20 rows came",
  labelled = TRUE, text = identity,
  read = function(y, n, kind, from) {
    if (is.null(y) || all(is.na(y))) {
      return(rep(NA_real_, n))
    }
    if (!is.numeric(y) || is.object(y)) {
      abort("The labels must be numbers for a model that predicts numbers; from row {from} on they are not.")
    }
    as.numeric(y)
  },
  decode = function(values, levels) values,
  guess = function(before, truth, first) {
    moments <- if (is.null(before)) numeric(3) else before$moments
    last <- if (is.null(before)) first else before$last
    n <- moments[1] + seq_along(truth) - 1
    means <- moments[2] + c(0, cumsum(truth - moments[2])[-length(truth)]) / pmax(n, 1)
    if (is.null(before)) means[1] <- first
    cbind(c(last, truth[-length(truth)]), means, deparse.level = 0)
  },
  follow = function(before, truth) {
    new <- moments_of(truth)
    list(last = truth[length(truth)], moments = if (is.null(before)) new else merge_moments(before$moments, new))
  },
  sets = list(
    sizes = list(
      width = list(title = "Width of intervals", percent = FALSE, phrase = "mean width"),
      unbounded = list(title = "Intervals without ends", percent = TRUE)
    ),
    score = function(truth, told) abs(truth - told$class),
    measure = function(told, rows, limit) {
      cbind(replace(2 * pmax(limit, 0), limit == no_limit, NA), limit == no_limit)
    },
    tell = function(told) {
      beyond <- pmax(replace(told$limit, told$limit == no_limit, Inf), 0)
      list(lower = told$class - beyond, upper = told$class + beyond)
    }
  ),
  # The absolute error, as a share of two standard deviations of the numbers so far.
  error = function(truth, predicted, before) {
    unit <- 2 * sqrt(before$moments[3] / before$moments[1])
    if (!isTRUE(unit > 0)) unit <- 1
    list(of = pmin(abs(truth - predicted) / unit, 1), unit = unit)
  }
)

# ---- novelty ----

novelty_stream <- list(
  predictors = "model", lacks = "fewer than 20 rows came",
  read = function(y, n, kind, from) {
    if (!is.null(y) && !all(is.na(y))) abort("The source must have no labels: novelty is learned without them.")
    rep(TRUE, n)
  },
  labelled = FALSE, text = identity, decode = function(values, levels) values == 1,
  error = function(truth, predicted, before) list(of = !predicted, unit = 1)
)
