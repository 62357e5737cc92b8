# How fits would scale to 16 and 64 cores: block working sets by simulation, with costs measured here; cells and shards by
# their parts. No code of the package takes part but for the costs.
source("bench/common.R")
cores <- c(1, 2, 16, 64)

# ---- SMO with working sets of q examples, as in oneDAL and ThunderSVM (Wen et al. 2018) ----

# The q / 2 most violating examples of either side; half of the set stays from round to round. The subproblem is solved by
# second-order pairs to a tenth of the violation that all have. q = 2: LIBSVM's algorithm, without shrinking.
block_smo <- function(K, y, C, q, tolerance = 1e-3, most = 1e6) {
  n <- length(y)
  a <- numeric(n) # signed
  g <- y
  low <- pmin(y * C, 0)
  high <- pmax(y * C, 0)
  seen <- logical(n)
  rounds <- steps <- new <- 0
  set <- integer()
  while (rounds < most) {
    up <- which(a < high)
    down <- which(a > low)
    gap <- max(g[up]) - min(g[down])
    if (gap < tolerance) break
    kept <- if (q > 2) utils::tail(set, q / 2)
    left <- q - length(kept)
    first <- utils::head(setdiff(up[order(-g[up])], kept), left / 2)
    second <- utils::head(setdiff(down[order(g[down])], c(kept, first)), left / 2)
    set <- c(kept, first, second)
    new <- new + sum(!seen[set])
    seen[set] <- TRUE
    Q <- K[set, set]
    before <- b <- a[set]
    h <- g[set]
    repeat {
      u <- b < high[set]
      d <- b > low[set]
      i <- which.max(ifelse(u, h, -Inf))
      gain <- ifelse(d & h < h[i], (h[i] - h)^2 / pmax(Q[i, i] + diag(Q) - 2 * Q[i, ], 1e-12), -1)
      if (h[i] - min(h[d]) < max(tolerance, gap / 10) || max(gain) <= 0) break
      j <- which.max(gain)
      t <- min((h[i] - h[j]) / max(Q[i, i] + Q[j, j] - 2 * Q[i, j], 1e-12), high[set[i]] - b[i], b[j] - low[set[j]])
      b[i] <- b[i] + t
      b[j] <- b[j] - t
      h <- h - t * (Q[, i] - Q[, j])
      steps <- steps + 1
      if (q == 2) break
    }
    a[set] <- b
    g <- g - drop(K[, set, drop = FALSE] %*% (b - before))
    rounds <- rounds + 1
  }
  c(rounds = rounds, steps = steps, rows = new)
}

# Costs of one core here: seconds of a kernel value of 20 features, of a value of a gradient that is updated, and of a pair
# step in a subproblem of q examples (two rows of it: selection and update).
set.seed(1)
x <- matrix(rnorm(20 * 4000), ncol = 20)
y <- factor(sample(0:1, 4000, TRUE))
fit <- osvm(x, y, solver_smo(C = 1), kernel_rbf(), threads = 1, verbose = FALSE)
fit_s <- median(replicate(3, seconds(osvm(x, y, solver_smo(C = 1), kernel_rbf(), threads = 1, verbose = FALSE))))
value_s <- fit_s / (2 * fit$stats$kernel_evaluations) # half of a fit is values, half steps
update_s <- fit_s / (2 * fit$stats$steps * 4000)
barrier_s <- 1e-6 # of two cores that wait actively, by the literature; it grows with the logarithm of the cores

problem <- function(name) {
  set.seed(1)
  n <- 1500
  if (name == "two normals") {
    x <- matrix(rnorm(20 * n), n)
    y <- ifelse(rowSums(x[, 1:3]) + 2 * rnorm(n) > 0, 1, -1)
  } else {
    x <- matrix(runif(2 * n), n)
    y <- ifelse((floor(4 * x[, 1]) + floor(4 * x[, 2])) %% 2 == 0, 1, -1)
  }
  list(K = exp(-(if (ncol(x) == 20) 0.05 else 20) * as.matrix(stats::dist(x))^2), y = y)
}

