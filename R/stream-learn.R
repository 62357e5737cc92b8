# What a stream learns of a chunk: row by row or as a whole, by the model there is or the first one.

# ---- by rows ----

# The rows of a chunk, each predicted by the model that has learned those before it. A class that is new to the model
# begins a new piece. Rows without a label are predicted by the model before it.
learn_rows <- function(s, part) {
  y <- part$y
  new <- if (s$classes && !is.null(s$model)) which(!duplicated(y) & !is.na(y) & is.na(find_targets(s$model, y)))
  for (rows in unname(split(seq_along(y), findInterval(seq_along(y), c(1, setdiff(new, 1)))))) {
    piece <- take_part(part, rows)
    learned <- which(!is.na(piece$y))
    others <- setdiff(seq_along(rows), learned)
    labelled <- take_part(piece, learned)
    keep <- s$settings$keep == "predictions"
    # What is predicted without the outputs of the run; "": by these. `first`: the prediction of the first row.
    before <- if (!s$classes) list(class = rep("", length(rows))) else
      if (is.null(s$model)) list(class = only_classes(s, piece$y)) else first_of_class(s, piece)
    unlabelled <- if (keep && length(others) > 0) with_limit(s, predict_chunk(s, piece$x[others, , drop = FALSE]))
    levels <- if (is.null(s$model)) as.character(labelled$y[1]) else s$model$levels
    f <- if (length(learned) > 0) learn_part(s, labelled)
    labelled$levels <- unique(c(levels, s$model$levels)) # as they became known
    labelled$prediction <- row_prediction(s, f, before$class[learned], before$first)
    if (length(learned) > 0) labelled$prediction$limit <- evaluate_chunk(s, labelled, at_hand = 0)
    if (keep) {
      turn <- order(c(learned, others))
      told <- told_rows(s, labelled$prediction)
      if (!is.null(unlabelled)) told <- Map(c, told, told_rows(s, unlabelled))
      keep_predictions(s, piece, lapply(told, `[`, turn), both_columns(labelled$prediction, unlabelled, turn))
    }
  }
}

# Predictions of several quantiles, of some rows and of others, in this order. Where there was no model they are NA.
both_columns <- function(a, b, turn) {
  known <- rbind(a$columns, b$columns)
  if (!is.null(known)) {
    at <- c(rep(!is.null(a$columns), length(a$class)), rep(!is.null(b$columns), length(b$class)))
    known[replace(rep(NA, length(at)), at, seq_len(nrow(known)))[turn], , drop = FALSE]
  }
}

# What is predicted while there is no model: the only class so far. "": the model that begins within the chunk.
only_classes <- function(s, y) {
  known <- s$only
  out <- rep(NA_character_, length(y))
  for (i in which(!is.na(y))) {
    if (length(known) > 1 || length(known) > 0 && !is.null(s$start$levels)) {
      return(replace(out, i:length(y), ""))
    }
    if (length(known) > 0) out[i] <- known
    known <- union(known, as.character(y[i]))
  }
  out
}

# The first row of a class that the model does not know is predicted by the model without it; "": the others.
first_of_class <- function(s, piece) {
  out <- rep("", length(piece$y))
  new <- !is.na(piece$y[1]) && is.na(find_targets(s$model, piece$y[1]))
  first <- if (new) predict_chunk(s, piece$x[1, , drop = FALSE])
  list(class = if (new) replace(out, 1, first$class) else out, first = first)
}

# From the outputs of the examples where `class` is ""; NULL: there is no model yet; NA: it was not learned.
row_prediction <- function(s, f, class, first = NULL) {
  asked <- which(class %in% "")
  class <- if (length(asked) < length(class)) replace(class, asked, NA) else rep(s$kind$text(NA), length(class))
  if (is.null(f)) {
    return(list(class = class))
  }
  known <- which(is.finite(f[, 1]))
  prediction <- as_prediction(s, f[known, , drop = FALSE])
  now <- intersect(asked, known)
  class[now] <- prediction$class[match(now, known)]
  row <- match(seq_along(class), known)
  spread <- function(values) if (!is.null(values)) values[row, , drop = FALSE]
  out <- list(
    class = class, f = spread(prediction$f), probability = spread(prediction$probability),
    columns = spread(prediction$columns)
  )
  if (!is.null(prediction$scale)) {
    made <- replace(row, !seq_along(class) %in% now, NA)
    out$scale <- prediction$scale[made]
    out$strange <- if (!is.null(prediction$strange)) with_first(prediction$strange[made, , drop = FALSE], first)
    if (!is.null(first)) out$scale[1] <- prediction$scale[1]
  }
  out
}

