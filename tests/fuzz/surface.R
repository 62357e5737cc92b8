# What is tried: every export and every S3 method of NAMESPACE, as `call` (the function to call), `class` (of its first
# argument, for methods) and `formals`.

declared_targets <- function() {
  declared <- parseNamespaceFile("onlinesvm", dirname(find.package("onlinesvm")))
  methods <- apply(declared$S3methods, 1, method_target)
  generics <- vapply(methods, function(t) sub(".*::", "", t$call), "")
  exports <- lapply(setdiff(declared$exports, generics), function(name) {
    list(call = name, class = NULL, formals = as.list(formals(getExportedValue("onlinesvm", name))))
  })
  found <- c(exports, methods)
  stats::setNames(found, vapply(found, function(t) paste(c(t$call, t$class), collapse = "."), ""))
}

# Methods of a package that is not installed cannot be called.
targets <- function() {
  Filter(function(t) {
    !grepl("::", t$call) || requireNamespace(sub("::.*", "", t$call), quietly = TRUE)
  }, declared_targets())
}

# The fourth column is the generic's package, if it is loaded only when needed.
method_target <- function(declared) {
  method <- get(paste(declared[1], declared[2], sep = "."), envir = asNamespace("onlinesvm"))
  package <- if (is.na(declared[4])) NULL else paste0(declared[4], "::")
  list(call = paste0(package, declared[1]), class = declared[2], formals = as.list(formals(method)))
}

pick <- function(from) from[[sample.int(length(from), 1)]]
chance <- function(p) stats::runif(1) < p
numeral <- function(x) format(x, digits = 15, scientific = abs(x) >= 1e6)
