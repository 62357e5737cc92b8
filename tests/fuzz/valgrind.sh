#!/usr/bin/env bash
# Every entry point of the installed package under valgrind's memcheck. One failure more for each error whose stack has a
# function of the package; R and the runtime of OpenMP have their own.
set -u
R --vanilla --no-echo -d "valgrind --log-file=build/valgrind-r.log" -f tests/fuzz/entry-points.R --args valgrind \
  > build/valgrind-r.out 2>&1
status=$?
grep -v '^valgrind: ' build/valgrind-r.out
errors=$(awk 'BEGIN { RS = "==[0-9]+== \n" } /onlinesvm\.so|osvm_|ffi_/ && /at 0x/ { n++; print > "/dev/stderr" } END { print n + 0 }' build/valgrind-r.log)
counts=$(grep -E '^valgrind: [0-9]+ passed, [0-9]+ failed' build/valgrind-r.out)
if [[ $status -eq 0 && $counts =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
  echo "valgrind: ${BASH_REMATCH[1]} passed, $((BASH_REMATCH[2] + errors)) failed"
fi
