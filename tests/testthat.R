library(testthat)
library(onlinesvm)

test_check("onlinesvm")
