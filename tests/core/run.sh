#!/usr/bin/env bash
# run.sh NAME JOBS COMMAND SUITE...: "COMMAND SUITE" for each suite, JOBS at a time; shows what they print and closes with
# "NAME: N passed, N failed". A suite counts one failure more when it ends without a count, runs no test, or ends with a
# bad status after a clean count (a sanitizer's report).
set -u
name=$1 jobs=$2 command=$3
shift 3
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export command logs
export TSAN_OPTIONS="suppressions=$PWD/tsan/suppressions ${TSAN_OPTIONS:-}"

printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c '$command {} > "$logs/{}" 2>&1; echo $? > "$logs/{}.status"'

passed=0 failed=0
for suite in "$@"; do
  status=$(cat "$logs/$suite.status" 2> /dev/null || echo none)
  trouble=""
  grep -v '^core: ' "$logs/$suite"
  if [[ $(grep '^core: ' "$logs/$suite") =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    if [ "${BASH_REMATCH[2]}" -eq 0 ]; then
      [ "$status" = 0 ] || trouble="exit status $status"
      [ "${BASH_REMATCH[1]}" -gt 0 ] || trouble="no test was run"
    fi
  else
    trouble="ended before its count, exit status $status"
  fi
  [ -z "$trouble" ] || { echo "$suite: $trouble"; failed=$((failed + 1)); }
done
echo "$name: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
