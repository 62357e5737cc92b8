# How the parts of a fit would divide among 16 and 64 cores: counts of a plain simulation, instruction counts by callgrind,
# times of cells and candidates on one core, and the arithmetic that follows from them. Nothing runs on more than one core.
source("bench/common.R")
source("bench/budget/generators.R")
cores <- c(1, 16, 64)

n <- as.numeric(Sys.getenv("OSVM_ROWS", 10000))
set.seed(1)
engine <- misfires(n)
engine$x <- apply(engine$x, 2, function(v) (v - min(v)) / diff(range(v)))
problems <- list(
  `chess board` = c(chessboard(n, noise = 0.05), C = 10, gamma = 3),
  misfires = c(engine, C = 10, gamma = 4),
  `unequal normals` = c(unequal_normals(n), C = 1, gamma = 0.5)
)

# ---- SMO with working sets of q examples, as in oneDAL and ThunderSVM (Wen et al. 2018) ----

# The q / 2 examples that violate most on either side; half of a set stays. A set's own problem is solved by second-order
# pairs to a tenth of the violation of all (or `tolerance`). q = 2: LIBSVM's algorithm without shrinking. Counted are the
# rounds (after each of which all cores have to agree on the next set), steps in all sets, kernel rows by whether a row is
# computed once or whenever its example enters the set, and rows whose coefficient changed, which the gradient reads.
block_smo <- function(K, y, C, q, tolerance = 1e-3) {
  a <- numeric(length(y)) # signed
  g <- y
  low <- pmin(y * C, 0)
  high <- pmax(y * C, 0)
  seen <- logical(length(y))
  rounds <- steps <- entered <- read <- 0
  set <- integer()
  repeat {
    up <- which(a < high)
    down <- which(a > low)
    gap <- max(g[up]) - min(g[down])
    if (gap < tolerance) break
    former <- set
    if (q == 2) {
      i <- up[which.max(g[up])]
      other <- down[g[down] < g[i]]
      set <- c(i, other[which.max((g[i] - g[other])^2 / pmax(2 - 2 * K[other, i], 1e-12))])
    } else {
      kept <- utils::tail(set, q / 2)
      left <- (q - length(kept)) / 2
      first <- utils::head(setdiff(up[order(-g[up])[seq_len(min(2 * q, length(up)))]], kept), left)
      second <- utils::head(setdiff(down[order(g[down])[seq_len(min(2 * q, length(down)))]], c(kept, first)), left)
      set <- c(kept, first, second)
    }
    entered <- entered + sum(!set %in% former)
    seen[set] <- TRUE
    Q <- K[set, set]
    before <- b <- a[set]
    h <- g[set]
    repeat {
      can_rise <- b < high[set]
      can_fall <- b > low[set]
      i <- which.max(ifelse(can_rise, h, -Inf))
      if (h[i] - min(h[can_fall]) < (if (q == 2) 0 else max(tolerance, gap / 10))) break
      gain <- ifelse(can_fall & h < h[i], (h[i] - h)^2 / pmax(2 - 2 * Q[, i], 1e-12), -1)
      j <- which.max(gain)
      t <- min((h[i] - h[j]) / max(2 - 2 * Q[i, j], 1e-12), high[set[i]] - b[i], b[j] - low[set[j]])
      b[i] <- b[i] + t
      b[j] <- b[j] - t
      h <- h - t * (Q[, i] - Q[, j])
      steps <- steps + 1
      if (q == 2) break
    }
    a[set] <- b
    changed <- which(b != before)
    g <- g - drop(K[, set[changed], drop = FALSE] %*% (b - before)[changed])
    read <- read + length(changed)
    rounds <- rounds + 1
  }
  c(rounds = rounds, steps = steps, rows_once = sum(seen), rows_entered = entered, read = read)
}

simulate <- function(name) {
  data <- problems[[name]]
  y <- ifelse(as.integer(data$y) == 2, 1, -1)
  K <- exp(-data$gamma * as.matrix(stats::dist(data$x))^2)
  rows <- lapply(c(2, 64, 256, 1024), function(q) {
    message(name, ", q = ", q)
    found <- block_smo(K, y, data$C, q)
    per_round <- (4 * found[["read"]] + 16 * found[["rounds"]]) * n / found[["rounds"]]
    data.frame(
      data = name, q, t(found), gb_read = found[["rounds"]] * per_round / 1e9, kb_per_round = per_round / 1e3,
      kb_16 = per_round / 16e3, kb_64 = per_round / 64e3
    )
  })
  do.call(rbind, rows)
}

# ---- instructions of a fit ----

