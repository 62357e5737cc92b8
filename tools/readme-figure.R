# Draws man/figures/README-three.png by the code that README.md has below its picture. Run from the top of the repository
# with the package installed: Rscript tools/readme-figure.R
lines <- readLines("README.md")
begin <- grep("^<!-- code of the figure", lines)
fences <- grep("^```", lines)
fences <- fences[fences > begin][1:2]

png("man/figures/README-three.png", 1800, 640, res = 144, type = "cairo")
library(onlinesvm)
eval(parse(text = lines[(fences[1] + 1):(fences[2] - 1)]))
invisible(dev.off())
# A third of the size by a palette, where pngquant is installed
if (nzchar(Sys.which("pngquant"))) {
  invisible(system2("pngquant", c("--force", "--ext", ".png", "128", "man/figures/README-three.png")))
}
