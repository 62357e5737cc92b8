# Shared by the vignettes, which source this file in their first chunk.
# The installed package stays below 5 MB: fine figures are for the web pages alone.
fine <- nzchar(Sys.getenv("IN_PKGDOWN"))
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", dpi = if (fine) 96 else 66, fig.retina = if (fine) 1.25 else 1, fig.width = 7,
  fig.height = 3.6, fig.align = "center"
)
options(knitr.kable.NA = "")
# Titles look the same on plots of the package and on those drawn here.
knitr::knit_hooks$set(fig.alt = function(before, ...) if (before) par(font.main = 1, cex.main = 1.1))

# A table of the folder results.
results_path <- function(name) file.path("results", paste0(name, ".csv"))
results <- function(name) read.csv(results_path(name), comment.char = "#")

# From the comment lines of such a table: the script that made it, the commit, the machine.
made_by <- function(name) {
  lines <- grep("^#", readLines(results_path(name), 10), value = TRUE)
  part <- function(what) sub(paste0("^# ", what, ": "), "", grep(paste0("^# ", what, ":"), lines, value = TRUE))
  sprintf("*`%s` at commit %s on %s.*", part("script"), part("commit"), sub(";.*", "", part("machine")))
}

# Numbers in the text.
fixed <- function(x, digits = 1) formatC(x, format = "f", digits = digits, big.mark = ",")
whole <- function(x) fixed(x, 0)
percent <- function(x, digits = 2) paste(fixed(x, digits), "%")

blue <- "#0072B2"
orange <- "#E69F00"
green <- "#009E73"
pink <- "#CC79A7"
red <- "#D55E00"
sky <- "#56B4E9"
palette_of_solvers <- c(blue, orange, green, pink, red, sky)

# mfrow and cex change the height of a line, so they are set before mar.
margins <- function(..., mar = c(3.4, 4, 1.8, 0.8)) {
  par(...)
  par(mar = mar, mgp = c(2.4, 0.6, 0), tcl = -0.3, las = 1, font.main = 1, cex.main = 1.1)
}
# An axis of powers of ten: 1e+03 is written 1,000, and from 10,000 on as a power.
decades <- function(side, at, powers = max(at) > 1e4 || min(at) < 1e-3, ...) {
  labels <- if (powers) {
    parse(text = paste0("10^", round(log10(at))))
  } else {
    format(at, big.mark = ",", drop0trailing = TRUE, scientific = FALSE, trim = TRUE)
  }
  axis(side, at, labels, ...)
}
# One legend below all panels.
legend_below <- function(labels, ..., cex = 0.9, ncol = length(labels)) {
  par(fig = c(0, 1, 0, 1), oma = rep(0, 4), mar = rep(0, 4), new = TRUE)
  plot.new()
  width <- 1.15 * max(strwidth(labels, cex = cex))
  legend("bottom", labels, ..., cex = cex, ncol = ncol, text.width = width, bty = "n", xpd = NA)
}
