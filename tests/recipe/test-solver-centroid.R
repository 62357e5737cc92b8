test_that("support vectors are the class means, in the user's units", {
  set.seed(1)
  x <- matrix(rnorm(200, 3, 2), 50, 4, dimnames = list(NULL, letters[1:4]))
  x[abs(x) < 1] <- 0
  y <- rep(c("u", "v"), 25)
  s <- methods::as(methods::as(x, "dMatrix"), "CsparseMatrix")
  means <- rbind(colMeans(x[y == "v", ]), colMeans(x[y == "u", ]))
  for (scale in c(TRUE, FALSE)) for (data in list(x, s)) {
    whole <- osvm(data, y, solver_centroid(), kernel_rbf(gamma = 0.1), scale = scale, verbose = FALSE)
    expect_equal(nrow(whole$sv), 2)
    expect_equal(as.matrix(whole$sv[order(-whole$coef), ]), means, tolerance = 1e-5, ignore_attr = TRUE)
    grown <- osvm(data[1:20, ], y[1:20], solver_centroid(), kernel_rbf(gamma = 0.1), scale = FALSE, verbose = FALSE)
    grown <- update(grown, data[21:50, ], y[21:50])
    expect_equal(as.matrix(grown$sv[order(-grown$coef), ]), means, tolerance = 1e-5, ignore_attr = TRUE)
    expect_equal(sort(as.vector(grown$state[, , "count"])), c(25, 25))
    expect_equal(grown$scalars[c("positive", "negative"), 1], c(positive = 25, negative = 25))
  }
})
