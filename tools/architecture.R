# Draws pkgdown/assets/architecture.svg from the tables of ARCHITECTURE.md: a band per layer of R/ and of src/, the lowest
# at the bottom, and through them the way of a row, a function per step, from the left to the right.
#   Rscript tools/architecture.R [--check]      --check: functions are where the table says, and the picture is current
source("tools/layers.R")
path <- file.path("pkgdown", "assets", "architecture.svg")

# ---- what is drawn ----

sides <- c(R = "Layers of R/", src = "Layers of src/")
steps <- do.call(rbind, lapply(table_below("The way of a row"), function(cells) {
  file <- quoted(cells[2])
  side <- sub("/.*", "", file)
  data.frame(name = quoted(cells[1]), file = file, side = side, layer = layer_of(file, layer_ranks(sides[[side]])))
}))

# Defined there: in R assigned, in C at the beginning of a line that ends with a brace or goes on.
is_defined <- function(name, file) {
  if (!file.exists(file)) {
    return(FALSE)
  }
  quote <- gsub("([().])", "\\\\\\1", name)
  start <- if (endsWith(file, ".R")) sprintf("^%s <- function\\(", quote) else sprintf("^[A-Za-z].*\\b%s\\([^;]*$", quote)
  any(grepl(start, readLines(file, encoding = "UTF-8")))
}
check("a step of the way of a row is of no layer", steps$file[is.na(steps$layer)])
lost <- !mapply(is_defined, steps$name, steps$file)
check("a function of the way of a row is not in its file", paste(steps$name, "in", steps$file)[lost])

# ---- the picture ----

width <- 1120
text_width <- 480 # of the layers; the numbers of the steps are beside it, and their names on the right
list_width <- 205
band <- 25
gap <- 30
colours <- list(R = c("#e6f1f8", "#0072b2"), src = c("#f1f1ec", "#55554c"), way = "#c04a00")
n_layers <- vapply(sides, function(heading) length(table_below(heading)), 0)
top <- c(R = gap, src = 2 * gap + band * n_layers[["R"]])
height <- top[["src"]] + band * n_layers[["src"]] + 8
# The middle of a layer's band
middle <- function(side, layer) unname(top[side] + band * (n_layers[side] - layer + 0.5))

escaped <- function(text) gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE)
put <- function(x, y, text, style) {
  sprintf("<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>", x, y, style, escaped(text))
}
# As many of the parts between commas and semicolons as there is room for.
shortened <- function(text, most) {
  ends <- c(gregexpr("[,;:]", text)[[1]] - 1, nchar(text))
  ends <- ends[ends > 0 & ends <= most]
  gsub("`", "", substr(text, 1, if (length(ends) > 0) max(ends) else most))
}

draw_side <- function(side) {
  rows <- table_below(sides[[side]])
  title <- c(R = "R/  the interface", src = "src/  the core in C, and its glue")[[side]]
  colour <- colours[[side]]
  bands <- lapply(seq_along(rows), function(k) {
    y <- middle(side, k)
    names <- paste(gsub("`", "", rows[[k]][1]))
    at <- 24 + 7.3 * nchar(names)
    c(
      sprintf(
        "<rect x=\"8\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\"/>", y - band / 2 + 1, width - list_width - 16,
        band - 2, colour[1]
      ),
      put(14, y + 4, names, sprintf("class=\"code\" fill=\"%s\"", colour[2])),
      put(at, y + 4, shortened(rows[[k]][2], (text_width - at) / 5.6), "class=\"what\"")
    )
  })
  c(put(8, top[[side]] - 9, title, sprintf("class=\"title\" fill=\"%s\"", colour[2])), unlist(bands))
}

draw_way <- function() {
  n <- nrow(steps)
  x <- text_width + 30 + (seq_len(n) - 1) * (width - text_width - list_width - 60) / (n - 1)
  y <- middle(steps$side, steps$layer)
  at <- width - list_width + 14
  line <- (height - gap - 16) / n
  dot <- function(x, y, k) {
    c(
      sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"%s\"/>", x, y, colours$way),
      put(x, y + 3.5, as.character(k), "class=\"number\" text-anchor=\"middle\" fill=\"#fff\"")
    )
  }
  line_y <- gap + line * (seq_len(n) - 0.5)
  c(
    sprintf(
      "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
      paste(sprintf("%.1f,%.1f", x, y), collapse = " "), colours$way
    ),
    dot(x, y, seq_len(n)), dot(rep(at, n), line_y, seq_len(n)),
    put(at + 14, line_y - 1, sub("([^)])$", "\\1()", steps$name), "class=\"code\" fill=\"#222\""),
    put(at + 14, line_y + 12, steps$file, "class=\"what\"")
  )
}

picture <- c(
  sprintf(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" role=\"img\">", width,
    height, width, height
  ),
  "<title>The layers of R/ and src/, and the way of a row through them</title>",
  "<style>text{font-family:Helvetica,Arial,sans-serif;font-size:11.5px}.code{font-family:monospace;font-size:12px}",
  ".what{fill:#444}.title{font-size:14px;font-weight:bold}.number{font-size:10px}</style>",
  "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
  draw_side("R"), draw_side("src"),
  put(text_width + 20, top[["R"]] - 9, "the way of a row", sprintf("class=\"title\" fill=\"%s\"", colours$way)),
  draw_way(), "</svg>"
)
if (!"--check" %in% commandArgs(TRUE)) writeLines(picture, path)
current <- file.exists(path) && identical(readLines(path, encoding = "UTF-8"), picture)
check("the picture is out of date; run make document", if (!current) path)
cat(sprintf("architecture: %d passed, %d failed\n", passed, failed))
quit(status = as.integer(failed > 0))
