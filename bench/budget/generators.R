# Data of the benchmarks of budgets.

# A ten-cylinder engine, after the problem of the IJCNN 2001 challenge: which cylinder fires (ten indicators), speed, load,
# and the accelerations of the crankshaft around the firing. A misfire takes away acceleration, and the shaft rings.
misfires <- function(n) {
  wander <- function(memory) as.vector(stats::filter(rnorm(n + 10, sd = 0.05), memory, "recursive"))
  speed <- wander(0.995)
  load <- wander(0.99)
  cylinder <- seq_len(n + 10) %% 10 + 1
  misfire <- runif(n + 10) < 0.1
  acceleration <- sin(1:10)[cylinder] * (1 + 0.3 * speed) + 0.5 * sin(2 * speed) + 0.25 * rnorm(n + 10)
  ringing <- c(1, 0.6, -0.3, -0.4, 0.1)
  for (lag in 0:4) {
    lost <- misfire * (1.2 + 0.5 * tanh(load)) * ringing[lag + 1]
    acceleration <- acceleration - c(rep(0, lag), lost[seq_len(n + 10 - lag)]) * cos(0.5 * lag * speed)
  }
  k <- 6:(n + 5)
  x <- cbind(diag(10)[cylinder[k], ], speed[k], load[k], vapply(-5:4, function(j) acceleration[k + j], numeric(n)))
  list(x = x, y = factor(ifelse(misfire[k], "misfire", "normal")))
}

# Two overlapping normal distributions (Wang & Vucetic 2009), and 4 x 4 squares
gauss <- function(n) two_normals(n)
squares <- function(n) {
  x <- matrix(runif(2 * n, 0, 4), n)
  list(x = x, y = factor(rowSums(floor(x)) %% 2, labels = c("black", "white")))
}
