#!/usr/bin/env bash
# Installs what a goal needs and the machine lacks: tools/setup.sh GOAL, a goal of make that needs more than make
# Debian's prebuilt packages first, CRAN for the rest; silent when nothing is missing.
set -u
goal=${1:-test}

# tools and must: commands and R packages the goal cannot do without; extras and nice: those it can.
tools="Rscript cc make"
extras=""
must="Matrix cli"
nice=""
cluster_tools="munged slurmctld slurmd sbatch"
data="e1071 kernlab mlbench TH.data" # of the vignettes
cluster_packages="future future.apply batchtools future.batchtools future.mirai"
ports="aarch64-linux-gnu-gcc qemu-aarch64-static s390x-linux-gnu-gcc qemu-s390x-static i686-linux-gnu-gcc"
ports="$ports x86_64-w64-mingw32-gcc /usr/lib/wine/wine64 clang emcc node"
PATH=$PATH:/usr/sbin # where Slurm's daemons are
case $goal in
  test | test-all)
            extras="pandoc qpdf clang-format ccache"; must="$must testthat"
            nice="knitr rmarkdown codetools callr e1071 kernlab mlbench caret future future.apply ggplot2 TH.data lintr roxygen2"
            nice="$nice slam SparseM DBI RSQLite generics tibble"
            # Those below are built from source, the frameworks with newer versions of what they import: half an hour.
            [ "$goal" = test ] || {
              extras="$extras valgrind $ports"
              nice="$nice nanoarrow parsnip workflows tune dials yardstick rsample hardhat mlr3 mlr3tuning butcher"
              nice="$nice DALEX vetiver $cluster_packages"
              extras="$extras $cluster_tools"
            } ;;
  test-ports)
            extras=$ports ;;
  test-cran)
            extras="pandoc qpdf"; must="$must testthat knitr rmarkdown"; nice="$data" ;;
  cluster-test)
            tools="$tools $cluster_tools"; must="$must $cluster_packages" ;;
  install)  extras="pandoc"; must="$must knitr rmarkdown"; nice="$data" ;;
  demo)     must="$must e1071 kernlab" ;;
  bench-tables)
            must="$must knitr e1071 kernlab mlbench ranger"
            nice="$data glmnet lightgbm modeldata AER carData Ecdat wooldridge ISLR2 faraway gamair gamlss.data psych"
            nice="$nice nycflights13 ggplot2movies pscl lme4 vcdExtra plm ggplot2" ;;
  bench-claims) must="$must knitr e1071 mlbench ranger ggplot2"; nice="modeldata nycflights13" ;;
  bench*)   must="$must knitr e1071 kernlab mlbench SparseM data.table"; nice="LiblineaR caret" ;;
  document) must="$must roxygen2" ;;
  site)     extras="pandoc"; must="$must knitr rmarkdown pkgdown"
            nice="$data caret ggplot2" ;;
  format)   tools="clang-format"; must="" ;;
  lint)     must="$must lintr" ;;
  *) echo "usage: tools/setup.sh test|test-all|test-ports|test-cran|cluster-test|install|demo|bench[-NAME]|document|site|format|lint" >&2; exit 2 ;;
esac

say() { printf 'setup: %s\n' "$*"; }
missing_tools() { for t in $tools $extras; do command -v "$t" > /dev/null || echo "$t"; done; }
missing_packages() {  # a look at the library paths: loading them all would take seconds
  if command -v Rscript > /dev/null; then
    Rscript --vanilla -e 'for (p in commandArgs(TRUE)) if (!nzchar(system.file(package = p))) cat(p, "")' "$@"
  else
    echo "$@"
  fi
}
debian_name() {
  case $1 in
    Rscript) echo r-base-core ;;
    cc | make) echo r-base-dev ;;
    pandoc | qpdf | clang-format | ccache | valgrind) echo "$1" ;;
    munged) echo munge ;;
    slurmctld | slurmd | sbatch) echo slurm-wlm ;;
    clang) printf 'clang\nlibomp-dev\nlibclang-rt-dev\n' ;; # with omp.h and sanitizers
    aarch64-linux-gnu-gcc) printf 'gcc-aarch64-linux-gnu\nlibc6-dev-arm64-cross\n' ;;
    s390x-linux-gnu-gcc) printf 'gcc-s390x-linux-gnu\nlibc6-dev-s390x-cross\n' ;;
    i686-linux-gnu-gcc) printf 'gcc-i686-linux-gnu\nlibc6-dev-i386-cross\n' ;;
    emcc) printf 'emscripten\nnode-acorn\n' ;;
    node) echo nodejs ;;
    qemu-*) echo qemu-user-static ;;
    x86_64-w64-mingw32-gcc) echo gcc-mingw-w64-x86-64 ;;
    */wine64) echo wine64 ;;
    *) echo "r-cran-$(echo "$1" | tr '[:upper:]' '[:lower:]')" ;;
  esac
}

lack="$(missing_tools) $(missing_packages $must $nice)"
[ -n "${lack// /}" ] || exit 0
say "missing:" $lack

if command -v apt-get > /dev/null; then
  root=true as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo -n"
    sudo -n true 2> /dev/null || root=false
  fi
  if $root; then
    say "reading Debian's package lists"
    $as_root apt-get update -qq || say "apt-get update failed, going on with the lists at hand"
  fi
  wanted=$(for l in $lack; do debian_name "$l"; done | sort -u |
    while read -r name; do apt-cache policy "$name" 2> /dev/null | grep -q "Candidate: [^(]" && echo "$name"; done)
  if $root && [ -n "$wanted" ]; then
    say "apt-get install" $wanted
    $as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends $wanted || say "apt-get install failed"
  elif [ -n "$wanted" ]; then
    say "not root, and no sudo without a password. Debian has what is missing; to install it, run:"
    say "  sudo apt-get install" $wanted
  fi
fi

lack=$(missing_packages $must $nice)
# mlr3 needs a newer checkmate than it declares, and than Debian has.
case " $lack " in *" mlr3 "*) lack="checkmate $lack" ;; esac
# future.mirai brings a newer future, which Debian's future.batchtools does not know.
case " $lack " in *" future.mirai "*) lack="$lack future.batchtools" ;; esac
if [ -n "${lack// /}" ] && command -v Rscript > /dev/null; then
  say "installing from CRAN:" $lack
  Rscript -e '
    if (is.na(getOption("repos")["CRAN"]) || getOption("repos")["CRAN"] == "@CRAN@") chooseCRANmirror(ind = 1)
    if (file.access(.libPaths()[1], 2) != 0) {
      own <- Sys.getenv("R_LIBS_USER")
      dir.create(own, recursive = TRUE, showWarnings = FALSE)
      .libPaths(own)
    }
    install.packages(commandArgs(TRUE), quiet = TRUE)' $lack
fi

optional=" $nice $extras "
status=0
for l in $(missing_tools) $(missing_packages $must $nice); do
  case $optional in
    *" $l "*) say "could not install $l; what needs it will be left out" ;;
    *) say "could not install $l, and 'make $goal' cannot do without it: please install it yourself"; status=1 ;;
  esac
done
exit $status
