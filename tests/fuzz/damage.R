# Damage: one statement that changes a part of a variable. `at` is code that names the part, `value` what it holds.

damage <- function(at, value, top = TRUE) {
  inside <- parts(at, value)
  if (length(inside) > 0 && chance(if (top) 0.95 else 0.8)) {
    part <- pick(inside)
    return(damage(part$at, part$value, FALSE))
  }
  pick(changes(at, value, top))
}

# Elements of a list; attributes, which for S4 objects are the slots.
parts <- function(at, value) {
  if (is.environment(value) && inherits(value, "osvm_live")) {
    value <- as.list.environment(value)
    return(lapply(names(value), function(n) list(at = sprintf("%s[[\"%s\"]]", at, n), value = value[[n]])))
  }
  elements <- if (is.list(value)) {
    names <- names(value)
    lapply(seq_along(value), function(i) {
      named <- !is.null(names) && !is.na(names[i]) && nzchar(names[i])
      list(at = sprintf("%s[[%s]]", at, if (named) deparse(names[i]) else i), value = unclass(value)[[i]])
    })
  }
  attributes <- attributes(value)
  # Changes of names and classes are among changes().
  of_attributes <- lapply(setdiff(names(attributes), c("class", "names")), function(name) {
    list(at = sprintf("attr(%s, \"%s\")", at, name), value = attributes[[name]])
  })
  c(elements, of_attributes)
}

changes <- function(at, value, top) {
  # Methods of length() may answer anything for an object damaged before.
  filled <- isTRUE(tryCatch(length(value) > 0, error = function(e) FALSE))
  here <- function(...) gsub("@", at, c(...), fixed = TRUE)
  list_changes <- if (is.list(value) && filled) {
    here(sprintf("@[%d] <- list(NULL)", sample.int(length(value), 1)), "@$unknown <- 1")
  }
  name_changes <- if (!is.null(names(value)) && is.vector(names(value))) {
    here("names(@) <- NULL", "names(@)[1] <- names(@)[length(@)]", "names(@)[1] <- NA")
  }
  # A variable keeps its class, which decides what is called.
  if (top) {
    return(c(list_changes, name_changes, here("@ <- structure(list(), class = class(@))")))
  }
  c(
    list_changes, name_changes, here(paste("@ <-", replicate(4, pick(junk))), "@ <- NULL", "@ <- list(@)"),
    if (is.atomic(value) && filled) {
      sprintf("%s[%d] <- %s", at, sample.int(length(value), 1), c(pick(bad_numbers), pick(bad_numbers), "\"a\""))
    },
    if (filled) here("@ <- @[-1]", "@ <- c(@, @)", "@ <- @[0]", "@ <- rev(@)"),
    if (is.numeric(value)) here("@ <- -@", "@ <- @ * 1e300", "@ <- @ + 0.5", "storage.mode(@) <- \"character\"",
      "@ <- 0 * @"),
    if (is.character(value)) here("@[1] <- NA", "@ <- toupper(@)", "@[1] <- \"{stop('evaluated')}\"",
      "@ <- rep(@[1], length(@))"),
    if (!is.null(dim(value))) here("dim(@) <- NULL", "dimnames(@) <- NULL", "@ <- t(@)"),
    if (is.list(value)) here("@ <- unclass(@)"), if (is.object(value)) here("class(@) <- \"unknown\"")
  )
}
