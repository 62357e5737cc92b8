# Rows that a stream remembers: the latest ones, oldest first, in pieces of which only the ends change. Pieces double in
# size as rows come, up to a quarter of `most`, so that a row is copied a few times, whatever the chunk.

remember_rows <- function(held, part, most) {
  new <- part[c("x", "y")]
  if (length(new$y) > most) new <- take_part(new, utils::tail(seq_along(new$y), most))
  pieces <- c(held$pieces, list(new))
  size <- lengths(lapply(pieces, `[[`, "y"))
  last <- length(size)
  while (last > 1 && size[last - 1] <= size[last] && size[last] < most / 4) {
    two <- pieces[last - 1:0] # their columns are those of the stream
    pieces[[last - 1]] <- list(x = rbind(two[[1]]$x, two[[2]]$x), y = c(two[[1]]$y, two[[2]]$y))
    size[last - 1] <- size[last - 1] + size[last]
    pieces <- pieces[-last]
    size <- size[-last]
    last <- last - 1
  }
  gone <- sum(rev(cumsum(rev(size)))[-1] >= most) # without these there are still enough
  list(pieces = utils::tail(pieces, last - gone))
}

piece_rows <- function(held) vapply(held$pieces, function(piece) length(piece$y), 0L)

latest_rows <- function(held, most) {
  all <- bind_examples(held$pieces)
  take_part(all, utils::tail(seq_along(all$y), most))
}

# Classes that join a stream learn against those that are there. The latest rows of every class are remembered, and as
# long as a class is young they are learned again beside its own, where the stream itself has fewer of them: as if the
# classes had come in mixed order. Such rows are neither counted nor evaluated. A solver that forgets keeps all
# examples, and needs no others.
#   s$memory   per class its latest rows
#   s$joining  `young`: classes that have joined; per class `count`, rows learned since the latest one did, and `turn`,
#              how many of them were recalled; `plan`: classes to recall next, within the period in which `rows` are

most_remembered <- 10000
young_rows <- 1000
recall_period <- 10

rows_per_class <- function(s) max(10, min(young_rows, most_remembered %/% max(1, length(s$memory))))

# Labels as names of elements: "" is never found as one.
label_names <- function(labels) {
  labels <- as.character(labels)
  replace(labels, labels == "", "(empty label)")
}

needs_memory <- function(s) s$classes && !s$start$specs$solver$traits$forgets

remember_classes <- function(s, part) {
  if (!needs_memory(s)) {
    return()
  }
  if (!is.null(s$encoding) && is.data.frame(part$x)) {
    part$x <- encode_new(s$encoding, part$x, "x", s$settings$new_levels)
  }
  part <- part[c("x", "y")]
  labels <- label_names(part$y)
  most <- rows_per_class(s)
  for (class in unique(labels)) {
    s$memory[[class]] <- remember_rows(s$memory[[class]], take_rows(part, labels == class), most)
  }
}

# The first row of a new class is learned with some of each other one.
classes_joined <- function(s, new, levels) {
  if (!needs_memory(s)) {
    return()
  }
  new <- label_names(new)
  levels <- label_names(levels)
  none <- stats::setNames(numeric(length(levels)), levels)
  others <- setdiff(levels, new)
  s$joining <- list(
    young = union(s$joining$young, new), count = replace(none, others, recall_period), turn = none,
    rows = 0, plan = rep(others, recall_period)
  )
}

# Rows to be learned again with those of the part, and `after` which of these; NULL: none. After every so many rows the
# classes that are behind the young ones are found, and recalled among the next: row by row, so that it does not
# matter where a chunk ends. Each class is gone through in turn.
recall <- function(s, part) {
  joining <- s$joining
  labels <- label_names(part$y)
  chosen <- list()
  for (i in seq_along(labels)) {
    if (length(joining$young) == 0) break
    joining$rows <- joining$rows + 1
    joining$count[[labels[i]]] <- joining$count[[labels[i]]] + 1
    left <- recall_period - (joining$rows - 1) %% recall_period
    now <- if (joining$rows == 1) length(joining$plan) else ceiling(length(joining$plan) / left)
    for (class in utils::head(joining$plan, now)) {
      place <- next_place(s, class, which(labels[seq_len(i)] == class), joining$turn[[class]] + 1)
      if (is.null(place)) next
      joining$turn[[class]] <- joining$turn[[class]] + 1
      chosen[[length(chosen) + 1]] <- list(class = class, place = place, after = i)
    }
    joining$plan <- utils::tail(joining$plan, -now)
    if (left == 1) joining <- plan_recall(joining)
  }
  s$joining <- joining
  if (length(chosen) > 0) recalled_rows(s, part, lapply(list(class = 1, place = 2, after = 3), function(k) {
    unlist(lapply(chosen, `[[`, k))
  }))
}

# Where the row of this turn is among the latest ones of its class: in memory or, below 0, in the part.
next_place <- function(s, class, own, turn) {
  held <- sum(piece_rows(s$memory[[class]]))
  all <- held + length(own)
  latest <- min(all, rows_per_class(s))
  if (latest > 0) {
    place <- all - latest + 1 + turn %% latest
    if (place > held) -own[place - held] else place
  }
}

# The classes in turn, each evenly.
plan_recall <- function(joining) {
  young <- joining$count[joining$young] < young_rows & joining$rows < 10 * young_rows
  joining$young <- joining$young[young]
  if (length(joining$young) > 0) {
    behind <- pmax(floor(mean(joining$count[joining$young]) - joining$count), 0)
    joining$count <- joining$count + behind
    joining$plan <- rep(names(behind), behind)[order(as.numeric(unlist(lapply(behind, stats::ppoints, a = 0.5))))]
  }
  joining
}

recalled_rows <- function(s, part, chosen) {
  pieces <- list(part[c("x", "y")])
  piece <- rep(1, length(chosen$place))
  row <- -chosen$place
  for (class in unique(chosen$class[row < 0])) {
    at <- which(chosen$class == class & chosen$place > 0)
    before <- c(0, cumsum(piece_rows(s$memory[[class]])))
    within <- findInterval(chosen$place[at] - 1, before)
    row[at] <- chosen$place[at] - before[within]
    piece[at] <- length(pieces) + within
    pieces <- c(pieces, s$memory[[class]]$pieces)
  }
  turn <- order(piece)
  rows <- lapply(unname(split(turn, piece[turn])), function(at) take_part(pieces[[piece[at[1]]]], row[at]))
  c(take_part(bind_examples(rows), order(turn)), list(after = chosen$after))
}
