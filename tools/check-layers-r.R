# The layers of R/, by file prefix: the table in ARCHITECTURE.md, lowest first. A function calls functions of its own
# layer and of those below. Outside its own files, R/solver-<name>.R, no R code names a solver, a parameter of one or a
# column of its state; it asks for them by role, capability or purpose (R/spec-roles.R, R/spec-defaults.R). The names are
# those of the installed package. Text for the terminal is written in R/base-print.R and R/base-check.R. Ends with "layers: N passed, N failed".
source("tools/layers.R")
package <- asNamespace("onlinesvm")

# ---- who calls whom ----

rank <- layer_ranks("Layers of R/")
rank["onlinesvm"] <- max(rank) + 1 # onlinesvm-package.R

# What the top-level expressions of the files define, and the functions that the code in them calls. Calls only: a table
# may name a function of a layer above, and a generic is called without its methods.
defined <- do.call(rbind, lapply(Sys.glob("R/*.R"), function(file) {
  layer <- layer_of(file, rank)
  do.call(rbind, lapply(as.list(parse(file, keep.source = FALSE)), function(code) {
    named <- is.call(code) && identical(code[[1]], quote(`<-`))
    calls <- codetools::findGlobals(eval(call("function", NULL, if (named) code[[3]] else code)), merge = FALSE)
    is_function <- named && is.call(code[[3]]) && identical(code[[3]][[1]], quote(`function`))
    # Within functions a name is most often given to one that calls it, such as lapply().
    uses <- c(calls$functions, if (is_function) calls$variables)
    data.frame(file = file, layer = layer, name = if (named) deparse(code[[2]])[1] else "", uses = I(list(uses)))
  }))
}))
check("the prefix of a file is that of no layer", unique(defined$file[is.na(defined$layer)]))
check("a function calls one of a layer above it", unlist(lapply(seq_len(nrow(defined)), function(k) {
  above <- intersect(defined$uses[[k]], defined$name[which(defined$layer > defined$layer[k])])
  sprintf("%s: %s uses %s, %s", defined$file[k], defined$name[k], above, defined$file[match(above, defined$name)])
})))

# Text may come from data: what a terminal is shown is written where its control characters are made visible.
writers <- c("cat", "print", "writeLines", "format_error", "format_warning", "format_message", "format_inline")
check("text goes to the terminal past printable()", unlist(lapply(seq_len(nrow(defined)), function(k) {
  if (basename(defined$file[k]) %in% c("base-print.R", "base-check.R")) return()
  sprintf("%s: %s calls %s", defined$file[k], defined$name[k], intersect(defined$uses[[k]], writers))
})))

# ---- names of solvers, parameters and state ----

table <- package$solver_table()
traits <- lapply(table$name, function(name) package$solver_traits(package$constructor("solver", name)()))
scalars <- lapply(traits, `[[`, "scalars")
common <- Reduce(intersect, scalars)
constructors <- paste0("solver_", table$name)
parameters <- unique(unlist(lapply(table$roles, names)))
state <- unique(c(unlist(lapply(traits, `[[`, "columns")), setdiff(unlist(scalars), common)))

# Words that mean something else in these files: a strategy of query(), arguments of other functions and packages,
# counts of a run, columns of solvers(), roles, columns of older formats.
homonyms <- list(
  "active-query.R" = "ramp", "active.R" = c("ramp", "budget"), "bridge-dials.R" = c("C", "epochs", "rate"),
  "bridge-parsnip.R" = c("C", "epochs"), "curve.R" = "set",
  "explain-importance.R" = "gradient", "explain-shapley.R" = "unit_norm",
  "model-format.R" = c("alpha", "bound", "coef", "cost"), "model-predict.R" = "unit_norm", "model-result.R" = "epochs",
  "spec-arguments.R" = "smo", "spec-roles.R" = c("rate", "epochs", "tolerance", "budget"), "spec.R" = "epochs"
)
# Words for other things as well: they name a parameter or a column only beside parameters or state.
usual_words <- c(
  "batch", "cost", "keep", "outputs", "project", "start", "coef", "seed", "set", "sum", "updates", "weight"
)
beside <- c(parameter = "(^|[^\"[:alnum:]_.])params\\b", state = "(^|[^\"[:alnum:]_.])(state|scalars|columns)\\b")

# Roles are strings too: those that these functions are given, or that are compared with roles.
by_role <- "(role_name|role_value|set_role|state_columns|state_layer)\\(|roles?\\b"

# Texts of the expressions around a token, up to the statement that it is part of.
around <- function(data, id) {
  out <- character()
  repeat {
    id <- data$parent[match(id, data$id)]
    inside <- data$token[data$parent %in% id]
    if (is.na(id) || id <= 0 || any(c("'{'", "LEFT_ASSIGN", "FUNCTION", "IF") %in% inside)) {
      return(out)
    }
    out <- c(out, getParseText(data, id))
  }
}

named <- list(solver = character(), parameter = character(), state = character())
for (file in setdiff(Sys.glob("R/*.R"), Sys.glob("R/solver-*.R"))) {
  data <- getParseData(parse(file, keep.source = TRUE))
  words <- gsub("^[\"']|[\"']$", "", data$text)
  meant <- data$terminal & !words %in% homonyms[[basename(file)]]
  text <- data$token == "STR_CONST"
  found <- list(
    solver = words %in% constructors | text & words %in% table$name,
    parameter = words %in% parameters & (text & !words %in% common | data$token %in% c("SYMBOL", "SYMBOL_SUB")),
    state = text & words %in% state
  )
  for (kind in names(found)) {
    for (k in which(found[[kind]] & meant)) {
      context <- around(data, data$id[k])
      other <- words[k] %in% usual_words && !any(grepl(beside[[kind]], context)) ||
        data$token[k] == "SYMBOL" && kind == "parameter" && !any(endsWith(context, paste0("params$", words[k])))
      if (!other && (kind == "solver" || !any(grepl(by_role, context)))) {
        named[[kind]] <- c(named[[kind]], sprintf("%s:%d names %s", file, data$line1[k], data$text[k]))
      }
    }
  }
}
for (kind in names(named)) check(paste("the name of a", kind, "outside the files of its solver"), named[[kind]])

cat(sprintf("layers: %d passed, %d failed\n", passed, failed))
quit(status = as.integer(failed > 0))