# The first row of a new class had a set of the others.
with_first <- function(strange, first) {
  if (!is.null(first)) {
    strange[1, ] <- Inf
    strange[1, colnames(first$strange)] <- first$strange
  }
  strange
}

# ---- learning ----

# By the model there is, or the first one. The value is that of learn_counted().
learn_part <- function(s, part) {
  if (identical(s$settings$drift$params$react, "restart")) s$recent <- remember_rows(s$recent, part, s$settings$window)
  if (is.null(s$model)) begin_model(s, part) else go_on(s, part)
}

# The outputs of the examples before each was learned are the value, if rows are evaluated. The model and the count of
# what it has learned change together, or not at all.
learn_counted <- function(s, model, examples, before) {
  run <- run_examples(model, examples, outputs = identical(s$settings$evaluate, "rows"))
  signal_run(run)
  learned <- s$rows[["learned"]] + max(run$model$n_seen - before, 0)
  suspendInterrupts({
    s$model <- run$model
    s$seen <- run$model$n_seen
    s$rows[["learned"]] <- learned
  })
  if (!run$interrupted) forget_oldest(s)
  run$outputs
}

go_on <- function(s, part) {
  unknown <- if (s$classes) unique(part$y[is.na(find_targets(s$model, part$y))])
  # One against the rest where there would be a classifier for each of too many pairs
  outgrown <- length(unknown) > 0 && is.null(s$start$arguments$multiclass) && s$model$multiclass == "ovo" &&
    choose_multiclass(NULL, length(s$model$levels) + length(unknown)) == "ovr" && keeps_examples(s$model)
  if (outgrown) {
    return(begin_again(s, part, unknown))
  }
  outputs <- with_warnings_kept(s, {
    model <- if (length(unknown) > 0) join_model(s$model, unknown, length(part$y)) else s$model
    new <- learned_examples(model, part$x, if (s$kind$labelled) part$y, columns = part$columns)
    if (length(unknown) > 0) classes_joined(s, unknown, model$levels)
    examples <- new$examples
    recalled <- if (length(s$joining$young) > 0) recall(s, part)
    if (!is.null(recalled)) {
      again <- learned_examples(new$model, recalled$x, recalled$y)
      examples <- with_recalled(examples, again$examples, recalled$after)
    }
    remember_classes(s, part)
    learn_counted(s, new$model, examples, s$model$n_seen)
  })
  if (length(unknown) > 0) {
    s$map <- NULL
    add_event(s, "class", paste("new:", paste(as.character(unknown), collapse = ", ")))
  }
  outputs
}

# From the examples that the model keeps, and the chunk, with the scaling and the kernel of the model.
begin_again <- function(s, part, unknown) {
  fit <- live_model(s$model)
  known <- which(!is.na(fit$target))
  kept <- list(x = sv_in_units(fit)[known, , drop = FALSE], y = restore_labels(fit, fit$target[known]))
  s$start$levels <- c(as.character(fit$levels), as.character(unknown))
  if (is.numeric(part$y)) s$start$levels <- as.numeric(s$start$levels)
  all <- bind_examples(list(kept, part[c("x", "y")]))
  start <- s$start
  s$start$specs$kernel <- fit$kernel
  if (!is.null(fit$scaling)) s$start$arguments$scale <- fit$scaling
  outputs <- start_model(s, all, length(known))
  classes_joined(s, unknown, s$model$levels)
  remember_classes(s, part)
  s$start <- start
  s$map <- NULL
  add_event(s, "class", paste("new:", paste(as.character(unknown), collapse = ", ")))
  add_event(s, "restart", paste("one against the rest, from", plural(length(all$y), "example")))
  utils::tail(outputs, length(part$y))
}

# `at_hand`: how many of the examples are learned afterwards. The limits of their sets are the value.
evaluate_chunk <- function(s, part, at_hand = length(part$y)) {
  told <- part$prediction
  sets <- if (!is.null(s$evaluation$certainty)) level_rows(s, part)
  s$evaluation <- prequential_add(
    s$evaluation, part$y, told$class, told$probability, part$levels, s$model$label$center[1] %||% 0, told$columns,
    sets$parts
  )
  if (!is.null(told$f) && !is.null(s$model)) refresh_map(s, part)
  if (s$settings$drift$name != "none") {
    errors <- s$kind$error(part$y, told$class, s$evaluation$before)
    watch_drift(s, errors$of, at_hand, errors$unit)
  }
  sets$limit
}
