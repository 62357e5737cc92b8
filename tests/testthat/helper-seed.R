# OSVM_TEST_SEED shifts every seed of the tests: assertions hold for any draw. (Snapshots of numbers are of draw 0.)
seed_shift <- as.numeric(Sys.getenv("OSVM_TEST_SEED", "0"))
set.seed <- function(seed, ...) base::set.seed(seed + seed_shift, ...)
skip_if_shifted <- function() testthat::skip_if(seed_shift != 0, "numbers of another draw")
