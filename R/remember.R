# What is computed from small values, again and again from the same ones, is kept: the latest
# `most` values with their results. Values are compared by identical(), which takes no time
# for the same object and finds every change of another.

cache <- new.env(parent = emptyenv())

remembered <- function(what, value, compute, most = 8) {
  for (known in cache[[what]]) {
    if (identical(known$value, value)) {
      return(known$result)
    }
  }
  result <- compute(value)
  cache[[what]] <- utils::head(c(list(list(value = value, result = result)), cache[[what]]), most)
  result
}
