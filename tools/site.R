# Builds the documentation as web pages in build/site that need no other host to be read: formulas become MathML, and
# the contents of a page a list of links.
to <- "build/site"
options(pkgdown.internet = FALSE)
# Code is linked to the pages of packages that are installed; CRAN is not asked where the others have theirs.
utils::assignInNamespace("CRAN_urls", function() data.frame(Package = character(), URL = character()), "downlit")
pkgdown::build_site(override = list(destination = to), preview = FALSE, install = FALSE, new_process = FALSE)

# ---- gallery ----

# All figures of the articles, with their captions, as links to where they are explained.
gallery <- function(article) {
  html <- paste(readLines(file.path(to, "articles", article), encoding = "UTF-8"), collapse = "\n")
  figure <- "(?s)<img src=\"([^\"]*figure-html[^\"]*)\"[^>]*alt=\"([^\"]*)\"[^>]*>\\s*<p class=\"caption\">(.*?)</p>"
  found <- regmatches(html, gregexpr(figure, html, perl = TRUE))[[1]]
  if (length(found) == 0) {
    return(character())
  }
  title <- sub("(?s).*<title>(.*?) [^ ]* onlinesvm</title>.*", "\\1", html, perl = TRUE)
  picture <- paste0(
    "<figure><a href=\"articles/%s\"><img src=\"articles/\\1\" alt=\"\\2\" loading=\"lazy\"></a>",
    "<figcaption>\\3</figcaption></figure>"
  )
  pictures <- vapply(found, function(one) sub(figure, sprintf(picture, article), one, perl = TRUE), "")
  id <- sub("[.]html$", "", article)
  anchor <- sprintf("<a class=\"anchor\" aria-label=\"anchor\" href=\"#%s\"></a>", id)
  c(sprintf("<h2 id=\"%s\">%s%s</h2><div class=\"gallery\">", id, title, anchor), pictures, "</div>")
}
articles <- setdiff(list.files(file.path(to, "articles"), "[.]html$"), "index.html")
body <- paste(unlist(lapply(articles, gallery)), collapse = "\n")
site <- pkgdown::as_pkgdown(".", override = list(destination = to))
pkgdown::render_page(site, "title-body", list(pagetitle = "Gallery", body = body), "gallery.html")

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
  own <- "<script>var Toc = { init: function() {} };</script>" # pkgdown.js calls it
  html <- sub("<script src=\"[^\"]*bootstrap-toc[^\"]*\"[^>]*></script>", own, html)
  if (length(headings) == 0 || !grepl("<nav id=\"toc\"", html)) {
    return(html)
  }
  name <- trimws(gsub("<[^>]*>", "", headings))
  id <- sub(".*href=\"(#[^\"]*)\".*", "\\1", headings)
  links <- sprintf("<li class=\"nav-item\"><a class=\"nav-link py-1\" href=\"%s\">%s</a></li>", id, name)
  list <- paste0("\\1<ul class=\"nav flex-column\">", paste(links, collapse = ""), "</ul></nav>")
  sub("(?s)(<nav id=\"toc\"[^>]*>\\s*<h2[^>]*>[^<]*</h2>)\\s*</nav>", list, html, perl = TRUE)
}

# ---- scripts of other hosts ----

