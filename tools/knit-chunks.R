# Knits a vignette with some of its chunks, by label, and without the others: Rscript tools/knit-chunks.R FROM TO LABEL...
arguments <- commandArgs(TRUE)
knitr::opts_hooks$set(eval = function(options) {
  options$eval <- options$label %in% arguments[-(1:2)]
  options
})
knitr::opts_chunk$set(error = FALSE)
knitr::knit(arguments[1], arguments[2], quiet = TRUE)
