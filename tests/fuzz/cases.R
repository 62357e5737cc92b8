# A case: statements of R code, drawn from its own seed. The last one is the call on trial; `setup` are those before.

make_case <- function(seed, number) {
  set.seed((seed * 1000003 + number) %% .Machine$integer.max, "Mersenne-Twister", "Inversion", "Rejection")
  if (chance(0.03)) {
    return(relation_case())
  }
  name <- pick(names(all_targets()))
  target <- target_named(name)
  start <- from_pool(200, problem)
  object <- first_object(target)
  setup <- c(start$code, object$code)
  given <- stats::setNames(object$name, object$argument)
  call <- call_code(target, 0.3, given)
  mode <- pick(c("valid", "malformed", "malformed", "damaged", "damaged"))
  # Rows selected by the caller are no part of the call.
  for (rows in setdiff(some_rows, "x")) {
    if (grepl(rows, call, fixed = TRUE)) {
      call <- sub(rows, "rows", call, fixed = TRUE)
      setup <- c(setup, paste("rows <-", rows))
    }
  }
  if (mode == "malformed") call <- malformed(call, target)
  if (grepl("\\bdata\\b", call) && !any(grepl("^data <-", setup))) setup <- c(setup, data_code)
  if (grepl("\\bfit\\b", call) && !any(grepl("^fit <-", setup))) setup <- c(setup, fit_code())
  if (mode == "damaged") setup <- c(setup, damage_code(call, setup))
  list(target = name, mode = mode, setup = setup, call = call)
}

# The first argument of a method, of the class it is for; of other functions by the argument's name.
first_object <- function(target) {
  first <- c(setdiff(names(target$formals), "..."), "")[1]
  class <- c(target$class, argument_objects[first])[[1]]
  if (is.na(class)) {
    return(NULL)
  }
  c(from_pool(500, function() object_of(class)), argument = if (class == "formula") "" else first)
}

# One or two arguments replaced, or one added that may not exist.
malformed <- function(call, target) {
  code <- as.list(str2lang(call))
  for (k in seq_len(pick(c(1, 1, 2)))) {
    name <- pick(c(names(target$formals), "unknown"))
    if (name %in% c("...", "")) name <- pick(c("unknown", "cost"))
    if (is.null(target$formals[[name]]) && !name %in% names(code) && !"..." %in% names(target$formals)) next
    # The object on which a method is selected remains.
    if (!is.null(target$class) && identical(name, names(target$formals)[1])) next
    code[name] <- list(str2lang(pick(junk)))
  }
  paste(deparse(as.call(code), width.cutoff = 500), collapse = "\n")
}

# Damage to a variable the call uses.
damage_code <- function(call, setup) {
  values <- value_of(setup)
  used <- intersect(all.vars(str2lang(call)), names(values))
  if (length(used) == 0) {
    return(NULL)
  }
  name <- pick(used)
  unlist(lapply(seq_len(pick(c(1, 1, 1, 2))), function(k) damage(name, values[[name]])))
}

all_targets <- local({
  found <- NULL
  function() {
    if (is.null(found)) found <<- targets()
    found
  }
})
target_named <- function(name) all_targets()[[name]]

# The variables that statements define; an error leaves those before it. The last results are kept, by their code.
value_of <- local({
  known <- new.env()
  function(code) {
    key <- paste(code, collapse = "\n")
    if (is.null(known[[key]])) {
      if (length(known) > 500) known <<- new.env()
      state <- new.env(parent = globalenv())
      old <- get(".Random.seed", envir = globalenv())
      error <- tryCatch({
        for (statement in parse(text = code, keep.source = FALSE)) suppressMessages(suppressWarnings(eval(statement,
          state)))
        NULL
      }, error = identity)
      assign(".Random.seed", old, envir = globalenv())
      known[[key]] <- structure(as.list(state), error = error)
    }
    known[[key]]
  }
})
