# Builds the documentation as web pages in build/site that need no other host to be read: formulas become MathML, and
# the contents of a page a list of links. Searching needs the scripts that pkgdown loads from their hosts.
to <- "build/site"
options(pkgdown.internet = FALSE)
pkgdown::build_site(override = list(destination = to), preview = FALSE, install = FALSE, new_process = FALSE)

# ---- formulas ----

# \Bigl( and its like, which pandoc does not know as MathML, are \left( and \right).
known <- function(tex) gsub("\\\\[Bb]igg?r", "\\\\right", gsub("\\\\[Bb]igg?l", "\\\\left", tex))
unescape <- function(text) {
  for (pair in list(c("&lt;", "<"), c("&gt;", ">"), c("&amp;", "&"))) text <- gsub(pair[1], pair[2], text, fixed = TRUE)
  text
}
# TeX as MathML, all by one call of pandoc; NA where it knows no MathML for a formula.
mathml <- function(tex, display) {
  mark <- ifelse(display, "$$", "$")
  file <- tempfile(fileext = ".md")
  on.exit(unlink(file))
  writeLines(sprintf("::: {#formula%d}\n%s%s%s\n:::\n", seq_along(tex), mark, trimws(tex), mark), file)
  arguments <- c("--mathml", "-f", "markdown", "-t", "html", file)
  html <- paste(system2(rmarkdown::pandoc_exec(), arguments, stdout = TRUE), collapse = "\n")
  parts <- strsplit(html, "<div id=\"formula[0-9]+\">")[[1]][-1]
  found <- regexpr("(?s)<math.*</math>", parts, perl = TRUE)
  replace(rep(NA_character_, length(parts)), found > 0, regmatches(parts, found))
}
formula_pattern <- paste0(
  "(?s)(?:<span class=\"math (?:inline|display)\">)?",
  "(?:\\\\\\(.{1,2000}?\\\\\\)|\\\\\\[.{1,2000}?\\\\\\])(?:</span>)?"
)
with_mathml <- function(html, path) {
  body <- regexpr("<body", html, fixed = TRUE) # descriptions in the head are plain text
  head <- substr(html, 1, body - 1)
  html <- substr(html, body, nchar(html))
  at <- gregexpr(formula_pattern, html, perl = TRUE)
  formulas <- regmatches(html, at)[[1]]
  if (length(formulas) > 0) {
    display <- grepl("^(<span[^>]*>)?\\\\\\[", formulas)
    tex <- sub("(?s)^(<span[^>]*>)?\\\\[(\\[](.*)\\\\[)\\]](</span>)?$", "\\2", formulas, perl = TRUE)
    replacement <- mathml(known(unescape(tex)), display)
    for (left in formulas[is.na(replacement)]) message(path, ": stays TeX: ", left)
    regmatches(html, at) <- list(ifelse(is.na(replacement), formulas, replacement))
  }
  paste0(gsub("<script src=\"[^\"]*(MathJax|mathjax)[^\"]*\"[^>]*></script>", "", head), html)
}

# ---- contents ----

with_contents <- function(html) {
  heading <- "(?s)<h2[^>]*>(?:(?!</h2>).)*<a class=\"anchor\"[^>]*>"
  headings <- regmatches(html, gregexpr(heading, html, perl = TRUE))[[1]]
  if (length(headings) == 0 || !grepl("<nav id=\"toc\"", html)) {
    return(html)
  }
  name <- trimws(gsub("<[^>]*>", "", headings))
  id <- sub(".*href=\"(#[^\"]*)\".*", "\\1", headings)
  links <- sprintf("<li class=\"nav-item\"><a class=\"nav-link py-1\" href=\"%s\">%s</a></li>", id, name)
  list <- paste0("\\1<ul class=\"nav flex-column\">", paste(links, collapse = ""), "</ul></nav>")
  html <- sub("(?s)(<nav id=\"toc\"[^>]*>\\s*<h2[^>]*>[^<]*</h2>)\\s*</nav>", list, html, perl = TRUE)
  sub("<script src=\"[^\"]*bootstrap-toc[^\"]*\"[^>]*></script>", "", html)
}

for (path in list.files(to, "[.]html$", recursive = TRUE, full.names = TRUE)) {
  html <- paste(readLines(path, encoding = "UTF-8"), collapse = "\n")
  writeLines(with_contents(with_mathml(html, path)), path, useBytes = TRUE)
}
