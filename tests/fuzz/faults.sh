#!/usr/bin/env bash
# faults.R, with fail-malloc.c preloaded where the platform has what it needs.
set -u
library=$PWD/build/fail-malloc.so
if [ -r /proc/self/maps ] && ${CC:-cc} -O1 -shared -fPIC -o "$library" tests/fuzz/fail-malloc.c; then
  OSVM_FAIL_MALLOC=$library LD_PRELOAD=$library exec Rscript tests/fuzz/faults.R
fi
exec Rscript tests/fuzz/faults.R
