# To be sourced: install_instrumented NAME CFLAGS LDFLAGS [SOURCE...] builds the package, with further C files, into
# build/NAME-library, from a copy of the sources: the objects in src/ are others. It ends where the glue is entered on
# another thread than R's, polls often, and has four threads whatever the machine. R itself is not instrumented. What has
# not changed is not built again: others may be using it.
. tools/ccache.sh
compiler="$(env -u R_MAKEVARS_USER R CMD config CC)"

install_instrumented() {
  local name=$1 cflags=$2 ldflags=$3 source=$PWD/build/$1-source state
  library=$PWD/build/$1-library
  exec 9> "build/$name.lock"
  flock 9
  state=$(echo "$@" | cat - tools/instrumented.sh DESCRIPTION NAMESPACE $(find R inst src "${@:4}" -name '*.o' -prune -o \
    -name '*.so' -prune -o -type f -print | sort) | cksum)
  if [ "$(cat "build/$name-state" 2> /dev/null)" != "$state" ]; then
    mkdir -p "$source/src" "$library"
    rm -rf "$source"/{R,inst} "$source"/src/*.{c,h}
    cp -pr DESCRIPTION NAMESPACE R inst "$source"
    cp -p src/*.c src/*.h src/Makevars* "${@:4}" "$source/src"
    {
      echo "CC = $(command -v ccache || true) $compiler"
      echo "CFLAGS = -g -O1 $cflags -DOSVM_CHECK_THREADS -DOSVM_WORK_PER_POLL=1e5 -DOSVM_PROCESSORS=4"
      echo "LDFLAGS = $ldflags"
      [ "$name" != tsan ] || echo "SHLIB_OPENMP_CFLAGS =" # libgomp is not linked
    } > "build/Makevars-$name"
    R_MAKEVARS_USER=$PWD/build/Makevars-$name MAKEFLAGS=-j2 R CMD INSTALL --no-test-load --no-docs --no-byte-compile \
      --library="$library" "$source" > "build/$name-install.log" 2>&1 || { cat "build/$name-install.log"; exit 1; }
    echo "$state" > "build/$name-state"
  fi
  flock -u 9
  exec 9>&-
}
