# A case: statements of R code, drawn from its own seed. The last one is the call on trial; `setup` are those before.

# Cases of a block share the function, the problem and the object: what is built before a call is built once for all.
block_size <- 20

# OSVM_FUZZ_ONLY, a regular expression, narrows a run to the functions that match it.
make_case <- function(seed, number) {
  seeded(-seed - 1, (number - 1) %/% block_size)
  name <- pick(grep(Sys.getenv("OSVM_FUZZ_ONLY"), names(all_targets()), value = TRUE))
  target <- target_named(name)
  start <- problem()
  object <- first_object(target)
  seeded(seed, number)
  if (chance(0.03)) {
    return(relation_case())
  }
  setup <- c(start$code, object$code)
  given <- stats::setNames(object$name, object$argument)
  call <- call_code(target, 0.3, given)
  mode <- pick(c("valid", "stopped", "malformed", "malformed", "damaged", "damaged"))
  # Rows and classes selected by the caller are no part of the call.
  for (code in c(setdiff(some_rows, "x"), "unique(y)")) {
    if (grepl(code, call, fixed = TRUE)) {
      variable <- if (code == "unique(y)") "classes" else "rows"
      call <- sub(code, variable, call, fixed = TRUE)
      setup <- c(setup, paste(variable, "<-", code))
    }
  }
  if (mode == "malformed") call <- malformed(call, target)
  if (grepl("\\bdata\\b", call) && !any(grepl("^data <-", setup))) setup <- c(setup, data_code)
  if (grepl("\\bfit\\b", call) && !any(grepl("^fit <-", setup))) setup <- c(setup, fit_code())
  if (grepl("checkpoint_of", call)) setup <- c(setup, checkpoint_code)
  if (mode == "damaged") setup <- c(setup, damage_code(call, setup))
  if (mode == "stopped") {
    poll <- random_poll(100)
    call <- sprintf("stopped(%s, %d, %s)", call, poll, pick(c("Inf", poll)))
  }
  list(target = name, mode = mode, setup = setup, call = call)
}

# The state in a checkpoint, and a file with what is left of it.
checkpoint_code <- c(
  "file <- tempfile(fileext = \".rds\")",
  "osvm_stream(source_matrix(x, y), \"pa\", chunk = 5, chunks = 2, checkpoint = file, verbose = FALSE)",
  "state <- readRDS(file)"
)

checkpoint_of <- function(state) {
  file <- tempfile(fileext = ".rds")
  saveRDS(state, file)
  file
}

# Files and functions with the examples.
csv_of <- function(x, y) {
  file <- tempfile(fileext = ".csv")
  write <- function() utils::write.csv(cbind(as.data.frame(as.matrix(x)), y = y), file, row.names = FALSE)
  tryCatch(write(), error = function(e) writeLines(c("a,y", "1,b"), file)) # of damaged examples
  file
}

rows_of <- function(x, y) {
  left <- TRUE
  function(n) {
    if (!left) return(NULL)
    left <<- FALSE
    rows <- seq_len(min(n, nrow(x)))
    list(x = x[rows, , drop = FALSE], y = y[rows])
  }
}

seeded <- function(seed, number) {
  set.seed((seed * 1000003 + number) %% .Machine$integer.max, "Mersenne-Twister", "Inversion", "Rejection")
}

# The first argument of a method, of the class it is for; of other functions by the argument's name.
first_object <- function(target) {
  first <- c(setdiff(names(target$formals), "..."), "")[1]
  class <- c(target$class, argument_objects[first])[[1]]
  if (is.na(class)) {
    return(NULL)
  }
  c(object_of(class), argument = if (class == "formula") "" else first)
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

# The variables that statements define; an error leaves those before it. The last results are kept by their code, also
# those of all but the last statement: statements with the same beginning share what it defines.
value_of <- local({
  known <- new.env()
  function(code) {
    if (length(code) == 0) {
      return(list())
    }
    key <- paste(code, collapse = "\n")
    if (is.null(known[[key]])) {
      before <- value_of(code[-length(code)])
      if (length(known) > 500) known <<- new.env()
      known[[key]] <- if (is.null(attr(before, "error"))) after_statement(before, code[length(code)]) else before
    }
    known[[key]]
  }
})

# The variables after one more statement. Random numbers go on where those of the statements before ended.
after_statement <- function(values, statement) {
  old <- get(".Random.seed", envir = globalenv())
  on.exit(assign(".Random.seed", old, envir = globalenv()))
  if (!is.null(attr(values, "seed"))) assign(".Random.seed", attr(values, "seed"), envir = globalenv())
  state <- state_of(values)
  error <- tryCatch({
    for (part in parse(text = statement, keep.source = FALSE)) suppressMessages(suppressWarnings(eval(part, state)))
    NULL
  }, error = identity)
  structure(as.list(state), error = error, seed = get(".Random.seed", envir = globalenv()))
}

# An environment with these variables; formulas refer to it.
state_of <- function(values) {
  state <- list2env(values, parent = globalenv())
  for (name in names(values)) if (inherits(values[[name]], "formula")) environment(state[[name]]) <- state
  state
}
