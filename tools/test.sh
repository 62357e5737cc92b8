#!/usr/bin/env bash
# The three rings of tests, on the package installed in build/library (R_LIBS names it).
# Each ring ends with "ring: N passed, N failed"; the last line is their sum.
set -u
export LC_ALL=C.UTF-8 OMP_THREAD_LIMIT=2 NOT_CRAN=true MAKEFLAGS=-j2
mkdir -p build
passed=0 failed=0

# count NAME COMMAND...: run a ring, show it, and add up its closing line; a ring without one has failed.
count() {
  local name=$1 log=build/test-$1.log line
  shift
  "$@" 2>&1 | tee "$log"
  line=$(grep -E "^$name: [0-9]+ passed, [0-9]+ failed" "$log" | tail -n 1)
  if [[ $line =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    echo "$name: broke off before its end"
    failed=$((failed + 1))
  fi
}

echo "== 1/3 native tests of the C core, under the address and undefined-behaviour sanitizers"
count core make --no-print-directory -C tests/core test

echo "== 2/3 testthat on the installed package"
count testthat Rscript tools/testthat.R

echo "== 3/3 R CMD build and R CMD check, about a minute"
count check Rscript tools/check.R

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
