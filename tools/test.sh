#!/usr/bin/env bash
# The rings of tests, on the package installed in build/library (R_LIBS names it): tools/test.sh, or tools/test.sh all for
# what is exhaustive as well. OSVM_TEST_JOBS rings run at a time (3 by default, as some tests wait most of their time); each
# writes build/test-NAME.log, closes with "NAME: N passed, N failed", and shows its log only if it fails. The last line is
# the sum.
set -u
export LC_ALL=C.UTF-8 OMP_THREAD_LIMIT=2 NOT_CRAN=true MAKEFLAGS=
lanes=${OSVM_TEST_JOBS:-3}
all=${1:-}
[ "$all" != all ] || export OSVM_TEST_ALL=1
. tools/ccache.sh
rm -rf build/test-*.log build/test-*.done build/testthat

names=() titles=() commands=()
ring() { # NAME TITLE COMMAND...
  names+=("$1") titles+=("$2")
  commands+=("${*:3}")
}

# Long rings first. The workers of testthat come last: they share its files, which keeps all cores busy to the end.
core() { echo "make --no-print-directory -C tests/core JOBS=1 $1"; }
ring check "R CMD build and R CMD check" Rscript tools/check.R
ring core "native tests under the address and undefined-behaviour sanitizers" "$(core test)"
ring recipe "the recipes for a new solver and a new kernel, carried out" tools/test-recipe.sh
ring lint "lintr" Rscript tools/lint.R
if [ "$all" = all ]; then
  ring tsan "all native tests under the thread sanitizer" "$(core tsan-all)"
  ring valgrind "native tests under valgrind" "$(core valgrind)"
  ring plain "native tests without sanitizers" "$(core plain)"
  for variant in O0 O3; do ring $variant "native tests, -$variant" "$(core $variant)"; done
  if echo '#include <omp.h>' | clang -fopenmp -fsyntax-only -x c - 2> /dev/null; then
    ring clang "native tests, compiled by clang" "$(core clang)"
  else
    echo "No clang with OpenMP: the native tests compiled by it are left out."
  fi
  if echo 'int main(void) { return 0; }' | clang -fsanitize=memory -x c -o build/msan - 2> /dev/null; then
    ring msan "native tests under clang's sanitizer of what is read before it is written" "$(core msan)"
  else
    echo "No clang with MemorySanitizer: the native tests under it are left out."
  fi
  ring testthat-plain-c "conformance of the code without vector instructions" \
    env R_PROFILE_USER=tests/fuzz/plain-c.R Rscript tools/testthat.R build/testthat-plain-c '^(conformance|kernel|predict)$'
  ring cran "R CMD check as CRAN has it" tools/test-cran.sh
  ring ports "other processors, systems and compilers" tools/test-ports.sh
  ring fuzz "a minute of random calls under the sanitizers" tools/asan.sh \
    Rscript tests/fuzz/fuzz.R --seed "$(date +%Y%m%d)" --count 1000000 --seconds 60
  ring cluster "grids and shards on a Slurm of one node" tools/cluster-test.sh
  ring faults "memory, time and workers that fail" tests/fuzz/faults.sh
  ring gctorture "every entry point, garbage collected at each allocation" Rscript tests/fuzz/entry-points.R gctorture
  ring valgrind-r "every entry point under valgrind" tests/fuzz/valgrind.sh entry-points.R
  ring valgrind-stopped "calls of several jobs, stopped at some of their polls, under valgrind" \
    tests/fuzz/valgrind.sh stopped.R --most 1
  ring stopped-asan "calls of several jobs, stopped at their polls, under the address sanitizer" \
    tools/asan.sh Rscript tests/fuzz/stopped.R --most 60
  ring stopped-tsan "the same under the thread sanitizer" tools/tsan.sh tests/fuzz/stopped.R --most 5
  ring disturbed-asan "threads beside a profiler, the collector and forks, under the address sanitizer" \
    env -u OMP_THREAD_LIMIT tools/asan.sh Rscript tests/fuzz/disturbed.R
  ring disturbed-tsan "the same under the thread sanitizer" tools/tsan.sh tests/fuzz/disturbed.R
else
  ring tsan "native tests that start threads, under the thread sanitizer" "$(core tsan)"
fi
ring format "clang-format" tools/format.sh --check
ring layers "layers of the C sources" tools/check-layers.sh
ring layers-r "solvers, parameters and state by role in the R sources" Rscript tools/check-layers-r.R
ring architecture "the picture of the layers and of the way of a row" Rscript tools/architecture.R --check
ring results "commits of the reports, and what they measure" Rscript tools/results.R --check
ring readme "tables of the README" Rscript tools/readme-solvers.R --check
ring readme-example "the example of the README" Rscript tools/readme-example.R --check
ring cheatsheet "code of the cheat sheet" Rscript tools/cheatsheet.R --check
for ((k = 1; k <= lanes; k++)); do
  ring "testthat-$k" "testthat on the installed package, worker $k" Rscript tools/testthat.R build/testthat
done

passed=0 failed=0
fail() { # LOG SENTENCE
  [ ! -e "$1" ] || cat "$1"
  echo "$2"
  failed=$((failed + 1))
}

report() { # K: what the ring's log says
  local name=${names[$1]} log=build/test-${names[$1]}.log seconds line
  seconds=$(cat "build/test-$name.done")
  line=$(grep -E "^${name%%-*}: [0-9]+ passed, [0-9]+ failed" "$log" | tail -n 1)
  if [[ $line =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    [ "${BASH_REMATCH[2]}" -eq 0 ] || cat "$log"
    grep -E "left out|predate" "$log"
    echo "$line  [${titles[$1]}, $seconds]"
  else
    fail "$log" "$name: ended before its count  [${titles[$1]}, $seconds]"
  fi
}

trap 'kill $(jobs -p) 2> /dev/null; exit 130' INT TERM
started=0 running=()
echo "Running ${#names[@]} rings of tests, $lanes at a time; logs are in build/"
while [ "$started" -lt "${#names[@]}" ] || [ "${#running[@]}" -gt 0 ]; do
  still=()
  for k in "${running[@]}"; do
    if [ -e "build/test-${names[k]}.done" ]; then report "$k"; else still+=("$k"); fi
  done
  running=("${still[@]}")
  while [ "${#running[@]}" -lt "$lanes" ] && [ "$started" -lt "${#names[@]}" ]; do
    k=$started name=${names[$started]}
    (
      SECONDS=0 TIMEFORMAT=%0U+%0S
      processor=$({ time ${commands[k]} > "build/test-$name.log" 2>&1 < /dev/null; } 2>&1)
      echo "$SECONDS s, $((processor)) s of processor time" > "build/test-$name.part" && mv "build/test-$name.part" "build/test-$name.done"
    ) &
    running+=("$k")
    started=$((started + 1))
  done
  sleep 0.2
done

# Every file of tests must have come to its end in one of the workers.
for file in tests/testthat/test-*.R; do
  name=$(basename "$file" .R)
  [ -e "build/testthat/$name.done" ] || fail "" "testthat: ${name#test-} did not come to its end"
done

Rscript tools/count-code.R

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
