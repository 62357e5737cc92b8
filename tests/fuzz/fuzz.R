# Random calls of every function of the package:
#   Rscript tests/fuzz/fuzz.R --seed 7 --count 1000     goes on where that seed's log in build/fuzz ends
#   Rscript tests/fuzz/fuzz.R --seed 7 --from 1 --count 1000 [--seconds 60] [--limit 60] [--show 20]
#   Rscript tests/fuzz/fuzz.R --seed 7 --case 123       shows one case, shrunk
# README.md in this directory has the rest.
suppressPackageStartupMessages(library(onlinesvm))
rscript <- file.path(R.home("bin"), "Rscript")
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (part in c("surface", "problems", "arguments", "objects", "damage", "cases", "relations", "judge", "shrink",
  "drive")) {
  source(file.path(dirname(script), paste0(part, ".R")))
}

set.seed(1)
arguments <- commandArgs(TRUE)
given <- function(name, default) {
  at <- match(paste0("--", name), arguments)
  if (is.na(at)) default else as.numeric(arguments[at + 1])
}
as_arguments <- function(settings) {
  numbers <- settings[c("seed", "from", "seconds", "limit")]
  c(rbind(paste0("--", names(numbers)), format(unlist(numbers), scientific = FALSE, trim = TRUE)),
    "--count", format(settings$to - settings$from + 1, scientific = FALSE))
}

settings <- list(seed = given("seed", 1), seconds = given("seconds", Inf), limit = given("limit", 60),
  show = given("show", 20))
settings$log <- file.path("build", "fuzz", sprintf("seed-%d.log", settings$seed))
settings$from <- given("from", done(settings$log) + 1)
settings$to <- settings$from + given("count", 1000) - 1

if ("--run" %in% arguments) {
  invisible(outcome(dget(arguments[match("--run", arguments) + 1])))
} else if ("--case" %in% arguments) {
  case <- make_case(settings$seed, given("case"))
  outside <- outcome_outside(case)
  judge <- if (outside$kind == "none") outcome else outcome_outside
  if (!judge(case)$kind %in% c("ok", "refused", "void", "none")) case <- shrink(case, judge,
    if (outside$kind == "none") 200 else 30)
  writeLines(c(snippet(case), paste("#", unlist(judge(case)))))
} else if ("--worker" %in% arguments) {
  work(settings)
} else {
  drive(settings)
  quit(status = !report(settings))
}
