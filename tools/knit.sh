#!/usr/bin/env bash
# tools/knit.R, with memory that glibc fills when it is given out and freed, and without its caches of freed blocks, so that
# a wrong write is found soon. A process that ends by a signal says in which vignette and, by gdb, where.
set -u
ulimit -c unlimited 2> /dev/null
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.tcache_count=0:glibc.malloc.perturb=165}
rm -f build/vignettes/core*
Rscript tools/knit.R
status=$?
if [ $status -gt 128 ]; then
  echo "Knitting $(cat build/vignettes/now) ended by signal $((status - 128))"
  core=$(find build/vignettes -maxdepth 1 -name 'core*' | head -n 1)
  if [ -n "$core" ] && command -v gdb > /dev/null; then
    gdb --batch -ex "thread apply all backtrace 40" "$(R RHOME)/bin/exec/R" "$core" 2> /dev/null
  fi
fi
exit $status
