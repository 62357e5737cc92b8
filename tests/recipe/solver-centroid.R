#' Nearest class mean in feature space
#'
#' A throwaway solver: its support vectors are the class means, which no example is.
#'
#' @param shuffle Visit the examples in random order?
#' @inherit solver_olsvm return
#' @export
#' @examples
#' fit <- osvm(Species ~ ., data = iris, solver = solver_centroid())
#' fit$n_sv
solver_centroid <- function(shuffle = TRUE) new_solver("centroid", shuffle = flag(shuffle))
