test_that("free memory is what the system and the bound of a container leave", {
  root <- withr::local_tempdir()
  put <- function(path, lines) {
    dir.create(dirname(file.path(root, path)), showWarnings = FALSE, recursive = TRUE)
    writeLines(lines, file.path(root, path))
  }
  expect_identical(free_mb(root), 4096)
  put("proc/meminfo", c("MemTotal:  9000000 kB", "MemFree:  100 kB", "MemAvailable:  2097152 kB"))
  expect_identical(free_mb(root), 2048)
  put("sys/fs/cgroup/memory.max", "max")
  put("sys/fs/cgroup/memory.current", "1048576")
  expect_identical(free_mb(root), 2048)
  put("sys/fs/cgroup/memory.max", "3145728")
  expect_identical(free_mb(root), 2)
  put("sys/fs/cgroup/memory.max", "1000")
  expect_identical(free_mb(root), 0)
})
