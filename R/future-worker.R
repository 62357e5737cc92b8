# Data that several bundles need, and the side of a worker.
#
# A store has values by key. The value of a key is sent with the first bundles that need it, as many as there are
# workers; a worker keeps what it has got, and answers "without data" to a bundle whose data it has not, which is then
# sent again with it. With options(onlinesvm.shared_folder =) values are written there, once, and read by the workers.
# `read`: name of the function that makes of a value what a worker keeps.
new_store <- function(values, read = "identity") {
  stored$calls <- stored$calls + 1
  session <- paste0(Sys.info()[["nodename"]], "-", Sys.getpid())
  list2env(list(
    values = values, read = read, call = paste0(session, "/", stored$calls),
    sent = stats::setNames(rep(0, length(values)), names(values)),
    size = vapply(values, function(value) as.numeric(utils::object.size(value)), 0), files = list()
  ), parent = emptyenv())
}

stored <- list2env(list(calls = 0), parent = emptyenv())

# Up to this size, in bytes, a value is sent with every bundle.
small_value <- 1e4

# What a bundle says of its data.
describe_stored <- function(store, key, traits, workers, needed) {
  if (is.null(key)) {
    return(NULL)
  }
  data <- list(call = store$call, key = key, read = store$read)
  folder <- getOption("onlinesvm.shared_folder")
  if (!is.null(folder) && !needed && store$size[[key]] > small_value) {
    if (is.null(store$files[[key]])) store$files[[key]] <- write_stored(store$values[[key]], folder)
    data$file <- store$files[[key]]
  } else if (needed || traits$jobs || traits$forks || store$sent[[key]] < workers || store$size[[key]] <= small_value) {
    data$value <- store$values[[key]]
    store$sent[[key]] <- store$sent[[key]] + 1
  }
  data
}

# In this process.
stored_value <- function(store, key) {
  if (!is.null(key)) list(call = store$call, key = key, read = store$read, value = store$values[[key]])
}

# Written under another name first: a worker never reads half a file.
write_stored <- function(value, folder) {
  if (!is.character(folder) || length(folder) != 1 || !dir.exists(folder)) {
    abort("The option {.code onlinesvm.shared_folder} must be the path of a folder that all workers can read.")
  }
  name <- keep_random_state(tempfile("onlinesvm-", normalizePath(folder)))
  saveRDS(value, paste0(name, ".part"), compress = FALSE)
  file.rename(paste0(name, ".part"), paste0(name, ".rds"))
  paste0(name, ".rds")
}

close_store <- function(store) {
  unlink(unlist(store$files))
  drop_entries(store$call)
}

# ---- on a worker ----

work_on_bundle <- function(message) {
  started <- seconds_now()
  answer <- function(state, value) list(state = state, value = value, seconds = seconds_now() - started)
  here <- as.character(utils::packageVersion("onlinesvm"))
  if (here != message$version) {
    return(answer("failed", paste0("a worker has version ", here, " of the package, not ", message$version)))
  }
  old <- options(onlinesvm.simd_level = message$simd_level)
  on.exit(options(old))
  tryCatch(
    {
      data <- data_of(message$data, message$cache_mb)
      if (is.null(data) && !is.null(message$data)) {
        return(answer("without data", NULL))
      }
      arguments <- c(message$arguments, if (!is.null(data)) list(data))
      answer("done", within_limit(message$seconds, do.call(message$work, arguments, quote = TRUE)))
    },
    error = function(e) answer("failed", text_of(e))
  )
}

# The core stops after so many seconds and returns what it has.
within_limit <- function(seconds, code) {
  if (is.finite(seconds)) {
    .Call(ffi_deadline, as.double(seconds))
    on.exit(.Call(ffi_deadline, as.double(time_left())))
  }
  code
}

# Values read, by key, the latest used last.
worker_memory <- list2env(list(entries = list()), parent = emptyenv())

data_of <- function(data, cache_mb) {
  if (is.null(data)) {
    return(NULL)
  }
  name <- paste(data$call, data$key)
  found <- worker_memory$entries[[name]]
  if (is.null(found)) {
    value <- if (!is.null(data$value)) data$value else if (!is.null(data$file)) read_stored(data$file)
    if (is.null(value)) {
      return(NULL)
    }
    drop_entries(sub("/.*", "/", data$call), except = data$call)
    value <- get(data$read, envir = asNamespace("onlinesvm"))(value)
    size <- utils::object.size(if (is.environment(value)) as.list(value) else value)
    found <- list(value = value, call = data$call, mb = as.numeric(size) / 2^20)
  }
  worker_memory$entries[[name]] <- NULL
  worker_memory$entries[[name]] <- found
  evict_entries(cache_mb)
  found$value
}

# A folder that this worker cannot read is as good as none.
read_stored <- function(file) tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)

# The latest entry stays, whatever its size.
evict_entries <- function(cache_mb) {
  mb <- vapply(worker_memory$entries, `[[`, 0, "mb")
  while (length(mb) > 1 && sum(mb) > cache_mb) {
    worker_memory$entries <- worker_memory$entries[-1]
    mb <- mb[-1]
  }
}

# Entries of the calls that begin so.
drop_entries <- function(prefix, except = "") {
  calls <- vapply(worker_memory$entries, `[[`, "", "call")
  worker_memory$entries <- worker_memory$entries[!startsWith(calls, prefix) | calls == except]
}
