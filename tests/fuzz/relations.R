relation_case <- function() list(target = "relation", mode = "relation", setup = "a <- 1", call = "invisible(a)")
