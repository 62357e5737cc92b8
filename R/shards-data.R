# Shards as workers read them, and what all of them have in common: the header of the model.

# ---- on a worker: what a shard is like ----

sample_labels <- function(shard) sample_values(shard$y)

describe_shard <- function(loss, sample, shard) {
  y <- shard$y
  out <- list(
    labels = outcome_kinds[[loss_outcome(loss)]]$survey(y, nrow(shard$x), "y"),
    label = label_type(y),
    n = nrow(shard$x), left_out = shard$left_out, columns = ncol(shard$x), names = column_names(shard$x),
    kind = if (is.data.frame(shard$x)) "frame" else if (inherits(shard$x, "dgCMatrix")) "sparse" else "dense"
  )
  if (out$kind == "frame") {
    encoded <- encode_frame(shard$x)
    out$encoding <- encoded$encoding
  } else {
    out$measured <- measure_columns(shard$x, sample)
  }
  out
}

measure_shard <- function(encoding, sample, shard) measure_columns(encode_new(encoding, shard$x), sample)

# `nonzero`: of sparse columns. The sample is for the width of a kernel, and for its landmarks.
measure_columns <- function(x, sample) {
  list(
    columns = describe_columns(x), nonzero = if (inherits(x, "dgCMatrix")) diff(x@p),
    sample = x[evenly_spaced(nrow(x), sample), , drop = FALSE]
  )
}

# The examples in the form of the header: list(x =, class =, weight =).
prepare_shard <- function(header, shard) {
  if (is.null(shard$prepared)) {
    x <- if (is.null(header$encoding)) order_columns(shard$x, header, "x") else encode_new(header$encoding, shard$x)
    x <- if (header$sparse) as_sparse(x) else x
    colnames(x) <- header$feature_names
    class <- outcome_of(header)$match(header, shard$y, nrow(x))
    shard$prepared <- list(x = x, class = class, weight = example_weights(header, NULL, class))
    shard$x <- shard$y <- NULL
  }
  shard$prepared
}

# ---- here ----

# Bundles of all shards; `arguments` are common, or, as a list of lists, each shard's own.
on_shards <- function(shards, work, arguments = list(), own = NULL) {
  bundles <- lapply(seq_along(shards), function(i) {
    list(work = work, arguments = c(arguments, if (!is.null(own)) own[[i]]), data = shards[[i]])
  })
  bundle_values(bundles, function(i) paste("Shard", i))
}

# `what(i)`: bundle i, for the error if it fails.
bundle_values <- function(bundles, what) {
  out <- vector("list", length(bundles))
  complete <- run_bundles(
    bundles, done = function(i, value) out[i] <<- list(value),
    failed = function(i, message) abort("{what(i)} failed: {sub('[.]$', '', message)}.")
  )
  if (!complete) signal_interrupt()
  out
}

describe_shards <- function(shards, loss, sample) {
  if (is.null(loss)) loss <- guess_loss(on_shards(shards, "sample_labels"))
  all <- on_shards(shards, "describe_shard", list(loss, sample))
  of <- function(name) lapply(all, `[[`, name)
  same <- function(name, what) {
    other <- which(!vapply(of(name), identical, NA, all[[1]][[name]]))
    if (length(other) > 0) abort("Shard {other[1]} has other {what} than shard 1; all shards must have the same.")
  }
  same("names", "columns")
  same("columns", "columns")
  same("label", "labels")
  found <- list(n = unlist(of("n")), left_out = unlist(of("left_out")), kind = unlist(of("kind")))
  kinds <- c(frame = "data frames", sparse = "sparse matrices", dense = "matrices")[unique(found$kind)]
  if (length(kinds) > 1) abort("Some shards are {kinds[1]} and others {kinds[2]}; all must be of one kind.")
  if (found$kind[1] == "frame") {
    found$encoding <- join_encodings(of("encoding"))
    measured <- on_shards(shards, "measure_shard", list(found$encoding, sample))
  } else {
    measured <- of("measured")
  }
  labels <- outcome_kinds[[loss_outcome(loss)]]$join(of("labels"))
  measured <- join_measured(measured, found$n, sample)
  c(found, list(loss = loss, labels = labels, sparse = all(found$kind == "sparse"), measured = measured))
}

# Levels in the order in which they occur, ranges of all.
join_encodings <- function(all) {
  joined <- all[[1]]
  for (name in names(joined$variables)) {
    each <- lapply(all, function(encoding) encoding$variables[[name]])
    types <- unique(vapply(each, `[[`, "", "type"))
    if (length(types) > 1) abort("Column {.var {name}} is {types[1]} in one shard and {types[2]} in another.")
    variable <- each[[1]]
    known <- unique(lapply(each, `[[`, "levels"))
    if (!is.null(variable$coding) && length(known) > 1) {
      abort("Column {.var {name}} must have the same levels in all shards: it is ordered, or has contrasts.")
    }
    if (types == "factor") variable$levels <- unique(unlist(lapply(each, `[[`, "levels")))
    if (types == "numeric") variable$range <- range(unlist(lapply(each, `[[`, "range")))
    joined$variables[[name]] <- variable
  }
  joined
}

# Means and standard deviations of all rows from those of each shard, in the order of shards.
join_measured <- function(all, n, sample) {
  columns <- all[[1]]$columns
  total <- n[1]
  square <- (n[1] - 1) * columns[, "sd"]^2
  for (k in seq_along(all)[-1]) {
    new <- all[[k]]$columns
    difference <- new[, "mean"] - columns[, "mean"]
    square <- square + (n[k] - 1) * new[, "sd"]^2 + difference^2 * (total / (total + n[k])) * n[k]
    total <- total + n[k]
    columns[, "mean"] <- columns[, "mean"] + difference * (n[k] / total)
    columns[, "low"] <- pmin(columns[, "low"], new[, "low"])
    columns[, "high"] <- pmax(columns[, "high"], new[, "high"])
  }
  columns[, "sd"] <- sqrt(square / max(total - 1, 1))
  nonzero <- if (!is.null(all[[1]]$nonzero)) Reduce(`+`, lapply(all, `[[`, "nonzero"))
  share <- ceiling(sample / length(all))
  samples <- lapply(all, function(one) one$sample[evenly_spaced(nrow(one$sample), share), , drop = FALSE])
  list(columns = columns, nonzero = nonzero, sample = do.call(rbind, samples))
}

# The untrained model; all arguments are checked.
shard_header <- function(found, solver, kernel, scale, multiclass, class_weights, cache_mb, threads) {
  measured <- found$measured
  n <- sum(found$n)
  specs <- choose_specs(solver, kernel, n, many = "shards_linear")
  refuse_given(specs$kernel, "{.fn osvm_shards}")
  refuse_running(scale, "shards have no order in time")
  if (is.character(scale)) {
    abort(c(
      "{.arg scale} must not be {.val {scale}} here: of shards only means and standard deviations are known.",
      i = "The {.code scaling} of a model of some of the rows will do."
    ))
  }
  scaling <- if (isTRUE(scale)) make_scaling(measured$columns, n, measured$nonzero) else scale
  model <- new_model(measured$sample, specs$solver, specs$kernel, scaling, multiclass, cache_mb, threads, FALSE, TRUE)
  model$extent <- data_extent(measured$columns, model$transform)
  model$range <- column_range(measured$columns)
  model$estimated <- estimated_parts(scale, specs$kernel)
  model$encoding <- found$encoding
  start_outcome(model, declare_labels(found$loss, found$labels, scale = scale), class_weights)
}
