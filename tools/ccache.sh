# To be sourced: with ccache, objects compiled by R CMD INSTALL, R CMD build, R CMD check and for the native tests serve each
# other, and another clone.
mkdir -p build
if command -v ccache > /dev/null; then
  export R_MAKEVARS_USER="$PWD/build/Makevars" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=locale
  printf -- '-include %s/.R/Makevars\nCC = ccache %s\n' "$HOME" "$(env -u R_MAKEVARS_USER R CMD config CC)" > build/Makevars
fi
