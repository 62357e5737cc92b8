#!/usr/bin/env bash
# Regenerates the full-size results in vignettes/results: tools/experiments.sh [NAME...], or --list. Run from the top of the
# repository with the package installed, as make experiments and make experiments-NAME do.
#
# An experiment is a script bench/NAME.R that writes a table with save_results(). It is skipped if it is up to date: the
# script has finished, and its tables are newer than the script. Intermediate results are stored in OSVM_KEEP
# (build/experiments), from where an interrupted run resumes. After a change of the package or of the computations of a
# script, FORCE=1 discards them.
set -u -m # -m: each script has its own process group, which can be terminated as a whole
keep=${OSVM_KEEP:-build/experiments}
force=${FORCE:-}
names=$(grep -l 'save_results(' bench/*.R | grep -v common.R | sed 's|bench/||; s|\.R$||')

if [ "${1:-}" = --list ]; then
  echo "$names"
  exit 0
fi
for name in "$@"; do
  if ! grep -qx -- "$name" <<< "$names"; then
    echo "Unknown experiment $name. Available:" $names >&2
    exit 2
  fi
done
[ $# -eq 0 ] || names=$(printf '%s\n' "$@")
mkdir -p "$keep" || exit 1
keep=$(cd "$keep" && pwd)

clock() { printf '%d:%02d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }
tables_of() { grep -lx "# script: bench/$1.R" vignettes/results/*.csv 2> /dev/null; }

up_to_date() {
  local tables table
  [ -z "$force" ] && [ -e "$keep/$1.done" ] && [ ! "bench/$1.R" -nt "$keep/$1.done" ] || return 1
  tables=$(tables_of "$1")
  [ -n "$tables" ] || return 1
  for table in $tables; do
    [ ! "bench/$1.R" -nt "$table" ] || return 1
  done
}

# Scripts with the same prefix share intermediate results; FORCE discards them before the first of these scripts.
discarded=""
state_of() {
  local family=$keep/state/${1%%-*}
  if [ -n "$force" ] && [[ " $discarded " != *" $family "* ]]; then
    rm -rf "$family"
    discarded="$discarded $family"
  fi
  mkdir -p "$family"
  state=$family
}

job=""
stop() {
  [ -z "$job" ] || kill -TERM -- "-$job" 2> /dev/null
  printf '\nInterrupted. The same command resumes.\n'
  exit 130
}
trap stop INT TERM

# Runs one script; on a terminal, shows the last line of its log.
run() {
  local log=$keep/$1.log start=$SECONDS last
  OSVM_KEEP=$state Rscript "bench/$1.R" < /dev/null > "$log" 2>&1 &
  job=$!
  while [ -t 1 ] && kill -0 "$job" 2> /dev/null; do
    last=$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-50)
    printf '\r\033[K%s %s  %s' "$label" "$(clock $((SECONDS - start)))" "$last"
    sleep 1
  done
  wait "$job"
  status=$?
  job=""
  took=$((SECONDS - start))
  [ ! -t 1 ] || printf '\r\033[K'
}

count=$(wc -w <<< "$names")
width=$(wc -L <<< "$names")
k=0 failed=0
for name in $names; do
  k=$((k + 1))
  label=$(printf '[%*d of %d] %-*s' ${#count} $k "$count" "$width" "$name")
  if up_to_date "$name"; then
    echo "$label up to date"
    continue
  fi
  [ -t 1 ] || echo "$label started; previous run $(clock "$(cat "$keep/$name.done" 2> /dev/null || echo 0)")" |
    sed 's/; previous run 0:00:00//'
  state_of "$name"
  run "$name"
  if [ $status -ne 0 ]; then
    failed=$((failed + 1))
    echo "$label FAILED, see $keep/$name.log:"
    tail -n 3 "$keep/$name.log" | sed 's/^/    /'
  elif grep -q '^Skipped: ' "$keep/$name.log"; then
    echo "$label $(grep -m 1 '^Skipped: ' "$keep/$name.log")"
  else
    echo "$took" > "$keep/$name.done"
    echo "$label done in $(clock $took), $(clock $SECONDS) in total:" $(tables_of "$name")
  fi
done
[ $failed -eq 0 ]
