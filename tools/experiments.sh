#!/usr/bin/env bash
# Makes the full-size results in inst/results anew: tools/experiments.sh [NAME...], or --list. From the top of the
# repository with the package installed; make experiments and make experiments-NAME do so.
#
# An experiment is a script bench/NAME.R that keeps a table with save_results(). What is up to date is skipped: the
# script has run to its end, and its tables are younger than itself. What it finds out on its way lies in OSVM_KEEP
# (build/experiments), from where a run that was stopped goes on. After a change of the package or of what a script
# computes, FORCE=1 begins from nothing.
set -u -m # -m: each script gets a process group of its own, which can be ended as a whole
keep=${OSVM_KEEP:-build/experiments}
force=${FORCE:-}
names=$(grep -l 'save_results(' bench/*.R | grep -v common.R | sed 's|bench/||; s|\.R$||')

if [ "${1:-}" = --list ]; then
  echo "$names"
  exit 0
fi
for name in "$@"; do
  if ! grep -qx -- "$name" <<< "$names"; then
    echo "There is no experiment $name. There are:" $names >&2
    exit 2
  fi
done
[ $# -eq 0 ] || names=$(printf '%s\n' "$@")
mkdir -p "$keep" || exit 1
keep=$(cd "$keep" && pwd)

clock() { printf '%d:%02d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }
tables_of() { grep -lx "# script: bench/$1.R" inst/results/*.csv 2> /dev/null; }

up_to_date() {
  local tables table
  [ -z "$force" ] && [ -e "$keep/$1.done" ] && [ ! "bench/$1.R" -nt "$keep/$1.done" ] || return 1
  tables=$(tables_of "$1")
  [ -n "$tables" ] || return 1
  for table in $tables; do
    [ ! "bench/$1.R" -nt "$table" ] || return 1
  done
}

# Scripts whose names begin alike share what they find out; with FORCE it is thrown away before the first of them.
fresh=""
state_of() {
  local family=$keep/state/${1%%-*}
  if [ -n "$force" ] && [[ " $fresh " != *" $family "* ]]; then
    rm -rf "$family"
    fresh="$fresh $family"
  fi
  mkdir -p "$family"
  state=$family
}

job=""
stop() {
  [ -z "$job" ] || kill -TERM -- "-$job" 2> /dev/null
  printf '\nStopped. The same command goes on from here.\n'
  exit 130
}
trap stop INT TERM

# One script, its last line shown while it works if somebody is looking.
run() {
  local log=$keep/$1.log begin=$SECONDS last
  OSVM_KEEP=$state Rscript "bench/$1.R" < /dev/null > "$log" 2>&1 &
  job=$!
  while [ -t 1 ] && kill -0 "$job" 2> /dev/null; do
    last=$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-50)
    printf '\r\033[K%s %s  %s' "$place" "$(clock $((SECONDS - begin)))" "$last"
    sleep 1
  done
  wait "$job"
  status=$?
  job=""
  took=$((SECONDS - begin))
  [ ! -t 1 ] || printf '\r\033[K'
}

count=$(wc -w <<< "$names")
width=$(wc -L <<< "$names")
k=0 failed=0
for name in $names; do
  k=$((k + 1))
  place=$(printf '[%*d of %d] %-*s' ${#count} $k "$count" "$width" "$name")
  if up_to_date "$name"; then
    echo "$place up to date"
    continue
  fi
  [ -t 1 ] || echo "$place begins; last time it took $(clock "$(cat "$keep/$name.done" 2> /dev/null || echo 0)")" |
    sed 's/; last time it took 0:00:00//'
  state_of "$name"
  run "$name"
  if [ $status -ne 0 ]; then
    failed=$((failed + 1))
    echo "$place FAILED, see $keep/$name.log:"
    tail -n 3 "$keep/$name.log" | sed 's/^/    /'
  elif grep -q '^Skipped: ' "$keep/$name.log"; then
    echo "$place $(grep -m 1 '^Skipped: ' "$keep/$name.log")"
  else
    echo "$took" > "$keep/$name.done"
    echo "$place done in $(clock $took), $(clock $SECONDS) in all:" $(tables_of "$name")
  fi
done
[ $failed -eq 0 ]
