# A cascade of 4 shards of 10,000 rows against SMO on all rows: objective, vectors sent, rounds, time.
source("bench/common.R")
shards <- 4
rows <- as.numeric(Sys.getenv("OSVM_ROWS", 10000))
sets <- list(
  `chess board` = list(draw = chessboard, solver = solver_smo(C = 10), kernel = kernel_rbf(sigma = 0.3)),
  `overlapping normals` = list(draw = unequal_normals, solver = solver_smo(C = 1), kernel = kernel_rbf(sigma = 1))
)

compare <- function(name) {
  set <- sets[[name]]
  set.seed(1)
  all <- set$draw(shards * rows)
  part <- rep(seq_len(shards), each = rows)
  sources <- lapply(seq_len(shards), function(k) list(x = all$x[part == k, ], y = all$y[part == k]))
  alone <- seconds(one <- osvm(all$x, all$y, set$solver, set$kernel, threads = 1, verbose = FALSE))
  fit <- function() osvm_shards(sources, set$solver, set$kernel, threads = 1, verbose = FALSE)
  total <- seconds(cascade <- fit())
  old <- future::plan(future::multisession, workers = 2, rscript_libs = .libPaths())
  on.exit(future::plan(old))
  invisible(fit())
  two <- elapsed(again <- fit())
  stopifnot(identical(again$coef, cascade$coef))
  rounds <- cascade$shards$rounds
  message(name, ": ", nrow(rounds), " rounds")
  list(
    rounds = cbind(data = name, round = seq_len(nrow(rounds)), rounds),
    summary = data.frame(
      data = name, `support vectors` = one$n_sv, rounds = nrow(rounds), `vectors sent` = sum(rounds$vectors),
      `objective, relative difference` = abs(cascade$convergence$objective / one$convergence$objective - 1),
      `gap over all rows` = cascade$convergence$gap, `SMO on all rows, s` = alone, `cascade, s of processor` = total,
      `cascade on 2 workers, s` = two, check.names = FALSE
    )
  )
}
done <- lapply(names(sets), compare)
summary <- do.call(rbind, lapply(done, `[[`, "summary"))
rounds <- do.call(rbind, lapply(done, `[[`, "rounds"))
from <- provenance("cluster-cascade")
names <- c("data", "n_sv", "rounds", "vectors", "difference", "gap", "alone", "total", "two")
save_results(stats::setNames(summary, names), "cluster-cascade", from)
save_results(rounds, "cluster-cascade-rounds", from)
report(
  "cluster-cascade",
  sprintf("A cascade of %d shards of %s rows against SMO on all rows", shards, format(rows, big.mark = ",")),
  "Processor seconds on one thread, and elapsed seconds on two workers of this computer, its second call. The cascade",
  "ends when no shard has a violator. Vectors sent: support vectors that travel, in either direction.",
  table_md(summary, digits = c(0, 0, 0, 0, 9, 5, 2, 2, 2), row.names = FALSE),
  "Round by round:",
  table_md(rounds, digits = c(0, 0, 0, 0, 0, 3, 2), row.names = FALSE),
  sprintf("- Objective: largest relative difference **%.1e** (target: at most 1e-3, %s)", max(summary[[5]]),
    if (max(summary[[5]]) <= 1e-3) "reached" else "**missed**"),
  "- One SMO of all rows is faster where they fit into memory: a cascade trains support vectors several times. It is",
  "  for data that no process can hold."
)
