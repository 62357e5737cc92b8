#!/usr/bin/env bash
# Runs an R script with the package built for ThreadSanitizer, on the threads of tests/core/tsan/openmp.c, of which it sees
# all synchronisation: tools/tsan.sh FILE ... The first race ends it with status 66; a planted one must. R's memory is not
# watched, and programs that R starts do not work.
set -eu
. tools/instrumented.sh
install_instrumented tsan "-fopenmp -fsanitize=thread" -fsanitize=thread tests/core/tsan/openmp.c

# A shell does not start with the library; R's program does. R's handlers of signals allocate.
export R_LIBS="$library:${R_LIBS:-}" TSAN_OPTIONS=halt_on_error=1:exitcode=66:die_after_fork=0:report_signal_unsafe=0
program="$(R RHOME)/bin/exec/R"
run() { R CMD env LD_PRELOAD="$($compiler -print-file-name=libtsan.so)" "$program" --vanilla --no-echo "$@"; }

planted=build/tsan-planted
for what in clean race; do
  printf '#define main both\n#include "%s"\nvoid planted(void) { char *a[] = {"", "%s", "region"}; both(3, a); }\n' \
    "$PWD/tests/core/tsan/race.c" $what > $planted.c
  for file in $planted.c tests/core/tsan/openmp.c; do
    $compiler -g -fPIC -fopenmp -fsanitize=thread -c -o "build/tsan-$(basename "$file" .c).o" "$file"
  done
  $compiler -shared -fsanitize=thread -o $planted.so build/tsan-tsan-planted.o build/tsan-openmp.o
  status=0
  run -e "dyn.load('$planted.so'); invisible(.C('planted'))" > $planted.log 2>&1 || status=$?
  [ $status -eq "$([ $what = race ] && echo 66 || echo 0)" ] || { cat $planted.log; echo "tsan: a planted race: $what, $status"; exit 1; }
done

file=$1
shift
run -f "$file" --args "$@"
