# Knits the vignettes in a copy, build/vignettes, where figures do no harm: in one process and one environment, as
# R CMD build has it.
unlink("build/vignettes", recursive = TRUE)
invisible(file.copy("vignettes", "build", recursive = TRUE))
setwd("build/vignettes")
shared <- new.env()
for (file in list.files(pattern = "[.]Rmd$")) {
  cat("vignettes/", file, "\n", sep = "", file = "now")
  knitr::opts_chunk$restore()
  knitr::opts_chunk$set(error = FALSE)
  tryCatch(knitr::knit(file, envir = shared, quiet = TRUE), error = function(e) {
    cat("vignettes/", file, ": ", conditionMessage(e), "\n", sep = "")
    quit(status = 1)
  })
}
