# A failing case made smaller: statements are left out, then arguments, as long as the finding stays the same.
# `judge` is outcome(), or outcome_outside() for what ends or stops the process.

shrink <- function(case, judge, tries) {
  wanted <- signature(case, judge(case))
  repeat {
    smaller <- NULL
    for (candidate in reductions(case)) {
      tries <- tries - 1
      if (tries < 0) {
        return(case)
      }
      if (identical(signature(candidate, judge(candidate)), wanted)) {
        smaller <- candidate
        break
      }
    }
    if (is.null(smaller)) {
      return(case)
    }
    case <- smaller
  }
}

# What makes two findings one: numbers and quoted words do not count.
signature <- function(case, found) {
  text <- gsub("[0-9][0-9.e+-]*|['\"`\u2018\u201c][^'\"`\u2019\u201d]*['\"`\u2019\u201d]", "#", found$text)
  paste(case$target, found$kind, text, sep = ": ")
}

reductions <- function(case) {
  without <- lapply(rev(seq_along(case$setup)), function(i) replace(case, "setup", list(case$setup[-i])))
  calls <- lapply(shorter_calls(case$call), function(code) replace(case, "call", code))
  setups <- unlist(lapply(seq_along(case$setup), function(i) {
    lapply(shorter_calls(case$setup[i]), function(code) replace(case, "setup", list(replace(case$setup, i, code))))
  }), recursive = FALSE)
  c(without, calls, setups)
}

# The code with one named argument less, at any depth of calls.
shorter_calls <- function(code) {
  parsed <- tryCatch(str2lang(code), error = function(e) NULL)
  vapply(fewer_arguments(parsed), function(call) paste(deparse(call, width.cutoff = 500), collapse = "\n"), "")
}

fewer_arguments <- function(call) {
  if (!is.call(call)) {
    return(list())
  }
  named <- which(!names(call) %in% c("", NA))
  if (is.null(names(call))) named <- integer()
  here <- lapply(rev(named), function(i) call[-i])
  inside <- unlist(lapply(seq_along(call)[-1], function(i) {
    lapply(fewer_arguments(call[[i]]), function(part) {
      call[[i]] <- part
      call
    })
  }), recursive = FALSE)
  c(here, inside)
}

# Code to be pasted.
snippet <- function(case) {
  known <- if (case$mode %in% c("relation", "stopped")) "source(\"tests/fuzz/relations.R\")"
  c("library(onlinesvm)", known, case$setup, case$call)
}
