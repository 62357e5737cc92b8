#!/usr/bin/env bash
# Runs a command with the package built for the address and undefined-behaviour sanitizers: tools/asan.sh Rscript FILE ...
set -eu
. tools/instrumented.sh
install_instrumented asan "-fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" \
  -fsanitize=address,undefined

# R frees nothing at its end, and its memory is bounded by itself.
export R_LIBS="$library:${R_LIBS:-}" LD_PRELOAD="$($compiler -print-file-name=libasan.so)" R_MAX_VSIZE=4Gb
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000 UBSAN_OPTIONS=print_stacktrace=1
exec "$@"
