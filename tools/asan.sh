#!/usr/bin/env bash
# Runs a command with the package built for the address and undefined-behaviour sanitizers: tools/asan.sh Rscript FILE ...
# The build is in build/asan-library, from a copy of the sources: the objects in src/ are others.
set -eu
source=$PWD/build/asan-source library=$PWD/build/asan-library
. tools/ccache.sh
cc="$(env -u R_MAKEVARS_USER R CMD config CC)"
mkdir -p "$source/src" "$library"
rm -rf "$source"/{R,inst} "$source"/src/*.{c,h}
cp -pr DESCRIPTION NAMESPACE R inst "$source"
cp -p src/*.c src/*.h src/Makevars* "$source/src"
printf 'CC = %s %s\nCFLAGS = -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DOSVM_CHECK_THREADS -DOSVM_WORK_PER_POLL=1e5\n' \
  "$(command -v ccache || true)" "$cc" > build/Makevars-asan
echo 'LDFLAGS = -fsanitize=address,undefined' >> build/Makevars-asan
R_MAKEVARS_USER=$PWD/build/Makevars-asan MAKEFLAGS=-j2 R CMD INSTALL --no-test-load --no-docs --no-byte-compile \
  --library="$library" "$source" > build/asan-install.log 2>&1 || { cat build/asan-install.log; exit 1; }

# R itself is not instrumented: it frees nothing at its end, and its memory is bounded by itself.
export R_LIBS="$library:${R_LIBS:-}" LD_PRELOAD="$($cc -print-file-name=libasan.so)" R_MAX_VSIZE=4Gb
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000 UBSAN_OPTIONS=print_stacktrace=1
exec "$@"
