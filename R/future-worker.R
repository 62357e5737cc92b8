# Data that several bundles need, and the side of a worker. Data goes with every bundle or, where all workers see a
# folder, into a file that each of them reads once.

# Up to this size, in bytes, data is not worth a file.
small_data <- 1e4

# `values` as the `data` of bundles, a list with an element for each. `read`: name of the function that makes of a value
# what a worker keeps.
share_data <- function(values, read = "identity") {
  shared$calls <- shared$calls + 1
  call <- paste0(Sys.info()[["nodename"]], "-", Sys.getpid(), "/", shared$calls)
  folder <- shared_folder()
  lapply(seq_along(values), function(k) {
    data <- list(call = call, key = k, read = read)
    if (is.null(folder) || utils::object.size(values[[k]]) <= small_data) {
      data$value <- values[[k]]
    } else {
      data$file <- keep_random_state(tempfile("onlinesvm-", folder, ".rds"))
      saveRDS(values[[k]], data$file, compress = FALSE)
    }
    data
  })
}

shared <- list2env(list(calls = 0), parent = emptyenv())

# Processes of this computer see the folder of the session.
shared_folder <- function() {
  if (future_workers() == 0) {
    return(NULL)
  }
  folder <- getOption("onlinesvm.shared_folder", if (inherits(future::plan(), "multisession")) tempdir())
  if (!is.null(folder) && !(is_one_text(folder) && dir.exists(folder))) {
    abort("The option {.code onlinesvm.shared_folder} must be the path of a folder that all workers can read.")
  }
  if (!is.null(folder)) normalizePath(folder)
}

close_data <- function(data) {
  unlink(unlist(lapply(data, `[[`, "file")))
  forget_data()
}

# ---- on a worker ----

work_on_bundle <- function(message) {
  here <- as.character(utils::packageVersion("onlinesvm"))
  if (here != message$version) {
    return(list(error = paste0("a worker has version ", here, " of the package, not ", message$version)))
  }
  old <- options(onlinesvm.simd_level = message$simd_level)
  on.exit(options(old))
  tryCatch(
    {
      arguments <- c(message$arguments, if (!is.null(message$data)) list(kept_data(message$data, message$cache_mb)))
      list(value = within_limit(message$seconds, do.call(message$work, arguments, quote = TRUE)))
    },
    error = function(e) list(error = text_of(e))
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

# What was read of the data of one call, the latest used last, and its size.
worker_memory <- new.env(parent = emptyenv())

forget_data <- function(call = "") list2env(list(call = call, values = list(), mb = numeric()), worker_memory)

# The latest stays, whatever its size.
kept_data <- function(data, cache_mb) {
  if (!identical(worker_memory$call, data$call)) forget_data(data$call)
  name <- as.character(data$key)
  found <- worker_memory$values[[name]]
  if (is.null(found)) {
    value <- if (is.null(data$file)) data$value else readRDS(data$file)
    found <- get(data$read, envir = asNamespace("onlinesvm"))(value)
    worker_memory$mb[name] <- utils::object.size(if (is.environment(found)) as.list(found) else found) / 2^20
  }
  others <- setdiff(names(worker_memory$values), name)
  room <- cache_mb - worker_memory$mb[[name]]
  others <- others[rev(cumsum(rev(worker_memory$mb[others]))) <= room]
  worker_memory$values <- c(worker_memory$values[others], stats::setNames(list(found), name))
  found
}
