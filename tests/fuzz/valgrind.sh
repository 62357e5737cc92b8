#!/usr/bin/env bash
# A script of this directory with the installed package under valgrind's memcheck: valgrind.sh FILE ... One failure more for
# each error whose stack has a function of the package; R and the runtime of OpenMP have their own.
set -u
log=build/valgrind-$(basename "$1" .R)
R --vanilla --no-echo -d "valgrind --log-file=$log.log" -f "tests/fuzz/$1" --args valgrind "${@:2}" > "$log.out" 2>&1
status=$?
grep -v '^[a-z]*: ' "$log.out"
errors=$(awk 'BEGIN { RS = "==[0-9]+== \n" } /onlinesvm\.so|osvm_|ffi_/ && /at 0x/ { n++; print > "/dev/stderr" } END { print n + 0 }' "$log.log")
counts=$(grep -E '^[a-z]+: [0-9]+ passed, [0-9]+ failed' "$log.out")
if [[ $status -eq 0 && $counts =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
  echo "valgrind: ${BASH_REMATCH[1]} passed, $((BASH_REMATCH[2] + errors)) failed"
fi