fit_problem <- function(name) {
  data <- problems[[name]]
  osvm(data$x, data$y, solver_smo(C = data$C), kernel_rbf(gamma = data$gamma), scale = FALSE, threads = 1, verbose = FALSE)
}
arguments <- commandArgs(TRUE)
if (length(arguments)) {
  invisible(fit_problem(arguments[1]))
  quit(status = 0)
}

# Of the package's library alone, by what functions of the vector code are for; R's own instructions are left out.
instructions <- function(name) {
  file <- tempfile()
  system2("R", c(
    "-d", shQuote(paste0("valgrind --tool=callgrind --callgrind-out-file=", file)), "--vanilla", "--slave", "-f",
    "bench/many-cores.R", "--args", shQuote(name)
  ), stdout = FALSE, stderr = FALSE)
  lines <- grep("onlinesvm.so", system2("callgrind_annotate", c("--threshold=100", file), stdout = TRUE), value = TRUE)
  count <- as.numeric(gsub(",", "", sub("^ *([0-9,]+).*", "\\1", lines)))
  part <- rep("other", length(lines))
  part[grepl(":(block_|)(dots|distances|absolutes)_|:exponentials_|:dots_to_distances_", lines)] <- "kernel values"
  part[grepl(":pair_step_|:pair_partner_", lines)] <- "selection and gradient"
  share <- function(what) sum(count[part == what]) / sum(count)
  serial <- share("other")
  data.frame(
    data = name, `10^9 instructions` = sum(count) / 1e9, `kernel values` = 100 * share("kernel values"),
    `selection and gradient` = 100 * share("selection and gradient"), other = 100 * serial,
    `limit, 16` = 1 / (serial + (1 - serial) / 16), `limit, 64` = 1 / (serial + (1 - serial) / 64), check.names = FALSE
  )
}

# ---- parts that need nothing of each other ----

# The longest first, each to the core that is free first
makespan <- function(work, p) {
  busy <- numeric(p)
  for (w in sort(work, decreasing = TRUE)) {
    k <- which.min(busy)
    busy[k] <- busy[k] + w
  }
  max(busy)
}
spread <- function(what, stages, rest) {
  all <- unlist(stages)
  time <- vapply(cores, function(p) sum(vapply(stages, makespan, 0, p = p)), 0)
  data.frame(
    what, parts = length(all), seconds = sum(all), median = stats::median(all), longest = max(all), rest,
    parts_16 = time[1] / time[2], parts_64 = time[1] / time[3],
    whole_16 = (time[1] + rest) / (time[2] + rest), whole_64 = (time[1] + rest) / (time[3] + rest)
  )
}

# The least of several fits is free of what other processes do meanwhile.
least <- function(times) apply(do.call(cbind, times), 1, min)
cell_times <- function(rows, repetitions = 5) {
  set.seed(1)
  board <- chessboard(rows, noise = 0.05)
  total <- Inf
  times <- lapply(seq_len(repetitions), function(k) {
    set.seed(1)
    total <<- min(total, seconds(fit <- osvm(board$x, board$y, cells = 2000, effort = 0, threads = 1, verbose = FALSE)))
    fit$cells$table$seconds
  })
  list(parts = least(times), total = total)
}
search_times <- function(rows = 3000, repetitions = 5) {
  set.seed(1)
  normals <- unequal_normals(rows)
  total <- Inf
  times <- lapply(seq_len(repetitions), function(k) {
    set.seed(1)
    total <<- min(total, seconds(tuned <- osvm_tune(normals$x, normals$y, threads = 1, progress = FALSE)))
    candidate <- interaction(tuned$results[c("rows", "scale", "weights", "kernel")], drop = TRUE)
    found <- tapply(tuned$results$seconds, candidate, sum)
    attr(found, "stage") <- tapply(tuned$results$rows, candidate, max)
    found
  })
  list(parts = split(least(times), attr(times[[1]], "stage")), total = total)
}

# ---- shards: what travels ----

shard_bytes <- function(shards, solver, kernel) {
  set.seed(1)
  board <- chessboard(n, noise = 0.05)
  part <- rep_len(seq_len(shards), n)
  sources <- lapply(seq_len(shards), function(k) list(x = board$x[part == k, ], y = board$y[part == k]))
  fit <- osvm_shards(sources, solver, kernel, threads = 1, verbose = FALSE)
  primal <- fit$shards$method == "mixing"
  bytes <- 8 * if (primal) length(fit$coef) + 1 else ncol(board$x) + 2 # of a vector, its coefficient and label
  data.frame(
    method = fit$shards$method, shards, rounds = nrow(fit$shards$rounds), vectors = sum(fit$shards$rounds$vectors),
    kb = sum(fit$shards$rounds$vectors) * bytes / 1e3, `kb, data` = 8 * length(board$x) / 1e3,
    `most in a round` = max(fit$shards$rounds$vectors), check.names = FALSE
  )
}

