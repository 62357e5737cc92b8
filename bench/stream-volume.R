# Long streams from a CSV file: memory along the way, rows per second, and the share of the time that is reading.
#
# OSVM_ROWS: rows for the linear solver, 10,000,000 unless set; a tenth of them goes through the kernel solver.
# OSVM_PARTS: "linear", "kernel" or (unless set) both, or "memory", the linear one without a file; the result of one
# part is a file of its own. With OSVM_KEEP the parts can be run one after the other.
source("bench/common.R")

features <- 20
block <- 50000
rows <- as.numeric(Sys.getenv("OSVM_ROWS", "1e7"))
length_of_concept <- 20000

# Labels by a plane, a tenth of them wrong; `concept` numbers the plane. In the kernel's stream only four features
# matter, and no label is wrong.
draw_block <- function(concept, informative, noise) {
  x <- matrix(round(rnorm(block * features), 3), block, dimnames = list(NULL, paste0("v", seq_len(features))))
  values <- unique(concept)
  planes <- vapply(values, function(k) with_seed(k, rnorm(informative)), numeric(informative))
  f <- rowSums(x[, seq_len(informative)] * t(planes)[match(concept, values), , drop = FALSE])
  data.frame(x, label = ifelse((f > 0) != (runif(block) < noise), "a", "b"))
}
# The planes do not depend on how many rows were drawn before.
with_seed <- function(seed, expr) {
  before <- get(".Random.seed", envir = globalenv())
  on.exit(assign(".Random.seed", before, envir = globalenv()))
  set.seed(seed)
  expr
}
write_stream <- function(file, rows, changing) {
  set.seed(1)
  for (past in seq(0, rows - 1, block)) {
    concept <- if (changing) (past + seq_len(block) - 1) %/% length_of_concept + 1 else rep(1, block)
    part <- draw_block(concept, if (changing) 4 else features, if (changing) 0 else 0.1)
    data.table::fwrite(part, file, append = past > 0)
  }
}

# A metric that notes the memory of the process in the first of its six calls per chunk, every `every` chunks.
memory_watch <- function(every) {
  calls <- 0
  noted <- list()
  list(
    metric = function(truth, predicted) {
      calls <<- calls + 1
      if (calls %% (6 * every) == 1) {
        used <- sum(gc()[, 2])
        noted[[length(noted) + 1]] <<- data.frame(chunk = (calls - 1) / 6 + 1, resident = status_mb("VmRSS"), used,
          processor = sum(proc.time()[1:2]))
      }
      0
    },
    noted = function() do.call(rbind, noted)
  )
}

# A finished run is kept in the folder OSVM_KEEP.
run_stream <- function(name, ...) {
  path <- file.path(Sys.getenv("OSVM_KEEP", tempdir()), paste0("stream-", gsub("[^a-z]+", "-", tolower(name)), ".rds"))
  if (!file.exists(path)) saveRDS(measure_stream(name, ...), path)
  readRDS(path)
}
# The rows of a block over and over, without a file.
from_memory <- function(rows) {
  set.seed(1)
  part <- draw_block(rep(1, block), features, 0.1)
  x <- as.matrix(part[seq_len(features)])
  given <- 0
  source_function(function(n) {
    at <- given %% block + seq_len(min(n, block - given %% block, rows - given))
    given <<- given + length(at)
    if (length(at) > 0) list(x = x[at, , drop = FALSE], y = part$label[at])
  })
}
measure_stream <- function(name, rows, changing, chunk, ..., in_memory = FALSE) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  if (!in_memory) writing <- elapsed(write_stream(file, rows, changing))
  megabytes <- file.size(file) / 2^20
  if (!in_memory) message(sprintf("%s: %.0f MB written in %.0f s", name, megabytes, writing))
  gc()
  watch <- memory_watch(max(1, floor(rows / chunk / 50)))
  started <- proc.time()
  run <- osvm_stream(if (in_memory) from_memory(rows) else source_csv(file, "label"), ...,
    chunk = chunk, metrics = list("accuracy", memory = watch$metric), window = 10000, verbose = FALSE
  )
  spent <- proc.time() - started
  load <- as.numeric(strsplit(readLines("/proc/loadavg"), " ")[[1]][2]) # processes, mean of five minutes
  last <- run$metrics[nrow(run$metrics), ]
  memory <- watch$noted()
  memory$row <- run$metrics$row[memory$chunk]
  memory$n_sv <- run$metrics$n_sv[memory$chunk]
  later <- memory$row > rows / 5
  tenths <- seq(min(memory$row), max(memory$row), length.out = 11)
  speed <- diff(tenths) / diff(stats::approx(memory$row, memory$processor, tenths)$y)
  summary <- data.frame(
    stream = name, rows = last$row, megabytes, chunk, elapsed = spent[["elapsed"]],
    processor = sum(spent[c("user.self", "sys.self")]), reading = sum(run$metrics$reading) / sum(run$metrics$seconds),
    accuracy = last$accuracy, no_change = last$accuracy_no_change, majority = last$accuracy_majority,
    restarts = sum(run$events$event == "restart"), n_sv = max(run$metrics$n_sv), peak = status_mb("VmHWM"),
    resident_least = min(memory$resident[later]), resident_most = max(memory$resident[later]),
    used_least = min(memory$used[later]), used_most = max(memory$used[later]), load
  )
  summary[paste0("speed_", 1:10)] <- speed
  message(sprintf("%s: %.0f s, %.0f s of processor", name, summary$elapsed, summary$processor))
  list(summary = summary, memory = cbind(stream = name, memory))
}