# Of n rows, in units of the simulated ones: steps and rounds grow about with n, a row with n.
seconds_on <- function(found, q, p, n = 1e5, from = 1500) {
  grow <- n / from
  waits <- found[["rounds"]] * grow * 2 * barrier_s * log2(2 * p) * (p > 1)
  rows <- found[["rows"]] * grow * n * value_s / p
  updates <- (if (q == 2) found[["rounds"]] else found[["rounds"]] * q / 4) * grow * n * update_s / p
  inner <- if (q > 2) found[["steps"]] * grow * q * update_s else 0 # one core, or one at a time
  c(rows = rows, updates = updates, inner = inner, waits = waits)
}
smo <- do.call(rbind, lapply(c("two normals", "chess board"), function(name) {
  data <- problem(name)
  do.call(rbind, lapply(c(1, 100), function(C) do.call(rbind, lapply(c(2, 16, 64, 256), function(q) {
    message(name, ", C = ", C, ", q = ", q)
    found <- block_smo(data$K, data$y, C, q)
    times <- vapply(cores, function(p) sum(seconds_on(found, q, p)), 0)
    data.frame(
      data = name, C, q, t(found), mb_per_round = q * 1e5 * 4 / 2^20, s_1 = times[1], s_16 = times[3], s_64 = times[4],
      speedup_16 = times[1] / times[3], speedup_64 = times[1] / times[4]
    )
  }))))
}))
best <- function(column) {
  vapply(split(smo, paste(smo$data, smo$C)), function(part) {
    part$s_1[part$q == 2] / min(part[[column]])
  }, 0)
}

# ---- parts that need no word from each other: the longest of them, and the order, bound the gain ----

makespan <- function(work, p) {
  busy <- numeric(p)
  for (w in sort(work, decreasing = TRUE)) busy[which.min(busy)] <- min(busy) + w
  max(busy)
}
set.seed(1)
points <- matrix(rnorm(4e5), ncol = 4)
fit <- osvm(points[1:50000, ], factor(points[1:50000, 1] > 0), cells = 2000, effort = 0, seconds = 60, verbose = FALSE)
sizes <- fit$cells$table$rows
divide <- 0.1 # of the time of one core: division of the rows, the choice of settings, and putting the model together
parts <- list(
  `cells of 2,000, 50,000 rows` = sizes^2, `cells of 2,000, 1,000,000 rows` = rep(sizes, length.out = 20 * length(sizes))^2,
  `search: 9 candidates, 5 folds` = rep(c(1, 1.5, 2), 15), `search: one path of 5 costs at a time` = rep(1, 5),
  `shards: 64 parts, one round` = rep(1, 64)
)
scaling <- do.call(rbind, lapply(names(parts), function(name) {
  work <- parts[[name]] / sum(parts[[name]])
  serial <- if (grepl("cells", name)) divide else if (grepl("shards", name)) 0.01 else 0.05
  time <- vapply(cores, function(p) serial + (1 - serial) * makespan(work, p), 0)
  data.frame(
    work = name, parts = length(work), one_core_share = serial, longest_part = max(work), t(stats::setNames(1 / time, paste0("on_", cores)))
  )
}))

report(
  "many-cores", "Many cores, on paper and by simulation",
  "What 16 and 64 cores would gain. Nothing here was run on more than two: rounds, steps and kernel rows of working sets are counted",
  "in a plain R version of the algorithm at 1,500 rows; the seconds of 100,000 rows follow from costs of one core here and are a model:",
  sprintf("%.2g ns per kernel value, %.2g ns per value of a gradient, a barrier of 1 us x log2(2 p).", value_s * 1e9, update_s * 1e9),
  "Memory bandwidth, which all cores share, is not in it.",
  "", "## SMO with working sets of q examples", "",
  "`rows`: kernel rows computed, each once; `mb_per_round`: the kernel rows of a set at 100,000 rows in single precision.",
  table_md(smo, digits = c(0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 1, 1), row.names = FALSE),
  sprintf("- the best q over pairs on one core, %s: %.1f times on 16 cores, %.1f on 64", names(best("s_16")), best("s_16"), best("s_64")),
  "", "## Parts that are independent", "",
  "Speed over one core: parts are taken by the next free core, the longest first, behind a share that one core does (assumed).",
  table_md(scaling, digits = c(0, 0, 2, 4, 1, 1, 1, 1), row.names = FALSE),
  "## What would have to change", "",
  "* **SMO**: with pairs every step is a barrier, and a step of 100,000 values takes less time than 64 cores need to agree on it. A",
  "  working set of 64 to 256 has a barrier per set in place of one per step and computes its rows as one product of matrices; its",
  "  subproblem is a part that one core does, and its steps are more than those of pairs. It pays from some 16 cores on.",
  "* **Memory**: the rows of a set of 256 at 100,000 rows are about 100 MB, so that `cache_mb` would have to grow with the cores, and",
  "  gradients and rows would have to be packed by the core that reads them (first touch), as cores far away share no bandwidth.",
  "* **Cells**: the largest cell and the division bound the gain; division by k-means is a product of matrices and divides by rows.",
  "  The queue that hands out cells by size is what 64 cores need already.",
  "* **Search**: candidates times folds are the parts, some dozens; 64 cores would need rounds with more candidates at a time, which",
  "  are chosen with less knowledge, or threads within fits of a few hundred rows, which are too small for them.",
  "* **Shards**: a round sends a weight vector per shard, whose sum one core takes; this is the way to more than one computer."
)