smo <- do.call(rbind, lapply(names(problems), simulate))
counted <- do.call(rbind, lapply(names(problems), instructions))
own <- do.call(rbind, lapply(names(problems), function(name) {
  stats <- fit_problem(name)$stats
  data.frame(data = name, steps = stats$steps, rows = stats$kernel_evaluations / n)
}))
cells <- lapply(c(5e4, 2e5), cell_times)
search <- search_times()
parts <- rbind(
  spread("cells of 2,000 rows, 50,000 rows", list(cells[[1]]$parts), max(0, cells[[1]]$total - sum(cells[[1]]$parts))),
  spread("cells of 2,000 rows, 200,000 rows", list(cells[[2]]$parts), max(0, cells[[2]]$total - sum(cells[[2]]$parts))),
  spread("search, 3,000 rows, by candidate", search$parts, max(0, search$total - sum(unlist(search$parts))))
)
bytes <- do.call(rbind, lapply(c(4, 16, 64), function(shards) {
  rbind(
    shard_bytes(shards, solver_smo(C = 10), kernel_rbf(sigma = 0.4)),
    shard_bytes(shards, solver_olsvm(C = 10, epochs = 5, budget = 200), kernel_rbf(sigma = 0.4)),
    shard_bytes(shards, solver_pegasos(epochs = 5), kernel_linear())
  )
}))

ratio <- function(what, sign = 1) {
  of <- function(q) smo[smo$q == q, what]
  signif(range((of(1024) / of(2))^sign), 2)
}

report(
  "many-cores", "Many cores: what was counted here, and what follows from it",
  "Nothing here ran on more than one core. Each table says what is *measured*, counts and times on one core, and what is *arithmetic*",
  "from it. Costs of synchronisation and the memory bandwidth that cores share are not measured, and are in no column.",
  "", "## SMO with working sets of q examples", "",
  sprintf("Measured: a plain R simulation at %s rows, tolerance 0.001. `steps`: within all sets; `rows_once`: kernel rows", format(n, big.mark = ",")),
  "if each is computed once, `rows_entered`: if a row is computed whenever its example enters the set; `read`: rows that the gradient",
  "reads. Arithmetic: bytes of these in single precision, and of the gradient, in all, in a round, and in a round on each of 16",
  "and 64 cores. A round ends with a synchronisation of all cores.",
  table_md(smo, digits = c(0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1), row.names = FALSE, format.args = list(big.mark = ",", scientific = FALSE)),
  sprintf(
    "Rounds of pairs over those of %s: %s to %s; steps over those of pairs: %s to %s; rows computed once, likewise: %s to %s.",
    "1,024", ratio("rounds", -1)[1], ratio("rounds", -1)[2], ratio("steps")[1], ratio("steps")[2], ratio("rows_once")[1], ratio("rows_once")[2]
  ), "",
  "This package's SMO (pairs, shrinking), measured: steps, and kernel values divided by the number of rows.",
  table_md(own, digits = 0, row.names = FALSE, format.args = list(big.mark = ",")),
  "## The serial part of a fit", "",
  "Measured: instructions of the package's library in one fit by SMO, callgrind, percent (AVX2: valgrind does not know AVX-512).",
  "Arithmetic: `limit`, Amdahl's bound if kernel values, selection and gradient divide evenly and the others not at all.",
  table_md(counted, digits = c(0, 2, 1, 1, 1, 1, 1), row.names = FALSE),
  "## Cells and search", "",
  "Measured: seconds of each part on one core, the least of five fits; `rest`: processor seconds of the least fit beside its parts.",
  "Arithmetic: `parts_16`, `parts_64`: their sum over the makespan, the longest first, on so many cores (the search: one stage after",
  "the other); `whole`: with all of the rest on one core, which includes the choice of settings, so that it is a lower bound.",
  table_md(parts, digits = c(0, 0, 2, 3, 3, 2, 1, 1, 1, 1), row.names = FALSE),
  "## Shards", "",
  sprintf("Measured: vectors that travel in all rounds of `osvm_shards()`, a chess board of %s rows in so many shards. Arithmetic: their", format(n, big.mark = ",")),
  "kilobytes with coefficients and labels, beside those of the data.",
  table_md(bytes, digits = 0, row.names = FALSE, format.args = list(big.mark = ","))
)
