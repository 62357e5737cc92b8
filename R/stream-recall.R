# Classes that join a stream learn against those that are there. The latest rows of every class are remembered, and as
# long as a class is young they are learned again beside its own, where the stream itself has fewer of them: as if the
# classes had come in mixed order. Such rows are neither counted nor evaluated. A solver that forgets keeps all
# examples, and needs no others.
#   s$memory   per class its latest rows, oldest first, in `pieces`: only the last of these changes
#   s$joining  `young`: classes that have joined; per class `count`, rows learned since the latest one did, and `turn`,
#              how many of them were recalled

most_remembered <- 10000
young_rows <- 1000
recall_period <- 50

rows_per_class <- function(s) max(10, min(200, most_remembered %/% max(1, length(s$memory))))

needs_memory <- function(s) has_classes(s) && !solver_info(s$start$specs$solver$name)$forgets

remember_classes <- function(s, part) {
  if (!needs_memory(s)) {
    return()
  }
  most <- rows_per_class(s)
  labels <- as.character(part$y)
  for (class in unique(labels)) {
    new <- take_part(part[c("x", "y")], utils::tail(which(labels == class), most))
    if (!is.null(s$encoding) && is.data.frame(new$x)) new$x <- encode_new(s$encoding, new$x, "x", s$settings$new_levels)
    pieces <- c(s$memory[[class]]$pieces, list(new))
    held <- list(pieces = pieces, rows = sum(s$memory[[class]]$rows, length(new$y)))
    if (length(pieces) > 32 || held$rows > 2 * most) {
      held <- list(pieces = list(latest_rows(held, most)), rows = min(held$rows, most))
    }
    s$memory[[class]] <- held
  }
}

classes_joined <- function(s, new, levels) {
  if (!needs_memory(s)) {
    return()
  }
  none <- stats::setNames(numeric(length(levels)), levels)
  young <- union(s$joining$young, as.character(new))
  old <- setdiff(levels, young)
  s$joining <- list(young = young, count = none, turn = none, rows = 0, plan = rep(old, recall_period / 5))
}

# Rows to be learned again with those of the part, and `after` which of these; NULL: none. After every so many rows the
# classes that are behind the young ones are found, and recalled among the next: row by row, so that it does not
# matter where a chunk ends. Each class is gone through in turn.
recall <- function(s, part) {
  joining <- s$joining
  most <- rows_per_class(s)
  held <- vapply(s$memory, function(held) min(held$rows, most), 0)
  labels <- as.character(part$y)
  chosen <- list()
  for (i in seq_along(labels)) {
    if (length(joining$young) == 0) break
    joining$rows <- joining$rows + 1
    joining$count[[labels[i]]] <- joining$count[[labels[i]]] + 1
    left <- recall_period - (joining$rows - 1) %% recall_period
    for (class in utils::head(joining$plan, ceiling(length(joining$plan) / left))) {
      own <- which(labels[seq_len(i)] == class)
      places <- utils::tail(c(seq_len(sum(held[class], na.rm = TRUE)), -own), most) # those of the part are below 0
      if (length(places) == 0) next
      joining$turn[[class]] <- joining$turn[[class]] + 1
      place <- places[1 + joining$turn[[class]] %% length(places)]
      chosen[[length(chosen) + 1]] <- list(class = class, place = place, after = i)
    }
    joining$plan <- utils::tail(joining$plan, -ceiling(length(joining$plan) / left))
    if (left == 1) joining <- plan_recall(joining)
  }
  s$joining <- joining
  if (length(chosen) > 0) recalled_rows(s, part, lapply(list(class = 1, place = 2, after = 3), function(k) {
    unlist(lapply(chosen, `[[`, k))
  }))
}

# The classes in turn, each evenly.
plan_recall <- function(joining) {
  joining$young <- joining$young[joining$count[joining$young] < young_rows]
  if (length(joining$young) > 0) {
    behind <- pmax(floor(mean(joining$count[joining$young]) - joining$count), 0)
    joining$count <- joining$count + behind
    joining$plan <- rep(names(behind), behind)[order(as.numeric(unlist(lapply(behind, stats::ppoints, a = 0.5))))]
  }
  joining
}

recalled_rows <- function(s, part, chosen) {
  turn <- order(chosen$class, chosen$place < 0)
  groups <- split(turn, interaction(chosen$class[turn], chosen$place[turn] < 0, lex.order = TRUE, drop = TRUE))
  rows <- bind_examples(lapply(unname(groups), function(at) {
    place <- chosen$place[at]
    from <- if (place[1] < 0) part[c("x", "y")] else latest_rows(s$memory[[chosen$class[at[1]]]], rows_per_class(s))
    take_part(from, abs(place))
  }))
  c(take_part(rows, order(unlist(groups))), list(after = chosen$after))
}
