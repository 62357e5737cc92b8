# Memory for kernel values and features, in megabytes.

default_cache_mb <- 256

# For features that would else be computed again, which changes no number: a quarter of what is free, unless the user
# gave a bound.
spare_mb <- function(control) if (isTRUE(control$bounded)) 0 else free_mb() / 4

# As far as the system tells, within the bound of a container; else 4 GB are assumed.
free_mb <- function(root = "/") {
  read <- function(path) {
    path <- file.path(root, path)
    if (file.exists(path)) readLines(path) else character()
  }
  number <- function(lines) as.numeric(c(sub("[^0-9]*([0-9]+).*", "\\1", grep("[0-9]", lines, value = TRUE)), NA)[1])
  left <- function(bound, used) number(read(bound)) / 2^20 - number(read(used)) / 2^20
  available <- number(grep("^MemAvailable:", read("proc/meminfo"), value = TRUE)) / 1024
  groups <- c(
    left("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"),
    left("sys/fs/cgroup/memory/memory.limit_in_bytes", "sys/fs/cgroup/memory/memory.usage_in_bytes")
  )
  max(0, min(if (is.na(available)) 4096 else available, groups, na.rm = TRUE))
}