# pkgdown's search, its copy buttons and icons are loaded from other hosts. They are taken from npm, if it is there, and
# put beside the pages.
library_files <- c(
  "autocomplete.js@0.38.0/dist/autocomplete.jquery.min.js", "clipboard@2.0.6/dist/clipboard.min.js",
  "fuse.js@6.4.6/dist/fuse.js", "headroom.js@0.11.0/dist/headroom.min.js",
  "headroom.js@0.11.0/dist/jQuery.headroom.min.js", "mark.js@8.11.1/dist/mark.min.js",
  "@fortawesome/fontawesome-free@5.12.1/css/all.min.css", "@fortawesome/fontawesome-free@5.12.1/css/v4-shims.min.css"
)
own_scripts <- nzchar(Sys.which("npm"))
if (own_scripts) {
  packages <- unique(sub("^(@?[^@]+@[^/]+)/.*", "\\1", library_files))
  folder <- tempfile("npm")
  system2("npm", c("install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, packages))
  scripts <- file.path(to, "deps", "scripts")
  for (package in sub("@[^@]+$", "", packages)) {
    dir.create(file.path(scripts, package), recursive = TRUE, showWarnings = FALSE)
    parts <- file.path(folder, "node_modules", package, c("dist", "css", "webfonts"))
    file.copy(parts[dir.exists(parts)], file.path(scripts, package), recursive = TRUE)
  }
} else {
  message("npm is not there: search and icons need the hosts that pkgdown names.")
}
# Files of the repository that README and SECURITY name, as pages of the site.
with_own_pages <- function(html) {
  html <- gsub("href=\"bench/results[^\"]*\"", "href=\"articles/benchmarks.html\"", html)
  html <- gsub("(href|src)=\"pkgdown/assets/", "\\1=\"", html)
  html <- gsub("href=\"NEWS.html\"", "href=\"news/index.html\"", html)
  gsub("<a href=\"tests/[^\"]*\">([^<]*)</a>", "\\1", html)
}

with_own_scripts <- function(html, path) {
  html <- gsub("(?s)<!--\\[if lt IE 9\\]>.*?<!\\[endif\\]-->", "", html, perl = TRUE)
  up <- strrep("../", lengths(regmatches(path, gregexpr("/", path))) - 2) # from a page to the root
  for (file in library_files[own_scripts]) {
    address <- sprintf("https://[^\"]*/%s\"( integrity=\"[^\"]*\")?( crossorigin=\"[^\"]*\")?", basename(file))
    html <- gsub(address, sprintf("%sdeps/scripts/%s\"", up, sub("@[0-9.]+/", "/", file)), html)
  }
  html
}

for (path in list.files(to, "[.]html$", recursive = TRUE, full.names = TRUE)) {
  html <- paste(readLines(path, encoding = "UTF-8"), collapse = "\n")
  writeLines(with_own_pages(with_own_scripts(with_contents(with_mathml(html, path)), path)), path, useBytes = TRUE)
}

# ---- links ----

# Every link to a page, a file or a heading of the site leads somewhere.
pages <- list.files(to, "[.]html$", recursive = TRUE)
text <- stats::setNames(lapply(pages, function(page) {
  paste(readLines(file.path(to, page), encoding = "UTF-8"), collapse = "\n")
}), pages)
found_in <- function(html, pattern) {
  unique(gsub(pattern, "\\1", regmatches(html, gregexpr(pattern, html, perl = TRUE))[[1]]))
}
headings <- lapply(text, found_in, "(?:id|name)=\"([^\"]*)\"")
tidy_path <- function(path) {
  while (grepl("[^/]+/\\.\\./", path)) path <- sub("[^/.]+[^/]*/\\.\\./", "", path)
  sub("(^|/)$", "\\1index.html", path)
}
broken <- unlist(lapply(pages, function(page) {
  links <- grep("^([a-z]+:|//|#$|$)", found_in(text[[page]], "(?:href|src)=\"([^\"]*)\""), value = TRUE, invert = TRUE)
  folder <- if (grepl("/", page)) paste0(dirname(page), "/") else ""
  lost <- vapply(links, function(link) {
    target <- sub("#.*", "", link)
    target <- if (target == "") page else tidy_path(paste0(folder, target))
    anchor <- utils::URLdecode(sub("^[^#]*#?", "", link))
    !file.exists(file.path(to, target)) || (nzchar(anchor) && !anchor %in% headings[[target]])
  }, NA)
  if (any(lost)) paste0(page, ": ", links[lost])
}))
message(length(pages), " pages, ", length(broken), " broken links")
if (length(broken) > 0) stop(paste(c("The site has broken links:", broken), collapse = "\n"), call. = FALSE)