# The linear run first: its memory is that of a fresh process.
wanted <- strsplit(Sys.getenv("OSVM_PARTS", "linear,kernel"), ",")[[1]]
parts <- Filter(length, list(
  if ("linear" %in% wanted) run_stream("passive-aggressive, linear", rows, FALSE, 5000, solver_pa(C = 0.01, epochs = 1),
    kernel_linear()),
  if ("memory" %in% wanted) run_stream("passive-aggressive, linear, from memory", rows, FALSE, 5000,
    solver_pa(C = 0.01, epochs = 1), kernel_linear(), in_memory = TRUE),
  if ("kernel" %in% wanted) run_stream("LASVM, RBF kernel, restarts", rows / 10, TRUE, 500,
    solver_lasvm(C = 10, finish = FALSE), kernel_rbf(gamma = 0.01), scale = FALSE,
    drift = drift_adwin(react = "restart"))
))
summary <- do.call(rbind, lapply(parts, `[[`, "summary"))
memory <- do.call(rbind, lapply(parts, `[[`, "memory"))
if (length(wanted) > 1) {
  save_results(summary, "stream-volume")
  save_results(memory, "stream-memory", from = provenance("stream-volume"))
}

shown <- data.frame(
  stream = summary$stream, rows = format(summary$rows, big.mark = ",", scientific = FALSE),
  MB = round(summary$megabytes), chunk = summary$chunk,
  `rows/s` = format(round(summary$rows / summary$elapsed), big.mark = ","),
  `rows/s of processor` = format(round(summary$rows / summary$processor), big.mark = ","),
  `reading, %` = 100 * summary$reading, `accuracy, %` = 100 * summary$accuracy,
  `no change, %` = 100 * summary$no_change, `majority, %` = 100 * summary$majority, restarts = summary$restarts,
  `most SVs` = summary$n_sv, check.names = FALSE
)
flat <- data.frame(
  stream = summary$stream,
  `rows/s, first tenth` = round(summary$speed_1), `last tenth` = round(summary$speed_10),
  `slowest tenth` = round(do.call(pmin, summary[paste0("speed_", 1:10)])),
  `fastest tenth` = round(do.call(pmax, summary[paste0("speed_", 1:10)])),
  `resident, least` = summary$resident_least, `resident, most` = summary$resident_most,
  `R objects, least` = summary$used_least, `R objects, most` = summary$used_most, check.names = FALSE
)
report(
  paste(c("stream-volume", if (length(wanted) == 1) wanted), collapse = "-"),
  if (identical(wanted, "memory")) "A long stream from memory" else "Long streams from a CSV file",
  sprintf("%d features, two classes, one process. The linear stream has one plane and a tenth of its labels wrong;",
    features),
  sprintf("the kernel's has another plane every %s rows, and starts anew when ADWIN finds that.",
    format(length_of_concept, big.mark = ",")),
  "Every row is predicted before it is learned. reading: share of the elapsed time.",
  sprintf("Other work shared the processors: load %s.", paste(summary$load, collapse = " and ")),
  table_md(shown, digits = 1),
  "## Along the way", "",
  "Rows per second of processor time in the tenths of a stream. MB of the process (VmRSS) and of R's objects after",
  "a collection (gc()), at 50 points of the run; least and most of those after the first fifth.",
  table_md(flat, digits = 1)
)
