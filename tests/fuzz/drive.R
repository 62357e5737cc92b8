# Workers, one at a time, that write the number of each case before they run it: a crash or a hang is the case begun
# last.

# Runs cases from..to and writes a line for each: number, function, mode, kind of outcome, text.
work <- function(settings) {
  log <- file(settings$log, "a")
  on.exit(close(log))
  format_less()
  started <- proc.time()[["elapsed"]]
  for (number in seq(settings$from, settings$to)) {
    if (proc.time()[["elapsed"]] - started > settings$seconds) break
    # A live model that an earlier case of the block has damaged may not be described.
    case <- tryCatch(make_case(settings$seed, number), error = function(e) {
      list(target = "none", mode = "none", setup = "stop(\"no case\")", call = "NULL")
    })
    cat(format(number, scientific = FALSE), case$target, case$mode, sep = "\t", file = log)
    flush(log)
    found <- outcome(case)
    cat("", found$kind, gsub("[\t\n]", " ", found$text), sep = "\t", file = log)
    cat("\n", file = log)
    flush(log)
  }
}

# Formatting a sentence takes longer than most calls that are refused: of each template the first 10 sentences are
# formatted, and then one in 20.
format_less <- function(package = asNamespace("onlinesvm")) {
  formatted <- package$abort
  times <- new.env()
  abort <- function(message, class = NULL, .envir = parent.frame()) {
    template <- paste(c("", message), collapse = " ")
    times[[template]] <- c(times[[template]], 0)[1] + 1
    if (times[[template]] <= 10 || times[[template]] %% 20 == 0) formatted(message, class, .envir)
    stop(errorCondition(template, class = c(class, "osvm_error"), call = NULL))
  }
  utils::assignInNamespace("abort", abort, package)
}

drive <- function(settings) {
  dir.create(dirname(settings$log), recursive = TRUE, showWarnings = FALSE)
  end <- Sys.time() + settings$seconds
  from <- settings$from
  while (from <= settings$to && Sys.time() < end) {
    settings$from <- from
    settings$seconds <- as.numeric(end - Sys.time(), units = "secs")
    ended <- watch(settings)
    from <- max(done(settings$log), from - 1) + 1
    if (ended == "finished") break
    if (ended != "restart") from <- mark(settings$log, ended)
  }
}

# Starts a worker and waits for its end: "finished", "crash" or "hang".
watch <- function(settings) {
  errors <- sub("log$", "err", settings$log)
  worker <- processx::process$new(rscript, c(script, as_arguments(settings), "--worker"), stderr = errors,
    stdout = NULL)
  on.exit(worker$kill())
  begun <- Sys.time()
  while (worker$is_alive()) {
    worker$wait(500)
    last <- max(begun, file.mtime(settings$log), na.rm = TRUE)
    if (as.numeric(Sys.time() - last, units = "secs") > settings$limit) {
      return("hang")
    }
  }
  if (worker$get_exit_status() == 0) "finished" else "crash"
}

read_log <- function(log) if (file.exists(log)) strsplit(readLines(log, warn = FALSE), "\t") else list()
done <- function(log) max(0, vapply(read_log(log), function(line) as.numeric(line[1]), 0))

# Completes the line of the case that did not end; the number of the next.
mark <- function(log, kind) {
  lines <- read_log(log)
  last <- if (length(lines) > 0) lines[[length(lines)]]
  if (length(last) != 3) {
    writeLines(utils::tail(readLines(sub("log$", "err", log), warn = FALSE), 30))
    stop("A worker ended between two cases.")
  }
  cat("", kind, "", sep = "\t", file = log, append = TRUE)
  cat("\n", file = log, append = TRUE)
  file.copy(sub("log$", "err", log), paste0(log, "-", last[1], ".err"), overwrite = TRUE)
  as.numeric(last[1]) + 1
}

# The outcome in a process of its own.
outcome_outside <- function(case, limit = settings$limit) {
  file <- tempfile()
  on.exit(unlink(file))
  dput(case, file)
  run <- processx::run(rscript, c(script, "--run", file), timeout = limit, error_on_status = FALSE)
  kind <- if (run$timeout) "hang" else if (run$status != 0) "crash" else "none"
  list(kind = kind, text = "")
}

# Prints each different finding once, as code, the first `show` of them; the last line has the counts.
report <- function(settings) {
  lines <- Filter(function(line) length(line) >= 4 && as.numeric(line[1]) >= settings$from, read_log(settings$log))
  kinds <- vapply(lines, `[`, "", 4)
  print(table(mode = vapply(lines, `[`, "", 3), outcome = kinds))
  bad <- lines[!kinds %in% c("ok", "refused", "void")]
  groups <- split(bad, vapply(bad, function(line) {
    signature(list(target = line[2]), list(kind = line[4], text = if (length(line) > 4) line[5] else ""))
  }, ""))
  for (name in utils::head(names(groups), settings$show)) {
    number <- as.numeric(groups[[name]][[1]][1])
    cat("\n#", name, "\n# cases", vapply(utils::head(groups[[name]], 5), `[`, "", 1), "of", length(groups[[name]]),
      "\n")
    show_case(settings$seed, number)
  }
  cat(sprintf("\nfuzz: %d passed, %d failed (seed %d)\n", length(lines) - length(bad), length(groups), settings$seed))
  length(groups) == 0
}

# One case, shrunk; in a process of its own, which may crash.
show_case <- function(seed, number) {
  run <- processx::run(rscript, c(script, "--seed", seed, "--case", number), timeout = 600, error_on_status = FALSE)
  cat(run$stdout)
  if (run$status != 0) cat("# the process ended:", utils::tail(strsplit(run$stderr, "\n")[[1]], 5), sep = "\n# ")
}
